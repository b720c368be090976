//! Endless traps and oversized documents.

use std::collections::BTreeSet;

use testsite::{Large, Monster, Site, Trap, scenarios};

use crate::client::{End, fetch, receive};
use crate::links::links;

#[tokio::test]
async fn every_trap_is_endless() {
    let site = scenarios::traps().start().await;
    for entry in ["/calendar/2024/01", "/session?page=1", "/a/", "/shop", "/maze/start"] {
        let (mut visited, mut next) = (BTreeSet::new(), entry.to_owned());
        for _ in 0..30 {
            let received = fetch(&site, &next).await;
            assert_eq!(received.status(), 200);
            visited.insert(next);
            let found = links(&received.html());
            next = found.iter().rev().find(|link| !visited.contains(*link)).expect("a trap never ends").clone();
        }
    }
}

#[tokio::test]
async fn every_endless_scenario_is_endless() {
    for (trap, entry) in [
        (Trap::Chain, "/trap/1"),
        (Trap::Pager, "/trap/1"),
        (Trap::Words, "/trap/start"),
        (Trap::SoftNotFoundTree, "/trap/start"),
        (Trap::PathSessions, "/trap/1"),
    ] {
        let site = Site::new().trap("/trap", trap).start().await;
        let (mut visited, mut next) = (BTreeSet::new(), entry.to_owned());
        for _ in 0..30 {
            let found = links(&fetch(&site, &next).await.html());
            visited.insert(next);
            next = found.iter().find(|link| !visited.contains(*link)).expect("a trap never ends").clone();
        }
    }
}

#[tokio::test]
async fn stylesheets_import_more_of_them() {
    let site = Site::new().trap("/css", Trap::ImportChain { bytes: 5_000 }).start().await;
    let css = fetch(&site, "/css/7.css").await.html();
    assert!(css.starts_with("@import \"/css/8.css\";") && css.len() >= 5_000, "{} bytes", css.len());
}

#[tokio::test]
async fn large_sites_have_the_declared_number_of_pages() {
    for large in [
        Large::Archive { articles: 500 },
        Large::List { articles: 95 },
        Large::Posts { posts: 30 },
        Large::Tree { pages: 100, fan_out: 3 },
        Large::Wiki { pages: 80 },
        Large::Lists { lists: 3, links: 20 },
    ] {
        let site = Site::new().large("", large).start().await;
        let (mut known, mut waiting) = (BTreeSet::from(["/".to_owned()]), vec!["/".to_owned()]);
        while let Some(next) = waiting.pop() {
            let received = fetch(&site, &next).await;
            assert_eq!(received.status(), 200, "{large:?} {next}");
            waiting.extend(links(&received.html()).into_iter().filter(|link| known.insert(link.clone())));
        }
        assert_eq!(known.len() as u64, large.page_count(), "{large:?}");
    }
}

#[tokio::test]
async fn calendar_months_cross_year_boundaries() {
    let site = Site::new().trap("/calendar", Trap::Calendar).start().await;
    let found = links(&fetch(&site, "/calendar/2024/12").await.html());
    assert_eq!(found, ["/calendar/2024/11", "/calendar/2025/01", "/calendar/2025/12"]);
}

#[tokio::test]
async fn session_ids_differ_at_every_visit() {
    let site = scenarios::session_ids().start().await;
    let first = links(&fetch(&site, "/shop?page=1").await.html());
    let second = links(&fetch(&site, "/shop?page=1").await.html());
    assert_ne!(first, second);
    assert_eq!(first.len(), 5);
}

#[tokio::test]
async fn facets_are_kept_in_the_order_chosen() {
    let site = Site::new().trap("/shop", Trap::Facets).start().await;
    let found = links(&fetch(&site, "/shop?size=m&color=red").await.html());
    assert!(found.contains(&"/shop?size=m&color=red&view=map".into()));
    assert!(found.contains(&"/shop?color=red&size=xl".into()));
}

#[tokio::test]
async fn monsters_are_as_large_as_declared() {
    let check = async |monster: Monster, part: &str, count: usize| {
        let site = Site::new().reply("/", monster.reply()).start().await;
        let html = fetch(&site, "/").await.html();
        assert_eq!(html.matches(part).count(), count, "{monster:?}");
    };
    check(Monster::ManyLinks(10_001), "<a href=\"/monster/", 10_001).await;
    check(Monster::DeepNesting(100_000), "<div>", 100_000).await;
    check(Monster::ManyAttributes(5_000), "=\"", 5_000 + 1).await;
    check(Monster::HugeAttribute(100_000), "x", 100_000).await;
    check(Monster::OneLine(1_000_000), "\n", 0).await;
    check(Monster::NulBytes, "\0", 2_000).await;
    check(Monster::SitemapLocations(2_500), "/loc/", 2_500).await;
    check(Monster::SitemapAttributes(2_000), "=\"", 2_000 + 3).await;
    check(Monster::BillionLaughs, "<!ENTITY", 10).await;
    check(Monster::ExternalEntity, "file:///etc/passwd", 1).await;
}

#[tokio::test]
async fn the_largest_monster_is_streamed() {
    let site = Site::new().reply("/", Monster::OneLine(1 << 40).reply()).start().await;
    assert_eq!(receive(&site, "/", 1 << 20).await.end, End::StoppedReading);
}

#[tokio::test]
async fn every_scenario_starts_and_responds() {
    for (name, site) in scenarios::all().into_iter().chain(scenarios::endless()) {
        let site = site.start().await;
        assert_eq!(fetch(&site, "/").await.status(), 200, "{name}");
    }
}

#[tokio::test]
async fn robots_txt_names_all_hostile_sitemaps() {
    let site = scenarios::hostile_sitemaps().start().await;
    let robots = fetch(&site, "/robots.txt").await.html();
    for line in robots.lines() {
        let path = line.strip_prefix(&format!("Sitemap: {}", site.origin())).expect("only sitemaps");
        assert_eq!(receive(&site, path, 100).await.status(), 200, "{path}");
    }
}
