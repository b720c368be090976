//! The sites that are made to be audited: what they declare is there.

use std::collections::{BTreeMap, BTreeSet};

use testsite::{Running, healthy, planted};

use crate::client::fetch_on;
use crate::links::{join, links};

/// Host and path of a URL of a running site.
fn parts<'a>(site: &Running, url: &'a str) -> Option<(&'a str, &'a str)> {
    let (_, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_at(rest.find('/')?);
    Some((authority.strip_suffix(&format!(":{}", site.port()))?, path))
}

async fn html_of(site: &Running, url: &str) -> (u16, String) {
    let (host, path) = parts(site, url).expect("a URL of the site");
    let received = fetch_on(site, host, path).await;
    if received.bytes.is_empty() {
        return (0, String::new());
    }
    let body = received.body();
    let is_encoded = received.header("content-encoding").as_deref() == Some("gzip");
    let body = if is_encoded { gunzip(&body) } else { body };
    (received.status(), String::from_utf8_lossy(&body).into_owned())
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes), &mut plain).expect("the body is gzip");
    plain
}

#[tokio::test]
async fn every_planted_problem_has_a_url_that_responds_as_declared() {
    let site = planted::site().start().await;
    for host in planted::HOSTS {
        let mut checks: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for problem in site.problems_of(host) {
            checks.entry(problem.url).or_default().push(problem.check);
        }
        for (url, checks) in checks.iter().filter(|(url, _)| parts(&site, url).is_some() && !url.ends_with(".xml")) {
            let (status, html) = html_of(&site, url).await;
            let says = |words: &str| checks.iter().any(|check| check.contains(words));
            match status {
                0 => assert!(says("no-response"), "{url}: {checks:?}"),
                200..300 => assert!(!html.is_empty(), "{url} has no content"),
                300..400 => assert!(says("internal-redirection"), "{url}: {checks:?}"),
                _ => assert!(
                    says("error") || says("refused") || says("blocked") || says("missing"),
                    "{url}: {status} {checks:?}"
                ),
            }
        }
    }
}

#[tokio::test]
async fn no_problem_is_declared_twice_and_there_are_enough_of_them() {
    let site = planted::site().start().await;
    let mut known = BTreeSet::new();
    for host in planted::HOSTS {
        for problem in site.problems_of(host) {
            assert!(
                known.insert((host, problem.check.clone(), problem.url.clone(), problem.detail.clone())),
                "{problem:?}"
            );
        }
    }
    let from_templates = known.iter().filter(|(host, ..)| *host == "shop.planted.test").count();
    assert!(known.len() - from_templates - 40 >= 170, "{} problems, {from_templates} of a template", known.len());
}

#[tokio::test]
async fn no_slot_of_a_template_stays_open() {
    let site = planted::site().start().await;
    for host in planted::HOSTS {
        let urls: BTreeSet<String> = site.problems_of(host).into_iter().map(|problem| problem.url).collect();
        for url in urls.iter().filter(|url| parts(&site, url).is_some() && !url.ends_with(".xml")) {
            let (_, html) = html_of(&site, url).await;
            let open = ["{self}", "{port}", "[title]", "[links]", "[text]", "[path]", "[name]"];
            assert!(!open.iter().any(|slot| html.contains(slot)), "{url}: {html}");
        }
    }
}

#[tokio::test]
async fn the_lists_are_longer_than_allowed() {
    let site = planted::site().start().await;
    let (_, many) = html_of(&site, &site.url_on("lists.planted.test", "/many.xml")).await;
    assert_eq!(many.matches("<loc>").count(), 50_001);
    let (_, large) = html_of(&site, &site.url_on("lists.planted.test", "/large.xml")).await;
    assert!(large.len() > 50 * 1024 * 1024 && large.ends_with("</urlset>\n"));
}

#[tokio::test]
async fn the_healthy_site_has_200_pages_that_link_to_each_other() {
    let site = healthy::site().http_too().start().await;
    let pages = walk(&site, "www.healthy.test").await;
    assert_eq!(pages.len(), healthy::page_count());
    assert!(pages.len() >= 200, "{}", pages.len());
}

/// Every page of a host that links lead to, as long as it responds with success.
async fn walk(site: &Running, host: &str) -> BTreeSet<String> {
    let own = site.url_on(host, "/");
    let (mut pages, mut waiting) = (BTreeSet::from([own.clone()]), vec![own.clone()]);
    while let Some(url) = waiting.pop() {
        let (status, html) = html_of(site, &url).await;
        if status != 200 {
            pages.remove(&url);
            continue;
        }
        let found = links(&html).into_iter().filter(|link| !link.starts_with("javascript:") && link != "http://[");
        let found = found.map(|link| join(&url, &link)).filter(|link| link.starts_with(&own));
        waiting.extend(found.filter(|link| pages.insert(link.clone())).collect::<Vec<_>>());
    }
    pages
}
