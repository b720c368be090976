//! Where every URL ends up, and the sums that prove none was lost.
//!
//! Each URL ever seen has exactly one [`Disposition`] with a reason. A [`Receipt`] counts them; its classes add up to
//! the number of URLs seen, at every moment of a crawl.

use std::collections::BTreeMap;
use std::fmt;

use crate::admit::Refusal;
use crate::fetch::FailureKind;

/// Position of a URL in the list of all URLs of a run, from 1, in the order in which they were first mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Position of a URL in the queue of those to be fetched, from 1. Visits are committed in this order.
///
/// It is the order of numbers, but for URLs that were first only mentioned (a form, a nofollow link) and later linked
/// in a way that is followed: these take their turn from the later link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub u32);

/// Where a URL was first found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// It is a seed.
    Initial,
    /// A sitemap, or robots.txt, named it.
    Sitemap,
    /// A page linked to it.
    Spider,
    /// It was requested while a page was rendered.
    Network,
    /// A page or stylesheet needs it.
    Resource,
    /// A redirect led to it.
    Redirect,
    /// A page calls it its canonical URL.
    Canonical,
    /// A page calls it its version in another language.
    Hreflang,
}

impl Source {
    /// Every source.
    pub const ALL: [Self; 8] = [
        Self::Initial,
        Self::Sitemap,
        Self::Spider,
        Self::Network,
        Self::Resource,
        Self::Redirect,
        Self::Canonical,
        Self::Hreflang,
    ];

    /// The word for it in columns, JSON and text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Sitemap => "sitemap",
            Self::Spider => "spider",
            Self::Network => "network",
            Self::Resource => "resource",
            Self::Redirect => "redirect",
            Self::Canonical => "canonical",
            Self::Hreflang => "hreflang",
        }
    }
}

/// What the plan's classifier (or the user's callback) wants done with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Keep it in the links and fetch it.
    Crawl,
    /// Keep it in the links, never fetch it.
    Record,
    /// Ignore it: it is counted and nothing else.
    Skip,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::Crawl, Self::Record, Self::Skip];

    /// The word for it in columns, JSON and text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Record => "record",
            Self::Skip => "skip",
        }
    }
}

/// Where a URL ended up; the reason beside it is a word of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// Its turn has not come yet.
    Pending,
    /// It responded, whatever the status.
    Fetched,
    /// It responded with a redirect.
    Redirected,
    /// It did not respond, or not in a way that could be read.
    Failed,
    /// It was not requested, because a rule of scope, limits, traps or robots.txt says so.
    Refused,
    /// It is kept in the links only, because the plan or the kind of link says so.
    Recorded,
    /// It is ignored.
    Skipped,
}

impl Disposition {
    /// Every disposition, in the order of the receipt.
    pub const ALL: [Self; 7] =
        [Self::Fetched, Self::Redirected, Self::Failed, Self::Refused, Self::Recorded, Self::Skipped, Self::Pending];

    /// The word for it in columns, JSON and text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Fetched => "fetched",
            Self::Redirected => "redirected",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Recorded => "recorded",
            Self::Skipped => "skipped",
        }
    }
}

/// Reads the word of a variant back, for enums whose `as_str` tells it.
macro_rules! from_word {
    ($( $type:ty ),*) => { $(
        impl $type {
            /// The variant that a word stands for.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == word)
            }
        }
    )* };
}

from_word!(Source, Action, Disposition, crate::admit::Task, crate::link::LinkKind, crate::link::PathType);
from_word!(crate::link::Position);

/// The reasons that are neither refusals nor failures.
const OTHER_REASONS: [&str; 11] = [
    "queued",
    "page",
    "resource",
    "sitemap",
    "robots",
    "client_error",
    "server_error",
    "redirect",
    "redirect_loop",
    "bad_location",
    "cleared",
];

/// A reason that was read back from a store.
pub fn reason_from_word(word: &str) -> Option<&'static str> {
    let refusals = Refusal::ALL.iter().map(|refusal| refusal.as_str());
    let failures = FailureKind::ALL.iter().map(|kind| kind.as_str());
    OTHER_REASONS.into_iter().chain(refusals).chain(failures).find(|reason| *reason == word)
}

/// The count of every disposition and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    seen: u64,
    classes: BTreeMap<(Disposition, &'static str), u64>,
}

impl Receipt {
    /// How many URLs were ever seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many URLs are in a disposition.
    pub fn count(&self, disposition: Disposition) -> u64 {
        self.reasons(disposition).map(|(_, count)| count).sum()
    }

    /// How many URLs are in a disposition for a reason.
    pub fn count_of(&self, disposition: Disposition, reason: &str) -> u64 {
        self.reasons(disposition).filter(|(word, _)| *word == reason).map(|(_, count)| count).sum()
    }

    /// The reasons of a disposition with their counts, in the order of their names.
    pub fn reasons(&self, disposition: Disposition) -> impl Iterator<Item = (&'static str, u64)> {
        let of_disposition = self.classes.range((disposition, "")..);
        of_disposition
            .take_while(move |((class, _), _)| *class == disposition)
            .map(|((_, word), count)| (*word, *count))
    }

    /// Whether the classes add up to the URLs seen. Always true; tests check it.
    pub fn adds_up(&self) -> bool {
        self.classes.values().sum::<u64>() == self.seen
    }

    pub(crate) fn enter(&mut self, disposition: Disposition, reason: &'static str) {
        self.seen += 1;
        *self.classes.entry((disposition, reason)).or_default() += 1;
    }

    pub(crate) fn change(&mut self, from: (Disposition, &'static str), to: (Disposition, &'static str)) {
        let count = self.classes.get_mut(&from).expect("a URL leaves the class it was counted in");
        *count -= 1;
        if *count == 0 {
            self.classes.remove(&from);
        }
        *self.classes.entry(to).or_default() += 1;
    }
}

impl FromIterator<(Disposition, &'static str, u64)> for Receipt {
    /// The receipt of a run that lies in a store.
    fn from_iter<T: IntoIterator<Item = (Disposition, &'static str, u64)>>(counts: T) -> Self {
        let mut receipt = Self::default();
        for (disposition, reason, count) in counts {
            receipt.seen += count;
            *receipt.classes.entry((disposition, reason)).or_default() += count;
        }
        receipt
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for disposition in Disposition::ALL {
            let reasons: Vec<String> =
                self.reasons(disposition).map(|(word, count)| format!("{} {count}", word.replace('_', " "))).collect();
            if !reasons.is_empty() {
                writeln!(f, "{:>10}  {:<10}  {}", self.count(disposition), disposition.as_str(), reasons.join(", "))?;
            }
        }
        write!(f, "{:>10}  URLs seen", self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up_while_urls_move_between_them() {
        let mut receipt = Receipt::default();
        receipt.enter(Disposition::Pending, "queued");
        receipt.enter(Disposition::Pending, "queued");
        receipt.enter(Disposition::Refused, "robots");
        receipt.change((Disposition::Pending, "queued"), (Disposition::Fetched, "page"));
        assert_eq!((receipt.seen(), receipt.count(Disposition::Pending)), (3, 1));
        assert_eq!(receipt.count_of(Disposition::Fetched, "page"), 1);
        assert!(receipt.adds_up());
    }
}
