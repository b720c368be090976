//! Weaves: the graph equals the declared one, at any parallelism, in any number of sessions, after any crash.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bluesnake_engine::plan::RobotsMode;
use bluesnake_engine::weave::Weaver;
use bluesnake_engine::weave::memory::MemoryGraph;
use bluesnake_engine::{
    Disposition, EndReason, Event, Finished, HostNews, Paces, Reason, Running, WaitReason, WeaveInput, WeavePlan,
};
use testsite::{Fault, Latency, Page, Reply, Site, Tls, Web};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::{difference, end_of, weave_hosts};

/// Settings for hosts that are all served by one port, to be visited in full.
pub(crate) fn settings(port: u16) -> WeaveInput {
    let mut input = weave_hosts(port);
    input.weave.max_depth = Some(100);
    input.weave.max_subdomains_per_root = Some(0);
    input.weave.max_outbound_links = Some(0);
    input
}

pub(crate) fn begin(seeds: &[&str], input: WeaveInput, graph: &Arc<MemoryGraph>) -> Running {
    let plan = WeavePlan::new(seeds, input).expect("the plan of a test is valid");
    Weaver::new(plan, graph.clone()).paces(Paces::default()).start().expect("a weave starts")
}

pub(crate) async fn weave(seeds: &[&str], input: WeaveInput) -> (Arc<MemoryGraph>, Finished) {
    let graph = Arc::new(MemoryGraph::default());
    let finished = end_of(begin(seeds, input, &graph)).await;
    assert!(finished.receipt.adds_up());
    (graph, finished)
}

/// Weaves a site from one of its hosts.
pub(crate) async fn weave_site(
    site: Site,
    seed: &str,
    change: impl FnOnce(&mut WeaveInput),
) -> (testsite::Running, Arc<MemoryGraph>, Finished) {
    let site = site.start().await;
    let mut input = settings(site.port());
    change(&mut input);
    let (graph, finished) = weave(&[seed], input).await;
    (site, graph, finished)
}

/// A whole graph, in a form that can be compared.
pub(crate) fn text_of(graph: &MemoryGraph) -> String {
    let mut text = String::new();
    for node in graph.nodes() {
        let (number, depth, reason) = (node.number, node.depth, node.reason);
        writeln!(text, "{number} {} {depth} {} {reason}", node.host, node.reason.disposition().as_str()).unwrap();
    }
    for visit in graph.visits() {
        let pages: Vec<&str> = visit.pages.iter().map(|page| page.url.as_str()).collect();
        writeln!(text, "{} {:?} {} {pages:?}", visit.number, visit.description, visit.crawl_count()).unwrap();
    }
    for edge in graph.edges() {
        writeln!(text, "{} -> {} {}", edge.from, edge.to, edge.weight).unwrap();
    }
    writeln!(text, "{:?}", graph.refused()).unwrap();
    text
}

/// The links between hosts with their weights.
pub(crate) fn edges_of(graph: &MemoryGraph) -> BTreeMap<(String, String), u32> {
    let nodes = graph.nodes();
    let name = |number: bluesnake_engine::Number| nodes[number.0 as usize - 1].host.name().to_owned();
    graph.edges().iter().map(|edge| ((name(edge.from), name(edge.to)), edge.weight)).collect()
}

pub(crate) fn hosts_of(graph: &MemoryGraph) -> Vec<String> {
    graph.nodes().iter().map(|node| node.host.to_string()).collect()
}

/// Where a host ended up.
pub(crate) fn end_of_host(graph: &MemoryGraph, host: &str) -> (Disposition, &'static str) {
    let node = graph.nodes().into_iter().find(|node| node.host.as_str() == host);
    let node = node.unwrap_or_else(|| panic!("{host} is not a node"));
    (node.reason.disposition(), node.reason.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_of_two_thousand_hosts_matches_its_truth_at_any_parallelism() {
    let web = Web::hosts_graph(7, 2_000, 3).links_per_page(3..=9);
    let site = web.clone().start().await;
    let mut first: Option<String> = None;
    for parallelism in [1, 16, 128] {
        let mut input = settings(site.port());
        input.politeness.parallelism = Some(parallelism);
        let (graph, finished) = weave(&[&site.url_on("h0.test", "/")], input).await;
        assert_eq!(finished.reason, EndReason::Exhausted);
        assert_eq!(graph.nodes().len(), 2_000);
        assert_eq!(finished.receipt.count_of(Reason::Page), 2_000);
        assert!(edges_of(&graph) == web.host_links(), "the links are not the declared ones at {parallelism}");
        let text = text_of(&graph);
        let first = first.get_or_insert_with(|| text.clone());
        assert!(*first == text, "at {parallelism}: {}", difference(first, &text));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_hosts_change_nothing_and_hosts_get_one_request_at_a_time() {
    let web = Web::hosts_graph(3, 60, 3);
    let straight = web.clone().start().await;
    let mut input = settings(straight.port());
    let (expected, _) = weave(&["http://h0.test/"], input.clone()).await;
    let slow = web.site().latency(Latency::uniform(Duration::ZERO, Duration::from_millis(40)), 5).start().await;
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{}", slow.port())]);
    input.politeness.parallelism = Some(30);
    let (graph, _) = weave(&["http://h0.test/"], input).await;
    let port = |text: String, site: &testsite::Running| text.replace(&site.port().to_string(), "PORT");
    assert_eq!(port(text_of(&graph), &slow), port(text_of(&expected), &straight));
    let seen = slow.seen();
    assert!(seen.hosts().iter().all(|host| seen.most_at_once_on(host) == 1));
    assert!(seen.most_at_once() > 5, "different hosts are requested concurrently");
}

/// `a` links to `b`, `b` to `c`, and so on.
pub(crate) fn chain(hosts: &[&str]) -> Site {
    let mut site = Site::new();
    for pair in hosts.windows(2) {
        let page = Page::titled(pair[0]).link(&format!("http://{}/", pair[1]));
        site = site.host(pair[0], Site::new().page("/", page));
    }
    site.host(hosts[hosts.len() - 1], Site::new().page("/", Page::titled("end")))
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_end_in_the_class_of_their_front_page() {
    let links =
        ["hangs", "elsewhere", "garbage", "missing", "broken", "closed", "file", "loops", "moved", "rude", "empty"];
    let home = Page::titled("Home").links(links.iter().map(|name| format!("http://{name}.test/")));
    let home = home.link("http://nobody.invalid/");
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("hangs.test", Site::new().fault("/", Fault::HangBeforeHeaders))
        .host("elsewhere.test", Site::new().redirect("/", 301, "http://target.test/welcome"))
        .host("target.test", Site::new().page("/", Page::titled("Target")))
        .host("garbage.test", Site::new().fault("/", Fault::BadChunkSize))
        .host("missing.test", Site::new().page("/x", Page::titled("no front page")))
        .host("broken.test", Site::new().reply("/", Reply::status(500)))
        .host("closed.test", Site::new().robots("User-agent: *\nDisallow: /").page("/", Page::titled("closed")))
        .host("file.test", Site::new().reply("/", Reply::bytes("application/pdf", "%PDF-1.7")))
        .host("loops.test", Site::new().redirect_loop("/", 3).redirect("/", 302, "/"))
        .host(
            "moved.test",
            Site::new().redirect("/", 302, "/en/").page("/en/", Page::titled("Moved").link("http://target.test/")),
        )
        .host("rude.test", Site::new().fault("/robots.txt", Fault::ResetBeforeHeaders).page("/", Page::titled("rude")))
        .host("empty.test", Site::new().reply("/", Reply::html("")));
    let (_, graph, finished) = weave_site(site, "home.test", |input| {
        input.fetch.timeout_ms = Some(300);
        input.fetch.timeout_step_ms = Some(0);
        input.fetch.attempts = Some(2);
        input.politeness.parallelism = Some(16);
    })
    .await;
    let expected = [
        ("home.test", (Disposition::Fetched, "page")),
        ("hangs.test", (Disposition::Failed, "headers_timeout")),
        ("elsewhere.test", (Disposition::Redirected, "redirect")),
        ("garbage.test", (Disposition::Failed, "malformed")),
        ("missing.test", (Disposition::Fetched, "client_error")),
        ("broken.test", (Disposition::Fetched, "server_error")),
        ("closed.test", (Disposition::Refused, "robots")),
        ("file.test", (Disposition::Fetched, "resource")),
        ("loops.test", (Disposition::Redirected, "redirect_loop")),
        ("moved.test", (Disposition::Fetched, "page")),
        ("rude.test", (Disposition::Failed, "reset")),
        ("empty.test", (Disposition::Fetched, "page")),
        ("nobody.invalid", (Disposition::Failed, "dns_not_found")),
        ("target.test", (Disposition::Fetched, "page")),
    ];
    let ends: Vec<(&str, _)> = expected.iter().map(|(host, _)| (*host, end_of_host(&graph, host))).collect();
    assert_eq!(ends, expected);
    assert_eq!(graph.nodes().len(), expected.len());
    let edges = edges_of(&graph);
    for from in ["elsewhere.test", "moved.test"] {
        assert_eq!(edges[&(from.to_owned(), "target.test".to_owned())], 1, "{from}");
    }
    assert_eq!(finished.receipt.seen(), expected.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn spellings_of_a_host_are_one_node() {
    let home = Page::titled("Home").links([
        "http://Bücher.test/",
        "http://xn--bcher-kva.test/a",
        "http://other.test./",
        "http://other.test:80/b",
        "https://OTHER.test/c",
        "http://2130706433:9/",
        "http://127.0.0.1:9/",
        "http://[::1]:9/",
        "http://other.test:9/",
    ]);
    let other = Site::new().page("/", Page::titled("o"));
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("other.test", other.clone())
        .host("xn--bcher-kva.test", other);
    let (_, graph, _) = weave_site(site, "http://HOME.test./", |_| {}).await;
    let expected = ["home.test", "xn--bcher-kva.test", "other.test", "127.0.0.1:9", "[::1]:9", "other.test:9"];
    assert_eq!(hosts_of(&graph), expected);
    assert!(graph.edges().iter().all(|edge| edge.weight == 1), "a page counts once");
    assert_eq!(end_of_host(&graph, "127.0.0.1:9").0, Disposition::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn https_comes_first_and_http_is_the_fallback() {
    let secure =
        Site::new().tls(Tls::trusted()).host("a.test", Site::new().page("/", Page::titled("secure"))).start().await;
    let mut input = settings(secure.port());
    let ca = crate::world::Folder::new();
    input.fetch.ca_file = Some(ca.file("ca.pem", &secure.ca_pem()));
    let (graph, _) = weave(&["a.test"], input).await;
    assert_eq!(graph.visits()[0].pages[0].url.as_str(), "https://a.test/");

    let (_, graph, _) =
        weave_site(Site::new().host("a.test", Site::new().page("/", Page::titled("plain"))), "a.test", |_| {}).await;
    assert_eq!(graph.visits()[0].pages[0].url.as_str(), "http://a.test/");
    assert_eq!(graph.visits()[0].crawl_count(), 1, "the attempt by https is part of it");
}

/// A port that closes every connection at its first byte until dropped; with `page` it serves that over http.
struct Door {
    port: u16,
    is_open: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Door {
    fn open(port: u16, page: Option<&'static str>) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        let (port, is_open) = (listener.local_addr().expect("it listens").port(), Arc::new(AtomicBool::new(true)));
        let holds = Arc::clone(&is_open);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().take_while(|_| holds.load(Ordering::SeqCst)) {
                let mut stream = stream.expect("somebody connects");
                let mut word = [0; 4096];
                let read = stream.read(&mut word).unwrap_or(0);
                if let Some(page) = page.filter(|_| word[..read].starts_with(b"GET ")) {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close", page.len());
                    stream.write_all(format!("{head}\r\nContent-Type: text/html\r\n\r\n{page}").as_bytes()).ok();
                }
            }
        });
        Self { port, is_open, thread: Some(thread) }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.is_open.store(false, Ordering::SeqCst);
        std::net::TcpStream::connect(("127.0.0.1", self.port)).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_https_is_not_waited_for() {
    let door = Door::open(0, Some("<title>by http</title>"));
    let mut input = settings(door.port);
    input.fetch.retry_delays_ms = Some(vec![3_600_000]);
    let (graph, _) = weave(&["a.test"], input).await;
    assert_eq!(graph.visits()[0].description, "by http");
}

#[tokio::test(flavor = "multi_thread")]
async fn https_is_retried_if_http_fails_too() {
    let door = Door::open(0, None);
    let mut input = settings(door.port);
    input.politeness.robots = Some(RobotsMode::Ignore);
    let (port, door) = (door.port, Mutex::new(Some(door)));
    let requested: Arc<Mutex<Vec<(String, u32)>>> = Arc::default();
    let log = Arc::clone(&requested);
    let graph = Arc::new(MemoryGraph::default());
    let plan = WeavePlan::new(["a.test"], input).expect("the plan of a test is valid");
    let weaver = Weaver::new(plan, graph.clone()).paces(Paces::default()).on_request(move |url, attempt| {
        let scheme = url.as_str().split(':').next().unwrap_or_default().to_owned();
        let mut door = door.lock().unwrap();
        match scheme.as_str() {
            "http" => *door = None,
            _ => *door = door.take().or_else(|| Some(Door::open(port, None))),
        }
        log.lock().unwrap().push((scheme, attempt));
    });
    end_of(weaver.start().expect("a weave starts")).await;
    let attempts = [("https", 1), ("http", 1), ("https", 2), ("https", 3)];
    assert_eq!(*requested.lock().unwrap(), attempts.map(|(scheme, attempt)| (scheme.to_owned(), attempt)));
    let (disposition, reason) = end_of_host(&graph, "a.test");
    assert!(disposition == Disposition::Failed && reason != "refused", "https got further: {reason}");
}

/// Breaks the first TLS connections, forwards later ones to a site, and redirects http to https.
async fn gate(listener: tokio::net::TcpListener, site: u16, breaks: u32) {
    let mut connections = tokio::task::JoinSet::new();
    let mut broken = 0;
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut first = [0; 1];
        let is_tls = stream.peek(&mut first).await.is_ok() && first[0] == 0x16;
        if is_tls && broken < breaks {
            broken += 1;
            continue;
        }
        connections.spawn(async move {
            if is_tls {
                let mut server = tokio::net::TcpStream::connect(("127.0.0.1", site)).await.expect("the site exists");
                tokio::io::copy_bidirectional(&mut stream, &mut server).await.ok();
            } else {
                let _ = stream.read(&mut [0; 4096]).await.is_ok();
                let moved = "HTTP/1.1 301 Moved\r\nLocation: https://a.test/\r\nContent-Length: 0\r\nConnection: close";
                stream.write_all(format!("{moved}\r\n\r\n").as_bytes()).await.ok();
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_broken_connection_does_not_lose_a_host_that_leads_from_http_to_https() {
    let page = Page::titled("A").link("http://b.test/");
    let site = Site::new().host("a.test", Site::new().page("/", page)).tls(Tls::trusted()).start().await;
    let mut gates = tokio::task::JoinSet::new();
    for breaks in [0, 1] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let mut input = settings(listener.local_addr().expect("it listens").port());
        gates.spawn(gate(listener, site.port(), breaks));
        let ca = crate::world::Folder::new();
        input.fetch.ca_file = Some(ca.file("ca.pem", &site.ca_pem()));
        let (graph, _) = weave(&["a.test"], input).await;
        assert_eq!(end_of_host(&graph, "a.test"), (Disposition::Fetched, "page"), "{breaks} connections broke");
        assert!(edges_of(&graph).contains_key(&("a.test".to_owned(), "b.test".to_owned())));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_https_host_is_retried_after_a_broken_connection() {
    let broken = Site::new().host("a.test", Site::new().fault("/", Fault::ResetBeforeHeaders));
    let site = broken.tls(Tls::trusted()).start().await;
    let mut input = settings(site.port());
    let ca = crate::world::Folder::new();
    input.fetch.ca_file = Some(ca.file("ca.pem", &site.ca_pem()));
    let (graph, _) = weave(&["a.test"], input).await;
    let page = &graph.visits()[0].pages[0];
    assert!(page.url.as_str().starts_with("https:") && page.reason.disposition() == Disposition::Failed);
    assert_eq!(page.attempts, 3, "robots.txt was fetched, so the host speaks https");
}

#[tokio::test(flavor = "multi_thread")]
async fn partially_read_pages_are_reported() {
    let links = ["large", "broken", "fine"].map(|name| format!("http://{name}.test/"));
    let home = Page::titled("Home").links(links).link("http://one-too-many.test/");
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("large.test", Site::new().page("/", Page::titled("Large").pad_to(50_000)))
        .host("broken.test", Site::new().fault("/", Fault::TruncatedBody))
        .host("fine.test", Site::new().page("/", Page::titled("Fine")));
    let (_, graph, _) = weave_site(site, "home.test", |input| {
        input.limits.links_per_page = Some(3);
        input.fetch.body_limit = Some(20_000);
    })
    .await;
    assert_eq!(hosts_of(&graph), ["home.test", "large.test", "broken.test", "fine.test"]);
    let visits = graph.visits();
    assert_eq!(visits.iter().map(|visit| visit.partial_pages).collect::<Vec<_>>(), [1, 1, 1, 0]);
    let details: Vec<String> =
        visits.iter().map(|visit| visit.pages[0].detail.as_deref().unwrap_or_default().to_owned()).collect();
    assert!(details[0].starts_with("1 of its links were not read"), "{details:?}");
    assert!(details[1..3].iter().all(|detail| detail.starts_with("only a part of it was read")), "{details:?}");
    assert_eq!(details[3], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_excluded_seed_is_a_node_like_others() {
    let site = chain(&["facebook.com", "b.test", "c.test"])
        .host("c.test", Site::new().page("/", Page::titled("c").link("http://facebook.com/")));
    let (_, graph, finished) = weave_site(site, "facebook.com", |input| {
        let port = input.fetch.resolve.as_ref().and_then(|rules| rules[0].rsplit(':').next()?.parse::<u16>().ok());
        input.fetch.resolve = Some(vec![format!("*:127.0.0.1:{}", port.expect("all hosts have one port"))]);
    })
    .await;
    assert_eq!((hosts_of(&graph).len(), finished.receipt.seen()), (3, 3));
    assert!(edges_of(&graph).contains_key(&("c.test".to_owned(), "facebook.com".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_certificate_is_reported_if_http_fails_too() {
    for (tls, reason) in [
        (Tls::self_signed(), "tls_unknown_issuer"),
        (Tls::unknown_ca(), "tls_unknown_issuer"),
        (Tls::expired(), "tls_expired"),
        (Tls::not_yet_valid(), "tls_not_yet_valid"),
        (Tls::wrong_host(), "tls_wrong_name"),
    ] {
        let site = Site::new().tls(tls).host("a.test", Site::new().page("/", Page::titled("x"))).start().await;
        let mut input = settings(site.port());
        let ca = crate::world::Folder::new();
        input.fetch.ca_file = Some(ca.file("ca.pem", &site.ca_pem()));
        let (graph, _) = weave(&["a.test"], input).await;
        assert_eq!(end_of_host(&graph, "a.test"), (Disposition::Failed, reason));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_front_page_comes_first_and_then_links_in_their_order() {
    let home = Page::titled("Home").links(["/c", "/image.png", "/b", "http://x.test/", "/a", "/c#top", "/d"]);
    let site = Site::new().host(
        "home.test",
        Site::new()
            .page("/", home)
            .page("/a", Page::titled("A").link("http://x.test/1"))
            .page("/b", Page::titled("B").link("http://x.test/2").link("http://x.test/3"))
            .page("/c", Page::titled("C").link("http://y.test/"))
            .page("/d", Page::titled("D").link("http://z.test/")),
    );
    let (site, graph, _) = weave_site(site, "home.test", |input| input.weave.max_crawls_per_node = Some(4)).await;
    let pages: Vec<String> = graph.visits()[0].pages.iter().map(|page| page.url.path().to_owned()).collect();
    assert_eq!(pages, ["/", "/c", "/b", "/a"]);
    let weights: Vec<(String, u32)> = edges_of(&graph).into_iter().map(|((_, to), weight)| (to, weight)).collect();
    assert_eq!(weights, [("x.test".to_owned(), 3), ("y.test".to_owned(), 1)], "three pages link to x");
    assert_eq!(site.seen().count_on("home.test", "/d"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptions_are_titles_or_descriptions_cut_on_characters() {
    let long = "ÄÖÜ漢字🦀".repeat(20);
    let home = Page::titled(&long).links(["http://b.test/", "http://c.test/", "http://d.test/"]);
    let site = Site::new()
        .host("home.test", Site::new().page("/", home))
        .host("b.test", Site::new().page("/", Page::titled("  ").meta("description", "what  it\nis about")))
        .host("c.test", Site::new().page("/", Page::titled("  spaced \n out ")))
        .host("d.test", Site::new().page("/", Page::titled("").link("/more")).page("/more", Page::titled("More")));
    let (_, graph, _) = weave_site(site, "home.test", |_| {}).await;
    let descriptions: Vec<String> = graph.visits().into_iter().map(|visit| visit.description).collect();
    let cut: String = long.chars().take(60).collect();
    assert_eq!(descriptions, [cut.as_str(), "what it is about", "spaced out", "More"]);
}

/// A page that links to many hosts.
fn hub() -> Site {
    let targets =
        ["a.hub.test", "www.facebook.com", "b.hub.test", "c.hub.test", "notfacebook.com", "ads.shop.test", "x.test"];
    let home = Page::titled("Hub").links(targets.iter().map(|host| format!("http://{host}/")));
    let mut site =
        Site::new().host("hub.test", Site::new().page("/", home.link("/more")).page("/more", Page::titled("more")));
    for host in targets {
        site = site.host(host, Site::new().page("/", Page::titled(host)));
    }
    site
}

/// What every option of a weave does to the graph.
#[tokio::test(flavor = "multi_thread")]
async fn every_option_has_an_effect() {
    async fn hosts(change: impl FnOnce(&mut WeaveInput)) -> Vec<String> {
        let site = hub().start().await;
        let mut input = settings(site.port());
        input.fetch.resolve = Some(vec![format!("*:127.0.0.1:{}", site.port())]);
        change(&mut input);
        let (graph, finished) = weave(&["hub.test"], input).await;
        let mut hosts = hosts_of(&graph);
        hosts.push(format!("{} pages", finished.progress.pages + finished.progress.failed));
        hosts.extend(graph.refused().iter().map(|(host, refusal)| format!("{host}: {}", refusal.as_str())));
        hosts
    }
    let all = ["hub.test", "a.hub.test", "b.hub.test", "c.hub.test", "notfacebook.com", "x.test"];
    let check = |found: Vec<String>, nodes: &[&str], pages: usize, refused: &[&str]| {
        let mut expected: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        expected.push(format!("{pages} pages"));
        expected.extend(refused.iter().map(ToString::to_string));
        assert_eq!(found, expected);
    };
    let excluded = ["ads.shop.test: excluded_host", "www.facebook.com: excluded_host"];
    check(hosts(|_| {}).await, &all, 7, &excluded);
    check(hosts(|input| input.weave.max_crawls_per_node = Some(1)).await, &all, 6, &excluded);
    check(hosts(|input| input.weave.max_depth = Some(1)).await, &all, 7, &excluded);
    let first = ["hub.test", "a.hub.test", "b.hub.test"];
    check(hosts(|input| input.weave.max_outbound_links = Some(2)).await, &first, 4, &excluded);
    let limited = ["ads.shop.test: excluded_host", "c.hub.test: subdomain_limit", "www.facebook.com: excluded_host"];
    let few = ["hub.test", "a.hub.test", "b.hub.test", "notfacebook.com", "x.test"];
    check(hosts(|input| input.weave.max_subdomains_per_root = Some(2)).await, &few, 6, &limited);
    let more = ["ads.shop.test: excluded_host", "notfacebook.com: excluded_host", "www.facebook.com: excluded_host"];
    let without = ["hub.test", "a.hub.test", "b.hub.test", "c.hub.test", "x.test"];
    check(hosts(|input| input.weave.exclude = Some(vec!["notfacebook.com".to_owned()])).await, &without, 6, &more);
    let everything = [
        "hub.test",
        "a.hub.test",
        "www.facebook.com",
        "b.hub.test",
        "c.hub.test",
        "notfacebook.com",
        "ads.shop.test",
        "x.test",
    ];
    check(hosts(|input| input.weave.default_exclusions = Some(false)).await, &everything, 9, &[]);
    let chain =
        weave_site(chain(&["a.test", "b.test", "c.test", "d.test"]), "a.test", |input| input.weave.max_depth = Some(1))
            .await;
    assert_eq!(hosts_of(&chain.1), ["a.test", "b.test", "c.test"], "the edge beyond the limit is recorded");
    assert_eq!(chain.0.seen().hosts(), ["a.test", "b.test"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn timeouts_and_server_errors_are_retried_and_other_failures_are_not() {
    let links = ["slow", "sick", "gone"].map(|name| format!("http://{name}.test/"));
    let twice = |last: Reply| Reply::sequence([Reply::status(502), Reply::status(500), last]);
    let site = Site::new()
        .host("home.test", Site::new().page("/", Page::titled("Home").links(links)))
        .host("slow.test", Site::new().fault("/", Fault::HangBeforeHeaders))
        .host("sick.test", Site::new().reply("/", twice(Reply::html("<title>well</title>"))))
        .host("gone.test", Site::new().reply("/", Reply::status(404)));
    let (site, graph, _) = weave_site(site, "home.test", |input| {
        input.fetch.timeout_ms = Some(100);
        input.fetch.timeout_step_ms = Some(50);
        input.fetch.attempts = Some(3);
    })
    .await;
    assert_eq!(end_of_host(&graph, "sick.test"), (Disposition::Fetched, "page"));
    let seen = site.seen();
    let requested = |host: &str| seen.count_on(host, "/");
    assert_eq!((requested("slow.test"), requested("sick.test"), requested("gone.test")), (3, 3, 1));
    let visits = graph.visits();
    let attempts: Vec<u32> = visits.iter().map(|visit| visit.pages[0].attempts).collect();
    assert_eq!(attempts, [1, 3, 3, 1]);
    let slow = &visits[1].pages[0];
    assert!(slow.elapsed >= Duration::from_millis(200), "the third attempt may take longest: {:?}", slow.elapsed);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pace_of_a_host_and_its_crawl_delay_are_kept() {
    let pages = |robots: &str| {
        let home = Page::titled("Home").link("/a").link("/b");
        Site::new().robots(robots).page("/", home).page("/a", Page::titled("A")).page("/b", Page::titled("B"))
    };
    let site = Site::new().host("home.test", pages(""));
    let (site, _, _) = weave_site(site, "home.test", |input| input.politeness.rate = Some(20.0)).await;
    assert!(site.seen().shortest_gap() >= Duration::from_millis(49), "{:?}", site.seen().shortest_gap());
    let site = Site::new().host("home.test", pages("User-agent: *\nCrawl-delay: 0.1"));
    let (site, _, _) = weave_site(site, "home.test", |_| {}).await;
    assert!(site.seen().shortest_gap_without_robots() >= Duration::from_millis(99));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_shows_what_a_weave_waits_for() {
    let pages = Site::new().robots("User-agent: *\nCrawl-delay: 0.2").page("/", Page::titled("Home").link("/a"));
    let site = Site::new().host("home.test", pages.page("/a", Page::titled("A"))).start().await;
    let running = begin(&["home.test"], settings(site.port()), &Arc::new(MemoryGraph::default()));
    let mut progress = running.progress();
    let waits = progress.wait_for(|progress| progress.waiting.is_some()).await.expect("it waits before it ends");
    let wait = waits.waiting.clone().expect("it was just seen");
    assert_eq!((&*wait.host, wait.reason), ("home.test", WaitReason::CrawlDelay));
    drop(waits);
    end_of(running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_and_events_report_responses_resting_hosts_and_the_end() {
    let busy = Site::new().reply("/", Reply::status(429).header("Retry-After", "1"));
    let site = Site::new().host("busy.test", busy).start().await;
    let plan = WeavePlan::new(["busy.test"], settings(site.port())).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let heard = Arc::clone(&heard);
        move || heard.lock().unwrap().push(what)
    };
    let (response, host, end) = (note("response"), note("host"), note("end"));
    let weaver = Weaver::new(plan, Arc::new(MemoryGraph::default())).paces(Paces::default());
    let mut events = weaver.events();
    let weaver = weaver.on_response(move |_, _| response()).on_host(move |_| host()).on_complete(move |_| end());
    end_of(weaver.start().expect("a weave starts")).await;
    let heard = heard.lock().unwrap();
    assert!(heard.contains(&"response") && heard.contains(&"host"), "{heard:?}");
    assert_eq!(heard.iter().filter(|what| **what == "end").count(), 1);
    let is_rest = |event| matches!(event, Event::Host(HostNews::Resting { host, .. }) if host == "busy.test");
    assert!(std::iter::from_fn(|| events.try_recv().ok()).any(is_rest));
}

/// Requests to a host, except robots.txt.
pub(crate) fn requests_to(site: &testsite::Running, host: &str) -> usize {
    site.log().iter().filter(|seen| seen.host == host && seen.target != "/robots.txt").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_do_not_bypass_the_page_limit() {
    let shop = |name: &str| {
        let links = (0..30).map(|number| format!("/{name}/{number}"));
        Site::new().robots("User-agent: *\nDisallow: /login").page("/", Page::titled("shop").links(links))
    };
    let (mut forbidden, mut chains) = (shop("add"), shop("chain"));
    for number in 0..30 {
        forbidden = forbidden.redirect(&format!("/add/{number}"), 302, &format!("/login?next={number}"));
        for hop in 0..15 {
            let from = if hop == 0 { format!("/chain/{number}") } else { format!("/c/{number}/{hop}") };
            chains = chains.redirect(&from, 302, &format!("/c/{number}/{}", hop + 1));
        }
    }
    let (site, graph, _) = weave_site(Site::new().host("a.test", forbidden), "a.test", |_| {}).await;
    assert_eq!(requests_to(&site, "a.test"), 3, "the front page and two more");
    assert_eq!(graph.visits()[0].crawl_count(), 3);
    let (site, graph, _) = weave_site(Site::new().host("a.test", chains), "a.test", |_| {}).await;
    assert_eq!(requests_to(&site, "a.test"), 1 + 2 * 11, "a chain ends after ten redirects");
    let reasons: Vec<&str> = graph.visits()[0].pages.iter().map(|page| page.reason.as_str()).collect();
    assert_eq!(reasons, ["page", "too_many_redirects", "too_many_redirects"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_a_fetched_page_is_not_a_loop() {
    let home = Page::titled("Home").links(["/home", "/ping", "/#a", "/#b"]);
    let site = Site::new()
        .page("/", home)
        .redirect("/home", 302, "/")
        .redirect("/ping", 302, "/pong")
        .redirect("/pong", 302, "/ping");
    let (site, graph, _) = weave_site(Site::new().host("a.test", site), "a.test", |_| {}).await;
    let visits = graph.visits();
    let ends: Vec<(&str, &str)> = visits[0].pages.iter().map(|page| (page.url.path(), page.reason.as_str())).collect();
    assert_eq!(ends, [("/", "page"), ("/home", "redirect"), ("/pong", "redirect_loop")]);
    assert_eq!(site.seen().count_on("a.test", "/"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limiting_host_is_left_alone() {
    let later = |wait: &str| Reply::status(429).header("Retry-After", wait);
    let home = Page::titled("Home").links(["/a", "/b"]);
    let busy = Site::new().page("/", home).reply("/a", later("3600")).page("/b", Page::titled("B"));
    let (site, graph, _) = weave_site(Site::new().host("a.test", busy), "a.test", |_| {}).await;
    assert_eq!(requests_to(&site, "a.test"), 2, "no request follows an excessive Retry-After");
    assert_eq!(graph.visits()[0].pages[1].status, Some(429));

    let closed =
        Site::new().reply("/robots.txt", Reply::status(503).header("Retry-After", "3600")).page("/", Page::titled("x"));
    let (site, graph, _) = weave_site(Site::new().host("a.test", closed), "a.test", |_| {}).await;
    assert_eq!(site.seen().count_on("a.test", "/robots.txt"), 1);
    assert_eq!(end_of_host(&graph, "a.test"), (Disposition::Refused, "robots_unreachable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn overlong_names_and_urls_are_skipped() {
    let long = "a".repeat(300);
    let home =
        Page::titled("Home").link(&format!("http://{long}.test/")).link(&format!("/{}", "b".repeat(3000))).link("/c");
    let site = Site::new().page("/", home).page("/c", Page::titled("C").link("http://never.test/"));
    let (site, graph, _) = weave_site(Site::new().host("a.test", site), "a.test", |input| {
        input.weave.exclude = Some(vec!["never.test".to_owned()]);
    })
    .await;
    assert_eq!(hosts_of(&graph), ["a.test"]);
    assert_eq!(graph.refused().len(), 1, "the excluded host");
    assert_eq!(requests_to(&site, "a.test"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_is_respected_ignored_or_reported() {
    let page = Page::titled("Home").link("/private");
    let site = || {
        let host = Site::new().robots("User-agent: *\nDisallow: /private").page("/", page.clone());
        Site::new().host("a.test", host.page("/private", Page::titled("Private")))
    };
    let private = async |mode: RobotsMode| {
        let (site, graph, _) = weave_site(site(), "a.test", |input| input.politeness.robots = Some(mode)).await;
        let page = graph.visits().remove(0).pages.remove(1);
        (site.seen().count_on("a.test", "/private"), page.reason.as_str(), page.detail.as_deref().map(str::to_owned))
    };
    let line = Some("line 2: /private".to_owned());
    assert_eq!(private(RobotsMode::Respect).await, (0, "robots", line.clone()));
    assert_eq!(private(RobotsMode::Ignore).await, (1, "page", None));
    assert_eq!(private(RobotsMode::IgnoreReport).await, (1, "page", line));
}

/// The values of settings that are not given.
#[test]
fn defaults_match_the_documentation() {
    let plan = WeavePlan::new(["a.test"], WeaveInput::default()).expect("defaults are valid");
    let weave = &plan.weave;
    assert_eq!((weave.max_depth, weave.max_crawls_per_node), (5, 3));
    assert_eq!((weave.max_subdomains_per_root, weave.max_outbound_links), (3, 10));
    assert_eq!((plan.politeness.parallelism, plan.fetch.attempts), (3, 3));
    assert_eq!((plan.fetch.timeout_ms, plan.fetch.timeout_step_ms), (5_000, 2_000), "5, 7, 9 seconds");
    assert_eq!(plan.fetch.retry_delays_ms, [5_000]);
    assert_eq!((plan.politeness.robots, plan.politeness.rate), (RobotsMode::Respect, 1.0));
}
