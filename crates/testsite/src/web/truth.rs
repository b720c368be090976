//! The truth about a random web, found by walking its graph.
//!
//! Nothing is rendered or requested: links are numbers until they are named at the end.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::Web;
use super::graph::{Target, host_name};
use crate::address::Addresses;
use crate::truth::{Role, Truth};

impl Web {
    /// Everything reachable from the root, as `/path`, or `//host/path` in a web of several hosts.
    ///
    /// [`crate::Running::absolute`] turns such a path into a URL; [`crate::Running::expected`] has them as URLs.
    pub fn truth(&self) -> BTreeMap<String, Truth> {
        self.walk(|target| self.address(target))
    }

    /// Path and status of everything reachable, in breadth-first order; for webs of millions of pages.
    pub fn statuses(&self) -> impl Iterator<Item = (String, u16)> + '_ {
        self.reach().map(|(target, _)| (self.address(target), self.status(target)))
    }

    /// Which hosts link to pages of which others, by name, and from how many pages each.
    pub fn host_links(&self) -> BTreeMap<(String, String), u32> {
        let mut links = BTreeMap::new();
        for page in 0..self.page_count() {
            let own = self.host_of(Target::Page(page));
            for other in self.hosts_linked_from(page).into_iter().filter(|host| *host != own) {
                *links.entry((host_name(own), host_name(other))).or_default() += 1;
            }
        }
        links
    }

    fn hosts_linked_from(&self, page: u64) -> BTreeSet<u64> {
        let links = self.links_of(page).into_iter();
        links.filter(|link| matches!(link, Target::Page(_))).map(|link| self.host_of(link)).collect()
    }

    pub(crate) fn truth_at(&self, addresses: &Addresses) -> BTreeMap<String, Truth> {
        self.walk(|target| addresses.absolute(&self.address(target)))
    }

    fn walk(&self, name: impl Fn(Target) -> String) -> BTreeMap<String, Truth> {
        let names = |targets: Vec<Target>| targets.into_iter().map(&name).collect();
        self.reach()
            .map(|(target, depth)| {
                let page = self.shown_page(target);
                let redirect =
                    if let Target::Redirect(number) = target { Some(self.redirects_to(number)) } else { None };
                let truth = Truth {
                    status: self.status(target),
                    depth,
                    role: if matches!(target, Target::Resource(_)) { Role::Resource } else { Role::Page },
                    is_followed: true,
                    links: page.map(|page| names(self.links_of(page))).unwrap_or_default(),
                    resources: page.map(|page| names(self.resources_of(page))).unwrap_or_default(),
                    redirect: redirect.map(&name),
                };
                (name(target), truth)
            })
            .collect()
    }

    /// Breadth first from page 0, each target once, with its depth. External targets are skipped.
    fn reach(&self) -> impl Iterator<Item = (Target, u32)> + '_ {
        let root = Target::Page(0);
        let mut seen = HashSet::from([root]);
        let mut queue = VecDeque::from([(root, 0)]);
        std::iter::from_fn(move || {
            let (target, depth) = queue.pop_front()?;
            for next in self.mentions(target) {
                if !matches!(next, Target::External(_)) && seen.insert(next) {
                    queue.push_back((next, depth + 1));
                }
            }
            Some((target, depth))
        })
    }

    fn mentions(&self, target: Target) -> Vec<Target> {
        match (self.shown_page(target), target) {
            (Some(page), _) => [self.links_of(page), self.resources_of(page)].concat(),
            (None, Target::Redirect(number)) => vec![self.redirects_to(number)],
            (None, _) => Vec::new(),
        }
    }

    fn shown_page(&self, target: Target) -> Option<u64> {
        match target {
            Target::Page(page) => Some(page),
            Target::Variant(variant) => Some(self.varied_page(variant)),
            _ => None,
        }
    }
}
