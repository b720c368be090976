//! Where every URL ends up, and the sums that prove none was lost.
//!
//! Each URL ever seen has exactly one [`Reason`], which belongs to one [`Disposition`]. A [`Receipt`] counts them; its
//! classes add up to the number of URLs seen, at every moment of a crawl.

use std::collections::BTreeMap;
use std::fmt;

use crate::admit::Refusal;
use crate::fetch::FailureKind;
use crate::words::words;

/// Position of a URL in the list of all URLs of a run, from 1, in order of first mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Position of a URL in the fetch queue, from 1. Visits are committed in this order.
///
/// It follows number order, except for URLs first only mentioned (a form, a nofollow link) and later linked in a way
/// that is followed: these get their turn from the later link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub u32);

words! {
    /// Where a URL was first found.
    Source {
        /// It is a seed.
        Initial = "initial",
        /// It is listed in a sitemap or robots.txt.
        Sitemap = "sitemap",
        /// A page linked to it.
        Spider = "spider",
        /// It was requested while a page was rendered.
        Network = "network",
        /// A page or stylesheet needs it.
        Resource = "resource",
        /// A redirect led to it.
        Redirect = "redirect",
        /// A page declares it as its canonical URL.
        Canonical = "canonical",
        /// A page declares it as its version in another language.
        Hreflang = "hreflang",
    }
}

words! {
    /// The decision of the plan's classifier (or the user's callback) on a URL.
    Action {
        /// Keep it in the links and fetch it.
        Crawl = "crawl",
        /// Keep it in the links, never fetch it.
        Record = "record",
        /// Ignore it, only count it.
        Skip = "skip",
    }
}

words! {
    /// Where a URL ended up; [`Reason`] says why.
    Disposition {
        /// It responded, whatever the status.
        Fetched = "fetched",
        /// It responded with a redirect.
        Redirected = "redirected",
        /// It did not respond, or not with a readable response.
        Failed = "failed",
        /// It was not requested because of scope, limits, traps or robots.txt.
        Refused = "refused",
        /// It is kept only in the links, because of the plan or the kind of link.
        Recorded = "recorded",
        /// It is ignored.
        Skipped = "skipped",
        /// Its turn has not come yet.
        Pending = "pending",
    }
}

/// Why a URL ended up where it did. Each reason belongs to one disposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It waits for its turn.
    Queued,
    /// A page was fetched.
    Page,
    /// Something other than a page was fetched.
    Resource,
    /// A sitemap was fetched.
    Sitemap,
    /// A robots.txt was fetched.
    RobotsFile,
    /// The status is between 400 and 499.
    ClientError,
    /// The status is between 500 and 599.
    ServerError,
    /// It redirects.
    Redirect,
    /// Its redirect closes a loop.
    RedirectLoop,
    /// It redirects to something we cannot crawl.
    BadLocation,
    /// The user cleared it from the queue.
    Cleared,
    /// A rule refused it.
    Refused(Refusal),
    /// The request failed. Made by `From`: a forbidden IP address counts as a refusal.
    Failed(FailureKind),
}

impl Reason {
    const PLAIN: [Self; 11] = [
        Self::Queued,
        Self::Page,
        Self::Resource,
        Self::Sitemap,
        Self::RobotsFile,
        Self::ClientError,
        Self::ServerError,
        Self::Redirect,
        Self::RedirectLoop,
        Self::BadLocation,
        Self::Cleared,
    ];

    /// Its disposition.
    pub fn disposition(self) -> Disposition {
        match self {
            Self::Queued => Disposition::Pending,
            Self::Page | Self::Resource | Self::Sitemap | Self::RobotsFile => Disposition::Fetched,
            Self::ClientError | Self::ServerError => Disposition::Fetched,
            Self::Redirect | Self::RedirectLoop | Self::BadLocation => Disposition::Redirected,
            Self::Cleared => Disposition::Skipped,
            Self::Refused(refusal) => refusal.disposition(),
            Self::Failed(_) => Disposition::Failed,
        }
    }

    /// Whether a limit or the user kept a URL of the site from being visited, so that parts of the site may be unknown.
    pub fn is_gap(self) -> bool {
        use Refusal::{
            EndlessSite, HostBudget, MaxUrls, NotInSitemap, PageLimit, SinglePage, SitemapDepth, SitemapFiles, TooDeep,
        };
        let is_limit = |refusal| {
            matches!(refusal, TooDeep | SinglePage | NotInSitemap | HostBudget | MaxUrls | PageLimit | EndlessSite)
                || matches!(refusal, SitemapDepth | SitemapFiles)
        };
        matches!(self, Self::Cleared) || matches!(self, Self::Refused(refusal) if is_limit(refusal))
    }

    /// Its name in columns, JSON and text, unique within a disposition.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Page => "page",
            Self::Resource => "resource",
            Self::Sitemap => "sitemap",
            Self::RobotsFile => "robots",
            Self::ClientError => "client_error",
            Self::ServerError => "server_error",
            Self::Redirect => "redirect",
            Self::RedirectLoop => "redirect_loop",
            Self::BadLocation => "bad_location",
            Self::Cleared => "cleared",
            Self::Refused(refusal) => refusal.as_str(),
            Self::Failed(kind) => kind.as_str(),
        }
    }

    /// Parses the two names that a store wrote; `None` if they do not belong together.
    pub fn from_words(disposition: &str, reason: &str) -> Option<Self> {
        let refusals = Refusal::ALL.into_iter().map(Self::Refused);
        let failures = FailureKind::ALL.into_iter().map(Self::Failed);
        let mut all = Self::PLAIN.into_iter().chain(refusals).chain(failures);
        all.find(|known| known.as_str() == reason && known.disposition().as_str() == disposition)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<FailureKind> for Reason {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::AddressRefused => Self::Refused(Refusal::PrivateAddress),
            kind => Self::Failed(kind),
        }
    }
}

/// The count of every reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    seen: u64,
    classes: BTreeMap<Reason, u64>,
}

impl Receipt {
    /// How many URLs were ever seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many URLs are in a disposition.
    pub fn count(&self, disposition: Disposition) -> u64 {
        let of_disposition = self.classes.iter().filter(|(reason, _)| reason.disposition() == disposition);
        of_disposition.map(|(_, count)| count).sum()
    }

    /// How many URLs ended for a reason.
    pub fn count_of(&self, reason: impl Into<Reason>) -> u64 {
        self.classes.get(&reason.into()).copied().unwrap_or(0)
    }

    /// The reasons of a disposition with their counts, ordered by name.
    pub fn reasons(&self, disposition: Disposition) -> Vec<(Reason, u64)> {
        let all = self.classes.iter().map(|(reason, count)| (*reason, *count));
        let mut reasons: Vec<_> = all.filter(|(reason, _)| reason.disposition() == disposition).collect();
        reasons.sort_unstable_by_key(|(reason, _)| reason.as_str());
        reasons
    }

    /// Whether the classes add up to the URLs seen. Always true; tests check it.
    pub fn adds_up(&self) -> bool {
        self.classes.values().sum::<u64>() == self.seen
    }

    pub(crate) fn enter(&mut self, reason: Reason) {
        self.seen += 1;
        *self.classes.entry(reason).or_default() += 1;
    }

    pub(crate) fn change(&mut self, from: Reason, to: Reason) {
        let count = self.classes.get_mut(&from).expect("a URL leaves the class it was counted in");
        *count -= 1;
        if *count == 0 {
            self.classes.remove(&from);
        }
        *self.classes.entry(to).or_default() += 1;
    }
}

impl FromIterator<(Reason, u64)> for Receipt {
    /// The receipt of a stored run.
    fn from_iter<T: IntoIterator<Item = (Reason, u64)>>(counts: T) -> Self {
        let mut receipt = Self::default();
        for (reason, count) in counts {
            receipt.seen += count;
            *receipt.classes.entry(reason).or_default() += count;
        }
        receipt
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for disposition in Disposition::ALL {
            let reasons = self.reasons(disposition);
            let words = reasons.iter().map(|(reason, count)| format!("{} {count}", reason.as_str().replace('_', " ")));
            let words: Vec<String> = words.collect();
            if !words.is_empty() {
                writeln!(f, "{:>10}  {:<10}  {}", self.count(disposition), disposition.as_str(), words.join(", "))?;
            }
        }
        write!(f, "{:>10}  URLs seen", self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_cleared_queues_leave_gaps() {
        for gap in [Reason::Cleared, Refusal::EndlessSite.into(), Refusal::SinglePage.into(), Refusal::MaxUrls.into()] {
            assert!(gap.is_gap(), "{gap}");
        }
        for decision in [Reason::Page, Refusal::Robots.into(), Refusal::Excluded.into(), Refusal::OutsideScope.into()] {
            assert!(!decision.is_gap(), "{decision}");
        }
    }

    #[test]
    fn classes_add_up_while_urls_move_between_them() {
        let mut receipt = Receipt::default();
        receipt.enter(Reason::Queued);
        receipt.enter(Reason::Queued);
        receipt.enter(Refusal::Robots.into());
        receipt.change(Reason::Queued, Reason::Page);
        assert_eq!((receipt.seen(), receipt.count(Disposition::Pending)), (3, 1));
        assert_eq!(receipt.count_of(Reason::Page), 1);
        assert!(receipt.adds_up());
    }

    #[test]
    fn every_reason_is_read_back_from_its_words() {
        let refusals = Refusal::ALL.iter().map(|refusal| Reason::from(*refusal));
        let failures = FailureKind::ALL.iter().map(|kind| Reason::from(*kind));
        for reason in Reason::PLAIN.into_iter().chain(refusals).chain(failures) {
            assert_eq!(Reason::from_words(reason.disposition().as_str(), reason.as_str()), Some(reason));
        }
    }

    #[test]
    fn words_that_do_not_belong_together_are_not_a_reason() {
        for (disposition, reason) in [("fetched", "queued"), ("pending", "robots"), ("fetched", "nonsense"), ("", "")] {
            assert_eq!(Reason::from_words(disposition, reason), None, "{disposition} {reason}");
        }
        assert_eq!(Reason::from_words("fetched", "robots"), Some(Reason::RobotsFile));
        assert_eq!(Reason::from_words("refused", "robots"), Some(Reason::Refused(Refusal::Robots)));
    }
}
