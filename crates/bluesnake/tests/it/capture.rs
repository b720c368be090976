//! `bluesnake capture` and `bluesnake search` on real sites: counts, duplicates, limits, cache, files, kills.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use testsite::{Latency, Page, Reply, Running, Site};

use crate::home::{self, kills};
use crate::program::Home;

/// A page of documentation with its own words, in the frame that all pages share.
fn page(title: &str, body: &str, links: &[&str]) -> Reply {
    let links: String = links.iter().map(|link| format!("<li><a href=\"{link}\">{link}</a></li>")).collect();
    Reply::html(format!(
        "<!doctype html><html lang=en><head><title>{title} – Manual</title></head><body>\
         <nav class=sidebar><ul>{links}</ul></nav><main><h1 id=top>{title}</h1><p>{body}</p>\
         <h2 id=use>Use of {title}</h2><pre><code class=language-sh>run {title} --now\n</code></pre></main>\
         <footer>All rights reserved</footer></body></html>"
    ))
}

fn words(about: &str) -> String {
    format!("This page tells at some length what {about} is, what it is good for, and how it is set up on a machine.")
}

/// Two manuals of four pages each, with a copy of the second page of each.
async fn two_manuals() -> Running {
    let mut site = Site::new().latency(Latency::uniform(Duration::ZERO, Duration::from_millis(8)), 7);
    for base in ["docs", "api"] {
        let links: Vec<String> = (1..=4).map(|n| format!("/{base}/{n}")).chain([format!("/{base}/copy")]).collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        site = site.reply(&format!("/{base}/"), page(base, &words(base), &links));
        for n in 1..=4 {
            let name = format!("{base}{n}");
            site = site.reply(&format!("/{base}/{n}"), page(&name, &words(&name), &links));
        }
        let second = format!("{base}2");
        site = site.reply(&format!("/{base}/copy"), page(&second, &words(&second), &links));
    }
    site.start().await
}

/// Every file below a folder with its content.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("the folder exists").map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, std::fs::read(entry).unwrap());
            }
        }
    }
    found
}

fn capture(home: &Home, arguments: &[&str]) -> crate::program::Done {
    home.run(&[&["capture"], arguments, &["--rate", "0"]].concat())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// The limit counts unique pages for each base, exactly, at any parallelism.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_limit_counts_unique_pages_for_each_base() {
    let site = two_manuals().await;
    for parallelism in ["1", "10"] {
        let home = Home::new(&format!("capture-limit-{parallelism}"));
        let bases = [site.url("/docs/"), site.url("/api/")];
        let done = capture(&home, &[&bases[0], &bases[1], "--page-limit", "3", "--parallelism", parallelism]);
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        assert!(done.stdout.contains("captured: 6 pages"), "{}", done.stdout);
        for base in &bases {
            assert!(done.stdout.contains(&format!("{base}: 3/3 pages")), "{}", done.stdout);
        }
    }
}

/// A copy is an address of the first page, and no page.
#[tokio::test(flavor = "multi_thread")]
async fn duplicates_are_listed_as_urls_of_the_first_page() {
    let site = two_manuals().await;
    for parallelism in ["1", "10"] {
        let home = Home::new(&format!("capture-copies-{parallelism}"));
        let output = home.path("docs.jsonl");
        let done = capture(&home, &[&site.url("/docs/"), "-p", parallelism, "-o", output.to_str().unwrap()]);
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        let pages = lines(&std::fs::read_to_string(output).unwrap());
        let urls: Vec<&str> = pages.iter().map(|page| page["url"].as_str().unwrap()).collect();
        let expected = ["/docs/", "/docs/1", "/docs/2", "/docs/3", "/docs/4"].map(|path| site.url(path));
        assert_eq!(urls, expected);
        assert_eq!(pages[2]["alternate_urls"], serde_json::json!([site.url("/docs/copy")]));
        let markdown = pages[2]["markdown"].as_str().unwrap();
        assert!(markdown.contains("```sh\nrun docs2 --now\n```"), "{markdown}");
        assert!(!markdown.contains("All rights reserved") && !markdown.contains("/docs/4"), "{markdown}");
    }
}

/// Equal captures give equal trees, at any parallelism and after any kill.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_killed_repeatedly_writes_the_same_files() {
    let kills = kills(4);
    let pages = kills * 20;
    let mut site = Site::new().latency(Latency::uniform(Duration::ZERO, Duration::from_millis(10)), 3);
    let links: Vec<String> = (0..pages).map(|n| format!("/manual/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    for n in 0..pages {
        let some: Vec<&str> = links.iter().copied().skip(n).take(7).collect();
        site = site.reply(&format!("/manual/{n}"), page(&format!("part{n}"), &words(&format!("part{n}")), &some));
    }
    let site = site.reply("/manual/", page("manual", &words("it"), &links[..5])).start().await;
    let url = site.url("/manual/");
    let straight = Home::new("capture-straight");
    let tree = straight.path("tree");
    let done = capture(&straight, &[&url, "-p", "1", "-o", tree.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);

    let killed = Home::new("capture-killed");
    let other = killed.path("tree");
    let arguments = ["capture", &url, "-p", "4", "--rate", "0", "-o", other.to_str().unwrap()];
    for kill in 0..kills {
        let since = site.seen().requests();
        let working = home::Working::start(killed.command(&arguments));
        // Fifteen requests in each session: together fewer than there are pages, so each is killed before it completes.
        let reached = site.wait_for(|seen| seen.requests() >= since + 15);
        let reached = tokio::time::timeout(Duration::from_secs(300), reached).await;
        assert!(reached.is_ok(), "session {kill} stopped sending requests");
        assert_eq!(working.kill().await.code, None, "session {kill} ended before it was killed");
    }
    assert!(!other.exists(), "files were written before the capture was complete");
    let done = killed.run(&arguments);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert_eq!(files(&tree), files(&other));
    assert!(files(&tree).contains_key("llms.txt"));
}

/// Pages of an earlier capture are revalidated; unchanged ones are not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn unchanged_pages_are_not_downloaded_again() {
    let old = page("one", &words("one"), &[]).header("ETag", "\"1\"");
    let new = page("one", &words("another"), &[]).header("ETag", "\"2\"");
    let site = Site::new()
        .reply("/d/", page("start", &words("all"), &["/d/one", "/d/two", "/d/fresh"]).header("ETag", "\"s\""))
        .reply("/d/one", Reply::sequence([old, new]))
        .reply("/d/two", page("two", &words("two"), &[]).header("ETag", "\"2\""))
        .reply("/d/fresh", page("fresh", &words("fresh"), &[]).header("Cache-Control", "max-age=3600"))
        .start()
        .await;
    let home = Home::new("capture-cache");
    let url = site.url("/d/");
    let said = |arguments: &[&str], line: &str| {
        let done = capture(&home, arguments);
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        assert!(done.stdout.contains(line), "{}", done.stdout);
    };
    said(&[&url], "downloaded 4, not modified 0, from cache 0");
    said(&[&url], "downloaded 1, not modified 2, from cache 1");
    said(&[&url, "--refresh"], "downloaded 4, not modified 0, from cache 0");
    let found = home.json(&["search", "another"]);
    assert_eq!(found[0]["url"], format!("{}#top", site.url("/d/one")));
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_found_in_their_section() {
    let site = two_manuals().await;
    let home = Home::new("capture-search");
    assert_eq!(capture(&home, &[&site.url("/docs/")]).code, Some(0));
    assert_eq!(capture(&home, &[&site.url("/api/"), "--fresh"]).code, Some(0));
    assert_eq!(home.json(&["search", "use", "docs3"])[0]["heading"], "Use of docs3", "each place has its capture");
    let found = home.json(&["search", "use", "api3"]);
    assert_eq!(found[0]["url"], format!("{}#use", site.url("/api/3")));
    assert_eq!(found[0]["heading"], "Use of api3");
    for hostile in ["\"", "a AND (b", "title:x* NEAR(", "-- ; DROP TABLE runs", "''", "*", "^"] {
        let done = home.run(&["search", "--", hostile]);
        assert!(matches!(done.code, Some(0 | 2)), "{hostile}: {done:?}");
    }
    assert_eq!(capture(&home, &[&site.url("/api/"), "--fresh", "--budget", "1"]).code, Some(3));
    assert_eq!(home.json(&["search", "use", "api3"])[0]["heading"], "Use of api3", "one that was stopped hides none");
    let nothing = home.ok(&["search", "xylophone"]);
    assert_eq!(nothing.stdout, "nothing found\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_lists_pages_and_refusals_and_keeps_nothing() {
    let site = Site::new()
        .reply("/d/", page("start", &words("all"), &["/d/one", "/other", "/d/file.zip", "/d/gone", "/d/copy"]))
        .reply("/d/one", page("one", &words("one"), &[]))
        .reply("/d/copy", page("one", &words("one"), &[]))
        .page("/other", Page::titled("Other"))
        .start()
        .await;
    let home = Home::new("capture-preview");
    let rows = capture(&home, &[&site.url("/d/"), "--preview", "--json"]);
    let rows: Value = serde_json::from_str(&rows.stdout).unwrap();
    let find = |path: &str| {
        let url = site.url(path);
        rows.as_array().unwrap().iter().find(|row| row["url"] == url).unwrap_or_else(|| panic!("{path} in {rows}"))
    };
    assert_eq!((&find("/d/")["isCaptured"], &find("/d/one")["isCaptured"]), (&true.into(), &true.into()));
    assert_eq!(find("/other")["reason"], "outside path");
    assert_eq!(find("/d/gone")["reason"], "client error");
    assert_eq!(find("/d/copy")["duplicateOf"], site.url("/d/one"));
    assert_eq!(find("/d/file.zip")["isCaptured"], false);
    assert!(!home.path("data/bluesnake.db").exists(), "a preview keeps nothing");

    let host = site.origin().replace("http://", "");
    home.ok(&["config", "set", &host, "scope.exclude=[\"/one$\"]"]);
    let rows = capture(&home, &[&site.url("/d/"), "--preview", "--json"]);
    let rows: Value = serde_json::from_str(&rows.stdout).unwrap();
    let one = rows.as_array().unwrap().iter().find(|row| row["url"] == site.url("/d/one")).unwrap();
    assert_eq!(one["reason"], "excluded", "saved settings of the site apply, as in a capture");
}

/// An interrupted preview shows the pages found so far.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_preview_shows_what_is_known() {
    let links: Vec<String> = (0..50).map(|n| format!("/d/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let site = Site::new()
        .reply("/d/", page("start", &words("all"), &links))
        .reply("/d/0", page("zero", &words("zero"), &[]))
        .reply("/d/1", page("one", &words("one"), &[]).delay(Duration::from_secs(600)))
        .start()
        .await;
    let home = Home::new("capture-preview-stopped");
    let arguments = [
        "capture",
        &site.url("/d/"),
        "--preview",
        "--json",
        "-p",
        "1",
        "--rate",
        "0",
        "--set",
        "politeness.grace_ms=50",
    ];
    let working = home::Working::start(home.command(&arguments));
    site.wait_for(|seen| seen.count("/d/1") == 1).await;
    working.signal("INT");
    let ended = working.end().await;
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let rows: Value = serde_json::from_str(&ended.stdout).unwrap();
    let of = |path: &str| rows.as_array().unwrap().iter().find(|row| row["url"] == site.url(path)).unwrap().clone();
    assert_eq!((&of("/d/0")["isCaptured"], &of("/d/0")["title"]), (&true.into(), &"zero".into()));
    assert_eq!((&of("/d/49")["isCaptured"], &of("/d/49")["reason"]), (&false.into(), &"queued".into()));
}

/// A site that broke down does not cost the files of an earlier capture.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_without_pages_leaves_the_old_files() {
    let start = page("start", &words("all"), &[]);
    let site = Site::new().reply("/d/", Reply::sequence([start, Reply::status(404)])).start().await;
    let home = Home::new("capture-nothing");
    let tree = home.path("tree");
    let arguments = [&site.url("/d/"), "-o", tree.to_str().unwrap()];
    assert_eq!(capture(&home, &arguments).code, Some(0));
    let before = files(&tree);
    let done = capture(&home, &arguments);
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains("captured no page"), "{}", done.stderr);
    assert_eq!(files(&tree), before);
}

/// Standard output contains only data, even if only the response header gives the media type.
#[tokio::test(flavor = "multi_thread")]
async fn standard_output_is_data_and_a_kept_page_keeps_its_encoding() {
    let text = "<!doctype html><title>Preis</title><main><h1>Preis</h1><p>Er betr\u{e4}gt 5 X, und das ist nicht viel.</p></main>";
    let bytes: Vec<u8> = text.chars().map(|c| if c == 'X' { 0xA4 } else { c as u8 }).collect();
    let reply = Reply::bytes("text/html; charset=iso-8859-15", bytes).header("ETag", "\"1\"");
    let site = Site::new().reply("/d/", reply).start().await;
    let home = Home::new("capture-stdout");
    let once = || {
        let done = capture(&home, &[&site.url("/d/"), "--format", "jsonl", "-o", "-"]);
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        let [page] = &lines(&done.stdout)[..] else { panic!("one page: {}", done.stdout) };
        page["markdown"].as_str().unwrap().to_owned()
    };
    let (first, second) = (once(), once());
    assert!(first.contains("5 €"), "{first}");
    assert_eq!(first, second);
}

/// Failed pages are listed, and the others are there.
#[tokio::test(flavor = "multi_thread")]
async fn errors_are_listed_for_each_page() {
    let site = Site::new()
        .reply("/d/", page("start", &words("all"), &["/d/one", "/d/gone", "/d/broken"]))
        .reply("/d/one", page("one", &words("one"), &[]))
        .reply("/d/broken", Reply::status(500))
        .start()
        .await;
    let home = Home::new("capture-errors");
    let done = capture(&home, &[&site.url("/d/")]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    for line in ["captured, with errors: 2 pages", "/d/gone  HTTP 404", "/d/broken  HTTP 500"] {
        assert!(done.stdout.contains(line), "{line}: {}", done.stdout);
    }
    let log = home.ok(&["errors", "--days", "1"]).stdout;
    assert!(log.contains("HTTP 404  ") && log.contains("/d/broken"), "{log}");
    let log: serde_json::Value =
        serde_json::from_str(&home.ok(&["errors", "--run", "1", "--limit", "1", "--json"]).stdout).unwrap();
    assert_eq!((log[0]["error"].as_str(), log[1].is_null()), (Some("HTTP 404"), true), "{log}");
    let captures = home.ok(&["runs", "list", "--job", "capture"]).stdout;
    assert!(captures.contains("capture") && captures.lines().count() == 2, "{captures}");
    assert_eq!(home.ok(&["runs", "list", "--job", "weave", "--json"]).stdout.trim(), "[]");
}

/// A crawl and a capture of one site do not conflict.
#[tokio::test(flavor = "multi_thread")]
async fn a_paused_crawl_does_not_stop_a_capture() {
    let site = two_manuals().await;
    let home = Home::new("capture-beside-crawl");
    assert_eq!(home.crawl(&site.url("/docs/"), &["--budget", "1", "--incremental"]).code, Some(3));
    assert_eq!(capture(&home, &[&site.url("/docs/"), "--budget", "2"]).code, Some(3));
    // Each is resumed by its own number.
    home.ok(&["resume", "1", "--rate", "0"]);
    let states = home.rows("SELECT kind, state FROM runs ORDER BY id");
    assert_eq!(states[0], serde_json::json!({"kind": "crawl", "state": "completed"}));
    assert_eq!(states[1], serde_json::json!({"kind": "capture", "state": "paused"}));
    let done = capture(&home, &[&site.url("/docs/")]);
    assert!(done.stdout.contains("captured: 5 pages"), "{}{}", done.stdout, done.stderr);
}

/// The addresses of the pages that a capture has, in any order.
fn captured(name: &str, arguments: &[&str]) -> std::collections::BTreeSet<String> {
    let done = capture(&Home::new(name), &[arguments, &["--format", "jsonl", "-o", "-"]].concat());
    assert_eq!(done.code, Some(0), "{arguments:?}: {}{}", done.stdout, done.stderr);
    lines(&done.stdout).iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect()
}

/// Exactly which pages are captured.
#[tokio::test(flavor = "multi_thread")]
async fn the_scope_decides_which_pages_are_captured() {
    let simple = |title: &str, links: &[&str]| page(title, &words(title), links);
    let other = Site::new()
        .reply("/manual/", simple("manual", &["/manual/one", "/elsewhere"]))
        .reply("/manual/one", simple("one", &[]))
        .reply("/elsewhere", simple("elsewhere", &[]))
        .reply("/out/1", simple("out1", &["/out/2"]))
        .reply("/out/2", simple("out2", &["/out/3"]))
        .reply("/out/3", simple("out3", &[]))
        .start()
        .await;
    let out = other.url("/out/1");
    let site = Site::new()
        .reply("/docs", simple("docs", &["/docs/a", "/docs-blog", "/docs/b", "/about", "/docs/a.zip", &out]))
        .reply("/docs/a", simple("a", &[]))
        .reply("/docs/b", simple("b", &["mailto:x@a.example", "/docs#use"]))
        .reply("/docs/hidden", simple("hidden", &[]))
        .reply("/docs-blog", simple("blog", &[]))
        .reply("/about", simple("about", &[]))
        .sitemap("/odd.xml", ["/docs/hidden", "/about"])
        .start()
        .await;
    let (docs, manual, sitemap) = (site.url("/docs"), other.url("/manual/"), site.url("/odd.xml"));
    let check = |name: &str, arguments: &[&str], own: &[&str], others: &[&str]| {
        let own = own.iter().map(|path| site.url(path));
        let expected = own.chain(others.iter().map(|path| other.url(path))).collect();
        assert_eq!(captured(&format!("capture-scope-{name}"), arguments), expected, "{arguments:?}");
    };
    let below = ["/docs", "/docs/a", "/docs/b"];
    check("strict", &[&docs, "--paths", "strict"], &below, &[]);
    check("default", &[&docs, "--external-hops", "0"], &below, &[]);
    check("loose", &[&docs, "--paths", "loose"], &["/docs", "/docs/a", "/docs/b", "/docs-blog"], &[]);
    check("any", &[&docs, "--paths", "any"], &["/docs", "/docs/a", "/docs/b", "/docs-blog", "/about"], &[]);
    check("hosts", &[&docs, &manual], &below, &["/manual/", "/manual/one"]);
    // Whatever is not below a base is outside, on the same host, too.
    let around = ["/docs", "/docs/a", "/docs/b", "/docs-blog", "/about"];
    check("hop", &[&docs, "--external-hops", "1"], &around, &["/out/1"]);
    check("hops", &[&docs, "--external-hops", "2"], &around, &["/out/1", "/out/2"]);
    check("sitemap", &[&docs, "--sitemap", &sitemap], &["/docs", "/docs/a", "/docs/b", "/docs/hidden"], &[]);
    check("sitemap-only", &[&docs, "--sitemap", &sitemap, "--discover", "sitemap"], &["/docs", "/docs/hidden"], &[]);
    check("include", &[&docs, "--include", "/docs/a$"], &["/docs", "/docs/a"], &[]);
    check("exclude", &[&docs, "--exclude", "/b$", "--exclude", "blog"], &["/docs", "/docs/a"], &[]);
}

/// A page with this head, which is not part of its text.
fn page_with_head(head: &str, title: &str, body: &str) -> Reply {
    Reply::html(format!("<!doctype html><head><title>{title}</title>{head}</head><main><h1>{title}</h1>{body}</main>"))
}

/// Pages with similar URLs, a page that is also served as Markdown, and one that has moved.
async fn alike() -> Running {
    let links = ["/d/a", "/d/a/", "/d/b", "/d/b/?utm_source=x", "/d/twin", "/d/moved"];
    let body = |about: &str| format!("<p>{}</p>", words(about));
    let twin = "<link rel=alternate type=text/markdown href=/d/twin.md>";
    let own = format!("# Twin\n\nMarkdown of the site's own: {}\n", words("aardvark"));
    let to_new = "<p>See the <a href=/d/moved>page that moved</a>, <a href='/d/new#how'>how</a> and <a href='/d/new#term'>term</a>.</p>";
    Site::new()
        .reply("/d/", page("start", &words("start"), &links))
        .reply("/d/a", page_with_head("", "a", &body("alpha")))
        .reply("/d/a/", page_with_head("", "a", &body("omega")))
        .reply("/d/b", page_with_head("", "b", &(body("beta") + to_new)))
        .reply("/d/b/?utm_source=x", page_with_head("", "b", &(body("beta") + to_new)))
        .reply("/d/twin", page_with_head(twin, "twin", &body("buffalo")))
        .reply("/d/twin.md", Reply::text("text/markdown", own))
        .redirect("/d/moved", 301, "/d/new")
        .reply("/d/new", page_with_head("", "new", &(body("new") + "<h2 id=how>How it works</h2><p id=term>So.</p>")))
        .start()
        .await
}

/// No text is lost to an address that looks like another, and Markdown of the site's own takes the place of its HTML.
#[tokio::test(flavor = "multi_thread")]
async fn pages_with_similar_urls_have_separate_files() {
    let site = alike().await;
    let home = Home::new("capture-alike");
    let tree = home.path("tree");
    let done = capture(&home, &[&site.url("/d/"), "-o", tree.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let files = files(&tree);
    let having = |words: &str| {
        let has = |text: &[u8]| String::from_utf8_lossy(text).contains(words);
        files
            .iter()
            .filter(|(name, text)| name.ends_with(".md") && has(text))
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!((having("what alpha is").len(), having("what omega is").len(), having("what beta is").len()), (1, 1, 1));
    assert_eq!((having("what aardvark is"), having("what buffalo is")), (vec!["d/twin.md"], vec![]));
    let b = String::from_utf8_lossy(&files["d/b.md"]).into_owned();
    assert!(b.contains("[page that moved](new.md), [how](new.md#how-it-works) and [term](new.md#term)"), "{b}");
    let new = String::from_utf8_lossy(&files["d/new.md"]).into_owned();
    assert!(new.contains("\n<a id=\"term\"></a>So.") && new.matches("<a id=").count() == 1, "{new}");
    assert!(b.contains(&format!("alternate_urls:\n  - \"{}\"\n", site.url("/d/b/?utm_source=x"))), "{b}");
    assert_eq!(home.json(&["search", "aardvark"])[0]["url"], format!("{}#twin", site.url("/d/twin")));
    assert_eq!(
        home.json(&["search", "buffalo"]).as_array().unwrap().len(),
        0,
        "the text that is not written is not found"
    );
}

/// What is known of earlier pages survives from session to session.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_in_many_sessions_gives_the_same_files() {
    let site = alike().await;
    let (straight, slow) = (Home::new("capture-one-session"), Home::new("capture-many-sessions"));
    let trees = [straight.path("tree"), slow.path("tree")];
    assert_eq!(capture(&straight, &[&site.url("/d/"), "-o", trees[0].to_str().unwrap()]).code, Some(0));
    let arguments = [&site.url("/d/"), "--budget", "1", "-o", trees[1].to_str().unwrap()];
    let mut sessions = 1;
    while capture(&slow, &arguments).code == Some(3) {
        sessions += 1;
    }
    assert!(sessions > 5, "{sessions} sessions");
    assert_eq!(files(&trees[1]), files(&trees[0]));
}

/// An unwritable target is reported before any request.
#[tokio::test(flavor = "multi_thread")]
async fn an_unwritable_output_is_refused_before_the_crawl() {
    let site = two_manuals().await;
    let home = Home::new("capture-unwritable");
    std::fs::write(home.path("file"), "").unwrap();
    let nowhere = home.path("file/docs");
    let done = capture(&home, &[&site.url("/docs/"), "-o", nowhere.to_str().unwrap()]);
    assert_ne!(done.code, Some(0));
    assert!(
        done.stderr.contains("not a directory") && done.stderr.contains("hint: choose an existing, writable location"),
        "{}",
        done.stderr
    );
    assert!(!done.stderr.contains(".tmp-"), "{}", done.stderr);
    assert_eq!(site.seen().requests(), 0);
}

/// Several captures in one archive, and as plain text.
#[tokio::test(flavor = "multi_thread")]
async fn captures_are_written_together_and_as_plain_text() {
    let site = two_manuals().await;
    let home = Home::new("capture-together");
    for base in ["/docs/", "/api/"] {
        assert_eq!(capture(&home, &[&site.url(base), "--fresh"]).code, Some(0));
    }
    let together = home.run(&["capture", "--run", "1", "--run", "2", "--run", "1", "--format", "jsonl", "-o", "-"]);
    let urls: Vec<String> =
        lines(&together.stdout).iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect();
    let expected =
        ["docs", "api"].map(|base| ["", "1", "2", "3", "4"].map(|page| site.url(&format!("/{base}/{page}"))));
    assert_eq!(urls, expected.concat());
    let text = home.path("docs.txt");
    home.ok(&["capture", "--run", "1", "-o", text.to_str().unwrap()]);
    let text = std::fs::read_to_string(text).unwrap();
    assert_eq!(text.matches(&"=".repeat(80)).count(), 10);
    assert!(text.contains("\nrun docs3 --now\n") && !text.contains("```"), "{text}");
    let archive = home.path("docs-text.zip");
    home.ok(&["capture", "--run", "1", "--format", "text-zip", "-o", archive.to_str().unwrap()]);
    let listed = std::process::Command::new("python3").args(["-m", "zipfile", "-l"]).arg(&archive).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert_eq!(listed.lines().filter(|line| line.contains(".txt ")).count(), 5, "{listed}");
}
