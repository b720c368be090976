//! What a crawl reports while it runs, and about each page.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bluesnake_engine::link::{PathType, Position, Rel};
use bluesnake_engine::visit::Indexability;
use bluesnake_engine::{Disposition, EndReason, Event, MemoryStore, Number, Progress};
use testsite::{Fault, Latency, Page, Reply, Site, Web, scenarios};
use tokio::sync::broadcast::error::RecvError;

use crate::world::{Crawled, crawl, crawl_site, crawler, difference, local};

/// A list that callbacks write to.
type Reported<T> = Arc<Mutex<Vec<T>>>;

fn reported<T>() -> Reported<T> {
    Arc::default()
}

fn taken<T: Clone>(reported: &Reported<T>) -> Vec<T> {
    reported.lock().unwrap().clone()
}

/// A page of every fate: sound, missing, broken, moved, of another type, and an image.
fn mixed() -> Site {
    Site::new()
        .page("/", Page::titled("Home").links(["/a", "/broken", "/moved", "/data"]).image("/logo.png"))
        .page("/a", Page::titled("A").link("/"))
        .fault("/broken", Fault::DropBeforeHeaders)
        .redirect("/moved", 301, "/a")
        .reply("/data", Reply::text("application/json", "{}"))
        .reply("/logo.png", Reply::bytes("image/png", *b"\x89PNG"))
}

/// Each visit is reported once, as a page or as something else.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_reported_once_even_failed_ones_and_the_rest_as_resources() {
    let site = mixed().start().await;
    let (pages, resources) = (reported(), reported());
    let (as_page, as_resource) = (Arc::clone(&pages), Arc::clone(&resources));
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()))
        .on_page(move |visit| as_page.lock().unwrap().push((visit.url().path().to_owned(), visit.status())))
        .on_resource(move |visit| as_resource.lock().unwrap().push((visit.url().path().to_owned(), visit.status())))
        .start()
        .unwrap();
    running.wait().await.unwrap();
    let expected = [("/", Some(200)), ("/a", Some(200)), ("/broken", None)];
    assert_eq!(taken(&pages), expected.map(|(path, status)| (path.to_owned(), status)));
    let mut others = taken(&resources);
    others.sort();
    let expected = [("/data", Some(200)), ("/logo.png", Some(200)), ("/moved", Some(301))];
    assert_eq!(others, expected.map(|(path, status)| (path.to_owned(), status)));
}

/// Success or error.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_page_is_reported_as_a_page() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/gone").link("/down"))
        .page("/gone", Page::titled("Gone").status(404))
        .page("/down", Page::titled("Down").status(500))
        .start()
        .await;
    let pages = reported();
    let log = Arc::clone(&pages);
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()))
        .on_page(move |visit| log.lock().unwrap().push((visit.url().path().to_owned(), visit.status())))
        .start()
        .unwrap();
    running.wait().await.unwrap();
    let expected = [("/", Some(200)), ("/gone", Some(404)), ("/down", Some(500))];
    assert_eq!(taken(&pages), expected.map(|(path, status)| (path.to_owned(), status)));
}

/// Callbacks come in the order of turns, whichever response comes first.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_reported_in_turn_order_at_any_latency() {
    for seed in 0..5 {
        let latency = Latency::uniform(Duration::ZERO, Duration::from_millis(15));
        let web = Web::random(seed).pages(150).redirects(5).missing(5);
        let site = web.site().latency(latency, seed).start().await;
        let turns = reported();
        let log = Arc::clone(&turns);
        let mut input = local();
        input.politeness.parallelism = Some(64);
        let running = crawler(&[site.url("/")], input, &Arc::new(MemoryStore::default()))
            .on_page(move |visit| log.lock().unwrap().push(visit.row.turn))
            .start()
            .unwrap();
        running.wait().await.unwrap();
        let turns = taken(&turns);
        assert!(turns.is_sorted(), "seed {seed}: {turns:?}");
        assert!(turns.len() >= 150, "seed {seed}");
    }
}

/// What goes over the wire, attempt by attempt.
#[tokio::test(flavor = "multi_thread")]
async fn every_request_and_response_is_reported() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/flaky").image("/logo.png"))
        .reply("/flaky", Reply::sequence([Reply::status(500), Reply::html("<p>fine</p>")]))
        .start()
        .await;
    let (requests, responses) = (reported(), reported());
    let (requested, responded) = (Arc::clone(&requests), Arc::clone(&responses));
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()))
        .on_request(move |url, attempt| requested.lock().unwrap().push((url.path().to_owned(), attempt)))
        .on_response(move |url, response| responded.lock().unwrap().push((url.path().to_owned(), response.status)))
        .start()
        .unwrap();
    running.wait().await.unwrap();
    let (mut requests, mut responses) = (taken(&requests), taken(&responses));
    requests.sort();
    responses.sort();
    let expected = [("/", 1), ("/flaky", 1), ("/flaky", 2), ("/logo.png", 1)];
    assert_eq!(requests, expected.map(|(path, attempt)| (path.to_owned(), attempt)));
    let expected = [("/", 200), ("/flaky", 200), ("/flaky", 500), ("/logo.png", 404)];
    assert_eq!(responses, expected.map(|(path, status)| (path.to_owned(), status)));
}

/// One worker uses one connection. When the server closes it, the request is sent again over a new one, as part of the
/// same attempt.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_lost_with_a_dead_connection_is_resent_within_its_attempt() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/broken"))
        .fault("/broken", Fault::DropBeforeHeaders)
        .start()
        .await;
    let attempts = reported();
    let log = Arc::clone(&attempts);
    let mut input = local();
    input.politeness.parallelism = Some(1);
    let running = crawler(&[site.url("/")], input, &Arc::new(MemoryStore::default()))
        .on_request(move |url, attempt| {
            if url.path() == "/broken" {
                log.lock().unwrap().push(attempt);
            }
        })
        .start()
        .unwrap();
    running.wait().await.unwrap();
    assert_eq!(site.seen().count("/broken"), 3);
    assert_eq!(taken(&attempts), [1, 3]);
}

/// OnHTML with a selector.
#[tokio::test(flavor = "multi_thread")]
async fn matching_elements_are_reported_in_document_order() {
    let html = "<base href=/deep/><h1>One</h1><p class='note big'>x</p><a rel=next href=two>x</a><a href=three>x</a>\
        <template><h1>inert</h1></template>";
    let site = Site::new().reply("/", Reply::html(html)).start().await;
    let elements = reported();
    let log = Arc::clone(&elements);
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()))
        .on_element("h1, .note, a[rel=next]", move |element| {
            let url = element.url("href").and_then(Result::ok).map(|url| url.path().to_owned());
            log.lock().unwrap().push((element.name(), element.dom_path().to_owned(), url));
        })
        .unwrap()
        .start()
        .unwrap();
    running.wait().await.unwrap();
    let names: Vec<String> = taken(&elements).iter().map(|(name, _, _)| name.clone()).collect();
    assert_eq!(names[..3], ["h1", "p", "a"]);
    let (_, path, url) = taken(&elements).swap_remove(2);
    assert_eq!((path.as_str(), url.as_deref()), ("body > a", Some("/deep/two")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_knows_its_page() {
    let html = "<base href=/elsewhere/><h1>One</h1><a href=/two>x</a>";
    let site = Site::new().reply("/", Reply::html(html)).reply("/two", Reply::html("<h1>Two</h1>")).start().await;
    let pages = reported();
    let log = Arc::clone(&pages);
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()))
        .on_element("h1", move |element| log.lock().unwrap().push(element.page().to_string()))
        .unwrap()
        .start()
        .unwrap();
    running.wait().await.unwrap();
    assert_eq!(taken(&pages), [site.url("/"), site.url("/two")]);
}

#[test]
fn an_invalid_selector_fails_at_once() {
    let crawler = crawler(&["http://a.test/".to_owned()], local(), &Arc::new(MemoryStore::default()));
    assert!(crawler.on_element("p > a[", |_| {}).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn events_report_every_url_before_its_visit_and_the_end_last() {
    let site = Web::random(7).pages(60).redirects(8).missing(5).resources(20).start().await;
    let store = Arc::new(MemoryStore::default());
    let crawler = crawler(&[site.url("/")], local(), &store);
    let mut events = crawler.events();
    let running = crawler.start().unwrap();
    let listening = async {
        let mut reported = Vec::new();
        loop {
            match events.recv().await {
                Ok(event) => reported.push(event),
                Err(RecvError::Closed) => return reported,
                Err(RecvError::Lagged(_)) => panic!("the listener is fast enough"),
            }
        }
    };
    let (finished, reported) = tokio::join!(running.wait(), listening);
    let crawled = Crawled::of(store, finished.unwrap());
    let mut discovered: HashSet<Number> = HashSet::new();
    let mut visited: HashSet<Number> = HashSet::new();
    for event in &reported {
        match event {
            Event::Discovered(row) => assert!(discovered.insert(row.number), "{} is reported once", row.url),
            Event::Visited(visit) => {
                assert!(discovered.contains(&visit.number()), "{} is discovered first", visit.url());
                assert!(visited.insert(visit.number()), "{} is visited once", visit.url());
            }
            Event::Host(_) | Event::Finished(_) => {}
        }
    }
    assert_eq!(discovered.len() as u64, crawled.finished.receipt.seen());
    assert_eq!(visited.len(), crawled.store.visits().len());
    assert!(matches!(reported.last(), Some(Event::Finished(finished)) if finished.is_complete()));
    assert_eq!(reported.iter().filter(|event| matches!(event, Event::Finished(_))).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_listener_does_not_block_the_crawl() {
    let site = scenarios::high_fan_out(1500).start().await;
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[site.url("/")], local(), &store).start().unwrap();
    let (_never_read, _never_watched) = (running.events(), running.progress());
    let crawled = Crawled::of(store, running.wait().await.unwrap());
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), 1501);
}

/// What was found stays found.
#[tokio::test(flavor = "multi_thread")]
async fn progress_never_decreases() {
    let site = Web::random(3).pages(300).redirects(8).missing(8).query_variants(5).resources(30).start().await;
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default())).start().unwrap();
    let mut progress = running.progress();
    let watching = async {
        let (mut last, mut looks) = (Progress::default(), 0);
        while progress.changed().await.is_ok() {
            let now = progress.borrow_and_update().clone();
            let grows = now.seen >= last.seen
                && now.visits >= last.visits
                && now.pages >= last.pages
                && now.failed >= last.failed
                && now.bytes >= last.bytes;
            assert!(grows, "{last:?} then {now:?}");
            assert!(now.seen >= now.pending + now.visits, "every URL is pending, visited or refused: {now:?}");
            assert!(now.in_flight <= 8 && now.dropped == 0, "{now:?}");
            (last, looks) = (now, looks + 1);
        }
        (last, looks)
    };
    let (finished, (last, looks)) = tokio::join!(running.wait(), watching);
    assert_eq!(last, finished.unwrap().progress, "the last progress matches the final counts");
    assert!(looks > 10, "progress is reported while the crawl runs: {looks}");
}

/// Everything a page result promises.
#[tokio::test(flavor = "multi_thread")]
async fn a_visit_contains_the_facts_of_its_page() {
    let html = r#"<!doctype html><html lang="en"><head><title>The
        title</title><meta name="description" content=" What it says ">
        <link rel="canonical" href="/"></head><body>
        <nav><ul><li><a href="/menu">Menu</a></li></ul></nav>
        <main><h1>Heading</h1><p>Before <a href="about/us" rel="nofollow sponsored" target="_blank">about <b>us</b></a> after.</p>
        <a href="{origin}/absolute"><img src="/logo.png" alt="Our logo"></a></main>
        <aside><a href="?page=2">Beside</a></aside>
        <footer><a href="//outside.test/foot">Foot</a></footer></body></html>"#;
    let site = Site::new().reply("/", Reply::html(html)).page("/menu", Page::titled("Menu"));
    let (site, crawled) = crawl_site(site, local()).await;
    let visit = crawled.visit(&site.url("/"));
    let page = visit.page.as_ref().expect("it is a page");
    assert_eq!((visit.status(), visit.content_type(), visit.title()), (Some(200), "text/html", Some("The title")));
    assert_eq!(page.description.as_deref(), Some("What it says"));
    assert_eq!((visit.indexability, visit.indexability.as_str()), (Indexability::Yes, "Yes"));
    assert!(visit.error().is_none() && page.content_hash.is_some() && visit.duplicate_of.is_none());

    let links = visit.links.to_vec();
    let link = |path: &str| {
        let found = links.iter().position(|link| link.target.as_str().ends_with(path));
        let at = found.unwrap_or_else(|| panic!("{path} is a link"));
        (&links[at], visit.targets[at])
    };
    let check = |path, text, position, path_type, dom_path| {
        let (link, _) = link(path);
        assert_eq!((&*link.text, link.position, link.path_type), (text, position, path_type), "{path}");
        assert_eq!(&*link.dom_path, dom_path, "{path}");
    };
    check("/menu", "Menu", Position::Navigation, PathType::RootRelative, "body > nav > ul > li > a");
    check("/about/us", "about us", Position::Content, PathType::Relative, "body > main > p > a");
    check("/absolute", "Our logo", Position::Content, PathType::Absolute, "body > main > a");
    check("/logo.png", "Our logo", Position::Content, PathType::RootRelative, "body > main > a > img");
    check("?page=2", "Beside", Position::Sidebar, PathType::Relative, "body > aside > a");
    check("/foot", "Foot", Position::Footer, PathType::ProtocolRelative, "body > footer > a");
    let (about, _) = link("/about/us");
    assert!(about.rel.has(Rel::NOFOLLOW.and(Rel::SPONSORED).and(Rel::NEW_WINDOW)) && !about.rel.has(Rel::UGC));
    assert!(about.context.contains("Before") && about.context.contains("after"), "{:?}", about.context);

    let is_internal = |path: &str| {
        let number = link(path).1;
        crawled.store.urls()[number.0 as usize - 1].is_internal
    };
    assert!(is_internal("/menu") && !is_internal("/foot"));
}

/// Duplicates are reported, and failures have a reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_visit_reports_duplicates_and_failures() {
    let (site, crawled) = crawl_site(scenarios::duplicates(), local()).await;
    let original = crawled.row(&site.url("/product")).number;
    let copy = crawled.visit(&site.url("/Product"));
    assert_eq!(copy.duplicate_of, Some(original));
    assert_eq!(copy.page.as_ref().and_then(|page| page.content_hash.clone()), {
        let original = crawled.visit(&site.url("/product"));
        original.page.as_ref().and_then(|page| page.content_hash.clone())
    });
    let (site, crawled) = crawl_site(mixed(), local()).await;
    let broken = crawled.visit(&site.url("/broken"));
    assert!(broken.error().is_some_and(|error| !error.is_empty()));
    assert_eq!((broken.status(), broken.indexability.as_str(), broken.attempts), (None, "-", 3));
}

/// GetHTML and GetTextContent, when the plan keeps them.
#[tokio::test(flavor = "multi_thread")]
async fn document_and_text_are_kept_if_configured() {
    let html = "<title>T</title><p>Some <b>words</b></p><script>code()</script>";
    let site = Site::new().reply("/", Reply::html(html)).start().await;
    for (keep_html, keep_text) in [(false, false), (true, false), (false, true)] {
        let mut input = local();
        (input.keep.html, input.keep.text) = (Some(keep_html), Some(keep_text));
        let crawled = crawl(&site.url("/"), input).await;
        let visit = crawled.visit(&site.url("/"));
        assert_eq!(visit.html.as_deref(), keep_html.then_some(html.as_bytes()));
        let text = visit.page.as_ref().and_then(|page| page.text.clone());
        assert_eq!(text.is_some(), keep_text);
        assert!(text.is_none_or(|text| text.contains("Some words") && !text.contains("code")));
    }
}

fn tasks_alive() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Lets other tasks run until no more of them are left than before; connections need a moment to close.
async fn tasks_are_back_to(before: usize) {
    let coming_back = async {
        while tasks_alive() > before {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(300), coming_back).await;
    assert!(in_time.is_ok(), "{} tasks remain, {before} before the crawl", tasks_alive());
}

/// 2F: no task is left after the run.
#[tokio::test]
async fn a_finished_crawl_leaves_no_task() {
    let site = scenarios::high_fan_out(50).start().await;
    let before = tasks_alive();
    crawl(&site.url("/"), local()).await;
    tasks_are_back_to(before).await;
}

#[tokio::test]
async fn a_dropped_crawl_leaves_no_task_and_makes_no_more_requests() {
    let site = scenarios::high_fan_out(300).latency(Latency::fixed(Duration::from_millis(2)), 1).start().await;
    let other = scenarios::high_fan_out(100).start().await;
    let before = tasks_alive();
    let running = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default())).start().unwrap();
    site.wait_for(|seen| seen.requests() >= 20).await;
    drop(running);
    tasks_are_back_to(before).await;
    let requested = site.seen().requests();
    assert!(requested < 300, "it was dropped in the middle");
    crawl(&other.url("/"), local()).await;
    assert_eq!(site.seen().requests(), requested, "while another crawl made a hundred requests");
}

/// 2F: a soak of start, stop and resume returns to where it began.
#[tokio::test]
async fn a_hundred_starts_stops_and_resumes_succeed() {
    let latency = Latency::uniform(Duration::ZERO, Duration::from_millis(2));
    let web = Web::random(11).pages(120).redirects(8).missing(5).resources(20);
    let site = web.site().latency(latency, 11).start().await;
    let straight = crawl(&site.url("/"), local()).await.report();
    let before = tasks_alive();
    let mut store = Arc::new(MemoryStore::default());
    let mut ends = BTreeMap::<&str, u32>::new();
    for cycle in 0..100 {
        let running = crawler(&[site.url("/")], local(), &store).start().unwrap();
        let mut progress = running.progress();
        // An error means that the crawl ended before it was stopped.
        let _ = progress.wait_for(|progress| progress.visits > cycle % 7).await;
        running.stop();
        let crawled = Crawled::of(store.clone(), running.wait().await.unwrap());
        *ends.entry(crawled.finished.reason.as_str()).or_default() += 1;
        if crawled.finished.reason == EndReason::Exhausted {
            assert!(crawled.report() == straight, "cycle {cycle}: {}", difference(&straight, &crawled.report()));
            store = Arc::new(MemoryStore::default());
        }
    }
    assert_eq!(ends.keys().copied().collect::<Vec<_>>(), ["exhausted", "stopped"], "{ends:?}");
    tasks_are_back_to(before).await;
}
