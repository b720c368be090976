//! Closed lists of words, as the description of an interface shows them.

use bluesnake_engine::link::Position;
use bluesnake_engine::{Action, Disposition, LinkKind};
use bluesnake_store::{Order, PageType, Table, UrlSort};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the description of a list of words, which is not kept twice.
macro_rules! described {
    ($( $(#[$doc:meta])* $seen:vis $name:ident = $words:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        $seen enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let words = $words::ALL.iter().map(|word| word.as_str());
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
            }
        }

        impl ToSchema for $name {}
    )* };
}

described! {
    /// The action for a URL.
    pub(super) Actions = Action;
    /// Where a URL ended up.
    pub(super) Dispositions = Disposition;
    /// Kinds of links.
    pub(super) LinkKinds = LinkKind;
    /// Directions of an order.
    pub(super) Orders = Order;
    /// What URLs came as.
    pub PageTypes = PageType;
    /// Where on a page a link is.
    pub(super) Positions = Position;
    /// Tables of a run.
    pub Tables = Table;
    /// What URLs are sorted by.
    pub(super) UrlSorts = UrlSort;
}
