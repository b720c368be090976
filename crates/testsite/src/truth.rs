//! The truth about a declared site, found by walking its declaration.
//!
//! Nothing here sends a request. Links that crawlers should not follow are walked last, so that it is known for every
//! URL whether it can be reached without them.

use std::collections::{BTreeMap, VecDeque};

use crate::address::{Addresses, resolve, split};
use crate::page::{Link, Page};
use crate::site::{Route, Site};
use crate::world::is_under;

/// The response of one URL, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// Its status; 0 if a fault shows none.
    pub status: u16,
    /// Distance from the root; each link, resource and redirect counts as one step.
    pub depth: u32,
    /// Its use.
    pub role: Role,
    /// Whether it can be reached without any `nofollow` link.
    pub is_followed: bool,
    /// Absolute URLs of its links in document order, including repeated ones.
    pub links: Vec<String>,
    /// Absolute URLs of its resources.
    pub resources: Vec<String>,
    /// Where it redirects to, if that is http(s).
    pub redirect: Option<String>,
}

/// The use of a URL by the first mention of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The target of a link or of a redirect to a page.
    Page,
    /// An image, script or stylesheet.
    Resource,
    /// The entry of a trap: what is behind it is endless and not part of the truth.
    Trap,
}

/// Walks the declaration of a site from `/`, and the random web it serves, if any.
pub(crate) fn of_site(site: &Site, addresses: &Addresses) -> BTreeMap<String, Truth> {
    let mut walk =
        Walk { site, addresses, found: BTreeMap::new(), followed: VecDeque::new(), unfollowed: VecDeque::new() };
    if let Some(web) = &site.web {
        walk.found = web.truth_at(addresses);
    }
    if site.web.is_none() || site.routes.contains_key("/") {
        walk.followed.push_back(Mention { url: format!("{}/", addresses.origin()), depth: 0, role: Role::Page });
        walk.run();
    }
    walk.found
}

struct Walk<'a> {
    site: &'a Site,
    addresses: &'a Addresses,
    found: BTreeMap<String, Truth>,
    followed: VecDeque<Mention>,
    unfollowed: VecDeque<Mention>,
}

struct Mention {
    url: String,
    depth: u32,
    role: Role,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        while let Some(mention) = self.followed.pop_front() {
            self.visit(mention, true);
        }
        while let Some(mention) = self.unfollowed.pop_front() {
            self.visit(mention, false);
        }
    }

    fn visit(&mut self, mention: Mention, is_followed: bool) {
        let Some(site) = self.site_of(&mention.url) else { return };
        if self.found.contains_key(&mention.url) {
            return;
        }
        let (_, target) = split(&mention.url).expect("a mention is an absolute URL");
        let truth = self.look(site, target, &mention, is_followed);
        self.found.insert(mention.url, truth);
    }

    fn look(&mut self, site: &Site, target: &str, mention: &Mention, is_followed: bool) -> Truth {
        let mut truth = Truth {
            status: 404,
            depth: mention.depth,
            role: mention.role,
            is_followed,
            links: Vec::new(),
            resources: Vec::new(),
            redirect: None,
        };
        match site.route_of(target) {
            Some(Route::Page(page)) => self.look_at_page(page, mention, &mut truth),
            Some(Route::Reply(reply)) => {
                truth.status = reply.lasting().status;
                truth.redirect = reply.lasting().location().and_then(|to| self.absolute(&mention.url, to));
                self.mention(truth.redirect.clone(), mention.role, &truth, true);
            }
            Some(Route::Fault(fault)) => truth.status = fault.status(),
            None if site.traps.iter().any(|(prefix, _)| is_under(target, prefix)) => {
                (truth.status, truth.role) = (200, Role::Trap);
            }
            None => {}
        }
        truth
    }

    fn look_at_page(&mut self, page: &Page, mention: &Mention, truth: &mut Truth) {
        truth.status = page.truth_status();
        for Link { href, is_followed } in page.declared_links() {
            let url = self.absolute(&mention.url, href);
            truth.links.extend(url.clone());
            self.mention(url, Role::Page, truth, *is_followed);
        }
        for source in page.declared_resources() {
            let url = self.absolute(&mention.url, source);
            truth.resources.extend(url.clone());
            self.mention(url, Role::Resource, truth, true);
        }
    }

    fn mention(&mut self, url: Option<String>, role: Role, from: &Truth, is_followed: bool) {
        let Some(url) = url else { return };
        let queue = if from.is_followed && is_followed { &mut self.followed } else { &mut self.unfollowed };
        queue.push_back(Mention { url, depth: from.depth + 1, role });
    }

    fn absolute(&self, base: &str, href: &str) -> Option<String> {
        let own = base.split('/').take(3).collect::<Vec<_>>().join("/");
        resolve(base, &self.addresses.fill(href, &own))
    }

    /// The declared site of a URL; `None` for other hosts.
    fn site_of(&self, url: &str) -> Option<&'a Site> {
        let (host, _) = split(url)?;
        if !url.starts_with(&format!("{}/", self.addresses.origin_of(host))) {
            return None;
        }
        if host == self.addresses.ip { Some(self.site) } else { self.site.hosts.get(host) }
    }
}
