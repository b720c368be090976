//! What a comparison of two runs reads: the identities of URLs, and of each URL everything that can differ.
//!
//! All of it is of one moment and on one connection, see [`Contents::for_comparison`]. No index leads from a
//! fingerprint to a URL: identities are sorted in memory, in sixteen bytes each.

use std::borrow::Cow;

use bluesnake_engine::{CanonicalUrl, Reason, UrlKey};
use hashbrown::HashMap;
use rusqlite::{CachedStatement, Connection, Row};
use serde::Deserialize;

use super::Contents;
use super::audit::numbers;
use super::grid::sources_of;
use super::names::Reasons;
use super::walk::urls_with_visits;
use crate::error::DatabaseError;
use crate::sqlite::Failure;
use crate::sqlite::columns::{Columns, first, list, one};

const URLS: &str = "SELECT number, url, parent, depth, disposition, reason FROM urls WHERE run = ?1";
const VISITS: &str = "SELECT number, status, (SELECT url FROM urls WHERE run = ?1 AND number = redirect_to), title,
        description, h1, canonical, indexable, indexable_reason, content_hash, word_count, headers,
        cut IS NOT NULL OR links_cut > 0, facts
    FROM visits WHERE run = ?1";
const WHAT: &str = "cannot compare the runs";
/// The header that has the meaning of a robots meta.
const ROBOTS_HEADER: &str = "x-robots-tag";

/// A URL of a run by the fingerprint that all its spellings share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UrlIdentity {
    /// 64 bits of the fingerprint. In the rare case that two URLs share them, [`ComparedRuns::key_of`] tells them apart.
    pub hash: i64,
    /// Its number.
    pub number: u32,
}

/// What two runs can differ in, of one URL.
#[derive(Clone, Copy, Debug)]
pub struct ComparedUrl<'a> {
    /// Its number.
    pub number: u32,
    /// The URL as this run spells it.
    pub url: &'a str,
    /// The number of the URL that led to it.
    pub parent: Option<u32>,
    /// Distance from a seed in links.
    pub depth: Option<u32>,
    /// Where it ended up, and why.
    pub reason: Reason,
    /// HTTP status.
    pub status: Option<u16>,
    /// Where it redirects to.
    pub redirect: Option<&'a str>,
    /// The first title.
    pub title: Option<&'a str>,
    /// The first meta description.
    pub description: Option<&'a str>,
    /// The first h1.
    pub h1: Option<&'a str>,
    /// The effective canonical URL.
    pub canonical: Option<&'a str>,
    /// Whether it is indexable: `Yes` or `No`; `None` if it is not a page.
    pub indexable: Option<&'a str>,
    /// Why not.
    pub indexable_reason: Option<&'a str>,
    /// Fingerprint of its content.
    pub content_hash: Option<&'a str>,
    /// Words of its visible text.
    pub word_count: Option<u32>,
    /// Whether a limit cut its body or its links.
    pub is_cut: bool,
    /// What it says about itself: JSON.
    facts: Option<&'a str>,
    /// The values of X-Robots-Tag.
    robots_header: Option<&'a str>,
}

impl ComparedUrl<'_> {
    /// A URL without a visit.
    const NOTHING: Self = Self {
        number: 0,
        url: "",
        parent: None,
        depth: None,
        reason: Reason::Queued,
        status: None,
        redirect: None,
        title: None,
        description: None,
        h1: None,
        canonical: None,
        indexable: None,
        indexable_reason: None,
        content_hash: None,
        word_count: None,
        is_cut: false,
        facts: None,
        robots_header: None,
    };
}

impl ComparedUrl<'_> {
    /// The directives for robots in metas and headers, in a fixed order; nothing if there are none.
    pub fn robots(&self) -> String {
        let told = self.facts.filter(|facts| facts.contains("directives\":"));
        let told: Told<'_> = told.and_then(|facts| serde_json::from_str(facts).ok()).unwrap_or_default();
        let mut parts = Vec::new();
        parts.extend(Some(told.directives.join(", ")).filter(|words| !words.is_empty()));
        parts.extend(told.bot_directives.iter().map(|(bot, words)| format!("{bot}: {}", words.join(", "))));
        parts.extend(self.robots_header.map(|header| format!("X-Robots-Tag: {header}")));
        parts.join("; ")
    }

    /// Whether the directives are those of another URL. Cheaper than comparing texts.
    pub fn has_robots_of(&self, other: &Self) -> bool {
        let says_nothing =
            |url: &Self| url.robots_header.is_none() && !url.facts.is_some_and(|facts| facts.contains("directives\":"));
        (says_nothing(self) && says_nothing(other)) || self.robots() == other.robots()
    }
}

/// The directives among the facts of a page.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told<'a> {
    #[serde(borrow)]
    directives: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    bot_directives: Vec<(Cow<'a, str>, Vec<Cow<'a, str>>)>,
}

/// Two runs, as of one moment.
pub struct ComparedRuns<'a> {
    contents: Contents<'a>,
    connection: &'a Connection,
}

impl std::fmt::Debug for ComparedRuns<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComparedRuns").finish_non_exhaustive()
    }
}

/// Reads URLs of a run by number.
pub struct UrlReader<'a> {
    runs: &'a ComparedRuns<'a>,
    run: i64,
    urls: CachedStatement<'a>,
    visits: CachedStatement<'a>,
    reasons: Reasons,
    robots: &'a RobotsHeaders,
}

impl std::fmt::Debug for UrlReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UrlReader").field("run", &self.run).finish_non_exhaustive()
    }
}

impl Contents<'_> {
    /// The numbers of URLs that contain a text, in any case, ascending. Reads all of them, in limited time.
    pub async fn urls_with_text(self, run: i64, text: String) -> Result<Vec<u32>, DatabaseError> {
        self.read_in_time("cannot search the URLs of a run", move |connection| {
            let sql = "SELECT number FROM urls WHERE run = ?1 AND contains_text(url, ?2) ORDER BY number";
            Ok(list(connection, sql, (run, text))?)
        })
        .await
    }

    /// Reads runs to compare them, on this thread. Everything that `job` reads is of one moment.
    pub fn for_comparison<T>(
        self,
        job: impl FnOnce(&ComparedRuns<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.read_here(WHAT, |connection| {
            let moment = connection.transaction()?;
            Ok(job(&ComparedRuns { contents: self, connection: &moment })?)
        })
    }
}

impl ComparedRuns<'_> {
    /// Every URL of a run, ordered by fingerprint.
    pub fn identities(&self, run: i64) -> Result<Vec<UrlIdentity>, DatabaseError> {
        self.reported(|| {
            let last: Option<usize> = one(self.connection, "SELECT max(number) FROM urls WHERE run = ?1", [run])?;
            let mut all = Vec::with_capacity(last.unwrap_or(0));
            let mut select = self.connection.prepare_cached("SELECT hash, number FROM urls WHERE run = ?1")?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                all.push(UrlIdentity { hash: row.get(0)?, number: row.get(1)? });
            }
            all.sort_unstable();
            Ok(all)
        })
    }

    /// The whole fingerprint of a URL.
    pub fn key_of(&self, run: i64, number: u32) -> Result<UrlKey, DatabaseError> {
        self.reported(|| {
            let sql = "SELECT url FROM urls WHERE run = ?1 AND number = ?2";
            Ok(one::<CanonicalUrl>(self.connection, sql, (run, number))?.key())
        })
    }

    /// What the response headers of a run say to robots.
    pub fn robots_headers(&self, run: i64) -> Result<RobotsHeaders, DatabaseError> {
        self.reported(|| Ok(RobotsHeaders::read(self.connection, run)?))
    }

    /// Reads every URL of a run, in number order.
    pub fn scan(
        &self,
        run: i64,
        robots: &RobotsHeaders,
        mut each: impl FnMut(&ComparedUrl<'_>) -> Result<(), DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let ordered = [URLS, VISITS].map(|sql| format!("{sql} ORDER BY number"));
        let mut reasons = Reasons::default();
        let mut ended = Ok(());
        self.reported(|| {
            let queries = (ordered[0].as_str(), ordered[1].as_str());
            Ok(urls_with_visits(self.connection, run, queries, |_, url, visit| {
                if ended.is_ok() {
                    ended = each(&compared(url, visit, &mut reasons, robots)?);
                }
                Ok(())
            })?)
        })?;
        ended
    }

    /// Reads URLs of a run by number.
    pub fn reader<'a>(&'a self, run: i64, robots: &'a RobotsHeaders) -> Result<UrlReader<'a>, DatabaseError> {
        self.reported(|| {
            let prepare = |sql: &str| self.connection.prepare_cached(&format!("{sql} AND number = ?2"));
            let (urls, visits) = (prepare(URLS)?, prepare(VISITS)?);
            Ok(UrlReader { runs: self, run, urls, visits, reasons: Reasons::default(), robots })
        })
    }

    /// How many links lead to each URL, by number from 1; `None` if the run has no stored audit.
    pub fn inlinks(&self, run: i64) -> Result<Option<Vec<u32>>, DatabaseError> {
        self.reported(|| {
            let sql = "SELECT c.bytes FROM audits AS a JOIN run_columns AS c ON c.run = a.run
                       WHERE a.run = ?1 AND c.name = 'inlinks'";
            let bytes: Option<Vec<u8>> = first(self.connection, sql, [run])?;
            let number = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
            Ok(bytes.map(|bytes| bytes.as_chunks().0.iter().map(number).collect()))
        })
    }

    /// The id of the stored audit of a run; `None` if it has none.
    pub fn audit(&self, run: i64) -> Result<Option<i64>, DatabaseError> {
        self.reported(|| Ok(first(self.connection, "SELECT id FROM audits WHERE run = ?1", [run])?))
    }

    /// The numbers of the documents that link to a URL; none if they are not stored.
    pub fn sources(&self, run: i64, number: u32) -> Result<Vec<u32>, DatabaseError> {
        self.reported(|| Ok(sources_of(self.connection, run, number)?.unwrap_or_default()))
    }

    /// The numbers of the URLs on which a check of the stored audit found something, ascending.
    pub fn found(&self, run: i64, check: &str) -> Result<Vec<u32>, DatabaseError> {
        self.reported(|| {
            let sql = "SELECT numbers FROM issue_counts WHERE run = ?1 AND check_id = ?2";
            let packed: Option<Vec<u8>> = first(self.connection, sql, (run, check))?;
            Ok(numbers::unpack(&packed.unwrap_or_default()).collect())
        })
    }

    fn reported<T>(&self, job: impl FnOnce() -> Result<T, Failure>) -> Result<T, DatabaseError> {
        job().map_err(|failure| failure.reported(self.contents.path(), WHAT))
    }
}

impl UrlReader<'_> {
    /// Reads one URL; `None` if the run does not have this number.
    pub fn read<T>(
        &mut self,
        number: u32,
        job: impl FnOnce(&ComparedUrl<'_>) -> T,
    ) -> Result<Option<T>, DatabaseError> {
        let Self { runs, run, urls, visits, reasons, robots } = self;
        runs.reported(|| {
            let (mut urls, mut visits) = (urls.query((*run, number))?, visits.query((*run, number))?);
            let Some(url) = urls.next()? else { return Ok(None) };
            Ok(Some(job(&compared(url, visits.next()?, reasons, robots)?)))
        })
    }
}

/// The X-Robots-Tags of a run, by set of headers. Sets can be many, different values are few.
#[derive(Debug, Default)]
pub struct RobotsHeaders {
    values: Vec<String>,
    by_set: HashMap<u32, u32>,
}

impl RobotsHeaders {
    fn read(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        let (mut values, mut by_set) = (Vec::new(), HashMap::new());
        let mut indexes: HashMap<String, u32> = HashMap::new();
        let sql = "SELECT id, fields FROM headers WHERE run = ?1 AND instr(fields, '\"x-robots-tag\"') > 0";
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query([run])?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let id: u32 = columns.read()?;
            let fields: Vec<(Cow<'_, str>, Cow<'_, str>)> = columns.json()?;
            let said = fields.iter().filter(|(name, _)| name == ROBOTS_HEADER).map(|(_, value)| value.as_ref());
            let index = *indexes.entry(said.collect::<Vec<_>>().join(", ")).or_insert_with_key(|said| {
                values.push(said.clone());
                values.len() as u32 - 1
            });
            by_set.insert(id, index);
        }
        Ok(Self { values, by_set })
    }

    fn of(&self, set: u32) -> Option<&str> {
        self.by_set.get(&set).map(|index| self.values[*index as usize].as_str())
    }
}

fn compared<'a>(
    url: &'a Row<'_>,
    visit: Option<&'a Row<'_>>,
    reasons: &mut Reasons,
    robots: &'a RobotsHeaders,
) -> rusqlite::Result<ComparedUrl<'a>> {
    let mut columns = Columns::of(url);
    let found = ComparedUrl {
        number: columns.read()?,
        url: columns.text()?,
        parent: columns.read()?,
        depth: columns.read()?,
        reason: reasons.read(&mut columns)?,
        ..ComparedUrl::NOTHING
    };
    let Some(visit) = visit else { return Ok(found) };
    let mut columns = Columns::of(visit);
    let _number: u32 = columns.read()?;
    Ok(ComparedUrl {
        status: columns.read()?,
        redirect: columns.optional_text()?,
        title: columns.optional_text()?,
        description: columns.optional_text()?,
        h1: columns.optional_text()?,
        canonical: columns.optional_text()?,
        indexable: columns.optional_text()?.filter(|indexable| *indexable != "-"),
        indexable_reason: columns.optional_text()?,
        content_hash: columns.optional_text()?,
        word_count: columns.read()?,
        robots_header: columns.read::<Option<u32>>()?.and_then(|headers| robots.of(headers)),
        is_cut: columns.read()?,
        facts: columns.optional_text()?,
        ..found
    })
}
