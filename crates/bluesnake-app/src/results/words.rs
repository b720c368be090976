//! Closed lists of words, as the description of an interface shows them.

use bluesnake_engine::link::Position;
use bluesnake_engine::{Action, Disposition, LinkKind};
use bluesnake_store::{Order, PageType, Table, UrlSort};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the description of a list of words, which is not kept twice.
macro_rules! described {
    ($( $(#[$doc:meta])* $name:ident = $words:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

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
    /// What is done with a URL.
    Actions = Action;
    /// Where a URL ended up.
    Dispositions = Disposition;
    /// Kinds of links.
    LinkKinds = LinkKind;
    /// Directions of an order.
    Orders = Order;
    /// What URLs came as.
    PageTypes = PageType;
    /// Where on a page a link is.
    Positions = Position;
    /// Tables of a run.
    Tables = Table;
    /// What URLs are sorted by.
    UrlSorts = UrlSort;
}
