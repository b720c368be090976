//! Exports as downloads.

use serde_json::{Value, json};
use testsite::{Page, Site, scenarios};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::Ask;
use crate::world::{World, folder, limited, local};

#[tokio::test(flavor = "multi_thread")]
async fn every_table_comes_in_every_format_under_a_name() {
    let site = Site::new().page("/", Page::titled("=1+1").link("/b")).page("/b", Page::titled("B")).start().await;
    let world = World::start("exports", local()).await;
    let run = &world.crawl_to_the_end(&site, json!({"settings": {"keep": {"html": true}}})).await["runId"];
    let export = async |query: &str| world.get(&format!("/api/v1/runs/{run}/export?{query}")).await;
    for table in ["urls", "pages", "links", "issues", "receipt"] {
        for (format, media_type, begin) in [
            ("csv", "text/csv; charset=utf-8", None),
            ("jsonl", "application/x-ndjson", None),
            ("parquet", "application/vnd.apache.parquet", Some("PAR1")),
            ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Some("PK")),
        ] {
            let answer = export(&format!("table={table}&format={format}")).await;
            assert_eq!(answer.is(200).header("content-type"), Some(media_type));
            let name = format!("attachment; filename=\"run-{run}-{table}.{format}\"");
            assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
            assert!(begin.is_none_or(|begin| answer.body.starts_with(begin.as_bytes())), "{table} {format}");
        }
    }
    let pages = export("table=pages&format=jsonl").await.text();
    let titles: Vec<Value> =
        pages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["title"].clone()).collect();
    assert_eq!(titles, ["=1+1", "B"]);
    assert_eq!(export("table=pages&columns=title").await.text(), "title\n'=1+1\nB\n", "safe for spreadsheets");
    assert_eq!(export("table=pages&columns=title&raw=true").await.text(), "title\n=1+1\nB\n");
    let sitemap = export("format=sitemap").await;
    assert_eq!(sitemap.header("content-type"), Some("application/xml"));
    assert_eq!(sitemap.text().matches("<loc>").count(), 2, "{}", sitemap.text());
    export("format=sitemap&part=7").await.is_problem(422, "invalid");
    let warc = export("format=warc").await;
    assert!(warc.is(200).body.starts_with(&[0x1f, 0x8b]), "gzip");
    export("columns=nonsense").await.is_problem(422, "invalid");
    export("format=pdf").await.is_problem(400, "bad_request");
    export("table=secrets").await.is_problem(400, "bad_request");
    export("output=/etc/passwd").await.is_problem(400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_may_take_longer_than_other_requests() {
    let site = scenarios::small().start().await;
    let database = folder("slow-export").join("bluesnake.db");
    let world = World::on(&database, local()).await;
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
    world.shut_down().await;
    // The timer rounds zero up to a millisecond; these formats are written completely first, which takes longer.
    let world = World::on(&database, limited(|limits| limits.request_time = std::time::Duration::ZERO)).await;
    for format in ["parquet", "xlsx", "sitemap"] {
        world.get(&format!("/api/v1/runs/{run}/export?table=issues&format={format}")).await.is(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_documents_has_no_warc() {
    let site = scenarios::small().start().await;
    let world = World::start("no-warc", local()).await;
    let run = &world.crawl_to_the_end(&site, json!({})).await["runId"];
    world.get(&format!("/api/v1/runs/{run}/export?format=warc")).await.is_problem(409, "no_documents");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_exports_are_limited_and_abandoned_ones_end() {
    let long = "x".repeat(1900);
    let page = |start: Page| (0..4000).fold(start, |page, at| page.link(&format!("/{at}/{long}")));
    let site = Site::new().page("/", page(Page::titled("One").link("/two"))).page("/two", page(Page::titled("Two")));
    let site = site.start().await;
    let limits = limited(|limits| {
        limits.exports = 1;
        limits.stall_time = std::time::Duration::from_secs(5);
    });
    let world = World::start("export-limit", limits).await;
    let settings = json!({"settings": {"scope": {"include": ["/$", "/two$"]}}});
    let run = &world.crawl_to_the_end(&site, settings).await["runId"];
    let path = format!("/api/v1/runs/{run}/export?table=links&format=jsonl");

    let whole = world.get(&path).await.body.len();
    assert!(whole > 14_000_000, "more than sockets hold: {whole}");
    let mut idle = TcpStream::connect(world.address).await.unwrap();
    idle.write_all(&Ask::new("GET", &path).bytes(world.address)).await.unwrap();
    let mut first = [0; 1024];
    assert!(idle.read(&mut first).await.unwrap() > 0);
    let busy = world.get(&path).await;
    busy.is_problem(503, "too_many_exports");
    assert_eq!(busy.header("retry-after"), Some("5"));
    // It is let go, and the next one has its place.
    let deadline = tokio::time::Instant::now() + crate::client::PATIENCE;
    while world.get(&path).await.status != 200 {
        assert!(tokio::time::Instant::now() < deadline, "the idle export ends");
    }
}
