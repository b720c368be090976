//! The simplest database that could hold a crawl: a lower bound for the real store, not a store.
//!
//! One thread writes, 200 pages per transaction; each URL and each text is stored once and a link is a row of integers.
//! Nothing is read back, ordered or resumable. Start with [`BareStore::open`].

use std::collections::HashMap;
use std::path::Path;
use std::thread::{self, JoinHandle};

use anyhow::{Context, ensure};
use bluesnake_engine::parse::facts;
use bluesnake_engine::{CanonicalUrl, Link, UrlKey};
use rusqlite::{CachedStatement, Connection, Transaction, params};
use tokio::sync::mpsc;

const PAGES_PER_TRANSACTION: usize = 200;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -16384;
    CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL) STRICT;
    CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE TABLE pages (
        url INTEGER PRIMARY KEY, status INTEGER NOT NULL, content_type TEXT NOT NULL, body_bytes INTEGER NOT NULL,
        title TEXT, description TEXT, h1 TEXT, lang TEXT, word_count INTEGER, element_count INTEGER
    ) STRICT;
    CREATE TABLE links (
        source INTEGER NOT NULL, ordinal INTEGER NOT NULL, target INTEGER NOT NULL, kind INTEGER NOT NULL,
        rel INTEGER NOT NULL, position INTEGER NOT NULL, text INTEGER NOT NULL, context INTEGER NOT NULL,
        dom_path INTEGER NOT NULL, PRIMARY KEY (source, ordinal)
    ) STRICT, WITHOUT ROWID;";

/// The result of requesting one URL.
#[derive(Debug)]
pub(crate) struct ResponseFacts {
    pub(crate) url: CanonicalUrl,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body_bytes: usize,
    pub(crate) facts: Option<Box<facts::Page>>,
    pub(crate) links: Vec<Link>,
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct BareStore {
    pub(crate) pages: mpsc::Sender<ResponseFacts>,
    writer: JoinHandle<anyhow::Result<()>>,
}

impl BareStore {
    /// Creates a new database.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        ensure!(!path.exists(), "{} already exists", path.display());
        let database = Connection::open(path).with_context(|| format!("cannot create {}", path.display()))?;
        database.execute_batch(SCHEMA)?;
        // Holds two transactions: the crawl waits for a slow disk, not the disk for the crawl.
        let (pages, waiting) = mpsc::channel(2 * PAGES_PER_TRANSACTION);
        let writer = thread::spawn(move || write(database, waiting));
        Ok(Self { pages, writer })
    }

    /// Waits until everything is in the database file.
    pub(crate) fn close(self) -> anyhow::Result<()> {
        drop(self.pages);
        self.writer.join().expect("the writer does not panic")
    }
}

fn write(mut database: Connection, mut waiting: mpsc::Receiver<ResponseFacts>) -> anyhow::Result<()> {
    let mut interned = Interned::default();
    let mut batch = Vec::with_capacity(PAGES_PER_TRANSACTION);
    while let Some(page) = waiting.blocking_recv() {
        batch.push(page);
        if batch.len() == PAGES_PER_TRANSACTION {
            write_batch(&mut database, &mut interned, &mut batch)?;
        }
    }
    write_batch(&mut database, &mut interned, &mut batch)?;
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

/// The ids of what is already in the database.
#[derive(Default)]
struct Interned {
    urls: HashMap<UrlKey, i64>,
    texts: HashMap<Box<str>, i64>,
}

fn write_batch(
    database: &mut Connection,
    interned: &mut Interned,
    batch: &mut Vec<ResponseFacts>,
) -> anyhow::Result<()> {
    let transaction = database.transaction()?;
    let mut tables = Tables::of(&transaction, interned)?;
    batch.drain(..).try_for_each(|page| tables.add(&page))?;
    drop(tables);
    Ok(transaction.commit()?)
}

struct Tables<'a> {
    interned: &'a mut Interned,
    urls: CachedStatement<'a>,
    texts: CachedStatement<'a>,
    pages: CachedStatement<'a>,
    links: CachedStatement<'a>,
}

impl<'a> Tables<'a> {
    fn of(transaction: &'a Transaction<'_>, interned: &'a mut Interned) -> rusqlite::Result<Self> {
        Ok(Self {
            interned,
            urls: transaction.prepare_cached("INSERT INTO urls VALUES (?, ?)")?,
            texts: transaction.prepare_cached("INSERT INTO texts VALUES (?, ?)")?,
            pages: transaction.prepare_cached("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?,
            links: transaction.prepare_cached("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?,
        })
    }

    fn add(&mut self, page: &ResponseFacts) -> anyhow::Result<()> {
        let source = self.url(&page.url)?;
        let facts = page.facts.as_deref();
        self.pages.execute(params![
            source,
            page.status,
            page.content_type,
            page.body_bytes as i64,
            facts.and_then(|facts| facts.title.as_deref()),
            facts.and_then(|facts| facts.description.as_deref()),
            facts.and_then(|facts| facts.headings.iter().find(|heading| heading.level == 1)).map(|h1| &*h1.text),
            facts.and_then(|facts| facts.lang.as_deref()),
            facts.map(|facts| facts.word_count as i64),
            facts.map(|facts| facts.element_count as i64),
        ])?;
        for (ordinal, link) in (0_i64..).zip(&page.links) {
            let target = self.url(&link.target)?;
            let (text, context) = (self.text(&link.text)?, self.text(&link.context)?);
            let dom_path = self.text(&link.dom_path)?;
            let (kind, rel, position) = (link.kind as u8, link.rel.bits(), link.position as u8);
            self.links.execute(params![source, ordinal, target, kind, rel, position, text, context, dom_path])?;
        }
        Ok(())
    }

    fn url(&mut self, url: &CanonicalUrl) -> anyhow::Result<i64> {
        if let Some(id) = self.interned.urls.get(&url.key()) {
            return Ok(*id);
        }
        let id = self.interned.urls.len() as i64 + 1;
        self.urls.execute(params![id, url.as_str()])?;
        self.interned.urls.insert(url.key(), id);
        Ok(id)
    }

    fn text(&mut self, text: &str) -> anyhow::Result<i64> {
        if let Some(id) = self.interned.texts.get(text) {
            return Ok(*id);
        }
        let id = self.interned.texts.len() as i64 + 1;
        self.texts.execute(params![id, text])?;
        self.interned.texts.insert(text.into(), id);
        Ok(id)
    }
}
