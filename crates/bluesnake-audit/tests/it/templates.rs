//! Findings that come from a template are reported once.

use bluesnake_audit::{Findings, Shared};
use bluesnake_engine::LinkKind;
use bluesnake_engine::link::Rel;

use crate::world::{Audited, Node, Reference, World};

fn findings<'a>(audited: &'a Audited, check: &str) -> &'a Findings {
    audited.report.checks.iter().find(|findings| findings.check.id == check).unwrap()
}

/// A site of this many pages besides the three sound ones.
fn with_pages(count: usize, make: impl Fn(usize, &mut Node)) -> World {
    let mut world = World::sound();
    (0..count).for_each(|at| make(at, world.page(&format!("/p{at}"))));
    world
}

fn lack_hsts(page: &mut Node) {
    page.header("strict-transport-security", None);
}

#[test]
fn a_broken_link_in_a_menu_is_one_cause() {
    let mut world = with_pages(20, |at, page| {
        // One page links to it in its text as well.
        if at == 3 {
            page.link(Reference::new("/gone", LinkKind::Anchor).text("in the text"));
        }
        page.link(Reference::new("/gone", LinkKind::Anchor).text("in the menu"));
        page.link(Reference::new(&format!("/gone-{at}"), LinkKind::Anchor));
    });
    world.add(Node::responded("/gone", 404));
    for at in 0..20 {
        world.add(Node::responded(&format!("/gone-{at}"), 404));
    }
    let audited = world.audit();
    let findings = findings(&audited, "outlinks-to-broken-pages");
    let [Shared { detail, anchor, pages, first }] = &findings.shared[..] else { panic!("{:?}", findings.shared) };
    assert_eq!((detail.as_deref(), *pages), (Some("https://site.test/gone"), 20));
    assert_eq!(*first, audited.number("/p0"));
    assert!(anchor.is_some());
    assert_eq!((findings.findings.len(), findings.findings.urls()), (40, 20), "all findings remain");
}

#[test]
fn a_missing_header_is_one_cause() {
    let world = with_pages(10, |_, page| lack_hsts(page));
    let audited = world.audit();
    let expected = Shared { detail: None, anchor: None, pages: 10, first: audited.number("/p0") };
    assert_eq!(findings(&audited, "hsts-missing").shared, [expected]);
}

#[test]
fn few_pages_are_not_a_template() {
    let world = with_pages(9, |_, page| lack_hsts(page));
    assert!(findings(&world.audit(), "hsts-missing").shared.is_empty());
}

#[test]
fn a_minority_of_pages_is_not_a_template() {
    let fault = |at: usize, page: &mut Node| {
        if at < 10 {
            lack_hsts(page);
        }
    };
    let mut world = with_pages(18, fault);
    assert!(findings(&world.audit(), "hsts-missing").shared.is_empty(), "10 of 21 pages");
    world.settings.template_percent = 45;
    assert_eq!(findings(&world.audit(), "hsts-missing").shared.len(), 1);
}

/// Twenty dead links on one page are not a template.
#[test]
fn findings_about_other_urls_are_never_shared() {
    let mut world = World::sound();
    for at in 0..20 {
        world.linked(Node::responded(&format!("https://other.test/{at}"), 404));
    }
    let audited = world.audit();
    let findings = findings(&audited, "external-client-error");
    assert_eq!((findings.findings.len(), findings.shared.len()), (20, 0));
}

#[test]
fn the_most_frequent_cause_comes_first() {
    let world = with_pages(20, |at, page| {
        page.header("server", Some(if at < 12 { "Apache/2.4" } else { "nginx/1.2" }));
        page.header.push(("x-powered-by".to_owned(), "PHP/8.1".to_owned()));
    });
    let audited = world.audit();
    let causes: Vec<_> = findings(&audited, "server-banner")
        .shared
        .iter()
        .map(|shared| (shared.detail.as_deref(), shared.pages))
        .collect();
    assert_eq!(causes, [(Some("PHP/8.1"), 20), (Some("Apache/2.4"), 12)]);
}

#[test]
fn an_image_of_a_template_is_one_cause() {
    let world = with_pages(20, |_, page| {
        page.fact("images_without_alt", serde_json::json!(1));
        page.link(Reference::new("/logo.png", LinkKind::Image).rel(Rel::NO_ALT).text(""));
    });
    let audited = world.audit();
    let findings = findings(&audited, "image-missing-alt-attribute");
    let [Shared { detail, pages, .. }] = &findings.shared[..] else { panic!("{:?}", findings.shared) };
    assert_eq!((detail.as_deref(), *pages), (Some("https://site.test/logo.png"), 20));
}
