//! The frontier's rules, with time as an argument.

use std::time::{Duration, Instant};

use super::*;
use crate::admit::UrlRow;
use crate::plan::PolitenessInput;
use crate::receipt::{Disposition, Source};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn admitted(turn: u32, url: &str) -> Admitted {
    Admitted(UrlRow::sample(turn, url))
}

fn frontier(input: PolitenessInput, urls: &[&str]) -> Frontier {
    let retries = RetryPolicy { attempts: 3, delays: vec![ms(100), ms(200)] };
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
        Next::WaitUntil(moment) => moment - now,
        other => panic!("a wait was expected, not {other:?}"),
    }
}

fn reset() -> Signal {
    Signal::Failed(Failure::new(FailureKind::Reset, ""))
}

fn fail(frontier: &mut Frontier, lease: &Lease, now: Instant) {
    match &lease.purpose {
        Purpose::Rules(_) => {
            frontier.rules_arrived(lease, RulesAnswer::Failed(Failure::new(FailureKind::Reset, "")), now);
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
    frontier.rules_arrived(&rules, RulesAnswer::Rules(HostRobots { bytes: 0, rules: robots, status: Some(200) }), now);
    match frontier.next(now) {
        Next::Visit(visit) => assert_eq!(visit.disposition(), (Disposition::Refused, "robots")),
        other => panic!("a refusal was expected, not {other:?}"),
    }
    assert_eq!(url_of(&lease(&mut frontier, now)), "http://a/2");
}

#[test]
fn a_crawl_delay_counts_from_the_end_of_the_answer_and_allows_one_request_at_a_time() {
    let now = Instant::now();
    let mut frontier =
        frontier(PolitenessInput { rate: Some(0.0), ..Default::default() }, &["http://a/1", "http://a/2"]);
    let rules = lease(&mut frontier, now);
    let robots = Robots::parse(b"User-agent: *\nCrawl-delay: 2", "bluesnake");
    frontier.rules_arrived(&rules, RulesAnswer::Rules(HostRobots { bytes: 0, rules: robots, status: Some(200) }), now);
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
    assert!(frontier.again(first, 1, &Signal::ServerError, now).is_none());
    let second = lease(&mut frontier, now);
    assert_eq!(url_of(&second), "http://a/2", "others do not wait for it");
    assert_eq!(waits_until(&mut frontier, now), ms(100));
    let first = lease(&mut frontier, now + ms(100));
    assert_eq!(url_of(&first), "http://a/1");
    assert!(frontier.again(first, 2, &Signal::ServerError, now + ms(100)).is_none());
    let first = lease(&mut frontier, now + ms(300));
    assert!(frontier.again(first, 3, &Signal::ServerError, now + ms(300)).is_some(), "the third attempt is the last");
    frontier.done(&second, &Signal::Fine { rest: None }, now + ms(300));
    assert!(matches!(frontier.next(now + ms(300)), Next::Empty));
}

#[test]
fn too_many_requests_slow_the_host_and_cost_the_url_no_attempt() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://a/2"]);
    let first = lease(&mut frontier, now);
    let asked = Signal::Throttled { wait: Some(ms(5000)) };
    assert!(frontier.again(first, 1, &asked, now).is_none());
    assert_eq!(waits_until(&mut frontier, now), ms(5000), "the whole host waits");
    let probe = lease(&mut frontier, now + ms(5000));
    assert_eq!(url_of(&probe), "http://a/2", "another URL is tried first");
    assert!(matches!(frontier.next(now + ms(6000)), Next::WaitForVisits), "one at a time until it is well");
    frontier.done(&probe, &Signal::Fine { rest: None }, now + ms(6000));
    let again = lease(&mut frontier, now + ms(6000));
    let Purpose::Visit(assignment) = &again.purpose else { panic!("a visit was expected") };
    assert_eq!(assignment.attempt(), 1);
    assert_eq!(frontier.take_news().len(), 1);
}

#[test]
fn a_url_that_alone_is_refused_uses_up_its_attempts() {
    let mut now = Instant::now();
    let urls: Vec<String> = (0..20).map(|i| format!("http://a/{i}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut frontier = frontier(without_robots(0.0), &urls);
    let mut asked = 0;
    for _ in 0..100 {
        match frontier.next(now) {
            Next::Lease(lease) if url_of(&lease) == "http://a/0" => {
                asked += 1;
                let Purpose::Visit(assignment) = &lease.purpose else { panic!("a visit was expected") };
                let attempts = assignment.attempt();
                if frontier.again(lease, attempts, &Signal::Throttled { wait: None }, now).is_some() {
                    break;
                }
            }
            Next::Lease(lease) => frontier.done(&lease, &Signal::Fine { rest: None }, now),
            Next::WaitUntil(moment) => now = moment,
            Next::Empty => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(asked, 4, "the first refusal is put down to the host, the other three to the URL");
}

#[test]
fn a_breaker_rests_the_host_and_then_gives_it_up() {
    let mut now = Instant::now();
    let settings = PolitenessInput {
        breaker_failures: Some(2),
        breaker_trips: Some(1),
        breaker_pause_ms: Some(1000),
        adaptive: Some(false),
        ..without_robots(0.0)
    };
    let mut frontier = frontier(settings, &["http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/5"]);
    let mut failed_without_request = 0;
    loop {
        match frontier.next(now) {
            Next::Lease(lease) => fail(&mut frontier, &lease, now),
            Next::Visit(visit) => {
                assert_eq!(visit.disposition(), (Disposition::Failed, "reset"));
                failed_without_request += 1;
            }
            Next::WaitUntil(moment) => now = moment,
            Next::Empty => break,
            Next::WaitForVisits => panic!("nothing is under way"),
        }
    }
    assert_eq!(failed_without_request, 1, "two failures, a rest, two more, and the fifth is not asked");
    let news = frontier.take_news();
    assert!(matches!(news[0], HostNews::Resting { pause, .. } if pause == ms(1000)));
    assert!(matches!(news[1], HostNews::GivenUp { pauses_run: false, .. }));
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
    for asked in ["http://a/1", "http://a/robots.txt"] {
        let request = lease(&mut frontier, now);
        assert_eq!(url_of(&request), asked, "it is probed before it is given up");
        fail(&mut frontier, &request, now);
    }
    assert!(matches!(frontier.take_news()[..], [HostNews::GivenUp { pauses_run: true, .. }]));
}

#[test]
fn robots_txt_with_server_errors_is_asked_again_and_then_closes_the_host() {
    let mut now = Instant::now();
    let settings =
        PolitenessInput { rate: Some(0.0), robots_retry_ms: Some(vec![30_000, 120_000]), ..Default::default() };
    let mut frontier = frontier(settings, &[]);
    let mut seed = admitted(1, "http://a/");
    (seed.0.source, seed.0.depth.steps) = (Source::Initial, 0);
    frontier.push(seed, true);
    for wait in [30_000, 120_000] {
        let rules = lease(&mut frontier, now);
        frontier.rules_arrived(&rules, RulesAnswer::ServerError { why: "status 503".to_owned(), wait: None }, now);
        assert_eq!(waits_until(&mut frontier, now), ms(wait));
        now += ms(wait);
    }
    let rules = lease(&mut frontier, now);
    frontier.rules_arrived(&rules, RulesAnswer::ServerError { why: "status 503".to_owned(), wait: None }, now);
    match frontier.next(now) {
        Next::Visit(visit) => assert_eq!(visit.disposition(), (Disposition::Refused, "robots_unreachable")),
        other => panic!("a refusal was expected, not {other:?}"),
    }
}

#[test]
fn at_most_so_many_requests_are_under_way_on_one_host() {
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
fn a_host_that_says_its_quota_is_used_up_gets_a_rest() {
    let now = Instant::now();
    let mut frontier = frontier(without_robots(0.0), &["http://a/1", "http://a/2"]);
    let first = lease(&mut frontier, now);
    frontier.done(&first, &Signal::Fine { rest: Some(ms(700)) }, now);
    assert_eq!(waits_until(&mut frontier, now), ms(700));
}

#[test]
fn server_errors_rest_the_host_and_are_believed_in_the_end() {
    let mut now = Instant::now();
    let settings = PolitenessInput {
        breaker_failures: Some(6),
        breaker_trips: Some(2),
        breaker_pause_ms: Some(1000),
        ..without_robots(0.0)
    };
    let urls: Vec<String> = (0..10).map(|i| format!("http://a/{i}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut frontier = frontier(settings, &urls);
    let mut recorded = 0;
    for _ in 0..1000 {
        match frontier.next(now) {
            Next::Lease(lease) => {
                let Purpose::Visit(assignment) = &lease.purpose else { panic!("a visit was expected") };
                let attempts = assignment.attempt();
                recorded += u32::from(frontier.again(lease, attempts, &Signal::ServerError, now).is_some());
            }
            Next::WaitUntil(moment) => now = moment,
            Next::Empty => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(recorded, 10, "every URL ends with its own error");
    let rests = frontier.take_news();
    assert_eq!(rests.len(), 2, "{rests:?}");
    assert!(rests.iter().all(|news| matches!(news, HostNews::Resting { .. })), "the host is not given up");
}
