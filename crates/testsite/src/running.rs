//! A listening site, and what it has seen so far.
//!
//! Start with [`Running::expected`], what the site is, and [`Running::seen`], the requests it received.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::address::Addresses;
use crate::log::{Seen, Summary};
use crate::problem::Problem;
use crate::serve::accept_for_ever;
use crate::site::Site;
use crate::tls::Identity;
use crate::truth::{self, Truth};
use crate::world::World;

/// A running site. Dropping it closes the port and every connection.
pub struct Running {
    site: Site,
    world: Arc<World>,
    address: SocketAddr,
    identity: Option<Identity>,
    _tasks: JoinSet<()>,
}

impl Running {
    pub(crate) async fn start(site: Site) -> Self {
        let listener = TcpListener::bind((site.ip.as_str(), site.port)).await.expect("the address can be bound");
        let address = listener.local_addr().expect("a bound socket has an address");
        let identity = site.tls.as_ref().map(|tls| Identity::new(tls, &site));
        let scheme = if identity.is_some() { "https" } else { "http" };
        let addresses = Addresses { scheme, ip: site.ip.clone(), port: address.port() };
        let world = Arc::new(World::new(&site, addresses));

        let mut tasks = JoinSet::new();
        let acceptor = identity.as_ref().map(Identity::acceptor);
        tasks.spawn(accept_for_ever(listener, acceptor, Arc::clone(&world)));
        Self { site, world, address, identity, _tasks: tasks }
    }

    /// The URL of a path on the main site.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    /// The URL of a path on a virtual host; the client must resolve that name to [`Running::addr`] itself.
    pub fn url_on(&self, host: &str, path: &str) -> String {
        format!("{}{path}", self.world.addresses.origin_of(host))
    }

    /// The URL of a path as [`crate::Web::truth`] writes it: `/path` or `//host/path`.
    pub fn absolute(&self, address: &str) -> String {
        self.world.addresses.absolute(address)
    }

    /// Scheme, address and port of the main site, without a trailing slash.
    pub fn origin(&self) -> String {
        self.world.addresses.origin()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Address and port.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order of arrival.
    pub fn log(&self) -> Vec<Seen> {
        self.seen().into_log()
    }

    /// A summary of every request so far.
    pub fn seen(&self) -> Summary {
        self.world.log.snapshot()
    }

    /// Waits until the log satisfies a condition, which is checked at each request and each response.
    ///
    /// The condition must use only the summary it is given, because the log is locked meanwhile.
    pub async fn wait_for(&self, is_reached: impl FnMut(&Summary) -> bool) {
        self.world.log.wait_for(is_reached).await;
    }

    /// Every URL that is reachable from `/` by declared links, resources and redirects, with its response.
    ///
    /// Derived from the declaration, never from the log. It describes the site, not what a crawler may fetch: it
    /// includes what robots.txt disallows, and records for each URL whether followed links lead to it.
    pub fn expected(&self) -> BTreeMap<String, Truth> {
        truth::of_site(&self.site, &self.world.addresses)
    }

    /// How a client reaches the virtual hosts: `HOST:ADDRESS:PORT` for each, as `--resolve` takes it.
    pub fn resolve(&self) -> impl Iterator<Item = String> {
        let mut names: Vec<&String> = self.site.hosts.keys().collect();
        names.sort();
        names.into_iter().map(|name| format!("{name}:{}", self.address))
    }

    /// The problems that an audit of a virtual host must report, with absolute URLs, ordered by check and URL.
    pub fn problems_of(&self, host: &str) -> Vec<Problem> {
        let own = self.world.addresses.origin_of(host);
        let declared = self.site.hosts.get(host).map_or(&[][..], |site| &site.problems);
        let mut problems: Vec<Problem> =
            declared.iter().map(|problem| problem.filled(&self.world.addresses, &own)).collect();
        problems.sort();
        problems
    }

    /// The certificate authority to trust, as PEM.
    ///
    /// # Panics
    /// When the site does not use https.
    pub fn ca_pem(&self) -> String {
        self.identity().ca_pem.clone()
    }

    /// The certificate authority to trust, as DER.
    ///
    /// # Panics
    /// When the site does not use https.
    pub fn ca_der(&self) -> Vec<u8> {
        self.identity().ca_der.to_vec()
    }

    fn identity(&self) -> &Identity {
        self.identity.as_ref().expect("the site uses https")
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Running({})", self.origin())
    }
}
