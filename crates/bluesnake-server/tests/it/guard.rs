//! Who may ask: a table of requests against every path there is.

use bluesnake_server::{ServerOptions, Token};
use serde_json::{Value, json};

use crate::client::{Ask, send};
use crate::world::{World, limited, local};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Every operation of the description, with a number for what stands in braces, and the pages of the docs.
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

/// What a request looks like, beside its method and path.
struct Case {
    name: &'static str,
    headers: Vec<(&'static str, String)>,
    /// The status, or none when the request gets through to the handler.
    expected: Option<u16>,
    only_changes: bool,
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_is_behind_the_guard() {
    let world = World::start("route-walk", with_token()).await;
    let (here, port) = (world.address.to_string(), world.address.port());
    let bearer = || ("Authorization", format!("Bearer {TOKEN}"));
    let case =
        |name, headers: Vec<(&'static str, String)>, expected| Case { name, headers, expected, only_changes: false };
    let cases = [
        case("right", vec![bearer()], None),
        case("localhost", vec![bearer(), ("Host", format!("localhost:{port}"))], None),
        case("v6 name", vec![bearer(), ("Host", format!("[::1]:{port}"))], None),
        case("own origin", vec![bearer(), ("Origin", format!("http://{here}"))], None),
        case("no token", vec![], Some(401)),
        case("wrong token", vec![("Authorization", "Bearer wrong".to_owned())], Some(401)),
        case("token with more", vec![("Authorization", format!("Bearer {TOKEN}0"))], Some(401)),
        case("other scheme", vec![("Authorization", format!("Basic {TOKEN}"))], Some(401)),
        case("no host", vec![bearer(), ("Host", "-".to_owned())], Some(400)),
        case("two hosts", vec![bearer(), ("Host", here.clone()), ("Host", "evil.example".to_owned())], Some(400)),
        case("rebound host", vec![bearer(), ("Host", format!("evil.example:{port}"))], Some(421)),
        case("other port", vec![bearer(), ("Host", "localhost:1".to_owned())], Some(421)),
        case("broken host", vec![bearer(), ("Host", "a b".to_owned())], Some(421)),
        case("foreign origin", vec![bearer(), ("Origin", "https://evil.example".to_owned())], Some(403)),
        case("null origin", vec![bearer(), ("Origin", "null".to_owned())], Some(403)),
        case("origin of another port", vec![bearer(), ("Origin", "http://localhost:1".to_owned())], Some(403)),
        case("form", vec![bearer(), ("Content-Type", "application/x-www-form-urlencoded".to_owned())], Some(415)),
        case("plain text", vec![bearer(), ("Content-Type", "text/plain".to_owned())], Some(415)),
        case(
            "too long",
            vec![bearer(), ("Content-Type", "application/json".to_owned()), ("Content-Length", "9999999".to_owned())],
            Some(413),
        ),
        Case {
            name: "from another site",
            headers: vec![bearer(), ("Sec-Fetch-Site", "cross-site".to_owned())],
            expected: Some(403),
            only_changes: true,
        },
    ];
    for (method, path) in operations("999") {
        for case in &cases {
            let is_change = method != "GET";
            // The stream of events never ends by itself; the health is everybody's business, and so is the page for the token.
            let is_stream = path.ends_with("/events") && case.expected.is_none();
            let is_open = (path.ends_with("/health") || path.starts_with("/api/docs")) && case.expected == Some(401);
            if is_stream || is_open || (case.only_changes && !is_change) {
                continue;
            }
            let ask = case.headers.iter().fold(Ask::new(&method, &path), |ask, (name, value)| ask.header(name, value));
            let answer = world.send(ask).await;
            let what = format!("{}: {method} {path}: {}", case.name, answer.text());
            match case.expected {
                Some(status) => assert_eq!(answer.status, status, "{what}"),
                None => assert!(![401, 403, 421, 413].contains(&answer.status) || path.ends_with("/sql"), "{what}"),
            }
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"),
                ("x-frame-options", "DENY"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
            ] {
                assert_eq!(answer.header(name), Some(value), "{what}");
            }
            assert!(answer.header("content-security-policy").unwrap().contains("script-src 'self'"), "{what}");
            assert!(answer.header("x-request-id").is_some_and(|id| id.len() == 16), "{what}");
            assert_eq!((answer.header("server"), answer.header("access-control-allow-origin")), (None, None), "{what}");
        }
    }
    for path in ["/", "/api/v1/nothing", "/api/v1/../../etc/passwd"] {
        world.get(path).await.is_problem(401, "no_token");
    }
    world.get("/api/v1/health").await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_docs_asks_for_the_token_that_its_description_needs() {
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
async fn a_whole_address_in_the_first_line_is_checked_like_the_host() {
    let world = World::start("absolute", local()).await;
    let here = world.address;
    let ask = |uri: String| format!("GET {uri} HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\n\r\n").into_bytes();
    assert_eq!(send(here, &ask(format!("http://{here}/api/v1/version"))).await.status, 200);
    assert_eq!(send(here, &ask("http://evil.example/api/v1/version".to_owned())).await.status, 421);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_tokens_has_to_wait() {
    let options = ServerOptions { token: Some(Token::new(TOKEN).unwrap()), ..local() };
    let world = World::start("guesses", options).await;
    let ask = |token: &str| Ask::new("GET", "/api/v1/version").header("Authorization", &format!("Bearer {token}"));
    world.send(ask(TOKEN)).await.is(200);
    for _ in 0..10 {
        let answer = world.send(ask("guess")).await;
        answer.is_problem(401, "wrong_token");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    for token in ["guess", TOKEN] {
        let answer = world.send(ask(token)).await;
        answer.is_problem(429, "too_many_wrong_tokens");
        assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() <= 61);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_named_origins_may_ask_and_browsers_are_told_so() {
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
async fn names_that_the_operator_allows_are_names_of_ours() {
    let options = ServerOptions { allow_hosts: vec!["crawler.example".to_owned()], ..local() };
    let world = World::start("allow-host", options).await;
    let ask = |host: &str| Ask::new("GET", "/api/v1/version").header("Host", host);
    world.send(ask("crawler.example")).await.is(200);
    world.send(ask("crawler.example").header("Origin", "https://crawler.example")).await.is(200);
    world.send(ask("other.example")).await.is_problem(421, "wrong_host");
}
