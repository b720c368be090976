//! The declared truth matches a walk over the real server.

use std::collections::{BTreeMap, VecDeque};

use testsite::{Page, Reply, Role, Running, Site, scenarios};

use crate::client::fetch_on;
use crate::links::{join, links};

#[tokio::test]
async fn truth_matches_a_walk_over_the_server() {
    for site in [
        scenarios::small(),
        scenarios::redirect_loop(),
        scenarios::redirect_chain(20),
        scenarios::high_fan_out(30),
        scenarios::half_refused(10),
        scenarios::resources(),
        scenarios::duplicates(),
        scenarios::identical_shells(10),
    ] {
        let site = site.start().await;
        let expected: BTreeMap<_, _> = site.expected().into_iter().map(|(url, truth)| (url, truth.status)).collect();
        assert_eq!(walk(&site).await, expected);
    }
}

#[tokio::test]
async fn truth_has_links_depth_role_and_redirects() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/a").link("/old").image("/i.png").link("http://elsewhere.test/"))
        .page("/a", Page::titled("A").nofollow_link("/n").link("/"))
        .page("/n", Page::titled("N").link("/deep"))
        .page("/deep", Page::titled("Deep"))
        .redirect("/old", 308, "{host:other.test}/new")
        .host("other.test", Site::new().page("/new", Page::titled("New").link("/gone")))
        .reply("/i.png", Reply::sequence([Reply::status(503), Reply::bytes("image/png", *b"png")]))
        .start()
        .await;
    let expected = site.expected();
    let other = |path| site.url_on("other.test", path);
    let check = |url: String, status: u16, depth: u32, role: Role, is_followed: bool| {
        let truth = &expected[&url];
        assert_eq!(
            (truth.status, truth.depth, truth.role, truth.is_followed),
            (status, depth, role, is_followed),
            "{url}"
        );
    };

    check(site.url("/"), 200, 0, Role::Page, true);
    check(site.url("/a"), 200, 1, Role::Page, true);
    check(site.url("/old"), 308, 1, Role::Page, true);
    check(site.url("/i.png"), 200, 1, Role::Resource, true);
    check(site.url("/n"), 200, 2, Role::Page, false);
    check(site.url("/deep"), 200, 3, Role::Page, false);
    check(other("/new"), 200, 2, Role::Page, true);
    check(other("/gone"), 404, 3, Role::Page, true);
    assert_eq!(expected.len(), 8);
    assert_eq!(expected[&site.url("/old")].redirect, Some(other("/new")));
    assert_eq!(expected[&site.url("/")].links.last().unwrap(), "http://elsewhere.test/");
}

#[tokio::test]
async fn truth_ends_at_the_entry_of_a_trap() {
    let site = scenarios::traps().start().await;
    let expected = site.expected();
    assert_eq!(expected.len(), 1 + 5 + 10);
    assert_eq!(expected[&site.url("/shop")].role, Role::Trap);
}

/// Walks the real server from its root by the links, sources and redirects in its responses.
async fn walk(site: &Running) -> BTreeMap<String, u16> {
    let (mut found, mut queue) = (BTreeMap::new(), VecDeque::from([site.url("/")]));
    while let Some(url) = queue.pop_front() {
        if found.contains_key(&url) {
            continue;
        }
        let path = url.strip_prefix(&site.origin()).expect("these sites have one host");
        let received = fetch_on(site, "127.0.0.1", path).await;
        found.insert(url.clone(), received.status());
        let mentions =
            received.header("location").into_iter().chain(links(&received.text())).chain(sources(&received.text()));
        queue.extend(mentions.map(|mention| join(&url, &mention)));
    }
    found
}

fn sources(html: &str) -> Vec<String> {
    let wanted = ["src=\"", "stylesheet\" href=\""];
    let values = wanted.iter().flat_map(|name| html.split(name).skip(1)).filter_map(|rest| rest.split('"').next());
    values.map(str::to_owned).collect()
}
