//! How one request is made.
//!
//! A [`Fetcher`] requests one URL and returns a [`Fetched`]: a response, or a failure classified by what went wrong. It
//! decides nothing about crawling, follows no redirect and makes no second attempt; [`judge`] says whether one is worth
//! making. Start with [`Fetcher::fetch`].

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

#[cfg(test)]
mod tests;

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Version};

pub use client::Fetcher;
#[doc(hidden)]
pub use cookies::cookie_header_after;
pub use descriptors::{connection_limit, file_limit, raise_file_limit};
pub use guard::{is_global, is_metadata};
pub(crate) use holds::Hold;
pub use outcome::{Failure, FailureKind};
pub use retry::{Verdict, judge, rate_limit, retry_after};

use crate::plan::FetchSettings;
use crate::space::Taken;
use crate::url::CanonicalUrl;

/// Fields of the settings and what is wrong with them.
type Problems = Vec<(&'static str, String)>;

/// What is wrong with the settings, by field: `("fetch.proxy", "…")`.
pub fn problems(settings: &FetchSettings) -> Vec<(&'static str, String)> {
    client::problems(settings)
}

/// The settings cannot be worked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchError {
    /// Fields and what is wrong with them; never empty.
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
    /// As what it is requested.
    pub accept: Accept,
    /// Which attempt it is, from 1; later ones may take longer if the settings say so.
    pub attempt: u32,
    /// What is wanted of the response.
    pub take: Take,
    /// An earlier response, which is good enough if the server says that nothing changed.
    pub known: Option<&'a Response>,
}

/// What a URL is requested as; it makes the `Accept` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Accept {
    /// A document.
    Page,
    /// An image, script, stylesheet …
    Resource,
    /// A sitemap.
    Sitemap,
    /// A robots.txt.
    Robots,
}

impl Accept {
    const ALL: [Self; 4] = [Self::Page, Self::Resource, Self::Sitemap, Self::Robots];

    /// What browsers and search engines send; some sites send 403 to anything less.
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

    fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Resource => "resource",
            Self::Sitemap => "sitemap",
            Self::Robots => "robots",
        }
    }
}

/// What is wanted of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// The decoded body, up to so many bytes; 0 = all of it.
    Body(usize),
    /// The size of the body; it is read, not decoded and not kept.
    Count,
    /// The head alone, requested with HEAD.
    Head,
}

/// What came of a request.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The response, or why there is none.
    pub result: Result<Response, Failure>,
    /// How long it took.
    pub timings: Timings,
    /// How often the request was sent: once, or again because a kept connection had died; 0 when it came from the cache.
    pub sends: u32,
    /// The part that a large body has of the space for all of them, until it is read.
    pub(crate) room: Option<Taken>,
}

impl Fetched {
    /// A kept response that needed no request.
    pub(crate) fn kept(response: Response) -> Self {
        let response = Response { kept: Some(Kept::Fresh), ..response };
        Self { result: Ok(response), timings: Timings::default(), sends: 0, room: None }
    }
}

/// How long the phases of a request took. The first three are there only when this request opened the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Looking the name up.
    pub dns: Option<Duration>,
    /// Connecting.
    pub connect: Option<Duration>,
    /// Making the connection secure.
    pub tls: Option<Duration>,
    /// From the open connection to the head of the response.
    pub first_byte: Option<Duration>,
    /// From the head to the end of the body.
    pub body: Option<Duration>,
    /// All of it.
    pub total: Duration,
}

impl Timings {
    fn note_phases(&mut self, phases: connector::Phases) {
        (self.dns, self.connect, self.tls) = (phases.dns, phases.connect, phases.tls);
    }

    /// The head came so long after the start; the phases are those of a connection that this request opened.
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
    /// The body, as much of it as was wanted and came.
    pub body: Body,
    /// The protocol it came by.
    pub version: HttpVersion,
    /// Who responded; none behind a proxy or from the cache.
    pub remote: Option<SocketAddr>,
    /// Whether the connection had carried responses before.
    pub reused: bool,
    /// Whether the body is one that we had kept.
    pub kept: Option<Kept>,
    /// What is wrong with the certificate of a host whose certificate is not checked.
    pub certificate_problem: Option<String>,
}

/// Why a response that we had kept could be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// It was young enough; no request was made.
    Fresh,
    /// The server says that nothing changed.
    NotModified,
}

/// A response of an earlier crawl.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// The response.
    pub response: Response,
    /// Whether it can be used without a request.
    pub is_fresh: bool,
}

/// The versions of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HttpVersion {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
}

impl HttpVersion {
    /// Its usual name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }

    fn named(name: &[u8]) -> Option<Self> {
        [Self::Http10, Self::Http11, Self::Http2].into_iter().find(|version| version.as_str().as_bytes() == name)
    }

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
    /// The decoded bytes; empty when they were only counted.
    pub bytes: Bytes,
    /// Bytes that came over the wire, encoded as they were.
    pub wire_bytes: u64,
    /// Bytes after decoding; those on the wire when they were only counted.
    pub decoded_bytes: u64,
    /// Why it is not whole.
    pub cut: Option<Cut>,
}

/// Why a body is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// It is larger than the limit.
    Limit,
    /// It grew so much by decoding that it was taken for a bomb.
    Ratio,
    /// The connection ended before the body did.
    Truncated,
    /// Its coding is unknown, broken, incomplete or followed by something else.
    Encoding,
}

impl Cut {
    /// The stable word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Ratio => "ratio",
            Self::Truncated => "truncated",
            Self::Encoding => "encoding",
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Limit => "the body exceeds the limit and was truncated",
            Self::Ratio => "the body expands suspiciously when decoded and was truncated",
            Self::Truncated => "the connection ended before the body did",
            Self::Encoding => "the body does not match its content encoding",
        })
    }
}
