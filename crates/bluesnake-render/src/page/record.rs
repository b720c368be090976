//! What a page does while it is rendered, from the events of its session.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bluesnake_engine::render::SeenRequest;
use serde_json::Value;

use crate::guard::Guard;

/// How many requests, errors, and URLs of its own to record for one page.
const MOST_REQUESTS: usize = 1_000;
const MOST_ERRORS: usize = 20;
const MOST_HISTORY: usize = 100;
/// The longest text of an error.
const LONGEST_ERROR: usize = 300;

/// The record of one page.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// By the id that the browser gives them.
    requests: HashMap<Box<str>, SeenRequest>,
    /// Those of them that are under way.
    open: HashSet<Box<str>>,
    /// Those that were redirected.
    hops: Vec<SeenRequest>,
    pub(super) errors: Vec<String>,
    pub(super) history: Vec<String>,
    pub(super) redirect: Option<String>,
    /// Origins that may have stored something.
    pub(super) origins: BTreeSet<String>,
}

impl Record {
    /// Notes a request, also one of a worker of the page.
    pub(super) fn request(&mut self, params: &Value, guard: &Guard) {
        let (id, request) = (text(&params["requestId"]), &params["request"]);
        let url = without_fragment(text(&request["url"]));
        guard.expect(url);
        let is_favicon = text(&params["type"]) == "Other" && url.ends_with("/favicon.ico");
        let is_web = url.starts_with("http:") || url.starts_with("https:");
        if !is_web || is_favicon || self.requests.len() + self.hops.len() >= MOST_REQUESTS {
            return;
        }
        self.note_origin(url);
        if let Some(mut hop) = self.requests.remove(id) {
            hop.status = params["redirectResponse"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
            self.hops.push(hop);
        }
        // Events of the server come for as long as the page is open.
        if text(&params["type"]) != "EventSource" {
            self.open.insert(id.into());
        }
        self.requests.insert(id.into(), seen(url, text(&request["method"]), &text(&params["type"]).to_lowercase()));
    }

    pub(super) fn socket(&mut self, params: &Value, guard: &Guard) {
        let url = text(&params["url"]);
        guard.expect(url);
        if self.requests.len() + self.hops.len() < MOST_REQUESTS {
            self.requests.insert(text(&params["requestId"]).into(), seen(url, "GET", "websocket"));
        }
    }

    pub(super) fn response(&mut self, params: &Value) {
        if let Some(request) = self.requests.get_mut(text(&params["requestId"])) {
            request.status = params["response"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        }
    }

    /// Notes that a response is complete.
    pub(super) fn finished(&mut self, id: &str) {
        self.open.remove(id);
    }

    /// Whether a request is under way.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn failure(&mut self, id: &str, why: &str) {
        self.open.remove(id);
        if let Some(request) = self.requests.get_mut(id) {
            request.failure = Some(cut(why).into());
        }
    }

    /// Forgets the request of the document itself, which the crawl made.
    pub(super) fn forget(&mut self, id: &str) {
        self.requests.remove(id);
        self.open.remove(id);
    }

    /// Notes an error on the console.
    pub(super) fn error(&mut self, message: &str) {
        if self.errors.len() < MOST_ERRORS && !message.is_empty() {
            self.errors.push(cut(message));
        }
    }

    pub(super) fn exception(&mut self, details: &Value) {
        let described = text(&details["exception"]["description"]);
        let message = if described.is_empty() { text(&details["text"]) } else { described };
        self.error(message.lines().next().unwrap_or_default());
    }

    pub(super) fn console(&mut self, params: &Value) {
        if text(&params["type"]) != "error" {
            return;
        }
        let shown = |argument: &Value| match &argument["value"] {
            Value::String(text) => text.clone(),
            Value::Null => text(&argument["description"]).lines().next().unwrap_or_default().to_owned(),
            other => other.to_string(),
        };
        let arguments = params["args"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.error(&arguments.iter().map(shown).collect::<Vec<_>>().join(" "));
    }

    /// Notes a URL that the page gave itself.
    pub(super) fn history(&mut self, url: &str) {
        let is_new = !self.history.iter().any(|known| known == url);
        if is_new && self.history.len() < MOST_HISTORY {
            self.history.push(url.to_owned());
        }
    }

    /// Notes where the page tried to go.
    pub(super) fn redirect(&mut self, url: &str) {
        self.redirect.get_or_insert_with(|| url.to_owned());
    }

    pub(super) fn note_origin(&mut self, url: &str) {
        if let Some((scheme, rest)) = url.split_once("://") {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            self.origins.insert(format!("{scheme}://{authority}"));
        }
    }

    /// All requests, each URL and method once, in order.
    pub(super) fn take_requests(&mut self, guard: &Guard) -> Vec<SeenRequest> {
        let all = self.hops.drain(..).chain(self.requests.drain().map(|(_, request)| request));
        let mut by_url: BTreeMap<(String, Box<str>), SeenRequest> = BTreeMap::new();
        for mut request in all {
            let refusal =
                guard.refusal(&request.url).filter(|_| request.failure.is_some() || request.status == Some(502));
            if let Some(refusal) = refusal {
                (request.failure, request.status) = (Some(refusal.why), None);
                request.is_blocked = refusal.is_ours;
            }
            let known = by_url.entry((request.url.clone(), request.method.clone())).or_insert_with(|| request.clone());
            // Of several, one that got furthest, whatever their order.
            *known =
                std::cmp::max_by_key(known.clone(), request, |request| (request.status, request.failure.is_none()));
        }
        by_url.into_values().collect()
    }
}

fn seen(url: &str, method: &str, kind: &str) -> SeenRequest {
    let (url, method, kind) = (url.to_owned(), method.into(), kind.into());
    SeenRequest { url, method, kind, status: None, failure: None, is_blocked: false }
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

fn cut(message: &str) -> String {
    message.chars().take(LONGEST_ERROR).collect()
}
