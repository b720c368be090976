//! The link graph, as numbers.
//!
//! Everything is a pure function of the web's settings and a number. [`Web::read`] is the inverse of [`Web::address`],
//! so nothing has to be stored.

use super::{Shape, Web};
use crate::address::{split_query, without_port};
use crate::random::Dice;

/// The target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    Page(u64),
    /// A page with a query string.
    Variant(u64),
    Redirect(u64),
    Missing(u64),
    External(u64),
    Resource(u64),
}

/// Resources shared by all pages: a stylesheet, a script and images.
const SHARED_RESOURCES: u64 = 12;

/// How many pages each page introduces, so that all are reachable.
const CHILDREN: u64 = 3;

pub(super) fn host_name(host: u64) -> String {
    format!("h{host}.test")
}

impl Web {
    pub(crate) fn page_count(&self) -> u64 {
        self.pages
    }

    pub(crate) fn redirect_count(&self) -> u64 {
        self.share(self.redirects)
    }

    pub(crate) fn missing_count(&self) -> u64 {
        self.share(self.missing)
    }

    pub(crate) fn variant_count(&self) -> u64 {
        self.share(self.query_variants)
    }

    /// The links of a page in document order.
    pub(crate) fn links_of(&self, page: u64) -> Vec<Target> {
        let mut dice = Dice::of(self.seed, page);
        let mut links: Vec<Target> = self.children(page).map(Target::Page).collect();
        let wanted = self.link_count(page);
        while (links.len() as u64) < wanted {
            links.push(self.roll(&mut dice));
        }
        shuffle(&mut links, &mut dice);
        links
    }

    /// The position of a page between the fewest and the most links, from 0 to 1.
    pub(crate) fn size_of(&self, page: u64) -> f64 {
        Dice::of(self.seed ^ 0x512e, page).fraction()
    }

    /// The random source for the words of a page.
    pub(crate) fn dice_for_text(&self, page: u64) -> Dice {
        Dice::of(self.seed ^ 0x4e4d, page)
    }

    fn link_count(&self, page: u64) -> u64 {
        let (fewest, most) = (*self.links.start(), *self.links.end());
        fewest + (self.size_of(page) * (most.saturating_sub(fewest) + 1) as f64) as u64
    }

    /// The pages that this one makes reachable.
    fn children(&self, page: u64) -> Box<dyn Iterator<Item = u64>> {
        let below = |number: u64, count: u64, end: u64| {
            (number * count + 1..=number * count + count).filter(move |child| *child < end)
        };
        match self.shape {
            Shape::Pages => Box::new(below(page, CHILDREN, self.pages)),
            Shape::Hosts { pages_per_host } if page.is_multiple_of(pages_per_host) => {
                let siblings = page + 1..page + pages_per_host;
                let hosts = below(page / pages_per_host, CHILDREN, self.hosts).map(move |host| host * pages_per_host);
                Box::new(siblings.chain(hosts))
            }
            Shape::Hosts { .. } => Box::new(std::iter::empty()),
        }
    }

    fn roll(&self, dice: &mut Dice) -> Target {
        let mut roll = dice.fraction() * 100.0;
        let mut is = |percent: f64| {
            roll -= percent;
            roll < 0.0
        };
        if is(self.redirects) {
            return Target::Redirect(dice.below(self.redirect_count()));
        }
        if is(self.missing) {
            return Target::Missing(dice.below(self.missing_count()));
        }
        if is(self.query_variants) {
            return Target::Variant(dice.below(self.variant_count()));
        }
        if is(self.external) {
            return Target::External(dice.below(self.share(self.external)));
        }
        Target::Page(self.any_page(dice))
    }

    fn any_page(&self, dice: &mut Dice) -> u64 {
        match self.shape {
            Shape::Pages => dice.below(self.pages),
            Shape::Hosts { pages_per_host } => {
                // The cube makes the first hosts popular, as on the real web.
                let host = (dice.fraction().powi(3) * self.hosts as f64) as u64;
                host * pages_per_host + dice.below(pages_per_host)
            }
        }
    }

    /// A percentage of the pages as a count, at least one.
    fn share(&self, percent: f64) -> u64 {
        ((self.pages as f64 * percent / 100.0) as u64).max(1)
    }

    pub(crate) fn shared_resources() -> impl Iterator<Item = Target> {
        (0..SHARED_RESOURCES).map(Target::Resource)
    }

    /// The resources of a page: stylesheet, script, then images.
    pub(crate) fn resources_of(&self, page: u64) -> Vec<Target> {
        let mut dice = Dice::of(self.seed ^ 0x4e50, page);
        if !dice.percent(self.resources) {
            return Vec::new();
        }
        let images = 1 + dice.below(3);
        let image = |_| 2 + dice.below(SHARED_RESOURCES - 2);
        [0, 1].into_iter().chain((0..images).map(image).collect::<Vec<_>>()).map(Target::Resource).collect()
    }

    /// The page behind a query variant.
    pub(crate) fn varied_page(&self, variant: u64) -> u64 {
        Dice::of(self.seed ^ 0x7a51, variant).below(self.pages)
    }

    /// Mostly a page; sometimes a redirect with a higher number, so chains end.
    pub(crate) fn redirects_to(&self, redirect: u64) -> Target {
        let mut dice = Dice::of(self.seed ^ 0x4ed1, redirect);
        let goes_on = dice.below(8) == 0 && redirect + 1 < self.redirect_count();
        if goes_on { Target::Redirect(redirect + 1) } else { Target::Page(dice.below(self.pages)) }
    }

    pub(crate) fn status(&self, target: Target) -> u16 {
        match target {
            Target::Page(_) | Target::Variant(_) | Target::Resource(_) | Target::External(_) => 200,
            Target::Redirect(number) => [301, 302, 307, 308][Dice::of(self.seed, number).below(4) as usize],
            Target::Missing(number) => {
                if number % 8 == 7 {
                    410
                } else {
                    404
                }
            }
        }
    }

    pub(super) fn host_of(&self, target: Target) -> u64 {
        match target {
            Target::Page(page) => match self.shape {
                Shape::Pages => page % self.hosts,
                Shape::Hosts { pages_per_host } => page / pages_per_host,
            },
            Target::Variant(variant) => self.host_of(Target::Page(self.varied_page(variant))),
            Target::Redirect(number) | Target::Missing(number) => number % self.hosts,
            Target::Resource(_) | Target::External(_) => 0,
        }
    }

    /// `/path` in a web of one host, else `//host/path`; a full URL for external targets.
    pub(crate) fn address(&self, target: Target) -> String {
        if let Target::External(number) = target {
            return format!("http://external-{}.test/page-{number}", number % 10);
        }
        let path = self.path(target);
        if self.hosts == 1 { path } else { format!("//{}{path}", host_name(self.host_of(target))) }
    }

    /// Path and query of a target on its host.
    pub(crate) fn path(&self, target: Target) -> String {
        match target {
            Target::Page(page) => self.page_path(page),
            Target::Variant(variant) => {
                format!("{}?ref=web&v={variant}", self.page_path(self.varied_page(variant)))
            }
            Target::Redirect(number) => format!("/moved/{number}"),
            Target::Missing(number) => format!("/missing/{number}"),
            Target::External(number) => format!("/page-{number}"),
            Target::Resource(0) => "/assets/site.css".into(),
            Target::Resource(1) => "/assets/site.js".into(),
            Target::Resource(number) => format!("/assets/image-{number}.png"),
        }
    }

    fn page_path(&self, page: u64) -> String {
        if let Shape::Hosts { pages_per_host } = self.shape {
            return if page.is_multiple_of(pages_per_host) {
                "/".into()
            } else {
                format!("/page-{}", page % pages_per_host)
            };
        }
        if page < self.hosts {
            return "/".into();
        }
        match page % 7 {
            0 | 1 => format!("/section-{}/page-{page}.html", page % 10),
            2 | 3 => format!("/section-{}/deep/{page}/", page % 10),
            4 => format!("/section-{}/deep/er/page-{page}.html", page % 10),
            _ => format!("/doc/{page}"),
        }
    }

    /// The target of a request; `None` if this web has no such path.
    pub(crate) fn read(&self, host: &str, target: &str) -> Option<Target> {
        let host = self.host_number(host)?;
        let (path, query) = split_query(target);
        let candidate = if let Some(number) = path.strip_prefix("/moved/") {
            Target::Redirect(number.parse().ok().filter(|number| *number < self.redirect_count())?)
        } else if let Some(number) = path.strip_prefix("/missing/") {
            Target::Missing(number.parse().ok()?)
        } else if let Some(name) = path.strip_prefix("/assets/") {
            Target::Resource((0..SHARED_RESOURCES).find(|number| self.path(Target::Resource(*number))[8..] == *name)?)
        } else {
            return self.read_page(host, path, query);
        };
        (self.host_of(candidate) == host && self.path(candidate) == path).then_some(candidate)
    }

    fn read_page(&self, host: u64, path: &str, query: &str) -> Option<Target> {
        let number = match (path, self.shape) {
            ("/", Shape::Pages) => Some(host),
            (_, Shape::Pages) => last_number(path),
            ("/", Shape::Hosts { pages_per_host }) => Some(host * pages_per_host),
            (_, Shape::Hosts { pages_per_host }) => last_number(path).map(|local| host * pages_per_host + local),
        };
        let page = number.filter(|page| *page < self.pages)?;
        let target = Target::Page(page);
        if self.path(target) != path || self.host_of(target) != host {
            return None;
        }
        let variant = query.strip_prefix("?ref=web&v=").and_then(|number| number.parse().ok()).map(Target::Variant);
        // Any other query returns the page too, as on most servers.
        Some(variant.filter(|variant| self.path(*variant) == format!("{path}{query}")).unwrap_or(target))
    }

    /// A single host responds to every name; of several, the first also responds to the IP address.
    fn host_number(&self, host: &str) -> Option<u64> {
        let host = without_port(host);
        let number = host.strip_prefix('h').and_then(|rest| rest.strip_suffix(".test")?.parse().ok());
        match number {
            _ if self.hosts == 1 => Some(0),
            Some(number) => (number < self.hosts).then_some(number),
            None => host.parse::<std::net::IpAddr>().ok().map(|_| 0),
        }
    }
}

fn last_number(path: &str) -> Option<u64> {
    let path = path.trim_end_matches(".html").trim_end_matches('/');
    let digits = path.len() - path.bytes().rev().take_while(u8::is_ascii_digit).count();
    path[digits..].parse().ok()
}

fn shuffle(links: &mut [Target], dice: &mut Dice) {
    for last in (1..links.len()).rev() {
        links.swap(last, dice.below(last as u64 + 1) as usize);
    }
}
