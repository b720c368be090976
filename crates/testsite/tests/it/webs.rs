//! Random webs: reproducible, and consistent with their truth.

use std::collections::{BTreeMap, BTreeSet};

use testsite::{Running, Truth, Web};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::{Received, fetch_on, read_one};
use crate::links::{base_of, join, links};

fn web(seed: u64) -> Web {
    Web::random(seed)
        .pages(300)
        .links_per_page(2..=20)
        .redirects(5)
        .missing(5)
        .query_variants(10)
        .resources(50)
        .external(2)
}

#[test]
fn equal_seeds_give_equal_webs() {
    assert_eq!(web(1).truth(), web(1).truth());
    assert_ne!(web(1).truth(), web(2).truth());
}

#[test]
fn webs_of_a_seed_never_change() {
    let truth = Web::random(42).pages(10).links_per_page(3..=4).truth();
    assert_eq!(truth["/"].links, ["/section-3/deep/3/", "/", "/section-1/page-1.html", "/section-2/deep/2/"]);
}

#[test]
fn every_page_is_reachable_and_shares_match_settings() {
    let truth = web(3).truth();
    let with = |statuses: &[u16]| truth.values().filter(|truth| statuses.contains(&truth.status)).count();
    assert!((10..=15).contains(&with(&[301, 302, 307, 308])));
    assert!((10..=15).contains(&with(&[404, 410])));
    let pages = truth
        .iter()
        .filter(|(path, truth)| truth.status == 200 && !path.contains(['?']) && !path.starts_with("/assets/"));
    assert_eq!(pages.count(), 300);
    assert!(truth.keys().filter(|path| path.contains('?')).count() > 20);
    let links: usize = truth.iter().filter(|(path, _)| !path.contains('?')).map(|(_, truth)| truth.links.len()).sum();
    assert!((2700..3900).contains(&links), "{links} links, 11 a page");
}

#[test]
fn statuses_match_the_truth() {
    let statuses: BTreeMap<_, _> = web(4).statuses().collect();
    assert_eq!(statuses, web(4).truth().into_iter().map(|(path, truth)| (path, truth.status)).collect());
}

#[tokio::test]
async fn served_pages_match_the_truth() {
    for web in [web(5), web(6).hosts(3), Web::hosts_graph(7, 20, 3).redirects(5).missing(5)] {
        let site = web.start().await;
        let expected = site.expected();
        assert!(expected.len() > 60);
        let mut connection = TcpStream::connect(site.addr()).await.unwrap();
        for (url, truth) in &expected {
            let received = get(&mut connection, &site, url).await;
            assert_eq!(received.status(), truth.status, "{url}");
            assert_eq!(received.header("location"), truth.redirect, "{url}");
            if received.header("content-type").as_deref() == Some("text/html; charset=utf-8") && truth.status == 200 {
                check_links(url, &received.html(), truth);
            }
        }
        assert_eq!(site.seen().requests(), expected.len());
    }
}

#[tokio::test]
async fn decoys_return_404() {
    let site = web(8).start().await;
    let mut found = BTreeSet::new();
    for page in site.expected().into_keys().take(50) {
        let html = fetch_on(&site, "127.0.0.1", page.strip_prefix(&site.origin()).unwrap()).await.text();
        found.extend(html.split("\"/decoy/").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    }
    assert!(found.contains("in-a-comment") && found.contains("in-a-textarea"), "{found:?}");
    assert_eq!(fetch_on(&site, "127.0.0.1", "/decoy/in-a-comment").await.status(), 404);
}

#[tokio::test]
async fn unknown_paths_and_hosts_return_404() {
    let site = web(9).hosts(2).start().await;
    for (host, path) in [
        ("h0.test", "/doc/999999"),
        ("h0.test", "/doc/x"),
        ("h9.test", "/"),
        ("other.test", "/"),
        ("h0.test", "/moved/99"),
    ] {
        assert_eq!(fetch_on(&site, host, path).await.status(), 404, "{host}{path}");
    }
    assert_eq!(fetch_on(&site, "h1.test", "/").await.status(), 200);
}

#[test]
fn host_graph_declares_links_and_page_counts() {
    let web = Web::hosts_graph(1, 50, 4);
    let truth = web.truth();
    assert_eq!(truth.len(), 200);
    assert_eq!(web.host_names().len(), 50);
    let host = |address: &str| address.split('/').nth(2).unwrap().to_owned();
    let mut expected: BTreeMap<(String, String), u32> = BTreeMap::new();
    for (page, truth) in &truth {
        // A page counts once, however often it links to a host.
        let others: BTreeSet<String> = truth.links.iter().map(|link| host(link)).collect();
        for other in others.into_iter().filter(|other| *other != host(page)) {
            *expected.entry((host(page), other)).or_default() += 1;
        }
    }
    assert_eq!(web.host_links(), expected);
    assert!(expected.contains_key(&("h0.test".to_owned(), "h1.test".to_owned())));
    let weights: BTreeSet<u32> = expected.into_values().collect();
    assert_eq!(weights, (1..=4).collect(), "a host has four pages");
}

#[tokio::test]
async fn a_million_pages_cost_nothing_until_requested() {
    let site = Web::random(1).pages(1_000_000).page_bytes(20_000).start().await;
    let received = fetch_on(&site, "127.0.0.1", "/section-9/page-999999.html").await;
    assert_eq!(received.status(), 200);
    assert!((19_800..22_000).contains(&received.body().len()), "{}", received.body().len());
}

async fn get(connection: &mut TcpStream, site: &Running, url: &str) -> Received {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    assert!(host.ends_with(&site.port().to_string()));
    connection.write_all(request.as_bytes()).await.unwrap();
    read_one(connection).await
}

fn check_links(url: &str, html: &str, truth: &Truth) {
    let base = base_of(url, html);
    let found: Vec<_> = links(html).iter().map(|href| join(&base, href)).collect();
    assert_eq!(found, truth.links, "links of {url}");
}
