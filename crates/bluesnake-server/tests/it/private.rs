//! Crawls and weaves requested over HTTP reach public addresses only, by whatever name, hop or spelling.

use bluesnake_app::plan::AuditInput;
use bluesnake_app::{AuditRequest, Caller, ConfigChange, WeaveRequest, to_groups};
use bluesnake_server::ServerOptions;
use serde_json::{Value, json};
use testsite::{Page, Running, Site, scenarios};

use crate::client::Ask;
use crate::world::{World, folder, local};

fn saving(settings: &AuditInput) -> ConfigChange {
    ConfigChange { settings: to_groups(settings), ..ConfigChange::default() }
}

/// What became of the URL that a crawl started from.
async fn fate(world: &World, url: &str) -> Value {
    let body = json!({"url": url, "settings": {"politeness": {"rate": 0, "robots": "ignore"}, "discover": {"mechanisms": "spider"}, "fetch": {"attempts": 1}}});
    let started = world.post("/api/v1/crawl", &body).await;
    let started = started.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    let pages = world.get(&format!("/api/v1/runs/{}/pages?limit=1", started["runId"])).await.is(200).json();
    pages["items"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_refused_in_every_spelling() {
    let site = scenarios::small().start().await;
    let world = World::start("private", ServerOptions::default()).await;
    let port = site.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "a.localhost",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fc00::1]",
        "[::ffff:a9fe:a9fe]",
    ] {
        let url = format!("http://{host}:{port}/");
        let fate = fate(&world, &url).await;
        assert_eq!(
            (&fate["disposition"], &fate["reason"]),
            (&json!("refused"), &json!("private_address")),
            "{url}: {fate}"
        );
        let error = fate["error"].as_str().unwrap_or_default();
        assert!(!error.contains("127.0.0.1"), "the message names the rule, not the address: {error}");
    }
    assert_eq!(site.seen().requests(), 0, "by the log of the server that was to be reached");
}

/// Names of the system's own list that lead to this machine or its network.
fn private_names() -> Vec<String> {
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let lines = hosts.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut names: Vec<String> = lines.flat_map(|line| line.split_whitespace().skip(1)).map(str::to_owned).collect();
    names.push("localhost".to_owned());
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_resolve_to_private_addresses_are_refused() {
    let site = scenarios::small().start().await;
    let world = World::start("by-name", ServerOptions::default()).await;
    for name in private_names() {
        let fate = fate(&world, &format!("http://{name}:{}/", site.port())).await;
        assert_eq!((&fate["disposition"], &fate["visited"]), (&json!("refused"), &json!(false)), "{name}: {fate}");
    }
    assert_eq!(site.seen().requests(), 0, "by the log of the server that was to be reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_operator_settings_do_not_open_private_addresses_over_http() {
    let site = scenarios::small().start().await;
    let world = World::start("saved", ServerOptions::default()).await;
    let mut settings = AuditInput::default();
    settings.fetch.resolve = Some(vec![format!("public.invalid:127.0.0.1:{}", site.port())]);
    settings.fetch.allow_private = Some(true);
    let project = world.app.get_or_create_project("http://public.invalid/").await.unwrap();
    world.app.save_settings(project.id, saving(&settings)).await.unwrap();
    let fate = fate(&world, "http://public.invalid/").await;
    assert_eq!(fate["status"], json!(null), "{fate}");
    assert_eq!(site.seen().requests(), 0);
}

/// Null means that nothing is set. It once skipped the check, and the project's saved settings applied.
#[tokio::test(flavor = "multi_thread")]
async fn null_settings_bypass_no_check() {
    let site = scenarios::small().start().await;
    let world = World::start("null-settings", ServerOptions::default()).await;
    let mut settings = AuditInput::default();
    settings.fetch.resolve = Some(vec![format!("public.invalid:127.0.0.1:{}", site.port())]);
    settings.fetch.allow_private = Some(true);
    settings.fetch.attempts = Some(1);
    let project = world.app.get_or_create_project("http://public.invalid/").await.unwrap();
    world.app.save_settings(project.id, saving(&settings)).await.unwrap();
    for (path, field) in [("/api/v1/crawl", "url"), ("/api/v1/captures", "url"), ("/api/v1/weaves", "url")] {
        for settings in [json!(null), json!({"fetch": null})] {
            let body = json!({field: "http://public.invalid/", "settings": settings});
            let started = world.post(path, &body).await.is(202).json();
            world.wait_for_end(started["id"].as_i64().unwrap()).await;
            assert_eq!(site.seen().requests(), 0, "{path} {body}");
        }
        for wrong in [json!([]), json!(5), json!({"fetch": []})] {
            let body = json!({field: "http://public.invalid/", "settings": wrong});
            assert_eq!(world.post(path, &body).await.status, 422, "{path} {body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hop_of_a_redirect_is_checked() {
    let world = World::start("by-redirect", local()).await;
    for target in
        ["http://169.254.169.254/latest/", "http://[::ffff:a9fe:a9fe]/", "http://2852039166/", "http://0xa9fea9fe/"]
    {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/go"))
            .redirect("/go", 302, "/on")
            .redirect("/on", 302, target)
            .start()
            .await;
        let settings = json!({"settings": {"resources": {"check_external": "all"}, "fetch": {"attempts": 1}}});
        let run = &world.crawl_to_the_end(&site, settings).await["runId"];
        let rows = world.get(&format!("/api/v1/runs/{run}/pages?disposition=refused")).await.json();
        let row = &rows["items"][0];
        assert_eq!(
            (&row["source"], &row["reason"]),
            (&json!("redirect"), &json!("private_address")),
            "{target}: {rows}"
        );
    }
}

/// Every way to spell an address that is not public, with the port of a site that must not be reached.
fn inside(port: u16) -> Vec<String> {
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "0.0.0.0",
        "localhost",
        "localhost.",
        "a.localhost",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "2852039166",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:10.0.0.1]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
    ];
    // The path identifies the spelling.
    hosts.iter().enumerate().map(|(at, host)| format!("http://{host}:{port}/inside/{at}")).collect()
}

/// Default options, and a name that the operator resolves to a test site. A crawl treats it like any public site: the
/// targets of its links and redirects are checked.
pub(crate) fn with_public_name(site: &Running) -> ServerOptions {
    ServerOptions { resolve: vec![format!("public.example:127.0.0.1:{}", site.port())], ..ServerOptions::default() }
}

async fn crawl_public_name(world: &World) -> Value {
    let settings = json!({"politeness": {"rate": 0}, "fetch": {"attempts": 1}});
    let answer = world.post("/api/v1/crawl", &json!({"url": "http://public.example/", "settings": settings})).await;
    let started = answer.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    started["runId"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_site_cannot_lead_to_a_private_address() {
    let secret = scenarios::small().start().await;
    let targets = inside(secret.port());
    let mut home = Page::titled("Home").links(["/deep"]).image(&targets[0].replace("inside", "image"));
    let mut site = Site::new().redirect("/deep", 307, "/deeper").redirect("/deeper", 308, &targets[0]);
    for (at, target) in targets.iter().enumerate() {
        home = home.link(&format!("/go/{at}")).link(&target.replace("inside", "link"));
        site = site.redirect(&format!("/go/{at}"), 302, target);
    }
    let site = site.page("/", home).start().await;
    let world = World::start("public-redirect", with_public_name(&site)).await;
    let run = crawl_public_name(&world).await;

    let fetched = world.get(&format!("/api/v1/runs/{run}/pages?disposition=fetched&type=html")).await.is(200).json();
    assert_eq!(fetched["items"][0]["url"], "http://public.example/", "{fetched}");
    let moved = world.get(&format!("/api/v1/runs/{run}/pages?disposition=redirected&limit=1000")).await.json();
    assert_eq!(moved["items"].as_array().unwrap().len(), targets.len() + 2, "every redirect was seen: {moved}");
    let refused = world.get(&format!("/api/v1/runs/{run}/pages?disposition=refused&limit=1000")).await.json();
    let refused = refused["items"].as_array().unwrap();
    for (at, target) in targets.iter().enumerate() {
        for (kind, source) in [("inside", "redirect"), ("link", "spider")] {
            let ending = format!("/{kind}/{at}");
            let row = refused.iter().find(|row| row["url"].as_str().unwrap().ends_with(&ending));
            let row = row.unwrap_or_else(|| panic!("{target} is not among those refused: {refused:?}"));
            assert_eq!((&row["reason"], &row["source"]), (&json!("private_address"), &json!(source)), "{row}");
        }
    }
    assert_eq!(secret.seen().requests(), 0, "by the log of the server that was to be reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_and_sitemaps_of_a_public_site_lead_to_no_private_address() {
    let secret = scenarios::small().start().await;
    for path in ["/robots.txt", "/sitemap.xml"] {
        let target = format!("http://127.0.0.1:{}/robots-or-sitemap", secret.port());
        let site = Site::new().page("/", Page::titled("Home")).redirect(path, 302, &target).start().await;
        let world = World::start("public-robots", with_public_name(&site)).await;
        crawl_public_name(&world).await;
        assert!(site.seen().count(path) > 0, "{path} was requested");
        assert_eq!(secret.seen().requests(), 0, "{path}");
    }
}

/// The hosts of a graph that is woven to its end, and its links.
async fn weave(world: &World, urls: &[String]) -> (Vec<Value>, Vec<Value>) {
    let limits = json!({"max_outbound_links": 0, "max_subdomains_per_root": 0, "max_crawls_per_node": 100});
    let settings = json!({"politeness": {"rate": 0}, "fetch": {"attempts": 1}, "weave": limits});
    let started = world.post("/api/v1/weaves", &json!({"urls": urls, "settings": settings})).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    let rows = async |list: &str| {
        let page = world.get(&format!("/api/v1/weaves/{}/{list}?limit=1000", started["runId"])).await.is(200).json();
        assert_eq!(page["hasMore"], false);
        page["items"].as_array().unwrap().clone()
    };
    (rows("nodes").await, rows("edges").await)
}

fn is_refused_as_private(node: &Value) -> bool {
    (&node["disposition"], &node["reason"]) == (&json!("refused"), &json!("private_address"))
}

fn is_public(node: &Value) -> bool {
    node["host"].as_str().unwrap().ends_with("public.example")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weave_with_private_seeds_makes_no_request() {
    let secret = scenarios::small().start().await;
    let world = World::start("weave-private", ServerOptions::default()).await;
    let (nodes, edges) = weave(&world, &inside(secret.port())).await;
    assert!(nodes.len() > 15, "many of the spellings are separate hosts: {nodes:?}");
    assert!(nodes.iter().all(is_refused_as_private), "{nodes:?}");
    assert_eq!(edges, [] as [Value; 0]);
    assert_eq!(secret.seen().requests(), 0, "by the log of the server that was to be reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weave_of_public_hosts_never_reaches_private_addresses() {
    let secret = scenarios::small().start().await;
    let targets = inside(secret.port());
    let hosts = |kind: &'static str| (0..targets.len()).map(move |at| format!("http://{kind}{at}.public.example/"));
    let linking = Site::new().page("/", Page::titled("Home").links(&targets));
    let mut leading =
        Site::new().page("/", Page::titled("Home").links((0..targets.len()).map(|at| format!("/go/{at}"))));
    // Every front page and every robots.txt leads inside, and pages of one host do.
    let roots = hosts("front")
        .chain(hosts("robots"))
        .chain(["link", "go"].map(|name| format!("http://{name}.public.example/")));
    let mut site = Site::new().host("public.example", Site::new().page("/", Page::titled("Home").links(roots)));
    for (at, target) in targets.iter().enumerate() {
        leading = leading.redirect(&format!("/go/{at}"), 302, target);
        let front = Site::new().redirect("/", 301, target);
        let robots = Site::new().redirect("/robots.txt", 302, target).page("/", Page::titled("never asked for"));
        site =
            site.host(&format!("front{at}.public.example"), front).host(&format!("robots{at}.public.example"), robots);
    }
    let site = site.host("link.public.example", linking).host("go.public.example", leading).start().await;
    let mut options = with_public_name(&site);
    options.resolve.push(format!("*.public.example:127.0.0.1:{}", site.port()));
    let world = World::start("weave-public", options).await;
    let (nodes, edges) = weave(&world, &["http://public.example/".to_owned()]).await;

    let node =
        |host: &str| nodes.iter().find(|node| node["host"] == host).unwrap_or_else(|| panic!("{host}: {nodes:?}"));
    let private: Vec<&Value> = nodes.iter().filter(|node| !is_public(node)).collect();
    assert!(private.len() > 15 && private.iter().all(|node| is_refused_as_private(node)), "{private:?}");
    let led_inside = |from: &str| {
        edges.iter().filter(|edge| edge["from"] == from && !is_public(node(edge["to"].as_str().unwrap()))).count()
    };
    for (at, target) in targets.iter().enumerate() {
        let (front, robots) = (format!("front{at}.public.example"), format!("robots{at}.public.example"));
        assert_eq!((&node(&front)["disposition"], led_inside(&front)), (&json!("redirected"), 1), "{target}");
        // Its robots.txt is unknown, so its pages are not requested.
        assert!(is_refused_as_private(node(&robots)), "{}", node(&robots));
        assert_eq!(
            (site.seen().count_on(&robots, "/robots.txt"), site.seen().count_on(&robots, "/")),
            (1, 0),
            "{robots}"
        );
    }
    for host in ["link.public.example", "go.public.example"] {
        assert_eq!((&node(host)["disposition"], led_inside(host)), (&json!("fetched"), private.len()), "{host}");
    }
    assert_eq!(secret.seen().requests(), 0, "by the log of the server that was to be reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_graph_of_the_operator_cannot_be_continued_over_http() {
    let site = scenarios::high_fan_out(20).start().await;
    let world = World::start("operator-weave", ServerOptions::default()).await;
    let mut request = WeaveRequest { urls: vec![site.url("/")], ..Default::default() };
    request.settings.politeness.rate = Some(0.0);
    request.settings.fetch.allow_private = Some(true);
    let weave = world.app.start(request, Caller::operator()).await.unwrap();
    weave.wait().await;
    let asked = site.seen().requests();
    assert!(asked > 0, "the operator weaves it");
    let other = format!("http://a.localhost:{}/", site.port());
    for body in [json!({}), json!({"url": other})] {
        world.post("/api/v1/weaves", &body).await.is_problem(409, "other_settings");
    }
    for body in [json!({"force": true}), json!({"force": true, "url": other})] {
        world.post("/api/v1/weaves", &body).await.is(202);
        world.wait_for_end(weave.project().id).await;
    }
    let nodes = world.get("/api/v1/weaves/1/nodes").await.is(200).json();
    assert!(is_refused_as_private(&nodes["items"][1]), "{nodes}");
    assert_eq!(site.seen().requests(), asked, "forced or not, nothing private is reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_local_can_be_set_over_http() {
    let world = World::start("forbidden", ServerOptions::default()).await;
    let forbidden = [
        ("proxy", json!("http://127.0.0.1:1")),
        ("resolve", json!(["a:127.0.0.1"])),
        ("allow_private", json!(true)),
        ("ca_file", json!("/etc/passwd")),
        ("cache_dir", json!("/tmp/x")),
        ("allow_private", json!(false)),
        ("proxy", json!(5)),
    ];
    let starts = json!({"url": "http://a.example/"});
    // Where settings come in, with what else the body needs.
    let doors = [
        ("POST", "/api/v1/crawl", &starts),
        ("POST", "/api/v1/captures", &starts),
        ("POST", "/api/v1/weaves", &starts),
        ("PUT", "/api/v1/config", &starts),
        ("POST", "/api/v1/resume-crawl/1", &json!({})),
        ("POST", "/api/v1/runs/1/resume", &json!({})),
    ];
    let world = paused(world).await;
    let before = world.get("/api/v1/runs/1").await.is(200).json();
    for (name, value) in forbidden {
        for (method, path, body) in doors {
            let mut body = body.clone();
            body["settings"] = json!({"fetch": {name: value}});
            let answer = world.send(Ask::new(method, path).json(&body)).await;
            let problem = answer.is_problem(422, "invalid_fields");
            assert_eq!(problem["problems"][0]["field"], format!("fetch.{name}"), "{path}: {problem}");
        }
    }
    let question = json!({"query": "SELECT 1"});
    for unknown in [
        "proxy",
        "launch_args",
        "user_data_dir",
        "cdp_url",
        "js",
        "script",
        "cookies",
        "webhook",
        "callback",
        "output",
        "path",
        "file",
        "db",
        "database",
        "env",
        "headers",
        "hooks",
        "exec",
        "is_operator",
        "isOperator",
    ] {
        for (method, path, body) in doors.into_iter().chain([("POST", "/api/v1/sql", &question)]) {
            let mut body = body.clone();
            body[unknown] = json!("x");
            let problem = world.send(Ask::new(method, path).json(&body)).await.is_problem(422, "invalid_fields");
            assert_eq!(problem["problems"][0]["field"], unknown, "{path}: {problem}");
        }
    }
    assert_eq!(world.get("/api/v1/runs/1").await.json(), before, "nothing was resumed");
    assert_eq!(world.get("/api/v1/projects").await.json()["items"].as_array().unwrap().len(), 1, "nothing was started");
    // With the operator's consent addresses are free, and files still are not.
    let world = World::start("allowed", local()).await;
    let body = json!({"url": "http://a.example/", "settings": {"fetch": {"ca_file": "/etc/passwd"}}});
    world.post("/api/v1/crawl", &body).await.is_problem(422, "invalid_fields");
    assert_eq!(world.get("/api/v1/projects").await.json()["items"], json!([]), "no crawl was started");
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_files_and_routes_are_not_shown() {
    let (site, folder) = (scenarios::high_fan_out(20).start().await, folder("hidden"));
    let cache = folder.join("canary-cache");
    let mut settings = AuditInput::default();
    settings.fetch.resolve = Some(vec![format!("public.invalid:{}", site.addr())]);
    settings.fetch.cache_dir = Some(cache);
    settings.politeness.rate = Some(0.0);
    settings.limits.session_budget = Some(5);
    for options in [ServerOptions::default(), local()] {
        let (may_see_ways, database) = (options.allow_private, folder.join("bluesnake.db"));
        let _ = std::fs::remove_file(&database);
        let world = World::on(&database, options).await;
        let project = world.app.get_or_create_project("http://public.invalid/").await.unwrap();
        world.app.save_settings(project.id, saving(&settings)).await.unwrap();
        let urls = vec!["http://public.invalid/".to_owned()];
        let crawl = AuditRequest { urls, ..Default::default() };
        world.app.start(crawl, Caller::operator()).await.unwrap().wait().await;
        assert!(site.seen().requests() > 0, "the operator crawls it");
        for path in ["/api/v1/runs/1", "/api/v1/projects/1/runs", "/api/v1/config?url=http://public.invalid/"] {
            let text = world.get(path).await.is(200).text();
            assert!(text.contains("\"cache_dir\":\"…\"") && !text.contains("canary"), "{path}: {text}");
            assert_eq!(text.contains(&site.addr().to_string()), may_see_ways, "{path}: {text}");
        }
        let answer = world.post("/api/v1/resume-crawl/1", &json!({})).await;
        assert_eq!(answer.status, if may_see_ways { 202 } else { 409 }, "{}", answer.text());
        let told = [site.addr().to_string(), "canary".to_owned()];
        assert!(told.iter().all(|word| !answer.text().contains(word)), "{}", answer.text());
        world.shut_down().await;
        for left in ["bluesnake.db-wal", "bluesnake.db-shm"] {
            let _ = std::fs::remove_file(folder.join(left));
        }
    }
}

/// A server with a run that could be resumed.
async fn paused(world: World) -> World {
    let site = scenarios::high_fan_out(20).start().await;
    let mut request = AuditRequest { urls: vec![site.url("/")], ..Default::default() };
    request.settings.politeness.rate = Some(0.0);
    request.settings.limits.session_budget = Some(5);
    world.app.start(request, Caller::operator()).await.unwrap().wait().await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_over_http_have_ceilings() {
    let world = paused(World::start("ceilings", local()).await).await;
    let day = 24 * 3600 * 1000_u64;
    let starts = json!({"url": "http://a.example/"});
    for (method, path, body) in [
        ("POST", "/api/v1/crawl", &starts),
        ("POST", "/api/v1/captures", &starts),
        ("POST", "/api/v1/weaves", &starts),
        ("PUT", "/api/v1/config", &starts),
        ("POST", "/api/v1/resume-crawl/1", &json!({})),
        ("POST", "/api/v1/runs/1/resume", &json!({})),
    ] {
        for (group, name, above, most) in [
            ("politeness", "grace_ms", json!(day), "30000"),
            ("politeness", "parallelism", json!(1000), "100"),
            ("fetch", "total_timeout_ms", json!(day), "600000"),
            ("fetch", "retry_delays_ms", json!([1, day]), "600000"),
            ("fetch", "body_limit", json!(0), "52428800"),
            ("fetch", "body_limit", json!(1_u64 << 40), "52428800"),
            ("memory", "window_bytes", json!(1_u64 << 40), "1073741824"),
            ("memory", "backlog_urls", json!(1_000_000_000), "100000"),
        ] {
            let mut body = body.clone();
            body["settings"] = json!({group: {name: above}});
            let problem = world.send(Ask::new(method, path).json(&body)).await.is_problem(422, "invalid_fields");
            let told = &problem["problems"][0];
            assert_eq!(told["field"], format!("{group}.{name}"), "{path}: {problem}");
            assert!(told["message"].as_str().unwrap().ends_with(&format!("to {most}")), "{path}: {problem}");
        }
    }
    let most = json!({"politeness": {"grace_ms": 30_000}, "fetch": {"body_limit": 52_428_800}});
    world.put("/api/v1/config", &json!({"url": "http://a.example/", "settings": most})).await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_the_operator_started_on_a_private_host_is_not_resumed_over_http() {
    let site = scenarios::high_fan_out(20).start().await;
    let world = World::start("operator-run", ServerOptions::default()).await;
    let mut request = AuditRequest { urls: vec![site.url("/")], ..Default::default() };
    request.settings.politeness.rate = Some(0.0);
    request.settings.limits.session_budget = Some(5);
    let crawl = world.app.start(request, Caller::operator()).await.unwrap();
    crawl.wait().await;
    let asked = site.seen().requests();
    let path = format!("/api/v1/resume-crawl/{}", crawl.project().id);
    world.post(&path, &json!({})).await.is_problem(409, "other_settings");
    world.post(&path, &json!({"force": true})).await.is(202);
    world.wait_for_end(crawl.project().id).await;
    assert_eq!(site.seen().requests(), asked, "forced or not, nothing private is reached");
    let icon = world.send(Ask::new("POST", &format!("/api/v1/projects/{}/favicon", crawl.project().id))).await;
    icon.is_problem(404, "not_found");
    assert_eq!(site.seen().requests(), asked);
}
