//! How a check looks at one URL.

use std::borrow::Cow;

use crate::notes::Found;
use crate::subject::{Link, Subject};

/// How a check finds what it looks for. Rules see one URL at a time, and may ask the surveyed site about others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// Is there a problem? There is nothing more to report.
    When(fn(&Subject<'_>) -> bool),
    /// The number to report, if there is a problem.
    Number(fn(&Subject<'_>) -> Option<u64>),
    /// The text to report, if there is a problem; it may be empty.
    Text(for<'a> fn(&Subject<'a>) -> Option<Cow<'a, str>>),
    /// The number of the URL to report, if there is a problem; 0 for none.
    Target(fn(&Subject<'_>) -> Option<u32>),
    /// Reports by itself what it finds.
    Each(fn(&Subject<'_>, &mut Found<'_>)),
    /// Is there a problem with this link? Reports its target.
    Link(fn(&Subject<'_>, &Link<'_>) -> bool),
    /// Found at the end, when all URLs are known.
    Later,
}

/// A count, if there is anything to count.
pub(crate) fn positive(count: u32) -> Option<u64> {
    (count > 0).then_some(count.into())
}

/// A number above its maximum.
pub(crate) fn over(number: usize, most: usize) -> Option<u64> {
    (number > most).then_some(number as u64)
}

/// A number below its minimum, but not 0: something that is missing is not too short.
pub(crate) fn below(number: usize, least: usize) -> Option<u64> {
    (1..least).contains(&number).then_some(number as u64)
}
