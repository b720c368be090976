//! How one request is made.
//!
//! A [`Fetcher`] requests one URL and returns a [`Fetched`]: a response, or a failure classified by cause. It decides
//! nothing about crawling, follows no redirects and does not retry; [`judge`] says whether a retry is worthwhile.
//! Start with [`Fetcher::fetch`].

mod address;
mod body;
mod cache;
mod classify;
mod client;
mod connection;
mod connector;
mod cookies;
mod credentials;
mod decode;
mod descriptors;
mod guard;
mod holds;
mod limits;
mod outcome;
mod pool;
mod proxy;
mod resolve;
mod retry;
mod tls;
mod tunnel;

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Version};

pub use client::{Fetcher, problems};
#[doc(hidden)]
pub use cookies::cookie_header_after;
pub use descriptors::{connection_limit, file_limit, raise_file_limit};
pub use guard::{is_global, is_metadata};
pub(crate) use holds::Hold;
pub use outcome::{Failure, FailureKind};
pub use retry::{Verdict, judge, rate_limit, retry_after};
pub use tunnel::Tunnel;

use crate::space::Taken;
use crate::url::CanonicalUrl;
use crate::words::words;

/// Settings fields and their problems.
type Problems = Vec<(&'static str, String)>;

/// The settings are unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    /// Fields and their problems; never empty.
    pub problems: Vec<(&'static str, String)>,
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(|(field, message)| format!("{field}: {message}")).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for FetchError {}

/// One request to make.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What to fetch.
    pub url: &'a CanonicalUrl,
    /// What kind of content is expected.
    pub accept: Accept,
    /// The attempt, from 1; later ones may take longer if the settings say so.
    pub attempt: u32,
    /// Which part of the response is wanted.
    pub take: Take,
    /// An earlier response, reused if the server says that it is unchanged.
    pub known: Option<&'a Response>,
}

words! {
    /// What a URL is requested as; determines the `Accept` header.
    Accept {
        /// A document.
        Page = "page",
        /// An image, script, stylesheet …
        Resource = "resource",
        /// A sitemap.
        Sitemap = "sitemap",
        /// A robots.txt.
        Robots = "robots",
    }
}

impl Accept {
    /// What browsers and search engines send; some sites respond with 403 to anything less.
    fn header(self, prefers_markdown: bool) -> &'static str {
        match self {
            Self::Page if prefers_markdown => {
                "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7"
            }
            Self::Page => "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
            Self::Resource => "*/*",
            Self::Sitemap => "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5",
            Self::Robots => "text/plain,*/*;q=0.8",
        }
    }
}

/// Which part of a response is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The decoded body, up to this many bytes; 0 = unlimited.
    Body(usize),
    /// The size of the body; it is read, but neither decoded nor kept.
    Count,
    /// Only the head, requested with HEAD.
    Head,
}

/// The result of a request.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The response, or why there is none.
    pub result: Result<Response, Failure>,
    /// How long it took.
    pub timings: Timings,
    /// How often the request was sent: once, or again because a kept connection had died; 0 if it came from the
    /// cache.
    pub sends: u32,
    /// A large body's reservation in the shared space, held until it is parsed.
    pub(crate) room: Option<Taken>,
}

impl Fetched {
    /// A kept response, without a request.
    pub(crate) fn kept(response: Response) -> Self {
        let response = Response { kept: Some(Kept::Fresh), ..response };
        Self { result: Ok(response), timings: Timings::default(), sends: 0, room: None }
    }
}

/// Timings of the phases of a request. The first three are set only if this request opened the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// DNS lookup.
    pub dns: Option<Duration>,
    /// TCP connect.
    pub connect: Option<Duration>,
    /// TLS handshake.
    pub tls: Option<Duration>,
    /// From the open connection to the head of the response.
    pub first_byte: Option<Duration>,
    /// From the head to the end of the body.
    pub body: Option<Duration>,
    /// Total time.
    pub total: Duration,
}

impl Timings {
    fn note_phases(&mut self, phases: connector::Phases) {
        (self.dns, self.connect, self.tls) = (phases.dns, phases.connect, phases.tls);
    }

    /// Records when the head arrived, and the phases if this request opened the connection.
    fn note_head(&mut self, opened: Option<&connector::Phases>, since_start: Duration) {
        let phases = opened.copied().unwrap_or_default();
        self.note_phases(phases);
        let opening: Duration = [phases.dns, phases.connect, phases.tls].into_iter().flatten().sum();
        self.first_byte = Some(since_start.saturating_sub(opening));
    }
}

/// What a server sent.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body, up to the requested limit.
    pub body: Body,
    /// The HTTP version.
    pub version: HttpVersion,
    /// The address of the server; `None` behind a proxy or from the cache.
    pub remote: Option<SocketAddr>,
    /// Whether the connection had carried responses before.
    pub reused: bool,
    /// Whether the body is a kept one.
    pub kept: Option<Kept>,
    /// What is wrong with the certificate of a host in `insecure_hosts`.
    pub certificate_problem: Option<String>,
}

/// Why a kept response could be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// It was fresh enough; no request was made.
    Fresh,
    /// The server says that it is unchanged.
    NotModified,
}

/// A response from an earlier crawl.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// The response.
    pub response: Response,
    /// Whether it can be used without a request.
    pub is_fresh: bool,
}

words! {
    /// The versions of HTTP.
    HttpVersion {
        /// HTTP/1.0.
        Http10 = "HTTP/1.0",
        /// HTTP/1.1.
        Http11 = "HTTP/1.1",
        /// HTTP/2.
        Http2 = "HTTP/2",
    }
}

impl HttpVersion {
    fn of(version: Version) -> Self {
        match version {
            Version::HTTP_10 => Self::Http10,
            Version::HTTP_2 => Self::Http2,
            _ => Self::Http11,
        }
    }
}

/// The body of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The decoded bytes; empty if they were only counted.
    pub bytes: Bytes,
    /// The first of them, if they were only counted.
    pub first: Box<[u8]>,
    /// Bytes on the wire, still encoded.
    pub wire_bytes: u64,
    /// Bytes after decoding, also of a body that is only counted; wire bytes if its coding is unknown.
    pub decoded_bytes: u64,
    /// Why it is incomplete, if it is.
    pub cut: Option<Cut>,
}

impl Body {
    /// The first bytes, which show what it is.
    pub fn start(&self) -> &[u8] {
        if self.bytes.is_empty() { &self.first } else { &self.bytes }
    }
}

words! {
    /// Why a body is incomplete.
    Cut {
        /// It exceeds the limit.
        Limit = "limit": "the body exceeds the limit and was truncated",
        /// Its compression ratio was so high that it was treated as a bomb.
        Ratio = "ratio": "the body expands suspiciously when decoded and was truncated",
        /// The connection ended before the body did.
        Truncated = "truncated": "the connection ended before the body did",
        /// Its coding is unknown, corrupt, incomplete or followed by other data.
        Encoding = "encoding": "the body does not match its content encoding",
    }
}
