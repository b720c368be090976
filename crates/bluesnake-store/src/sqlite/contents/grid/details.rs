//! Everything that is stored about one URL.

use rusqlite::Connection;

use super::rows::{self, Cell, row_columns};
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, list, rows};
use crate::sqlite::contents::audit::findings_of;
use crate::sqlite::contents::{Column, Contents};

/// The most redirects that are followed.
const LONGEST_CHAIN: usize = 50;
/// The most copies that are listed.
const LARGEST_GROUP: usize = 100;

/// Everything about one URL.
#[derive(Clone, Debug)]
pub struct UrlDetails {
    /// How many URLs of the run are known.
    pub version: u64,
    /// Every column of [`super::row_columns`] with its value.
    pub row: Vec<(Column, Cell)>,
    /// The facts of a page: JSON, without defaults.
    pub facts: Option<String>,
    /// What custom extraction found: JSON.
    pub extracted: Option<String>,
    /// Response headers.
    pub headers: Vec<(String, String)>,
    /// Where it redirects to, step by step; the last step is the destination, or closes a loop.
    pub chain: Vec<Hop>,
    /// The first pages with exactly its bytes, without itself; at most 100.
    pub identical: Vec<Hop>,
    /// The first pages with its content, without itself; at most 100.
    pub duplicates: Vec<Hop>,
    /// The first pages of its group of near duplicates, without itself; at most 100.
    pub near_duplicates: Vec<Hop>,
    /// What the stored audit found: ids of checks, and details.
    pub issues: Vec<(String, Option<String>)>,
}

rows! {
    /// Another URL of the run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Hop {
        /// Its number.
        pub number: u32,
        /// The URL.
        pub url: String,
        /// HTTP status.
        pub status: Option<u16>,
    }
}

impl Contents<'_> {
    /// Everything about one URL of a run.
    pub async fn url_details(self, run: i64, number: u32) -> Result<UrlDetails, DatabaseError> {
        self.with_url(run, number, move |connection, version| {
            let columns = row_columns();
            let cells = rows::read(connection, run, [number].into_iter(), columns)?.pop().unwrap_or_default();
            let sql = "SELECT v.facts, v.extracted, coalesce(h.fields, '[]') FROM visits AS v
                       LEFT JOIN headers AS h ON h.run = v.run AND h.id = v.headers WHERE v.run = ?1 AND v.number = ?2";
            let stored: Option<(Option<String>, Option<String>, String)> = first(connection, sql, (run, number))?;
            let (facts, extracted, headers) = stored.unwrap_or_default();
            let group = |of: &str| same_group(connection, run, number, of);
            let has_audit = first::<i64>(connection, "SELECT id FROM audits WHERE run = ?1", [run])?.is_some();
            Ok(UrlDetails {
                version,
                row: columns.iter().copied().zip(cells).collect(),
                facts,
                extracted,
                headers: serde_json::from_str(&headers).unwrap_or_default(),
                chain: chain(connection, run, number)?,
                identical: group("visits.identical_to")?,
                duplicates: group("visits.duplicate_of")?,
                near_duplicates: if has_audit { group("figures.near_duplicate_of")? } else { Vec::new() },
                issues: if has_audit { findings_of(connection, run, number)? } else { Vec::new() },
            })
        })
        .await
    }
}

/// Where redirects lead from a URL, until one does not redirect or was passed before.
fn chain(connection: &Connection, run: i64, number: u32) -> rusqlite::Result<Vec<Hop>> {
    let sql = "SELECT u.number, u.url, t.status FROM visits AS v
               CROSS JOIN urls AS u ON u.run = v.run AND u.number = v.redirect_to
               LEFT JOIN visits AS t ON t.run = v.run AND t.number = v.redirect_to WHERE v.run = ?1 AND v.number = ?2";
    let (mut hops, mut passed): (Vec<Hop>, _) = (Vec::new(), vec![number]);
    while let Some(hop) = first::<Hop>(connection, sql, (run, passed.last()))? {
        let is_loop = passed.contains(&hop.number);
        passed.push(hop.number);
        hops.push(hop);
        if is_loop || hops.len() == LONGEST_CHAIN {
            break;
        }
    }
    Ok(hops)
}

/// The other URLs of a group, where `of` is a column that leads to the first of it.
fn same_group(connection: &Connection, run: i64, number: u32, of: &str) -> rusqlite::Result<Vec<Hop>> {
    let (table, _) = of.split_once('.').unwrap_or((of, ""));
    let sql = format!(
        "WITH first (number) AS (
             SELECT coalesce((SELECT {of} FROM {table} WHERE run = ?1 AND number = ?2), ?2)
         ), same (number) AS (
             SELECT number FROM first
             UNION SELECT number FROM (SELECT number FROM {table} WHERE run = ?1 AND {of} = (SELECT number FROM first)
                                       ORDER BY number LIMIT {LARGEST_GROUP} + 1)
         )
         SELECT u.number, u.url, v.status FROM same AS s
         CROSS JOIN urls AS u ON u.run = ?1 AND u.number = s.number
         LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
         WHERE s.number <> ?2 ORDER BY u.number LIMIT {LARGEST_GROUP}"
    );
    list(connection, &sql, (run, number))
}
