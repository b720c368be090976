//! Secrets in URLs: masked in every response, unless the request asks for them.

use serde_json::json;
use testsite::{Page, Site};

use crate::client::Ask;
use crate::world::{World, local};

/// Output that contains this leaks a secret.
const CANARY: &str = "CaNaRy7f3a";
/// The same where it comes after a bracket, which a URL may have.
const BRACKET: &str = "x)";

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_urls_are_masked_unless_requested() {
    let link = |path: &str| format!("{path}?token={BRACKET}{CANARY}");
    let site = Site::new()
        .page("/", Page::titled("Home").link(&link("/a")).link(&link("/gone")).text("words"))
        .page("/a", Page::titled("A").canonical(&link("/a")))
        .start()
        .await;
    let world = World::start("secrets", local()).await;
    let (seed, mut listener) = (site.url(&link("/")), crate::events::Listener::on(&world).await);
    let pattern = json!(["[?&]session=[^&]*"]);
    let body = json!({"url": seed, "settings": {
        "politeness": {"rate": 0}, "fetch": {"allow_private": true}, "scope": {"exclude": pattern},
    }});
    let started = world.post("/api/v1/captures", &body).await.is(202).json();
    for told in listener.until("completed").await {
        assert!(!told.data.to_string().contains(CANARY), "{told:?}");
    }
    let (project, run, crawl) = (&started["id"], &started["runId"], &started["crawlId"]);
    let encoded = seed.replace('?', "%3F").replace('=', "%3D").replace('&', "%26");
    let linked = world.get(&format!("/api/v1/runs/{run}/rows?search=/gone")).await.is(200).json();
    let linked = linked["items"][0]["number"].clone();
    for (path, has_secrets) in [
        ("/api/v1/projects".to_owned(), false),
        (format!("/api/v1/projects/{project}"), false),
        (format!("/api/v1/runs/{run}"), true),
        (format!("/api/v1/runs/{run}/pages"), true),
        (format!("/api/v1/runs/{run}/pages?limit=1"), true),
        (format!("/api/v1/runs/{run}/links"), true),
        (format!("/api/v1/runs/{run}/summary"), true),
        ("/api/v1/runs".to_owned(), true),
        ("/api/v1/captures".to_owned(), true),
        (format!("/api/v1/runs/{run}/rows"), true),
        (format!("/api/v1/runs/{run}/rows?shape=rows&columns=url,canonical"), true),
        (format!("/api/v1/runs/{run}/facets"), false),
        (format!("/api/v1/runs/{run}/tree"), false),
        (format!("/api/v1/runs/{run}/issues"), true),
        (format!("/api/v1/runs/{run}/issues/internal-client-error"), true),
        (format!("/api/v1/runs/{run}/urls/1"), true),
        (format!("/api/v1/runs/{run}/urls/1/outlinks"), true),
        (format!("/api/v1/runs/{run}/urls/{linked}/inlinks"), true),
        (format!("/api/v1/crawls/{crawl}"), true),
        (format!("/api/v1/crawls/{crawl}/page/links?url={encoded}"), true),
        (format!("/api/v1/captures/{run}"), true),
        (format!("/api/v1/captures/{run}/pages"), true),
        (format!("/api/v1/captures/{run}/page?url={encoded}"), true),
        ("/api/v1/captures/search?q=words".to_owned(), true),
        (format!("/api/v1/runs/{run}/export"), true),
        (format!("/api/v1/runs/{run}/export?format=markdown"), true),
        (format!("/api/v1/runs/{run}/rows/export?format=jsonl"), true),
    ] {
        let masked = world.get(&path).await;
        assert!(!masked.is(200).text().contains(CANARY), "{path}: {}", masked.text());
        let question = if path.contains('?') { "&" } else { "?" };
        let whole = world.get(&format!("{path}{question}showSecrets=true")).await.is(200).text();
        assert_eq!(whole.contains(CANARY), has_secrets, "{path}: {whole}");
    }
    let shown = world.get(&format!("/api/v1/runs/{run}")).await.is(200).json();
    assert_eq!(shown["plan"]["scope"]["exclude"], pattern, "settings are exact");
    let sitemap = world.get(&format!("/api/v1/runs/{run}/export?format=sitemap")).await;
    assert_eq!(sitemap.is(200).header("x-skipped-pages"), Some("2"), "{}", sitemap.text());
    let preview = world.post("/api/v1/captures/preview", &body).await.is(200).text();
    assert!(preview.contains("token=***") && !preview.contains(CANARY), "{preview}");
    let preview = world.post("/api/v1/captures/preview?showSecrets=true", &body).await.is(200).text();
    assert!(preview.contains(CANARY), "{preview}");
    // Error messages do not show it either.
    let unknown = world.get(&format!("/api/v1/crawls/{crawl}/page/links?url={encoded}x")).await;
    assert!(!unknown.is_problem(404, "not_found").to_string().contains(CANARY));
    world.get("/api/v1/projects?showSecrets=perhaps").await.is_problem(400, "bad_request");
    let head = world.send(Ask::new("HEAD", &format!("/api/v1/runs/{run}/pages"))).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
}
