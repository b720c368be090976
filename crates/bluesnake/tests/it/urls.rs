//! `urls`: the URLs of a run as lines, JSON and files.

use serde_json::{Value, json};
use testsite::{Page, Reply, Running, Site};

#[cfg(target_os = "linux")]
use crate::program::on_terminal;
use crate::program::{Home, project};

async fn crawled(name: &str) -> (Home, Running) {
    let lamp = "<title>=Lamp</title><p class=price>10 €";
    let site = Site::new()
        .page("/", Page::titled("Home").links(["/lamp", "/hidden", "/gone", "/lamp?token=secret"]).image("/logo.png"))
        .reply("/lamp", Reply::html(lamp))
        .page("/hidden", Page::titled("Hidden").noindex().link("/lamp"))
        .reply("/gone", Reply::status(410))
        .reply("/logo.png", Reply::bytes("image/png", vec![0; 300]))
        .start()
        .await;
    let home = Home::new(name);
    let rule = r#"extract.columns={"price": "css:.price"}"#;
    let done = home.crawl(&site.url("/"), &["-q", "--set", rule, "--discover", "spider"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    (home, site)
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_are_listed_as_aligned_lines_with_their_total() {
    let (home, site) = crawled("urls_text").await;
    let done = home.ok(&["urls", &project(&site), "--type", "html", "--sort", "inlinks", "--desc", "--search", "/"]);
    let first = format!("status  type  inlinks  url\n   200  html        2  {}\n", site.url("/lamp"));
    assert!(done.stdout.starts_with(&first), "{}", done.stdout);
    assert!(done.stdout.contains("/lamp?token=***\n") && !done.stdout.contains("secret"), "{}", done.stdout);
    let gone = home.ok(&["urls", "1", "--status", "4xx", "--columns", "url,reason"]);
    assert_eq!(gone.stdout.lines().nth(1), Some(format!("{}  client_error", site.url("/gone")).as_str()));
    assert_eq!(gone.stderr, "1 URL\n");
    let none = home.ok(&["urls", "latest", "--search", "no-such-text"]);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "0 URLs\n"));

    let limited = home.ok(&["urls", "1", "--limit", "2", "--columns", "url"]);
    assert_eq!(limited.stdout, format!("{}\n{}\n", site.url("/"), site.url("/lamp")), "no heading");
    let all = home.ok(&["urls", "1", "--columns", "url"]).stdout.lines().count();
    let more = format!("… and {} more of {all} URLs; --all lists them, -o FILE.csv writes them\n", all - 2);
    assert_eq!(limited.stderr, more);
    for flags in [&["--all"][..], &["--limit", "0"]] {
        let whole = home.ok(&[&["urls", "1", "--columns", "url"], flags].concat());
        assert_eq!((whole.stdout.lines().count(), whole.stderr), (all, format!("{all} URLs\n")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_filter_of_rows_is_a_flag() {
    let (home, site) = crawled("urls_filters").await;
    let paths = |flags: &[&str]| {
        let listed = home.ok(&[&["urls", "1", "--columns", "url"], flags].concat()).stdout;
        let path = |line: &str| line.strip_prefix(&site.url("")).unwrap_or(line).to_owned();
        listed.lines().map(path).collect::<Vec<_>>().join(" ")
    };
    for (flags, expected) in [
        (&["--status", "410"][..], "/gone"),
        (&["--type", "images"], "/logo.png"),
        (&["--content-type", "image/"], "/logo.png"),
        (&["--indexable=false"], "/hidden"),
        (
            &[
                "--page",
                "--indexable",
                "--sort",
                "url",
                "--contains",
                "price",
                "--prefix",
                &site.url("/lamp"),
                "--depth",
                "1",
            ],
            "/lamp /lamp?token=***",
        ),
        (&["--page", "--lacks", "price"], "/ /hidden"),
        (&["--disposition", "fetched", "--reason", "client_error"], "/gone"),
        (&["--reason", "fetched/client_error", "--internal"], "/gone"),
        (&["--internal=false"], ""),
        (&["--source", "initial"], "/"),
        (&["--source", "resource"], "/logo.png"),
        (&["--min-size", "300", "--max-size", "300"], "/logo.png"),
        (&["--max-depth", "0"], "/"),
        (&["--min-depth", "1", "--type", "images"], "/logo.png"),
        (&["--min-inlinks", "2", "--max-inlinks", "2"], "/lamp"),
        (&["--issue", "internal-client-error"], "/gone"),
        (&["--search", "=lamp", "--limit", "1"], "/lamp"),
        (&["--min-words", "100000"], ""),
        (&["--min-time", "4000000000"], ""),
    ] {
        assert_eq!(paths(flags), expected, "{flags:?}");
    }
    let all = paths(&[]);
    assert_eq!(paths(&["--max-words", "100000", "--max-time", "4000000"]), paths(&["--page"]));
    assert!(all.split(' ').count() >= 6, "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_are_json_with_chosen_columns() {
    let (home, site) = crawled("urls_json").await;
    let rows = home.json(&["urls", "1", "--status", "4xx"]);
    assert_eq!((&rows[0]["url"], &rows[0]["status"]), (&json!(site.url("/gone")), &json!(410)));
    assert!(rows[0].as_object().unwrap().len() > 30, "all columns: {rows}");
    let rows = home.json(&["urls", "1", "--columns", "title", "--limit", "1"]);
    assert_eq!(rows, json!([{"number": 1, "url": site.url("/"), "title": "Home"}]));
    assert_eq!(home.json(&["urls", "1", "--min-size", "4000000"]), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_matching_urls_are_written_to_a_file() {
    let (home, site) = crawled("urls_files").await;
    let list = ["urls", "1", "--page", "--sort", "title", "--columns", "title,url"];
    let done = home.ok(&[&list[..], &["-o", "pages.jsonl"]].concat());
    assert_eq!(done.stderr, "wrote 4 URLs of run 1 to pages.jsonl\n");
    let written = std::fs::read_to_string(home.path("pages.jsonl")).unwrap();
    let titles: Vec<Value> =
        written.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["title"].clone()).collect();
    assert_eq!(titles, ["=Lamp", "=Lamp", "Hidden", "Home"]);
    home.run(&[&list[..], &["-o", "pages.jsonl"]].concat()).fails(1, &["pages.jsonl exists already", "--replace"]);
    home.ok(&[&list[..], &["-o", "pages.jsonl", "--replace"]].concat());
    for (name, begin) in [("pages.parquet", "PAR1"), ("pages.xlsx", "PK")] {
        home.ok(&[&list[..], &["-o", name]].concat());
        assert!(std::fs::read(home.path(name)).unwrap().starts_with(begin.as_bytes()), "{name}");
    }
    let csv = |more: &[&str]| {
        home.ok(&[&list[..], &["--status", "200", "--contains", "price", "-o", "-"], more].concat()).stdout
    };
    let lamp = site.url("/lamp");
    assert_eq!(csv(&[]), format!("title,url\n'=Lamp,{lamp}\n'=Lamp,{lamp}?token=***\n"));
    assert_eq!(csv(&["--raw", "--show-secrets"]), format!("title,url\n=Lamp,{lamp}\n=Lamp,{lamp}?token=secret\n"));
    let header = |more: &[&str]| {
        let csv = home.ok(&[&["urls", "1", "-o", "-"], more].concat()).stdout;
        csv.lines().next().unwrap().to_owned()
    };
    assert!(
        header(&[]).contains(",extract.columns.price,") && !header(&[]).contains("responseTime"),
        "{}",
        header(&[])
    );
    assert!(header(&["--times"]).contains(",responseTime"), "{}", header(&["--times"]));
    home.run(&[&list[..], &["-o", "pages.txt"]].concat()).fails(2, &["cannot infer the format from `pages.txt`"]);
    assert!(!home.path("pages.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_lists_are_reported() {
    let (home, _site) = crawled("urls_invalid").await;
    for (flags, words) in [
        (&["--columns", "titel"][..], &["no column `titel`", "did you mean `title`?"][..]),
        (&["--contains", "pric"], &["run 1 has no extraction rule `pric`", "did you mean `price`?"]),
        (&["--reason", "bad_luck"], &["unknown reason `bad_luck`"]),
        (&["--issue", "title-missin"], &["title-missin"]),
        (&["--status", "4x"], &["give a status like 404"]),
        (&["--sort", "urls"], &["invalid value 'urls'"]),
        (&["--limit", "5", "-o", "x.csv"], &["cannot be used with"]),
        (&["--raw"], &["--output"]),
    ] {
        home.run(&[&["urls", "1"], flags].concat()).fails(2, words);
    }
    home.run(&["urls", "1", "--contains", "pric", "-o", "x.csv"]).fails(2, &["did you mean `price`?"]);
    assert!(!home.path("x.csv").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_can_be_crawled_again() {
    let (home, site) = crawled("urls_again").await;
    let gone = home.ok(&["urls", "1", "--status", "4xx", "--columns", "url"]).stdout;
    std::fs::write(home.path("again.txt"), gone).unwrap();
    home.run(&["crawl", "--urls", "again.txt", "--rate", "0", "-q", "--fresh"]);
    assert_eq!(home.json(&["runs", "show", "2"])["seeds"], json!([site.url("/gone")]));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_shows_the_first_50_urls() {
    let links: Vec<String> = (0..70).map(|at| format!("/page/{at}")).collect();
    let home_page = Page::titled("Home").links(links.iter().map(String::as_str));
    let site = links.iter().fold(Site::new().page("/", home_page), |site, path| site.page(path, Page::titled("Page")));
    let (site, home) = (site.start().await, Home::new("urls_terminal"));
    home.crawl(&site.url("/"), &["-q", "--discover", "spider"]);
    let shown = on_terminal(&home, 80, "urls 1 --type html", "1");
    assert!(shown.contains("… and 21 more of 71 URLs; --all lists them"), "{shown}");
    assert_eq!(shown.matches("http://").count(), 50, "{shown}");
    assert_eq!(
        home.ok(&["urls", "1", "--type", "html", "--columns", "url"]).stdout.lines().count(),
        71,
        "a pipe gets all"
    );
}
