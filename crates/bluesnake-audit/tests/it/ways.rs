//! How pages are reached, and what follows from it.

use bluesnake_audit::Verdict;
use bluesnake_engine::link::Rel;
use bluesnake_engine::{LinkKind, Reason, Refusal};
use serde_json::json;

use crate::world::{Node, Reference, World, full};

/// The start page of a site is often the target of a redirect from http or from the bare domain.
#[test]
fn where_a_seed_redirects_to_the_site_starts() {
    let mut world = World::empty();
    world.page("/start").anchor("/x").fact("icons", json!(null));
    world.listed("/x");
    world.node("/start").link(Reference::new("/favicon.ico", LinkKind::Image));
    world.add(Node::responded("/favicon.ico", 404));
    for (from, to) in [("/", "/hop"), ("/hop", "/start")] {
        let mut node = Node::responded(from, 301);
        (node.redirect_to, node.is_seed) = (Some(full(to)), from == "/");
        node.links.push(Reference::new(to, LinkKind::Redirect));
        world.add(node);
    }
    let audited = world.audit();
    let depth = |url| audited.derived(url).depth;
    assert_eq!([depth("/"), depth("/hop"), depth("/start"), depth("/x")], [Some(0), Some(0), Some(0), Some(1)]);
    assert_eq!(audited.urls("favicon-missing"), ["/start"]);
}

#[test]
fn a_favicon_is_missing_only_if_it_was_requested() {
    let mut world = World::sound();
    world.node("/").fact("icons", json!(null));
    let expected = Verdict::NotChecked("the start page links to no icon, and /favicon.ico was not requested");
    assert_eq!(world.audit().verdict("favicon-missing"), expected);
    world.node("/").link(Reference::new("/favicon.ico", LinkKind::Image));
    world.add(Node::responded("/favicon.ico", 200));
    let audited = world.audit();
    assert_eq!((audited.verdict("favicon-missing"), audited.found("favicon-missing")), (Verdict::Checked, vec![]));
}

#[test]
fn a_link_to_the_sitemap_is_no_link_to_its_pages() {
    let mut world = World::sound();
    world.listed("/orphan");
    world.node("/").anchor("/sitemap.xml");
    assert_eq!(world.audit().urls("orphan-url"), ["/orphan"]);
}

#[test]
fn pages_that_only_orphans_link_to_are_orphans() {
    let mut world = World::sound();
    world.listed("/orphan").anchor("/behind").anchor("/a");
    world.add(Node::sound("/behind")).anchor("/further");
    world.add(Node::sound("/further"));
    let mut hidden = Node::sound("/hidden");
    hidden.links.clear();
    world.node("/a").link(Reference::new("/hidden", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    world.add(hidden);
    let found: Vec<_> = world.audit().found("orphan-url");
    let expected = [("/orphan", "/sitemap.xml"), ("/behind", "/orphan"), ("/further", "/behind")];
    assert_eq!(found, expected.map(|(url, from)| (url.to_owned(), from.to_owned())));
}

#[test]
fn a_crawl_that_begins_with_a_sitemap_reaches_its_pages() {
    let mut world = World::sound();
    world.listed("/x");
    world.node("/sitemap.xml").is_seed = true;
    assert_eq!(world.audit().urls("orphan-url"), [""; 0]);
}

#[test]
fn urls_that_were_cleared_or_never_end_are_gaps() {
    for reason in [Reason::Cleared, Reason::Refused(Refusal::EndlessSite), Reason::Refused(Refusal::SinglePage)] {
        let mut world = World::sound();
        let mut node = Node::mentioned("/rest");
        node.reason = reason;
        world.linked(node);
        let expected = Verdict::NotChecked("needs a run that saw the whole site");
        assert_eq!(world.audit().verdict("orphan-url"), expected, "{reason}");
    }
}

#[test]
fn urls_refused_because_of_nofollow_have_nofollow_links_only() {
    let mut world = World::sound();
    let mut node = Node::mentioned("/secret");
    node.reason = Reason::Refused(Refusal::Nofollow);
    world.add(node);
    world.node("/a").link(Reference::new("/secret", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    assert_eq!(world.audit().found("nofollow-inlinks-only"), [("/secret".to_owned(), "1".to_owned())]);
}

#[test]
fn redirects_pass_link_scores_on() {
    let mut world = World::sound();
    world.add(Node::sound("/x")).anchor("/y");
    world.add(Node::sound("/y"));
    for page in ["/a", "/b"] {
        world.node(page).anchor("/moved");
    }
    world.redirect("/moved", "/x");
    let audited = world.audit();
    let score = |url| audited.derived(url).link_score;
    assert!(score("/x") > score("/a"), "{:?} {:?}", score("/x"), score("/a"));
}

#[test]
fn versions_in_sitemaps_count_like_those_in_pages() {
    let list = |world: &mut World, page: &str, versions: &[(&str, &str)]| {
        let sitemap = world.add_guide(&format!("/{}.xml", page.trim_matches('/')));
        sitemap.link(Reference::new(page, LinkKind::SitemapEntry));
        versions.iter().for_each(|(code, to)| _ = sitemap.hreflang(code, to));
    };
    let both = [("en", "/en"), ("de", "/de"), ("x-default", "/en")];
    let mut world = World::sound();
    world.page("/en");
    world.page("/de");
    list(&mut world, "/en", &both);
    list(&mut world, "/de", &both);
    let hreflang = |world: &World| -> Vec<_> {
        world.audit().everything().into_iter().filter(|(check, ..)| check.starts_with("hreflang")).collect()
    };
    assert_eq!(hreflang(&world), []);
    // What pages declare themselves is checked all the same.
    world.page("/fr").hreflang("fr", "/fr").hreflang("en", "/en").hreflang("x-default", "/en");
    list(&mut world, "/en", &[("de", "/gone")]);
    world.linked(Node::responded("/gone", 404));
    let found = hreflang(&world);
    let has = |check: &str, url: &str, detail: &str| {
        assert!(found.contains(&(check, url.to_owned(), detail.to_owned())), "{check} {url}: {found:?}");
    };
    has("hreflang-missing-return", "/fr", "/en");
    has("hreflang-non-200", "/en", "/gone");
    has("hreflang-missing-self", "/en", "");
}
