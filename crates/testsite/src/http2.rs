//! HTTP/2 over TLS, with the faults that a valid HTTP/2 server can still commit.
//!
//! Faults of HTTP/1.1 syntax have no counterpart here and reset the stream instead.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use h2::Reason;
use http::{Request, Response};
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::{Interval, interval};
use tokio_rustls::server::TlsStream;

use crate::address::without_port;
use crate::fault::Fault;
use crate::log::{Exchange, Protocol, Seen};
use crate::reply::{Content, Pieces, Prepared};
use crate::world::{Answer, World};

pub(crate) async fn serve(stream: TlsStream<TcpStream>, world: Arc<World>, connection: u64) {
    let (served, enough) = (AtomicU64::new(0), Notify::new());
    let limit = world.goes_away_after();
    let service = service_fn(|request| {
        let number = served.fetch_add(1, Ordering::Relaxed) + 1;
        if limit.is_some_and(|limit| number >= limit) {
            enough.notify_one();
        }
        respond(request, Arc::clone(&world), connection)
    });
    let executor = TokioExecutor::new();
    let mut served_connection =
        pin!(hyper::server::conn::http2::Builder::new(executor).serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // Broken connections are expected here.
        _ = served_connection.as_mut() => return,
        () = enough.notified() => served_connection.as_mut().graceful_shutdown(),
    }
    served_connection.await.ok();
}

async fn respond(
    request: Request<Incoming>,
    world: Arc<World>,
    connection: u64,
) -> Result<Response<Sending>, h2::Error> {
    let exchange = world.log.record(|| seen(&request, connection));
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let planned = world.answer(&host_of(&request), target);
    tokio::time::sleep(planned.wait).await;
    match planned.answer {
        Answer::Reply(reply) => Ok(response(&reply, request.method() == "HEAD", exchange)),
        Answer::Fault(fault) => commit(&fault, exchange).await,
    }
}

fn host_of(request: &Request<Incoming>) -> String {
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let header = || request.headers().get("host").and_then(|value| value.to_str().ok());
    without_port(authority.or_else(header).unwrap_or_default()).to_ascii_lowercase()
}

fn seen(request: &Request<Incoming>, connection: u64) -> Seen {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Seen {
        order: 0,
        at: Instant::now(),
        answered: None,
        host: host_of(request),
        method: request.method().to_string(),
        target: request.uri().path_and_query().map_or_else(|| "/".into(), ToString::to_string),
        headers: request.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        connection,
        protocol: Protocol::Http2,
    }
}

fn response(reply: &Prepared, is_head: bool, exchange: Exchange) -> Response<Sending> {
    let mut response = Response::builder().status(reply.status);
    // HTTP/2 forbids connection headers.
    for (name, value) in reply.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("connection")) {
        response = response.header(name, value);
    }
    let pieces: Pieces = match &reply.body {
        _ if is_head => Box::new(std::iter::empty()),
        Content::Whole(body) => Box::new(std::iter::once(body.clone()).filter(|body| !body.is_empty())),
        Content::Streamed { make, own } => make(own),
    };
    response.body(Sending::whole(pieces, exchange)).expect("a declared reply is valid HTTP/2")
}

async fn commit(fault: &Fault, exchange: Exchange) -> Result<Response<Sending>, h2::Error> {
    let piece = || Bytes::from_static(b"<!doctype html><title>Faulty</title>");
    match fault {
        Fault::HangBeforeHeaders => std::future::pending().await,
        Fault::RefuseStream => Err(Reason::REFUSED_STREAM.into()),
        Fault::ResetStream | Fault::ResetMidBody | Fault::TruncatedBody => {
            let mut body = Sending::whole(Box::new(std::iter::once(piece())), exchange);
            body.failure = Some(Reason::INTERNAL_ERROR.into());
            Ok(Response::new(body))
        }
        Fault::EndlessBody => Ok(Response::new(Sending::whole(Box::new(std::iter::repeat_with(piece)), exchange))),
        Fault::SlowBody { every } => {
            let mut body = Sending::whole(Box::new(std::iter::repeat_with(|| Bytes::from_static(b"."))), exchange);
            body.pace = Some(interval(*every));
            Ok(Response::new(body))
        }
        _ => Err(Reason::INTERNAL_ERROR.into()),
    }
}

/// A body being sent.
struct Sending {
    pieces: std::iter::Peekable<Pieces>,
    pace: Option<Interval>,
    failure: Option<h2::Error>,
    exchange: Exchange,
}

impl Sending {
    fn whole(pieces: Pieces, exchange: Exchange) -> Self {
        let mut sending = Self { pieces: pieces.peekable(), pace: None, failure: None, exchange };
        sending.mark_end();
        sending
    }

    fn mark_end(&mut self) {
        if self.pieces.peek().is_none() {
            self.exchange.answered();
        }
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        if let Some(pace) = &mut self.pace {
            ready!(pace.poll_tick(context));
        }
        let piece = self.pieces.next();
        self.mark_end();
        Poll::Ready(match piece {
            Some(piece) => Some(Ok(Frame::data(piece))),
            None => self.failure.take().map(Err),
        })
    }
}
