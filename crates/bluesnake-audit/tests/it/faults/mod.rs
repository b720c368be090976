//! Every check finds its fault, and finds nothing on a sound site.

mod harmless;
mod javascript;
mod links;
mod pages;
mod responses;

use std::collections::BTreeSet;

use bluesnake_audit::{Verdict, all_checks};

use crate::world::{Node, World};

/// A check, the URL it must report, the detail it must report with it, and the fault.
type Case = (&'static str, &'static str, &'static str, fn(&mut World));

/// Makes a closure of a description that returns what it describes.
fn just(_: &mut Node) {}

fn check(cases: &[Case]) {
    for (check, url, detail, make) in cases {
        let mut world = World::sound();
        make(&mut world);
        let found = world.audit().found(check);
        let expected = (url.to_string(), detail.to_string());
        assert!(found.contains(&expected), "{check} must report {expected:?}, but reports {found:?}");
    }
}

/// A signature of which this many slots are those of another one.
fn signature(equal: u16) -> Vec<u8> {
    (0..64).flat_map(|slot| if slot < equal { slot } else { slot + 1_000 }.to_le_bytes()).collect()
}

/// Pages that list each other as versions.
fn versions(world: &mut World, pages: &[(&str, &str)]) {
    for (path, _) in pages {
        world.page(path).hreflang("x-default", pages[0].0);
        pages.iter().for_each(|(other, code)| just(world.node(path).hreflang(code, other)));
    }
}

const ALL: [&[Case]; 11] = [
    responses::RESPONSES,
    responses::SECURITY,
    responses::URLS,
    responses::INDEXING,
    pages::TEXTS,
    pages::DOCUMENTS,
    links::LINKS,
    links::VERSIONS,
    links::LISTS,
    links::LLMS,
    javascript::JAVASCRIPT,
];

#[test]
fn faults_of_responses_are_found() {
    check(responses::RESPONSES);
}

#[test]
fn faults_of_security_are_found() {
    check(responses::SECURITY);
}

#[test]
fn faults_of_urls_are_found() {
    check(responses::URLS);
}

#[test]
fn faults_of_texts_and_images_are_found() {
    check(pages::TEXTS);
}

#[test]
fn faults_of_canonicals_and_directives_are_found() {
    check(responses::INDEXING);
}

#[test]
fn faults_of_links_are_found() {
    check(links::LINKS);
}

#[test]
fn faults_of_language_versions_are_found() {
    check(links::VERSIONS);
}

#[test]
fn faults_of_lists_and_sitemaps_are_found() {
    check(links::LISTS);
}

#[test]
fn faults_of_documents_are_found() {
    check(pages::DOCUMENTS);
}

#[test]
fn faults_of_llms_files_are_found() {
    check(links::LLMS);
}

#[test]
fn faults_of_scripts_are_found() {
    check(javascript::JAVASCRIPT);
}

#[test]
fn every_check_has_a_fault_that_it_finds() {
    let tested: BTreeSet<&str> = ALL.into_iter().flatten().map(|case| case.0).collect();
    let untested: Vec<&str> = all_checks().map(|check| check.id).filter(|id| !tested.contains(id)).collect();
    assert!(untested.is_empty(), "nothing triggers {untested:?}");
}

#[test]
fn a_sound_site_has_no_findings() {
    let audited = World::sound().audit();
    assert_eq!(audited.everything(), []);
    for check in all_checks() {
        assert_eq!(audited.verdict(check.id), Verdict::Checked, "{}", check.id);
    }
}

/// A fault must not make unrelated pages look faulty.
#[test]
fn faults_are_reported_only_where_they_are() {
    let own_page = |check: &str| {
        !matches!(
            check,
            "title-duplicate" | "description-duplicate" | "h1-duplicate" | "h2-duplicate" | "exact-duplicate"
        )
    };
    for (check, url, _, make) in ALL.into_iter().flatten().filter(|case| own_page(case.0) && case.1 == "/x") {
        let mut world = World::sound();
        make(&mut world);
        let urls = world.audit().urls(check);
        let innocent: Vec<&String> = urls.iter().filter(|found| ["/", "/a", "/b"].contains(&found.as_str())).collect();
        assert!(innocent.is_empty(), "{check} reports {innocent:?} and not only {url}");
    }
}
