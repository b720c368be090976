//! Crawls of endless sites are ended by a named rule; large finite sites are crawled completely.
//!
//! Most tests scale both sides by ten: traps end after 1,000 pages instead of 10,000, and the sites that must not be cut
//! have 20,000 pages instead of 200,000.

use std::sync::Arc;
use std::time::Duration;

use bluesnake_engine::plan::Mechanisms;
use bluesnake_engine::{AuditInput, Disposition, EndReason, MemoryStore, Reason, Refusal};
use testsite::{Large, Page, Reply, Site, Trap, scenarios};

use crate::world::{Crawled, crawl, crawl_on, crawler, difference, in_sessions_of, local};

/// A tenth of the default.
const ENDLESS_PAGES: u64 = 1_000;

fn scaled() -> AuditInput {
    let mut input = local();
    input.traps.endless_pages = Some(ENDLESS_PAGES);
    input
}

/// Crawls to the end, however long it takes.
async fn crawl_patiently(seed: &str, input: AuditInput) -> Crawled {
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[seed.to_owned()], input, &store).start().expect("a crawl starts");
    let end = tokio::time::timeout(Duration::from_secs(600), running.wait()).await.expect("the crawl ends");
    Crawled::of(store, end.expect("a crawl on loopback does not break off"))
}

/// Crawls a site with a trap; it must end by this rule after at most `most` requests.
async fn assert_ends(site: Site, rule: &str, most: usize, mut input: AuditInput) -> Crawled {
    let site = site.start().await;
    // Only a crawl that does not end by itself comes this far.
    input.scope.max_urls = Some(2 * most as u64);
    let crawled = crawl_patiently(&site.url("/"), input).await;
    let receipt = &crawled.finished.receipt;
    assert_eq!(crawled.finished.reason, EndReason::Exhausted, "{receipt}");
    assert!(crawled.refused_by(rule) > 0, "not ended by `{rule}`:\n{receipt}");
    assert!(site.seen().requests() <= most, "{} requests\n{receipt}", site.seen().requests());
    for number in 0..10 {
        let good = site.url(&format!("/good/{number}"));
        assert_eq!(crawled.fate(&good), (Disposition::Fetched, "page"), "{good}");
    }
    crawled
}

/// Crawls a site that comes to an end; every page of it must be fetched.
async fn assert_is_not_cut(site: Site, pages: u64) {
    let site = site.start().await;
    let crawled = crawl_patiently(&site.url("/"), scaled()).await;
    let receipt = &crawled.finished.receipt;
    assert_eq!((receipt.count(Disposition::Refused), receipt.count(Disposition::Pending)), (0, 0), "{receipt}");
    assert_eq!(receipt.count_of(Reason::Page), pages, "{receipt}");
}

async fn assert_large_is_not_cut(large: Large) {
    assert_is_not_cut(Site::new().large("", large), large.page_count()).await;
}

/// A name without a number in it.
fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

/// How far requests run ahead of the commits.
const WINDOW: usize = 64 * 8;

#[tokio::test(flavor = "multi_thread")]
async fn a_numbered_chain_of_different_pages_ends() {
    let crawled = assert_ends(scenarios::trap(Trap::Chain, "/1"), "endless_path", 1_050, scaled()).await;
    let pages = crawled.finished.receipt.count_of(Reason::Page);
    assert_eq!(pages, 1 + 10 + ENDLESS_PAGES + 1, "the front page, the good ones, the chain, and /trap/0 behind it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pager_that_links_several_pages_ahead_ends() {
    assert_ends(scenarios::trap(Trap::Pager, "/1"), "endless_path", 9_000 + WINDOW + 50, scaled()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maze_of_random_words_ends() {
    let most = ENDLESS_PAGES as usize + WINDOW + 50;
    let crawled = assert_ends(scenarios::trap(Trap::Words, "/start"), "endless_path", most, scaled()).await;
    assert!(crawled.finished.receipt.count_of(Refusal::EndlessPath) > 5_000, "the refused URLs are counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maze_whose_pages_link_to_their_siblings_ends() {
    let mut input = scaled();
    input.traps.endless_pages = Some(ENDLESS_PAGES / 10);
    let most = 20 * ENDLESS_PAGES as usize / 10 + WINDOW + 50;
    assert_ends(scenarios::trap(Trap::Siblings, "/start-a"), "endless_path", most, input).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maze_without_a_folder_of_its_own_ends() {
    let home = Page::titled("Home").links((0..10).map(|number| format!("/good/{number}"))).link("/start/here");
    let site = (0..10).fold(Site::new().page("/", home), |site, number| {
        site.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")))
    });
    let most = ENDLESS_PAGES as usize + WINDOW + 200;
    assert_ends(site.trap("", Trap::Words), "endless_site", most, scaled()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_soft_404_pages_ends_with_default_limits() {
    assert_ends(scenarios::trap(Trap::SoftNotFoundTree, "/start"), "same_content", 500 + WINDOW + 50, local()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_ids_in_the_path_end_with_default_limits() {
    assert_ends(scenarios::trap(Trap::PathSessions, "/1"), "session_ids", 150, local()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_imports_ends_with_default_limits() {
    let trap = Trap::ImportChain { bytes: 1 << 20 };
    let crawled = assert_ends(scenarios::stylesheet_trap(trap), "resource_depth", 30, local()).await;
    assert!(crawled.finished.progress.bytes < 12 << 20, "{} bytes", crawled.finished.progress.bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_imports_ends_with_default_limits() {
    assert_ends(scenarios::stylesheet_trap(Trap::ImportTree), "nested_resources", 1_050, local()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_with_pictures_of_their_own_are_not_cut() {
    const ARTICLES: u32 = 3_000;
    let lists = (0..ARTICLES / 100).map(|list| format!("/lists/{list}"));
    let site = (0..ARTICLES / 100).fold(Site::new().page("/", Page::titled("Home").links(lists)), |site, list| {
        let articles = (list * 100..(list + 1) * 100).map(|number| format!("/articles/{}", letters(number)));
        site.page(&format!("/lists/{list}"), Page::titled(&format!("List {list}")).links(articles))
    });
    // The URL of a picture does not show that it is one.
    let site = (0..ARTICLES).map(letters).fold(site, |site, name| {
        let picture = format!("/media/{name}");
        let article = Page::titled(&name).image(&picture);
        site.page(&format!("/articles/{name}"), article).reply(&picture, Reply::bytes("image/png", *b"picture"))
    });
    assert_is_not_cut(site, u64::from(1 + ARTICLES / 100 + ARTICLES)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_that_each_hold_a_file_are_not_cut() {
    const FOLDERS: u32 = 3_000;
    let folder = |number: u32| format!("/mirror/{}/", letters(number));
    let site = (0..FOLDERS).fold(Site::new().page("/", Page::titled("Home").link(&folder(0))), |site, number| {
        let below = [2 * number + 1, 2 * number + 2].into_iter().filter(|below| *below < FOLDERS);
        let file = format!("{}data", folder(number));
        let page = Page::titled(&folder(number)).links(below.map(folder)).link(&file);
        site.page(&folder(number), page).reply(&file, Reply::bytes("application/octet-stream", *b"data"))
    });
    let site = site.start().await;
    let crawled = crawl_patiently(&site.url("/"), scaled()).await;
    let receipt = &crawled.finished.receipt;
    assert_eq!(receipt.count(Disposition::Fetched), 1 + 2 * u64::from(FOLDERS), "{receipt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_in_categories_is_not_cut() {
    assert_large_is_not_cut(Large::Archive { articles: 20_000 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_two_thousand_pages_is_not_cut() {
    assert_large_is_not_cut(Large::List { articles: 20_000 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_that_link_to_the_next_one_only_are_not_cut() {
    assert_large_is_not_cut(Large::Posts { posts: 900 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbered_pages_in_a_tree_are_not_cut() {
    assert_large_is_not_cut(Large::Tree { pages: 20_000, fan_out: 2 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wiki_is_not_cut() {
    assert_large_is_not_cut(Large::Wiki { pages: 20_000 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documentation_in_deep_folders_is_not_cut() {
    assert_large_is_not_cut(Large::Docs).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_pages_of_an_endless_part_are_fetched() {
    let listed: Vec<String> = (0..5).map(|number| format!("/trap/{}", 50_000 + 1_000 * number)).collect();
    let site = scenarios::trap(Trap::Chain, "/1").sitemap("/sitemap.xml", &listed).start().await;
    let mut input = local();
    input.traps.endless_pages = Some(100);
    input.discover.mechanisms = Some(Mechanisms::Both);
    let crawled = crawl(&site.url("/"), input).await;
    for path in &listed {
        assert_eq!(crawled.fate(&site.url(path)), (Disposition::Fetched, "page"), "{path}");
    }
    assert!(crawled.finished.receipt.count_of(Refusal::EndlessPath) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_sites_end_at_the_same_url_at_any_parallelism_and_session_split() {
    // No sessions in paths: that trap responds differently each time.
    let traps = [
        (scenarios::trap(Trap::Chain, "/1"), "endless_path"),
        (scenarios::trap(Trap::Words, "/start"), "endless_path"),
        (scenarios::trap(Trap::SoftNotFoundTree, "/start"), "same_content"),
        (Site::new().trap("", Trap::Words), "endless_site"),
        (scenarios::stylesheet_trap(Trap::ImportTree), "nested_resources"),
    ];
    for (site, rule) in traps {
        let site = site.start().await;
        let mut input = local();
        (input.traps.endless_pages, input.traps.same_content) = (Some(60), Some(20));
        input.resources.nested = Some(40);
        input.politeness.parallelism = Some(1);
        let one = crawl(&site.url("/"), input.clone()).await.report();
        assert!(one.contains(rule), "{rule}: {one}");
        for parallelism in [4, 32] {
            input.politeness.parallelism = Some(parallelism);
            let many = crawl(&site.url("/"), input.clone()).await.report();
            assert!(one == many, "{rule}: {}", difference(&one, &many));
        }
        for budget in [7, 50] {
            let pieces = in_sessions_of(&site.url("/"), budget, input.clone()).await.report();
            assert!(one == pieces, "{rule}: {}", difference(&one, &pieces));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_pauses_at_its_byte_limit_and_resumes_with_more() {
    let site = (0..40).fold(
        Site::new().page("/", Page::titled("Home").links((0..40).map(|number| format!("/{number}")))),
        |site, number| site.page(&format!("/{number}"), Page::titled(&format!("Page {number}")).pad_to(10_000)),
    );
    let site = site.start().await;
    let mut input = local();
    (input.scope.max_bytes, input.politeness.parallelism) = (Some(100_000), Some(2));
    let store = Arc::new(MemoryStore::default());
    let first = crawl_on(&site.url("/"), input.clone(), store.clone()).await;
    assert_eq!(first.finished.reason, EndReason::BytesSpent);
    let fetched = first.finished.receipt.count(Disposition::Fetched);
    assert!((10..=14).contains(&fetched), "{}", first.finished.receipt);
    assert_eq!(first.finished.receipt.count(Disposition::Pending), 41 - fetched);

    let requested = site.seen().requests();
    let again = crawl_on(&site.url("/"), input.clone(), store.clone()).await;
    assert_eq!(
        (again.finished.reason, site.seen().requests()),
        (EndReason::BytesSpent, requested),
        "it is spent already"
    );

    input.scope.max_bytes = Some(1_000_000);
    let rest = crawl_on(&site.url("/"), input.clone(), store).await;
    assert!(rest.finished.is_complete());
    let straight = crawl(&site.url("/"), input).await;
    assert!(rest.report() == straight.report(), "{}", difference(&rest.report(), &straight.report()));
}
