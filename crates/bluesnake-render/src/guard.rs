//! The proxy through which the browser reaches the web, inside our process.
//!
//! It connects with the engine's own connections, so that every address is checked when it is connected to. It serves
//! only a client with its password, and only hosts that a page of ours has requested something from: browsers also call
//! their makers. It cannot see URLs inside TLS; what pages request is recorded elsewhere.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bluesnake_engine::fetch::{Failure, FailureKind, Fetcher, Tunnel};
use bytes::Bytes;
use http::header::{CONNECTION, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// A page's request may be reported a little after its connection arrives.
const PATIENCE: Duration = Duration::from_secs(3);
/// The host that the proxy itself answers, to learn the password. It never resolves.
pub(crate) const OWN_HOST: &str = "bluesnake.invalid";
/// The user name that goes with the password.
pub(crate) const USER: &str = "bluesnake";

/// The running proxy.
#[derive(Debug)]
pub(crate) struct Guard {
    shared: Arc<Shared>,
    port: u16,
    /// Ends with the guard, and its connections with it.
    _server: JoinSet<()>,
}

struct Shared {
    fetcher: Fetcher,
    password: String,
    /// The hosts that pages have requested something from.
    expected: Mutex<HashSet<Box<str>>>,
    news: Notify,
    /// Why hosts could not be reached.
    refused: Mutex<HashMap<Box<str>, Refusal>>,
    bytes: Arc<AtomicU64>,
}

/// Why a host could not be reached.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) why: Box<str>,
    /// Whether we did not try.
    pub(crate) is_ours: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Guard {
    /// Starts the proxy on a free port of this machine.
    pub(crate) async fn start(fetcher: Fetcher) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let shared = Arc::new(Shared {
            fetcher,
            password: u128::from_ne_bytes(secret).to_string(),
            expected: Mutex::default(),
            news: Notify::new(),
            refused: Mutex::default(),
            bytes: Arc::default(),
        });
        let mut server = JoinSet::new();
        server.spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { shared, port, _server: server })
    }

    /// The value of `--proxy-server`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn password(&self) -> &str {
        &self.shared.password
    }

    /// Allows connections to the host of a URL, because a page requests it.
    pub(crate) fn expect(&self, url: &str) {
        let Some(host) = host_of(url) else { return };
        let is_new = self.shared.expected.lock().expect("nothing panics with the lock").insert(host);
        if is_new {
            self.shared.news.notify_waiters();
        }
    }

    /// Why the host of a URL could not be reached, if it could not.
    pub(crate) fn refusal(&self, url: &str) -> Option<Refusal> {
        self.shared.refused.lock().expect("nothing panics with the lock").get(&host_of(url)?).cloned()
    }

    /// Bytes received and sent for the browser so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }
}

/// The host of a URL, in lower case and without its port.
fn host_of(url: &str) -> Option<Box<str>> {
    let authority = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit('@').next()?;
    let host = match authority.strip_prefix('[') {
        Some(v6) => &authority[..v6.find(']')? + 2],
        None => authority.split(':').next()?,
    };
    Some(host.to_ascii_lowercase().into())
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => _ = connections.spawn(connection(stream, Arc::clone(&shared))),
                // Out of descriptors; the next connection may have more luck.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let tunnels = Arc::new(Mutex::new(JoinSet::new()));
    let respond = service_fn(|request| {
        let (shared, tunnels) = (Arc::clone(&shared), Arc::clone(&tunnels));
        async move { Ok::<_, Infallible>(shared.respond(request, &tunnels).await) }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), respond)
        .with_upgrades();
    let _ = serving.await;
    let mut tunnels = std::mem::take(&mut *tunnels.lock().expect("nothing panics with the lock"));
    while tunnels.join_next().await.is_some() {}
}

type Reply = Response<BoxBody<Bytes, hyper::Error>>;

fn reply(status: StatusCode) -> Reply {
    let mut reply = Response::new(Empty::new().map_err(|never| match never {}).boxed());
    *reply.status_mut() = status;
    reply
}

impl Shared {
    async fn respond(&self, request: Request<Incoming>, tunnels: &Mutex<JoinSet<()>>) -> Reply {
        if !self.is_ours(&request) {
            let mut reply = reply(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
            reply.headers_mut().insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"bluesnake\""));
            return reply;
        }
        let Some(host) = request.uri().host().map(str::to_ascii_lowercase) else {
            return reply(StatusCode::BAD_REQUEST);
        };
        if host == OWN_HOST {
            return reply(StatusCode::NO_CONTENT);
        }
        if !self.is_expected(&host).await {
            tracing::debug!(host, "the browser requested a host that no page requested");
            self.refuse(&host, "no page requested it", true);
            return reply(StatusCode::FORBIDDEN);
        }
        let responded = match *request.method() {
            Method::CONNECT => self.tunnel(request, tunnels).await,
            _ => self.forward(request).await,
        };
        responded.unwrap_or_else(|failure| {
            tracing::debug!(host, %failure, "no connection for the browser");
            self.refuse(&host, &failure.to_string(), failure.kind == FailureKind::AddressRefused);
            reply(StatusCode::BAD_GATEWAY)
        })
    }

    fn is_ours(&self, request: &Request<Incoming>) -> bool {
        let login = format!("Basic {}", STANDARD.encode(format!("{USER}:{}", self.password)));
        request.headers().get(PROXY_AUTHORIZATION).is_some_and(|value| value.as_bytes() == login.as_bytes())
    }

    async fn is_expected(&self, host: &str) -> bool {
        let is_known = || self.expected.lock().expect("nothing panics with the lock").contains(host);
        let waiting = async {
            loop {
                let news = self.news.notified();
                if is_known() {
                    return;
                }
                news.await;
            }
        };
        is_known() || tokio::time::timeout(PATIENCE, waiting).await.is_ok()
    }

    fn refuse(&self, host: &str, why: &str, is_ours: bool) {
        let refusal = Refusal { why: why.into(), is_ours };
        self.refused.lock().expect("nothing panics with the lock").insert(host.into(), refusal);
    }

    /// Connects and then passes on bytes blindly.
    async fn tunnel(&self, request: Request<Incoming>, tunnels: &Mutex<JoinSet<()>>) -> Result<Reply, Failure> {
        let authority = request.uri().authority().map_or("", |authority| authority.as_str());
        // The client speaks TLS, or a protocol of its own that no proxy forwards.
        let Ok(uri) = format!("https://{authority}/").parse::<Uri>() else {
            return Ok(reply(StatusCode::BAD_REQUEST));
        };
        let mut tunnel = self.fetcher.tunnel(&uri).await?;
        let bytes = Arc::clone(&self.bytes);
        tunnels.lock().expect("nothing panics with the lock").spawn(async move {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                let mut browser = TokioIo::new(upgraded);
                if let Ok((sent, received)) = tokio::io::copy_bidirectional(&mut browser, &mut tunnel).await {
                    bytes.fetch_add(sent + received, Ordering::Relaxed);
                }
            }
        });
        Ok(reply(StatusCode::OK))
    }

    /// Sends a plain http request over a connection of its own.
    async fn forward(&self, mut request: Request<Incoming>) -> Result<Reply, Failure> {
        let tunnel = self.fetcher.tunnel(request.uri()).await?;
        let headers = request.headers_mut();
        headers.remove(PROXY_AUTHORIZATION);
        headers.remove("proxy-connection");
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        if tunnel.is_forwarded {
            request
                .headers_mut()
                .extend(self.fetcher.upstream_authorization().map(|value| (PROXY_AUTHORIZATION, value)));
        } else {
            to_origin_form(&mut request);
        }
        let bytes = Arc::clone(&self.bytes);
        Ok(exchange(tunnel, request, bytes).await.unwrap_or_else(|_| reply(StatusCode::BAD_GATEWAY)))
    }
}

fn to_origin_form(request: &mut Request<Incoming>) {
    let uri = std::mem::take(request.uri_mut());
    if !request.headers().contains_key(HOST)
        && let Some(host) = uri.authority().and_then(|authority| HeaderValue::try_from(authority.as_str()).ok())
    {
        request.headers_mut().insert(HOST, host);
    }
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse().unwrap_or_else(|_| Uri::from_static("/"));
}

async fn exchange(tunnel: Tunnel, request: Request<Incoming>, bytes: Arc<AtomicU64>) -> hyper::Result<Reply> {
    let (mut sender, connection) =
        hyper::client::conn::http1::Builder::new().preserve_header_case(true).handshake(TokioIo::new(tunnel)).await?;
    let mut driving = JoinSet::new();
    driving.spawn(async move { _ = connection.await });
    let response = sender.send_request(request).await?;
    // The connection is driven as long as its body is read.
    Ok(response.map(|body| Driven { body, bytes, _driving: driving, _sender: sender }.boxed()))
}

/// A body with the connection that it comes from.
struct Driven {
    body: Incoming,
    bytes: Arc<AtomicU64>,
    _driving: JoinSet<()>,
    _sender: hyper::client::conn::http1::SendRequest<Incoming>,
}

impl hyper::body::Body for Driven {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, hyper::Error>>> {
        let frame = std::pin::Pin::new(&mut self.body).poll_frame(cx);
        if let std::task::Poll::Ready(Some(Ok(frame))) = &frame {
            let length = frame.data_ref().map_or(0, Bytes::len);
            self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_from_urls() {
        let check = |url, host: Option<&str>| assert_eq!(host_of(url).as_deref(), host, "{url}");
        check("http://A.example:81/x", Some("a.example"));
        check("wss://u:p@a.example?x", Some("a.example"));
        check("http://[::1]:80/", Some("[::1]"));
        check("data:text/html,x", None);
    }
}
