//! The formats of `bluesnake export`: tables, a WARC file, a sitemap.
//!
//! Everything here is streamed, so memory does not grow with the run, and equal input gives equal bytes. `run.rs`
//! and `rows.rs` decide which part of a run is written; the other files are the formats, and [`Output`] is where they write.

mod csv;
pub(crate) mod date;
mod error;
mod extracted;
mod format;
mod jsonl;
pub(crate) mod muted;
mod output;
mod parquet;
mod rows;
mod run;
mod sitemap;
mod table;
mod warc;
mod xlsx;
mod xml;

#[cfg(test)]
mod naughty;

pub use error::ExportError;
pub use format::{ExportFormat, FORMATS};
pub use output::{Existing, Output, is_stdout};
pub use rows::RowsExport;
pub use run::{SitemapFiles, TableExport, is_reader_gone};
pub use table::{Format, Formulas};

use bluesnake_store::ColumnKind as Kind;
pub(crate) use extracted::Rules;
pub(crate) use run::has_table;
use sitemap::SitemapWriter;
pub(crate) use table::{Cell, Column, TableWriter};
use warc::{WarcResponse, WarcWriter};
