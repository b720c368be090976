//! What every store owes a weave, asked of the reference in memory and of SQLite alike.
//!
//! A store that stands for both takes everything twice and compares every answer, so that whole weaves are the test data.

use std::fmt::Debug;
use std::sync::Arc;

use bluesnake_engine::store::BoxFuture;
use bluesnake_engine::weave::memory::MemoryGraph;
use bluesnake_engine::weave::store::{Again, Growth, Known, NodeRow, NodeVisit, Standing, StoredMention, WeaveStore};
use bluesnake_engine::weave::{Host, Weaver};
use bluesnake_engine::{CrawlPlan, EndReason, Number, Paces, PlanInput, Preset, StoreError};
use bluesnake_store::RunStore;
use bluesnake_store::state::RunKind;
use testsite::{Running, Web};

use crate::world::{Folder, local};

/// Two stores that must agree.
struct Both {
    memory: Arc<MemoryGraph>,
    sqlite: RunStore,
}

fn same<T: Debug>(memory: T, sqlite: T) -> T {
    assert_eq!(format!("{memory:#?}"), format!("{sqlite:#?}"), "the stores answer alike");
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
            // Twice: what was stored is not stored again.
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

fn settings(site: &Running, max_depth: u32) -> PlanInput {
    let mut input = local().over(PlanInput::preset(Preset::Graph));
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{}", site.port())]);
    input.weave.max_depth = Some(max_depth);
    input.weave.max_outbound_links = Some(4);
    input
}

async fn weave(store: &Arc<Both>, seeds: &[String], input: PlanInput) -> EndReason {
    let plan = CrawlPlan::new(seeds, input).unwrap();
    let running = Weaver::new(plan, store.clone()).retry_failed().paces(Paces::default()).start().unwrap();
    running.wait().await.unwrap().reason
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_in_sqlite_is_that_of_the_reference_in_sessions_with_new_seeds_and_other_depths() {
    let site = Web::hosts_graph(21, 70, 3).missing(5).links_per_page(3..=8).start().await;
    let folder = Folder::new();
    let database = folder.database();
    let project = database.get_or_create_project("h0.test", "http://h0.test/").await.unwrap();
    let claim = database.claim(project.id).await.unwrap();
    let started = database.start_run(&claim, RunKind::Weave, "[]".to_owned(), "{}".to_owned(), false).await.unwrap();
    let run = started.run;
    let store = Arc::new(Both { memory: Arc::default(), sqlite: started.store });
    let seed = |host: &str| site.url_on(host, "/");

    let mut input = settings(&site, 1);
    input.limits.session_budget = Some(2);
    while weave(&store, &[seed("h0.test")], input.clone()).await == EndReason::BudgetSpent {}
    assert!(store.memory.nodes().iter().any(|node| node.reason == "too_deep"), "the depth counts");
    assert_eq!(weave(&store, &[seed("h69.test")], settings(&site, 2)).await, EndReason::Exhausted);
    assert_eq!(weave(&store, &[seed("h0.test")], settings(&site, 9)).await, EndReason::Exhausted);
    // Wider limits, and hosts that could not be had: some are visited once more.
    let cut = |visits: Vec<NodeVisit>| visits.iter().filter(|visit| visit.mentions_cut + visit.pages_cut > 0).count();
    let before = cut(store.memory.visits());
    let mut input = settings(&site, 9);
    (input.weave.max_outbound_links, input.weave.max_crawls_per_node) = (Some(5), Some(9));
    assert_eq!(weave(&store, &[seed("h0.test")], input.clone()).await, EndReason::Exhausted);
    assert!(cut(store.memory.visits()) < before, "{before} hosts were cut");
    assert_eq!(weave(&store, &[seed("h0.test")], input).await, EndReason::Exhausted);

    let expected = store.memory.nodes();
    let nodes = database.nodes(run, 0, 1000, None).await.unwrap();
    let shown: Vec<(u32, &str, u32)> = nodes.iter().map(|row| (row.number, row.host.as_str(), row.depth)).collect();
    assert_eq!(shown, expected.iter().map(|n| (n.number.0, n.host.as_str(), n.depth)).collect::<Vec<_>>());
    let edges = database.edges(run, (0, 0), 10_000, None).await.unwrap();
    let shown: Vec<(u32, u32, u32)> = edges.iter().map(|row| (row.source, row.target, row.weight)).collect();
    assert_eq!(shown, store.memory.edges().iter().map(|e| (e.from.0, e.to.0, e.weight)).collect::<Vec<_>>());
    let figures = database.graph_figures(run).await.unwrap();
    let visits = store.memory.visits();
    assert_eq!((figures.nodes, figures.edges), (expected.len() as i64, edges.len() as i64));
    let pages = visits.iter().flat_map(|visit| &visit.pages);
    assert_eq!(figures.pages_fetched, pages.clone().filter(|page| page.is_page()).count() as i64);
    assert_eq!(figures.pages_failed, pages.filter(|page| page.was_asked() && !page.is_page()).count() as i64);
    let of_one = database.edges(run, (0, 0), 10_000, Some(expected[0].host.to_string())).await.unwrap();
    assert!(of_one.iter().all(|edge| edge.source == 1 || edge.target == 1) && of_one.len() < edges.len());
    let searched = database.nodes(run, 0, 1000, Some("H69".to_owned())).await.unwrap();
    assert!(searched.iter().any(|node| node.host.starts_with("h69.test")) && searched.len() < nodes.len());
}
