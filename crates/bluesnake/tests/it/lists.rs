//! `crawl --urls`: exactly the URLs of a list.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use testsite::{Page, Running, Site, scenarios};

use crate::program::{Done, Home};

async fn site() -> Running {
    Site::new()
        .page("/", Page::titled("Home").links(["/a", "/b"]))
        .page("/a", Page::titled("A").link("/b").image("/a.png"))
        .page("/b", Page::titled("B"))
        .page("/c", Page::titled("C"))
        .redirect("/moved", 301, "/c")
        .sitemap("/map.xml", ["/a", "/c"])
        .start()
        .await
}

/// What was requested, without robots.txt.
fn requested(site: &Running) -> Vec<String> {
    let mut paths = site.seen().paths();
    paths.retain(|path| path != "/robots.txt");
    paths.sort();
    paths.into_iter().map(|path| path.to_string()).collect()
}

fn list(home: &Home, contents: &[u8]) -> Done {
    std::fs::write(home.path("urls.txt"), contents).unwrap();
    home.run(&["crawl", "--urls", "urls.txt", "--rate", "0", "--progress", "none"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_visited_exactly_with_resources_and_redirects() {
    let (site, home) = (site().await, Home::new("list_exact"));
    let done = list(&home, format!("{}\n{}\n{}\n", site.url("/a"), site.url("/moved"), site.url("/gone")).as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("read 3 URLs from urls.txt\n"), "{}", done.stderr);
    assert_eq!(requested(&site), ["/a", "/a.png", "/c", "/gone", "/moved"]);
    let urls = home.ok(&["export", "1", "--columns", "url,depth,source", "--format", "jsonl"]).json_lines();
    assert_eq!(urls[0], json!({"url": site.url("/a"), "depth": 0, "source": "initial"}));
    // The target of a redirect stands for the URL on the list.
    let listed = urls.iter().filter(|url| url["depth"] == 0).map(|url| url["url"].clone());
    assert_eq!(listed.collect::<Vec<_>>(), ["/a", "/moved", "/gone", "/c"].map(|path| json!(site.url(path))));
    let reason = home.ok(&["receipt", "1"]).stdout;
    assert!(reason.contains("single page 1"), "the link to /b is not followed: {reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_byte_order_marks_line_ends_and_duplicates_do_no_harm() {
    let (site, home) = (site().await, Home::new("list_forms"));
    let (a, b) = (site.url("/a"), site.url("/b"));
    let done =
        list(&home, format!("\u{feff}# mine\r\n\r\n{a}\r\n  {b}  \r\n{a}\t404\r\n#{b}/x\r\n{a}#part").as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("read 2 URLs from urls.txt, skipped 2 duplicates"), "{}", done.stderr);
    assert_eq!(requested(&site), ["/a", "/a.png", "/b"]);
    assert_eq!(home.json(&["runs", "show", "1"])["seeds"], json!([a, b]));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_bad_lines_are_reported_and_nothing_is_requested() {
    let (site, home) = (site().await, Home::new("list_bad"));
    let done = list(&home, format!("{0}\nexample\n\n{0} 200\nmailto:me@a.example\n", site.url("/a")).as_bytes());
    done.fails(2, &["error: cannot read the URLs in urls.txt", "line 2: `example` is not a host name"]);
    done.fails(2, &["line 4: `", "contains a space; give one URL per line", "line 5: `mailto:me@a.example` cannot"]);
    assert_eq!(site.seen().requests(), 0);
    assert!(!home.path("data").exists(), "and nothing is stored");
    list(&home, b"").fails(2, &["no URL given: urls.txt is empty"]);
    list(&home, b"# nothing\n\n").fails(2, &["no URL given: urls.txt is empty"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_and_arguments_are_lists_too() {
    let (site, home) = (site().await, Home::new("list_stdin"));
    let mut command = home.command(&["crawl", &site.url("/b"), "--urls", "-", "--rate", "0", "-q"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", site.url("/c")).as_bytes()).unwrap();
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(requested(&site), ["/b", "/c"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_is_a_list_as_a_file_and_by_its_url() {
    let (site, home) = (site().await, Home::new("list_sitemap"));
    home.ok(&["crawl", "--urls", &site.url("/map.xml"), "--rate", "0", "-q"]);
    assert_eq!(requested(&site), ["/a", "/a.png", "/c", "/map.xml"]);
    let file = format!("<urlset><url><loc>{}</loc></url></urlset>", site.url("/b"));
    std::fs::write(home.path("map.xml"), file).unwrap();
    home.ok(&["crawl", "--urls", "map.xml", "--rate", "0", "-q", "--fresh"]);
    assert_eq!(home.json(&["runs", "show", "2"])["seeds"], json!([site.url("/b")]));
    home.run(&["crawl", "--urls", &site.url("/no.xml"), "-q"]).fails(1, &["cannot fetch", "/no.xml", "HTTP 404"]);
    std::fs::write(
        home.path("index.xml"),
        "<sitemapindex><sitemap><loc>MAP</loc></sitemap></sitemapindex>".replace("MAP", &site.url("/map.xml")),
    )
    .unwrap();
    home.ok(&["crawl", "--urls", "index.xml", "--rate", "0", "-q", "--fresh", "--allow-private"]);
    assert_eq!(home.json(&["runs", "show", "3"])["seeds"], json!([site.url("/a"), site.url("/c")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_followed_on_request() {
    let (site, home) = (site().await, Home::new("list_depth"));
    std::fs::write(home.path("urls.txt"), site.url("/")).unwrap();
    home.ok(&["crawl", "--urls", "urls.txt", "--max-depth", "1", "--rate", "0", "-q", "--discover", "spider"]);
    assert_eq!(requested(&site), ["/", "/a", "/a.png", "/b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_100_000_urls_starts_at_once_and_resumes_with_all_of_them() {
    let (site, home) = (scenarios::small().start().await, Home::new("list_large"));
    let lines: String = (0..100_000).map(|i| format!("{}\n", site.url(&format!("/listed/{i}")))).collect();
    std::fs::write(home.path("urls.txt"), lines).unwrap();
    let done = home.run(&["crawl", "--urls", "urls.txt", "--rate", "0", "--budget", "5", "--progress", "none"]);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(done.stdout.contains("99,995  pending"), "{}", done.stdout);
    let done = home.run(&["resume", "1", "--rate", "0", "--budget", "5", "-q"]);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    let run = home.json(&["runs", "show", "1"]);
    assert_eq!((run["urlsVisited"].as_u64(), run["urlsPending"].as_u64()), (Some(10), Some(99_990)));
    assert_eq!(run["seeds"].as_array().map(Vec::len), Some(100_000));
    let shown = home.ok(&["runs", "show", "1"]).stdout;
    assert!(shown.contains("/listed/4 and 99,995 more\n"), "{}", &shown[..shown.len().min(2000)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_sessions_gives_the_same_files() {
    let (site, straight, split) = (site().await, Home::new("list_straight"), Home::new("list_split"));
    let lines = ["/a", "/moved", "/gone", "/b", "/"].map(|path| format!("{}\n", site.url(path))).concat();
    let crawl = ["crawl", "--urls", "urls.txt", "--rate", "0", "-q", "-p", "3"];
    for home in [&straight, &split] {
        std::fs::write(home.path("urls.txt"), &lines).unwrap();
    }
    straight.ok(&crawl);
    assert_eq!(split.run(&[&crawl[..], &["--budget", "1"]].concat()).code, Some(3));
    while split.run(&["resume", "1", "--rate", "0", "--budget", "1", "-q"]).code == Some(3) {}
    for table in ["urls", "pages", "links", "issues", "receipt"] {
        let [one, other] = [&straight, &split].map(|home| home.ok(&["export", "1", "--table", table]).stdout);
        assert_eq!(one, other, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_host_in_a_list_does_not_stop_the_others() {
    let (site, home) = (site().await, Home::new("list_dead"));
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let done =
        list(&home, format!("{}\nhttp://{dead}/x\nhttp://{dead}/y\n{}\n", site.url("/a"), site.url("/c")).as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(home.json(&["runs", "show", "1"])["state"], "completed");
    assert_eq!(requested(&site), ["/a", "/a.png", "/c"]);
}
