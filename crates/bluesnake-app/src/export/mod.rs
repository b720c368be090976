//! The formats of `bluesnake export`: tables, a WARC file, a sitemap.
//!
//! Everything here is streamed, so memory does not grow with the crawl, and equal input gives equal bytes. Start with
//! [`TableWriter`] and [`Output`]. What is exported, and in which order, is decided by the caller.

mod csv;
pub(crate) mod date;
mod error;
mod jsonl;
pub(crate) mod muted;
mod output;
mod parquet;
mod run;
mod sitemap;
mod table;
mod warc;
mod xlsx;
mod xml;

#[cfg(test)]
mod naughty;

pub use error::ExportError;
pub use output::{Existing, Output};
pub use run::{SitemapFiles, TableExport, is_reader_gone, site_root};
pub use sitemap::SitemapWriter;
pub use table::{Cell, Column, Format, Formulas, Kind, TableWriter};
pub use warc::{WarcResponse, WarcWriter};

pub(crate) use run::has_table;
