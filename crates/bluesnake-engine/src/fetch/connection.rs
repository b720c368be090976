//! An HTTP connection: requests go in, responses come out.
//!
//! Each connection is driven by its own task, which ends when the connection has no holders left.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::HOST;
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::Empty;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::client::conn::{http1, http2};
use hyper::rt::Executor;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use super::connector::{Opened, Stream};
use crate::plan::FetchSettings;
use crate::url::CanonicalUrl;

/// A large body may have to wait before it is read further, and must not block other streams of its connection. So
/// each stream may have this many unread bytes, and the connection window has room for 64 such streams. It is not
/// larger because the HTTP library derives its limit for floods of tiny frames from it.
const STREAM_WINDOW: u32 = 128 << 10;
const CONNECTION_WINDOW: u32 = 64 * STREAM_WINDOW;

/// The HTTP settings for the connections of a crawl.
pub(super) struct Protocols {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
}

impl Protocols {
    pub(super) fn new(settings: &FetchSettings, most_headers: usize, least_buffer: usize) -> Self {
        let mut http1 = http1::Builder::new();
        http1.max_headers(settings.header_count.clamp(1, most_headers));
        http1.max_buf_size(settings.header_bytes.max(least_buffer));
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2.timer(TokioTimer::new());
        http2.initial_stream_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        http2.max_header_list_size(u32::try_from(settings.header_bytes).unwrap_or(u32::MAX));
        Self { http1, http2 }
    }

    /// Starts HTTP on a stream.
    pub(super) async fn begin(&self, stream: Stream) -> Result<Connection, hyper::Error> {
        let (opened, is_forwarded) = (Arc::clone(&stream.opened), stream.is_forwarded);
        let sender = if stream.speaks_http2 {
            let (sender, connection) = self.http2.handshake(TokioIo::new(stream)).await?;
            TokioExecutor::new().execute(async { _ = connection.await });
            Sender::Http2(sender)
        } else {
            let (sender, connection) = self.http1.handshake(TokioIo::new(stream)).await?;
            TokioExecutor::new().execute(async { _ = connection.await });
            Sender::Http1(sender)
        };
        Ok(Connection { sender, opened, is_forwarded, holders: Arc::new(()) })
    }
}

enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

/// An open connection.
pub(super) struct Connection {
    sender: Sender,
    opened: Arc<Opened>,
    is_forwarded: bool,
    /// One reference per holder. The task that drives the connection has none.
    holders: Arc<()>,
}

/// A request that got no response.
pub(super) struct SendFailure {
    pub(super) error: hyper::Error,
    /// Whether nothing was sent.
    pub(super) is_unsent: bool,
}

impl Connection {
    pub(super) fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// Whether it serves many requests concurrently.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// Another handle to the connection, if it serves many requests concurrently.
    pub(super) fn share(&self) -> Option<Self> {
        let Sender::Http2(sender) = &self.sender else { return None };
        Some(Self {
            sender: Sender::Http2(sender.clone()),
            opened: Arc::clone(&self.opened),
            is_forwarded: self.is_forwarded,
            holders: Arc::clone(&self.holders),
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.opened, &other.opened)
    }

    /// Whether another holder has a request on it.
    pub(super) fn is_used_elsewhere(&self) -> bool {
        self.is_shared() && Arc::strong_count(&self.holders) > 1
    }

    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Waits until the last response is finished. Returns false if the connection closed.
    pub(super) async fn is_ready(&mut self) -> bool {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await.is_ok(),
            Sender::Http2(sender) => sender.ready().await.is_ok(),
        }
    }

    /// Sends a request with an absolute URL and waits for the head of the response.
    pub(super) async fn send(
        &mut self,
        mut request: Request<Empty<Bytes>>,
        url: &CanonicalUrl,
    ) -> Result<Response<Body>, SendFailure> {
        self.opened.note_progress();
        let sent = match &mut self.sender {
            Sender::Http2(sender) => sender.try_send_request(request).await,
            Sender::Http1(sender) => {
                let opened = Arc::clone(&self.opened);
                hyper::ext::on_informational(&mut request, move |_| opened.note_informational());
                // A Host header set by the operator is sent unchanged.
                if let http::header::Entry::Vacant(host) = request.headers_mut().entry(HOST)
                    && let Ok(name) = HeaderValue::try_from(url.authority())
                {
                    host.insert(name);
                }
                if !self.is_forwarded {
                    keep_path_alone(request.uri_mut());
                }
                sender.try_send_request(request).await
            }
        };
        match sent {
            Ok(response) => {
                self.opened.note_progress();
                Ok(response.map(|body| Body { body, opened: Arc::clone(&self.opened) }))
            }
            Err(mut failure) => {
                let is_unsent = failure.take_message().is_some();
                Err(SendFailure { is_unsent, error: failure.into_error() })
            }
        }
    }
}

/// The body of a response; reading it marks progress on its connection.
pub(super) struct Body {
    body: Incoming,
    opened: Arc<Opened>,
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(_))) = frame {
            self.opened.note_progress();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reduces the URI to the origin form used in requests to the host itself.
fn keep_path_alone(uri: &mut Uri) {
    let path = uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    *uri = Uri::from(path);
}
