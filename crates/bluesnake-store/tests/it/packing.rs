//! Visits waiting for their turn: packed by workers, small, and stored identically with or without listeners.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use bluesnake_engine::document::{Document, Section, Source};
use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{
    AuditInput, AuditPlan, Batch, Committed, Crawler, Event, Number, Paces, Store, StoreError, Task, Turn, UrlRow,
    Visit,
};
use bluesnake_store::{Database, RunStore, Table};
use testsite::{Page, Running, Site};

use crate::world::{Folder, begin, crawl, crawl_heard, local};

const PAGES: usize = 30;
const PAGE_BYTES: usize = 60_000;

/// Forwards everything and records the visits.
struct Watched {
    inner: RunStore,
    visits: Mutex<Vec<Arc<Committed>>>,
}

impl Store for Watched {
    fn pack(&self, visit: &Visit) -> Option<Box<[u8]>> {
        self.inner.pack(visit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.visits.lock().unwrap().extend(batch.visits.iter().cloned());
        self.inner.commit(batch)
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        self.inner.load(after, limit)
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        self.inner.pending(after, limit)
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        self.inner.deferred(after, limit)
    }
}

/// Every page links to all others, with words around each link.
async fn site() -> Running {
    let path = |number: usize| format!("/page/{number}");
    let mut site = Site::new();
    for number in 0..PAGES {
        let mut page =
            Page::titled(&format!("Page {number}")).canonical(&path(number)).meta("description", "What it is");
        for other in 0..PAGES {
            page = page.html("<p>Some words before ").link_text(&path(other), &format!("page {other}"));
            page = page.html(" and some words behind it</p>");
        }
        let at = if number == 0 { "/".to_owned() } else { path(number) };
        site = site.page(&at, page.stylesheet("/style.css").image("/logo.png").pad_to(PAGE_BYTES));
    }
    site.start().await
}

fn keep_everything() -> AuditInput {
    let mut input = local();
    (input.keep.html, input.keep.text) = (Some(true), Some(true));
    input.resources.check = Some(true);
    input
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_waiting_for_their_turn_are_not_kept_whole() {
    let (site, folder) = (site().await, Folder::new());
    let (_claim, started) = begin(&folder.database(), "site.test").await;
    let store = Arc::new(Watched { inner: started.store, visits: Mutex::default() });
    crawl(&site.url("/"), keep_everything(), store.clone()).await;
    let visits = store.visits.lock().unwrap();
    let pages: Vec<_> = visits.iter().filter(|visit| visit.row.task == Task::Page && visit.is_read).collect();
    assert_eq!(pages.len(), PAGES);
    for visit in pages {
        let packed = visit.packed.as_ref().map_or(0, |packed| packed.len());
        assert!(packed > 0, "{} was not packed by a worker", visit.url());
        let is_whole = visit.page.is_some() || visit.html.is_some() || !visit.links.contexts().is_empty();
        assert!(!is_whole, "{} is also kept unpacked", visit.url());
        assert!(visit.weight() < PAGE_BYTES / 8, "{} takes {} bytes", visit.url(), visit.weight());
    }
}

/// Once, sections were kept unpacked, with the full text of the document.
#[tokio::test(flavor = "multi_thread")]
async fn documents_waiting_for_their_turn_are_compressed_with_their_sections() {
    let (site, folder) = (site().await, Folder::new());
    let database = folder.database();
    let (_claim, started) = begin(&database, "site.test").await;
    let run = started.run;
    let store = Arc::new(Watched { inner: started.store, visits: Mutex::default() });
    let plan = AuditPlan::new([site.url("/")], local()).unwrap();
    let crawler = Crawler::new(plan).store(store.clone()).paces(Paces::default()).read_documents(document);
    crawler.start().unwrap().wait().await.unwrap();
    let visits = std::mem::take(&mut *store.visits.lock().unwrap());
    let documents: Vec<_> = visits.iter().filter(|visit| visit.document.is_some()).collect();
    assert_eq!(documents.len(), PAGES);
    for visit in documents {
        let document = visit.document.as_ref().unwrap();
        assert!(document.content.is_empty() && document.sections.is_empty(), "{}", visit.url());
        assert!(visit.weight() < PAGE_BYTES / 8, "{} takes {} bytes", visit.url(), visit.weight());
    }
    let found = database
        .contents()
        .search_sections(vec![run], "\"second part\"".to_owned(), 100, |section| {
            (section.score, section.text.to_owned())
        })
        .await
        .unwrap();
    assert_eq!(found.len(), PAGES);
    assert!(found.iter().all(|section| section.anchor.as_deref() == Some("second")), "{found:?}");
}

/// Two sections: one without an anchor, one with.
fn document(source: &Source<'_>) -> Option<Document> {
    let section = |heading: &str, anchor: Option<&str>| Section {
        level: 2,
        heading: heading.to_owned(),
        anchor: anchor.map(str::to_owned),
        text: source.text.to_owned(),
    };
    Some(Document {
        content: source.text.to_owned(),
        hash: source.url.as_str().into(),
        sections: vec![section("First", None), section("The second part", Some("second"))],
        ..Document::default()
    })
}

/// Once, this depended on whether a listener was attached when the visit was packed.
#[tokio::test]
async fn events_have_whole_visits_exactly_when_they_are_kept() {
    let site = site().await;
    for is_whole in [false, true] {
        let folder = Folder::new();
        let (_claim, started) = begin(&folder.database(), "site.test").await;
        let plan = AuditPlan::new([site.url("/")], local()).unwrap();
        let crawler = Crawler::new(plan).store(Arc::new(started.store)).paces(Paces::default());
        let crawler = if is_whole { crawler.keep_whole_visits() } else { crawler };
        let running = crawler.start().unwrap();
        let mut events = running.events();
        running.wait().await.unwrap();
        let mut pages = 0;
        while let Ok(event) = events.try_recv() {
            if let Event::Visited(visit) = event
                && visit.is_read
            {
                assert_eq!(visit.page.is_some(), is_whole, "{}", visit.url());
                pages += 1;
            }
        }
        assert_eq!(pages, PAGES);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_changes_nothing_in_the_database() {
    let site = site().await;
    let mut stored = Vec::new();
    for is_heard in [false, true] {
        let folder = Folder::new();
        let database = folder.database();
        let (_claim, started) = begin(&database, "site.test").await;
        let (run, store) = (started.run, Arc::new(started.store));
        if is_heard {
            crawl_heard(&site.url("/"), keep_everything(), store).await;
        } else {
            crawl(&site.url("/"), keep_everything(), store).await;
        }
        database.contents().seal(run).await.unwrap();
        stored.push(everything(&database, run));
    }
    assert!(stored[0].len() > PAGES * PAGES, "pages or links are missing");
    assert_eq!(stored[0], stored[1]);
}

/// Every row of every table, and every document.
fn everything(database: &Database, run: i64) -> Vec<String> {
    let mut rows = Vec::new();
    for table in [Table::Urls, Table::Pages, Table::Links, Table::Receipt] {
        let each = |row: &[bluesnake_store::Value<'_>]| {
            rows.push(format!("{row:?}"));
            ControlFlow::Continue(())
        };
        database.contents().scan(run, table, &table.columns(false), each).unwrap();
    }
    let mut last = Number(0);
    while let Some(body) = database.contents().next_body(run, last).unwrap() {
        last = Number(body.number as u32);
        rows.push(format!("{} {}", body.url, String::from_utf8_lossy(&body.bytes)));
    }
    rows
}
