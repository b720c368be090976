//! Closed lists of words in queries and requests, and their schemas for the description of an API.

use std::borrow::Cow;

use bluesnake_engine::link::Position;
use bluesnake_engine::{Action, Disposition, LinkKind};
use bluesnake_store::state::RunKind;
use bluesnake_store::{Order, PageType, Table, UrlSort};
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::export::FORMATS;

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
