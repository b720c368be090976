//! The contract of every store with the engine, tested on the in-memory reference and on SQLite.

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;

use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{AuditInput, Batch, EndReason, MemoryStore, Number, Store, StoreError, Turn, UrlRow, Visit};
use bluesnake_store::{Database, RunStore, Table, Value};
use testsite::{Running, Site, scenarios};

use crate::world::{Folder, begin, crawl_heard, local};

/// Two stores that must agree.
struct Both {
    memory: Arc<MemoryStore>,
    sqlite: RunStore,
}

impl Both {
    fn same<T: Debug>(memory: T, sqlite: T) -> T {
        assert_eq!(format!("{memory:#?}"), format!("{sqlite:#?}"), "memory and SQLite return different results");
        sqlite
    }

    /// Reads everything through every method, in chunks of this size.
    async fn compare(&self, chunk: usize) {
        let mut last = Number(0);
        while let Some(url) = self.load(last, chunk).await.unwrap().last() {
            last = url.row.number;
        }
        let mut last = Turn(0);
        while let Some(row) = self.pending(last, chunk).await.unwrap().last() {
            last = row.turn.unwrap();
        }
        let mut last = Number(0);
        while let Some(deferred) = self.deferred(last, chunk).await.unwrap().last() {
            last = deferred.from.number;
        }
    }
}

impl Store for Both {
    fn pack(&self, visit: &Visit) -> Option<Box<[u8]>> {
        self.sqlite.pack(visit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        let copy = Batch {
            urls: batch.urls.clone(),
            visits: batch.visits.clone(),
            settled: batch.settled.clone(),
            deferred: batch.deferred.clone(),
            late_links: batch.late_links.clone(),
        };
        Box::pin(async move {
            self.memory.commit(copy).await?;
            self.sqlite.commit(batch).await
        })
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        Box::pin(
            async move { Ok(Self::same(self.memory.load(after, limit).await?, self.sqlite.load(after, limit).await?)) },
        )
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        Box::pin(async move {
            Ok(Self::same(self.memory.pending(after, limit).await?, self.sqlite.pending(after, limit).await?))
        })
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        Box::pin(async move {
            Ok(Self::same(self.memory.deferred(after, limit).await?, self.sqlite.deferred(after, limit).await?))
        })
    }
}

/// Crawls a site in sessions with this budget, comparing both stores after each; 0 means one session.
async fn agree(site: &Running, budget: u64, mut input: AuditInput) {
    let folder = Folder::new();
    let database = folder.database();
    let (_claim, started) = begin(&database, "site.test").await;
    let both = Arc::new(Both { memory: Arc::default(), sqlite: started.store });
    input.limits.session_budget = Some(budget);
    input.memory.backlog_urls = Some(100);
    input.scope.max_urls = Some(300);
    loop {
        let finished = crawl_heard(&site.url("/"), input.clone(), both.clone()).await;
        both.compare(7).await;
        let stored = database.contents().receipt(started.run).await.unwrap();
        assert_eq!(stored, finished.receipt, "stored receipt differs from the engine's");
        if finished.reason == EndReason::Exhausted {
            break;
        }
    }
    let depths = both.memory.depths();
    database.contents().seal(started.run).await.unwrap();
    assert_eq!(stored_depths(&database, started.run), depths, "stored depths are wrong");
    let links = links_in_memory(&both.memory);
    assert_eq!(stored_links(&database, started.run), links, "stored links differ from the committed ones");
    assert_eq!(links_for_other_tools(&folder), links.len(), "plain SQLite connections see fewer links");
}

fn stored_depths(database: &Database, run: i64) -> Vec<Option<u32>> {
    let columns: Vec<_> = Table::Urls.columns(false).into_iter().filter(|column| column.name == "depth").collect();
    let mut depths = Vec::new();
    let each = |row: &[Value<'_>]| {
        depths.push(match row[0] {
            Value::Integer(depth) => Some(depth as u32),
            _ => None,
        });
        ControlFlow::Continue(())
    };
    database.contents().scan(run, Table::Urls, &columns, each).unwrap();
    depths
}

/// Every link with both ends, its text, context and position.
fn links_in_memory(memory: &MemoryStore) -> Vec<String> {
    let mut links = Vec::new();
    for row in memory.urls() {
        for (ordinal, (link, target)) in memory.links_from(row.number).into_iter().enumerate() {
            let (position, path_type) = (link.position.as_str(), link.path_type.as_str());
            let (text, context, dom_path) = (link.text, link.context, link.dom_path);
            let words = format!("{text}|{context}|{position}|{dom_path}|{path_type}");
            links.push(format!(
                "{}|{ordinal}|{target}|{}|{words}|{}",
                row.number,
                link.kind.as_str(),
                link.rel.bits() & 1
            ));
        }
    }
    links
}

fn stored_links(database: &Database, run: i64) -> Vec<String> {
    let names = [
        "source_number",
        "ordinal",
        "target_number",
        "type",
        "text",
        "context",
        "position",
        "dom_path",
        "path_type",
        "is_nofollow",
    ];
    let all = Table::Links.columns(false);
    let columns: Vec<_> = names.iter().map(|name| *all.iter().find(|column| column.name == *name).unwrap()).collect();
    let mut links = Vec::new();
    let each = |row: &[Value<'_>]| {
        let cells: Vec<String> = row
            .iter()
            .map(|value| match value {
                Value::Integer(number) => number.to_string(),
                Value::Text(text) => (*text).to_owned(),
                other => panic!("{other:?}"),
            })
            .collect();
        links.push(cells.join("|"));
        ControlFlow::Continue(())
    };
    database.contents().scan(run, Table::Links, &columns, each).unwrap();
    links
}

/// The number of links, with both ends in `urls`, that a connection without our SQL functions finds.
fn links_for_other_tools(folder: &Folder) -> usize {
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let sql = "SELECT count(*) FROM links AS l JOIN urls AS s ON s.run = l.run AND s.number = l.source
               JOIN urls AS t ON t.run = l.run AND t.number = l.target JOIN link_kinds AS k ON k.id = l.kind";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The scenarios that end by themselves; the hostile ones wait for hosts to recover.
fn calm() -> impl Iterator<Item = (&'static str, Site)> {
    scenarios::all().into_iter().filter(|(name, _)| !name.starts_with("hostile"))
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_agree_on_every_scenario() {
    for (name, site) in calm() {
        let site = site.start().await;
        println!("{name}");
        agree(&site, 0, local()).await;
        agree(&site, 40, local()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_agree_on_endless_sites() {
    for (name, site) in scenarios::endless() {
        let site = site.start().await;
        println!("{name}");
        let mut input = local();
        (input.traps.endless_pages, input.traps.same_content) = (Some(50), Some(20));
        agree(&site, 40, input).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_agree_on_sitemaps_resources_and_deferred_links() {
    use bluesnake_engine::plan::{CheckExternal, Mechanisms};
    for mechanisms in [Mechanisms::Both, Mechanisms::SitemapThenSpider] {
        for (name, site) in calm() {
            let site = site.start().await;
            println!("{name} {mechanisms}");
            let mut input = local();
            input.discover.mechanisms = Some(mechanisms);
            input.resources.check_external = Some(CheckExternal::All);
            agree(&site, 50, input).await;
        }
    }
}
