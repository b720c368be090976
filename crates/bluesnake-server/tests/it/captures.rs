//! Captures over HTTP: started, watched, read, searched, downloaded.

use serde_json::{Value, json};
use testsite::{Reply, Running, Site};

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
    started["runID"].as_i64().unwrap()
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
    assert_eq!(shown["errors"], json!([{"url": site.url("/docs/gone"), "error": "HTTP 404"}]));
    let parts = ["pagesProcessed", "duplicates", "pagesFailed", "leftOut", "queueSize"];
    let sum: i64 = parts.iter().map(|part| shown[*part].as_i64().unwrap()).sum();
    assert_eq!(shown["pagesFound"], sum, "what was found is accounted for: {shown}");

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

    for (format, start) in [("markdown", &b"---"[..]), ("markdown_zip", b"PK"), ("markdown_jsonl", b"{")] {
        let file = world.get(&format!("/api/v1/runs/{run}/export?format={format}")).await.is(200).clone();
        assert!(file.body.starts_with(start), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_limit_and_what_cannot_be_done() {
    let site = manual().await;
    let world = World::start("captures-errors", local()).await;
    let run = capture(&world, &site, json!({"pageLimit": 2})).await;
    let shown = world.get(&format!("/api/v1/captures/{run}")).await.is(200).json();
    assert_eq!(shown["bases"], json!([{"url": site.url("/docs/"), "pages": 2, "pageLimit": 2}]));

    let crawl = world.crawl_to_the_end(&site, json!({})).await["runID"].clone();
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
