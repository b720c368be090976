//! Where findings are written down.

use hashbrown::HashMap;

use crate::catalogue::all_checks;
use crate::details::{DetailId, Details};
use crate::report::FindingList;
use crate::site::Site;

/// How many details a check reports for one URL.
const MOST_DETAILS: usize = 100;

/// The findings of all checks so far.
#[derive(Debug)]
pub(crate) struct Notes {
    /// By the position of the check in the catalogue.
    pub(crate) lists: Vec<FindingList>,
    pub(crate) details: Details,
    /// Which anchor most findings of a check with a detail come from.
    pub(crate) anchors: HashMap<(u16, DetailId), Vote>,
    /// The details that are URLs, by number: menus name the same ones on every page.
    names: HashMap<u32, DetailId>,
    /// The details of the current check and URL.
    current: Vec<DetailId>,
}

/// A vote among anchors that keeps a single candidate: if one has the majority, it wins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vote {
    pub(crate) anchor: u32,
    lead: u32,
}

impl Vote {
    fn cast(&mut self, anchor: u32) {
        if self.anchor == anchor {
            self.lead += 1;
        } else if self.lead == 0 {
            *self = Self { anchor, lead: 1 };
        } else {
            self.lead -= 1;
        }
    }
}

impl Notes {
    pub(crate) fn new() -> Self {
        Self {
            lists: all_checks().map(|_| FindingList::default()).collect(),
            details: Details::default(),
            anchors: HashMap::new(),
            names: HashMap::new(),
            current: Vec::new(),
        }
    }

    /// Where a check writes down what it finds on a URL. URLs come in number order.
    pub(crate) fn page_of<'a>(&'a mut self, check: u16, number: u32, site: &'a Site) -> Found<'a> {
        self.current.clear();
        Found { notes: self, check, number, site }
    }

    /// Adds the findings of a check, in number order, unless it is switched off.
    pub(crate) fn add_all(&mut self, id: &str, site: &Site, found: impl IntoIterator<Item = (u32, DetailId)>) {
        let check = all_checks().position(|check| check.id == id).expect("the check exists");
        if !site.settings.off.iter().any(|off| off == id) {
            found.into_iter().for_each(|(number, detail)| self.lists[check].push(number, detail));
        }
    }

    /// The detail that names a URL.
    pub(crate) fn name(&mut self, number: u32, site: &Site) -> DetailId {
        if number == 0 {
            return 0;
        }
        let Self { names, details, .. } = self;
        *names.entry(number).or_insert_with(|| details.intern(&site.urls.text(number)))
    }
}

/// Takes what one check finds on one URL.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    notes: &'a mut Notes,
    check: u16,
    number: u32,
    site: &'a Site,
}

impl Found<'_> {
    /// Reports the URL with a text; an empty one is no detail.
    pub(crate) fn text(&mut self, text: &str) {
        let detail = self.notes.details.intern_text(text);
        self.detail(detail);
    }

    /// Reports the URL with a number.
    pub(crate) fn number(&mut self, number: u64) {
        self.text(&number.to_string());
    }

    /// Reports the URL with another URL.
    pub(crate) fn target(&mut self, target: u32) {
        let detail = self.notes.name(target, self.site);
        self.detail(detail);
    }

    /// Reports a link of the URL.
    pub(crate) fn link(&mut self, target: u32, anchor: u32) {
        if self.notes.current.len() == MOST_DETAILS {
            return;
        }
        let detail = self.notes.name(target, self.site);
        let vote = self.notes.anchors.entry((self.check, detail)).or_insert(Vote { anchor, lead: 0 });
        vote.cast(anchor);
        self.detail(detail);
    }

    /// Reports the URL once per detail.
    fn detail(&mut self, detail: DetailId) {
        let current = &self.notes.current;
        if current.len() < MOST_DETAILS && !current.contains(&detail) {
            self.notes.current.push(detail);
            self.notes.lists[usize::from(self.check)].push(self.number, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_wins_a_vote() {
        let mut vote = Vote { anchor: 1, lead: 0 };
        [1, 2, 3, 3, 3, 3].into_iter().for_each(|anchor| vote.cast(anchor));
        assert_eq!(vote.anchor, 3);
    }
}
