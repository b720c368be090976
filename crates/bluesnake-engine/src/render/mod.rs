//! Pages as a browser shows them: whether a page is rendered, and what rendering it found.
//!
//! The engine does not render. The caller provides a [`Renderer`], which workers use between fetching a page and
//! parsing it. Whether a page is rendered depends on its response and the plan alone, see `reason`, so results do not
//! depend on the order of pages.

mod facts;
mod shell;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::fetch::{Fetcher, Response};
use crate::plan::RenderWhen;
use crate::url::CanonicalUrl;
use crate::words::words;

pub use self::facts::{RawFacts, RenderFacts};
pub(crate) use self::facts::{deeds, join};
pub(crate) use self::shell::{FEW_WORDS, shell};

/// Renders pages.
pub trait Renderer: Send + Sync {
    /// Renders a page from its response. Failures are part of the result. The connections that it needs are those of
    /// the fetcher.
    fn render<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        url: &'a CanonicalUrl,
        response: &'a Response,
    ) -> BoxFuture<'a, Rendered>;
}

words! {
    /// How rendering a page ended.
    #[derive(Default)]
    RenderOutcome {
        /// The page had the time it was given.
        #[default]
        Complete = "complete": "the page was rendered",
        /// The page was not ready after the maximum time; this is the document at that moment.
        TimedOut = "timed-out": "not ready within render.timeout_ms",
        /// The page stopped responding.
        Hung = "hung": "the page stopped responding",
        /// The page crashed its tab.
        Crashed = "crashed": "the tab crashed",
        /// The page replaced itself by something that is not a web page.
        Left = "left": "the page replaced itself",
        /// The browser failed.
        Failed = "failed": "the browser failed",
    }
}

words! {
    /// Why a page was rendered.
    RenderReason {
        /// The settings say so.
        Set = "on",
        /// It has a root element of an application with nothing in it.
        EmptyRoot = "empty-root",
        /// It has scripts and hardly any text.
        ScriptsOnly = "scripts-only",
        /// It asks its readers to enable JavaScript.
        EnableJavaScript = "enable-javascript",
    }
}

/// What rendering a page found.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// How it ended.
    pub outcome: RenderOutcome,
    /// What went wrong, if it failed.
    pub detail: Option<String>,
    /// The document with its shadow trees in place; `None` if there is none to rely on.
    pub html: Option<String>,
    /// Whether the document exceeds the size limit.
    pub is_cut: bool,
    /// Every request that the page made, by URL.
    pub requests: Vec<SeenRequest>,
    /// Errors on the console, in order.
    pub errors: Vec<String>,
    /// Where the page tried to go first, instead of staying; it was not followed.
    pub redirect: Option<String>,
    /// The URLs that the page gave itself (`pushState`, `replaceState`), in order.
    pub history: Vec<String>,
    /// The selectors to wait for that matched nothing.
    pub missing: Vec<String>,
    /// A picture of the page, as PNG.
    pub screenshot: Option<Bytes>,
}

/// A request of a rendered page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenRequest {
    /// The URL.
    pub url: String,
    /// The HTTP method.
    pub method: Box<str>,
    /// What it was for: `script`, `image`, `fetch` …
    pub kind: Box<str>,
    /// The status of the response.
    pub status: Option<u16>,
    /// Why it failed.
    pub failure: Option<Box<str>>,
    /// Whether we refused it.
    pub is_blocked: bool,
}

/// Whether a page is rendered, and why. A pure function of the response and the plan.
pub(crate) fn reason(when: RenderWhen, html: &str) -> Option<RenderReason> {
    match when {
        RenderWhen::Off => None,
        RenderWhen::On => Some(RenderReason::Set),
        RenderWhen::Auto => shell(html),
    }
}
