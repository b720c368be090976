//! Windows of the links of a page, and of the documents that link to a URL.

use rusqlite::Connection;

use super::rows::Window;
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, one};
use crate::sqlite::contents::audit::numbers;
use crate::sqlite::contents::links::{links_at, list_of};
use crate::sqlite::contents::{Contents, LinkRow};
use crate::sqlite::{Failure, catalog, packed};

/// A document that links to a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinkRow {
    /// Its first link to the URL.
    pub link: LinkRow,
    /// How many of its links lead there.
    pub links: u32,
}

impl Contents<'_> {
    /// The documents that link to a URL, in number order. `sources` are their numbers, from an audit in memory, if the
    /// run has no stored audit.
    pub async fn inlinks_window(
        self,
        run: i64,
        number: u32,
        sources: Option<Vec<u32>>,
        offset: u64,
        limit: usize,
    ) -> Result<Window<InlinkRow>, DatabaseError> {
        self.with_url(run, number, move |connection, version| {
            let sources = match sources {
                Some(sources) => sources,
                None => sources_of(connection, run, number)?
                    .ok_or_else(|| DatabaseError::NotFound(format!("run {run} has no stored audit")))?,
            };
            let shown = sources.iter().skip(offset as usize).take(limit);
            let rows = shown.map(|source| inlink(connection, run, *source, number)).filter_map(Result::transpose);
            let items = rows.collect::<rusqlite::Result<_>>()?;
            Ok(Window { total: sources.len() as u64, offset, version, items })
        })
        .await
    }

    /// The links of a document, in document order.
    pub async fn outlinks_window(
        self,
        run: i64,
        number: u32,
        offset: u64,
        limit: usize,
    ) -> Result<Window<LinkRow>, DatabaseError> {
        self.with_url(run, number, move |connection, version| {
            let list = list_of(connection, run, number)?;
            let links = || packed::links(&list).enumerate();
            let items = links_at(connection, run, number, links().skip(offset as usize).take(limit))?;
            Ok(Window { total: links().count() as u64, offset, version, items })
        })
        .await
    }

    /// Runs a job about a URL of a run, with how many URLs the run has. Everything the job reads is of one moment.
    pub(super) async fn with_url<T: Send + 'static>(
        self,
        run: i64,
        number: u32,
        job: impl FnOnce(&Connection, u64) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.read("cannot read a URL", move |connection| {
            let moment = connection.unchecked_transaction()?;
            catalog::find_head(&moment, run)?;
            let urls: u64 = one(&moment, "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1", [run])?;
            if number == 0 || u64::from(number) > urls {
                return Err(DatabaseError::NotFound(format!("run {run} has no URL number {number}")).into());
            }
            job(&moment, urls)
        })
        .await
    }
}

/// The documents that refer to a URL; `None` if the run has no stored audit.
pub(in crate::sqlite) fn sources_of(
    connection: &Connection,
    run: i64,
    number: u32,
) -> rusqlite::Result<Option<Vec<u32>>> {
    let sql = "SELECT coalesce(l.list, x'') FROM audits AS a
               LEFT JOIN inlink_lists AS l ON l.run = a.run AND l.target = ?2 WHERE a.run = ?1";
    let list: Option<Vec<u8>> = first(connection, sql, (run, number))?;
    Ok(list.map(|list| numbers::unpack(&list).collect()))
}

/// How a document links to a URL; `None` if it does not.
fn inlink(connection: &Connection, run: i64, source: u32, to: u32) -> rusqlite::Result<Option<InlinkRow>> {
    let list = list_of(connection, run, source)?;
    let places = || packed::links(&list).enumerate().filter(|(_, (target, _))| *target == to);
    let links = places().count() as u32;
    let link = links_at(connection, run, source, places().take(1))?.pop();
    Ok(link.map(|link| InlinkRow { link, links }))
}
