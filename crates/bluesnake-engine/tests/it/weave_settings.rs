//! No inert option in a weave either: every setting that a weave has makes a difference that can be observed from outside.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use bluesnake_engine::plan::RobotsMode;
use bluesnake_engine::weave::Weaver;
use bluesnake_engine::weave::memory::MemoryGraph;
use bluesnake_engine::{Finished, JobInput, Paces, WeaveInput, WeavePlan};
use testsite::{Latency, Running, Site, Tls};

use crate::settings::{
    Case, Change, Checked, World, Written, case, cases, check_all, fields, grow_old, page, requests_of, two_hosts,
    with_hosts,
};
use crate::world::end_of;

/// A weave that is over.
struct Woven<'a> {
    site: &'a Running,
    graph: &'a MemoryGraph,
    finished: &'a Finished,
}

impl Woven<'_> {
    fn has_a_gap_of(&self, milliseconds: u64) -> bool {
        let log = self.site.log();
        log.windows(2).any(|pair| pair[1].at - pair[0].at >= Duration::from_millis(milliseconds))
    }

    fn has_gaps_of(&self, milliseconds: u64) -> bool {
        self.site.seen().shortest_gap_without_robots() >= Duration::from_millis(milliseconds)
    }

    fn is_soon(&self, milliseconds: u64) -> bool {
        self.finished.elapsed < Duration::from_millis(milliseconds)
    }
}

/// Five hosts that take their time, and one that links to them.
fn slow_hosts() -> Site {
    let names: Vec<String> = (0..5).map(|number| format!("n{number}.test")).collect();
    let home = page("Home").links(names.iter().map(|name| format!("{{host:{name}}}/")));
    let site = Site::new().host("a.test", Site::new().page("/", home));
    let slow = |name: &String| Site::new().page("/", page(name)).latency(Latency::fixed(Duration::from_millis(60)), 1);
    names.iter().fold(site, |site, name| site.host(name, slow(name)))
}

/// A host that links to itself and to five others, of which two are subdomains of one domain.
fn web() -> Site {
    let others = ["b.test", "x.c.test", "y.c.test", "ads.d.test", "e.test"];
    let home = page("Home").nofollow_link("/private").links(["/1", "/2", "/file.zip"]);
    let home = home.links(others.map(|name| format!("{{host:{name}}}/")));
    let own = Site::new().page("/", home).page("/1", page("1")).page("/2", page("2")).page("/private", page("Private"));
    let other = |name: &str| Site::new().page("/", page(name).link("{host:f.test}/"));
    let site = others.iter().fold(Site::new().host("a.test", own), |site, name| site.host(name, other(name)));
    site.host("f.test", Site::new().page("/", page("F")))
}

/// The settings that only a weave has.
fn weave_cases() -> Vec<Case> {
    let cases = [
        case("weave.max_depth", web, |input, _| input.weave.max_depth = Some(1)),
        case("weave.max_crawls_per_node", web, |input, _| input.weave.max_crawls_per_node = Some(2)),
        case("weave.max_subdomains_per_root", web, |input, _| input.weave.max_subdomains_per_root = Some(1)),
        case("weave.max_outbound_links", web, |input, _| input.weave.max_outbound_links = Some(1)),
        case("weave.exclude", web, |input, _| input.weave.exclude = Some(vec!["b.test".to_owned()])),
        case("weave.default_exclusions", web, |input, _| input.weave.default_exclusions = Some(false)),
        case("weave.follow_nofollow", web, |input, _| input.weave.follow_nofollow = Some(true)),
        case("weave.skip_files", web, |input, _| input.weave.skip_files = Some(false)),
    ];
    cases.map(|case| case.shared(with_hosts).seed("http://a.test:{port}/")).into()
}

/// Where a weave shows a setting on another site than a crawl does.
fn own_cases() -> Vec<Case> {
    let seed = "http://a.test:{port}/";
    vec![
        case("limits.session_budget", two_hosts, |input, _| input.limits.session_budget = Some(1))
            .shared(with_hosts)
            .seed(seed),
        case("politeness.parallelism", slow_hosts, |input, _| input.politeness.parallelism = Some(3))
            .shared(with_hosts)
            .seed(seed),
        case("politeness.per_address", slow_hosts, |input, _| input.politeness.per_address = Some(1))
            .shared(|input, world| {
                with_hosts(input, world);
                input.politeness.parallelism = Some(5);
            })
            .seed(seed),
        case("politeness.breaker_failures", slow_hosts, |input, _| input.politeness.breaker_failures = Some(1))
            .shared(|input, _| {
                // No machine can connect to the broadcast address: the system reports that there is no route.
                input.fetch.resolve = Some(vec!["*.test:255.255.255.255".to_owned()]);
                input.politeness.breaker_failures = Some(0);
            })
            .seed(seed),
        // After https, http is tried, and takes ten seconds.
        case(
            "fetch.connect_timeout_ms",
            || Site::new().tls(Tls::handshake_stall()),
            |input, _| input.fetch.connect_timeout_ms = Some(1),
        )
        .shared(|input, _| {
            input.fetch.attempts = Some(1);
            input.fetch.connect_timeout_ms = Some(8_000);
            input.fetch.timeout_ms = Some(10_000);
            input.politeness.robots = Some(RobotsMode::Ignore);
        }),
    ]
}

fn cases_of_weaves() -> Vec<Case> {
    let own = own_cases();
    let known = fields(WeaveInput::GROUPS);
    let is_other = |case: &Case| known.contains(case.field) && own.iter().all(|other| other.field != case.field);
    let others: Vec<Case> = cases().into_iter().filter(is_other).collect();
    others.into_iter().chain(own).chain(weave_cases()).collect()
}

/// What else to look at.
fn also(field: &str, woven: &Woven<'_>) -> String {
    match field {
        "politeness.parallelism" | "politeness.per_address" => format!("at once: {}", woven.site.seen().most_at_once()),
        "politeness.rate" => format!("spaced: {}", woven.has_gaps_of(100)),
        "politeness.max_crawl_delay_ms" => format!("spaced: {}", woven.has_gaps_of(180)),
        "politeness.adaptive" => format!("slowed down: {}", woven.has_a_gap_of(100)),
        "politeness.backoff_ms" | "politeness.breaker_pause_ms" | "fetch.retry_delays_ms" => {
            format!("waited: {}", woven.has_a_gap_of(2_900))
        }
        "fetch.connect_timeout_ms" => format!("soon: {}", woven.is_soon(18_000)),
        "fetch.total_timeout_ms" => format!("soon: {}", woven.is_soon(15_000)),
        _ => String::new(),
    }
}

#[test]
fn every_setting_of_a_weave_has_a_case() {
    let covered: BTreeSet<String> = cases_of_weaves().iter().map(|case| case.field.to_owned()).collect();
    let known = fields(WeaveInput::GROUPS).into_iter().filter(|field| !field.starts_with("render."));
    assert_eq!(covered, known.collect());
}

#[tokio::test]
async fn every_setting_makes_a_difference_in_a_weave() {
    let wrong = check_all(cases_of_weaves(), check).await;
    assert!(wrong.is_empty(), "{} settings:\n{}", wrong.len(), wrong.join("\n"));
}

fn check(case: Case) -> Checked {
    Box::pin(async move {
        let (one, other, changed) =
            tokio::join!(observe(&case, Change::No), observe(&case, Change::No), observe(&case, Change::Yes));
        if one != other {
            return Some(format!("{}: two weaves without the change differ:\n{one}\n--- and ---\n{other}", case.field));
        }
        (one == changed).then(|| format!("{} makes no difference:\n{one}", case.field))
    })
}

async fn observe(case: &Case, change: Change) -> String {
    let (world, seed, input) = case.begin(change).await;
    let mut text = String::new();
    for _ in 0..case.sessions {
        text = weave_and_tell(case, &world, &seed, &input).await;
        grow_old(&world);
    }
    text.replace(&format!(":{}", world.site.port()), "")
}

async fn weave_and_tell(case: &Case, world: &World, seed: &str, input: &Written) -> String {
    let graph = Arc::new(MemoryGraph::default());
    let plan =
        WeavePlan::new([seed], input.clone().weave()).unwrap_or_else(|problems| panic!("{}: {problems}", case.field));
    let running = Weaver::new(plan, graph.clone()).paces(Paces::default()).start().expect("a weave starts");
    let finished = end_of(running).await;
    let woven = Woven { site: &world.site, graph: &graph, finished: &finished };
    format!("{}{}\n", tell(&woven), also(case.field, &woven))
}

/// Everything that is seen of a weave from outside and does not depend on the clock.
fn tell(woven: &Woven<'_>) -> String {
    let mut text = format!("ended: {:?}\n{}", woven.finished.reason.as_str(), requests_of(woven.site));
    for node in woven.graph.nodes() {
        writeln!(text, "{} {} {} {}", node.host, node.depth, node.reason.disposition().as_str(), node.reason).unwrap();
    }
    for visit in woven.graph.visits() {
        writeln!(text, "{} {:?}", visit.number, visit.description).unwrap();
        for page in visit.pages {
            let (reason, status, attempts) = (page.reason, page.status, page.attempts);
            writeln!(text, "{} {reason} {status:?} attempts {attempts} bytes {}", page.url, page.bytes).unwrap();
        }
    }
    writeln!(text, "{:?} {:?}", woven.graph.edges(), woven.graph.refused()).unwrap();
    text
}
