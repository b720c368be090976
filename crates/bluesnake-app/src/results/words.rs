//! Closed lists of words in queries and requests, and their schemas for the description of an API.

use std::borrow::Cow;

use bluesnake_engine::link::Position;
use bluesnake_engine::{Action, Disposition, LinkKind, Source};
use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{HistogramOf, Order, PageType, RowSort, StatusFilter, Table, UrlSort};
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::export::{FORMATS, Format};

/// Declares the schema of a list of words, so that the list exists once.
macro_rules! described {
    ($( $(#[$doc:meta])* $seen:vis $name:ident = $words:expr $(, default $default:literal)?; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        $seen enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some($words));
                $( let schema = schema.default(Some($default.into())); )?
                schema.into()
            }
        }

        impl ToSchema for $name {}
    )* };
}

described! {
    /// The action for a URL.
    pub(super) Actions = Action::ALL.map(Action::as_str);
    /// Where a URL ended up.
    pub(super) Dispositions = Disposition::ALL.map(Disposition::as_str);
    /// What a run is exported as.
    pub ExportFormats = FORMATS.map(|(_, name, ..)| name), default "csv";
    /// What histograms are drawn of.
    pub(super) Histograms = HistogramOf::ALL.iter().map(|word| word.as_str());
    /// The job of a run.
    pub Job = RunKind::ALL.iter().map(|word| word.as_str());
    /// Kinds of links.
    pub(super) LinkKinds = LinkKind::ALL.map(LinkKind::as_str);
    /// Directions of an order.
    pub(super) Orders = Order::ALL.iter().map(|word| word.as_str());
    /// Types of URLs by their media types.
    pub PageTypes = PageType::ALL.iter().map(|word| word.as_str());
    /// Where on a page a link is.
    pub(super) Positions = Position::ALL.map(Position::as_str);
    /// What rows are sorted by.
    pub(super) RowSorts = RowSort::ALL.iter().map(|word| word.as_str());
    /// States of runs.
    pub RunStates = RunState::ALL.iter().map(|word| word.as_str());
    /// How a URL was first found.
    pub(super) Sources = Source::ALL.map(Source::as_str);
    /// Formats of tables.
    pub(crate) TableFormats = Format::ALL.map(Format::as_str), default "csv";
    /// Tables of a run.
    pub Tables = Table::ALL.iter().map(|word| word.as_str());
    /// What URLs are sorted by.
    pub(super) UrlSorts = UrlSort::ALL.iter().map(|word| word.as_str());
}

/// Parses an optional job; `audit` is another name for `crawl`.
pub fn job<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RunKind>, D::Error> {
    let Some(word) = Option::<Cow<'de, str>>::deserialize(deserializer)? else { return Ok(None) };
    let word = if word == "audit" { "crawl" } else { &*word };
    RunKind::deserialize(word.into_deserializer()).map(Some)
}

/// Parses a name from a closed list; empty means `None`.
fn word<'de, D: Deserializer<'de>, T: Copy>(
    deserializer: D,
    known: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<Option<T>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let found = known.iter().copied().find(|one| as_str(*one) == text);
    let words = || known.iter().map(|one| as_str(*one)).collect::<Vec<_>>().join(", ");
    found.map(Some).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not one of {}", words())))
}

pub(super) fn page_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PageType, D::Error> {
    Ok(word(deserializer, PageType::ALL, PageType::as_str)?.unwrap_or_default())
}

pub(super) fn sort<'de, D: Deserializer<'de>>(deserializer: D) -> Result<UrlSort, D::Error> {
    Ok(word(deserializer, UrlSort::ALL, UrlSort::as_str)?.unwrap_or_default())
}

pub(super) fn order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Order, D::Error> {
    Ok(word(deserializer, Order::ALL, Order::as_str)?.unwrap_or_default())
}

pub(super) fn disposition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Disposition>, D::Error> {
    word(deserializer, &Disposition::ALL, Disposition::as_str)
}

pub(super) fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Action>, D::Error> {
    word(deserializer, &Action::ALL, Action::as_str)
}

pub(super) fn link_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<LinkKind>, D::Error> {
    word(deserializer, &LinkKind::ALL, LinkKind::as_str)
}

pub(super) fn position<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Position>, D::Error> {
    word(deserializer, &Position::ALL, Position::as_str)
}

/// A status, or its first digit with `xx`.
pub(super) fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StatusFilter>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let found = text.parse().map_err(|_| {
        serde::de::Error::custom(format!("`{text}` is neither a status like 404 nor a class of them like 4xx"))
    });
    found.map(Some)
}

pub(super) fn source<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Source>, D::Error> {
    word(deserializer, &Source::ALL, Source::as_str)
}

pub(super) fn row_sort<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RowSort, D::Error> {
    Ok(word(deserializer, RowSort::ALL, RowSort::as_str)?.unwrap_or_default())
}

pub(crate) fn table_format<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
    Ok(word(deserializer, &Format::ALL, Format::as_str)?.unwrap_or_default())
}

pub(super) fn histogram_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HistogramOf>, D::Error> {
    word(deserializer, HistogramOf::ALL, HistogramOf::as_str)
}
