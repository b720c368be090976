//! Facts of responses in exports and lists.

use std::ops::ControlFlow;
use std::sync::Arc;

use bluesnake_engine::plan::Mechanisms;
use bluesnake_store::{Database, Table, Value};
use testsite::{Page, Reply, Running, Site};

use crate::world::{Folder, begin, crawl, local};

/// Columns of a page as exported.
fn exported(database: &Database, run: i64, url: &str, names: &[&str]) -> Vec<String> {
    let all = Table::Pages.columns(false);
    let column = |name: &str| *all.iter().find(|column| column.name == name).expect("a column of the table");
    let columns: Vec<_> = ["url"].iter().chain(names).map(|name| column(name)).collect();
    let mut found = Vec::new();
    let each = |row: &[Value<'_>]| {
        if row[0] == Value::Text(url) {
            found = row[1..].iter().map(|value| format!("{value:?}")).collect();
        }
        ControlFlow::Continue(())
    };
    database.contents().scan(run, Table::Pages, &columns, each).unwrap();
    found
}

async fn crawled(site: &Running, folder: &Folder) -> (Database, i64) {
    let database = folder.database();
    let (_claim, started) = begin(&database, "site.test").await;
    crawl(&site.url("/"), local(), Arc::new(started.store)).await;
    (database, started.run)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_decoded_and_the_transferred_size_are_exported_and_listed() {
    let html = format!("<title>T</title>{}", "words ".repeat(1_000));
    let site = Site::new().reply("/", Reply::gzip(html.clone())).start().await;
    let folder = Folder::new();
    let (database, run) = crawled(&site, &folder).await;

    let sizes = exported(&database, run, &site.url("/"), &["body_bytes", "wire_bytes"]);

    assert_eq!(sizes[0], format!("Integer({})", html.len()));
    assert_ne!(sizes[1], sizes[0]);
}

/// Once, only canonicals in the document were stored, even from the body.
#[tokio::test(flavor = "multi_thread")]
async fn canonicals_come_from_the_header_or_the_head() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/header").link("/body"))
        .reply("/header", Reply::html("<title>H</title>").header("Link", "</own>; rel=canonical"))
        .reply("/body", Reply::html("<title>B</title><body>words<link rel=canonical href=/own>"))
        .page("/own", Page::titled("Own"))
        .start()
        .await;
    let folder = Folder::new();
    let (database, run) = crawled(&site, &folder).await;

    let of = |path: &str| exported(&database, run, &site.url(path), &["canonical_url", "indexable"]).join(" ");

    assert_eq!(of("/header"), format!("Text({:?}) Text(\"No\")", site.url("/own")));
    assert_eq!(of("/body"), "Null Text(\"Yes\")");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_header_is_stored_with_the_page() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/at-once").link("/later"))
        .reply("/at-once", Reply::html("<title>A</title>").header("Refresh", "0; url=/own"))
        .reply("/later", Reply::html("<title>L</title>").header("Refresh", "5; url=/own"))
        .page("/own", Page::titled("Own"))
        .start()
        .await;
    let folder = Folder::new();
    let (database, run) = crawled(&site, &folder).await;

    let of = |path: &str| exported(&database, run, &site.url(path), &["facts", "indexable"]).join(" ");

    for (path, seconds, indexable) in [("/at-once", 0, "No"), ("/later", 5, "Yes")] {
        let fact = format!("\"refresh\":[{seconds},\"{}\"]", site.url("/own")).replace('"', "\\\"");
        assert!(of(path).contains(&fact), "{fact} in {}", of(path));
        assert!(of(path).ends_with(&format!("Text({indexable:?})")), "{}", of(path));
    }
}

/// A value of a visit as SQL returns it.
fn stored(folder: &Folder, url: &str, expression: &str) -> String {
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let sql = format!(
        "SELECT CAST({expression} AS TEXT) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number WHERE u.url = ?1"
    );
    connection.query_row(&sql, [url], |row| row.get::<_, Option<String>>(0)).unwrap().unwrap_or("NULL".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_for_the_audit_are_stored_with_the_visit() {
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    let words = "some more words ".repeat(10);
    let html = format!(
        "<title>T</title><nav>Menu</nav><main><p id=one>{words}</p><a href='/short#part'>x</a><img src=/a.jpg><img src=/b.png></main>"
    );
    let site = Site::new()
        .reply("/", Reply::html(html).header("Link", "</header>; rel=next"))
        .reply("/short", Reply::html("<p>Short"))
        .reply("/header", Reply::html("<p>Next"))
        .reply("/a.jpg", Reply::bytes("image/jpeg", PNG))
        .reply("/b.png", Reply::bytes("image/png", PNG))
        .start()
        .await;
    let folder = Folder::new();
    let database = folder.database();
    let (_claim, started) = begin(&database, "site.test").await;
    let mut input = local();
    input.resources.check = Some(true);
    input.extract.columns = Some([("title".to_owned(), "css:title".to_owned())].into());
    crawl(&site.url("/"), input, Arc::new(started.store)).await;

    for (path, expression, expected) in [
        ("/", "main_words", "31"),
        ("/", "word_count", "32"),
        ("/", "length(signature)", "128"),
        ("/", "extracted", r#"{"columns":{"title":["T"]}}"#),
        ("/", "length(facts ->> '$.ids')", "4"),
        // The link of the header comes first.
        ("/", "facts ->> '$.fragments'", r#"[[1,"part"]]"#),
        ("/", "facts ->> '$.header_charset'", "utf-8"),
        ("/short", "main_words", "1"),
        ("/short", "signature", "NULL"),
        ("/a.jpg", "sniffed", "image/png"),
        ("/a.jpg", "main_words", "NULL"),
        ("/b.png", "sniffed", "NULL"),
    ] {
        assert_eq!(stored(&folder, &site.url(path), expression), expected, "{path} {expression}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_an_llms_txt_is_stored() {
    let list = "# Title\n\n> Summary\n\n## Docs\n\n- [One](/one)\n- [Two]\n";
    let site = Site::new()
        .page("/", Page::titled("Home"))
        .page("/one", Page::titled("One"))
        .reply("/llms.txt", Reply::bytes("text/plain", list))
        .start()
        .await;
    let folder = Folder::new();
    let database = folder.database();
    let (_claim, started) = begin(&database, "site.test").await;
    let mut input = local();
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.discover.llms_txt = Some(true);
    crawl(&site.url("/"), input, Arc::new(started.store)).await;

    let llms = |name: &str| stored(&folder, &site.url("/llms.txt"), &format!("extracted ->> '$.llms.{name}'"));

    assert_eq!(["title", "summary", "links", "malformed"].map(llms), ["1", "1", "1", "1"]);
}
