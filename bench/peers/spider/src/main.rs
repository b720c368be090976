//! The spider crate doing the product's job: every link and resource of a site, pages and links into SQLite.
//!
//! With `bare` it is as lean as possible: it follows the links of pages, stores nothing and returns nothing.
//! Pages go through its channel to one thread that writes 200 per transaction, each URL once, a link as two integers.
//! With `whole` it stores what the product stores: spider returns each target once per page and not its position, so
//! every page is parsed again for all its references with their text, rel, position and DOM path.
//! Arguments: the start URL, the number of concurrent requests, and `bare`, or `links` or `whole` with a database file.

mod whole;

use std::collections::HashMap;
use std::env;
use std::thread;

use whole::Reference;

use rusqlite::{Connection, params};
use serde_json::json;
use spider::page::Page;
use spider::tokio::sync::broadcast::{Receiver, error::RecvError};
use spider::website::Website;

const PAGES_PER_TRANSACTION: usize = 200;
/// More than the number of URLs of the site: a full channel drops pages.
const PAGES_WAITING: usize = 32_768;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -16384;
    CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL) STRICT;
    CREATE TABLE pages (url INTEGER, status INTEGER NOT NULL, body_bytes INTEGER NOT NULL, title TEXT, description TEXT) STRICT;
    CREATE TABLE links (
        source INTEGER NOT NULL, ordinal INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE places (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, rel TEXT NOT NULL, position TEXT NOT NULL, dom_path TEXT NOT NULL) STRICT;
    CREATE TABLE anchors (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, words TEXT NOT NULL) STRICT;
    CREATE TABLE whole_links (
        source INTEGER NOT NULL, ordinal INTEGER NOT NULL, target INTEGER NOT NULL, anchor INTEGER NOT NULL,
        PRIMARY KEY (source, ordinal)
    ) STRICT, WITHOUT ROWID;";

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    let usage = "usage: spider-peer URL PARALLELISM bare|links|whole [DATABASE]";
    let [_, url, parallelism, what, database @ ..] = &arguments[..] else { panic!("{usage}") };
    let parallelism = parallelism.parse().expect(usage);
    let mut website = Website::new(url);
    website
        .with_respect_robots_txt(false)
        .with_delay(0)
        .with_concurrency_limit(Some(parallelism))
        // The site's certificate is self-signed.
        .with_danger_accept_invalid_certs(true);
    if what == "bare" {
        website.crawl().await;
        println!("{}", json!({ "visits": website.get_links().len() }));
        return;
    }
    website.with_full_resources(true).with_return_page_links(true);
    let is_whole = what == "whole";
    let database = Connection::open(database.first().expect(usage)).expect("the database can be made");
    let pages = website.subscribe(PAGES_WAITING);
    let writer = thread::spawn(move || write(database, pages, is_whole));

    website.crawl().await;
    website.unsubscribe();
    // The channel ends with its last sender, and the website holds one.
    drop(website);
    let written = writer.join().expect("the writer does not panic").expect("everything can be written");
    println!("{}", json!({ "pages": written.pages, "visits": written.visits, "links": written.links }));
}

#[derive(Default)]
struct Written {
    ids: HashMap<String, i64>,
    places: HashMap<[String; 4], i64>,
    anchors: HashMap<(i64, String), i64>,
    pages: u64,
    visits: u64,
    links: u64,
}

fn write(mut database: Connection, mut pages: Receiver<Page>, is_whole: bool) -> rusqlite::Result<Written> {
    database.execute_batch(SCHEMA)?;
    let mut written = Written::default();
    let mut batch = Vec::with_capacity(PAGES_PER_TRANSACTION);
    loop {
        match pages.blocking_recv() {
            Ok(page) => batch.push(page),
            Err(RecvError::Lagged(lost)) => panic!("{lost} pages were lost, the channel is too short"),
            Err(RecvError::Closed) => break,
        }
        if batch.len() == PAGES_PER_TRANSACTION {
            written.add(&mut database, &mut batch, is_whole)?;
        }
    }
    written.add(&mut database, &mut batch, is_whole)?;
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(written)
}

impl Written {
    fn add(&mut self, database: &mut Connection, batch: &mut Vec<Page>, is_whole: bool) -> rusqlite::Result<()> {
        let transaction = database.transaction()?;
        if is_whole {
            for (page, references) in whole::read_all(batch) {
                let source = self.add_page(&transaction, &page)?;
                self.add_references(&transaction, source, references)?;
            }
        } else {
            for page in batch.drain(..) {
                let source = self.add_page(&transaction, &page)?;
                self.add_links(&transaction, source, &page)?;
            }
        }
        transaction.commit()
    }

    fn add_page(&mut self, database: &Connection, page: &Page) -> rusqlite::Result<i64> {
        let source = self.id(database, page.get_url())?;
        let (status, bytes) = (page.status_code.as_u16(), page.get_html_bytes_u8().len() as i64);
        let title = page.metadata.as_ref().and_then(|metadata| metadata.title.as_deref());
        let description = page.metadata.as_ref().and_then(|metadata| metadata.description.as_deref());
        let mut pages = database.prepare_cached("INSERT INTO pages VALUES (?, ?, ?, ?, ?)")?;
        pages.execute(params![source, status, bytes, title, description])?;
        self.visits += 1;
        self.pages += u64::from(status == 200 && title.is_some());
        Ok(source)
    }

    fn add_links(&mut self, database: &Connection, source: i64, page: &Page) -> rusqlite::Result<()> {
        let mut links = database.prepare_cached("INSERT OR IGNORE INTO links VALUES (?, ?, ?)")?;
        for (ordinal, link) in (0_i64..).zip(page.page_links.iter().flat_map(|links| links.iter())) {
            let target = self.id(database, link.inner())?;
            links.execute(params![source, ordinal, target])?;
            self.links += 1;
        }
        Ok(())
    }

    fn add_references(&mut self, database: &Connection, source: i64, references: Vec<Reference>) -> rusqlite::Result<()> {
        let mut links = database.prepare_cached("INSERT OR IGNORE INTO whole_links VALUES (?, ?, ?, ?)")?;
        for (ordinal, Reference { target, words, place }) in (0_i64..).zip(references) {
            let target = self.id(database, &target)?;
            let place = self.place(database, place)?;
            let anchor = self.anchor(database, place, words)?;
            links.execute(params![source, ordinal, target, anchor])?;
            self.links += 1;
        }
        Ok(())
    }

    fn id(&mut self, database: &Connection, url: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.ids.get(url) {
            return Ok(*id);
        }
        let id = self.ids.len() as i64 + 1;
        database.prepare_cached("INSERT INTO urls VALUES (?, ?)")?.execute(params![id, url])?;
        self.ids.insert(url.to_owned(), id);
        Ok(id)
    }

    fn place(&mut self, database: &Connection, place: [String; 4]) -> rusqlite::Result<i64> {
        if let Some(id) = self.places.get(&place) {
            return Ok(*id);
        }
        let id = self.places.len() as i64 + 1;
        let [kind, rel, position, dom_path] = &place;
        let mut insert = database.prepare_cached("INSERT INTO places VALUES (?, ?, ?, ?, ?)")?;
        insert.execute(params![id, kind, rel, position, dom_path])?;
        self.places.insert(place, id);
        Ok(id)
    }

    fn anchor(&mut self, database: &Connection, place: i64, words: String) -> rusqlite::Result<i64> {
        let anchor = (place, words);
        if let Some(id) = self.anchors.get(&anchor) {
            return Ok(*id);
        }
        let id = self.anchors.len() as i64 + 1;
        database.prepare_cached("INSERT INTO anchors VALUES (?, ?, ?)")?.execute(params![id, place, anchor.1])?;
        self.anchors.insert(anchor, id);
        Ok(id)
    }
}
