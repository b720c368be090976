//! What is known about a whole run after two readings: everything that rules ask about other URLs.

use bluesnake_engine::plan::AuditSettings;

use crate::anchors::Anchors;
use crate::headers::Headers;
use crate::input::Run;
use crate::relations::Relations;
use crate::report::{Derived, Inlinks};
use crate::state::State;
use crate::twins::Twins;
use crate::url_texts::UrlTexts;

/// A run, surveyed.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) run: Run,
    pub(crate) settings: AuditSettings,
    pub(crate) headers: Headers,
    pub(crate) anchors: Anchors,
    /// By number; the first one stands for no URL.
    pub(crate) states: Vec<State>,
    pub(crate) urls: UrlTexts,
    pub(crate) relations: Relations,
    /// By number, from 1.
    pub(crate) derived: Vec<Derived>,
    pub(crate) inlinks: Inlinks,
    pub(crate) slash_twins: Twins,
    pub(crate) case_twins: Twins,
    /// Pages that only pages which cannot be reached by links lead to, each with the page that does, in number order.
    pub(crate) behind_orphans: Vec<(u32, u32)>,
    /// How many URLs each sitemap lists, in number order.
    pub(crate) sitemap_sizes: Vec<(u32, u32)>,
    /// Origins whose /favicon.ico was requested, and whether it exists.
    pub(crate) icon_requests: Vec<(Box<str>, bool)>,
    /// Whether URLs of the site wait, or were not requested because of a limit.
    pub(crate) has_gaps: bool,
}

impl Site {
    /// What is remembered about a URL.
    pub(crate) fn state(&self, number: u32) -> &State {
        self.states.get(number as usize).unwrap_or(&self.states[0])
    }

    /// Whether an origin has a /favicon.ico, if that is known.
    pub(crate) fn has_icon(&self, origin: &str) -> Option<bool> {
        self.icon_requests.iter().find(|(known, _)| **known == *origin).map(|(_, has_icon)| *has_icon)
    }

    /// How many URLs a sitemap lists.
    pub(crate) fn sitemap_size(&self, sitemap: u32) -> u32 {
        let at = self.sitemap_sizes.binary_search_by_key(&sitemap, |(sitemap, _)| *sitemap);
        at.map_or(0, |at| self.sitemap_sizes[at].1)
    }

    /// The orphan that leads to a page which cannot be reached in another way.
    pub(crate) fn orphan_before(&self, page: u32) -> Option<u32> {
        let at = self.behind_orphans.binary_search_by_key(&page, |(page, _)| *page);
        at.ok().map(|at| self.behind_orphans[at].1)
    }

    /// The canonical of a page, if it is another page.
    pub(crate) fn other_canonical_of(&self, page: u32) -> Option<u32> {
        self.relations.canonical_of(page).filter(|target| *target != page)
    }

    /// Where the redirects of a URL lead.
    pub(crate) fn redirects_of(&self, start: u32) -> Option<RedirectEnd> {
        let mut end = RedirectEnd { number: self.state(start).redirect_to, hops: 1, is_loop: false };
        if end.number == 0 {
            return None;
        }
        while end.number != start && end.hops < RedirectEnd::MOST_HOPS {
            match self.state(end.number).redirect_to {
                0 => return Some(end),
                next => (end.number, end.hops) = (next, end.hops + 1),
            }
        }
        Some(RedirectEnd { is_loop: true, ..end })
    }
}

/// The end of a chain of redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RedirectEnd {
    pub(crate) number: u32,
    pub(crate) hops: u32,
    pub(crate) is_loop: bool,
}

impl RedirectEnd {
    /// From here on it counts as a loop, even if it is one that does not lead back to its start.
    pub(crate) const MOST_HOPS: u32 = 50;
}
