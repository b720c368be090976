//! `bluesnake page`, and the ways in which a capture is written.

use serde_json::{Value, json};
use testsite::{Reply, Running, Site};

use crate::program::Home;

const GUIDE: &str = "<!doctype html><title>Guide – Manual</title><body><nav><a href=/docs/other>Other</a></nav>\
    <main><h1 id=top>Guide</h1><p>Enough words to be the content of a page of documentation, and not its furniture. See \
    <a href=/docs/other#use>the other page</a>.</p><div class=promo><p>Buy our other product today.</p></div>\
    <h2 id=run>Run it</h2><p>More words about running it, so that this section has a text of its own.</p>\
    <pre><code>run --now\n</code></pre></main>";

async fn manual() -> Running {
    let other = GUIDE.replace("Guide", "Other").replace("/docs/other#use", "/docs/#run").replace("id=run", "id=use");
    Site::new()
        .reply("/docs/", Reply::html(GUIDE))
        .reply("/docs/other", Reply::html(other))
        .reply("/docs/moved", Reply::redirect(301, "/docs/"))
        .reply("/docs/away", Reply::redirect(302, "http://other.test/"))
        .reply("/docs/image.png", Reply::bytes("image/png", vec![0; 64]))
        .reply("/robots.txt", Reply::text("text/plain", "User-agent: *\nDisallow: /docs/private\n"))
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_page_is_printed_in_each_format_and_nothing_is_stored() {
    let site = manual().await;
    let home = Home::new("page");
    let url = site.url("/docs/moved");
    let markdown = home.ok(&["page", &url]).stdout;
    assert!(markdown.starts_with("# Guide\n\nEnough words"), "{markdown}");
    assert!(markdown.contains(&format!("[the other page]({}#use)", site.url("/docs/other"))), "{markdown}");
    assert!(markdown.contains("```\nrun --now\n```") && !markdown.contains("[Other]"), "{markdown}");

    let plain = home.ok(&["page", &url, "--format", "text"]).stdout;
    assert!(plain.contains("See the other page.") && !plain.contains('['), "{plain}");
    assert_eq!(home.ok(&["page", &url, "--format", "html"]).stdout, GUIDE);
    let all: Value = serde_json::from_str(&home.ok(&["page", &url, "--format", "json"]).stdout).unwrap();
    assert_eq!((&all["url"], &all["title"]), (&json!(site.url("/docs/")), &json!("Guide")));

    let without_links = home.ok(&["page", &url, "--links", "none", "--exclude-element", ".promo"]).stdout;
    assert!(without_links.contains("See the other page.") && !without_links.contains("Buy our"), "{without_links}");
    let only = home.ok(&["page", &url, "--include-element", ".promo"]).stdout;
    assert_eq!(only.trim(), "Buy our other product today.");
    let with_facts = home.ok(&["page", &url, "--front-matter"]).stdout;
    assert!(with_facts.starts_with("---\nurl: ") && with_facts.contains("title: \"Guide\""), "{with_facts}");

    assert!(!home.path("data").exists(), "no database is created");
    assert!(site.seen().paths().iter().all(|path| path != "/docs/other"), "links are not followed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_cannot_be_read_is_an_error_with_its_reason() {
    let site = manual().await;
    let home = Home::new("page-errors");
    for (path, reason) in [
        ("/docs/missing", "HTTP 404"),
        ("/docs/image.png", "unsupported content type image/png"),
        ("/docs/private", "blocked by robots.txt: "),
    ] {
        let done = home.run(&["page", &site.url(path)]);
        done.fails(1, &["error: cannot read http://", reason, "hint: "]);
        assert_eq!(done.stdout, "");
    }
    home.run(&["page", &site.url("/docs/"), "--format", "text", "--front-matter"]).fails(2, &["Markdown only"]);
    home.run(&["page", &site.url("/docs/"), "--run", "1", "--robots", "ignore"]).fails(2, &["--run", "--robots"]);
    home.run(&["page", &site.url("/docs/"), "--links", "local"]).fails(2, &["local"]);
    home.run(&["page", "not a url"]).fails(2, &["not a url"]);
    home.run(&["page", &site.url("/docs/"), "--exclude-element", "p["]).fails(2, &["exclude", "p["]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_capture_needs_no_request() {
    let site = manual().await;
    let home = Home::new("page-captured");
    home.ok(&["capture", &site.url("/docs/"), "--rate", "0"]);
    let requests = site.seen().requests();
    let host = site.url("/docs/").split('/').nth(2).unwrap().to_owned();
    let markdown = home.ok(&["page", "/docs/other", "--run", &host]).stdout;
    assert!(markdown.starts_with("# Other\n"), "{markdown}");
    let file = home.path("other.html");
    home.ok(&["page", &site.url("/docs/"), "--run", "1", "--format", "html", "-o", file.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), GUIDE);
    home.run(&["page", &site.url("/docs/"), "--run", "1", "-o", file.to_str().unwrap()]).fails(1, &["--replace"]);
    home.run(&["page", &site.url("/docs/missing"), "--run", "1"]).fails(1, &["run 1", "/docs/missing"]);
    assert_eq!(site.seen().requests(), requests);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_is_written_with_links_of_every_style_and_as_chunks() {
    let site = manual().await;
    let home = Home::new("page-styles");
    home.ok(&["capture", &site.url("/docs/"), "--rate", "0"]);
    home.ok(&[
        "capture",
        &site.url("/docs/other"),
        "--rate",
        "0",
        "--include-element",
        "main",
        "--exclude-element",
        "p",
    ]);
    let chosen = home.ok(&["capture", "--run", "2", "--format", "single", "-o", "-"]).stdout;
    assert!(chosen.contains("## Run it") && !chosen.contains("Enough words"), "{chosen}");
    let written = |arguments: &[&str]| {
        let folder = home.path("files");
        let path = folder.to_str().unwrap();
        home.ok(&[&["capture", "--run", "1", "-o", path, "--replace"], arguments].concat());
        std::fs::read_to_string(folder.join("docs.md")).unwrap()
    };
    let url = site.url("/docs/other");
    for (style, link) in [
        ("local", "[the other page](docs/other.md#run-it)".to_owned()),
        ("absolute", format!("[the other page]({url}#use)")),
        ("reference", "[the other page][1]".to_owned()),
        ("none", "See the other page.".to_owned()),
    ] {
        let text = written(&["--links", style]);
        assert!(text.contains(&link), "{style}: {text}");
        assert_eq!(text.contains("\n[1]: docs/other.md#run-it"), style == "reference", "{text}");
    }

    let chunks = |arguments: &[&str]| {
        home.ok(&[&["capture", "--run", "1", "--format", "chunks", "-o", "-"], arguments].concat()).json_lines()
    };
    let all = chunks(&[]);
    let places: Vec<_> = all.iter().map(|chunk| (&chunk["heading_path"], &chunk["anchor"])).collect();
    assert_eq!(places[..2], [(&json!(["Guide"]), &json!("top")), (&json!(["Guide", "Run it"]), &json!("run"))]);
    assert_eq!(all, chunks(&[]), "a capture has the same chunks every time");
    assert!(chunks(&["--max-tokens", "64"]).iter().all(|chunk| chunk["tokens_o200k"].as_u64().unwrap() <= 64));
    home.run(&["capture", "--run", "1", "--format", "chunks", "-o", "-", "--max-tokens", "3"]).fails(2, &["64"]);
}
