//! What servers refuse, and robots that pages refuse.

use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::{LinkKind, Reason};
use serde_json::json;

use crate::world::{Node, Reference, World};

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(url, detail)| ((*url).to_owned(), (*detail).to_owned())).collect()
}

#[test]
fn internal_urls_that_refuse_requests_are_client_errors_but_not_broken() {
    let mut world = World::sound();
    for (path, status) in [("/account", 401), ("/staff", 403), ("/busy", 429)] {
        world.linked(Node::responded(path, status));
        world.redirect(&format!("{path}-old"), path);
    }
    let mut challenge = Node::responded("/guarded", 503);
    challenge.header = vec![("cf-mitigated".to_owned(), "challenge".to_owned())];
    world.linked(challenge);
    let audited = world.audit();
    assert_eq!(audited.urls("internal-client-error"), ["/account", "/staff", "/busy"]);
    assert_eq!(audited.urls("internal-server-error"), ["/guarded"]);
    assert_eq!(audited.found("outlinks-to-broken-pages"), []);
    assert_eq!(audited.found("redirect-to-broken-page"), []);
}

#[test]
fn what_leads_to_a_challenge_of_another_site_is_not_broken() {
    let mut world = World::sound();
    let mut challenge = Node::responded("https://other.test/guarded", 503);
    challenge.header = vec![("x-amzn-waf-action".to_owned(), "captcha".to_owned())];
    world.add(challenge);
    world.redirect("/out", "https://other.test/guarded");
    world.node("/llms.txt").link(Reference::new("https://other.test/guarded", LinkKind::SitemapEntry));
    world.page("/x").hreflang("de", "https://other.test/guarded");
    let audited = world.audit();
    for check in ["redirect-to-broken-page", "llms-txt-broken-link", "hreflang-non-200"] {
        assert_eq!(audited.found(check), [], "{check}");
    }
    assert_eq!(audited.urls("llms-txt-unverified-link"), ["/llms.txt"]);
}

#[test]
fn dead_hosts_of_the_site_do_not_respond() {
    let mut world = World::sound();
    for url in ["https://old.site.test/", "/never-asked"] {
        let mut node = Node::mentioned(url);
        (node.is_internal, node.error) = (true, Some("the name does not resolve"));
        node.reason = Reason::Failed(FailureKind::DnsNotFound);
        world.linked(node);
    }
    let expected = pairs(&[("https://old.site.test/", "the name does not resolve")]);
    assert_eq!(world.audit().found("internal-no-response"), expected);
}

#[test]
fn directives_for_large_search_engines_count() {
    let mut world = World::sound();
    world.page("/google").fact("bot_directives", json!([["googlebot", ["noindex", "nofollow"]]]));
    world.page("/other").fact("bot_directives", json!([["somebot", ["noindex"]]]));
    world.page("/header").header("x-robots-tag", Some("bingbot: none"));
    let audited = world.audit();
    let noindex = [("/google", "googlebot: noindex,nofollow"), ("/header", "bingbot: none")];
    assert_eq!(audited.found("noindex"), pairs(&noindex));
    assert_eq!(audited.found("none"), pairs(&noindex[1..]));
}

#[test]
fn a_sitemap_that_is_refused_may_list_anything() {
    for (status, is_checked) in [(403, false), (429, false), (500, false), (404, true), (410, true)] {
        let mut world = World::sound();
        let node = world.add_guide("/more.xml");
        (node.status, node.reason) = (Some(status), Reason::ClientError);
        let verdict = world.audit().verdict("url-not-in-sitemap");
        assert_eq!(verdict == bluesnake_audit::Verdict::Checked, is_checked, "{status}: {verdict:?}");
    }
}

#[test]
fn a_page_in_the_place_of_llms_txt_means_that_there_is_none() {
    let mut world = World::sound();
    for path in ["/llms.txt", "/llms-full.txt"] {
        let node = world.node(path);
        (node.note, node.extracted) = (Some("it is a page, not a list"), None);
        node.links.clear();
    }
    let audited = world.audit();
    assert_eq!(audited.urls("llms-txt-missing"), ["/llms.txt"]);
    assert_eq!(audited.urls("llms-full-txt-missing"), ["/llms-full.txt"]);
    assert_eq!(audited.found("llms-txt-invalid"), []);
}

#[test]
fn a_page_about_errors_is_no_error() {
    for (title, is_error) in [
        ("Handling a 404 error in nginx", false),
        ("How to design the page not found", false),
        ("Page Not Found", true),
        ("404 not found!", true),
        ("My Shop – Page not found", true),
        ("My Shop: 404 Error | Home", true),
        ("404 errors explained", false),
    ] {
        let mut world = World::sound();
        world.page("/x").text().title = title.into();
        assert_eq!(world.audit().urls("soft-404"), if is_error { vec!["/x"] } else { vec![] }, "{title}");
    }
}

#[test]
fn hostile_pages_report_a_limited_number_of_short_details() {
    let mut world = World::sound();
    let x = world.page("/x");
    for number in 0..300 {
        x.link(Reference::new(&format!("http://other.test/{number}.png"), LinkKind::Image));
    }
    x.fact("canonicals", json!([{"raw": "a".repeat(100_000), "path_type": "relative"}]));
    x.hreflang(&"ä".repeat(5_000), "/x");
    let audited = world.audit();
    assert_eq!(audited.found("mixed-content").len(), 100);
    let lengths =
        |check: &str| audited.found(check).iter().map(|(_, detail)| detail.chars().count()).collect::<Vec<_>>();
    assert_eq!((lengths("canonical-relative"), lengths("hreflang-incorrect-code")), (vec![300], vec![100]));
}

#[test]
fn only_a_refresh_that_browsers_obey_is_a_redirect() {
    let mut world = World::sound();
    world.page("/x").link(Reference::new("/a", LinkKind::Refresh));
    world.page("/y").fact("refresh", json!([0, "https://site.test/a"]));
    world.page("/z").fact("refresh", json!([30, null]));
    assert_eq!(world.audit().found("internal-meta-refresh"), pairs(&[("/y", "/a")]));
}
