//! The frontier's rules, with time as an argument.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;
use crate::admit::UrlRow;
use crate::admit::robots::Robots;
use crate::plan::PolitenessInput;
use crate::receipt::{Reason, Source};
use crate::visit::Outcome;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn admitted(turn: u32, url: &str) -> Admitted {
    Admitted::outside_the_ledger(UrlRow::sample(turn, url))
}

fn frontier(input: PolitenessInput, urls: &[&str]) -> Frontier {
    let retries = RetryPolicy { attempts: 3, delays: vec![ms(100), ms(200)], retries_refused: true };
    let mut frontier = Frontier::new(input.into(), retries, Paces::default());
    for (turn, url) in (1..).zip(urls) {
        frontier.push(admitted(turn, url), false);
    }
    frontier
}

fn without_robots(rate: f64) -> PolitenessInput {
    PolitenessInput { rate: Some(rate), robots: Some(RobotsMode::Ignore), ..Default::default() }
}

fn lease(frontier: &mut Frontier, now: Instant) -> Lease {
    match frontier.next(now) {
        Next::Lease(lease) => lease,
        other => panic!("a lease was expected, not {other:?}"),
    }
}

fn url_of(lease: &Lease) -> String {
    match &lease.purpose {
        Purpose::Rules(url) => url.to_string(),
        Purpose::Visit(assignment) => assignment.admitted().row().url.to_string(),
    }
}

fn waits_until(frontier: &mut Frontier, now: Instant) -> Duration {
    match frontier.next(now) {
        Next::WaitUntil(wait) => wait.until - now,
        other => panic!("a wait was expected, not {other:?}"),
    }
}

fn reset() -> Signal {
    Signal::Failed(Failure::new(FailureKind::Reset, ""))
}

fn fail(frontier: &mut Frontier, lease: &Lease, now: Instant) {
    match &lease.purpose {
        Purpose::Rules(_) => {
            frontier.rules_arrived(lease, RulesResponse::Failed(Failure::new(FailureKind::Reset, "")), now);
        }
        Purpose::Visit(_) => frontier.done(lease, &reset(), now),
    }
}

#[test]
fn starts_on_one_host_are_spaced_by_its_rate_and_other_hosts_go_on() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(10.0), &["http://a/1", "http://a/2", "http://b/3"]);
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://a/1");
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://b/3");
    assert_eq!(waits_until(&mut frontier, now), ms(100));
    assert_eq!(url_of(&lease(&mut frontier, now + ms(100))), "http://a/2");
    assert!(matches!(frontier.next(now + ms(100)), Next::WaitForVisits));
}

#[test]
fn robots_txt_is_the_first_lease_of_each_host() {
    let now = Instant::now();
    let mut frontier =
        frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &["http://a/1", "http://a/2"]);
    let rules = lease(&mut frontier, now);
    assert_eq!(url_of(&rules), "http://a/robots.txt");
    assert!(matches!(frontier.next(now), Next::WaitForVisits), "nothing else before it has answered");
    let robots = Robots::parse(b"User-agent: *\nDisallow: /1", "bluesnake");
    frontier.rules_arrived(
        &rules,
        RulesResponse::Rules(HostRobots { bytes: 0, rules: robots, status: Some(200) }),
        now,
    );
    match frontier.next(now) {
        Next::Visit(visit) => assert_eq!(visit.own_reason(), Reason::Refused(Refusal::Robots)),
        other => panic!("a refusal was expected, not {other:?}"),
    }
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://a/2");
}

#[test]
fn a_crawl_delay_counts_from_the_end_of_the_response_and_allows_one_request_at_a_time() {
    let now = Instant::now();
    let mut frontier =
        frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &["http://a/1", "http://a/2"]);
    let rules = lease(&mut frontier, now);
    let robots = Robots::parse(b"User-agent: *\nCrawl-delay: 2", "bluesnake");
    frontier.rules_arrived(
        &rules,
        RulesResponse::Rules(HostRobots { bytes: 0, rules: robots, status: Some(200) }),
        now,
    );
    assert_eq!(waits_until(&mut frontier, now), ms(2000));
    let now = now + ms(2000);
    let first = lease(&mut frontier, now);
    assert!(matches!(frontier.next(now + ms(9000)), Next::WaitForVisits));
    frontier.done(&first, &Signal::Fine { rest: None }, now + ms(5000));
    assert_eq!(waits_until(&mut frontier, now + ms(5000)), ms(2000));
}

#[test]
fn a_retry_waits_alone_and_keeps_its_place() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://a/2"]);
    let first = lease(&mut frontier, now);
    assert!(!frontier.again(first, 1, &Signal::ServerError, now));
    let second = lease(&mut frontier, now);
    assert_eq!(url_of(&second), "http://a/2", "others do not wait for it");
    assert_eq!(waits_until(&mut frontier, now), ms(100));
    let first = lease(&mut frontier, now + ms(100));
    assert_eq!(url_of(&first), "http://a/1");
    assert!(!frontier.again(first, 2, &Signal::ServerError, now + ms(100)));
    let first = lease(&mut frontier, now + ms(300));
    assert!(frontier.again(first, 3, &Signal::ServerError, now + ms(300)), "the third attempt is the last");
    frontier.done(&second, &Signal::Fine { rest: None }, now + ms(300));
    assert!(matches!(frontier.next(now + ms(300)), Next::Empty));
}

#[test]
fn too_many_requests_rest_the_host_and_count_as_an_attempt() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://a/2"]);
    let first = lease(&mut frontier, now);
    let throttled = Signal::Throttled { wait: Some(ms(5000)) };
    assert!(!frontier.again(first, 1, &throttled, now));
    let Next::WaitUntil(wait) = frontier.next(now) else { panic!("the whole host waits") };
    assert_eq!((wait.until - now, wait.reason, &*wait.host), (ms(5000), WaitReason::Throttled, "a"));
    let second = lease(&mut frontier, now + ms(5000));
    assert_eq!(url_of(&second), "http://a/2", "another URL is tried first");
    assert!(matches!(frontier.next(now + ms(6000)), Next::WaitForVisits), "one at a time until it is well");
    frontier.done(&second, &Signal::Fine { rest: None }, now + ms(6000));
    let again = lease(&mut frontier, now + ms(6000));
    let Purpose::Visit(assignment) = &again.purpose else { panic!("a visit was expected") };
    assert_eq!(assignment.attempt(), 2);
    assert_eq!(frontier.take_news().len(), 1);
}

/// Every request to a host fails, forever; `alive` says whether it answers probes.
fn requests_by_url(urls: usize, signal: &dyn Fn() -> Signal, alive: bool) -> (BTreeMap<String, u32>, Frontier) {
    let mut now = Instant::now();
    let urls: Vec<String> = (0..urls).map(|i| format!("http://a/{i}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut frontier = frontier(without_robots(0.0), &urls);
    let mut requests = BTreeMap::new();
    for _ in 0..10_000 {
        match frontier.next(now) {
            Next::Lease(lease) => {
                *requests.entry(url_of(&lease)).or_default() += 1;
                match &lease.purpose {
                    Purpose::Rules(_) if alive => frontier.rules_arrived(&lease, no_rules(), now),
                    Purpose::Rules(_) => fail(&mut frontier, &lease, now),
                    Purpose::Visit(assignment) => {
                        let attempts = assignment.attempt();
                        frontier.again(lease, attempts, &signal(), now);
                    }
                }
            }
            Next::Visit(_) => {}
            Next::WaitUntil(wait) => now = wait.until,
            Next::Empty => return (requests, frontier),
            Next::WaitForVisits => panic!("nothing is under way"),
        }
    }
    panic!("it does not end: {requests:?}");
}

fn no_rules() -> RulesResponse {
    RulesResponse::Rules(HostRobots::without_rules(Some(404)))
}

#[test]
fn a_url_is_never_requested_more_often_than_its_attempts() {
    let throttled = || Signal::Throttled { wait: None };
    let signals: [&dyn Fn() -> Signal; 3] = [&|| Signal::ServerError, &reset, &throttled];
    for signal in signals {
        for (urls, alive) in [(1, true), (1, false), (12, true), (12, false), (25, true), (200, true), (200, false)] {
            let (mut requests, _) = requests_by_url(urls, signal, alive);
            requests.remove("http://a/robots.txt");
            let most = requests.values().max();
            assert!(most <= Some(&3), "{urls} URLs, {:?}, alive: {alive}: {requests:?}", signal());
        }
    }
}

#[test]
fn a_host_that_answers_probes_is_crawled_to_the_end() {
    let signals: [&dyn Fn() -> Signal; 3] = [&|| Signal::ServerError, &reset, &|| Signal::Throttled { wait: None }];
    for signal in signals {
        let (mut requests, mut frontier) = requests_by_url(25, signal, true);
        let probes = requests.remove("http://a/robots.txt").unwrap_or_default();
        assert!(requests.len() == 25 && requests.values().all(|requests| *requests == 3), "{requests:?}");
        assert!(probes <= 4, "{probes} probes for 75 requests");
        assert!(!frontier.take_news().iter().any(|news| matches!(news, HostNews::GivenUp { .. })));
    }
}

#[test]
fn a_host_that_is_down_is_probed_instead_of_using_up_attempts() {
    let (requests, mut frontier) = requests_by_url(200, &reset, false);
    let visits: u32 = requests.iter().filter(|(url, _)| *url != "http://a/robots.txt").map(|(_, count)| count).sum();
    assert_eq!((visits, requests["http://a/robots.txt"]), (5, 4), "{requests:?}");
    let news = frontier.take_news();
    assert_eq!(news.len(), 4, "three rests, then the end: {news:?}");
    assert!(matches!(news.last(), Some(HostNews::GivenUp { pauses_run: false, .. })));
}

#[test]
fn a_host_that_throttles_everything_is_given_up_after_a_few_requests() {
    let (requests, _) = requests_by_url(200, &|| Signal::Throttled { wait: None }, true);
    let all: u32 = requests.values().sum();
    assert!(all <= 20, "{requests:?}");
}

#[test]
fn requests_in_flight_at_a_rest_do_not_extend_it() {
    let now = Instant::now();
    let urls = ["http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5"];
    let mut frontier = frontier(PolitenessInput { backoff_ms: Some(1000), ..without_robots(0.0) }, &urls);
    let under_way: Vec<Lease> = urls[1..].iter().map(|_| lease(&mut frontier, now)).collect();
    for lease in under_way {
        frontier.again(lease, 1, &Signal::Throttled { wait: None }, now + ms(10));
    }
    assert_eq!(waits_until(&mut frontier, now + ms(10)), ms(1000));
}

#[test]
fn a_slow_host_gets_fewer_requests_at_once() {
    let mut now = Instant::now();
    let settings = PolitenessInput { per_host: Some(4), ..without_robots(0.0) };
    let urls: Vec<String> = (0..50).map(|i| format!("http://a/{i}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut frontier = frontier(settings, &urls);
    let mut at_once = |time: Duration| {
        let mut leases = Vec::new();
        while let Next::Lease(lease) = frontier.next(now) {
            leases.push(lease);
        }
        now += time;
        leases.iter().for_each(|lease| frontier.done(lease, &Signal::Fine { rest: None }, now));
        leases.len()
    };
    assert_eq!([at_once(ms(100)), at_once(ms(2000))], [4, 4]);
    for _ in 0..4 {
        at_once(ms(2000));
    }
    assert_eq!(at_once(ms(8000)), 2, "two seconds a response");
    at_once(ms(8000));
    assert_eq!(at_once(ms(8000)), 1);
}

#[test]
fn a_seed_host_that_is_given_up_pauses_the_run() {
    let now = Instant::now();
    let settings = PolitenessInput {
        breaker_failures: Some(1),
        breaker_trips: Some(0),
        adaptive: Some(false),
        ..without_robots(0.0)
    };
    let mut frontier = frontier(settings, &[]);
    frontier.push(admitted(1, "http://a/1"), true);
    frontier.push(admitted(2, "http://a/2"), true);
    for requested in ["http://a/1", "http://a/robots.txt"] {
        let request = lease(&mut frontier, now);
        assert_eq!(url_of(&request), requested, "it is probed before it is given up");
        fail(&mut frontier, &request, now);
    }
    assert!(matches!(frontier.take_news()[..], [HostNews::GivenUp { pauses_run: true, .. }]));
}

#[test]
fn robots_txt_with_server_errors_is_retried_and_then_closes_the_host() {
    let mut now = Instant::now();
    let settings =
        PolitenessInput { rate: Some(0.0), robots_retry_ms: Some(vec![30_000, 120_000]), ..Default::default() };
    let mut frontier = frontier(settings, &[]);
    let mut seed = UrlRow::sample(1, "http://a/");
    (seed.source, seed.depth.steps) = (Source::Initial, 0);
    frontier.push(Admitted::outside_the_ledger(seed), true);
    for wait in [30_000, 120_000] {
        let rules = lease(&mut frontier, now);
        frontier.rules_arrived(&rules, RulesResponse::ServerError { status: 503, wait: None }, now);
        assert_eq!(waits_until(&mut frontier, now), ms(wait));
        now += ms(wait);
    }
    let rules = lease(&mut frontier, now);
    frontier.rules_arrived(&rules, RulesResponse::ServerError { status: 503, wait: None }, now);
    match frontier.next(now) {
        Next::Visit(visit) => assert_eq!(visit.own_reason(), Reason::Refused(Refusal::RobotsUnreachable)),
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

#[test]
fn the_limit_of_requests_at_once_on_one_host_holds() {
    let now = Instant::now();
    let settings = PolitenessInput { per_host: Some(2), ..without_robots(0.0) };
    let mut frontier = frontier(settings, &["http://a/1", "http://a/2", "http://a/3"]);
    let first = lease(&mut frontier, now);
    let _second = lease(&mut frontier, now);
    assert!(matches!(frontier.next(now), Next::WaitForVisits));
    frontier.done(&first, &Signal::Fine { rest: None }, now);
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://a/3");
}

#[test]
fn an_exhausted_quota_rests_the_host() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://a/2"]);
    let first = lease(&mut frontier, now);
    frontier.done(&first, &Signal::Fine { rest: Some(ms(700)) }, now);
    assert_eq!(waits_until(&mut frontier, now), ms(700));
}

fn look(frontier: &mut Frontier, look: Look, now: Instant) {
    frontier.push_look(admitted(1, "https://a/"), look, now);
}

fn failed_visit(frontier: &mut Frontier, now: Instant) -> bool {
    matches!(frontier.next(now), Next::Visit(visit) if matches!(visit.outcome, Outcome::Failed(_)))
}

#[test]
fn a_first_look_makes_one_attempt_and_closes_nothing() {
    let now = Instant::now();
    let mut frontier = frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &[]);
    look(&mut frontier, Look::Once, now);
    let rules = lease(&mut frontier, now);
    fail(&mut frontier, &rules, now);
    assert!(failed_visit(&mut frontier, now), "a reset is final at a first look");
    look(&mut frontier, Look::Again, now);
    assert_eq!(waits_until(&mut frontier, now), ms(100), "a second look comes after the wait of a retry");
    let now = now + ms(100);
    let rules = lease(&mut frontier, now);
    assert_eq!(url_of(&rules), "https://a/robots.txt", "it is requested again");
    fail(&mut frontier, &rules, now);
    assert_eq!(waits_until(&mut frontier, now), ms(200));
    let now = now + ms(200);
    let rules = lease(&mut frontier, now);
    fail(&mut frontier, &rules, now);
    assert!(failed_visit(&mut frontier, now), "the first look was one of three attempts");
    assert!(matches!(frontier.next(now), Next::Empty));
}

#[test]
fn a_host_that_answers_robots_txt_gets_all_attempts_at_a_first_look() {
    let now = Instant::now();
    let mut frontier = frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &[]);
    look(&mut frontier, Look::Once, now);
    let rules = lease(&mut frontier, now);
    frontier.rules_arrived(&rules, no_rules(), now);
    let page = lease(&mut frontier, now);
    assert!(!frontier.again(page, 1, &reset(), now), "it speaks https, so it is tried again");
}

#[test]
fn the_place_of_a_forgotten_host_is_used_again() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://b/2"]);
    let (first, second) = (lease(&mut frontier, now), lease(&mut frontier, now));
    frontier.forget("http://a");
    frontier.done(&first, &Signal::Fine { rest: None }, now);
    frontier.done(&second, &Signal::Fine { rest: None }, now);
    frontier.forget("http://b");
    frontier.push(admitted(3, "http://c/3"), false);
    assert_eq!(frontier.hosts.len(), 2, "a host with requests under way was kept, the other one was not");
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://c/3");
}

#[test]
fn robots_txt_of_another_host_has_as_many_attempts_as_a_url() {
    let mut now = Instant::now();
    let mut frontier = frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &["http://a/1"]);
    for wait in [100, 200] {
        let rules = lease(&mut frontier, now);
        frontier.rules_arrived(&rules, RulesResponse::ServerError { status: 503, wait: None }, now);
        assert_eq!(waits_until(&mut frontier, now), ms(wait));
        now += ms(wait);
    }
    let rules = lease(&mut frontier, now);
    frontier.rules_arrived(&rules, RulesResponse::ServerError { status: 503, wait: None }, now);
    match frontier.next(now) {
        Next::Visit(visit) => assert_eq!(visit.own_reason(), Reason::Refused(Refusal::RobotsUnreachable)),
        other => panic!("a refusal was expected, not {other:?}"),
    }
}
