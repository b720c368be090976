//! Rules that keep the audit right about real sites.

use bluesnake_audit::Verdict;
use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::link::Rel;
use bluesnake_engine::{LinkKind, Reason, Refusal, Source};
use serde_json::json;

use crate::world::{Node, Reference, World};

fn failed(url: &str, kind: FailureKind, attempts: u32) -> Node {
    let mut node = Node::mentioned(url);
    (node.reason, node.attempts, node.error) = (Reason::Failed(kind), attempts, Some("it failed"));
    node
}

/// robots.txt fails first, so the URL itself is never requested.
#[test]
fn dead_external_hosts_do_not_respond_even_if_robots_txt_failed_first() {
    let mut world = World::sound();
    for (url, kind) in [
        ("https://dead.test/", FailureKind::DnsNotFound),
        ("https://closed.test/", FailureKind::Refused),
        ("https://slow.test/", FailureKind::ConnectTimeout),
    ] {
        world.linked(failed(url, kind, 0));
    }
    let urls = world.audit().urls("external-no-response");
    assert_eq!(urls, ["https://dead.test/", "https://closed.test/", "https://slow.test/"]);
}

#[test]
fn our_own_limits_are_never_reported_as_failures_of_others() {
    let mut world = World::sound();
    world.linked(failed("https://a.test/", FailureKind::Exhausted, 1));
    world.linked(failed("https://b.test/", FailureKind::Proxy, 1));
    world.linked(failed("https://c.test/", FailureKind::Panic, 1));
    let mut refused = Node::mentioned("https://d.test/");
    refused.reason = Reason::Refused(Refusal::RobotsUnreachable);
    world.linked(refused);
    let audited = world.audit();
    assert_eq!(audited.found("external-no-response"), []);
    assert_eq!(audited.found("external-refused-check"), []);
}

#[test]
fn sites_that_refuse_automated_requests_are_unverifiable_and_never_broken() {
    let mut world = World::sound();
    let mut expected = Vec::new();
    for status in [401, 403, 406, 429, 451, 999] {
        let url = format!("https://other.test/{status}");
        world.linked(Node::responded(&url, status));
        expected.push((url, status.to_string()));
    }
    let mut challenge = Node::responded("https://other.test/challenge", 503);
    challenge.header = vec![("cf-mitigated".to_owned(), "challenge".to_owned())];
    world.linked(challenge);
    expected.push(("https://other.test/challenge".to_owned(), "503".to_owned()));
    world.linked(failed("https://busy.test/", FailureKind::Throttled, 3));
    expected.push(("https://busy.test/".to_owned(), "it failed".to_owned()));
    world.redirect("/out", "https://other.test/403");
    let audited = world.audit();
    assert_eq!(audited.found("external-refused-check"), expected);
    for broken in ["external-client-error", "external-server-error", "external-no-response", "redirect-to-broken-page"]
    {
        assert_eq!(audited.found(broken), [], "{broken}");
    }
}

#[test]
fn few_main_words_are_low_content_whatever_the_menu_says() {
    let mut world = World::sound();
    let text = world.page("/x").text();
    (text.words, text.main_words) = (5_000, 20);
    assert_eq!(world.audit().found("low-content"), [("/x".to_owned(), "20".to_owned())]);
}

#[test]
fn frame_ancestors_satisfy_the_frame_check() {
    let mut world = World::sound();
    let page = world.page("/x").header("x-frame-options", None);
    page.header("content-security-policy", Some("frame-ancestors 'self'"));
    assert_eq!(world.audit().found("frame-options-missing"), []);
}

/// Only the links' own rel can contradict each other.
#[test]
fn a_menu_on_nofollow_pages_is_no_contradiction() {
    let mut world = World::sound();
    for path in ["/x", "/y"] {
        let page = world.page(path).fact("directives", json!(["nofollow"]));
        page.is_nofollow = true;
        page.anchor("/a").anchor("/b");
    }
    assert_eq!(world.audit().found("follow-and-nofollow-inlinks"), []);
    world.node("/x").link(Reference::new("/b", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    assert_eq!(world.audit().found("follow-and-nofollow-inlinks"), [("/b".to_owned(), "1".to_owned())]);
}

#[test]
fn a_page_that_only_nofollow_pages_link_to_is_reported() {
    let mut world = World::sound();
    let page = world.page("/x").fact("directives", json!(["nofollow"]));
    page.is_nofollow = true;
    page.anchor("/y");
    world.listed("/y");
    assert_eq!(world.audit().urls("nofollow-inlinks-only"), ["/y"]);
}

#[test]
fn missing_things_are_not_checked_before_a_run_is_completed() {
    let mut world = World::sound();
    world.listed("/orphan");
    world.is_completed = false;
    let audited = world.audit();
    for check in ["orphan-url", "url-not-in-sitemap", "canonical-unlinked", "nofollow-inlinks-only"] {
        assert_eq!(audited.verdict(check), Verdict::NotChecked("needs a completed run"), "{check}");
        assert_eq!(audited.found(check), [], "{check}");
    }
    assert_eq!(audited.verdict("title-missing"), Verdict::Checked);
}

#[test]
fn missing_things_are_not_checked_if_a_limit_hid_a_part_of_the_site() {
    let mut world = World::sound();
    world.listed("/orphan");
    let mut deep = Node::mentioned("/deep");
    deep.reason = Reason::Refused(Refusal::TooDeep);
    world.linked(deep);
    let audited = world.audit();
    assert_eq!(audited.verdict("orphan-url"), Verdict::NotChecked("needs a run that saw the whole site"));
    assert_eq!(audited.found("orphan-url"), []);
    world.node("/deep").is_internal = false;
    assert_eq!(world.audit().urls("orphan-url"), ["/orphan"]);
}

#[test]
fn pages_with_unknown_links_hide_a_part_of_the_site() {
    let mut world = World::sound();
    let page = world.page("/x");
    page.has_links = false;
    page.links.clear();
    assert_eq!(world.audit().verdict("orphan-url"), Verdict::NotChecked("needs a run that saw the whole site"));
}

#[test]
fn checks_of_sitemaps_need_one() {
    let mut world = World::empty();
    world.page("/x").noindex();
    let audited = world.audit();
    for check in ["orphan-url", "url-not-in-sitemap", "non-indexable-in-sitemap", "url-in-multiple-sitemaps"] {
        assert_eq!(audited.verdict(check), Verdict::NotChecked("no sitemap was read"), "{check}");
    }
}

#[test]
fn a_sitemap_with_gaps_may_list_anything() {
    let mut world = World::sound();
    world.page("/x");
    world.node("/sitemap.xml").links.retain(|link| !link.to.ends_with("/x"));
    world.add_guide("/broken.xml").note = Some("line 3: it is not XML");
    let audited = world.audit();
    assert_eq!(audited.verdict("url-not-in-sitemap"), Verdict::NotChecked("a sitemap could not be read completely"));
    assert_eq!(audited.verdict("orphan-url"), Verdict::Checked);
}

#[test]
fn what_llms_txt_lists_is_not_in_a_sitemap() {
    let mut world = World::sound();
    world.page("/x");
    world.node("/sitemap.xml").links.retain(|link| !link.to.ends_with("/x"));
    world.node("/llms.txt").link(Reference::new("/x", LinkKind::SitemapEntry));
    assert_eq!(world.audit().urls("url-not-in-sitemap"), ["/x"]);
}

#[test]
fn llms_files_are_checked_only_if_they_were_requested() {
    let mut world = World::empty();
    world.page("/x");
    let audited = world.audit();
    let expected = Verdict::NotChecked("llms.txt was not requested; set discover.llms_txt = true");
    assert_eq!(audited.verdict("llms-txt-missing"), expected);
    assert_eq!(audited.verdict("llms-txt-broken-link"), expected);
    assert_eq!(audited.found("llms-txt-missing"), []);
}

/// The crawl looks at the root and next to the seed.
#[test]
fn one_llms_txt_is_enough() {
    let mut world = World::sound();
    let node = world.node("/llms.txt");
    (node.status, node.reason) = (Some(404), Reason::ClientError);
    world.add_guide("/docs/llms.txt");
    assert_eq!(world.audit().found("llms-txt-missing"), []);
}

#[test]
fn checks_can_be_switched_off() {
    let mut world = World::sound();
    world.page("/x").text().title = String::new();
    world.settings.off = vec!["title-missing".to_owned(), "title-duplicate".to_owned()];
    let audited = world.audit();
    assert_eq!(audited.verdict("title-missing"), Verdict::NotChecked("switched off"));
    assert_eq!(audited.verdict("title-duplicate"), Verdict::NotChecked("switched off"));
    assert_eq!(audited.found("title-missing"), []);
}

#[test]
fn thresholds_are_settings() {
    let mut world = World::sound();
    world.settings.title_max = 10;
    assert_eq!(world.audit().urls("title-too-long"), ["/", "/a", "/b"]);
    world.settings.title_max = 60;
    world.settings.near_duplicate_percent = 50;
    world.settings.duplicates_indexable_only = false;
    for path in ["/x", "/y"] {
        world.page(path).noindex().text().title = "One and the same title for both of them".into();
    }
    assert_eq!(world.audit().urls("title-duplicate"), ["/x", "/y"]);
}

#[test]
fn a_link_on_a_page_makes_llms_txt_a_part_of_the_site() {
    let mut world = World::sound();
    let mut node = Node::responded("/docs/llms.txt", 404);
    node.source = Source::Spider;
    world.linked(node);
    assert_eq!(world.audit().urls("internal-client-error"), ["/docs/llms.txt"]);
}

#[test]
fn documents_of_early_versions_are_not_blamed_for_facts_they_lack() {
    let mut world = World::sound();
    world.page("/x").anchor("/a").fact("charset", json!(null)).fact("fragments", json!([[2, "part"]]));
    world.has_newer_facts = false;
    let audited = world.audit();
    assert_eq!(audited.found("charset-missing"), []);
    assert_eq!(audited.found("broken-fragment"), []);
}

/// The links of a copy are not stored, but its canonical is.
#[test]
fn the_canonicals_of_copies_are_checked() {
    let mut world = World::sound();
    world.page("/p");
    world.page("/q").canonical("/p");
    world.redirect("/moved", "/p");
    for (copy, canonical) in
        [("/p?utm_source=x", "/p"), ("/0?early", "/q"), ("/r?x", "/moved"), ("/s?x", "https://other.test/unknown")]
    {
        world.page(copy).copy_with_canonical(canonical);
    }
    world.page("/t").copy_with_canonical("/t");
    world.page("/u").copy_with_canonical("/u").fact("canonicals", json!(null)).copied_canonical = None;
    let audited = world.audit();
    let found = |check: &str| audited.found(check);
    let pair = |url: &str, detail: &str| (url.to_owned(), detail.to_owned());
    assert_eq!(
        found("canonicalised"),
        [
            pair("/q", "/p"),
            pair("/p?utm_source=x", "/p"),
            pair("/0?early", "/q"),
            pair("/r?x", "/moved"),
            pair("/s?x", "https://other.test/unknown"),
        ]
    );
    assert_eq!(found("canonical-chain"), [pair("/0?early", "/p")]);
    assert_eq!(found("canonical-redirect"), [pair("/r?x", "/moved")]);
    assert_eq!(found("canonical-non-indexable"), [pair("/0?early", "/q"), pair("/r?x", "/moved")]);
    assert_eq!(found("canonical-missing"), [pair("/u", "")]);
}
