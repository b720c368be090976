//! The contract of every store with a weave, tested on the in-memory reference and on SQLite.

use std::fmt::Debug;
use std::sync::Arc;

use bluesnake_engine::store::BoxFuture;
use bluesnake_engine::weave::memory::MemoryGraph;
use bluesnake_engine::weave::store::{Again, Growth, Known, NodeRow, NodeVisit, Standing, StoredMention, WeaveStore};
use bluesnake_engine::weave::{Host, Weaver};
use bluesnake_engine::{AuditInput, EndReason, Number, Paces, Reason, Refusal, StoreError, WeaveInput, WeavePlan};
use bluesnake_store::state::RunKind;
use bluesnake_store::{Database, NodeRecord, RunStore};
use testsite::{Page, Reply, Running, Site, Web};

use crate::world::{Folder, local};

/// Two stores that must agree.
struct Both {
    memory: Arc<MemoryGraph>,
    sqlite: RunStore,
}

fn same<T: Debug>(memory: T, sqlite: T) -> T {
    assert_eq!(format!("{memory:#?}"), format!("{sqlite:#?}"), "the stores agree");
    sqlite
}

impl WeaveStore for Both {
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>> {
        Box::pin(async move { Ok(same(self.memory.standing().await?, self.sqlite.standing().await?)) })
    }

    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>> {
        Box::pin(async move {
            let memory = self.memory.pending(depth, after, limit).await?;
            Ok(same(memory, WeaveStore::pending(&self.sqlite, depth, after, limit).await?))
        })
    }

    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            // Twice: stored rows are not stored again.
            for _ in 0..2 {
                self.memory.commit(visits.clone()).await?;
                WeaveStore::commit(&self.sqlite, visits.clone()).await?;
            }
            Ok(())
        })
    }

    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>> {
        Box::pin(async move {
            // A few at a time, so that numbering takes many steps.
            let limit = limit.min(17);
            Ok(same(self.memory.mentions(depth, limit).await?, self.sqlite.mentions(depth, limit).await?))
        })
    }

    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>> {
        Box::pin(async move {
            let memory = self.memory.known(hosts.clone()).await?;
            let sqlite = self.sqlite.known(hosts).await?;
            assert_eq!((&memory.nodes, &memory.subdomains), (&sqlite.nodes, &sqlite.subdomains));
            Ok(sqlite)
        })
    }

    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.memory.grow(growth.clone()).await?;
            self.sqlite.grow(growth).await
        })
    }

    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.memory.visit_again(again).await?;
            self.sqlite.visit_again(again).await
        })
    }

    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.memory.settle_depths(max_depth).await?;
            self.sqlite.settle_depths(max_depth).await
        })
    }
}

fn weave_of(AuditInput { limits, politeness, fetch, .. }: AuditInput) -> WeaveInput {
    WeaveInput { limits, politeness, fetch, ..WeaveInput::default() }
}

fn settings(site: &Running, max_depth: u32) -> WeaveInput {
    let mut input = weave_of(local());
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{}", site.port())]);
    input.weave.max_depth = Some(max_depth);
    input.weave.max_outbound_links = Some(4);
    input
}

async fn weave(store: &Arc<Both>, seeds: &[String], input: WeaveInput) -> EndReason {
    let plan = WeavePlan::new(seeds, input).unwrap();
    let running = Weaver::new(plan, store.clone()).paces(Paces::default()).start().unwrap();
    running.wait().await.unwrap().reason
}

/// Two empty stores, and the run of the one in SQLite.
async fn both(folder: &Folder) -> (Database, i64, Arc<Both>) {
    let database = folder.database();
    let project = database.catalog().get_or_create_project("h0.test", "http://h0.test/").await.unwrap();
    let claim = database.catalog().claim(project.id).await.unwrap();
    let started =
        database.catalog().start_run(&claim, RunKind::Weave, "[]".to_owned(), "{}".to_owned(), false).await.unwrap();
    (database, started.run, Arc::new(Both { memory: Arc::default(), sqlite: started.store }))
}

/// Everything that is kept of both graphs is the same.
async fn assert_same(database: &Database, run: i64, memory: &MemoryGraph) {
    let (nodes, visits) = (memory.nodes(), memory.visits());
    let visit = |number: Number| visits.iter().find(|visit| visit.number == number);
    let expected: Vec<String> = nodes
        .iter()
        .map(|node| {
            let visit = visit(node.number);
            let cut = visit.map_or((0, 0), |visit| (visit.pages_cut, visit.mentions_cut));
            let (count, described) = visit.map_or((0, ""), |visit| (visit.crawl_count(), &visit.description));
            let (number, depth, disposition) = (node.number, node.depth, node.reason.disposition().as_str());
            format!("{number} {} {depth} {disposition} {} {count} {described} {cut:?}", node.host, node.reason)
        })
        .collect();
    let shown = database.contents().nodes(run, 0, 10_000, None).await.unwrap();
    let shown: Vec<String> = shown
        .iter()
        .map(|row| {
            let NodeRecord { number, host, depth, disposition, reason, crawl_count, description, .. } = row;
            let cut = (row.pages_cut, row.mentions_cut);
            format!("{number} {host} {depth} {disposition} {reason} {crawl_count} {description} {cut:?}")
        })
        .collect();
    assert_eq!(shown, expected);
    let edges = database.contents().edges(run, (0, 0), 10_000, None).await.unwrap();
    let shown: Vec<(u32, u32, u32)> = edges.iter().map(|row| (row.source, row.target, row.weight)).collect();
    assert_eq!(shown, memory.edges().iter().map(|e| (e.from.0, e.to.0, e.weight)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_in_sqlite_matches_the_reference_across_sessions_seeds_and_depths() {
    let site = Web::hosts_graph(21, 70, 3).missing(5).links_per_page(3..=8).start().await;
    let folder = Folder::new();
    let (database, run, store) = both(&folder).await;
    let seed = |host: &str| site.url_on(host, "/");

    let mut input = settings(&site, 1);
    input.limits.session_budget = Some(2);
    while weave(&store, &[seed("h0.test")], input.clone()).await == EndReason::BudgetSpent {}
    assert!(store.memory.nodes().iter().any(|node| node.reason == Refusal::TooDeep.into()), "the depth counts");
    assert_eq!(weave(&store, &[seed("h69.test")], settings(&site, 2)).await, EndReason::Exhausted);
    assert_eq!(weave(&store, &[seed("h0.test")], settings(&site, 9)).await, EndReason::Exhausted);
    // Wider limits: some are visited once more.
    let cut = |visits: Vec<NodeVisit>| visits.iter().filter(|visit| visit.mentions_cut + visit.pages_cut > 0).count();
    let before = cut(store.memory.visits());
    let mut input = settings(&site, 9);
    (input.weave.max_outbound_links, input.weave.max_crawls_per_node) = (Some(5), Some(9));
    assert_eq!(weave(&store, &[seed("h0.test")], input.clone()).await, EndReason::Exhausted);
    assert!(cut(store.memory.visits()) < before, "{before} hosts were cut");
    assert_eq!(weave(&store, &[seed("h0.test")], input).await, EndReason::Exhausted);

    assert_same(&database, run, &store.memory).await;
    let expected = store.memory.nodes();
    let nodes = database.contents().nodes(run, 0, 1000, None).await.unwrap();
    let edges = database.contents().edges(run, (0, 0), 10_000, None).await.unwrap();
    let figures = database.contents().graph_figures(run).await.unwrap();
    let visits = store.memory.visits();
    assert_eq!((figures.nodes, figures.edges), (expected.len() as i64, edges.len() as i64));
    let pages = visits.iter().flat_map(|visit| &visit.pages);
    assert_eq!(figures.pages_fetched, pages.clone().filter(|page| page.is_page()).count() as i64);
    assert_eq!(figures.pages_failed, pages.filter(|page| page.was_requested() && !page.is_page()).count() as i64);
    let of_one = database.contents().edges(run, (0, 0), 10_000, Some(expected[0].host.to_string())).await.unwrap();
    assert!(of_one.iter().all(|edge| edge.source == 1 || edge.target == 1) && of_one.len() < edges.len());
    let searched = database.contents().nodes(run, 0, 1000, Some("H69".to_owned())).await.unwrap();
    assert!(searched.iter().any(|node| node.host.starts_with("h69.test")) && searched.len() < nodes.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn both_stores_revisit_the_same_hosts() {
    let well = || Reply::html("<title>well</title><a href=http://new.test/>new</a><a href=/2>2</a>");
    let first = |status: u16| Reply::sequence([Reply::status(status), well()]);
    let closed = Reply::sequence([Reply::status(503), Reply::text("text/plain", "")]);
    let names = ["sick", "busy", "closed", "later", "gone", "fine"];
    let home = Page::titled("Home").links(names.map(|name| format!("http://{name}.test/")));
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("sick.test", Site::new().reply("/", first(500)))
        .host("busy.test", Site::new().reply("/", first(429)))
        .host("closed.test", Site::new().reply("/robots.txt", closed).reply("/", well()))
        .host("later.test", Site::new().reply("/", well()).reply("/2", first(429)))
        .host("gone.test", Site::new().reply("/", first(404)))
        .host("fine.test", Site::new().reply("/", well()).page("/2", Page::titled("2").link("http://last.test/")))
        .host("new.test", Site::new().page("/", Page::titled("new").link("http://end.test/").link("http://x.test/")))
        .start()
        .await;
    let folder = Folder::new();
    let (database, run, store) = both(&folder).await;
    let seeds = ["home.test".to_owned()];
    let mut narrow = settings(&site, 9);
    narrow.fetch.attempts = Some(1);
    (narrow.weave.max_outbound_links, narrow.weave.max_crawls_per_node) = (Some(6), Some(1));
    let mut wider = narrow.clone();
    (wider.weave.max_outbound_links, wider.weave.max_crawls_per_node) = (Some(0), Some(2));
    let mut shallow = wider.clone();
    shallow.weave.max_depth = Some(1);
    let mut gone = wider.clone();
    gone.fetch.resolve = Some(vec!["*.test:127.0.0.1:1".to_owned()]);
    let mut interrupted = wider.clone();
    interrupted.limits.session_budget = Some(1);

    let requested = |host: &str| site.seen().count_on(host, "/");
    for (input, retries) in [(&narrow, false), (&narrow, true), (&shallow, false), (&gone, true), (&interrupted, true)]
    {
        let plan = WeavePlan::new(&seeds, input.clone()).unwrap();
        let weaver = Weaver::new(plan, store.clone()).paces(Paces::default());
        let weaver = if retries { weaver.retry_failed() } else { weaver };
        weaver.start().unwrap().wait().await.unwrap();
        assert_same(&database, run, &store.memory).await;
    }
    assert_eq!(
        (requested("sick.test"), requested("gone.test"), requested("home.test")),
        (3, 1, 1),
        "failed, wider; found; whole"
    );
    // A session that was to visit some once more, and a plan that does not reach them any more.
    let mut nearer = narrow.clone();
    nearer.weave.max_depth = Some(1);
    for input in [nearer, wider] {
        weave(&store, &seeds, input).await;
        assert_same(&database, run, &store.memory).await;
    }
    let receipt = database.contents().receipt(run).await.unwrap();
    assert_eq!(receipt.count_of(Reason::ClientError), 3, "gone, end and x are missing");
}
