//! Audits of lists: exactly the URLs of a sitemap or a text file that the server fetches.

use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Latency, Page, Reply, Running, Site};

use crate::private::with_public_name;
use crate::world::{World, fast, limited, local, merge};

async fn site() -> Running {
    Site::new()
        .page("/", Page::titled("Home").links(["/a", "/b"]))
        .page("/a", Page::titled("A").link("/b").image("/a.png"))
        .page("/b", Page::titled("B").link("/c"))
        .page("/c", Page::titled("C"))
        .sitemap("/map.xml", ["/a", "/c"])
        .sitemap("/other.xml", ["/b"])
        .reply("/empty.txt", Reply::text("text/plain", "# nothing\n"))
        .reply("/bad.txt", Reply::text("text/plain", "a.example/x\nexample\nhttps://a.example/ 200\n"))
        .start()
        .await
}

/// Serves texts that name another site.
async fn list_of(site: &Running) -> Running {
    let lines = format!("{}\n# comment\n{}\n{0}\n", site.url("/c"), site.url("/b"));
    let map = |name: &str| format!("<sitemap><loc>{}</loc></sitemap>", site.url(name));
    let index = format!("<sitemapindex>{}{}</sitemapindex>", map("/map.xml"), map("/other.xml"));
    Site::new()
        .reply("/urls.txt", Reply::text("text/plain", &lines))
        .reply("/index.xml", Reply::text("application/xml", &index))
        .redirect("/moved", 302, "/urls.txt")
        .start()
        .await
}

/// The paths that were requested, without robots.txt and sitemaps.
fn requested(site: &Running) -> Vec<String> {
    let mut paths: Vec<String> = site.seen().paths().into_iter().map(|path| path.to_string()).collect();
    paths.retain(|path| path != "/robots.txt" && !path.ends_with(".xml"));
    paths.sort();
    paths
}

async fn crawl(world: &World, list: &str, more: Value) -> Value {
    let mut body = json!({"list": list, "settings": fast()});
    merge(&mut body, more);
    let started = world.post("/api/v1/crawl", &body).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    world.get(&format!("/api/v1/runs/{}", started["runId"])).await.is(200).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_urls_of_a_list_are_crawled() {
    let world = World::start("lists", local()).await;
    for (path, seeds, expected) in [
        ("/urls.txt", &["/c", "/b"][..], &["/b", "/c"][..]),
        ("/moved", &["/c", "/b"], &["/b", "/c"]),
        ("/index.xml", &["/a", "/c", "/b"], &["/a", "/a.png", "/b", "/c"]),
    ] {
        let site = site().await;
        let list = list_of(&site).await;
        let run = crawl(&world, &list.url(path), json!({})).await;
        assert_eq!(run["seeds"], json!(seeds.iter().map(|path| site.url(path)).collect::<Vec<_>>()), "{path}");
        assert_eq!(run["state"], "completed");
        assert_eq!(requested(&site), expected, "{path}");
    }
    let site = site().await;
    crawl(&world, &site.url("/map.xml"), json!({})).await;
    assert_eq!(requested(&site), ["/a", "/a.png", "/c"], "and no links");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_list_are_followed_on_request() {
    let (world, site) = (World::start("lists-depth", local()).await, site().await);
    crawl(&world, &site.url("/map.xml"), json!({"settings": {"scope": {"max_depth": 1}}})).await;
    assert_eq!(requested(&site), ["/a", "/a.png", "/b", "/c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fetching_a_list_may_take_longer_than_other_requests() {
    let site = Site::new().page("/a", Page::titled("A")).sitemap("/map.xml", ["/a"]);
    let site = site.latency(Latency::fixed(Duration::from_millis(900)), 1).start().await;
    let world = World::start("lists-slow", limited(|limits| limits.request_time = Duration::from_millis(400))).await;
    let body = json!({"list": site.url("/map.xml"), "settings": fast()});
    world.post("/api/v1/crawl", &body).await.is(202);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_cannot_be_read_is_refused_before_anything_is_accepted() {
    let (world, site) = (World::start("lists-unreadable", local()).await, site().await);
    let closed = site.url("/map.xml").replace(&site.port().to_string(), "1");
    for (list, why) in [
        (site.url("/no.xml"), vec!["the server responded with HTTP 404"]),
        (site.url("/"), vec!["cannot read"]),
        (site.url("/empty.txt"), vec!["has no URLs"]),
        (
            site.url("/bad.txt"),
            vec!["line 2: `example` is not a host name", "line 3: `https://a.example/ 200` contains"],
        ),
        (closed, vec!["cannot fetch"]),
        ("sitemap".to_owned(), vec!["`sitemap` is not a host name"]),
        ("file:///etc/passwd".to_owned(), vec!["cannot fetch the list at `file:///etc/passwd`"]),
    ] {
        let body = json!({"list": list, "settings": {"fetch": {"attempts": 1}}});
        let problem = world.post("/api/v1/crawl", &body).await.is_problem(422, "invalid_fields");
        let problems = problem["problems"].as_array().unwrap();
        assert_eq!(problems.len(), why.len(), "{problem}");
        for (problem, why) in problems.iter().zip(why) {
            assert_eq!(problem["field"], "list", "{problem}");
            assert!(problem["message"].as_str().unwrap().contains(why), "{problem}");
        }
    }
    assert_eq!(world.get("/api/v1/runs").await.json()["items"], json!([]));
    assert_eq!(world.get("/api/v1/projects").await.json()["items"], json!([]), "nothing is stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_excludes_other_urls_and_wrong_settings_are_named() {
    let (world, site) = (World::start("lists-fields", local()).await, site().await);
    let list = site.url("/map.xml");
    for (body, field) in [
        (json!({"list": list, "url": site.url("/")}), "list"),
        (json!({"list": list, "urls": [site.url("/")]}), "list"),
        (json!({"list": [list]}), "list"),
        (json!({"list": list, "settings": {"politeness": {"rate": -1}}}), "politeness.rate"),
        (json!({"list": list, "settings": {"audit": {"off": ["no-such-check"]}}}), "audit.off"),
    ] {
        let problem = world.post("/api/v1/crawl", &body).await.is_problem(422, "invalid_fields");
        assert_eq!(problem["problems"][0]["field"], field, "{problem}");
    }
    world.post("/api/v1/captures", &json!({"list": list})).await.is_problem(422, "invalid_fields");
    assert_eq!(site.seen().requests(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_fetched_from_public_addresses_only() {
    let secret = Site::new().sitemap("/map.xml", ["/"]).start().await;
    let target = format!("http://127.0.0.1:{}/map.xml", secret.port());
    let index = format!("<sitemapindex><sitemap><loc>{target}</loc></sitemap></sitemapindex>");
    let site = Site::new()
        .redirect("/moved.xml", 302, &target)
        .reply("/index.xml", Reply::text("application/xml", &index))
        .reply("/urls.txt", Reply::text("text/plain", format!("{target}\n")))
        .start()
        .await;
    let world = World::start("private-list", with_public_name(&site)).await;
    let post = async |list: &str| {
        let settings = json!({"politeness": {"rate": 0}, "fetch": {"attempts": 1}});
        world.post("/api/v1/crawl", &json!({"list": list, "settings": settings})).await
    };
    for list in [&target, "http://public.example/moved.xml", "http://public.example/index.xml"] {
        let problem = post(list).await.is_problem(422, "invalid_fields");
        assert_eq!(problem["problems"][0]["field"], "list", "{problem}");
    }
    // A list may name private addresses; they are not visited.
    let started = post("http://public.example/urls.txt").await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    let pages = world.get(&format!("/api/v1/runs/{}/pages", started["runId"])).await.is(200).json();
    assert_eq!(pages["items"][0]["reason"], "private_address", "{pages}");
    assert_eq!(secret.seen().requests(), 0, "by the log of the server that was to be reached");
}
