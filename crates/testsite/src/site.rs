//! A declared site: what each path returns, on which hosts, how fast and how badly.
//!
//! Start with [`Site::new`] and end with [`Site::start`]. In every declared text `{origin}` becomes the origin of the
//! main site, `{self}` that of the declaring site, `{host:NAME}` that of a virtual host, and `{port}` the port.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::broken_content::refresh_to;
use crate::fault::Fault;
use crate::large::Large;
use crate::latency::Latency;
use crate::mode::Mode;
use crate::page::Page;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::running::Running;
use crate::sitemap;
use crate::tls::Tls;
use crate::trap::Trap;
use crate::web::Web;

/// A declared web site.
#[derive(Debug, Clone)]
pub struct Site {
    pub(crate) routes: HashMap<String, Route>,
    pub(crate) traps: Vec<(String, Trap)>,
    pub(crate) large: Vec<(String, Large)>,
    pub(crate) folders: Vec<(String, PathBuf)>,
    pub(crate) hosts: HashMap<String, Site>,
    pub(crate) web: Option<Web>,
    pub(crate) latency: Latency,
    pub(crate) latency_seed: u64,
    pub(crate) modes: Vec<Mode>,
    pub(crate) tls: Option<Tls>,
    pub(crate) offers_http2: bool,
    pub(crate) offers_http: bool,
    pub(crate) problems: Vec<Problem>,
    pub(crate) ip: String,
    pub(crate) port: u16,
    pub(crate) keeps_log: bool,
}

/// The response of one path.
#[derive(Debug, Clone)]
pub(crate) enum Route {
    Page(Page),
    Reply(Reply),
    Fault(Fault),
}

impl Site {
    /// An empty site for `127.0.0.1` and a free port: every path returns 404.
    pub fn new() -> Self {
        Self {
            routes: HashMap::new(),
            traps: Vec::new(),
            large: Vec::new(),
            folders: Vec::new(),
            hosts: HashMap::new(),
            web: None,
            latency: Latency::none(),
            latency_seed: 0,
            modes: Vec::new(),
            tls: None,
            offers_http2: false,
            offers_http: false,
            problems: Vec::new(),
            ip: "127.0.0.1".into(),
            port: 0,
            keeps_log: true,
        }
    }

    /// A page. A path without a query matches any query, unless that one is declared too.
    pub fn page(self, path: &str, page: Page) -> Self {
        self.route(path, Route::Page(page))
    }

    /// Any well-formed reply.
    pub fn reply(self, path: &str, reply: Reply) -> Self {
        self.route(path, Route::Reply(reply))
    }

    /// A redirect to a relative or absolute URL.
    pub fn redirect(self, path: &str, status: u16, location: &str) -> Self {
        self.reply(path, Reply::redirect(status, location))
    }

    /// Redirects `base/1` → `base/2` → … → `base/length` → `base/1`.
    pub fn redirect_loop(self, base: &str, length: usize) -> Self {
        (1..=length).fold(self, |site, step| {
            site.redirect(&format!("{base}/{step}"), 302, &format!("{base}/{}", step % length + 1))
        })
    }

    /// Redirects `base/hops` → … → `base/1` → `base/0`, which is a page.
    pub fn redirect_chain(self, base: &str, hops: usize) -> Self {
        let end = self.page(&format!("{base}/0"), Page::titled("The end of the chain"));
        (1..=hops)
            .fold(end, |site, step| site.redirect(&format!("{base}/{step}"), 301, &format!("{base}/{}", step - 1)))
    }

    /// A fault.
    pub fn fault(self, path: &str, fault: Fault) -> Self {
        if fault == Fault::MetaRefreshPingPong {
            let pong = format!("{path}?pong");
            return self.reply(path, refresh_to(&pong)).reply(&pong, refresh_to(path));
        }
        self.route(path, Route::Fault(fault))
    }

    /// A trap: endless pages under a prefix.
    pub fn trap(mut self, prefix: &str, trap: Trap) -> Self {
        self.traps.push((prefix.trim_end_matches('/').to_owned(), trap));
        self
    }

    /// A large finite part under a prefix. The truth does not include it; see [`Large::page_count`].
    pub fn large(mut self, prefix: &str, large: Large) -> Self {
        self.large.push((prefix.trim_end_matches('/').to_owned(), large));
        self
    }

    /// The files of a folder under a prefix, read when they are requested. The truth does not include them.
    pub fn folder(mut self, prefix: &str, path: impl Into<PathBuf>) -> Self {
        self.folders.push((prefix.trim_end_matches('/').to_owned(), path.into()));
        self
    }

    /// The site's robots.txt; without one, that path returns 404.
    pub fn robots(self, text: &str) -> Self {
        self.reply("/robots.txt", Reply::text("text/plain", text))
    }

    /// An XML sitemap of these URLs, relative to the site or absolute. Other formats are in [`crate::sitemap`].
    pub fn sitemap<T: AsRef<str>>(self, path: &str, addresses: impl IntoIterator<Item = T>) -> Self {
        self.reply(path, sitemap::xml(addresses))
    }

    /// Another site on the same port, chosen by the `Host` header.
    ///
    /// It has its own paths, latency and storms; port, TLS, log and connection faults are those of the main site.
    pub fn host(mut self, name: &str, site: Site) -> Self {
        self.hosts.insert(name.to_ascii_lowercase(), site);
        self
    }

    /// Serves a random web for every path that is not declared.
    pub fn web(mut self, web: Web) -> Self {
        self.web = Some(web);
        self
    }

    /// The response times; equal paths and seeds have equal times.
    pub fn latency(mut self, latency: Latency, seed: u64) -> Self {
        self.latency = latency;
        self.latency_seed = seed;
        self
    }

    /// A fault of the whole site.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.modes.push(mode);
        self
    }

    /// Uses https, with this certificate.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Offers HTTP/2 by ALPN, before HTTP/1.1; with [`Tls::trusted`] unless another certificate is declared.
    pub fn http2(mut self) -> Self {
        self.offers_http2 = true;
        self.tls = self.tls.or(Some(Tls::trusted()));
        self
    }

    /// Responds to http on the port of https, too: `http://HOST:{port}/path` returns what `{self}/path` does.
    pub fn http_too(mut self) -> Self {
        self.offers_http = true;
        self
    }

    /// Declares a problem that an audit of this site must report. The detail is not compared if it is empty.
    ///
    /// The URL is a path of this site, `//host/path`, or absolute; placeholders are filled in.
    pub fn problem(mut self, check: &str, url: &str, detail: &str) -> Self {
        self.problems.push(Problem { check: check.to_owned(), url: url.to_owned(), detail: detail.to_owned() });
        self
    }

    /// Listens on another loopback address.
    pub fn bind(mut self, ip: &str) -> Self {
        self.ip = ip.to_owned();
        self
    }

    /// Listens on this port instead of a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Keeps no log of requests, for benchmarks.
    pub fn without_log(mut self) -> Self {
        self.keeps_log = false;
        self
    }

    /// Listens and serves until the result is dropped.
    ///
    /// # Panics
    /// When the address cannot be bound.
    pub async fn start(self) -> Running {
        Running::start(self).await
    }

    /// The route of a path with query: the exact one, else that of the path alone.
    pub(crate) fn route_of(&self, target: &str) -> Option<&Route> {
        let path = crate::address::split_query(target).0;
        self.routes.get(target).or_else(|| self.routes.get(path))
    }

    fn route(mut self, path: &str, route: Route) -> Self {
        self.routes.insert(path.to_owned(), route);
        self
    }
}

impl Default for Site {
    fn default() -> Self {
        Self::new()
    }
}
