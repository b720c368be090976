//! Sessions of a weave: any split, crash or stop gives the same graph. Hosts are revisited on request or when limits
//! are raised, which loses no results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::store::BoxFuture;
use bluesnake_engine::weave::memory::MemoryGraph;
use bluesnake_engine::weave::store::{Again, Growth, Known, NodeRow, NodeVisit, Standing, StoredMention, WeaveStore};
use bluesnake_engine::weave::{Host, Weaver};
use bluesnake_engine::{Disposition, EndReason, Finished, Number, Paces, Stopper, StoreError, WeaveInput, WeavePlan};
use testsite::{Page, Reply, Site, Web};

use crate::weave::{begin, chain, edges_of, end_of_host, hosts_of, requests_to, settings, text_of, weave, weave_site};
use crate::world::end_of;

#[tokio::test(flavor = "multi_thread")]
async fn any_split_into_sessions_gives_the_same_graph() {
    let site = Web::hosts_graph(11, 80, 3).start().await;
    let input = settings(site.port());
    let (straight, _) = weave(&["http://h0.test/"], input.clone()).await;
    let expected = text_of(&straight);
    for budget in [1, 7, 33] {
        let graph = Arc::new(MemoryGraph::default());
        let mut input = input.clone();
        input.limits.session_budget = Some(budget);
        input.politeness.parallelism = Some(1 + budget as usize);
        let mut sessions = 0;
        loop {
            let finished = end_of(begin(&["http://h0.test/"], input.clone(), &graph)).await;
            sessions += 1;
            assert!(finished.receipt.adds_up());
            if finished.reason == EndReason::Exhausted {
                break;
            }
            assert_eq!(finished.reason, EndReason::BudgetSpent);
        }
        assert!(sessions >= 80 / budget);
        assert_eq!(text_of(&graph), expected, "{budget} hosts in a session");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weave_dropped_or_stopped_at_any_moment_resumes_with_the_same_result() {
    let site = Web::hosts_graph(13, 60, 3).start().await;
    let input = settings(site.port());
    let (straight, _) = weave(&["http://h0.test/"], input.clone()).await;
    let expected = text_of(&straight);
    for requests in [1, 5, 17, 60, 140] {
        let graph = Arc::new(MemoryGraph::default());
        for is_drop in [true, false, true] {
            let before = site.log().len();
            let running = begin(&["http://h0.test/"], input.clone(), &graph);
            let mut progress = running.progress();
            while site.log().len() < before + requests && progress.changed().await.is_ok() {}
            if is_drop {
                drop(running);
                // A store in memory has nothing that keeps two weaves apart: the dropped one may be in the middle of a step.
                while Arc::strong_count(&graph) > 1 {
                    tokio::task::yield_now().await;
                }
            } else {
                running.stop();
                end_of(running).await;
            }
        }
        end_of(begin(&["http://h0.test/"], input.clone(), &graph)).await;
        assert_eq!(text_of(&graph), expected, "after {requests} requests");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_graph_is_not_woven_again() {
    let site = Web::hosts_graph(17, 20, 2).start().await;
    let input = settings(site.port());
    let (graph, _) = weave(&["http://h0.test/"], input.clone()).await;
    let (expected, requested) = (text_of(&graph), site.log().len());
    for _ in 0..2 {
        let finished = end_of(begin(&["http://h0.test/"], input.clone(), &graph)).await;
        assert_eq!(finished.reason, EndReason::Exhausted);
    }
    assert_eq!(text_of(&graph), expected, "weights and counts stay");
    assert_eq!(site.log().len(), requested, "no request was repeated");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_seed_extends_the_graph_and_reduces_depths() {
    let hosts = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test"];
    let site =
        chain(&hosts).host("z.test", Site::new().page("/", Page::titled("z").link("http://c.test/"))).start().await;
    let mut input = settings(site.port());
    input.weave.max_depth = Some(2);
    let graph = Arc::new(MemoryGraph::default());
    end_of(begin(&["a.test"], input.clone(), &graph)).await;
    assert_eq!(hosts_of(&graph), ["a.test", "b.test", "c.test", "d.test"]);
    assert_eq!(end_of_host(&graph, "d.test"), (Disposition::Refused, "too_deep"));
    let requested = site.log().len();

    end_of(begin(&["z.test"], input.clone(), &graph)).await;
    let depths: Vec<(String, u32)> = graph.nodes().iter().map(|node| (node.host.to_string(), node.depth)).collect();
    let expected = [("a.test", 0), ("b.test", 1), ("c.test", 1), ("d.test", 2), ("z.test", 0), ("e.test", 3)];
    assert_eq!(depths, expected.map(|(host, depth)| (host.to_owned(), depth)));
    assert_eq!(end_of_host(&graph, "d.test"), (Disposition::Fetched, "page"), "it is near enough now");
    assert_eq!(end_of_host(&graph, "e.test"), (Disposition::Refused, "too_deep"));
    let later: BTreeSet<String> = site.log()[requested..].iter().map(|seen| seen.host.clone()).collect();
    assert_eq!(later, ["d.test", "z.test"].map(str::to_owned).into(), "known hosts are not requested again");

    // A deeper plan visits the hosts that were too deep.
    input.weave.max_depth = Some(9);
    end_of(begin(&["a.test"], input, &graph)).await;
    assert_eq!(end_of_host(&graph, "f.test"), (Disposition::Fetched, "page"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_starts_no_request_and_does_not_wait_for_resting_hosts() {
    let home = Page::titled("Home").links(["/a", "/b"]);
    let sleepy = Site::new().page("/", home).reply("/a", Reply::status(500)).page("/b", Page::titled("B"));
    let site = Site::new().host("a.test", sleepy).start().await;
    let mut input = settings(site.port());
    input.fetch.retry_delays_ms = Some(vec![60_000]);
    input.politeness.grace_ms = Some(60_000);
    let graph = Arc::new(MemoryGraph::default());
    let running = begin(&["a.test"], input, &graph);
    site.wait_for(|seen| seen.count_on("a.test", "/a") == 1).await;
    running.stop();
    let finished = end_of(running).await;
    assert_eq!(finished.reason, EndReason::Stopped);
    assert_eq!(finished.receipt.count(Disposition::Pending), 1, "the host stays pending");
    assert_eq!(requests_to(&site, "a.test"), 2);
}

/// A host that links to thirty others, and an unusable address: no machine can connect to the broadcast address.
async fn thirty_others() -> (testsite::Running, WeaveInput) {
    let mut hosts: Vec<String> = (0..30).map(|number| format!("http://n{number}.test/")).collect();
    // A host refused without a request is no evidence about the network.
    hosts.insert(3, "http://10.0.0.1/".to_owned());
    let site = Site::new().host("home.test", Site::new().page("/", Page::titled("Home").links(&hosts))).start().await;
    let mut input = settings(site.port());
    input.fetch.allow_private = Some(false);
    input.politeness.breaker_failures = Some(5);
    (site, input)
}

const NOWHERE: &str = "*.test:255.255.255.255:80";

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_network_pauses_the_run_and_fails_no_host() {
    let (site, with_network) = thirty_others().await;
    let mut first = with_network.clone();
    first.limits.session_budget = Some(1);
    let graph = Arc::new(MemoryGraph::default());
    end_of(begin(&["home.test"], first, &graph)).await;
    // Even the host that responded before no longer does.
    let mut without = with_network.clone();
    without.fetch.resolve = Some(vec![NOWHERE.to_owned()]);
    for budget in [0, 3] {
        without.limits.session_budget = Some(budget);
        let finished = end_of(begin(&["home.test"], without.clone(), &graph)).await;
        let EndReason::HostGivenUp { .. } = finished.reason else { panic!("it went on: {:?}", finished.reason) };
        assert_eq!(finished.receipt.count(Disposition::Failed), 0);
        assert!(finished.receipt.count(Disposition::Pending) >= 30, "they are requested again");
    }
    let finished = end_of(begin(&["home.test"], with_network, &graph)).await;
    assert_eq!((finished.reason, finished.receipt.count(Disposition::Pending)), (EndReason::Exhausted, 0));
    assert_eq!(site.seen().count_on("home.test", "/"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_hosts_fail_while_another_host_responds() {
    let (site, mut input) = thirty_others().await;
    input.fetch.resolve = Some(vec![format!("home.test:127.0.0.1:{}", site.port()), NOWHERE.to_owned()]);
    let (graph, finished) = weave(&["home.test"], input.clone()).await;
    assert_eq!(finished.reason, EndReason::Exhausted);
    assert_eq!(finished.receipt.count_of(FailureKind::Unreachable), 30);
    let finished = go_on(&graph, "home.test", input, true).await;
    assert_eq!(finished.reason, EndReason::Exhausted, "retrying them ends, too");
    assert_eq!(finished.receipt.count_of(FailureKind::Unreachable), 30);
}

/// Resumes a graph.
async fn go_on(graph: &Arc<MemoryGraph>, seed: &str, input: WeaveInput, retries_failed: bool) -> Finished {
    let plan = WeavePlan::new([seed], input).expect("the plan of a test is valid");
    let weaver = Weaver::new(plan, graph.clone()).paces(Paces::default());
    let weaver = if retries_failed { weaver.retry_failed() } else { weaver };
    end_of(weaver.start().expect("a weave starts")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_hosts_are_retried_on_request() {
    let links = ["sick", "closed", "busy", "gone"].map(|name| format!("http://{name}.test/"));
    let well = || Reply::html("<title>well</title><a href=http://new.test/>new</a>");
    let first = |status: u16| Reply::sequence([Reply::status(status), well()]);
    let closed = Reply::sequence([Reply::status(503), Reply::text("text/plain", "")]);
    let site = Site::new()
        .host("home.test", Site::new().page("/", Page::titled("Home").links(&links)))
        .host("sick.test", Site::new().reply("/", first(500)))
        .host("busy.test", Site::new().reply("/", first(429)))
        .host("closed.test", Site::new().reply("/robots.txt", closed).reply("/", well()))
        .host("gone.test", Site::new().reply("/", first(404)))
        .host("new.test", Site::new().page("/", Page::titled("New")));
    let (site, graph, _) = weave_site(site, "home.test", |input| input.fetch.attempts = Some(1)).await;
    let mut input = settings(site.port());
    input.fetch.attempts = Some(1);
    let (before, requested) = (text_of(&graph), site.log().len());
    go_on(&graph, "home.test", input.clone(), false).await;
    assert_eq!((text_of(&graph), site.log().len()), (before, requested), "hosts are retried only on request");

    let finished = go_on(&graph, "home.test", input, true).await;
    assert_eq!((finished.reason, finished.receipt.adds_up()), (EndReason::Exhausted, true));
    for host in ["sick.test", "closed.test", "busy.test", "new.test"] {
        assert_eq!(end_of_host(&graph, host), (Disposition::Fetched, "page"), "{host}");
    }
    assert_eq!(end_of_host(&graph, "gone.test"), (Disposition::Fetched, "client_error"), "that was a response");
    assert_eq!(site.seen().count_on("home.test", "/"), 1);
    let to_new = edges_of(&graph).keys().filter(|(_, to)| to == "new.test").count();
    assert_eq!(to_new, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn wider_limits_revisit_only_truncated_hosts() {
    let page =
        |title: &str, hosts: &[&str]| Page::titled(title).links(hosts.iter().map(|host| format!("http://{host}/")));
    let many = Site::new()
        .page("/", page("Many", &["one.test", "b.test"]).link("/2"))
        .page("/2", page("Two", &["b.test", "c.test"]).link("/3"))
        .page("/3", page("Three", &["d.test"]));
    let mut site =
        Site::new().host("many.test", many).host("one.test", Site::new().page("/", page("One", &["b.test"])));
    for host in ["b.test", "c.test", "d.test"] {
        site = site.host(host, Site::new().page("/", Page::titled(host)));
    }
    let narrow = |input: &mut WeaveInput| {
        input.weave.max_crawls_per_node = Some(1);
        input.weave.max_outbound_links = Some(1);
    };
    let (site, graph, _) = weave_site(site, "many.test", narrow).await;
    assert_eq!(hosts_of(&graph), ["many.test", "one.test", "b.test"]);
    let cut = &graph.visits()[0];
    assert_eq!((cut.pages_cut, cut.mentions_cut, cut.mentions_limit), (1, 1, 1));

    let mut input = settings(site.port());
    narrow(&mut input);
    input.weave.max_crawls_per_node = Some(2);
    for _ in 0..2 {
        go_on(&graph, "many.test", input.clone(), false).await;
    }
    let seen = site.seen();
    assert_eq!((seen.count_on("many.test", "/"), seen.count_on("many.test", "/2")), (2, 1), "once more, and only once");
    input.weave.max_crawls_per_node = Some(3);
    input.weave.max_outbound_links = Some(0);
    for _ in 0..2 {
        let finished = go_on(&graph, "many.test", input.clone(), false).await;
        assert!(finished.receipt.adds_up());
    }
    assert_eq!(site.seen().count_on("one.test", "/"), 1, "nothing of it was cut");
    let (straight, _) = weave(&["many.test"], settings(site.port())).await;
    assert_eq!(edges_of(&graph), edges_of(&straight));
    let counts = |graph: &MemoryGraph| -> BTreeMap<String, u32> {
        let nodes = graph.nodes();
        let name = |visit: &NodeVisit| nodes[visit.number.0 as usize - 1].host.to_string();
        graph.visits().iter().map(|visit| (name(visit), visit.crawl_count())).collect()
    };
    assert_eq!(counts(&graph), counts(&straight));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_host_that_becomes_a_seed_is_counted_once() {
    let home = Page::titled("Home").links(["http://a.shop.test/", "http://b.shop.test/"]);
    let shop = || Site::new().page("/", Page::titled("Shop"));
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("a.shop.test", shop())
        .host("b.shop.test", shop());
    let limit = |input: &mut WeaveInput| input.weave.max_subdomains_per_root = Some(1);
    let (site, graph, finished) = weave_site(site, "home.test", limit).await;
    assert_eq!((finished.receipt.seen(), graph.refused().len()), (3, 1));
    let mut input = settings(site.port());
    limit(&mut input);
    let finished = go_on(&graph, "b.shop.test", input, false).await;
    assert_eq!((finished.receipt.seen(), graph.refused().len()), (3, 0));
    assert!(finished.receipt.adds_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_visited_before_an_interruption_count_toward_the_budget() {
    let site = Web::hosts_graph(19, 30, 2).start().await;
    let mut input = settings(site.port());
    input.limits.session_budget = Some(10);
    let plan = WeavePlan::new(["http://h0.test/"], input).expect("the plan of a test is valid");
    let graph = Arc::new(MemoryGraph::default());
    let weaver = Weaver::new(plan, graph.clone()).paces(Paces::default()).visited_before(6);
    let finished = end_of(weaver.start().expect("a weave starts")).await;
    assert_eq!((finished.reason, graph.visits().len()), (EndReason::BudgetSpent, 4));
}

/// A host with more pages and links than a narrow plan takes, at each depth of a chain.
fn chain_with_more() -> Site {
    let names = ["a.test", "b.test", "c.test", "d.test"];
    names.iter().zip(names.iter().skip(1)).fold(Site::new(), |site, (name, next)| {
        let links = [format!("http://{next}/"), format!("http://more.{name}/")];
        site.host(name, Site::new().page("/", Page::titled(name).links(links).link("/2")).page("/2", Page::titled("2")))
    })
}

fn narrow(port: u16) -> WeaveInput {
    let mut input = settings(port);
    (input.weave.max_outbound_links, input.weave.max_crawls_per_node) = (Some(1), Some(1));
    input
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_stays_until_a_better_one_replaces_it() {
    let site = chain_with_more().start().await;
    let (graph, _) = weave(&["a.test"], narrow(site.port())).await;
    let (before, requested) = (text_of(&graph), site.log().len());
    let wider = settings(site.port());
    // Hosts that are too deep for the new plan stay as they are.
    let mut shallow = wider.clone();
    shallow.weave.max_depth = Some(1);
    let (nodes, edges) = (graph.nodes(), graph.edges());
    go_on(&graph, "a.test", shallow, false).await;
    assert_eq!(end_of_host(&graph, "c.test"), (Disposition::Fetched, "page"));
    assert!(edges.iter().all(|edge| graph.edges().contains(edge)), "no link is lost");
    assert_eq!(graph.nodes()[..nodes.len()], nodes, "they are unchanged");
    assert!(site.log().len() > requested && text_of(&graph) != before);

    // Nothing responds any more: earlier results are kept, even if the session ends before all hosts were requested.
    let mut gone = wider.clone();
    gone.fetch.resolve = Some(vec!["*.test:127.0.0.1:1".to_owned()]);
    for budget in [1, 0] {
        gone.limits.session_budget = Some(budget);
        let finished = go_on(&graph, "a.test", gone.clone(), false).await;
        assert!(finished.receipt.adds_up() && edges.iter().all(|edge| graph.edges().contains(edge)));
        assert_eq!(graph.visits()[2].description, "c.test");
    }
    assert_eq!(end_of_host(&graph, "c.test"), (Disposition::Fetched, "page"));
    // They were visited up to the limits of the plan, so they are not visited again unless requested.
    let requested = site.log().len();
    go_on(&graph, "a.test", wider.clone(), false).await;
    let later: Vec<String> =
        site.log()[requested..].iter().map(|seen| format!("{}{}", seen.host, seen.target)).collect();
    assert_eq!(later, [""; 0]);
    // And when they answer, all is well.
    go_on(&graph, "a.test", wider.clone(), true).await;
    let (straight, _) = weave(&["a.test"], wider).await;
    assert_eq!(edges_of(&graph), edges_of(&straight));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poorer_result_caused_by_a_failure_does_not_replace_a_better_one() {
    let home = Page::titled("Home").link("/2").link("/3");
    let sick = Reply::sequence([Reply::html("<a href=http://b.test/>b</a>"), Reply::status(503)]);
    let site = Site::new().host("a.test", Site::new().page("/", home).reply("/2", sick).page("/3", Page::titled("3")));
    let few = |input: &mut WeaveInput| {
        input.weave.max_crawls_per_node = Some(2);
        input.fetch.attempts = Some(1);
    };
    let (site, graph, _) = weave_site(site, "a.test", few).await;
    let edges = edges_of(&graph);
    assert_eq!(edges.len(), 1);
    let mut wider = settings(site.port());
    wider.fetch.attempts = Some(1);
    go_on(&graph, "a.test", wider, false).await;
    assert_eq!(site.seen().count_on("a.test", "/2"), 2);
    assert_eq!(edges_of(&graph), edges, "its second page linked to b before it became unreachable");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_seeds_do_not_hide_a_reachable_one() {
    let (site, mut input) = thirty_others().await;
    input.fetch.resolve = Some(vec![format!("home.test:127.0.0.1:{}", site.port()), NOWHERE.to_owned()]);
    let dead: Vec<String> = (0..25).map(|number| format!("dead{number}.test")).collect();
    for place in [0, 25] {
        let mut seeds: Vec<&str> = dead.iter().map(String::as_str).collect();
        seeds.insert(place, "home.test");
        let (graph, finished) = weave(&seeds, input.clone()).await;
        assert_eq!(finished.reason, EndReason::Exhausted, "the living one is at {place}");
        assert_eq!(finished.receipt.count_of(FailureKind::Unreachable), 25 + 30);
        assert_eq!(end_of_host(&graph, "home.test"), (Disposition::Fetched, "page"));
    }
}

/// A store that does something at its n-th change of the graph, before or instead of it.
struct Tripwire {
    inner: Arc<MemoryGraph>,
    changes: AtomicU32,
    at: u32,
    trip: Box<dyn Fn() -> Result<(), StoreError> + Send + Sync>,
}

impl Tripwire {
    fn step(&self) -> Result<(), StoreError> {
        let number = self.changes.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.at { (self.trip)() } else { Ok(()) }
    }
}

impl WeaveStore for Tripwire {
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>> {
        self.inner.standing()
    }

    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>> {
        self.inner.pending(depth, after, limit)
    }

    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.step()?;
            self.inner.commit(visits).await
        })
    }

    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>> {
        self.inner.mentions(depth, limit)
    }

    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>> {
        self.inner.known(hosts)
    }

    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.step()?;
            self.inner.grow(growth).await
        })
    }

    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.step()?;
            self.inner.visit_again(again).await
        })
    }

    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.step()?;
            self.inner.settle_depths(max_depth).await
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_failure_at_any_step_ends_the_weave_which_can_be_resumed() {
    let site = Web::hosts_graph(29, 40, 3).start().await;
    let seed = "http://h0.test/";
    let mut plain = settings(site.port());
    (plain.weave.max_outbound_links, plain.weave.max_crawls_per_node) = (Some(2), Some(1));
    let wider = settings(site.port());
    let (straight, _) = weave(&[seed], plain.clone()).await;
    go_on(&straight, seed, wider.clone(), true).await;
    let expected = text_of(&straight);
    let mut failures = 0;
    for at in 1.. {
        let graph = Arc::new(MemoryGraph::default());
        let mut has_failed = false;
        for input in [&plain, &wider] {
            let trip = Box::new(|| Err(StoreError::new("the disk is gone")));
            let store = Tripwire { inner: graph.clone(), changes: AtomicU32::new(0), at, trip };
            let plan = WeavePlan::new([seed], input.clone()).expect("the plan of a test is valid");
            let lost =
                Weaver::new(plan, Arc::new(store)).paces(Paces::default()).start().expect("it starts").wait().await;
            has_failed |= lost.is_err();
            go_on(&graph, seed, input.clone(), false).await;
        }
        assert_eq!(text_of(&graph), expected, "the store was lost at step {at}");
        if !has_failed {
            break;
        }
        failures += 1;
    }
    assert!(failures >= 8, "{failures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_during_numbering_leaves_the_rest_for_the_next_session() {
    let hosts: Vec<String> = (0..5_000).map(|number| format!("http://n{number}.test/")).collect();
    let site = Site::new().host("home.test", Site::new().page("/", Page::titled("Home").links(&hosts))).start().await;
    let mut input = settings(site.port());
    input.limits.session_budget = Some(1);
    let graph = Arc::new(MemoryGraph::default());
    let stopper: Arc<OnceLock<Stopper>> = Arc::default();
    let stop = Arc::clone(&stopper);
    // The starting point, its visit, and then the first hosts that it mentions.
    let trip = Box::new(move || {
        stop.get().expect("the weave runs").stop();
        Ok(())
    });
    let store = Tripwire { inner: graph.clone(), changes: AtomicU32::new(0), at: 3, trip };
    let plan = WeavePlan::new(["home.test"], input.clone()).expect("the plan of a test is valid");
    let running = Weaver::new(plan, Arc::new(store)).paces(Paces::default()).start().expect("a weave starts");
    assert!(stopper.set(running.stopper()).is_ok());
    let finished = end_of(running).await;
    assert_eq!((finished.reason, graph.nodes().len()), (EndReason::Stopped, 2_001));
    let finished = end_of(begin(&["home.test"], input, &graph)).await;
    assert_eq!((finished.reason, graph.nodes().len()), (EndReason::BudgetSpent, 5_001));
}
