//! What an audit reads of a run: streams of rows in number order, all from one moment, on one connection.

use bluesnake_engine::link::{PathType, Position, Rel};
use bluesnake_engine::rows::{AnchorRow, PageFacts, StateRow, VisitRow};
use bluesnake_engine::{LinkKind, Source, Task};
use hashbrown::HashSet;
use rusqlite::{Connection, Row};

use crate::error::DatabaseError;
use crate::sqlite::columns::{Columns, list, one};
use crate::sqlite::contents::Contents;
use crate::sqlite::contents::names::{Reasons, Words};
use crate::sqlite::contents::walk::{Ordered, urls_with_visits};
use crate::sqlite::{Database, catalog, packed};

/// The columns of a [`StateRow`] from `urls`.
const URLS: &str = "SELECT number, url, source, kind, task, is_internal, parent IS NULL AND is_from_seed, disposition,
    reason FROM urls WHERE run = ?1 ORDER BY number";
/// The columns of a [`StateRow`] from `visits`.
const STATES: &str = "number, attempts, status, redirect_to, indexable, indexable_reason, is_nofollow,
    facts IS NOT NULL, identical_to, headers,
    iif(identical_to IS NULL, NULL, canonical)";
/// The columns of a [`VisitRow`] and its [`PageFacts`].
const FACTS: &str = "content_type, headers, wire_bytes, body_bytes, cut, note, error, detail, robots_report,
    first_byte_us, raw_hash, identical_to, sniffed, extracted, facts, title, description, h1, h2, lang,
    word_count, main_words, signature";

/// The rows of a run, as of one moment.
#[derive(Debug)]
pub struct AuditRows<'a> {
    /// How many URLs it has seen; their numbers are 1 to this.
    pub urls: u32,
    database: &'a Database,
    connection: &'a Connection,
    run: i64,
    /// Documents whose links are deferred.
    deferred: HashSet<u32>,
    /// Whether the run skips the links of pages that are identical to others.
    skips_copies: bool,
}

/// The links of a document: numbers of their targets and ids of their anchors, in document order.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkList<'a>(&'a [u8]);

impl<'a> LinkList<'a> {
    /// The links.
    pub fn iter(self) -> impl Iterator<Item = (u32, u32)> + 'a {
        packed::links(self.0)
    }
}

impl Contents<'_> {
    /// Reads a run for its audit, on this thread. Everything that `job` reads is of one moment.
    pub fn for_audit<T>(
        self,
        run: i64,
        job: impl FnOnce(&AuditRows<'_>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.read_here("cannot read the run for its audit", |connection| {
            let moment = connection.transaction()?;
            catalog::find_run(&moment, run)?;
            let skips_copies =
                "SELECT coalesce(json_extract(plan, '$.parse.skip_identical'), 1) FROM runs WHERE id = ?1";
            let skips_copies = one(&moment, skips_copies, [run])?;
            let urls = one(&moment, "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1", [run])?;
            let deferred: Vec<u32> = list(&moment, "SELECT number FROM deferred WHERE run = ?1", [run])?;
            let deferred: HashSet<u32> = deferred.into_iter().collect();
            let rows = AuditRows { urls, database: self.0, connection: &moment, run, deferred, skips_copies };
            Ok(job(&rows)?)
        })
    }
}

impl AuditRows<'_> {
    /// Every set of response headers: its id, and JSON, a list of names and values.
    pub fn headers(&self, mut each: impl FnMut(u32, &str)) -> Result<(), DatabaseError> {
        self.scan("SELECT id, fields FROM headers WHERE run = ?1 ORDER BY id", |columns| {
            each(columns.read()?, columns.text()?);
            Ok(())
        })
    }

    /// Every anchor, in the order of their ids.
    pub fn anchors(&self, mut each: impl FnMut(u32, AnchorRow<'_>)) -> Result<(), DatabaseError> {
        let sql = "SELECT a.id, p.kind, p.rel, p.position, p.path_type, a.text FROM anchors AS a
                   CROSS JOIN places AS p ON p.run = a.run AND p.id = a.place WHERE a.run = ?1 ORDER BY a.id";
        let (mut positions, mut path_types) = (Words::new(Position::from_word), Words::new(PathType::from_word));
        self.scan(sql, |columns| {
            let (id, kind, rel) = columns.read()?;
            let kind = self.database.kind_of_code(kind).ok_or_else(|| columns.unreadable("an unknown kind of link"))?;
            let (position, path_type) = (positions.read(columns)?, path_types.read(columns)?);
            let text = columns.text()?;
            each(id, AnchorRow { kind, rel: Rel::from_bits(rel), position, path_type, text });
            Ok(())
        })
    }

    /// The state of every URL.
    pub fn states(&self, mut each: impl FnMut(&StateRow<'_>)) -> Result<(), DatabaseError> {
        let visits = format!("SELECT {STATES} FROM visits WHERE run = ?1 ORDER BY number");
        let mut names = Names::new();
        let read = urls_with_visits(self.connection, self.run, (URLS, &visits), |_, url, visit| {
            let mut visit = visit.map(Columns::of);
            each(&self.state(&mut names, url, visit.as_mut())?);
            Ok(())
        });
        self.told(read)
    }

    /// The links of every document that has some.
    pub fn links(&self, mut each: impl FnMut(u32, LinkList<'_>)) -> Result<(), DatabaseError> {
        self.scan("SELECT source, list FROM link_lists WHERE run = ?1 ORDER BY source", |columns| {
            each(columns.read()?, LinkList(columns.optional_bytes()?.unwrap_or_default()));
            Ok(())
        })
    }

    /// Every URL with its state, its visit if it had one, and its links.
    pub fn urls(
        &self,
        mut each: impl FnMut(&StateRow<'_>, Option<&VisitRow<'_>>, LinkList<'_>),
    ) -> Result<(), DatabaseError> {
        let visits = format!("SELECT {STATES}, {FACTS} FROM visits WHERE run = ?1 ORDER BY number");
        let mut names = Names::new();
        let mut read = || {
            let lists = "SELECT source, list FROM link_lists WHERE run = ?1 ORDER BY source";
            let mut lists = self.connection.prepare_cached(lists)?;
            let mut lists = Ordered::new(lists.query([self.run])?)?;
            urls_with_visits(self.connection, self.run, (URLS, &visits), |number, url, visit| {
                let mut columns = visit.map(Columns::of);
                let state = self.state(&mut names, url, columns.as_mut())?;
                let visit = columns.as_mut().map(visit_row).transpose()?;
                let list = lists.at(number)?.map(|row| row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from));
                each(&state, visit.as_ref(), LinkList(list.transpose()?.unwrap_or_default()));
                Ok(())
            })
        };
        self.told(read())
    }

    fn state<'r>(
        &self,
        names: &mut Names,
        url: &'r Row<'r>,
        visit: Option<&mut Columns<'r>>,
    ) -> rusqlite::Result<StateRow<'r>> {
        let mut columns = Columns::of(url);
        let mut state = StateRow {
            number: columns.read()?,
            url: columns.text()?,
            source: names.sources.read(&mut columns)?,
            kind: names.kinds.read(&mut columns)?,
            task: names.tasks.read(&mut columns)?,
            is_internal: columns.read()?,
            is_seed: columns.read()?,
            reason: names.reasons.read(&mut columns)?,
            attempts: 0,
            status: None,
            redirect_to: None,
            is_indexable: None,
            indexable_reason: None,
            is_nofollow: false,
            is_page: false,
            has_links: false,
            headers: None,
            canonical: None,
        };
        let Some(columns) = visit else { return Ok(state) };
        let _number: u32 = columns.read()?;
        state.attempts = columns.read()?;
        state.status = columns.read()?;
        state.redirect_to = columns.read()?;
        state.is_indexable = match columns.text()? {
            "Yes" => Some(true),
            "No" => Some(false),
            _ => None,
        };
        state.indexable_reason = columns.optional_text()?;
        state.is_nofollow = columns.read()?;
        state.is_page = columns.read()?;
        let identical_to: Option<u32> = columns.read()?;
        let has_own_links = identical_to.is_none() || !self.skips_copies;
        state.has_links = state.is_page && has_own_links && !self.deferred.contains(&state.number);
        state.headers = columns.read()?;
        state.canonical = columns.optional_text()?.filter(|_| !state.has_links);
        Ok(state)
    }

    /// Reads the rows of a query; `?1` is the run.
    fn scan(
        &self,
        sql: &str,
        mut each: impl FnMut(&mut Columns<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), DatabaseError> {
        let mut read = || {
            let mut select = self.connection.prepare_cached(sql)?;
            let mut rows = select.query([self.run])?;
            while let Some(row) = rows.next()? {
                each(&mut Columns::of(row))?;
            }
            Ok(())
        };
        self.told(read())
    }

    fn told(&self, read: rusqlite::Result<()>) -> Result<(), DatabaseError> {
        let what = "cannot read the run for its audit";
        read.map_err(|error| DatabaseError::of(self.database.path(), what, error))
    }
}

fn visit_row<'r>(columns: &mut Columns<'r>) -> rusqlite::Result<VisitRow<'r>> {
    let mut visit = VisitRow {
        content_type: columns.optional_text()?,
        headers: columns.read()?,
        wire_bytes: columns.read()?,
        body_bytes: columns.read()?,
        cut: columns.optional_text()?,
        note: columns.optional_text()?,
        error: columns.optional_text()?,
        detail: columns.optional_text()?,
        robots_report: columns.optional_text()?,
        first_byte_us: columns.read()?,
        raw_hash: columns.read()?,
        identical_to: columns.read()?,
        sniffed: columns.optional_text()?,
        extracted: columns.optional_text()?,
        page: None,
    };
    if let Some(facts) = columns.optional_text()? {
        visit.page = Some(PageFacts {
            facts,
            title: columns.optional_text()?,
            description: columns.optional_text()?,
            h1: columns.optional_text()?,
            h2: columns.optional_text()?,
            lang: columns.optional_text()?,
            word_count: columns.read::<Option<u32>>()?.unwrap_or(0),
            main_words: columns.read()?,
            signature: columns.optional_bytes()?,
        });
    }
    Ok(visit)
}

/// The names in the columns of a URL.
struct Names {
    sources: Words<Source>,
    kinds: Words<LinkKind>,
    tasks: Words<Task>,
    reasons: Reasons,
}

impl Names {
    fn new() -> Self {
        Self {
            sources: Words::new(Source::from_word),
            kinds: Words::new(LinkKind::from_word),
            tasks: Words::new(Task::from_word),
            reasons: Reasons::default(),
        }
    }
}
