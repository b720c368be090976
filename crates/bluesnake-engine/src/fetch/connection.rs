//! A connection that speaks HTTP: requests go in, responses come out.
//!
//! The work on a connection is done by a task of its own, which ends when nobody holds the connection any more.

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

/// A large body may have to wait before it is read further, and must not stop the others of its connection: so many bytes
/// of it may be there unread, and the window of the connection has room for 64 such streams. It is not larger, because
/// the HTTP library measures by it how many tiny frames are a flood.
const STREAM_WINDOW: u32 = 128 << 10;
const CONNECTION_WINDOW: u32 = 64 * STREAM_WINDOW;

/// How HTTP is spoken over the connections of a crawl.
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

    /// Begins to speak HTTP.
    pub(super) async fn begin(&self, stream: Stream) -> Result<Connection, hyper::Error> {
        let (opened, is_forwarded) = (Arc::clone(&stream.opened), stream.is_forwarded);
        let sender = if stream.speaks_http2() {
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
    /// One for each holder. The task that works on the connection has none.
    holders: Arc<()>,
}

/// A request that got no response.
pub(super) struct SendFailure {
    pub(super) error: hyper::Error,
    /// Nothing of it went out.
    pub(super) is_unsent: bool,
}

impl Connection {
    pub(super) fn opened(&self) -> &Arc<Opened> {
        &self.opened
    }

    /// Whether it serves many requests at once.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    /// The same connection once more, if it serves many requests at once.
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

    /// Whether a request goes over it, which somebody else holds.
    pub(super) fn is_used_elsewhere(&self) -> bool {
        self.is_shared() && Arc::strong_count(&self.holders) > 1
    }

    pub(super) fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Waits until the last response is out of the way; false when the connection did not survive it.
    pub(super) async fn is_ready(&mut self) -> bool {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await.is_ok(),
            Sender::Http2(sender) => sender.ready().await.is_ok(),
        }
    }

    /// Sends a request that has the whole URL, and waits for the head of the response.
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
                // What the operator says is sent as it stands.
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

/// The body of a response; its connection knows that it comes.
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

/// What a request to the host itself has in its first line.
fn keep_path_alone(uri: &mut Uri) {
    let path = uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    *uri = Uri::from(path);
}
