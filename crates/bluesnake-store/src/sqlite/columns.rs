//! Rows of a query as values: each value reads its own columns, from left to right.

use bluesnake_engine::weave::Host;
use bluesnake_engine::{Action, CanonicalUrl, LinkKind, Number, Reason, Source, Task, Turn};
use rusqlite::types::{FromSql, Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};
use serde::Deserialize;

use crate::state::{RunKind, RunState, SessionState};

/// The columns of a row that have not been read yet.
pub(crate) struct Columns<'a> {
    row: &'a Row<'a>,
    at: usize,
}

/// A value that is stored in one or more columns.
pub(crate) trait FromColumns: Sized {
    /// How many columns it takes.
    const COUNT: usize = 1;

    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self>;
}

impl<'a> Columns<'a> {
    /// The columns of a row, from the first on.
    pub(super) fn of(row: &'a Row<'a>) -> Self {
        Self { row, at: 0 }
    }

    /// The next value.
    pub(super) fn read<T: FromColumns>(&mut self) -> rusqlite::Result<T> {
        T::from_columns(self)
    }

    /// The value in the next column.
    pub(super) fn column<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.at += 1;
        self.row.get(self.at - 1)
    }

    /// The text in the next column, not copied.
    pub(super) fn text(&mut self) -> rusqlite::Result<&'a str> {
        self.at += 1;
        Ok(self.row.get_ref(self.at - 1)?.as_str()?)
    }

    /// The same if there is one.
    pub(super) fn optional_text(&mut self) -> rusqlite::Result<Option<&'a str>> {
        self.at += 1;
        Ok(self.row.get_ref(self.at - 1)?.as_str_or_null()?)
    }

    /// The bytes in the next column, not copied, if there are any.
    pub(super) fn optional_bytes(&mut self) -> rusqlite::Result<Option<&'a [u8]>> {
        self.at += 1;
        Ok(self.row.get_ref(self.at - 1)?.as_bytes_or_null()?)
    }

    /// The next column as JSON.
    pub(super) fn json<T: Deserialize<'a>>(&mut self) -> rusqlite::Result<T> {
        let text = self.text()?;
        serde_json::from_str(text).map_err(|error| self.unreadable(error))
    }

    /// The next two columns: a size, and that many bytes, compressed; nothing if there are none.
    pub(super) fn decompressed(&mut self) -> rusqlite::Result<Vec<u8>> {
        let (size, packed): (usize, Option<Vec<u8>>) = self.read()?;
        let bytes = packed.map(|packed| zstd::bulk::decompress(&packed, size)).transpose();
        bytes.map(Option::unwrap_or_default).map_err(|error| self.unreadable(error))
    }

    /// The same as text.
    pub(super) fn decompressed_text(&mut self) -> rusqlite::Result<String> {
        Ok(String::from_utf8_lossy(&self.decompressed()?).into_owned())
    }

    /// The next column, which holds the name of a variant.
    fn word<T>(&mut self, from_word: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
        let word = self.text()?;
        from_word(word).ok_or_else(|| self.unreadable(format!("`{word}` is not a known name")))
    }

    /// The error for the column that was read last.
    pub(super) fn unreadable(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
        rusqlite::Error::FromSqlConversionFailure(self.at - 1, Type::Text, error.into())
    }
}

/// All rows of a query.
pub(super) fn list<T: FromColumns>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(params, from_row)?.collect()
}

/// The first row of a query, if it has one.
pub(super) fn first<T: FromColumns>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Option<T>> {
    one(connection, sql, params).optional()
}

/// The first row of a query that always has one.
pub(super) fn one<T: FromColumns>(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<T> {
    connection.prepare_cached(sql)?.query_row(params, from_row)
}

/// A whole row.
pub(super) fn from_row<T: FromColumns>(row: &Row<'_>) -> rusqlite::Result<T> {
    T::from_columns(&mut Columns::of(row))
}

/// Absent if its first column is NULL.
impl<T: FromColumns> FromColumns for Option<T> {
    const COUNT: usize = T::COUNT;

    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        if columns.row.get_ref(columns.at)? == ValueRef::Null {
            columns.at += T::COUNT;
            return Ok(None);
        }
        columns.read().map(Some)
    }
}

/// Declares how values with one column are read.
macro_rules! in_one_column {
    ($( $( $type:ty ),+ => |$columns:ident| $read:expr; )*) => { $( $(
        impl FromColumns for $type {
            fn from_columns($columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
                $read
            }
        }
    )+ )* };
}

in_one_column! {
    bool, f64, i64, u8, u16, u32, u64, usize, String, Vec<u8> => |columns| columns.column();
    Number, Turn => |columns| columns.column().map(Self);
    CanonicalUrl, Host => |columns| columns.column().map(Self::from_stored);
    Action, LinkKind, Source, Task, RunKind, RunState, SessionState => |columns| columns.word(Self::from_word);
}

/// A disposition and its reason.
impl FromColumns for Reason {
    const COUNT: usize = 2;

    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let (disposition, reason) = (columns.text()?, columns.text()?);
        let known = Self::from_words(disposition, reason);
        known.ok_or_else(|| columns.unreadable(format!("`{reason}` is not a reason for `{disposition}`")))
    }
}

/// Declares tuples of values.
macro_rules! tuples {
    ($( ($( $type:ident )*) )*) => { $(
        impl<$( $type: FromColumns ),*> FromColumns for ($( $type, )*) {
            const COUNT: usize = 0 $( + $type::COUNT )*;

            fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
                Ok(($( columns.read::<$type>()?, )*))
            }
        }
    )* };
}

tuples! { (A B) (A B C) }

/// Declares rows; their columns are in the order of their fields. A field that is not stored as it is names the method of
/// [`Columns`] that reads it.
macro_rules! rows {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident { $( $(#[$doc:meta])* pub $field:ident: $type:ty $( = $method:ident )?, )* }
    )*) => { $(
        $(#[$meta])*
        pub struct $name { $( $(#[$doc])* pub $field: $type, )* }

        impl $crate::sqlite::columns::FromColumns for $name {
            const COUNT: usize = 0 $( + $crate::sqlite::columns::rows!(@ count $type $( = $method )?) )*;

            fn from_columns(columns: &mut $crate::sqlite::columns::Columns<'_>) -> rusqlite::Result<Self> {
                Ok(Self { $( $field: $crate::sqlite::columns::rows!(@ read columns $( $method )?)?, )* })
            }
        }
    )* };
    (@ count $type:ty) => { <$type as $crate::sqlite::columns::FromColumns>::COUNT };
    (@ count $type:ty = json) => { 1 };
    (@ count $type:ty = $decompressed:ident) => { 2 };
    (@ read $columns:ident) => { $columns.read() };
    (@ read $columns:ident $method:ident) => { $columns.$method() };
}
pub(super) use rows;
