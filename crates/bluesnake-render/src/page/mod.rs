//! Renders one page in a tab of its own.
//!
//! The document is answered with the response that the engine fetched; everything else the page requests itself. Time
//! inside the page is virtual: it stands still while requests are open and skips idle waits. Whatever the page tries to
//! open or go to is recorded, not followed. Start with [`Tab::render`].

mod record;
mod settings;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::fetch::{Fetcher, Response};
use bluesnake_engine::render::{RenderOutcome, Rendered};
use http::header::COOKIE;
use http::{HeaderMap, HeaderName};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use self::record::{Record, text, without_fragment};
pub(crate) use self::settings::PageSettings;
use crate::guard::Guard;
use crate::wire::{CallError, Event, Wire};

/// How long the browser may take for a call that involves no script of the page.
const PROMPTLY: Duration = Duration::from_secs(10);
/// How long a page that ran out of time may take to show its document.
const LAST_CHANCE: Duration = Duration::from_secs(1);
/// How long to wait for the last responses; browsers do not report the end of every request.
const SETTLING: Duration = Duration::from_secs(3);
/// A page is scrolled again while it grows, at most this many times.
const MOST_SCROLLS: u64 = 8;
/// How far time moves between looks at what to wait for, and how often, in virtual milliseconds.
const WAIT_STEP_MS: u64 = 500;
const MOST_WAIT_STEPS: u64 = 30;
/// Time moves on after this many tasks, for pages that post messages to themselves for ever.
const MOST_TASKS: u64 = 10_000;

/// Header fields of a response that describe its transfer, or would make it a download.
const NOT_PASSED_ON: [&str; 5] =
    ["content-encoding", "content-length", "transfer-encoding", "content-disposition", "connection"];

/// What is rendered.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) url: &'a CanonicalUrl,
    pub(crate) response: &'a Response,
    pub(crate) fetcher: &'a Fetcher,
    pub(crate) settings: &'a PageSettings,
}

/// Why rendering ended early.
#[derive(Debug)]
enum Stop {
    /// The real time is up.
    Late,
    Crashed,
    Call(CallError),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// A tab with one page.
pub(crate) struct Tab<'a> {
    wire: &'a Wire,
    guard: &'a Guard,
    target: String,
    session: String,
    events: mpsc::UnboundedReceiver<Event>,
    listener: mpsc::UnboundedSender<Event>,
    /// Sessions of the page and its workers.
    sessions: Vec<String>,
    record: Record,
    deadline: Instant,
    has_document: bool,
}

/// The result, and what it means for the browser.
pub(crate) struct TabEnd {
    pub(crate) rendered: Rendered,
    /// Origins that may have stored something.
    pub(crate) origins: Vec<String>,
    /// Whether the tab does not respond any more.
    pub(crate) is_stuck: bool,
}

impl<'a> Tab<'a> {
    /// Opens a tab in a context.
    pub(crate) async fn open(wire: &'a Wire, guard: &'a Guard, context: &str) -> Result<Self, CallError> {
        let params = json!({ "url": "about:blank", "browserContextId": context });
        let made = wire.call(None, "Target.createTarget", params, PROMPTLY).await?;
        let target = text(&made["targetId"]).to_owned();
        let params = json!({ "targetId": target, "flatten": true });
        let attached = wire.call(None, "Target.attachToTarget", params, PROMPTLY).await?;
        let session = text(&attached["sessionId"]).to_owned();
        let (listener, events) = mpsc::unbounded_channel();
        wire.listen(&session, listener.clone());
        let (sessions, record, deadline) = (vec![session.clone()], Record::default(), Instant::now() + PROMPTLY);
        Ok(Self { wire, guard, target, session, events, listener, sessions, record, deadline, has_document: false })
    }

    /// Renders a page. Never fails: what went wrong is part of the result.
    pub(crate) async fn render(mut self, job: Job<'_>, stored: &[String]) -> TabEnd {
        self.deadline = Instant::now() + job.settings.timeout;
        let mut rendered = Rendered::default();
        let ended = match self.prepare(&job, stored).await {
            Ok(()) => self.show(&job, &mut rendered).await,
            Err(error) => Err(error.into()),
        };
        let mut is_stuck = false;
        if let Err(stop) = ended {
            rendered.outcome = match stop {
                Stop::Crashed => RenderOutcome::Crashed,
                Stop::Call(CallError::Closed | CallError::Refused(..)) => RenderOutcome::Failed,
                Stop::Late | Stop::Call(CallError::Late(_)) => {
                    self.deadline = Instant::now() + LAST_CHANCE;
                    match self.document(&job, &mut rendered).await {
                        Ok(()) if rendered.html.is_some() => RenderOutcome::TimedOut,
                        _ => RenderOutcome::Hung,
                    }
                }
            };
            is_stuck = rendered.outcome == RenderOutcome::Hung;
            rendered.detail = match stop {
                Stop::Call(error) => Some(error.to_string()),
                Stop::Late | Stop::Crashed => None,
            };
        }
        self.finish(rendered, is_stuck).await
    }

    async fn finish(mut self, mut rendered: Rendered, is_stuck: bool) -> TabEnd {
        rendered.requests = self.record.take_requests(self.guard);
        rendered.errors = std::mem::take(&mut self.record.errors);
        rendered.history = std::mem::take(&mut self.record.history);
        rendered.redirect = self.record.redirect.take();
        let origins = std::mem::take(&mut self.record.origins).into_iter().collect();
        let closing = self.wire.call(None, "Target.closeTarget", json!({ "targetId": self.target }), LAST_CHANCE).await;
        TabEnd { rendered, origins, is_stuck: is_stuck && closing.is_err() }
    }

    /// Sets up the tab: all calls are sent at once, then their results are awaited.
    async fn prepare(&mut self, job: &Job<'_>, stored: &[String]) -> Result<(), CallError> {
        let settings = job.settings;
        let start = format!("({})({})", include_str!("start.js"), settings.is_deterministic);
        let private = job.fetcher.private_headers(job.url);
        let mut patterns = vec![json!({ "urlPattern": "*", "resourceType": "Document" })];
        if private.keys().any(|name| name != COOKIE) {
            // Only requests to the page's own origin get its credentials.
            patterns.push(json!({ "urlPattern": format!("{}/*", job.url.origin()) }));
        }
        let mut calls = vec![
            ("Page.enable", json!({})),
            ("Network.enable", json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0 })),
            ("Runtime.enable", json!({})),
            ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": start })),
            ("Emulation.setUserAgentOverride", settings.identity()),
            (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": 1280, "height": 1024, "deviceScaleFactor": 1, "mobile": false }),
            ),
            ("Emulation.setTimezoneOverride", json!({ "timezoneId": "UTC" })),
            ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
            ("Network.setBypassServiceWorker", json!({ "bypass": true })),
            ("Network.clearBrowserCookies", json!({})),
            ("Target.setAutoAttach", json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })),
            ("Fetch.enable", json!({ "patterns": patterns })),
            ("Emulation.setVirtualTimePolicy", json!({ "policy": "pause" })),
        ];
        for origin in stored {
            calls.push(("Storage.clearDataForOrigin", json!({ "origin": origin, "storageTypes": "all" })));
        }
        if let Some(cookies) = cookies(job.url, &private) {
            calls.push(("Network.setCookies", json!({ "cookies": cookies })));
        }
        if settings.ignores_certificates_of(job.url) {
            calls.push(("Security.setIgnoreCertificateErrors", json!({ "ignore": true })));
        }
        let sent: Vec<_> = calls
            .into_iter()
            .map(|(method, params)| (method, self.wire.send(Some(&self.session), method, params)))
            .collect();
        let all = futures_util::future::join_all(sent.into_iter().map(|(method, result)| async move {
            match result.await {
                Err(_) => Err(CallError::Closed),
                Ok(Err(message)) => Err(CallError::Refused(method, message)),
                Ok(Ok(_)) => Ok(()),
            }
        }));
        match timeout_at(self.deadline, all).await {
            Err(_) => Err(CallError::Late("the setup of a tab")),
            Ok(results) => results.into_iter().collect(),
        }
    }

    /// Loads the page, gives it its time, and takes its document.
    async fn show(&mut self, job: &Job<'_>, rendered: &mut Rendered) -> Result<(), Stop> {
        let [before, scrolled, last] = job.settings.waits_ms;
        self.send("Page.navigate", json!({ "url": job.url.as_str() }));
        self.advance(job, before.max(1)).await?;
        rendered.missing = self.wait_for(job).await?;
        if job.settings.scrolls {
            self.scroll(job, scrolled).await?;
        }
        self.advance(job, last).await?;
        self.settle(job).await?;
        self.document(job, rendered).await?;
        if job.settings.takes_screenshot {
            rendered.screenshot = self.screenshot(job).await?;
        }
        Ok(())
    }

    fn send(&self, method: &'static str, params: Value) {
        // Whether it worked shows in the events that follow.
        drop(self.wire.send(Some(&self.session), method, params));
    }

    /// Lets virtual time pass, and handles what the page does meanwhile.
    async fn advance(&mut self, job: &Job<'_>, milliseconds: u64) -> Result<(), Stop> {
        if milliseconds == 0 {
            return Ok(());
        }
        let policy = json!({
            "policy": "pauseIfNetworkFetchesPending",
            "budget": milliseconds,
            "maxVirtualTimeTaskStarvationCount": MOST_TASKS,
        });
        self.send("Emulation.setVirtualTimePolicy", policy);
        loop {
            match timeout_at(self.deadline, self.events.recv()).await {
                Err(_) => return Err(Stop::Late),
                Ok(None) => return Err(Stop::Call(CallError::Closed)),
                Ok(Some(event)) if &*event.method == "Emulation.virtualTimeBudgetExpired" => return Ok(()),
                Ok(Some(event)) => self.take(job, &event)?,
            }
        }
    }

    /// Waits for responses to requests that the page made at the end of its time, which stands still now.
    async fn settle(&mut self, job: &Job<'_>) -> Result<(), Stop> {
        let end = self.deadline.min(Instant::now() + SETTLING);
        while self.record.has_open() {
            match timeout_at(end, self.events.recv()).await {
                Err(_) => break,
                Ok(None) => return Err(Stop::Call(CallError::Closed)),
                Ok(Some(event)) => self.take(job, &event)?,
            }
        }
        Ok(())
    }

    /// Calls a method while events are handled.
    async fn call(&mut self, job: &Job<'_>, method: &'static str, params: Value) -> Result<Value, Stop> {
        let mut result = self.wire.send(Some(&self.session), method, params);
        loop {
            let next = async {
                tokio::select! {
                    biased;
                    event = self.events.recv() => Err(event),
                    result = &mut result => Ok(result),
                }
            };
            match timeout_at(self.deadline, next).await {
                Err(_) => return Err(Stop::Late),
                Ok(Ok(Err(_)) | Err(None)) => return Err(Stop::Call(CallError::Closed)),
                Ok(Ok(Ok(Err(message)))) => return Err(Stop::Call(CallError::Refused(method, message))),
                Ok(Ok(Ok(Ok(value)))) => return Ok(value),
                Ok(Err(Some(event))) => self.take(job, &event)?,
            }
        }
    }

    /// Evaluates a function apart from the page's own scripts.
    async fn evaluate(&mut self, job: &Job<'_>, function: &str, argument: &Value) -> Result<Value, Stop> {
        let world = json!({ "frameId": self.target, "worldName": "bluesnake" });
        let world = self.call(job, "Page.createIsolatedWorld", world).await?;
        let params = json!({
            "expression": format!("({function})({argument})"),
            "contextId": world["executionContextId"],
            "returnByValue": true,
        });
        let mut result = self.call(job, "Runtime.evaluate", params).await?;
        Ok(result["result"]["value"].take())
    }

    /// Gives the page more time until all selectors match. Returns those that do not.
    async fn wait_for(&mut self, job: &Job<'_>) -> Result<Vec<String>, Stop> {
        const MISSING: &str = "selectors => selectors.filter(selector => !document.querySelector(selector))";
        let selectors = json!(job.settings.wait_for);
        let mut missing = Vec::new();
        for step in 0..MOST_WAIT_STEPS {
            if job.settings.wait_for.is_empty() {
                break;
            }
            let found = self.evaluate(job, MISSING, &selectors).await?;
            missing = serde_json::from_value(found).unwrap_or_default();
            if missing.is_empty() || step + 1 == MOST_WAIT_STEPS {
                break;
            }
            self.advance(job, WAIT_STEP_MS).await?;
        }
        Ok(missing)
    }

    /// Scrolls to the end while the page grows.
    async fn scroll(&mut self, job: &Job<'_>, milliseconds: u64) -> Result<(), Stop> {
        let mut height = None;
        for _ in 0..MOST_SCROLLS {
            let now = self.evaluate(job, include_str!("scroll.js"), &json!(null)).await?.as_u64();
            if now == height {
                break;
            }
            height = now;
            self.advance(job, (milliseconds / 2).max(1)).await?;
        }
        Ok(())
    }

    async fn document(&mut self, job: &Job<'_>, rendered: &mut Rendered) -> Result<(), Stop> {
        let limit = json!(job.settings.document_limit);
        let mut found = self.evaluate(job, include_str!("document.js"), &limit).await?;
        let is_web = text(&found["url"]).starts_with("http");
        if !self.has_document || !is_web {
            rendered.outcome = RenderOutcome::Left;
            return Ok(());
        }
        rendered.is_cut = found["isCut"] == true;
        rendered.html = match found["html"].take() {
            Value::String(html) if !html.is_empty() => Some(html),
            _ => None,
        };
        Ok(())
    }

    async fn screenshot(&mut self, job: &Job<'_>) -> Result<Option<bytes::Bytes>, Stop> {
        self.send("Emulation.setVirtualTimePolicy", json!({ "policy": "advance" }));
        let picture = self.call(job, "Page.captureScreenshot", json!({ "format": "png" })).await?;
        Ok(STANDARD.decode(text(&picture["data"])).ok().map(Into::into))
    }

    /// Handles one event.
    fn take(&mut self, job: &Job<'_>, event: &Event) -> Result<(), Stop> {
        let params = &event.params;
        match &*event.method {
            "Fetch.requestPaused" => self.paused(job, params),
            "Network.requestWillBeSent" => self.record.request(params, self.guard),
            "Network.webSocketCreated" => self.record.socket(params, self.guard),
            "Network.responseReceived" => self.record.response(params),
            "Network.loadingFinished" => self.record.finished(text(&params["requestId"])),
            "Network.loadingFailed" => self.record.failure(text(&params["requestId"]), text(&params["errorText"])),
            "Network.webSocketFrameError" => {
                self.record.failure(text(&params["requestId"]), text(&params["errorMessage"]))
            }
            "Runtime.exceptionThrown" => self.record.exception(&params["exceptionDetails"]),
            "Runtime.consoleAPICalled" => self.record.console(params),
            "Page.navigatedWithinDocument" if text(&params["frameId"]) == self.target => {
                let url = without_fragment(text(&params["url"]));
                if url != job.url.as_str() {
                    self.record.history(url);
                }
            }
            "Page.javascriptDialogOpening" => self.send("Page.handleJavaScriptDialog", json!({ "accept": false })),
            "Target.attachedToTarget" => self.attached(params),
            "Inspector.targetCrashed" => return Err(Stop::Crashed),
            _ => {}
        }
        Ok(())
    }

    /// Follows the requests of a worker of the page.
    fn attached(&mut self, params: &Value) {
        let session = text(&params["sessionId"]).to_owned();
        self.wire.listen(&session, self.listener.clone());
        drop(self.wire.send(Some(&session), "Network.enable", json!({})));
        drop(self.wire.send(Some(&session), "Runtime.runIfWaitingForDebugger", json!({})));
        self.sessions.push(session);
    }

    /// Decides on a request that waits: the document is answered, navigations away from it are not made.
    fn paused(&mut self, job: &Job<'_>, params: &Value) {
        let (id, url) = (text(&params["requestId"]), text(&params["request"]["url"]));
        let is_page = text(&params["resourceType"]) == "Document" && text(&params["frameId"]) == self.target;
        if is_page {
            self.record.forget(text(&params["networkId"]));
        }
        if is_page && !self.has_document {
            self.has_document = true;
            self.record.note_origin(url);
            return self.send("Fetch.fulfillRequest", answer(id, job.response));
        }
        if is_page {
            if without_fragment(url) != job.url.as_str() {
                self.record.redirect(url);
            }
            return self.send("Fetch.failRequest", json!({ "requestId": id, "errorReason": "Aborted" }));
        }
        let mut params = json!({ "requestId": id, "headers": with_private(job, url, &params["request"]["headers"]) });
        if params["headers"].is_null() {
            params = json!({ "requestId": id });
        }
        self.send("Fetch.continueRequest", params);
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        self.sessions.iter().for_each(|session| self.wire.forget(session));
        // A tab that is dropped while it is used must not go on; one that is closed does not mind.
        drop(self.wire.send(None, "Target.closeTarget", json!({ "targetId": self.target })));
    }
}

/// The fetched response as an answer to the browser.
fn answer(id: &str, response: &Response) -> Value {
    let is_passed_on = |name: &HeaderName| !NOT_PASSED_ON.contains(&name.as_str());
    let fields = response.headers.iter().filter(|(name, _)| is_passed_on(name));
    let fields = fields.map(|(name, value)| json!({ "name": name.as_str(), "value": value.to_str().unwrap_or("") }));
    json!({
        "requestId": id,
        "responseCode": response.status,
        "responseHeaders": fields.collect::<Vec<_>>(),
        "body": STANDARD.encode(&response.body.bytes),
    })
}

/// The header fields of a request to the page's own origin, with its credentials; null for other origins.
fn with_private(job: &Job<'_>, url: &str, headers: &Value) -> Value {
    let Some(url) = CanonicalUrl::parse(url).ok().filter(|url| url.origin() == job.url.origin()) else {
        return Value::Null;
    };
    let private = job.fetcher.private_headers(&url);
    let own = headers.as_object().into_iter().flatten();
    let own = own.filter(|(name, _)| !private.keys().any(|private| name.eq_ignore_ascii_case(private.as_str())));
    let own = own.map(|(name, value)| json!({ "name": name, "value": value }));
    let added = private.iter().filter(|(name, _)| **name != COOKIE);
    let added = added.map(|(name, value)| json!({ "name": name.as_str(), "value": value.to_str().unwrap_or("") }));
    own.chain(added).collect()
}

/// The cookies that the crawl has for a page, for requests to its host.
fn cookies(url: &CanonicalUrl, private: &HeaderMap) -> Option<Vec<Value>> {
    let header = private.get(COOKIE)?.to_str().ok()?;
    let pairs = header.split("; ").filter_map(|pair| pair.split_once('='));
    Some(pairs.map(|(name, value)| json!({ "name": name, "value": value, "url": url.as_str() })).collect())
}
