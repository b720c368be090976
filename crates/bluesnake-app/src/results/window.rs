//! Windows: a part of a list that is known as a whole.

use serde::Serialize;
use utoipa::ToSchema;

/// Some consecutive rows of a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Window<T> {
    /// Rows of the whole list.
    pub total: u64,
    /// How many rows precede the first one here.
    pub offset: u64,
    /// How many URLs were known when the list was made; a list of another version may differ.
    pub version: u64,
    /// The rows.
    pub items: Vec<T>,
}

impl<T> Window<T> {
    /// A window of the store, with other rows.
    pub(crate) fn of<S>(found: bluesnake_store::Window<S>, shape: impl FnMut(S) -> T) -> Self {
        let bluesnake_store::Window { total, offset, version, items } = found;
        Self { total, offset, version, items: items.into_iter().map(shape).collect() }
    }
}
