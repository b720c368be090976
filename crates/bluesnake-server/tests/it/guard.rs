//! Access control: a table of requests against every path.

use std::net::SocketAddr;

use bluesnake_server::{ServerOptions, Token};
use serde_json::{Value, json};

use crate::client::{Answer, Ask, send};
use crate::world::{World, limited, local};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Every operation of the description, with a number for the placeholder in braces, and the docs pages.
pub(crate) fn operations(number: &str) -> Vec<(String, String)> {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    let mut operations = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let filled = path
                .replace("{url}", "http%3A%2F%2Fa%2F")
                .split('/')
                .map(|part| match part.starts_with('{') {
                    true => number,
                    false => part,
                })
                .collect::<Vec<_>>()
                .join("/");
            operations.push((method.to_uppercase(), filled));
        }
    }
    for page in ["/api/docs", "/api/docs/docs.js", "/api/docs/docs.css"] {
        operations.push(("GET".to_owned(), page.to_owned()));
    }
    assert!(operations.len() > 35, "{operations:?}");
    operations
}

fn with_token() -> ServerOptions {
    ServerOptions {
        token: Some(Token::new(TOKEN).unwrap()),
        ..limited(|limits| {
            limits.requests_per_second = 0;
            limits.wrong_tokens_per_minute = 100_000;
        })
    }
}

/// Everything about a request except its path.
struct Case {
    name: &'static str,
    /// Another method than that of the operation.
    method: Option<&'static str>,
    headers: Vec<(&'static str, String)>,
    expected: Expected,
    applies: Applies,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The request gets through to its handler.
    Through,
    /// The guard refuses it.
    Refused(u16),
    /// It gets through, and a page of the origin may read the answer.
    ThroughForPage,
}

/// Which operations a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Applies {
    Always,
    ToReads,
    ToChanges,
}

fn case(name: &'static str, expected: Expected, headers: &[(&'static str, &str)]) -> Case {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Case { name, method: None, headers, expected, applies: Applies::Always }
}

impl Case {
    fn only(self, applies: Applies) -> Self {
        Self { applies, ..self }
    }

    fn asks_with(self, method: &'static str) -> Self {
        Self { method: Some(method), ..self }
    }

    fn of(&self, method: &str, path: &str) -> Ask {
        let method = self.method.unwrap_or(method);
        self.headers.iter().fold(Ask::new(method, path), |ask, (name, value)| ask.header(name, value))
    }
}

/// Every kind of request that makes a difference.
fn cases(here: SocketAddr) -> Vec<Case> {
    use Applies::{ToChanges, ToReads};
    use Expected::{Refused, Through, ThroughForPage};
    let port = here.port();
    let bearer = format!("Bearer {TOKEN}");
    let right = ("Authorization", bearer.as_str());
    let token = |name, given: &str| case(name, Refused(401), &[("Authorization", given)]);
    let host = |name, expected, host: &str| case(name, expected, &[right, ("Host", host)]);
    let origin = |name, expected, origin: &str| case(name, expected, &[right, ("Origin", origin)]);
    let site = |name, expected, site: &str| case(name, expected, &[right, ("Sec-Fetch-Site", site)]);
    let link = [right, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
    let preflight = |name, origin: &str| {
        case(name, Refused(403), &[("Origin", origin), ("Access-Control-Request-Method", "POST")]).asks_with("OPTIONS")
    };
    vec![
        case("right", Through, &[right]),
        case("scheme in small letters", Through, &[("Authorization", &format!("bearer {TOKEN}"))]),
        case("head", Through, &[right]).asks_with("HEAD").only(ToReads),
        case("options", Through, &[right]).asks_with("OPTIONS"),
        // The token.
        case("no token", Refused(401), &[]),
        case("head without token", Refused(401), &[]).asks_with("HEAD").only(ToReads),
        case("options without token", Refused(401), &[]).asks_with("OPTIONS"),
        token("wrong token", "Bearer wrong"),
        token("token with more", &format!("Bearer {TOKEN}0")),
        token("token with less", &format!("Bearer {}", &TOKEN[1..])),
        token("other scheme", &format!("Basic {TOKEN}")),
        token("no scheme", TOKEN),
        token("empty token", "Bearer "),
        case("two tokens", Refused(401), &[right, ("Authorization", "Bearer wrong")]),
        case("the same token twice", Refused(401), &[right, right]),
        // The host.
        host("localhost", Through, &format!("localhost:{port}")),
        host("capital letters", Through, &format!("LocalHost:{port}")),
        host("v6 name", Through, &format!("[::1]:{port}")),
        host("v6 form of v4", Through, &format!("[::ffff:127.0.0.1]:{port}")),
        host("allowed name", Through, "crawler.example"),
        host("allowed name with a port", Through, "crawler.example:8443"),
        host("no host", Refused(400), "-"),
        case("two hosts", Refused(400), &[right, ("Host", &here.to_string()), ("Host", "evil.example")]),
        case("the same host twice", Refused(400), &[right, ("Host", &here.to_string()), ("Host", &here.to_string())]),
        host("rebound host", Refused(421), &format!("evil.example:{port}")),
        host("name below a foreign one", Refused(421), &format!("localhost.evil.example:{port}")),
        host("name above ours", Refused(421), &format!("evil.localhost:{port}")),
        host("other port", Refused(421), "localhost:1"),
        host("no port", Refused(421), "localhost"),
        host("user", Refused(421), &format!("me@localhost:{port}")),
        host("dot at the end", Refused(421), &format!("localhost.:{port}")),
        host("other loopback address", Refused(421), &format!("127.0.0.2:{port}")),
        host("any address", Refused(421), &format!("0.0.0.0:{port}")),
        host("address as a number", Refused(421), &format!("2130706433:{port}")),
        host("broken host", Refused(421), "a b"),
        // The origin.
        origin("own origin", Through, &format!("http://{here}")),
        origin("own name as origin", Through, &format!("http://localhost:{port}")),
        origin("allowed name as origin", Through, "https://crawler.example"),
        origin("named origin", ThroughForPage, "https://app.example"),
        case(
            "named origin of another site",
            ThroughForPage,
            &[right, ("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors")],
        ),
        origin("foreign origin", Refused(403), "https://evil.example"),
        origin("named origin without its s", Refused(403), "http://app.example"),
        origin("origin that begins like a named one", Refused(403), "https://app.example.evil.example"),
        origin("null origin", Refused(403), "null"),
        origin("origin of another port", Refused(403), "http://localhost:1"),
        origin("origin of a file", Refused(403), "file://"),
        case(
            "two origins",
            Refused(403),
            &[right, ("Origin", &format!("http://{here}")), ("Origin", "https://evil.example")],
        ),
        case(
            "a named origin and another",
            Refused(403),
            &[right, ("Origin", "https://app.example"), ("Origin", "https://evil.example")],
        ),
        preflight("preflight of a foreign origin", "https://evil.example"),
        preflight("preflight of no origin", "null"),
        preflight("preflight of another port", "http://localhost:1"),
        // Headers that browsers send.
        site("same origin", Through, "same-origin"),
        site("typed by a person", Through, "none"),
        site("another site", Refused(403), "cross-site"),
        site("another port of this machine", Refused(403), "same-site"),
        case("a followed link", Through, &[&link[..], &[("Sec-Fetch-Dest", "document")]].concat()).only(ToReads),
        case("a form of another site", Refused(403), &[&link[..], &[("Sec-Fetch-Dest", "document")]].concat())
            .only(ToChanges),
        case("a frame in another site", Refused(403), &[&link[..], &[("Sec-Fetch-Dest", "iframe")]].concat()),
        case(
            "a picture in another site",
            Refused(403),
            &[right, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
        ),
        // The rest of the head.
        case("form", Refused(415), &[right, ("Content-Type", "application/x-www-form-urlencoded")]),
        case("plain text", Refused(415), &[right, ("Content-Type", "text/plain")]),
        case("too long", Refused(413), &[right, ("Content-Type", "application/json"), ("Content-Length", "9999999")]),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_is_behind_the_guard() {
    let options = ServerOptions {
        allow_hosts: vec!["crawler.example".to_owned()],
        cors_origins: vec!["https://app.example".to_owned()],
        ..with_token()
    };
    let world = World::start("route-walk", options).await;
    let cases = cases(world.address);
    assert!(cases.len() >= 40, "{}", cases.len());
    for (method, path) in operations("999") {
        for case in &cases {
            let is_through = matches!(case.expected, Expected::Through | Expected::ThroughForPage);
            // The stream of events never ends by itself; the health is everybody's business, and so is the page for the token.
            let is_stream = path.ends_with("/events") && is_through && case.method != Some("OPTIONS");
            let is_open = path.ends_with("/health") || path.starts_with("/api/docs");
            let is_meant = match case.applies {
                Applies::Always => true,
                Applies::ToReads => method == "GET",
                Applies::ToChanges => method != "GET",
            };
            if !is_meant || is_stream || (is_open && case.expected == Expected::Refused(401)) {
                continue;
            }
            let answer = world.send(case.of(&method, &path)).await;
            check(case, &format!("{}: {method} {path}: {}", case.name, answer.text()), &answer, &path);
        }
    }
    for path in ["/metrics", "/api/v1/nothing", "/api/v1/../../etc/passwd"] {
        world.get(path).await.is_problem(401, "no_token");
    }
    world.get("/api/v1/health").await.is(200);
}

/// The status, and the headers of every response.
fn check(case: &Case, what: &str, answer: &Answer, path: &str) {
    match case.expected {
        Expected::Refused(status) => assert_eq!(answer.status, status, "{what}"),
        _ => assert!(![401, 403, 413, 415, 421].contains(&answer.status) || path.ends_with("/sql"), "{what}"),
    }
    let is_for_page = case.expected == Expected::ThroughForPage;
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", if is_for_page { "cross-origin" } else { "same-origin" }),
    ] {
        assert_eq!(answer.header(name), Some(value), "{what}");
    }
    assert!(answer.header("content-security-policy").unwrap().contains("script-src 'self'"), "{what}");
    assert!(answer.header("x-request-id").is_some_and(|id| id.len() == 16), "{what}");
    let readable_by = answer.header("access-control-allow-origin");
    assert_eq!(readable_by, is_for_page.then_some("https://app.example"), "{what}");
    assert_eq!((answer.header("server"), answer.header("access-control-allow-credentials")), (None, None), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_page_asks_for_the_token_of_its_description() {
    let world = World::start("docs-token", with_token()).await;
    let page = world.get("/api/docs").await;
    assert!(page.is(200).text().contains("id=\"token\" type=\"password\""), "{}", page.text());
    world.get("/api/docs/docs.css").await.is(200);
    let script = world.get("/api/docs/docs.js").await;
    assert!(script.is(200).text().contains("Authorization: `Bearer ${token}`"), "{}", script.text());
    world.get("/api/v1/openapi.json").await.is_problem(401, "no_token");
    for other in ["/api/docs/", "/api/docs/other", "/api/docs/../v1/projects"] {
        world.get(other).await.is_problem(401, "no_token");
    }
    let foreign = Ask::new("GET", "/api/docs").header("Host", "evil.example");
    world.send(foreign).await.is_problem(421, "wrong_host");
    let foreign = Ask::new("GET", "/api/docs").header("Origin", "https://evil.example");
    world.send(foreign).await.is_problem(403, "foreign_origin");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_absolute_request_target_is_checked_like_the_host_header() {
    let world = World::start("absolute", local()).await;
    let here = world.address;
    let ask = |line: String, host: String| format!("{line}\r\n{host}Connection: close\r\n\r\n").into_bytes();
    let host = |name: &str| format!("Host: {name}\r\n");
    let ours = here.to_string();
    for (uri, named, expected) in [
        (format!("http://{here}/api/v1/version"), host(&ours), 200),
        ("http://evil.example/api/v1/version".to_owned(), host(&ours), 421),
        (format!("http://me@{here}/api/v1/version"), host(&ours), 421),
        (format!("http://{here}/api/v1/version"), host("evil.example"), 421),
        (format!("http://{here}/api/v1/version"), String::new(), 400),
    ] {
        let answer = send(here, &ask(format!("GET {uri} HTTP/1.1"), named.clone())).await;
        assert_eq!(answer.status, expected, "{uri} {named}: {}", answer.text());
    }
    let old = send(here, b"GET /api/v1/version HTTP/1.0\r\n\r\n").await;
    old.is_problem(400, "no_host");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_wrong_tokens_do_not_lock_out_the_right_one() {
    let options = ServerOptions { token: Some(Token::new(TOKEN).unwrap()), ..local() };
    let world = World::start("guesses", options).await;
    let ask = |token: &str| Ask::new("GET", "/api/v1/version").header("Authorization", &format!("Bearer {token}"));
    world.send(ask(TOKEN)).await.is(200);
    for _ in 0..10 {
        let answer = world.send(ask("guess")).await;
        answer.is_problem(401, "wrong_token");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    // Guesses are delayed. The owner of the token may share the guesser's address, behind a proxy or a NAT.
    for _ in 0..3 {
        let answer = world.send(ask("guess")).await;
        answer.is_problem(429, "too_many_wrong_tokens");
        assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() <= 61);
        world.send(ask(TOKEN)).await.is(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_a_token_do_not_use_up_the_limit_of_authorized_ones() {
    let mut options = ServerOptions { token: Some(Token::new(TOKEN).unwrap()), ..local() };
    options.limits.requests_per_second = 1;
    let world = World::start("flood", options).await;
    let ask = |token: &str| Ask::new("GET", "/api/v1/version").header("Authorization", &format!("Bearer {token}"));
    while world.send(ask("guess")).await.json()["code"] != "too_many_requests" {}
    for _ in 0..10 {
        world.send(ask(TOKEN)).await.is(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_allowed_origins_are_accepted_and_listed_in_cors_headers() {
    let options = ServerOptions { cors_origins: vec!["https://app.example".to_owned()], ..with_token() };
    let world = World::start("cors", options).await;
    let preflight = |origin: &str| {
        let ask = Ask::new("OPTIONS", "/api/v1/crawl").header("Origin", origin);
        ask.header("Access-Control-Request-Method", "POST").header("Access-Control-Request-Headers", "content-type")
    };
    let allowed = world.send(preflight("https://app.example")).await;
    assert_eq!(allowed.is(204).header("access-control-allow-origin"), Some("https://app.example"));
    assert!(allowed.header("access-control-allow-methods").unwrap().contains("POST"));
    assert_eq!(allowed.header("access-control-allow-credentials"), None);
    for foreign in ["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"] {
        let refused = world.send(preflight(foreign)).await;
        refused.is_problem(403, "foreign_origin");
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    let ask = Ask::new("POST", "/api/v1/crawl").header("Origin", "https://app.example");
    let ask = ask.header("Sec-Fetch-Site", "cross-site").header("Authorization", &format!("Bearer {TOKEN}"));
    let answer = world.send(ask.json(&json!({}))).await;
    answer.is_problem(422, "invalid_fields");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(answer.header("vary"), Some("origin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn host_names_allowed_by_the_operator_are_accepted() {
    let options = ServerOptions { allow_hosts: vec!["crawler.example".to_owned()], ..local() };
    let world = World::start("allow-host", options).await;
    let ask = |host: &str| Ask::new("GET", "/api/v1/version").header("Host", host);
    world.send(ask("crawler.example")).await.is(200);
    world.send(ask("crawler.example").header("Origin", "https://crawler.example")).await.is(200);
    world.send(ask("other.example")).await.is_problem(421, "wrong_host");
}
