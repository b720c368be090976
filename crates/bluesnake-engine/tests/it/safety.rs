//! What must not happen: requests to forbidden addresses, secrets leaving their origin, hosts requested too often.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bluesnake_engine::plan::{CheckExternal, RobotsMode};
use bluesnake_engine::{AuditInput, AuditPlan, Disposition, EndReason, Event, HostNews, MemoryStore, Reason};
use testsite::{Fault, Latency, Mode, Page, Reply, Running, Seen, Site, Tls, scenarios};

use crate::world::{Crawled, Folder, crawl, crawl_seeds, crawler, local};

/// A server in the private network that must not be reached, over IPv4 and, if available, IPv6.
struct Forbidden {
    listeners: Vec<TcpListener>,
    port: u16,
}

impl Forbidden {
    fn new() -> Self {
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback can be bound");
        let port = v4.local_addr().expect("a bound socket has an address").port();
        let v6 = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).ok();
        let listeners: Vec<TcpListener> = std::iter::once(v4).chain(v6).collect();
        for listener in &listeners {
            listener.set_nonblocking(true).expect("a socket need not block");
        }
        Self { listeners, port }
    }

    /// Every way to write its address.
    fn spellings(&self) -> Vec<String> {
        let hosts = [
            "127.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::1]",
            "2130706433",
            "0x7f000001",
            "017700000001",
            "0177.0.0.1",
            "0x7f.0.0.1",
            "127.1",
            "127.0.0.1.",
            "localhost",
            "localhost.",
            "LOCALHOST",
            "a.localhost",
            "0.0.0.0",
            "0",
            "[::]",
            "１２７.0.0.1",
        ];
        hosts.iter().map(|host| format!("http://{host}:{}/secret", self.port)).collect()
    }

    fn assert_untouched(&self) {
        for listener in &self.listeners {
            let touched = listener.accept();
            assert!(touched.is_err(), "a client connected to {:?}", listener.local_addr());
        }
    }
}

/// Settings of a crawl for an untrusted caller: private addresses are refused. `*.test` is the public web.
fn guarded(site: &Running) -> AuditInput {
    let mut input = local();
    input.fetch.allow_private = Some(false);
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{}", site.port())]);
    input.resources.check_external = Some(CheckExternal::All);
    input.fetch.timeout_ms = Some(2_000);
    input
}

fn assert_refused(crawled: &Crawled, url: &str) {
    assert_eq!(crawled.fate(url), (Disposition::Refused, "private_address"), "{url}");
    let said = crawled.visit(url).error().unwrap_or_default();
    assert!(said.contains("private addresses are not allowed") || said.contains("never allowed"), "{url}: {said}");
    assert!(!said.contains(|c: char| c.is_ascii_digit()) && !said.contains("::"), "the text names no address: {said}");
}

fn canonical(url: &str) -> String {
    bluesnake_engine::CanonicalUrl::parse(url).expect("a URL of a test is valid").to_string()
}

/// A seed that names a private address.
#[tokio::test(flavor = "multi_thread")]
async fn a_seed_in_the_private_network_is_refused_in_every_spelling() {
    let forbidden = Forbidden::new();
    let public = Site::new().start().await;
    for robots in [RobotsMode::Respect, RobotsMode::Ignore] {
        let mut input = guarded(&public);
        input.politeness.robots = Some(robots);
        let crawled = crawl_seeds(&forbidden.spellings(), input).await;
        for spelling in forbidden.spellings() {
            assert_refused(&crawled, &canonical(&spelling));
        }
    }
    forbidden.assert_untouched();
}

/// Redirects, links, resources and refreshes into the private network.
#[tokio::test(flavor = "multi_thread")]
async fn a_public_page_cannot_lead_into_the_private_network() {
    let forbidden = Forbidden::new();
    let mut home = Page::titled("Home");
    let mut declared = Site::new();
    for (number, spelling) in forbidden.spellings().iter().enumerate() {
        home = home.link(&format!("/hop/{number}")).link(spelling).image(&format!("{spelling}.png"));
        home = home.html(&format!("<iframe src=\"{spelling}?frame\"></iframe>"));
        declared = declared.redirect(&format!("/hop/{number}"), 302, &format!("{spelling}?hop"));
    }
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"0; url={}\">", forbidden.spellings()[0]);
    let site = Site::new().host("public.test", declared.page("/", home.head(&refresh))).start().await;
    for hops in [0, 1] {
        let mut input = guarded(&site);
        input.scope.external_hops = Some(hops);
        let crawled = crawl("http://public.test/", input).await;
        assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
        for spelling in forbidden.spellings() {
            assert_refused(&crawled, &canonical(&spelling));
            assert_refused(&crawled, &canonical(&format!("{spelling}?hop")));
            assert_refused(&crawled, &canonical(&format!("{spelling}.png")));
        }
    }
    forbidden.assert_untouched();
}

/// Every hop passes the guard, not the first alone.
#[tokio::test(flavor = "multi_thread")]
async fn the_seventh_hop_of_a_chain_is_guarded_like_the_first() {
    let forbidden = Forbidden::new();
    let mut declared = Site::new();
    for hop in 1..=10 {
        let next = match hop + 1 {
            7 => format!("http://127.0.0.1:{}/hop", forbidden.port),
            next => format!("http://h{next}.test/hop"),
        };
        declared = declared.host(&format!("h{hop}.test"), Site::new().redirect("/hop", 302, &next));
    }
    let site = declared.start().await;
    for robots in [RobotsMode::Respect, RobotsMode::Ignore] {
        let mut input = guarded(&site);
        input.politeness.robots = Some(robots);
        let crawled = crawl("http://h1.test/hop", input).await;
        for hop in 1..=6 {
            assert_eq!(crawled.fate(&format!("http://h{hop}.test/hop")).0, Disposition::Redirected, "hop {hop}");
        }
        assert_refused(&crawled, &format!("http://127.0.0.1:{}/hop", forbidden.port));
        assert!(crawled.find("http://h8.test/hop").is_none());
    }
    forbidden.assert_untouched();
}

/// robots.txt has no way around the guard, and nothing is fetched without its rules.
#[tokio::test(flavor = "multi_thread")]
async fn a_robots_txt_that_leads_into_the_private_network_is_not_followed() {
    let forbidden = Forbidden::new();
    let location = format!("http://127.0.0.1:{}/robots.txt", forbidden.port);
    let public = Site::new().page("/", Page::titled("Home")).redirect("/robots.txt", 302, &location);
    let site = Site::new().host("public.test", public).start().await;
    let crawled = crawl("http://public.test/", guarded(&site)).await;
    assert_eq!(crawled.fate("http://public.test/"), (Disposition::Refused, "private_address"));
    assert_eq!(site.seen().paths(), ["/robots.txt"]);
    forbidden.assert_untouched();
}

/// Sitemaps have no way around the guard either.
#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_in_the_private_network_is_not_read() {
    let forbidden = Forbidden::new();
    let sitemap = format!("http://127.0.0.1:{}/sitemap.xml", forbidden.port);
    let public = Site::new().page("/", Page::titled("Home")).robots(&format!("Sitemap: {sitemap}\n"));
    let site = Site::new().host("public.test", public).start().await;
    let mut input = guarded(&site);
    input.discover.mechanisms = Some(bluesnake_engine::plan::Mechanisms::Both);
    let crawled = crawl("http://public.test/", input).await;
    assert_refused(&crawled, &sitemap);
    forbidden.assert_untouched();
}

/// Services that hand out a cloud machine's secrets are refused always, on the operator's word too.
#[tokio::test(flavor = "multi_thread")]
async fn metadata_services_are_never_requested() {
    let seeds = [
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/latest/",
        "http://[::ffff:a9fe:a9fe]/latest/",
        "http://[64:ff9b::a9fe:a9fe]/latest/",
        "http://[fd00:ec2::254]/latest/",
        "http://100.100.100.200/latest/",
        "http://meta.test/latest/",
    ];
    let mut input = local();
    input.fetch.allow_private = Some(true);
    input.fetch.resolve = Some(vec!["meta.test:169.254.169.254".to_owned()]);
    let crawled = crawl_seeds(&seeds.map(str::to_owned), input).await;
    for seed in seeds {
        assert_refused(&crawled, &canonical(seed));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_a_metadata_service_is_refused_even_where_private_addresses_are_allowed() {
    let site = Site::new().redirect("/", 302, "http://169.254.169.254/latest/").start().await;
    let mut input = local();
    input.resources.check_external = Some(CheckExternal::All);
    let crawled = crawl(&site.url("/"), input).await;
    assert_refused(&crawled, "http://169.254.169.254/latest/");
}

/// No second list and no second client. Only one file may open connections, resolve names or build clients.
#[test]
fn connections_are_made_in_one_place_only() {
    let places = [
        ("TcpStream::connect", "fetch/connector.rs"),
        ("TcpSocket::new", "fetch/connector.rs"),
        ("lookup_host", "fetch/resolve.rs"),
        ("to_socket_addrs", "fetch/resolve.rs"),
        ("client::conn", "fetch/connection.rs"),
        ("ClientConfig::builder", "fetch/tls.rs"),
        ("reqwest", ""),
        // It asks the system for a route and a descriptor; nothing is sent.
        ("UdpSocket", "fetch/connector.rs"),
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in source_files(&source) {
        let text = std::fs::read_to_string(&file).expect("a source file can be read");
        let name = file.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
        let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (call, allowed) in places {
            assert!(!production.contains(call) || name == allowed, "{call} is called in {name}");
        }
    }
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of sources can be read");
    let paths = entries.map(|entry| entry.expect("the folder of sources can be read").path());
    let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let is_test =
        |path: &PathBuf| path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests");
    paths
        .flat_map(|path| if path.is_dir() { source_files(&path) } else { vec![path] })
        .filter(|path| is_source(path) && !is_test(path))
        .collect()
}

/// What must never be found anywhere but in the requests it is meant for.
const CANARY: &str = "canary-5ecre7";

/// Whether a request carries anything the operator entrusted to us.
fn secrets_in(seen: &Seen) -> Vec<String> {
    let reported = |(name, value): &(String, String)| {
        let is_secret = ["authorization", "x-secret", "referer"].contains(&name.to_ascii_lowercase().as_str());
        (is_secret || value.contains(CANARY)).then(|| format!("{name}: {value}"))
    };
    seen.headers.iter().filter_map(reported).collect()
}

fn with_secrets(mut input: AuditInput, origin: &str) -> AuditInput {
    input.fetch.auth = Some([(origin.to_owned(), format!("me:{CANARY}"))].into());
    input.fetch.headers = Some([("X-Secret".to_owned(), CANARY.to_owned())].into());
    input.fetch.initial_cookies = Some(vec![format!("operator={CANARY}")]);
    input.resources.check_external = Some(CheckExternal::All);
    input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
    input
}

/// Domain, subdomain, port, IP against name, userinfo in Location, and back again.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_never_follow_a_redirect_to_another_origin() {
    let target = |path: &str| Page::titled(path);
    let elsewhere = Site::new()
        .host("a.test", Site::new().page("/port", target("port")))
        .host("c.test", Site::new().page("/userinfo", target("userinfo")))
        .start()
        .await;
    let with_userinfo = elsewhere.url_on("c.test", "/userinfo").replacen("http://", "http://u:p@", 1);
    let own = Site::new()
        .reply("/", Reply::html(home_with_redirects()).header("Set-Cookie", &format!("session={CANARY}")))
        .redirect("/to-domain", 302, "{host:b.test}/domain")
        .redirect("/to-subdomain", 302, "{host:sub.a.test}/subdomain")
        .redirect("/to-port", 307, &elsewhere.url_on("a.test", "/port"))
        .redirect("/to-address", 308, "{origin}/address")
        .redirect("/to-userinfo", 302, &with_userinfo)
        .redirect("/to-and-back", 302, "{host:b.test}/back")
        .page("/again", target("again"));
    let site = Site::new()
        .page("/address", target("address"))
        .host("a.test", own)
        .host("b.test", Site::new().page("/domain", target("d")).redirect("/back", 302, "{host:a.test}/again"))
        .host("sub.a.test", Site::new().page("/subdomain", target("s")))
        .start()
        .await;
    let origin = site.url_on("a.test", "");
    let crawled = crawl(&site.url_on("a.test", "/"), with_secrets(local(), &origin)).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);

    let mut leaks = String::new();
    for seen in site.log().iter().chain(&elsewhere.log()) {
        let is_own = seen.host == "a.test" && seen.target != "/port";
        // Cookies know no ports (RFC 6265 section 8.5), so the host's own cookie may go to its other port.
        let is_own_cookie =
            |secret: &String| seen.target == "/port" && secret.ends_with(&format!(": session={CANARY}"));
        if !is_own {
            for secret in secrets_in(seen).iter().filter(|secret| !is_own_cookie(secret)) {
                writeln!(leaks, "{}{}: {secret}", seen.host, seen.target).unwrap();
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks}");
    for (server, host, path) in [
        (&site, "b.test", "/domain"),
        (&site, "sub.a.test", "/subdomain"),
        (&elsewhere, "a.test", "/port"),
        (&elsewhere, "c.test", "/userinfo"),
        (&site, "127.0.0.1", "/address"),
        (&site, "b.test", "/back"),
    ] {
        assert!(server.seen().count_on(host, path) > 0, "{host}{path} was requested");
    }
    let log = site.log();
    let again = log.iter().find(|seen| seen.target == "/again").expect("the way back is followed");
    assert_eq!(again.header("x-secret"), Some(CANARY), "secrets are sent again on the original host");
    assert!(again.header("authorization").is_some_and(|value| value.starts_with("Basic ")));
    assert!(again.header("cookie").is_some_and(|value| value.contains("operator=") && value.contains("session=")));
}

fn home_with_redirects() -> String {
    let paths = ["/to-domain", "/to-subdomain", "/to-port", "/to-address", "/to-userinfo", "/to-and-back"];
    Page::titled("Home").links(paths).to_html()
}

/// Nothing is sent from https to http.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_never_go_from_https_to_http() {
    let plain = Site::new().host("a.test", Site::new().page("/plain", Page::titled("Plain"))).start().await;
    let own = Site::new().reply("/", Reply::html(Page::titled("Home").link("/down").to_html())).redirect(
        "/down",
        302,
        &plain.url_on("a.test", "/plain"),
    );
    let site = Site::new().host("a.test", own).tls(Tls::trusted()).start().await;
    let folder = Folder::new();
    let mut input = with_secrets(local(), &site.url_on("a.test", ""));
    input.fetch.ca_file = Some(folder.file("ca.pem", &site.ca_pem()));
    let crawled = crawl(&site.url_on("a.test", "/"), input).await;
    assert!(crawled.finished.is_complete());
    assert!(plain.seen().count("/plain") > 0);
    assert_eq!(plain.log().iter().flat_map(secrets_in).collect::<Vec<_>>(), Vec::<String>::new());
    assert!(site.log().iter().any(|seen| seen.header("authorization").is_some()));
}

/// Two hosts in one run: credentials for one are not sent to the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_password_for_one_seed_is_not_sent_to_another() {
    let host = |title| Site::new().page("/", Page::titled(title));
    let site = Site::new().host("a.test", host("A")).host("b.test", host("B")).start().await;
    let mut input = local();
    input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
    input.fetch.auth = Some([(site.url_on("a.test", ""), format!("me:{CANARY}"))].into());
    crawl_seeds(&[site.url_on("a.test", "/"), site.url_on("b.test", "/")], input).await;
    for seen in site.log() {
        assert_eq!(seen.header("authorization").is_some(), seen.host == "a.test", "{}{}", seen.host, seen.target);
    }
}

/// Userinfo of a seed is its origin's password and is sent nowhere else, in any form.
#[tokio::test]
async fn a_password_in_a_seed_is_used_and_shown_nowhere() {
    let site = scenarios::small().start().await;
    let seed = site.url("/").replacen("http://", &format!("http://me:{CANARY}@"), 1);
    let store = Arc::new(MemoryStore::default());
    let crawler = crawler(&[seed], local(), &store);
    let mut shown = format!("{crawler:?}");
    let running = crawler.start().unwrap();
    let mut events = running.events();
    write!(shown, "{running:?} {:?}", running.stopper()).unwrap();
    let finished = running.wait().await.unwrap();
    while let Ok(event) = events.try_recv() {
        write!(shown, "{event:?}").unwrap();
    }
    write!(shown, "{finished:?} {} {:?} {:?} {store:?}", finished.receipt, store.urls(), store.visits()).unwrap();
    assert!(site.log().iter().all(|seen| seen.header("authorization").is_some()), "the password is used");
    let at = shown.find(CANARY).map(|at| &shown[at.saturating_sub(120)..at]);
    assert_eq!(at, None, "the password is shown");
}

/// Settings are printed in logs and bug reports, without their secrets.
#[test]
fn a_plan_shows_no_secret_when_it_is_printed() {
    let mut input = AuditInput::default();
    input.fetch.auth = Some([("https://a.example".to_owned(), format!("me:{CANARY}"))].into());
    input.fetch.proxy = Some(format!("http://me:{CANARY}@proxy.example:3128"));
    input.fetch.headers = Some([("Authorization".to_owned(), format!("Bearer {CANARY}"))].into());
    input.fetch.initial_cookies = Some(vec![format!("session={CANARY}")]);
    let plan = AuditPlan::new([format!("https://you:{CANARY}@a.example/")], input.clone()).unwrap();
    for (name, shown) in [("AuditInput", format!("{input:?}")), ("AuditPlan", format!("{plan:?}"))] {
        let at = shown.find(CANARY).map(|at| &shown[at.saturating_sub(60)..at]);
        assert_eq!(at, None, "{name} shows a secret");
    }
}

/// Problems of a seed or a setting are reported without the password.
#[test]
fn problems_of_a_plan_show_no_password() {
    let mut input = AuditInput::default();
    input.fetch.proxy = Some(format!("gopher://me:{CANARY}@proxy.example/"));
    input.fetch.headers = Some([("X-Secret".to_owned(), format!("{CANARY}\n"))].into());
    input.fetch.auth = Some([("not an origin".to_owned(), format!("me:{CANARY}"))].into());
    input.fetch.initial_cookies = Some(vec![format!("session={CANARY};")]);
    input.discover.sitemaps = Some(vec![format!("ftp://me:{CANARY}@a.example/sitemap.xml")]);
    let seeds = [format!("ftp://me:{CANARY}@a.example/"), format!("http://me:{CANARY}@a b/")];
    let problems = AuditPlan::new(seeds, input).unwrap_err();
    assert!(!problems.to_string().contains(CANARY), "{problems}");
}

/// A cookie is sent only to the host that set it; no host can set one for others.
#[tokio::test(flavor = "multi_thread")]
async fn cookies_stay_with_their_host_and_super_cookies_are_refused() {
    let lines = [
        "mine=1; Path=/",
        "suffix=1; Domain=co.uk",
        "suffix2=1; Domain=.CO.UK",
        "top=1; Domain=uk",
        "other=1; Domain=b.co.uk",
        "address=1; Domain=.127.0.0.1",
        "secure=1; Secure",
        "__Host-x=1; Path=/",
        "__Secure-x=1",
    ];
    let setting = lines
        .iter()
        .fold(Reply::html(Page::titled("A").link("/a2").to_html()), |reply, line| reply.header("Set-Cookie", line));
    let site = Site::new()
        .host("a.co.uk", Site::new().reply("/", setting).page("/a2", Page::titled("A2")))
        .host("b.co.uk", Site::new().page("/", Page::titled("B").link("/b2")).page("/b2", Page::titled("B2")))
        .start()
        .await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    input.fetch.resolve = Some(vec!["*.co.uk:127.0.0.1".to_owned()]);
    crawl_seeds(&[site.url_on("a.co.uk", "/"), site.url_on("b.co.uk", "/")], input).await;
    let log = site.log();
    let cookie = |host: &str, path: &str| {
        let seen = log.iter().find(|seen| seen.host == host && seen.target == path).expect("it was requested");
        seen.header("cookie").map(str::to_owned)
    };
    assert_eq!(cookie("a.co.uk", "/a2").as_deref(), Some("mine=1"));
    assert_eq!((cookie("b.co.uk", "/"), cookie("b.co.uk", "/b2")), (None, None));
}

/// No Referer leaves for another host.
#[tokio::test(flavor = "multi_thread")]
async fn the_referer_is_never_sent_to_another_host() {
    let own = Site::new().page("/", Page::titled("Home").link("{host:b.test}/x").image("{host:b.test}/x.png"));
    let site = Site::new().host("a.test", own).host("b.test", Site::new()).start().await;
    let mut input = local();
    input.resources.check_external = Some(CheckExternal::All);
    input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
    crawl(&site.url_on("a.test", "/?secret=1"), input).await;
    assert!(site.seen().count_on("b.test", "/x") > 0);
    for seen in site.log() {
        assert!(seen.host == "a.test" || seen.header("referer").is_none(), "{:?}", seen.headers);
        assert!(!seen.header("referer").is_some_and(|value| value.contains("secret")));
    }
}

/// A header value from the user may contain any text, but never adds a second header.
#[tokio::test(flavor = "multi_thread")]
async fn header_values_of_the_user_are_data() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let odd = "näïve ✓ \"quoted\" ;,:=%0d%0a\t<b>";
    let mut input = local();
    input.fetch.headers = Some([("X-Odd".to_owned(), odd.to_owned())].into());
    crawl(&site.url("/"), input).await;
    assert!(site.log().iter().all(|seen| seen.header("x-odd") == Some(odd)));
    for broken in ["a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b", "\u{7f}"] {
        let mut input = local();
        input.fetch.headers = Some([("X-Odd".to_owned(), broken.to_owned())].into());
        let problems = AuditPlan::new([site.url("/")], input).unwrap_err();
        assert_eq!(problems.0.iter().map(|problem| problem.field.as_str()).collect::<Vec<_>>(), ["fetch.headers"]);
        for field in ["user_agent", "accept_language"] {
            let mut input = local();
            match field {
                "user_agent" => input.fetch.user_agent = Some(broken.to_owned()),
                _ => input.fetch.accept_language = Some(broken.to_owned()),
            }
            assert!(AuditPlan::new([site.url("/")], input).is_err(), "{field} takes {broken:?}");
        }
    }
}

/// What a server writes into a header is data, too.
#[tokio::test(flavor = "multi_thread")]
async fn header_values_of_a_server_are_data() {
    let reply = Reply::html(Page::titled("Home").to_html())
        .header("Referrer-Policy", "__import__('os').system('x')")
        .header("Link", "<javascript:alert(1)>; rel=\"next\", </next>; rel=next, <ü>;;;rel=,")
        .header("Refresh", "NaN; url=data:text/html,x")
        .header("X-Robots-Tag", "]52;c;x, : , unavailable_after: never")
        .header("Retry-After", "-1e999")
        .header("Content-Language", "\u{202e}ü\u{200b}");
    let site = Site::new().reply("/", reply).page("/next", Page::titled("Next")).start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert!(crawled.finished.is_complete());
    assert_eq!(crawled.fate(&site.url("/")), (Disposition::Fetched, "page"));
    assert!(crawled.all_urls().iter().all(|url| url.starts_with(&site.origin())), "{:?}", crawled.all_urls());
}

/// A pattern of the user is linear, limited in size, and refused with an answer.
#[test]
fn a_pattern_that_would_exhaust_memory_is_refused() {
    for pattern in ["(a{1000}){1000}", "(", "a{99999999}", "(?P<n>a)\\k<n>"] {
        for exclude in [false, true] {
            let mut input = AuditInput::default();
            let patterns = Some(vec![pattern.to_owned()]);
            if exclude {
                input.scope.exclude = patterns
            } else {
                input.scope.include = patterns
            }
            let problems = AuditPlan::new(["https://a.example/"], input).unwrap_err();
            let field = if exclude { "scope.exclude" } else { "scope.include" };
            assert_eq!(
                problems.0.iter().map(|problem| problem.field.as_str()).collect::<Vec<_>>(),
                [field],
                "{pattern}"
            );
        }
    }
}

/// What a robots.txt response means for its host, as seen by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Rules,
    AllowAll,
    DisallowAll,
}

fn with_robots(site: Site) -> Site {
    site.page("/", Page::titled("Home").link("/public").link("/private"))
        .page("/public", Page::titled("Public"))
        .page("/private", Page::titled("Private"))
}

const DISALLOW: &str = "User-agent: *\nDisallow: /private\n";

fn rules() -> Reply {
    Reply::text("text/plain", DISALLOW)
}

fn meaning_at(site: &Running, host: &str) -> Meaning {
    let seen = site.seen();
    let requested = |path| seen.count_on(host, path) > 0;
    match (requested("/"), requested("/public"), requested("/private")) {
        (true, true, true) => Meaning::AllowAll,
        (true, true, false) => Meaning::Rules,
        (false, false, false) => Meaning::DisallowAll,
        other => panic!("{host}: {other:?} is none of the three"),
    }
}

/// Each kind of response to robots.txt, as a route.
#[tokio::test(flavor = "multi_thread")]
async fn the_robots_txt_response_is_interpreted_as_in_rfc_9309() {
    use Meaning::{AllowAll, DisallowAll, Rules};
    let long = |start: &str, end: &str| {
        let filling = "# a comment that fills the file, and says nothing at all\n".repeat(600 * 1024 / 57);
        Reply::text("text/plain", format!("{start}{filling}{end}"))
    };
    let reply = |reply: Reply| with_robots(Site::new().reply("/robots.txt", reply));
    let fault = |fault: Fault| with_robots(Site::new().fault("/robots.txt", fault));
    let chain = |hops: usize| {
        let site = Site::new().redirect("/robots.txt", 302, &format!("/r/{hops}")).reply("/r/1", rules());
        with_robots(
            (2..=hops).fold(site, |site, hop| site.redirect(&format!("/r/{hop}"), 302, &format!("/r/{}", hop - 1))),
        )
    };
    let responses = [
        ("200 text/plain", reply(rules()), Rules),
        ("200 text/html", reply(Reply::html("<!doctype html><title>Not found</title><p>Sorry")), AllowAll),
        ("200 empty", reply(Reply::text("text/plain", "")), AllowAll),
        ("500 KiB, rules first", reply(long(DISALLOW, "")), Rules),
        ("500 KiB, rules behind", reply(long("", DISALLOW)), AllowAll),
        ("204", reply(Reply::status(204)), AllowAll),
        (
            "301 then 200",
            with_robots(Site::new().redirect("/robots.txt", 301, "/r.txt").reply("/r.txt", rules())),
            Rules,
        ),
        (
            "302 to another host",
            with_robots(Site::new().redirect("/robots.txt", 302, "{host:rules.test}/r.txt")),
            Rules,
        ),
        ("5 redirects then 200", chain(5), Rules),
        ("6 redirects then 200", chain(6), AllowAll),
        ("loop", with_robots(Site::new().redirect("/robots.txt", 302, "/robots.txt")), AllowAll),
        ("to file:", fault(Fault::RedirectToFile), AllowAll),
        ("to javascript:", fault(Fault::RedirectToJavascript), AllowAll),
        ("redirect without target", fault(Fault::RedirectWithoutLocation), AllowAll),
        ("400", reply(Reply::status(400)), AllowAll),
        ("401", reply(Reply::status(401)), AllowAll),
        ("403", reply(Reply::status(403)), AllowAll),
        ("404", reply(Reply::status(404)), AllowAll),
        ("410", reply(Reply::status(410)), AllowAll),
        ("429", reply(Reply::status(429)), DisallowAll),
        ("500", reply(Reply::status(500)), DisallowAll),
        ("502", reply(Reply::status(502)), DisallowAll),
        ("503 with Retry-After", reply(Reply::status(503).header("Retry-After", "1")), DisallowAll),
        ("time-out", fault(Fault::HangBeforeHeaders), DisallowAll),
        ("reset before the head", fault(Fault::ResetBeforeHeaders), DisallowAll),
        ("reset in mid body", fault(Fault::ResetMidBody), DisallowAll),
        ("closed in mid body", fault(Fault::TruncatedBody), DisallowAll),
        ("no last chunk", fault(Fault::MissingFinalChunk), DisallowAll),
        ("truncated gzip", fault(Fault::TruncatedGzip), DisallowAll),
        ("no HTTP", fault(Fault::GarbageInsteadOfHttp), DisallowAll),
    ];
    let names: Vec<String> = (0..responses.len()).map(|number| format!("case-{number}.test")).collect();
    let mut expected = Vec::new();
    let mut declared = Site::new().host("rules.test", Site::new().reply("/r.txt", rules()));
    for (name, (response, site, meaning)) in names.iter().zip(responses) {
        expected.push((response, meaning));
        declared = declared.host(name, site);
    }
    let site = declared.start().await;
    let mut input = local();
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{}", site.port())]);
    input.fetch.timeout_ms = Some(1_000);
    input.politeness.robots_retry_ms = Some(Vec::new());
    let mut wrong = Vec::new();
    for (name, (response, meaning)) in names.iter().zip(expected) {
        // Each host is crawled separately, so that a run that pauses for one does not end the others.
        crawl(&site.url_on(name, "/"), input.clone()).await;
        let seen = meaning_at(&site, name);
        if seen != meaning {
            wrong.push(format!("{response}: expected {meaning:?}, seen {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No connection means no permission either, and each reason is reported.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_with_unreachable_robots_txt_is_not_crawled() {
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let secure = with_robots(Site::new()).tls(Tls::expired()).start().await;
    let cases = [
        (format!("http://{closed}/"), "refused"),
        ("http://nowhere.invalid/".to_owned(), "dns_not_found"),
        (secure.url("/"), "tls_expired"),
    ];
    for (seed, reason) in cases {
        let crawled = crawl(&seed, local()).await;
        assert_eq!(crawled.fate(&seed), (Disposition::Failed, reason));
    }
    assert_eq!(secure.seen().requests(), 0);
}

/// Retried, and the crawl continues when it recovers.
#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_is_retried_after_a_server_error_and_then_obeyed() {
    for first in [Reply::status(500), Reply::status(429), Reply::status(503)] {
        let robots = Reply::sequence([first.clone(), first, rules()]);
        let site = with_robots(Site::new().reply("/robots.txt", robots)).start().await;
        let mut input = local();
        input.politeness.robots_retry_ms = Some(vec![1, 1, 1]);
        let crawled = crawl(&site.url("/"), input).await;
        assert!(crawled.finished.is_complete());
        assert_eq!(meaning_at(&site, "127.0.0.1"), Meaning::Rules);
        assert_eq!(site.seen().paths()[..3], ["/robots.txt"; 3]);
    }
}

/// A truncated robots.txt is a transient failure, like that of a page.
#[tokio::test(flavor = "multi_thread")]
async fn truncated_robots_txt_is_retried() {
    for fault in [Fault::TruncatedBody, Fault::ResetBeforeHeaders] {
        let site = with_robots(Site::new().fault("/robots.txt", fault.clone())).start().await;
        crawl(&site.url("/"), local()).await;
        assert_eq!(site.seen().count("/robots.txt"), 3, "{fault:?}: as often as a page");
        assert_eq!(meaning_at(&site, "127.0.0.1"), Meaning::DisallowAll, "{fault:?}");
    }
}

/// A Retry-After of robots.txt is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_is_retried_after_its_retry_after() {
    let robots = Reply::sequence([Reply::status(503).header("Retry-After", "1"), rules()]);
    let site = with_robots(Site::new().reply("/robots.txt", robots)).start().await;
    let mut input = local();
    input.politeness.robots_retry_ms = Some(vec![1]);
    crawl(&site.url("/"), input).await;
    let log = site.log();
    assert!(log[1].at - log[0].at >= Duration::from_millis(950), "{:?}", log[1].at - log[0].at);
}

/// A host without reachable rules is reported to the user, with the reason.
#[tokio::test]
async fn a_host_whose_robots_txt_fails_is_refused_with_that_reason() {
    let site = with_robots(Site::new().reply("/robots.txt", Reply::status(500))).start().await;
    let mut input = local();
    input.politeness.robots_retry_ms = Some(vec![1, 1]);
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[site.url("/")], input, &store).start().unwrap();
    let mut events = running.events();
    let crawled = Crawled::of(store, running.wait().await.unwrap());
    assert_eq!(crawled.fate(&site.url("/")), (Disposition::Refused, "robots_unreachable"));
    assert_eq!(site.seen().paths(), ["/robots.txt"; 3]);
    let mut news = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::Host(HostNews::Resting { why, .. } | HostNews::GivenUp { why, .. }) = event {
            news.push(why);
        }
    }
    assert_eq!(news.len(), 3, "{news:?}");
    assert!(news.iter().all(|why| why.contains("status 500")), "{news:?}");
}

/// A Retry-After of a year parks the host, and the run reports why; its URLs stay pending.
#[tokio::test(flavor = "multi_thread")]
async fn an_excessive_retry_after_parks_the_host_and_is_reported() {
    let busy = Reply::status(429).header("Retry-After", "31536000");
    let home = Page::titled("Home").link("/busy").links((0..20).map(|number| format!("/page/{number}")));
    let site = (0..20).fold(Site::new().page("/", home).reply("/busy", busy), |site, number| {
        site.page(&format!("/page/{number}"), Page::titled(&format!("Page {number}")))
    });
    let site = site.start().await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    let EndReason::HostGivenUp { host, why } = &crawled.finished.reason else {
        panic!("{:?}", crawled.finished.reason);
    };
    assert_eq!(*host, site.addr().to_string());
    assert!(why.contains("too many requests"), "{why}");
    assert_eq!(site.seen().count("/busy"), 1);
    assert!(crawled.finished.receipt.count(Disposition::Pending) >= 20, "{}", crawled.finished.receipt);
}

/// An endless storm gets one request per back-off, and the run ends.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_storm_ends_the_run_after_a_few_requests() {
    let paths: Vec<String> = (0..100).map(|number| format!("/busy/{number}")).collect();
    let site = Site::new().page("/", Page::titled("Home").links(&paths));
    let site = paths.iter().fold(site, |site, path| site.reply(path, Reply::status(429))).start().await;
    let mut input = local();
    input.politeness.backoff_ms = Some(1);
    input.politeness.adaptive = Some(false);
    input.politeness.parallelism = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(matches!(crawled.finished.reason, EndReason::HostGivenUp { .. }), "{:?}", crawled.finished.reason);
    assert!(site.seen().requests() <= 20, "{} requests", site.seen().requests());
    assert!(crawled.finished.receipt.count(Disposition::Pending) >= 90, "{}", crawled.finished.receipt);
}

/// A storm of a while is waited out by the whole host, one request per back-off, and every URL is in at
/// the end.
#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_storm_is_waited_out_by_the_whole_host() {
    let site = scenarios::high_fan_out(30).mode(Mode::Outage { status: 429, requests: 1..5 }).start().await;
    let mut input = local();
    input.politeness.backoff_ms = Some(50);
    input.politeness.adaptive = Some(false);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{:?}", crawled.finished.reason);
    assert_eq!(crawled.finished.receipt.count_of(Reason::Page), site.expected().len() as u64);
    let log = site.log();
    for (number, back_off) in (1..5).zip([50, 100, 200, 400]) {
        let gap = log[number + 1].at - log[number].at;
        assert!(gap >= Duration::from_millis(back_off), "{gap:?} after request {number}");
    }
}

/// Each URL is requested at most as often as configured, regardless of failures.
#[tokio::test(flavor = "multi_thread")]
async fn retries_are_bounded_on_the_servers_log() {
    let mut home = Page::titled("Home").links((0..30).map(|number| format!("/good/{number}")));
    let mut declared = Site::new()
        .reply("/status/500", Reply::status(500))
        .reply("/status/502", Reply::status(502))
        .fault("/reset", Fault::ResetBeforeHeaders)
        .fault("/drop", Fault::DropBeforeHeaders)
        .fault("/half", Fault::TruncatedBody)
        .fault("/hang", Fault::HangBeforeHeaders)
        .fault("/garbage", Fault::GarbageInsteadOfHttp);
    for number in 0..30 {
        declared = declared.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")).link("/reset"));
    }
    let limits = [
        ("/status/500", 3),
        ("/status/502", 3),
        ("/reset", 3),
        ("/drop", 3),
        ("/half", 3),
        ("/hang", 3),
        ("/garbage", 1),
    ];
    home = home.links(limits.iter().map(|(path, _)| *path));
    let site = declared.page("/", home).start().await;
    let mut input = local();
    input.fetch.timeout_ms = Some(200);
    input.politeness.adaptive = Some(false);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{:?}", crawled.finished.reason);
    let requested: Vec<(&str, usize)> = limits.iter().map(|(path, _)| (*path, site.seen().count(path))).collect();
    assert_eq!(requested, limits);
}

/// If other URLs succeed, 429 is the response of the URL, not of the host.
#[tokio::test(flavor = "multi_thread")]
async fn a_url_that_always_returns_429_fails_alone() {
    let home = Page::titled("Home").link("/busy").links((0..60).map(|number| format!("/good/{number}")));
    let site = (0..60).fold(Site::new().page("/", home).reply("/busy", Reply::status(429)), |site, number| {
        site.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")))
    });
    let site = site.start().await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    input.politeness.adaptive = Some(false);
    input.politeness.backoff_ms = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{:?}", crawled.finished.reason);
    assert_eq!(crawled.fate(&site.url("/busy")), (Disposition::Fetched, "client_error"));
    assert_eq!(site.seen().count("/busy"), 3);
}

/// Requests under way on one host, and on all of them.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_gets_the_configured_number_of_concurrent_requests() {
    let host = |name: &str| {
        let home = Page::titled(name).links((0..12).map(|number| format!("/page/{number}")));
        (0..12).fold(Site::new().page("/", home), |site, number| {
            site.page(&format!("/page/{number}"), Page::titled(&format!("Page {number}")))
        })
    };
    let latency = || Latency::fixed(Duration::from_millis(30));
    let site =
        Site::new().host("a.test", host("A").latency(latency(), 1)).host("b.test", host("B").latency(latency(), 1));
    let site = site.start().await;
    let mut input = local();
    input.politeness.parallelism = Some(8);
    input.politeness.per_host = Some(2);
    input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
    crawl_seeds(&[site.url_on("a.test", "/"), site.url_on("b.test", "/")], input).await;
    let seen = site.seen();
    assert_eq!((seen.most_at_once_on("a.test"), seen.most_at_once_on("b.test")), (2, 2));
    assert_eq!(seen.most_at_once(), 4);
}

/// A host that is slow gets its rest after the answer, not while it works.
#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_delay_counts_from_the_end_of_a_response() {
    let site = scenarios::high_fan_out(3).robots("User-agent: *\nCrawl-delay: 0.1\n");
    let site = site.latency(Latency::fixed(Duration::from_millis(80)), 1).start().await;
    crawl(&site.url("/"), local()).await;
    assert!(site.seen().shortest_rest() >= Duration::from_millis(95), "{:?}", site.seen().shortest_rest());
}
