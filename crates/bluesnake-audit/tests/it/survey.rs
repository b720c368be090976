//! What is derived from all links.

use bluesnake_engine::LinkKind;
use bluesnake_engine::link::Rel;

use crate::world::{Node, Reference, World};

#[test]
fn inlinks_count_links_and_documents_but_not_the_page_itself() {
    let mut world = World::sound();
    world.page("/x").anchor("/a").anchor("/a").anchor("/x");
    let audited = world.audit();
    let (a, x) = (audited.derived("/a"), audited.derived("/x"));
    assert_eq!((a.inlinks, a.unique_inlinks), (4, 3), "the start, /b, and twice /x");
    assert_eq!((x.inlinks, x.unique_inlinks), (1, 1));
    let sources = ["/", "/sitemap.xml", "/b", "/x"].map(|url| audited.number(url));
    assert_eq!(audited.report.inlinks.of(audited.number("/a")), sources, "the sitemap refers to it, too");
}

#[test]
fn outlinks_are_hyperlinks() {
    let mut world = World::sound();
    world
        .page("/x")
        .anchor("/a")
        .anchor("/a")
        .anchor("https://other.test/")
        .link(Reference::new("/i.png", LinkKind::Image));
    let derived = world.audit().derived("/x");
    assert_eq!((derived.outlinks, derived.unique_outlinks, derived.external_outlinks), (4, 3, 1));
}

#[test]
fn resources_have_inlinks_too() {
    let mut world = World::sound();
    world.page("/x").link(Reference::new("/i.png", LinkKind::Image));
    world.add(Node::responded("/i.png", 200));
    let derived = world.audit().derived("/i.png");
    assert_eq!((derived.inlinks, derived.depth, derived.link_score), (1, Some(2), None));
}

#[test]
fn depths_follow_only_what_a_crawl_follows() {
    let mut world = World::sound();
    world.page("/x").anchor("/deep");
    world.node("/a").link(Reference::new("/nofollow", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    world.node("/b").is_nofollow = true;
    world.node("/b").anchor("/silent");
    world.listed("/deep");
    world.listed("/nofollow");
    world.listed("/silent");
    world.redirect("/moved", "/target");
    let audited = world.audit();
    let depth = |url| audited.derived(url).depth;
    assert_eq!((depth("/"), depth("/x"), depth("/deep")), (Some(0), Some(1), Some(2)));
    assert_eq!((depth("/nofollow"), depth("/silent"), depth("/sitemap.xml")), (None, None, None));
    assert_eq!(depth("/target"), Some(2), "a redirect is a step");
}

#[test]
fn link_scores_belong_to_pages() {
    let mut world = World::sound();
    world.page("/x").anchor("/b");
    world.linked(Node::responded("/gone", 404));
    let audited = world.audit();
    let score = |url| audited.derived(url).link_score;
    assert_eq!(score("/"), Some(100.0), "all pages link to the start");
    assert!(score("/b") > score("/x"), "{:?} {:?}", score("/b"), score("/x"));
    assert_eq!((score("/gone"), score("https://other.test/")), (None, None));
}

#[test]
fn near_duplicates_have_the_first_page_of_their_group() {
    let mut world = World::sound();
    let signature: Vec<u8> = (0..64u16).flat_map(u16::to_le_bytes).collect();
    for path in ["/x", "/y", "/z"] {
        world.page(path).text().signature = Some(signature.clone());
    }
    let audited = world.audit();
    let first = audited.number("/x");
    for path in ["/x", "/y", "/z"] {
        let derived = audited.derived(path);
        assert_eq!((derived.near_duplicate_of, derived.similarity), (Some(first), Some(100)), "{path}");
    }
    assert_eq!(audited.derived("/a").near_duplicate_of, None);
    assert_eq!(audited.found("near-duplicate")[0].1, "100% similar to /y");
}

#[test]
fn pages_are_counted() {
    let mut world = World::sound();
    world.linked(Node::responded("/gone", 404));
    assert_eq!(world.audit().report.pages, 3);
}
