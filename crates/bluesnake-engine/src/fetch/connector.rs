//! Connections: a name looked up, an address that may be reached, a socket, and TLS where the URL asks for it.
//!
//! The one place of the engine that opens a connection to the web. Each phase has its time taken, and each its own way to
//! fail. What is known about a connection travels with every answer that comes over it, as [`Opened`].

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_rustls::client::TlsStream;
use tower_service::Service;

use super::classify;
use super::guard;
use super::outcome::{Failure, FailureKind};
use super::proxy::Proxy;
use super::resolve::Resolver;
use super::tls::Tls;

/// RFC 8305: how long an address may keep us waiting before the next one is tried beside it.
const STAGGER: Duration = Duration::from_millis(250);

/// What is known about a connection.
pub(super) struct Opened {
    pub(super) phases: Phases,
    /// The other side; not told when it is a proxy.
    pub(super) remote: Option<SocketAddr>,
    pub(super) certificate_problem: Option<String>,
    has_answered: AtomicBool,
}

impl Opened {
    /// Whether an answer came over it before; from now on one did.
    pub(super) fn mark_answered(&self) -> bool {
        self.has_answered.swap(true, Ordering::Relaxed)
    }

    /// Whether an answer ever came over it.
    pub(super) fn has_answered(&self) -> bool {
        self.has_answered.load(Ordering::Relaxed)
    }
}

/// How long the phases of opening a connection took; those that were reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Phases {
    pub(super) dns: Option<Duration>,
    pub(super) connect: Option<Duration>,
    pub(super) tls: Option<Duration>,
}

/// A connection that did not come to stand.
#[derive(Debug)]
pub(super) struct ConnectFailure {
    pub(super) failure: Failure,
    pub(super) phases: Phases,
}

impl fmt::Display for ConnectFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl std::error::Error for ConnectFailure {}

/// Opens the connections of one crawl.
#[derive(Clone)]
pub(super) struct Connector {
    parts: Arc<Parts>,
}

/// What a connector is made of.
pub(super) struct Parts {
    pub(super) resolver: Resolver,
    pub(super) tls: Tls,
    pub(super) proxy: Option<Proxy>,
    pub(super) allow_private: bool,
    pub(super) time_limit: Duration,
}

impl Connector {
    pub(super) fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = ConnectFailure;
    type Future = Pin<Box<dyn Future<Output = Result<TokioIo<Stream>, ConnectFailure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectFailure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let parts = Arc::clone(&self.parts);
        Box::pin(async move {
            let mut phases = Phases::default();
            let stream = parts.open(&target, &mut phases).await;
            stream.map(TokioIo::new).map_err(|failure| ConnectFailure { failure, phases })
        })
    }
}

/// Where a connection is to lead.
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

impl Parts {
    async fn open(&self, uri: &Uri, phases: &mut Phases) -> Result<Stream, Failure> {
        let deadline = Instant::now() + self.time_limit;
        let target = Target::of(uri).ok_or(FailureKind::Unsendable)?;
        let (mut transport, remote) = match &self.proxy {
            None => self.open_direct(target, deadline, phases).await?,
            Some(proxy) => (self.open_through(proxy, target, deadline, phases).await?, None),
        };
        let mut certificate_problem = None;
        if target.is_https {
            let began = Instant::now();
            let secured = within(deadline, FailureKind::TlsTimeout, self.tls.secure(target.host, transport)).await;
            phases.tls = Some(began.elapsed());
            let secured = secured?;
            transport = Transport::Tls(Box::new(secured.stream));
            certificate_problem = secured.certificate_problem;
        }
        let opened = Opened { phases: *phases, remote, certificate_problem, has_answered: AtomicBool::new(false) };
        let is_forwarded = self.proxy.as_ref().is_some_and(|proxy| proxy.forwards(target.is_https));
        Ok(Stream { transport, opened: Arc::new(opened), is_forwarded })
    }

    async fn open_direct(
        &self,
        target: Target<'_>,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<(Transport, Option<SocketAddr>), Failure> {
        let addresses = lookup(self.resolver.addresses(target.host, target.port), deadline, phases).await?;
        let (stream, remote) = dial(&addresses, deadline, phases).await?;
        Ok((Transport::Tcp(stream), Some(remote)))
    }

    async fn open_through(
        &self,
        proxy: &Proxy,
        target: Target<'_>,
        deadline: Instant,
        phases: &mut Phases,
    ) -> Result<Transport, Failure> {
        guard::check_name(target.host, self.allow_private)?;
        let transport = self.open_proxy(proxy, deadline, phases).await;
        let transport = transport.map_err(|failure| Failure::new(FailureKind::Proxy, failure.to_string()))?;
        if proxy.forwards(target.is_https) {
            return Ok(transport);
        }
        within(deadline, FailureKind::Proxy, proxy.tunnel(transport, target.host, target.port)).await
    }

    async fn open_proxy(&self, proxy: &Proxy, deadline: Instant, phases: &mut Phases) -> Result<Transport, Failure> {
        let addresses = self.resolver.trusted_addresses(&proxy.host, proxy.port);
        let addresses = lookup(addresses, deadline, phases).await?;
        let (stream, _) = dial(&addresses, deadline, phases).await?;
        if !proxy.is_secure() {
            return Ok(Transport::Tcp(stream));
        }
        let secured = self.tls.secure_proxy(&proxy.host, Transport::Tcp(stream));
        let stream = within(deadline, FailureKind::TlsTimeout, secured).await?;
        Ok(Transport::Tls(Box::new(stream)))
    }
}

async fn lookup(
    addresses: impl Future<Output = Result<Vec<SocketAddr>, Failure>>,
    deadline: Instant,
    phases: &mut Phases,
) -> Result<Vec<SocketAddr>, Failure> {
    let began = Instant::now();
    let found = within(deadline, FailureKind::DnsFailed, addresses).await;
    phases.dns = Some(began.elapsed());
    found
}

async fn dial(
    addresses: &[SocketAddr],
    deadline: Instant,
    phases: &mut Phases,
) -> Result<(TcpStream, SocketAddr), Failure> {
    let began = Instant::now();
    let connected = within(deadline, FailureKind::ConnectTimeout, first_to_connect(addresses)).await;
    phases.connect = Some(began.elapsed());
    let (stream, remote) = connected?;
    // A request is one write, so waiting for more to send with it only costs time; a socket that refuses still works.
    let _ = stream.set_nodelay(true);
    Ok((stream, remote))
}

/// Tries addresses in order, each a little after the one before, and takes the first that answers.
async fn first_to_connect(addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), Failure> {
    let mut under_way = FuturesUnordered::new();
    let mut first_failure = None;
    for &address in addresses {
        under_way.push(async move { Ok::<_, io::Error>((TcpStream::connect(address).await?, address)) });
        tokio::select! {
            Some(result) = under_way.next() => match result {
                Ok(connected) => return Ok(connected),
                Err(error) => first_failure = first_failure.or(Some(error)),
            },
            () = sleep(STAGGER) => {}
        }
    }
    while let Some(result) = under_way.next().await {
        match result {
            Ok(connected) => return Ok(connected),
            Err(error) => first_failure = first_failure.or(Some(error)),
        }
    }
    Err(first_failure.map_or_else(|| FailureKind::DnsNotFound.into(), |error| socket_failure(&error)))
}

fn socket_failure(error: &io::Error) -> Failure {
    match classify::io_failure(error) {
        Some(failure) if failure.kind != FailureKind::Malformed => failure,
        _ => Failure::new(FailureKind::Unreachable, error.kind().to_string()),
    }
}

async fn within<T>(
    deadline: Instant,
    late: FailureKind,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match timeout_at(deadline, work).await {
        Ok(result) => result,
        Err(_) => Err(Failure::new(late, "no answer in time")),
    }
}

/// An open connection, ready for HTTP.
pub(super) struct Stream {
    transport: Transport,
    opened: Arc<Opened>,
    is_forwarded: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.is_forwarded).extra(Arc::clone(&self.opened));
        if self.transport.speaks_http2() { connected.negotiated_h2() } else { connected }
    }
}

/// Bytes to and from the other side; TLS may lie over TLS when the proxy is secure too.
pub(super) enum Transport {
    Tcp(TcpStream),
    Tls(Box<TlsStream<Transport>>),
}

impl Transport {
    fn speaks_http2(&self) -> bool {
        match self {
            Self::Tcp(_) => false,
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_read(cx, buffer)
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
    async fn a_dead_address_does_not_keep_us_from_a_living_one() {
        let dead = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let alive = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let alive_at = alive.local_addr().unwrap();
        let (_, remote) = first_to_connect(&[dead, alive_at]).await.unwrap();
        assert_eq!(remote, alive_at);
        assert_eq!(first_to_connect(&[dead]).await.unwrap_err().kind, FailureKind::Refused);
    }

    #[test]
    fn there_is_no_port_zero() {
        let target = |text: &str| Target::of(&text.parse().unwrap()).map(|target| target.port);
        assert_eq!(target("https://a.example/"), Some(443));
        assert_eq!(target("http://a.example:0/"), None);
    }
}
