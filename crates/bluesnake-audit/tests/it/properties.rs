//! What holds for every site.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bluesnake_engine::LinkKind;
use bluesnake_engine::link::Rel;
use proptest::prelude::*;
use serde_json::json;

use crate::world::{Node, Reference, World};

const PATHS: [&str; 8] = ["/", "/a", "/b", "/c", "/d", "/D", "/a/", "/gone"];

/// A link between two of the paths, with a kind and a text.
type Link = (usize, usize, usize, usize);

fn site(links: &[Link], noindex: &[bool]) -> World {
    let mut world = World::empty();
    for (path, is_noindex) in PATHS[1..7].iter().zip(noindex) {
        let page = world.add(Node::sound(path));
        if *is_noindex {
            page.noindex().fact("titles", json!(2));
        }
    }
    world.add(Node::responded("/gone", 404));
    for (from, to, kind, text) in links {
        let kinds = [
            LinkKind::Anchor,
            LinkKind::Anchor,
            LinkKind::Image,
            LinkKind::Canonical,
            LinkKind::Hreflang,
            LinkKind::Next,
        ];
        let texts = ["", "en", "de", "click here"];
        let link = Reference::new(PATHS[*to], kinds[*kind]).text(texts[*text]);
        let link = if *text == 2 { link.rel(Rel::NOFOLLOW) } else { link };
        world.node(PATHS[*from]).link(link);
    }
    world
}

fn links() -> impl Strategy<Value = Vec<Link>> {
    prop::collection::vec((0..7usize, 0..8usize, 0..6usize, 0..4usize), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Anchors are only a way to store texts of links once.
    #[test]
    fn findings_do_not_depend_on_how_anchors_are_shared(
        links in links(), noindex in prop::collection::vec(any::<bool>(), 6),
    ) {
        let mut world = site(&links, &noindex);
        let shared = world.audit();
        world.splits_anchors = true;
        let split = world.audit();
        prop_assert_eq!(shared.everything(), split.everything());
        prop_assert_eq!(shared.report.urls, split.report.urls);
    }

    #[test]
    fn findings_are_ordered_and_unique(links in links(), noindex in prop::collection::vec(any::<bool>(), 6)) {
        let audited = site(&links, &noindex).audit();
        for findings in &audited.report.checks {
            let numbers: Vec<u32> = findings.findings.iter().map(|finding| finding.number).collect();
            prop_assert!(numbers.is_sorted(), "{}", findings.check.id);
            let unique: BTreeSet<_> = findings.findings.iter().collect();
            prop_assert_eq!(unique.len(), findings.findings.len(), "{}", findings.check.id);
            let urls: BTreeSet<u32> = numbers.into_iter().collect();
            prop_assert_eq!(urls.len(), findings.findings.urls());
        }
    }

    #[test]
    fn depths_and_inlinks_are_those_of_the_definition(links in links()) {
        let world = site(&links, &[false; 6]);
        let audited = world.audit();
        let number = |path: usize| audited.number(PATHS[path]);
        // Every page but the start links to it; all kinds but mentions are followed unless they have nofollow.
        let own = (1..7).map(|page| (page, 0, 0, 1));
        let all: Vec<Link> = own.chain([(0, 0, 0, 1)]).chain(links.iter().copied()).collect();
        let mut depths = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([0]);
        while let Some(page) = queue.pop_front() {
            let followed = all.iter().filter(|link| link.0 == page && (link.3 != 2 || link.2 == 2));
            for target in followed.map(|link| link.1).collect::<Vec<_>>() {
                if !depths.contains_key(&target) {
                    depths.insert(target, depths[&page] + 1);
                    queue.push_back(target);
                }
            }
        }
        for (target, path) in PATHS.iter().enumerate() {
            let derived = audited.derived(path);
            prop_assert_eq!(derived.depth, depths.get(&target).copied(), "{}", path);
            let sources: BTreeSet<u32> =
                all.iter().filter(|link| link.1 == target && link.0 != target).map(|link| number(link.0)).collect();
            prop_assert_eq!(audited.report.inlinks.of(number(target)), sources.into_iter().collect::<Vec<_>>());
            let counted = all.iter().filter(|link| link.1 == target && link.0 != target && link.2 < 3);
            prop_assert_eq!(derived.inlinks as usize, counted.clone().count(), "{}", path);
            let unique: BTreeSet<usize> = counted.map(|link| link.0).collect();
            prop_assert_eq!(derived.unique_inlinks as usize, unique.len());
        }
    }
}
