//! Webs generated from a seed: any number of pages, no memory, and the truth about all of them.
//!
//! A page is generated on request. The seed and its number determine what it links to ([`graph`]), and [`render`] how
//! those links are spelled. Start with [`Web::random`] or [`Web::hosts_graph`].

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

/// A random web. Equal seeds and settings give equal webs, on every machine.
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

/// How pages are distributed over hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Many pages on a few hosts, round-robin.
    Pages,
    /// A few pages on each of many hosts, in blocks.
    Hosts { pages_per_host: u64 },
}

impl Web {
    /// A web of 100 pages on one host with 3 to 12 links each and no extras.
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

    /// The number of pages; all of them are reachable from the root.
    ///
    /// # Panics
    /// When the web is a graph of hosts, whose number of pages is fixed.
    pub fn pages(mut self, pages: u64) -> Self {
        assert_eq!(self.shape, Shape::Pages, "the number of pages of a host graph is fixed");
        self.pages = pages.max(1);
        self
    }

    /// Links per page. Those that keep all pages reachable are always present.
    pub fn links_per_page(mut self, links: RangeInclusive<u64>) -> Self {
        self.links = links;
        self
    }

    /// Spreads the pages over this many hosts, `h0.test`, `h1.test`, …, on one port.
    ///
    /// # Panics
    /// When the web is a graph of hosts, whose number of hosts is fixed.
    pub fn hosts(mut self, hosts: u64) -> Self {
        assert_eq!(self.shape, Shape::Pages, "the number of hosts of a host graph is fixed");
        self.hosts = hosts.max(1);
        self
    }

    /// Percentage of links to redirects, and of redirects relative to pages.
    pub fn redirects(mut self, percent: impl Into<f64>) -> Self {
        self.redirects = percent.into();
        self
    }

    /// Percentage of links to missing pages, and of missing pages relative to pages.
    pub fn missing(mut self, percent: impl Into<f64>) -> Self {
        self.missing = percent.into();
        self
    }

    /// Percentage of links to pages with a query string, and of such URLs relative to pages.
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

    /// Pads every page with words to about this size.
    pub fn page_bytes(mut self, bytes: usize) -> Self {
        self.page_bytes = bytes;
        self
    }

    /// A site that serves this web; add latency, modes or TLS to it.
    pub fn site(self) -> Site {
        Site::new().web(self)
    }

    /// Serves this web on a free port.
    pub async fn start(self) -> Running {
        self.site().start().await
    }

    /// The names of its hosts; empty if it has only one, which responds to any name.
    pub fn host_names(&self) -> Vec<String> {
        if self.hosts == 1 { Vec::new() } else { (0..self.hosts).map(graph::host_name).collect() }
    }

    /// The response to a request; `None` if the web has no such page.
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
