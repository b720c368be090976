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

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_rows_is_a_file_with_the_same_rows_in_the_same_order() {
    let home = Page::titled("=1+1").links(["/b", "/gone", "/c?token=secret"]);
    let site = Site::new().page("/", home).page("/b", Page::titled("B")).start().await;
    let world = World::start("rows-export", local()).await;
    let rules = json!({"settings": {"extract": {"contains": {"letter b": "<title>B"}}}});
    let run = &world.crawl_to_the_end(&site, rules).await["runId"];
    let export = async |query: &str| world.get(&format!("/api/v1/runs/{run}/rows/export?{query}")).await;
    for query in
        ["", "status=4xx&sort=url&order=desc", "page=true&sort=title", "lacks=letter%20b", "search=no-such-text"]
    {
        let shown = world.get(&format!("/api/v1/runs/{run}/rows?columns=number,title&{query}")).await.is(200).json();
        let written = export(&format!("format=jsonl&columns=number,url,title&{query}")).await.is(200).text();
        assert_eq!(
            json!(lines(&written)),
            shown["items"]
                .as_array()
                .map(|rows| {
                    rows.iter()
                        .map(|row| json!({"number": row["number"], "url": row["url"], "title": row["title"]}))
                        .collect::<Value>()
                })
                .unwrap(),
            "{query}"
        );
    }
    let row = lines(&export("format=jsonl&search=/b").await.is(200).text()).remove(0);
    assert_eq!((&row["title"], &row["extract.contains.letter b"]), (&json!("B"), &json!(1)), "one column per rule");
    assert!(row.get("responseTime").is_none() && row.get("extracted").is_none(), "{row}");
    assert!(lines(&export("format=jsonl&times=true").await.text())[0]["responseTime"].is_number());
    assert!(lines(&export("format=jsonl&columns=responseTime").await.text())[0]["responseTime"].is_number());
    assert_eq!(export("page=true&columns=title").await.text(), "title\n'=1+1\nB\n", "safe for spreadsheets");
    assert_eq!(export("page=true&columns=title&raw=true").await.text(), "title\n=1+1\nB\n");
    assert!(export("columns=url").await.text().contains("/c?token=***\n"));
    assert!(export("columns=url&showSecrets=true").await.text().contains("/c?token=secret\n"));
    for (format, media_type, begin) in [
        ("csv", "text/csv; charset=utf-8", "number,url,status"),
        ("jsonl", "application/x-ndjson", "{\"number\":1"),
        ("parquet", "application/vnd.apache.parquet", "PAR1"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "PK"),
    ] {
        let answer = export(&format!("format={format}")).await;
        assert_eq!(answer.is(200).header("content-type"), Some(media_type));
        let name = format!("attachment; filename=\"run-{run}-rows.{format}\"");
        assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
        assert!(answer.body.starts_with(begin.as_bytes()), "{format}");
    }
    export("columns=titel").await.is_problem(422, "invalid_parameter");
    export("contains=leter").await.is_problem(422, "invalid_parameter");
    export("issue=no-such").await.is_problem(404, "not_found");
    for refused in ["format=sitemap", "limit=5", "offset=1", "shape=rows"] {
        export(refused).await.is_problem(400, "bad_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_is_a_file_with_the_rows_that_it_lists() {
    let site = |paths: &[&str]| {
        let home = Site::new().page("/", Page::titled("=Home").links(paths.iter().copied()));
        paths.iter().fold(home, |site, path| site.page(path, Page::titled("A page")))
    };
    let (before, after) = (site(&["/stays", "/goes"]).start().await, site(&["/stays", "/comes"]).start().await);
    let world = World::start("compare-export", local()).await;
    let mut runs = Vec::new();
    for site in [&before, &after] {
        let resolve = format!("site.test:{}", site.addr());
        let more = json!({"url": "http://site.test/", "mode": "fresh", "settings": {"fetch": {"resolve": [resolve], "allow_private": true}}});
        runs.push(world.crawl_to_the_end(site, more).await["runId"].as_i64().unwrap());
    }
    let (a, b) = (runs[0], runs[1]);
    let export = async |query: &str| world.get(&format!("/api/v1/runs/{a}/compare/{b}/export?{query}")).await;
    for query in ["", "class=gone", "class=same", "field=inlinks", "change=new", "search=comes"] {
        let shown = world.get(&format!("/api/v1/runs/{a}/compare/{b}/rows?{query}")).await.is(200).json();
        let listed: Vec<Value> = shown["items"].as_array().unwrap().iter().map(|row| row["url"].clone()).collect();
        let written = lines(&export(&format!("format=jsonl&{query}")).await.is(200).text());
        assert_eq!(written.iter().map(|row| row["url"].clone()).collect::<Vec<_>>(), listed, "{query}");
    }
    let gone = lines(&export("format=jsonl&class=gone").await.text());
    assert_eq!((gone.len(), &gone[0]["url"]), (1, &json!("http://site.test/goes")), "{gone:?}");
    let answer = export("").await;
    let name = format!("attachment; filename=\"compare-{a}-{b}.csv\"");
    assert_eq!(answer.is(200).header("content-disposition"), Some(name.as_str()));
    assert!(answer.text().starts_with("class,url,"), "{}", answer.text());
    export("check=no-such").await.is_problem(404, "not_found");
    for refused in ["format=warc", "limit=5", "class=lost"] {
        export(refused).await.is_problem(400, "bad_request");
    }

    let previous = world.get(&format!("/api/v1/runs/{b}/previous")).await.is(200).json();
    assert_eq!(previous, world.get(&format!("/api/v1/runs/{a}")).await.json());
    let first = world.get(&format!("/api/v1/runs/{a}/previous")).await.is_problem(404, "not_found");
    assert_eq!(first["detail"], format!("no completed run of site.test before run {a} with the same seeds and scope"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_may_take_longer_than_other_requests() {
    let site = scenarios::small().start().await;
    let database = folder("slow-export").join("bluesnake.db");
    let world = World::on(&database, local()).await;
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
    world.shut_down().await;
    // A zero timeout is one millisecond for the timer; each of these formats is written completely first, which takes longer.
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
