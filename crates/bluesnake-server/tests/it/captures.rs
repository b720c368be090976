//! Captures over HTTP: started, watched, read, searched, downloaded.

use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Latency, Reply, Running, Site};

use crate::client::Ask;
use crate::world::{World, local};

fn page(title: &str, links: &str) -> Reply {
    let words = "Enough words to be the content of a page of documentation, and not its furniture. ".repeat(4);
    Reply::html(format!(
        "<!doctype html><title>{title}</title><body><nav>{links}</nav>\
         <main><h1 id=top>{title}</h1><p>{words} {title}</p><pre><code>call {title}()\n</code></pre></main>"
    ))
}

async fn manual() -> Running {
    let links = "<a href=/docs/one>1</a> <a href=/docs/two>2</a> <a href=/docs/copy>3</a> <a href=/docs/gone>4</a> <a href=/blog>5</a>";
    Site::new()
        .reply("/docs/", page("Start", links))
        .reply("/docs/one", page("One", links))
        .reply("/docs/two", page("Two", links))
        .reply("/docs/copy", page("Two", links))
        .start()
        .await
}

async fn capture(world: &World, site: &Running, more: Value) -> i64 {
    let mut body = json!({"url": site.url("/docs/"), "settings": {"politeness": {"rate": 0}}});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let started = world.post("/api/v1/captures", &body).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    started["runId"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_is_started_read_searched_and_downloaded() {
    let site = manual().await;
    let world = World::start("captures", local()).await;
    let run = capture(&world, &site, json!({})).await;

    let shown = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    assert_eq!(shown["status"], "completed_with_errors");
    assert_eq!(
        (&shown["pagesProcessed"], &shown["duplicates"], &shown["pagesFailed"]),
        (&json!(3), &json!(1), &json!(1))
    );
    let error = &shown["errors"][0];
    let gone = site.url("/docs/gone");
    assert_eq!(
        (&error["url"], &error["canonicalUrl"], &error["error"]),
        (&json!(gone), &json!(gone), &json!("HTTP 404"))
    );
    assert!(error["timestamp"].as_i64().unwrap() > 1_700_000_000, "{error}");
    assert_eq!((shown["errors"].as_array().unwrap().len(), &shown["inProgress"]), (1, &json!([])));
    let parts = ["pagesProcessed", "duplicates", "pagesFailed", "leftOut", "queueSize"];
    let sum: i64 = parts.iter().map(|part| shown[*part].as_i64().unwrap()).sum();
    assert_eq!(shown["pagesFound"], sum, "all pages found are accounted for: {shown}");

    let first = world.get(&format!("/api/v1/captures/{run}/pages?limit=2")).await.is(200).json();
    let next = first["nextCursor"].as_str().unwrap();
    let rest = world.get(&format!("/api/v1/captures/{run}/pages?limit=2&cursor={next}")).await.is(200).json();
    let titles: Vec<&Value> = [&first, &rest].into_iter().flat_map(|page| page["items"].as_array().unwrap()).collect();
    let titles: Vec<&str> = titles.iter().map(|row| row["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Start", "One", "Two"]);

    let copy = world.get(&format!("/api/v1/captures/{run}/page?url={}", site.url("/docs/copy"))).await.is(200).json();
    assert_eq!(copy["url"], site.url("/docs/two"));
    assert!(copy["markdown"].as_str().unwrap().contains("```\ncall Two()\n```"), "{copy}");

    let found = world.get("/api/v1/captures/search?q=call%20one").await.is(200).json();
    assert_eq!(found[0]["url"], format!("{}#top", site.url("/docs/one")));
    let in_run = world.get(&format!("/api/v1/captures/search?q=call%20one&runId={run}")).await.is(200).json();
    assert_eq!(in_run, found);
    world.get("/api/v1/captures/search?q=call%20one&runId=99").await.is(404);

    for (format, start) in
        [("markdown", &b"---"[..]), ("text", b"===="), ("markdown_zip", b"PK"), ("markdown_jsonl", b"{")]
    {
        let file = world.get(&format!("/api/v1/runs/{run}/export?format={format}")).await.is(200).clone();
        assert!(file.body.starts_with(start), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_pages_of_all_captures_are_listed() {
    let (site, other) = (manual().await, manual().await);
    let world = World::start("captures-error-log", local()).await;
    let first = capture(&world, &site, json!({})).await;
    let second = capture(&world, &other, json!({})).await;

    let log = world.get("/api/v1/captures/errors").await.is(200).json();
    let rows = log["items"].as_array().unwrap();
    let shown: Vec<_> = rows.iter().map(|row| (&row["runId"], &row["url"], &row["error"])).collect();
    let (gone, other_gone) = (json!(site.url("/docs/gone")), json!(other.url("/docs/gone")));
    let cause = json!("HTTP 404");
    assert_eq!(shown, [(&json!(second), &other_gone, &cause), (&json!(first), &gone, &cause)]);

    let page = world.get("/api/v1/captures/errors?limit=1").await.is(200).json();
    let next = page["nextCursor"].as_str().unwrap();
    let rest = world.get(&format!("/api/v1/captures/errors?limit=1&cursor={next}")).await.is(200).json();
    assert_eq!((&page["items"][0], &rest["items"][0], &rest["hasMore"]), (&rows[0], &rows[1], &json!(false)));

    let project = &rows[1]["projectID"];
    let at = rows[1]["timestamp"].as_i64().unwrap();
    for (query, expected) in [
        (format!("runId={first}"), 1),
        (format!("projectID={project}"), 1),
        (format!("projectID={project}&runId={second}"), 0),
        (format!("since={at}"), 2),
        (format!("since={}", at + 3600), 0),
    ] {
        let found = world.get(&format!("/api/v1/captures/errors?{query}")).await.is(200).json();
        assert_eq!(found["items"].as_array().unwrap().len(), expected, "{query}");
    }
    world.get("/api/v1/captures/errors?runId=99").await.is(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_limits_apply_and_invalid_capture_requests_are_refused() {
    let site = manual().await;
    let world = World::start("captures-errors", local()).await;
    let run = capture(&world, &site, json!({"pageLimit": 2})).await;
    let shown = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    assert_eq!(shown["bases"], json!([{"url": site.url("/docs/"), "pages": 2, "pageLimit": 2}]));

    let crawl = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
    let problem = world.get(&format!("/api/v1/captures/{crawl}")).await.is_problem(404, "not_found");
    assert_eq!(problem["hint"], "`bluesnake runs list` shows what each run is for");
    world.get(&format!("/api/v1/captures/{crawl}/pages")).await.is(404);
    world.get("/api/v1/captures/999").await.is(404);
    world.get(&format!("/api/v1/captures/{run}/page?url={}", site.url("/nowhere"))).await.is(404);
    world.get("/api/v1/captures/search?q=%22").await.is(422);
    world.get("/api/v1/captures/search?q=x&limit=0").await.is(400);
    world.post("/api/v1/captures", &json!({"urls": []})).await.is(422);
    world.post("/api/v1/captures", &json!({"url": site.url("/"), "output": "/etc"})).await.is(422);
    for hostile in ["title%3Ax", "a%20AND%20(", "%27%3B%20DROP%20TABLE%20runs", "NEAR(a%20b)", "%00", "*"] {
        let answer = world.get(&format!("/api/v1/captures/search?q={hostile}")).await;
        assert!(matches!(answer.status, 200 | 400 | 422), "{hostile}: {}", answer.status);
    }
}

/// Pages that repeat a notice, which is removed both from their files and from responses.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_the_same_over_http_and_in_its_file() {
    let links: String = (0..8).map(|n| format!("<a href=/docs/{n}>{n}</a> ")).collect();
    let notice = "<p>This notice stands on each and every page of the manual, word for word.</p>";
    let of = |n: usize| {
        let words = format!("Page number {n} has enough words of its own to be told from all others. ").repeat(6);
        Reply::html(format!(
            "<title>{n}</title><body><nav>{links}</nav><main><h1>Page {n}</h1><p>{words}</p>{notice}</main>"
        ))
    };
    let site = (0..8).fold(Site::new().reply("/docs/", of(100)), |site, n| site.reply(&format!("/docs/{n}"), of(n)));
    let site = site.start().await;
    let world = World::start("captures-cleaned", local()).await;
    let run = capture(&world, &site, json!({})).await;
    let file = world.get(&format!("/api/v1/runs/{run}/export?format=markdown_jsonl")).await.is(200).text();
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 9);
    for line in &lines {
        let url = line["url"].as_str().unwrap();
        let page = world.get(&format!("/api/v1/captures/{run}/page?url={url}")).await.is(200).json();
        assert!(!page["markdown"].as_str().unwrap().contains("word for word"), "{page}");
        assert_eq!((&page["markdown"], &page["hash"]), (&line["markdown"], &line["hash"]), "{url}");
        assert_eq!((&page["tokensO200k"], &page["tokensCl100k"]), (&line["tokens_o200k"], &line["tokens_cl100k"]));
        let text = page["markdown"].as_str().unwrap().replace("# ", "");
        assert_eq!(page["words"], text.split_whitespace().count(), "{page}");
        assert_eq!(page["removed"].as_array().unwrap().last().unwrap()["reason"], "repeated");
    }
    let shown = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    let tokens: i64 = lines.iter().map(|line| line["tokens_o200k"].as_i64().unwrap()).sum();
    assert_eq!(shown["tokensO200k"], tokens, "the counts match the files");
    let found = async |words: &str| world.get(&format!("/api/v1/captures/search?q={words}")).await.is(200).json();
    assert_eq!(found("%22word%20for%20word%22").await, json!([]), "removed text is not found");
    assert_eq!(found("number%207").await[0]["url"], site.url("/docs/7"));
    let hashes: std::collections::BTreeSet<&str> = lines.iter().map(|line| line["hash"].as_str().unwrap()).collect();
    assert_eq!(hashes.len(), 9);
}

/// A stopped capture keeps its pages and resumes where it was; the counts never decrease.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_is_watched_stopped_and_resumed() {
    let links: String = (0..40).map(|n| format!("<a href=/docs/{n}>{n}</a> ")).collect();
    let site =
        Site::new().reply("/docs/", page("Start", &links)).latency(Latency::fixed(Duration::from_millis(100)), 1);
    let site = (0..40).fold(site, |site, n| site.reply(&format!("/docs/{n}"), page(&format!("Page {n}"), "")));
    let site = site.start().await;
    let world = World::start("captures-stopped", local()).await;
    let settings = json!({"politeness": {"rate": 0, "grace_ms": 2000, "parallelism": 2}});
    let body = json!({"url": site.url("/docs/"), "settings": settings});
    let started = world.post("/api/v1/captures", &body).await.is(202).json();
    let (project, run) = (&started["id"], &started["runId"]);
    world.post("/api/v1/captures", &body).await.is(409);

    let (mut found, mut was_seen_under_way) = (0, false);
    let mut watch = async |until: usize| {
        for requests in (0..until).step_by(2) {
            site.wait_for(|seen| seen.requests() >= requests).await;
            let shown = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
            let now = shown["pagesFound"].as_i64().unwrap();
            assert!(now >= found, "{now} after {found}");
            let parts = ["pagesProcessed", "duplicates", "pagesFailed", "leftOut", "queueSize"];
            let parts: Vec<i64> = parts.iter().map(|part| shown[*part].as_i64().unwrap()).collect();
            assert!(parts.iter().all(|part| *part >= 0) && parts.iter().sum::<i64>() == now, "{shown}");
            was_seen_under_way |= !shown["inProgress"].as_array().unwrap().is_empty();
            found = now;
        }
    };
    watch(20).await;
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is(202);
    world.wait_for_end(project.as_i64().unwrap()).await;
    let stopped = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    assert_eq!((&stopped["status"], &stopped["inProgress"]), (&json!("interrupted"), &json!([])));
    let had = stopped["pagesProcessed"].as_i64().unwrap();
    assert!((1..41).contains(&had), "{stopped}");

    let resumed = world.send(Ask::new("POST", &format!("/api/v1/resume-crawl/{project}"))).await.is(202).json();
    assert_eq!(&resumed["runId"], run);
    watch(40).await;
    world.wait_for_end(project.as_i64().unwrap()).await;
    let done = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    assert_eq!(
        (&done["status"], &done["pagesProcessed"], &done["queueSize"]),
        (&json!("completed"), &json!(41), &json!(0))
    );
    assert!(done["pagesFound"].as_i64().unwrap() >= found && was_seen_under_way);
    assert!(
        site.seen().requested_more_than_once().len() <= 2 + 4,
        "only URLs in flight, robots.txt and sitemaps are requested again"
    );
}

/// What would be captured, without keeping anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_preview_lists_what_would_be_captured() {
    let site = manual().await;
    let world = World::start("captures-preview", local()).await;
    let body = json!({"url": site.url("/docs/"), "settings": {"politeness": {"rate": 0}}});
    let rows = world.post("/api/v1/captures/preview", &body).await.is(200).json();
    let of = |path: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["url"] == site.url(path));
        let row = row.unwrap_or_else(|| panic!("{path} in {rows}"));
        (row["isCaptured"].clone(), row["reason"].clone(), row["title"].clone())
    };
    assert_eq!(of("/docs/two"), (json!(true), json!(null), json!("Two")));
    assert_eq!(of("/docs/copy").1, "duplicate of another page");
    assert_eq!((of("/docs/gone").1, of("/blog").1), (json!("client error"), json!("outside path")));
    assert_eq!(world.get("/api/v1/projects").await.is(200).json()["items"].as_array().map(Vec::len), Some(0));

    let config = json!({"url": site.url("/"), "settings": {"scope": {"exclude": ["/two$"]}}});
    world.put("/api/v1/config", &config).await.is(200);
    let rows = world.post("/api/v1/captures/preview", &body).await.is(200).json();
    let two = rows.as_array().unwrap().iter().find(|row| row["url"] == site.url("/docs/two")).unwrap().clone();
    assert_eq!(two["reason"], "excluded", "saved settings of the site apply");
    world.post("/api/v1/captures/preview", &json!({"urls": []})).await.is(422);
    world.post("/api/v1/captures/preview", &json!({"url": "ftp://a.example/"})).await.is(422);
}

/// Captures of two places in one file.
#[tokio::test(flavor = "multi_thread")]
async fn captures_are_downloaded_together() {
    let (one, other) = (manual().await, manual().await);
    let world = World::start("captures-together", local()).await;
    let (first, second) = (capture(&world, &one, json!({})).await, capture(&world, &other, json!({})).await);
    let path = format!("/api/v1/runs/{first}/export?format=markdown_jsonl&also={second},{first}");
    let file = world.get(&path).await.is(200).text();
    let urls: Vec<Value> =
        file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["url"].clone()).collect();
    let expected = [&one, &other].map(|site| ["/docs/", "/docs/one", "/docs/two"].map(|path| json!(site.url(path))));
    assert_eq!(urls, expected.concat());
    world.get(&format!("/api/v1/runs/{first}/export?format=markdown&also=99")).await.is(404);
}
