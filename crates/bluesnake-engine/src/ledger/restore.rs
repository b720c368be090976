//! The ledger of a resumed run, from what earlier sessions stored.

use super::{Ledger, is_listed_page};
use crate::admit::{Note, Refusal, UrlRow};
use crate::receipt::{Reason, Source, Turn};
use crate::store::StoredUrl;

impl Ledger {
    /// Restores a URL of an earlier session. Called in number order, before anything else.
    pub(crate) fn restore(&mut self, stored: &StoredUrl) {
        let row = &stored.row;
        let number = self.seen.insert(row.url.key());
        assert_eq!(number, row.number, "stored URLs are numbered without gaps");
        self.receipt.enter(row.reason);
        match row.turn {
            Some(turn) => self.restore_admitted(row, turn),
            None => self.restore_refused(row),
        }
        let Some(visit) = &stored.visit else { return };
        if visit.was_fetched {
            self.budget.restore(row, visit.is_unique_page);
        }
        self.contents.restore(row, visit);
        self.budget.count_bytes(visit.wire_bytes);
        if let Some(turn) = row.turn {
            let page = Note::page(row, visit.is_duplicate, visit.shape);
            let leads = Note::leads(row, visit.leads, visit.is_duplicate, visit.shape);
            self.to_replay.extend(page.into_iter().chain(leads).map(|note| (turn, note)));
        }
        if let Some((to, url)) = &visit.redirects_to {
            self.redirects.insert(number, *to);
            if row.stands_for_a_seed() {
                self.gate.scope.grow(&row.url, url, row.base);
            }
        }
    }

    /// Finishes restoring: counts what depends on turn order.
    pub(crate) fn restored(&mut self) {
        let mut notes = std::mem::take(&mut self.to_replay);
        notes.sort_by_key(|(turn, _)| *turn);
        notes.into_iter().for_each(|(_, note)| self.gate.note(note));
    }

    fn restore_admitted(&mut self, row: &UrlRow, turn: Turn) {
        self.turns = self.turns.max(turn.0);
        self.to_replay.extend(Note::admitted(row).map(|note| (turn, note)));
        self.gate.count(&row.url, row.task);
        self.sitemap_pages += u64::from(is_listed_page(row));
        if row.source == Source::Spider && std::mem::take(&mut self.is_undecided) {
            self.gate.follow_links(true);
        }
    }

    fn restore_refused(&mut self, row: &UrlRow) {
        let Reason::Refused(refusal) = row.reason else { return };
        if refusal == Refusal::NotInSitemap {
            self.is_undecided = false;
        }
        if refusal.depends_on_the_link() {
            self.seen.leave_open(row.number, refusal);
        }
    }
}
