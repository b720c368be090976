//! A reply as declared, and as prepared for the wire.
//!
//! A [`Reply`] is well-formed HTTP whatever its content; a [`crate::Fault`] breaks the protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::address::Addresses;
use crate::encode::encode;

/// A body generated while it is sent.
pub type Pieces = Box<dyn Iterator<Item = Bytes> + Send>;

/// Generates a body for the site with the given origin.
type MakePieces = Arc<dyn Fn(&str) -> Pieces + Send + Sync>;

/// The response of a path: status, headers, body, and how they are sent.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    body: Body,
    encodings: Vec<String>,
    is_gzip_file: bool,
    is_chunked: bool,
    delay: Duration,
    afterwards: Vec<Reply>,
    markdown: Option<String>,
}

#[derive(Clone)]
enum Body {
    Text(String),
    Bytes(Bytes),
    Streamed(MakePieces),
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => text.fmt(formatter),
            Self::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Self::Streamed(_) => formatter.write_str("streamed"),
        }
    }
}

impl Reply {
    /// An empty response with this status.
    pub fn status(status: u16) -> Self {
        Self::with(status, Body::Text(String::new()))
    }

    /// A page, `200 OK`.
    pub fn html(html: impl Into<String>) -> Self {
        Self::text("text/html; charset=utf-8", html)
    }

    /// Text of any type, `200 OK`, with placeholders such as `{origin}` filled in.
    pub fn text(content_type: &str, text: impl Into<String>) -> Self {
        Self::with(200, Body::Text(text.into())).header("Content-Type", content_type)
    }

    /// Exact bytes, `200 OK`.
    pub fn bytes(content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self::with(200, Body::Bytes(bytes.into().into())).header("Content-Type", content_type)
    }

    /// A body generated piece by piece while it is sent, chunked, `200 OK`.
    pub fn streamed(content_type: &str, make: impl Fn() -> Pieces + Send + Sync + 'static) -> Self {
        Self::streamed_by(content_type, move |_| make())
    }

    /// Like [`Reply::streamed`], with the origin of the declaring site for writing URLs.
    pub fn streamed_by(content_type: &str, make: impl Fn(&str) -> Pieces + Send + Sync + 'static) -> Self {
        Self::with(200, Body::Streamed(Arc::new(make))).header("Content-Type", content_type)
    }

    /// A page sent with `Content-Encoding: gzip`.
    pub fn gzip(html: impl Into<String>) -> Self {
        Self::html(html).encode("gzip")
    }

    /// A page of any bytes, encoded with `gzip`, `deflate`, `br` or `zstd`.
    pub fn encoded(encoding: &str, plain: impl Into<Vec<u8>>) -> Self {
        Self::bytes("text/html; charset=utf-8", plain).encode(encoding)
    }

    /// The n-th request gets the n-th reply; the last one repeats.
    ///
    /// # Panics
    /// When there are no replies.
    pub fn sequence(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies = replies.into_iter();
        let mut first = replies.next().expect("a sequence has at least one reply");
        first.afterwards = replies.collect();
        first
    }

    /// A redirect; the target may be relative, absolute or contain placeholders.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::status(status).header("Location", location)
    }

    /// Adds a header. `Content-Type` replaces the existing one.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if name.eq_ignore_ascii_case("content-type") {
            self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        }
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the body by a text with placeholders filled in.
    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.body = Body::Text(text.into());
        self
    }

    /// Adds a content encoding to the body, applied when the site starts.
    pub fn encode(mut self, encoding: &str) -> Self {
        self.encodings.push(encoding.to_owned());
        self
    }

    /// Makes the body a gzip file, without a `Content-Encoding`.
    pub fn as_gzip_file(mut self) -> Self {
        self.is_gzip_file = true;
        self.header("Content-Type", "application/gzip")
    }

    /// Sends the body chunked instead of with a `Content-Length`.
    pub fn chunked(mut self) -> Self {
        self.is_chunked = true;
        self
    }

    /// Waits before responding.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Replaces the status.
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Sends this text instead to clients that prefer Markdown (over HTTP/1).
    #[must_use]
    pub fn markdown(mut self, text: impl Into<String>) -> Self {
        self.markdown = Some(text.into());
        self
    }

    /// The reply that finally repeats: the declared truth about this path.
    pub(crate) fn lasting(&self) -> &Reply {
        self.afterwards.last().unwrap_or(self)
    }

    pub(crate) fn location(&self) -> Option<&str> {
        let is_redirect = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        self.headers.iter().find(|(name, _)| is_redirect && name.eq_ignore_ascii_case("location")).map(|(_, to)| &**to)
    }

    /// Every reply of the sequence, prepared for the site with the origin `own`.
    pub(crate) fn prepare(&self, addresses: &Addresses, own: &str) -> Vec<Arc<Prepared>> {
        std::iter::once(self).chain(&self.afterwards).map(|reply| Arc::new(reply.prepare_one(addresses, own))).collect()
    }

    fn prepare_one(&self, addresses: &Addresses, own: &str) -> Prepared {
        let mut headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.clone(), addresses.fill(value, own))).collect();
        if !self.encodings.is_empty() {
            headers.push(("Content-Encoding".into(), self.encodings.join(", ")));
        }
        let body = match &self.body {
            Body::Text(text) => Content::Whole(self.encode_all(addresses.fill(text, own).into_bytes().into())),
            Body::Bytes(bytes) => Content::Whole(self.encode_all(bytes.clone())),
            Body::Streamed(make) => Content::Streamed { make: Arc::clone(make), own: own.to_owned() },
        };
        let text = self.markdown.as_ref().map(|text| addresses.fill(text, own));
        let markdown = text.map(|text| Arc::new(Prepared::resource("text/markdown; charset=utf-8", text.into())));
        Prepared { status: self.status, headers, body, is_chunked: self.is_chunked, delay: self.delay, markdown }
    }

    fn encode_all(&self, plain: Bytes) -> Bytes {
        let file = if self.is_gzip_file { encode("gzip", &plain).into() } else { plain };
        self.encodings.iter().fold(file, |body, encoding| encode(encoding, &body).into())
    }

    fn with(status: u16, body: Body) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body,
            encodings: Vec::new(),
            is_gzip_file: false,
            is_chunked: false,
            delay: Duration::ZERO,
            afterwards: Vec::new(),
            markdown: None,
        }
    }
}

/// A reply with every URL filled in and every encoding applied.
pub(crate) struct Prepared {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Content,
    pub(crate) is_chunked: bool,
    pub(crate) delay: Duration,
    markdown: Option<Arc<Prepared>>,
}

/// The body of a prepared reply.
pub(crate) enum Content {
    Whole(Bytes),
    Streamed { make: MakePieces, own: String },
}

impl Prepared {
    /// A page generated on the fly, its URLs already filled in.
    pub(crate) fn page(status: u16, html: String) -> Self {
        Self {
            status,
            headers: vec![("Content-Type".into(), "text/html; charset=utf-8".into())],
            body: Content::Whole(html.into()),
            is_chunked: false,
            delay: Duration::ZERO,
            markdown: None,
        }
    }

    /// The response for a client that prefers Markdown, or already has this version (by its ETag).
    pub(crate) fn for_client(self: &Arc<Self>, accept: &str, if_none_match: Option<&str>) -> Arc<Self> {
        if let Some(markdown) = self.markdown.as_ref().filter(|_| accept.starts_with("text/markdown")) {
            return Arc::clone(markdown);
        }
        let etag = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("etag"));
        match etag {
            Some((_, etag)) if if_none_match == Some(etag) => {
                let mut reply = Self::page(304, String::new());
                reply.headers = self.headers.clone();
                Arc::new(reply)
            }
            _ => Arc::clone(self),
        }
    }

    pub(crate) fn redirect(status: u16, location: String) -> Self {
        let mut reply = Self::page(status, String::new());
        reply.headers.push(("Location".into(), location));
        reply
    }

    pub(crate) fn resource(content_type: &str, bytes: Bytes) -> Self {
        let mut reply = Self::page(200, String::new());
        reply.headers[0].1 = content_type.to_owned();
        reply.body = Content::Whole(bytes);
        reply
    }
}
