//! Pages that need JavaScript, without a browser: hints and errors. With one: `browser`.

use testsite::rendered::application;

use crate::program::Home;

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_counts_pages_that_need_javascript() {
    let site = application(3).start().await;
    let home = Home::new("rendering_hint");
    let captured = home.run(&["capture", &site.url("/"), "--rate", "0"]);
    let done = home.crawl(&site.url("/"), &[]);
    let hint = "1 page is empty without JavaScript; --render auto renders such pages in a browser";
    assert!(done.stdout.contains(hint), "{}", done.stdout);
    assert!(captured.stdout.contains(hint), "{}\n{}", captured.stdout, captured.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_does_not_start_is_reported_before_anything_is_stored() {
    let site = application(3).start().await;
    let home = Home::new("rendering_no_browser");
    let done = home.crawl(&site.url("/"), &["--render", "on", "--browser", "/nonexistent/chrome"]);
    done.fails(2, &["cannot render pages: cannot run the browser /nonexistent/chrome", "hint: name another one"]);
    assert_eq!(home.rows("SELECT count(*) AS n FROM runs")[0]["n"], 0);
    assert_eq!(site.seen().requests(), 0);
    home.crawl(&site.url("/"), &["--render", "sometimes"]).fails(2, &["`sometimes` is none of off, on, auto"]);
    home.run(&["weave", &site.url("/"), "--render", "auto"]).fails(2, &["`auto` is none of off, on"]);
}

mod browser {
    use std::path::Path;
    use std::process::Command;

    use testsite::rendered::{application, hostile};
    use testsite::{Page, Reply, Site};

    use super::Home;

    fn with_browser(command: &mut Command) -> &mut Command {
        let in_target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser/chromium-headless-shell");
        if in_target.is_file() { command.env("BLUESNAKE_BROWSER", in_target) } else { command }
    }

    fn ok(home: &Home, arguments: &[&str]) -> String {
        let output = with_browser(&mut home.command(arguments)).output().unwrap();
        let done = crate::program::Done::of(output);
        assert_eq!(done.code, Some(0), "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
        done.stdout
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_audit_stores_both_forms_of_a_page_and_compares_them() {
        let site = application(5).start().await;
        let home = Home::new("rendering_audit");
        ok(&home, &["crawl", &site.url("/"), "--rate", "0", "--render", "auto", "--store-bodies", "-q"]);
        let pages =
            home.rows("SELECT title, facts ->> '$.render.raw.title' AS raw FROM visits WHERE facts IS NOT NULL");
        assert_eq!(pages.len(), 5);
        assert!(pages.iter().all(|page| page["raw"] == "Application" && page["title"] != "Application"), "{pages:?}");
        let bodies = home.rows("SELECT count(*) AS n FROM visits WHERE html IS NOT NULL AND rendered IS NOT NULL");
        assert_eq!(bodies[0]["n"], 5);
        let origins = home.rows("SELECT DISTINCT origin FROM page_links WHERE type = 'anchor'");
        assert_eq!(origins, [serde_json::json!({ "origin": "rendered" })]);
        let issues = home.json(&["issues", "1"]);
        let checks = issues["checks"].as_array().unwrap();
        for id in ["javascript-title-updated", "javascript-h1-updated", "javascript-links"] {
            let check = checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("{id}"));
            assert_ne!(check["findings"], 0, "{check}");
        }
    }

    /// Pages with exactly one problem each, by the check that finds it.
    const PROBLEMS: [(&str, &str, &str); 11] = [
        ("javascript-noindex-only-in-html", "<meta id=m name=robots content=noindex>", "m.remove()"),
        ("javascript-canonical-mismatch", "<link id=c rel=canonical href=/one>", "c.href = '/other'"),
        ("javascript-title-updated", "", "document.title = 'New'"),
        ("javascript-description-updated", "<meta id=d name=description content=Old>", "d.content = 'New'"),
        ("javascript-h1-updated", "", "document.querySelector('h1').textContent = 'New'"),
        ("javascript-links", "", "add('a', {href: '/', textContent: 'home'})"),
        ("javascript-content", "", "add('p', {textContent: 'word '.repeat(400)})"),
        (
            "javascript-structured-data",
            "",
            "add('script', {type: 'application/ld+json', text: '{\"@type\":\"Person\"}'})",
        ),
        ("javascript-errors", "", "console.error('broken')"),
        ("javascript-blocked-resources", "", "fetch('/missing')"),
        ("javascript-redirect-rendered", "", "location.href = '/'"),
    ];

    #[tokio::test(flavor = "multi_thread")]
    async fn every_javascript_check_finds_its_problem_and_no_other() {
        let add =
            "const add = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));";
        let mut site = Site::new().page("/", Page::titled("Home").links(PROBLEMS.map(|(id, ..)| format!("/{id}"))));
        for (id, head, script) in PROBLEMS {
            let text = "text ".repeat(60);
            let html = format!(
                "<!doctype html><head><title>Old</title>{head}</head><body><h1>Old</h1><p>{text}</p><script>{add}{script}</script>"
            );
            site = site.reply(&format!("/{id}"), Reply::html(html));
        }
        let site = site.start().await;
        let home = Home::new("rendering_checks");
        ok(&home, &["crawl", &site.url("/"), "--rate", "0", "--render", "on", "-q"]);
        let found = home.rows("SELECT check_id, url FROM issues WHERE check_id LIKE 'javascript-%' ORDER BY check_id");
        let found: Vec<(&str, &str)> =
            found.iter().map(|row| (row["check_id"].as_str().unwrap(), row["url"].as_str().unwrap())).collect();
        let urls = PROBLEMS.map(|(id, ..)| (id, site.url(&format!("/{id}"))));
        let mut expected: Vec<(&str, &str)> = urls.iter().map(|(id, url)| (*id, url.as_str())).collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn captures_and_single_pages_read_the_rendered_document() {
        let site = application(3).start().await;
        let home = Home::new("rendering_capture");
        let page = ok(&home, &["page", &site.url("/page/1"), "--render", "on"]);
        assert!(page.contains("# Page 1") && page.contains("word word"), "{page}");
        ok(&home, &["capture", &site.url("/"), "--rate", "0", "--render", "auto", "-o", "docs", "-q"]);
        let texts = std::fs::read_to_string(home.path("docs/llms-full.txt")).unwrap();
        for number in 0..3 {
            assert!(texts.contains(&format!("Page {number}")), "{texts}");
        }
    }

    /// The pipe closes with our process, and the browser ends with the pipe.
    #[cfg(target_os = "linux")]
    #[tokio::test(flavor = "multi_thread")]
    async fn a_killed_crawl_leaves_no_browser() {
        let site = hostile().start().await;
        let home = Home::new("rendering_killed");
        let url = site.url("/poll");
        let mut crawl =
            with_browser(&mut home.command(&["crawl", &url, "--rate", "0", "--render", "on"])).spawn().unwrap();
        site.wait_for(|seen| {
            seen.count("/poll-me") > 0 || seen.log().iter().any(|seen| seen.target.starts_with("/poll-me"))
        })
        .await;
        let profile = format!("bluesnake-browser-{}-", crawl.id());
        let browsers = || {
            let processes = std::fs::read_dir("/proc").unwrap().flatten();
            let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
            commands.filter(|command| String::from_utf8_lossy(command).contains(&profile)).count()
        };
        assert_ne!(browsers(), 0);
        crawl.kill().unwrap();
        let began = std::time::Instant::now();
        while browsers() > 0 {
            assert!(began.elapsed().as_secs() < 60, "{} processes are left", browsers());
            tokio::task::yield_now().await;
        }
        crawl.wait().unwrap();
    }
}
