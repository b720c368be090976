//! Webs made from a seed: any number of pages, no memory, and the truth about all of them.
//!
//! A page exists only while it is asked for; what it links to follows from the seed and its number ([`graph`]), how it
//! spells those links from [`render`]. Start with [`Web::random`] or [`Web::hosts_graph`].

mod graph;
mod render;
mod truth;

use std::ops::RangeInclusive;

pub(crate) use self::graph::Target;
pub(crate) use self::render::resource_bytes;

use crate::address::Addresses;
use crate::reply::Prepared;
use crate::running::Running;
use crate::site::Site;

/// A random web. The same seed and settings are the same web, on every machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Web {
    seed: u64,
    shape: Shape,
    pages: u64,
    hosts: u64,
    links: RangeInclusive<u64>,
    redirects: f64,
    missing: f64,
    query_variants: f64,
    resources: f64,
    external: f64,
    page_bytes: usize,
}

/// How pages are spread over hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Many pages on a few hosts, in turn.
    Pages,
    /// A few pages on each of many hosts, in blocks.
    Hosts { pages_per_host: u64 },
}

impl Web {
    /// A web of 100 pages on one host, 3 to 12 links each, and nothing else until it is asked for.
    pub fn random(seed: u64) -> Self {
        Self {
            seed,
            shape: Shape::Pages,
            pages: 100,
            hosts: 1,
            links: 3..=12,
            redirects: 0.0,
            missing: 0.0,
            query_variants: 0.0,
            resources: 0.0,
            external: 0.0,
            page_bytes: 0,
        }
    }

    /// Many hosts with a few pages each, which link to pages of other hosts; a few hosts get most of the links.
    pub fn hosts_graph(seed: u64, hosts: u64, pages_per_host: u64) -> Self {
        let shape = Shape::Hosts { pages_per_host };
        Self { shape, hosts, pages: hosts * pages_per_host, links: 2..=6, ..Self::random(seed) }
    }

    /// How many pages there are; every one of them is reachable from the root.
    ///
    /// # Panics
    /// When the web is a graph of hosts, which has its number of pages from the start.
    pub fn pages(mut self, pages: u64) -> Self {
        assert_eq!(self.shape, Shape::Pages, "a graph of hosts has its number of pages from the start");
        self.pages = pages.max(1);
        self
    }

    /// How many links a page has. Those that keep all pages reachable are always there.
    pub fn links_per_page(mut self, links: RangeInclusive<u64>) -> Self {
        self.links = links;
        self
    }

    /// Spreads the pages over this many hosts, `h0.test`, `h1.test`, …, on one port.
    ///
    /// # Panics
    /// When the web is a graph of hosts, which has its number of hosts from the start.
    pub fn hosts(mut self, hosts: u64) -> Self {
        assert_eq!(self.shape, Shape::Pages, "a graph of hosts has its number of hosts from the start");
        self.hosts = hosts.max(1);
        self
    }

    /// Percentage of links to redirects, and of redirects as compared with pages.
    pub fn redirects(mut self, percent: impl Into<f64>) -> Self {
        self.redirects = percent.into();
        self
    }

    /// Percentage of links to missing pages, and of missing pages as compared with pages.
    pub fn missing(mut self, percent: impl Into<f64>) -> Self {
        self.missing = percent.into();
        self
    }

    /// Percentage of links to pages under a query string, and of such addresses as compared with pages.
    pub fn query_variants(mut self, percent: impl Into<f64>) -> Self {
        self.query_variants = percent.into();
        self
    }

    /// Percentage of pages with a stylesheet, a script and images.
    pub fn resources(mut self, percent: impl Into<f64>) -> Self {
        self.resources = percent.into();
        self
    }

    /// Percentage of links to hosts that are not part of this web.
    pub fn external(mut self, percent: impl Into<f64>) -> Self {
        self.external = percent.into();
        self
    }

    /// Fills every page with words up to about this size.
    pub fn page_bytes(mut self, bytes: usize) -> Self {
        self.page_bytes = bytes;
        self
    }

    /// A site that serves this web; latency, modes or TLS can be added to it.
    pub fn site(self) -> Site {
        Site::new().web(self)
    }

    /// Serves this web on a free port.
    pub async fn start(self) -> Running {
        self.site().start().await
    }

    /// The names of its hosts; none when it has only one, which answers to any name.
    pub fn host_names(&self) -> Vec<String> {
        if self.hosts == 1 { Vec::new() } else { (0..self.hosts).map(graph::host_name).collect() }
    }

    /// The answer to a request, `None` for what this web knows nothing of.
    pub(crate) fn answer(&self, addresses: &Addresses, host: &str, target: &str) -> Option<Prepared> {
        let asked = self.read(host, target)?;
        Some(match asked {
            Target::Page(page) => Prepared::page(200, self.render(page, addresses)),
            Target::Variant(variant) => Prepared::page(200, self.render(self.varied_page(variant), addresses)),
            Target::Redirect(number) => {
                let to = self.redirects_to(number);
                Prepared::redirect(self.status(asked), addresses.absolute(&self.address(to)))
            }
            Target::Resource(number) => render::resource(number),
            Target::Missing(_) | Target::External(_) => Prepared::page(self.status(asked), "<h1>Gone</h1>".into()),
        })
    }
}
