//! Paged lists: limits, offsets, and cursors that say where the next page begins.
//!
//! A cursor is a position in an order, never a count of rows to skip, so a page deep in a list costs as much as the
//! first, and rows added meanwhile shift nothing. It is bound to its query: with another filter, order or run it is
//! refused. It is not secret and contains no secrets.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use sha1::{Digest, Sha1};
use utoipa::{IntoParams, ToSchema};

use crate::error::AppError;

/// The first byte of every cursor.
const VERSION: u8 = 1;
/// How many bytes verify that a cursor matches its query and is intact.
const CHECK: usize = 8;
/// Longer cursors are not ours.
const LONGEST_CURSOR: usize = 8 * 1024;

/// One page of a list, with the cursor of the next.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows. A page may have fewer rows than requested, even none, and still have a next page.
    pub items: Vec<T>,
    /// Cursor of the next page.
    pub next_cursor: Option<String>,
    /// Whether there is a next page.
    pub has_more: bool,
}

impl<T> Page<T> {
    /// The first rows of one more than requested; `place` returns the position of a row.
    pub(crate) fn cut<P: Serialize>(mut rows: Vec<T>, limit: Limit, scope: &str, place: impl Fn(&T) -> P) -> Self {
        let is_cut = rows.len() > limit.get();
        rows.truncate(limit.get());
        let next = rows.last().filter(|_| is_cut).map(place);
        Self::new(rows, next.as_ref(), scope)
    }

    pub(crate) fn new(items: Vec<T>, next: Option<&impl Serialize>, scope: &str) -> Self {
        Self { items, has_more: next.is_some(), next_cursor: next.map(|place| cursor(scope, place)) }
    }

    /// The same page of other rows.
    pub fn map<U>(self, shape: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, next_cursor, has_more } = self;
        Page { items: items.into_iter().map(shape).collect(), next_cursor, has_more }
    }
}

/// The maximum number of rows on a page or in a window: 1 to `MAX`, by default 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<const MAX: usize = 1_000>(usize);

/// The maximum number of rows in a window.
pub type WindowLimit = Limit<500>;

impl<const MAX: usize> Limit<MAX> {
    /// The most.
    pub const MAX: usize = MAX;

    /// A limit, when it is one.
    pub fn new(rows: usize) -> Result<Self, AppError> {
        match (1..=MAX).contains(&rows) {
            true => Ok(Self(rows)),
            false => Err(AppError::Rejected {
                message: format!("`limit` must be 1 to {MAX}, got {rows}"),
                hint: "request the other rows with `cursor` or `offset`".to_owned(),
            }),
        }
    }

    /// The number of rows.
    pub fn get(self) -> usize {
        self.0
    }

    pub(crate) fn and_one_more(self) -> usize {
        self.0 + 1
    }
}

impl<const MAX: usize> Default for Limit<MAX> {
    fn default() -> Self {
        Self(100)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Limit<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = usize::deserialize(deserializer)?;
        // Whoever parses a query names the field.
        Self::new(rows).map_err(|_| serde::de::Error::custom(format!("must be 1 to {MAX}, got {rows}")))
    }
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Span {
    /// How many rows to skip.
    #[param(value_type = Option<u64>, minimum = 0, default = 0)]
    pub offset: u64,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 500, default = 100)]
    pub limit: WindowLimit,
}

/// A cursor for a position in the result of a query.
fn cursor(scope: &str, place: &impl Serialize) -> String {
    let place = serde_json::to_vec(place).expect("places are JSON");
    let mut bytes = vec![VERSION];
    bytes.extend(check(scope, &place));
    bytes.extend(place);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The position of a cursor; `None` for the beginning, which `0` and an empty cursor also mean.
pub(crate) fn position<P: DeserializeOwned>(scope: &str, cursor: Option<&str>) -> Result<Option<P>, AppError> {
    match cursor {
        None | Some("" | "0") => Ok(None),
        Some(text) => read(scope, text).map(Some).ok_or_else(|| AppError::Rejected {
            message: "cursor does not match this query".to_owned(),
            hint: "send it unchanged with the same filters and order, or omit it to start over".to_owned(),
        }),
    }
}

fn read<P: DeserializeOwned>(scope: &str, text: &str) -> Option<P> {
    if text.len() > LONGEST_CURSOR {
        return None;
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (told, place) = bytes.strip_prefix(&[VERSION])?.split_first_chunk::<CHECK>()?;
    if *told != check(scope, place) {
        return None;
    }
    serde_json::from_slice(place).ok()
}

fn check(scope: &str, place: &[u8]) -> [u8; CHECK] {
    let mut hash = Sha1::new_with_prefix([VERSION]);
    hash.update((scope.len() as u64).to_be_bytes());
    hash.update(scope);
    hash.update(place);
    *hash.finalize().first_chunk().expect("a hash has twenty bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_names_its_place_for_its_own_question_only() {
        let text = cursor("runs of 1", &(7, "ü"));
        let read = |scope, text: &str| position::<(i64, String)>(scope, Some(text)).map_err(|error| error.to_string());
        assert_eq!(read("runs of 1", &text), Ok(Some((7, "ü".to_owned()))));
        assert_eq!(read("runs of 1", "0"), Ok(None));
        assert_eq!(read("runs of 1", ""), Ok(None));
        assert!(read("runs of 2", &text).is_err());
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert!(read("runs of 1", &String::from_utf8(other).unwrap()).is_err(), "byte {at} was changed");
        }
        for wrong in ["1", "-1", "00", "AQ", "ÄÖ", "' OR 1=1 --", &format!("{text}="), &text[1..], &"A".repeat(9000)]
        {
            assert!(read("runs of 1", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_are_from_one_to_a_thousand() {
        assert_eq!(<Limit>::default().get(), 100);
        assert!([1, 1000].into_iter().all(|rows| <Limit>::new(rows).is_ok()));
        assert!([0, 1001, usize::MAX].into_iter().all(|rows| <Limit>::new(rows).is_err()));
        assert!([1, 500].into_iter().all(|rows| WindowLimit::new(rows).is_ok()));
        assert!([0, 501, usize::MAX].into_iter().all(|rows| WindowLimit::new(rows).is_err()));
    }
}
