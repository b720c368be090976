//! The grid: windows of a run's URLs, facets, histograms, the tree, and single URLs.

use serde_json::{Value, json};
use testsite::{Page, Reply, Running, Site, Web, scenarios};

use crate::client::Ask;
use crate::world::{World, fast, limited, local, long, segment};

/// What a page could say to break whoever shows it.
const HOSTILE: &str = "</script><script>alert(1)</script>\u{202e} =HYPERLINK(\"x\") ' OR 1=1 -- \\u0000";

/// A site with folders, errors, redirects, resources, hidden pages and hostile text.
fn varied() -> Site {
    let words = |count: usize| "word ".repeat(count);
    let home = Page::titled("Home").links(["/docs/", "/blog/a", "/old", "/gone", "/hidden"]).image("/logo.png");
    Site::new()
        .page("/", home.stylesheet("/style.css").text(&words(50)))
        .page("/docs/", Page::titled("Docs").links(["/docs/api/one", "/docs/api/two", "/"]).text(&words(300)))
        .page("/docs/api/one", Page::titled("One").link("/docs/").link_text("/docs/", "Docs again").text(&words(20)))
        .page("/docs/api/two", Page::titled("Two").link("/docs/").text(&words(400)))
        .page("/blog/a", Page::titled(HOSTILE).link("/").text(&words(10)))
        .page("/hidden", Page::titled("Hidden").noindex())
        .redirect("/old", 301, "/older")
        .redirect("/older", 302, "/docs/")
        .reply("/gone", Reply::status(410))
        .reply("/style.css", Reply::text("text/css", "a{}"))
        .reply("/logo.png", Reply::bytes("image/png", vec![0; 300]))
}

struct Crawled {
    world: World,
    site: Running,
    run: i64,
}

async fn crawled(name: &str) -> Crawled {
    let site = varied().start().await;
    let world = World::start(name, limited(|limits| limits.requests_per_second = 0)).await;
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].as_i64().unwrap();
    Crawled { world, site, run }
}

impl Crawled {
    async fn get(&self, path: &str) -> Value {
        self.world.get(&format!("/api/v1/runs/{}/{path}", self.run)).await.is(200).json()
    }

    /// The URLs of rows, without the host.
    async fn paths(&self, query: &str) -> Vec<String> {
        let rows = self.get(&format!("rows?{query}")).await;
        let root = self.site.url("");
        let path = |row: &Value| row["url"].as_str().unwrap().strip_prefix(&root).unwrap_or("elsewhere").to_owned();
        rows["items"].as_array().unwrap().iter().map(path).collect()
    }

    async fn number(&self, path: &str) -> u64 {
        let rows = self.get(&format!("rows?prefix={}", segment(&self.site.url(path)))).await;
        rows["items"][0]["number"].as_u64().unwrap()
    }
}

fn numbers(rows: &Value) -> Vec<u64> {
    rows["items"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_of_rows_join_to_the_whole_list_in_any_order() {
    let site = scenarios::high_fan_out(30).start().await;
    let world = World::start("grid-windows", limited(|limits| limits.requests_per_second = 0)).await;
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
    let seen = world.get(&format!("/api/v1/runs/{run}")).await.json()["urlsSeen"].clone();
    let sorts = ["number", "url", "title", "status", "depth", "responseTime", "size", "wordCount", "inlinks"];
    for sort in sorts.into_iter().chain(["linkScore", "contentType"]) {
        for order in ["asc", "desc"] {
            let get = async |rest: &str| {
                let path = format!("/api/v1/runs/{run}/rows?sort={sort}&order={order}&{rest}");
                world.get(&path).await.is(200).json()
            };
            let whole = get("limit=500").await;
            assert_eq!((&whole["total"], &whole["version"], &whole["offset"]), (&seen, &seen, &json!(0)));
            let mut joined = Vec::new();
            for offset in (0..seen.as_u64().unwrap()).step_by(7) {
                let window = get(&format!("offset={offset}&limit=7")).await;
                assert_eq!((&window["total"], &window["offset"]), (&seen, &json!(offset)));
                joined.extend(numbers(&window));
            }
            assert_eq!(joined, numbers(&whole), "{sort} {order}");
            let mut sorted = joined.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..=seen.as_u64().unwrap()).collect::<Vec<_>>(), "every row once, by {sort}");
        }
    }
    let past = world.get(&format!("/api/v1/runs/{run}/rows?offset=1000000")).await.is(200).json();
    assert_eq!((&past["items"], &past["total"], &past["offset"]), (&json!([]), &seen, &json!(1_000_000)));
    world.get(&format!("/api/v1/runs/{run}/rows?offset={}", u64::MAX)).await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_filtered_sorted_and_searched() {
    let crawled = crawled("grid-rows").await;
    assert_eq!(crawled.paths("status=4xx").await, ["/gone"]);
    assert_eq!(crawled.paths("status=410").await, ["/gone"]);
    assert_eq!(crawled.paths("status=3xx&sort=status&order=desc").await, ["/older", "/old"]);
    assert_eq!(crawled.paths("disposition=redirected&sort=url").await, ["/old", "/older"]);
    assert_eq!(crawled.paths("reason=fetched/client_error").await, ["/gone"]);
    assert_eq!(crawled.paths("type=images").await, ["/logo.png"]);
    assert_eq!(crawled.paths("contentType=text/css").await, ["/style.css"]);
    assert_eq!(crawled.paths("indexable=false&page=true").await, ["/hidden"]);
    assert_eq!(crawled.paths("minWords=290&sort=wordCount&order=desc").await, ["/docs/api/two", "/docs/"]);
    assert_eq!(crawled.paths("minWords=1&maxWords=100&sort=wordCount&page=true&search=docs").await, ["/docs/api/one"]);
    assert_eq!(crawled.paths("minSize=300&maxSize=300").await, ["/logo.png"]);
    assert_eq!(crawled.paths("depth=0").await, ["/"]);
    let prefix = segment(&crawled.site.url("/docs/api/"));
    assert_eq!(
        crawled.paths(&format!("prefix={prefix}&sort=title&order=desc")).await,
        ["/docs/api/two", "/docs/api/one"]
    );
    assert_eq!(crawled.paths("search=alert(1)").await, ["/blog/a"]);
    assert_eq!(crawled.paths("search=no-such-text").await, Vec::<String>::new());
    assert_eq!(crawled.paths("sort=inlinks&order=desc&limit=1&page=true").await, ["/docs/"]);
    // Empty values mean nothing.
    let all = crawled.get("rows").await;
    let empty = "rows?status=&type=&disposition=&reason=&search=&prefix=&issue=&columns=&sort=&order=";
    assert_eq!(crawled.get(empty).await, all);
    assert_eq!(
        crawled.get("rows?internal=true").await["total"].as_u64().unwrap()
            + crawled.get("rows?internal=false").await["total"].as_u64().unwrap(),
        all["total"].as_u64().unwrap()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_facets_and_histograms_are_filtered_by_what_extraction_rules_found() {
    let lamp = "<title>Lamp</title><p class=price>10 €<script src=jquery.js></script>";
    let site = Site::new()
        .page("/", Page::titled("Home").links(["/lamp", "/chair", "/gone"]).image("/logo.png"))
        .reply("/lamp", Reply::html(lamp))
        .reply("/chair", Reply::html("<title>Chair</title><p class=price>20 €"))
        .reply("/gone", Reply::status(410))
        .reply("/logo.png", Reply::bytes("image/png", vec![0; 300]))
        .start()
        .await;
    let world = World::start("grid-extracted", limited(|limits| limits.requests_per_second = 0)).await;
    let rules = json!({"columns": {"price": "css:.price"}, "contains": {"jquery": "jquery.js"}});
    let started = world.crawl_to_the_end(&site, json!({"settings": {"extract": rules}})).await;
    let crawled = Crawled { world, site, run: started["runId"].as_i64().unwrap() };
    assert_eq!(crawled.paths("contains=price").await, ["/lamp", "/chair"]);
    assert_eq!(crawled.paths("contains=jquery").await, ["/lamp"]);
    assert_eq!(crawled.paths("lacks=price").await, ["/"], "only pages that were read");
    assert_eq!(crawled.paths("contains=price&lacks=jquery").await, ["/chair"]);
    assert_eq!(crawled.paths("lacks=jquery&sort=url&order=desc").await, ["/chair", "/"]);
    assert_eq!(crawled.get("rows?contains=&lacks=").await["total"], crawled.get("rows").await["total"]);
    assert_eq!(crawled.get("facets?contains=price&by=type").await["total"], 2);
    let buckets = crawled.get("histogram?of=size&lacks=jquery").await["buckets"].clone();
    assert_eq!(buckets.as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap()).sum::<u64>(), 2);

    let run = crawled.run;
    for (query, why) in [
        ("contains=pric", "did you mean `price`?"),
        ("lacks=jquerry", "did you mean `jquery`?"),
        ("contains=price&lacks=nothing-like-it", "its rules are price, jquery"),
    ] {
        for of in ["rows?", "facets?", "histogram?of=size&"] {
            let problem = crawled.world.get(&format!("/api/v1/runs/{run}/{of}{query}")).await;
            let problem = problem.is_problem(422, "invalid_parameter");
            assert_eq!(problem["hint"], why, "{problem}");
        }
    }
    let without = crawled.world.crawl_to_the_end(&crawled.site, json!({"mode": "fresh"})).await["runId"].clone();
    let problem = crawled.world.get(&format!("/api/v1/runs/{without}/rows?lacks=price")).await;
    let problem = problem.is_problem(422, "invalid_parameter");
    assert_eq!(problem["detail"], format!("run {without} has no extraction rule `price`"));
    assert!(problem["hint"].as_str().unwrap().starts_with("it has no rules; crawl again with"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_are_chosen_and_rows_can_be_arrays() {
    let crawled = crawled("grid-columns").await;
    let row = crawled.get("rows?limit=1").await;
    let named: Vec<&str> = row["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(named.len() > 30, "{named:?}");
    assert_eq!(row["items"][0].as_object().unwrap().len(), named.len());
    assert_eq!((&row["items"][0]["title"], &row["items"][0]["isInternal"]), (&json!("Home"), &json!(true)));
    assert!(row.get("rows").is_none());

    let chosen = crawled.get("rows?columns=title,status&limit=1").await;
    assert_eq!(chosen["columns"], json!(["number", "url", "title", "status"]));
    assert_eq!(chosen["items"][0]["title"], "Home");
    let arrays = crawled.get("rows?columns=title,status&shape=rows&sort=url&page=true").await;
    assert_eq!((&arrays["columns"], &arrays["items"]), (&json!(["title", "status"]), &json!([])));
    assert_eq!(arrays["rows"][0], json!(["Home", 200]));
    let whole = crawled.get("rows?shape=rows&limit=1").await;
    assert_eq!(whole["rows"][0].as_array().unwrap().len(), named.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_queries_are_refused_with_what_is_wrong() {
    let crawled = crawled("grid-invalid").await;
    let run = crawled.run;
    for (path, why) in [
        ("rows?limit=0", "limit: must be 1 to 500, got"),
        ("rows?limit=501", "limit: must be 1 to 500, got"),
        ("rows?limit=x", "limit"),
        ("rows?offset=-1", "offset"),
        ("rows?filter=1", "unknown field `filter`"),
        ("rows?cursor=0", "unknown field `cursor`"),
        ("rows?sort=urls", "`urls` is not one of number, url"),
        ("rows?order=down", "`down` is not one of asc, desc"),
        ("rows?type=pdf", "`pdf` is not one of all, html"),
        ("rows?status=4x", "neither a status like 404"),
        ("rows?disposition=lost", "is not one of fetched"),
        ("rows?source=me", "is not one of initial"),
        ("rows?internal=maybe", "internal"),
        ("rows?minDepth=deep", "minDepth"),
        ("rows?minSize=99999999999", "minSize"),
        ("rows?shape=cubes", "unknown variant `cubes`"),
        ("facets?limit=1", "unknown field `limit`"),
        ("histogram?of=beauty", "is not one of responseTime"),
        ("histogram?of=size&buckets=many", "buckets"),
        ("tree?path=/", "unknown field `path`"),
        ("urls/1/inlinks?limit=501", "limit: must be 1 to 500, got"),
        ("urls/1/outlinks?cursor=x", "unknown field `cursor`"),
        ("urls/x", "not a number"),
        ("urls/4294967296", "too large"),
        ("urls/-1", "not a number"),
    ] {
        let problem = crawled.world.get(&format!("/api/v1/runs/{run}/{path}")).await.is_problem(400, "bad_request");
        assert!(problem["detail"].as_str().unwrap().contains(why), "{path}: {problem}");
    }
    for (path, why) in [
        ("rows?columns=titel", "did you mean `title`?"),
        ("rows?columns=url%3BDROP%20TABLE%20urls", "there are number, url"),
        ("rows?reason=bad_luck", "the receipt of the run lists its reasons"),
        ("rows?disposition=fetched&reason=failed/headers_timeout", "the receipt of the run lists its reasons"),
        ("facets?by=statuss", "did you mean `status`?"),
        ("histogram", "it is one of responseTime, size"),
        ("histogram?of=size&buckets=1", "the default is 20"),
        ("histogram?of=size&buckets=201", "the default is 20"),
        ("rows?columns=url,url", "name each column once"),
    ] {
        let problem = crawled.world.get(&format!("/api/v1/runs/{run}/{path}")).await;
        let problem = problem.is_problem(422, "invalid_parameter");
        assert!(problem["hint"].as_str().unwrap().contains(why), "{path}: {problem}");
    }
    let long = "x".repeat(1001);
    crawled.world.get(&format!("/api/v1/runs/{run}/rows?search={long}")).await.is_problem(422, "invalid_parameter");
    crawled.world.get(&format!("/api/v1/runs/{run}/rows?issue=no-such")).await.is_problem(404, "not_found");
    let misspelt = crawled.world.get(&format!("/api/v1/runs/{run}/rows?issue=title-missin")).await;
    assert!(misspelt.is_problem(404, "not_found")["hint"].as_str().unwrap().starts_with("did you mean `"));
    for path in ["urls/9999", "urls/0", "urls/9999/inlinks", "urls/9999/outlinks"] {
        crawled.world.get(&format!("/api/v1/runs/{run}/{path}")).await.is_problem(404, "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_another_kind_has_no_grid() {
    let site = Web::hosts_graph(2, 5, 2).start().await;
    let world = World::start("grid-weave", local()).await;
    let resolve = format!("*.test:127.0.0.1:{}", site.port());
    let settings = json!({"fetch": {"resolve": [resolve]}, "politeness": {"rate": 0}});
    let body = json!({"url": site.url_on("h0.test", "/"), "settings": settings});
    let started = world.post("/api/v1/weaves", &body).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    let run = &started["runId"];
    for path in ["rows", "facets", "histogram?of=size", "tree", "issues", "urls/1", "urls/1/inlinks", "urls/1/outlinks"]
    {
        let problem = world.get(&format!("/api/v1/runs/{run}/{path}")).await.is_problem(404, "not_found");
        assert!(problem["detail"].as_str().unwrap().contains("is a weave; it has no "), "{path}: {problem}");
        world.get(&format!("/api/v1/runs/99/{path}")).await.is_problem(404, "not_found");
    }
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/audit"))).await.is_problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn facets_add_up_and_every_value_is_a_filter() {
    let crawled = crawled("grid-facets").await;
    let all = crawled.get("facets").await;
    let total = all["total"].as_u64().unwrap();
    assert_eq!(
        (all["version"].as_u64().unwrap(), total),
        (total, crawled.get("rows").await["total"].as_u64().unwrap())
    );
    let facets = all["facets"].as_array().unwrap();
    assert_eq!(facets.len(), 9);
    for facet in facets {
        let (name, values) = (facet["name"].as_str().unwrap(), facet["values"].as_array().unwrap());
        let sum: u64 = values.iter().map(|value| value["count"].as_u64().unwrap()).sum();
        assert_eq!(sum, total, "{facet}");
        assert!(!values.is_empty(), "{facet}");
        for value in values {
            let Some(word) = value["value"].as_str() else { continue };
            let rows = crawled.get(&format!("rows?{name}={}", segment(word))).await;
            assert_eq!(rows["total"], value["count"], "{name}={word}");
        }
    }
    let some = crawled.get("facets?by=type,status&disposition=fetched&page=true").await;
    let names: Vec<&Value> = some["facets"].as_array().unwrap().iter().map(|facet| &facet["name"]).collect();
    assert_eq!(names, ["type", "status"]);
    let pages = crawled.get("rows?disposition=fetched&page=true").await["total"].clone();
    assert_eq!(some["facets"][0]["values"], json!([{"value": "html", "count": pages}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn histograms_count_every_row_and_their_buckets_are_ranges() {
    let crawled = crawled("grid-histogram").await;
    let total = crawled.get("rows").await["total"].as_u64().unwrap();
    for (of, min, max) in [
        ("responseTime", "minTime", "maxTime"),
        ("size", "minSize", "maxSize"),
        ("depth", "minDepth", "maxDepth"),
        ("words", "minWords", "maxWords"),
        ("inlinks", "minInlinks", "maxInlinks"),
    ] {
        let histogram = crawled.get(&format!("histogram?of={of}&buckets=5")).await;
        assert_eq!(histogram["of"], of);
        let buckets = histogram["buckets"].as_array().unwrap();
        assert!((1..=5).contains(&buckets.len()), "{histogram}");
        let sum: u64 = buckets.iter().map(|bucket| bucket["count"].as_u64().unwrap()).sum();
        assert_eq!(sum + histogram["missing"].as_u64().unwrap(), total, "{histogram}");
        for bucket in buckets {
            let range = format!("rows?{min}={}&{max}={}", bucket["from"], bucket["to"]);
            assert_eq!(crawled.get(&range).await["total"], bucket["count"], "{of} {bucket}");
        }
    }
    let pages = crawled.get("histogram?of=words&page=true").await;
    assert_eq!(pages["missing"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tree_shows_folders_with_what_is_below_them() {
    let crawled = crawled("grid-tree").await;
    let hosts = crawled.get("tree").await;
    assert_eq!((&hosts["prefix"], &hosts["total"]), (&json!(""), &json!(1)), "{hosts}");
    let root = hosts["folders"][0]["path"].as_str().unwrap();
    assert_eq!(root, crawled.site.url("/"));
    let below = crawled.get(&format!("tree?prefix={}", segment(root))).await;
    let folders = below["folders"].as_array().unwrap();
    let names: Vec<&str> = folders.iter().map(|folder| folder["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["blog/", "docs/"]);
    assert_eq!((&folders[1]["urls"], &folders[1]["folders"]), (&json!(3), &json!(1)), "{below}");
    for folder in folders {
        let rows =
            crawled.get(&format!("rows?internal=true&prefix={}", segment(folder["path"].as_str().unwrap()))).await;
        assert_eq!(rows["total"], folder["urls"], "{folder}");
    }
    assert_eq!(hosts["folders"][0]["errors"], 1, "{hosts}");
    assert_eq!(hosts["folders"][0]["urls"], crawled.get("rows?internal=true").await["total"]);
    let nowhere = crawled.get("tree?prefix=http://nowhere.example/").await;
    assert_eq!((&nowhere["folders"], &nowhere["total"]), (&json!([]), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_url_is_shown_with_everything_about_it() {
    let crawled = crawled("grid-url").await;
    let number = crawled.number("/old").await;
    let old = crawled.get(&format!("urls/{number}")).await;
    assert_eq!((&old["row"]["url"], &old["row"]["status"]), (&json!(crawled.site.url("/old")), &json!(301)));
    let chain: Vec<&Value> = old["chain"].as_array().unwrap().iter().map(|hop| &hop["url"]).collect();
    assert_eq!(chain, [&json!(crawled.site.url("/older")), &json!(crawled.site.url("/docs/"))]);
    assert_eq!(old["row"]["redirectUrl"], json!(crawled.site.url("/older")), "{old}");
    assert!(old["headers"].is_array(), "{old}");

    let home = crawled.get("urls/1").await;
    assert_eq!((&home["runId"], &home["row"]["title"]), (&json!(crawled.run), &json!("Home")));
    assert!(home["facts"].is_object() && home["extracted"].is_null(), "{home}");
    let columns = crawled.get("rows?limit=1").await["columns"].as_array().unwrap().len();
    assert_eq!(home["row"].as_object().unwrap().len(), columns);
    let issues = home["issues"].as_array().unwrap();
    assert!(!issues.is_empty(), "{home}");
    for issue in issues {
        let found = crawled.get(&format!("issues/{}", issue["id"].as_str().unwrap())).await;
        assert!(numbers(&found).contains(&1), "{issue}");
        assert!(["why", "fix", "name"].iter().all(|text| issue[*text].as_str().is_some_and(|text| !text.is_empty())));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_from_and_to_a_url_are_windows() {
    let crawled = crawled("grid-links").await;
    let docs = crawled.number("/docs/").await;
    let inlinks = crawled.get(&format!("urls/{docs}/inlinks")).await;
    let sources = |window: &Value| -> Vec<(Value, Value)> {
        let of = |row: &Value| (row["sourceUrl"].clone(), row["links"].clone());
        window["items"].as_array().unwrap().iter().map(of).collect()
    };
    let link = |path: &str, links: u32| (json!(crawled.site.url(path)), json!(links));
    let all = sources(&inlinks);
    for expected in [link("/", 1), link("/docs/api/one", 2), link("/docs/api/two", 1)] {
        assert!(all.contains(&expected), "{expected:?} in {inlinks}");
    }
    assert_eq!(inlinks["total"], all.len());
    let second = crawled.get(&format!("urls/{docs}/inlinks?offset=1&limit=1")).await;
    assert_eq!((sources(&second), &second["total"]), (vec![all[1].clone()], &inlinks["total"]));
    let past = crawled.get(&format!("urls/{docs}/inlinks?offset=99")).await;
    assert_eq!((&past["items"], &past["total"]), (&json!([]), &inlinks["total"]));

    let outlinks = crawled.get(&format!("urls/{docs}/outlinks")).await;
    let targets: Vec<&Value> = outlinks["items"].as_array().unwrap().iter().map(|row| &row["targetUrl"]).collect();
    let expected = ["/docs/api/one", "/docs/api/two", "/"].map(|path| json!(crawled.site.url(path)));
    assert_eq!((targets, &outlinks["total"]), (expected.iter().collect(), &json!(3)));
    assert_eq!(outlinks["items"][0]["sourceNumber"], docs);
    let last = crawled.get(&format!("urls/{docs}/outlinks?offset=2&limit=1")).await;
    assert_eq!(last["items"], json!([outlinks["items"][2]]));
    let image = crawled.number("/logo.png").await;
    let none = crawled.get(&format!("urls/{image}/outlinks")).await;
    assert_eq!((&none["items"], &none["total"]), (&json!([]), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_text_stays_data() {
    let crawled = crawled("grid-hostile").await;
    let number = crawled.number("/blog/a").await;
    for path in [
        "rows?search=alert".to_owned(),
        format!("urls/{number}"),
        format!("urls/{number}/inlinks"),
        "issues".to_owned(),
    ] {
        let answer = crawled.world.get(&format!("/api/v1/runs/{}/{path}", crawled.run)).await;
        assert_eq!(answer.is(200).header("content-type"), Some("application/json"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        answer.json();
    }
    let title = |value: &Value| value["title"].as_str().unwrap().to_owned();
    let row = crawled.get("rows?search=alert").await["items"][0].clone();
    assert!(title(&row).contains("<script>alert(1)</script>"), "{row}");
    assert_eq!(title(&crawled.get(&format!("urls/{number}")).await["row"]), title(&row));
}

/// While a run goes on, a list is a snapshot, and its version grows.
#[tokio::test(flavor = "multi_thread")]
async fn the_grid_of_a_run_in_progress_grows() {
    let site = long().start().await;
    let world = World::start("grid-live", limited(|limits| limits.requests_per_second = 0)).await;
    let started = world.crawl(&site, json!({"settings": fast()})).await;
    let (run, project) = (&started["runId"], started["id"].as_i64().unwrap());
    let version = async |path: &str| {
        let answer = world.get(&format!("/api/v1/runs/{run}/{path}")).await.is(200).json();
        answer["version"].as_u64().unwrap()
    };
    let paths = ["rows?sort=url", "facets", "histogram?of=size", "tree", "issues", "rows?issue=title-missing"];
    let mut before = Vec::new();
    site.wait_for(|seen| seen.requests() > 5).await;
    for path in paths {
        before.push(version(path).await);
    }
    // The start page links to everything, so the list grows from the robots.txt and the seeds to all of it.
    site.wait_for(|seen| seen.requests() > 300).await;
    for (path, before) in paths.into_iter().zip(before) {
        let after = version(path).await;
        assert!(after >= before && after > 1000, "{path}: {before}, then {after}");
    }
    let visited = async || world.get(&format!("/api/v1/runs/{run}/rows?status=2xx")).await.json()["total"].as_u64();
    let then = visited().await;
    site.wait_for(|seen| seen.requests() > 600).await;
    assert!(visited().await > then, "the rows of visits are read again");
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/audit"))).await.is_problem(422, "invalid_parameter");
    let detail = world.get(&format!("/api/v1/runs/{run}/urls/1")).await.is(200).json();
    assert_eq!(detail["row"]["url"], site.url("/"));
    world.get(&format!("/api/v1/runs/{run}/urls/1/inlinks")).await.is(200);
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is(202);
    world.wait_for_end(project).await;
    let rows = world.get(&format!("/api/v1/runs/{run}/rows?disposition=pending")).await.is(200).json();
    assert!(rows["total"].as_u64().unwrap() > 0, "a paused run has a grid too");
}
