//! Sockets: accepts connections, watches them, and closes them when a client is too slow, has too many, or we shut
//! down.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::{Method, Request, Response};
use bluesnake_app::App;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tower_service::Service;

use crate::error::{Code, Problem};
use crate::guard::places::{Place, Places, client_of};
use crate::guard::{Ends, answer_options};
use crate::options::ServerOptions;
use crate::routes;
use crate::state::Server;

/// How long connections may continue after shutdown began.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long to wait after accepting failed.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// Maximum header fields of a request.
const MOST_HEADERS: usize = 100;

/// Chunk size of bodies on the socket.
const PIECE: usize = 64 * 1024;
/// The socket's send buffer for a slow client. It becomes writable again when a third of it is free.
const SOCKET_BUFFER: usize = 256 * 1024;

/// Serves requests until `shutdown` completes. Then crawls are paused, streams end, and connections get a few seconds.
///
/// Crawls are followed from the call on, even before the future is polled.
pub fn serve<'a>(
    listener: TcpListener,
    app: App,
    options: ServerOptions,
    shutdown: impl Future<Output = ()> + Send + 'a,
) -> Work<'a> {
    Box::pin(serve_with(listener, Server::new(app, options), Box::pin(shutdown)))
}

/// Boxed, so that the server is compiled in this crate, not in every crate that calls it.
type Work<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

async fn serve_with(listener: TcpListener, server: Server, mut shutdown: Work<'_>) {
    let router = routes::router_of(server.clone());
    let limits = &server.options.limits;
    let slots = Arc::new(Semaphore::new(limits.connections));
    let places = Places::new(limits.connections_per_client);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
                Ok((stream, client)) => match Slot::take(&slots, &places, client) {
                    Err(why) => refuse(&stream, why),
                    Ok(slot) => {
                        let Ok(here) = stream.local_addr() else { continue };
                        let ends = Ends { client, here };
                        connections.spawn(connection(server.clone(), router.clone(), stream, ends, slot));
                    }
                },
            },
        }
    }
    // Clients that are no longer connected were refused after the last crawl was accepted.
    server.app.close();
    drop(listener);
    server.app.shut_down().await;
    // One more poll, so that subscribers see how their crawls ended.
    server.events.settle().await;
    server.end.cancel();
    let _ = tokio::time::timeout(LAST_WORDS, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
}

/// The slots of a connection: one of the total, and one of its client's.
struct Slot {
    _of_all: OwnedSemaphorePermit,
    _of_client: Place,
}

impl Slot {
    fn take(all: &Arc<Semaphore>, places: &Arc<Places>, client: SocketAddr) -> Result<Self, &'static str> {
        let of_client = places.take(client_of(client.ip()));
        let of_client = of_client.ok_or("too many connections are open from your address")?;
        let of_all = Arc::clone(all).try_acquire_owned().map_err(|_| "too many connections are open")?;
        Ok(Self { _of_all: of_all, _of_client: of_client })
    }
}

/// Reports that there are too many connections, if the socket accepts it immediately.
fn refuse(stream: &TcpStream, why: &str) {
    let problem = Problem::busy(Code::TooManyConnections, why);
    let body = serde_json::to_string(&problem.details()).expect("a problem serialises to JSON");
    let head = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 5\r\nconnection: close";
    let _ = stream.try_write(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

async fn connection(server: Server, router: Router, stream: TcpStream, ends: Ends, _slot: Slot) {
    let _counted = Counted::new(&server);
    let limits = &server.options.limits;
    let _ = stream.set_nodelay(true);
    // With the megabytes that the system would choose, a slow reader shows no progress for minutes.
    let _ = socket2::SockRef::from(&stream).set_send_buffer_size(SOCKET_BUFFER);
    let pulse = Arc::new(Pulse::default());
    let handed = Arc::clone(&pulse);
    let service = service_fn(move |request| answer(router.clone(), request, ends, Arc::clone(&handed)));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_time);
    builder.max_buf_size(limits.header_bytes.max(8192)).max_headers(MOST_HEADERS);
    let mut serving = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut looks = tokio::time::interval(limits.stall_time / 4);
    let mut is_ending = false;
    loop {
        tokio::select! {
            _ = &mut serving => return,
            _ = looks.tick() => {
                if pulse.has_stalled(limits.stall_time) {
                    tracing::debug!(client = %ends.client, "disconnected a client that does not read");
                    return;
                }
            }
            () = server.end.cancelled(), if !is_ending => {
                is_ending = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn answer(
    mut router: Router,
    request: Request<Incoming>,
    ends: Ends,
    pulse: Arc<Pulse>,
) -> Result<Response<Body>, Infallible> {
    pulse.set(None);
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ends);
    let is_options = request.method() == Method::OPTIONS;
    let response = router.call(request).await?;
    let response = if is_options { answer_options(response) } else { response };
    Ok(response.map(|body| Body::new(Watched { body, rest: Bytes::new(), pulse })))
}

/// A connection in the metrics.
struct Counted(Server);

impl Counted {
    fn new(server: &Server) -> Self {
        server.metrics.connections.fetch_add(1, Ordering::Relaxed);
        Self(server.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Since when a client has not accepted more data.
#[derive(Debug, Default)]
struct Pulse(Mutex<Option<Instant>>);

impl Pulse {
    fn set(&self, handed_out: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = handed_out;
    }

    fn has_stalled(&self, limit: Duration) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|since| since.elapsed() > limit)
    }
}

/// A body that notes whether the client reads: it is polled only when the socket accepted the previous chunk. Chunks
/// are small, so that a slow reader of a large body shows progress.
struct Watched {
    body: Body,
    /// The rest of the chunk that the body produced.
    rest: Bytes,
    pulse: Arc<Pulse>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(cx).map_ok(Frame::into_data) {
                Poll::Ready(Some(Ok(Ok(data)))) => self.rest = data,
                Poll::Ready(Some(Ok(Err(trailers)))) => return Poll::Ready(Some(Ok(trailers))),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    self.pulse.set(None);
                    return Poll::Pending;
                }
            }
        }
        self.pulse.set(Some(Instant::now()));
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut whole = SizeHint::new();
        whole.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            whole.set_upper(upper + rest);
        }
        whole
    }
}

impl Drop for Watched {
    /// The end of the body may still be in the socket until the next request shows that it was read.
    fn drop(&mut self) {
        self.pulse.set(Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use bluesnake_app::AppOptions;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::events::{EventData, EventKind};
    use crate::options::ServerLimits;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_listener_that_never_reads_is_let_go_and_one_that_reads_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let limits = ServerLimits { stall_time: Duration::from_millis(400), ..ServerLimits::default() };
        let server = Server::new(app, ServerOptions { limits, ..ServerOptions::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(serve_with(listener, server.clone(), Box::pin(std::future::pending())));
        let listen = async || {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let request = format!("GET /api/v1/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut first = [0; 16];
            stream.read_exact(&mut first).await.unwrap();
            stream
        };
        let (_deaf, mut reader) = (listen().await, listen().await);
        let streams = || server.options.limits.event_streams - server.event_streams.available_permits();
        assert_eq!(streams(), 2);

        // More than the buffers of two sockets hold.
        let long = EventData { reason: Some("x".repeat(100_000)), ..EventData::new(EventKind::Started, 1) };
        (0..200).for_each(|_| server.events.publish(&long));
        tasks.spawn(async move {
            let mut bytes = vec![0; 64 * 1024];
            while reader.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
        });
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        let let_go = async {
            while streams() == 2 {
                looks.tick().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(300), let_go).await.expect("it is disconnected");
        assert_eq!((streams(), server.metrics.connections.load(Ordering::Relaxed)), (1, 1));
    }
}
