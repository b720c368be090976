//! Opens connections: DNS lookup, address check, socket, and TLS if the URL needs it.
//!
//! The only place in the engine that connects to the web. Each phase is timed and has its own failure kinds. What is
//! known about a connection travels with each of its responses, as [`Opened`].

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::Uri;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout_at};

use super::classify;
use super::guard;
use super::outcome::{Failure, FailureKind};
use super::pool::{Permit, Pool};
use super::proxy::Proxy;
use super::resolve::Resolver;
use super::tls::Tls;
use super::tunnel::Tunnel;

/// RFC 8305: how long to wait for an address before trying the next one in parallel.
const STAGGER: Duration = Duration::from_millis(250);

/// How many 1xx responses may precede the response itself.
const MOST_INFORMATIONAL: usize = 100;
/// The HTTP/2 library does not count them, so we limit the bytes that may arrive without a head or a piece of a body:
/// more than a peer may send of bodies that are still unread.
const MOST_IDLE_BYTES: usize = 8 << 20;

/// What is known about a connection.
pub(super) struct Opened {
    pub(super) phases: Phases,
    /// The peer; `None` if it is a proxy.
    pub(super) remote: Option<SocketAddr>,
    pub(super) certificate_problem: Option<String>,
    has_responded: AtomicBool,
    /// Informational responses since the last request.
    informational: AtomicUsize,
    /// Bytes since the last head or piece of a body.
    idle_bytes: AtomicUsize,
}

impl Opened {
    fn new(phases: Phases, remote: Option<SocketAddr>, certificate_problem: Option<String>) -> Self {
        let has_responded = AtomicBool::new(false);
        let (informational, idle_bytes) = Default::default();
        Self { phases, remote, certificate_problem, has_responded, informational, idle_bytes }
    }

    /// Counts a 1xx response.
    pub(super) fn note_informational(&self) {
        self.informational.fetch_add(1, Ordering::Relaxed);
    }

    /// Resets the counters: expected data arrived, or a request was sent.
    pub(super) fn note_progress(&self) {
        self.informational.store(0, Ordering::Relaxed);
        self.idle_bytes.store(0, Ordering::Relaxed);
    }

    /// The failure if the peer keeps sending data that is not part of a response.
    pub(super) fn flood(&self) -> Option<Failure> {
        if self.informational.load(Ordering::Relaxed) > MOST_INFORMATIONAL {
            let detail = format!("more than {MOST_INFORMATIONAL} informational responses");
            return Some(Failure::new(FailureKind::Flood, detail));
        }
        let is_much = self.idle_bytes.load(Ordering::Relaxed) > MOST_IDLE_BYTES;
        is_much.then(|| Failure::new(FailureKind::Flood, format!("more than {} MiB", MOST_IDLE_BYTES >> 20)))
    }

    /// Marks the connection as having carried a response. Returns whether it already had.
    pub(super) fn mark_responded(&self) -> bool {
        self.has_responded.swap(true, Ordering::Relaxed)
    }

    /// Whether the connection has carried a response.
    pub(super) fn has_responded(&self) -> bool {
        self.has_responded.load(Ordering::Relaxed)
    }
}

/// Timings of the phases of opening a connection that were reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phases {
    pub(super) dns: Option<Duration>,
    pub(super) connect: Option<Duration>,
    pub(super) tls: Option<Duration>,
}

/// Opens the connections of one crawl.
pub(super) struct Connector {
    pub(super) resolver: Resolver,
    pub(super) tls: Tls,
    pub(super) proxy: Option<Proxy>,
    pub(super) allow_private: bool,
    pub(super) time_limit: Duration,
    pub(super) pool: Pool,
}

/// Where a connection should lead.
#[derive(Clone, Copy)]
struct Target<'a> {
    /// An IPv6 address has brackets.
    host: &'a str,
    port: u16,
    is_https: bool,
}

impl<'a> Target<'a> {
    fn of(uri: &'a Uri) -> Option<Self> {
        let is_https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        (port > 0).then_some(Self { host: uri.host()?, port, is_https })
    }
}

impl Connector {
    /// Resolves where connections for a URL go: to its host, or to the proxy.
    pub(super) async fn route(&self, uri: &Uri, permit: Permit, phases: &mut Phases) -> Result<Route, Failure> {
        let began = Instant::now();
        let deadline = began + self.time_limit;
        let target = Target::of(uri).ok_or(FailureKind::Unsendable)?;
        let found = match &self.proxy {
            None => {
                let addresses = self.resolver.addresses(target.host, target.port, permit);
                within(deadline, FailureKind::DnsFailed, addresses).await
            }
            Some(proxy) => {
                guard::check_name(target.host, self.allow_private)?;
                let addresses = self.resolver.trusted_addresses(&proxy.host, proxy.port, permit);
                within(deadline, FailureKind::DnsFailed, addresses).await.map_err(of_proxy)
            }
        };
        let took = began.elapsed();
        phases.dns = Some(took);
        let (addresses, permit) = found?;
        Ok(Route { addresses, permit, time_left: self.time_limit.saturating_sub(took) })
    }

    /// The address of the host a route leads to; `None` if only a proxy knows it.
    pub(super) fn host_address(&self, route: &Route) -> Option<IpAddr> {
        route.addresses.first().filter(|_| self.proxy.is_none()).map(SocketAddr::ip)
    }

    /// Opens a connection for a URL. It holds the permit until its last socket is closed.
    pub(super) async fn open(&self, uri: &Uri, route: Route, phases: &mut Phases) -> Result<Stream, Failure> {
        let deadline = Instant::now() + route.time_left;
        let target = Target::of(uri).ok_or(FailureKind::Unsendable)?;
        let (mut transport, permit, remote) = match &self.proxy {
            None => {
                let dialled = self.dial(route, deadline, phases).await?;
                (Box::new(dialled.stream) as Transport, dialled.permit, Some(dialled.remote))
            }
            Some(proxy) => {
                let (transport, permit) = self.open_through(proxy, target, route, deadline, phases).await?;
                (transport, permit, None)
            }
        };
        let (mut certificate_problem, mut speaks_http2) = (None, false);
        if target.is_https {
            let began = Instant::now();
            let secured = within(deadline, FailureKind::TlsTimeout, self.tls.secure(target.host, transport)).await;
            phases.tls = Some(began.elapsed());
            let secured = secured?;
            speaks_http2 = secured.stream.get_ref().1.alpn_protocol() == Some(b"h2");
            transport = Box::new(secured.stream);
            certificate_problem = secured.certificate_problem;
        }
        let opened = Opened::new(*phases, remote, certificate_problem);
        let is_forwarded = self.proxy.as_ref().is_some_and(|proxy| proxy.forwards(target.is_https));
        Ok(Stream { transport, opened: Arc::new(opened), speaks_http2, is_forwarded, _permit: permit })
    }

    /// Opens a connection over which another client speaks, TLS included.
    pub(super) async fn open_tunnel(&self, uri: &Uri, route: Route, phases: &mut Phases) -> Result<Tunnel, Failure> {
        let deadline = Instant::now() + route.time_left;
        let target = Target::of(uri).ok_or(FailureKind::Unsendable)?;
        match &self.proxy {
            None => {
                let Dialled { stream, permit, .. } = self.dial(route, deadline, phases).await?;
                Ok(Tunnel { transport: Box::new(stream), _permit: permit, is_forwarded: false })
            }
            Some(proxy) => {
                let (transport, permit) = self.open_through(proxy, target, route, deadline, phases).await?;
                Ok(Tunnel { transport, _permit: permit, is_forwarded: proxy.forwards(target.is_https) })
            }
        }
    }

    async fn open_through(
        &self,
        proxy: &Proxy,
        target: Target<'_>,
        route: Route,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Transport, Permit), Failure> {
        let (transport, permit) = self.open_proxy(proxy, route, deadline, phases).await.map_err(of_proxy)?;
        if proxy.forwards(target.is_https) {
            return Ok((transport, permit));
        }
        let tunnel = within(deadline, FailureKind::Proxy, proxy.tunnel(transport, target.host, target.port)).await?;
        Ok((tunnel, permit))
    }

    async fn open_proxy(
        &self,
        proxy: &Proxy,
        route: Route,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Transport, Permit), Failure> {
        let Dialled { stream, permit, .. } = self.dial(route, deadline, phases).await?;
        if !proxy.is_secure() {
            return Ok((Box::new(stream), permit));
        }
        let secured = self.tls.secure_proxy(&proxy.host, stream);
        let stream = within(deadline, FailureKind::TlsTimeout, secured).await?;
        Ok((Box::new(stream), permit))
    }

    /// Connects to one of the addresses.
    async fn dial(&self, route: Route, deadline: Instant, phases: &mut Phases) -> Result<Dialled, Failure> {
        let began = Instant::now();
        let connecting = first_to_connect(&route.addresses, route.permit, &self.pool);
        let dialled = within(deadline, FailureKind::ConnectTimeout, connecting).await;
        phases.connect = Some(began.elapsed());
        let dialled = dialled?;
        // A request is a single write, so Nagle's algorithm only adds delay. Failure to disable it is harmless.
        let _ = dialled.stream.set_nodelay(true);
        Ok(dialled)
    }
}

/// Failures on the way to a proxy are the proxy's, unless they are local.
fn of_proxy(failure: Failure) -> Failure {
    if failure.kind == FailureKind::Exhausted {
        return failure;
    }
    Failure::new(FailureKind::Proxy, failure.to_string())
}

/// Where to connect, and the deadline.
pub(super) struct Route {
    addresses: Vec<SocketAddr>,
    permit: Permit,
    time_left: Duration,
}

/// A connected socket.
struct Dialled {
    stream: TcpStream,
    remote: SocketAddr,
    permit: Permit,
}

/// A failed attempt passes its permit to the next one.
async fn connect(address: SocketAddr, permit: Permit) -> Result<Dialled, (Failure, Permit)> {
    match TcpStream::connect(address).await {
        Ok(stream) => Ok(Dialled { stream, remote: address, permit }),
        Err(error) => Err((socket_failure(&error, address), permit)),
    }
}

/// Tries addresses in order, each a little after the previous one, and returns the first that connects. Without a
/// permit for another socket, an address waits until an earlier one has failed.
async fn first_to_connect(addresses: &[SocketAddr], permit: Permit, pool: &Pool) -> Result<Dialled, Failure> {
    let mut under_way = FuturesUnordered::new();
    let mut spare = Some(permit);
    let mut first_failure = None;
    let mut addresses = addresses.iter().copied().peekable();
    loop {
        if addresses.peek().is_some()
            && let Some(permit) = spare.take().or_else(|| pool.try_permit())
        {
            under_way.push(connect(addresses.next().expect("it was just looked at"), permit));
        }
        let has_more = addresses.peek().is_some();
        tokio::select! {
            biased;
            next = under_way.next() => match next {
                Some(Ok(dialled)) => return Ok(dialled),
                Some(Err((failure, permit))) => {
                    // A local shortage says nothing about the host, so the remaining addresses are not blamed either.
                    let is_ours = failure.kind == FailureKind::Exhausted;
                    first_failure = first_failure.filter(|_| !is_ours).or(Some(failure));
                    spare = Some(permit);
                }
                None => return Err(first_failure.unwrap_or_else(|| FailureKind::DnsNotFound.into())),
            },
            () = sleep(STAGGER), if has_more => {}
        }
    }
}

fn socket_failure(error: &io::Error, address: SocketAddr) -> Failure {
    if error.kind() == io::ErrorKind::AddrNotAvailable && !is_routed(address) {
        return Failure::new(FailureKind::Unreachable, error.kind().to_string());
    }
    match classify::io_failure(error) {
        Some(failure) if failure.kind != FailureKind::Malformed => failure,
        _ => Failure::new(FailureKind::Unreachable, error.kind().to_string()),
    }
}

/// Whether this machine currently has no sockets left.
pub(super) fn is_short_of_sockets() -> bool {
    let opened = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
    opened
        .is_err_and(|error| classify::io_failure(&error).is_some_and(|failure| failure.kind == FailureKind::Exhausted))
}

/// Whether this machine has a route to an address. Without one, the system returns the same error as when it is out
/// of ports. Sends nothing.
fn is_routed(address: SocketAddr) -> bool {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let routed = std::net::UdpSocket::bind(any).and_then(|socket| socket.connect(address));
    !matches!(routed, Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable)
}

async fn within<T>(
    deadline: Instant,
    late: FailureKind,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match timeout_at(deadline, work).await {
        Ok(result) => result,
        Err(_) => Err(Failure::new(late, "timed out")),
    }
}

/// An open connection, ready for HTTP.
pub(super) struct Stream {
    transport: Transport,
    pub(super) opened: Arc<Opened>,
    pub(super) speaks_http2: bool,
    /// Requests are forwarded by a proxy.
    pub(super) is_forwarded: bool,
    _permit: Permit,
}

/// The byte stream to the peer; TLS may run over TLS if the proxy uses it too.
pub(super) type Transport = Box<dyn ByteStream>;

pub(super) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.opened.flood().is_some() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.transport).poll_read(cx, buffer);
        self.opened.idle_bytes.fetch_add(buffer.filled().len() - before, Ordering::Relaxed);
        read
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_dead_address_does_not_block_a_live_one() {
        let dead = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let alive = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let alive_at = alive.local_addr().unwrap();
        let pool = Pool::new(1);
        for _ in 0..2 {
            let permit = pool.permit().await;
            assert_eq!(first_to_connect(&[dead, alive_at], permit, &pool).await.ok().unwrap().remote, alive_at);
        }
        let permit = pool.permit().await;
        assert_eq!(first_to_connect(&[dead], permit, &pool).await.err().unwrap().kind, FailureKind::Refused);
    }

    #[test]
    fn there_is_no_port_zero() {
        let target = |text: &str| Target::of(&text.parse().unwrap()).map(|target| target.port);
        assert_eq!(target("https://a.example/"), Some(443));
        assert_eq!(target("http://a.example:0/"), None);
    }
}
