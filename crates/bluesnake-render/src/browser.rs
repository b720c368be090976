//! One running browser with its guard, and the contexts in which slots render their pages.
//!
//! A context isolates cookies, storage and caches of a slot from those of the others. It is kept for some pages of one
//! host, because a new one costs more than a page; what a page stored is removed before the next one.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bluesnake_engine::fetch::Fetcher;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::guard::{Guard, OWN_HOST, USER};
use crate::page::{Job, Tab, TabEnd};
use crate::process::Process;
use crate::wire::{CallError, Event, Wire};

const PROMPTLY: Duration = Duration::from_secs(20);
/// How many pages a context renders.
const PAGES_PER_CONTEXT: usize = 50;
/// How many pages a browser renders, and how much memory it may take, before it is replaced: browsers leak.
const PAGES_PER_BROWSER: usize = 500;
const MOST_MEMORY: u64 = 1536 << 20;

/// Why a browser did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("cannot start the browser: {0}")]
    System(#[from] io::Error),
    #[error("cannot start the browser: {0}")]
    Call(#[from] CallError),
}

/// A running browser.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Process,
    guard: Guard,
    pages: AtomicUsize,
    was_killed: AtomicBool,
    /// Closes the windows that pages open.
    _watch: JoinSet<()>,
}

/// Where a slot renders its pages.
#[derive(Debug)]
pub(crate) struct Context {
    id: String,
    host: Box<str>,
    pages: usize,
    /// Origins that may have stored something.
    stored: Vec<String>,
}

impl Browser {
    pub(crate) async fn start(program: &Path, fetcher: Fetcher) -> Result<Self, StartError> {
        let guard = Guard::start(fetcher).await?;
        let process = Process::start(program, &guard.url())?;
        let wire = process.wire.clone();
        let (listener, events) = mpsc::unbounded_channel();
        wire.listen("", listener);
        wire.call(None, "Target.setDiscoverTargets", json!({ "discover": true }), PROMPTLY).await?;
        let mut watch = JoinSet::new();
        watch.spawn(close_windows(wire, events));
        Ok(Self { process, guard, pages: AtomicUsize::new(0), was_killed: AtomicBool::new(false), _watch: watch })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.process.wire.is_closed()
    }

    /// Whether it should be replaced.
    pub(crate) fn is_worn_out(&self) -> bool {
        self.pages.load(Ordering::Relaxed) >= PAGES_PER_BROWSER
            || self.process.memory().is_some_and(|bytes| bytes > MOST_MEMORY)
    }

    /// Renders a page, in the given context or in a new one, and returns the context with the result.
    pub(crate) async fn render(&self, context: Option<Context>, job: Job<'_>) -> Result<(TabEnd, Context), CallError> {
        let wire = &self.process.wire;
        self.pages.fetch_add(1, Ordering::Relaxed);
        let mut context = match context {
            Some(context) if context.serves(job.url.host()) => context,
            old => {
                if let Some(old) = old {
                    self.dispose(&old);
                }
                self.context(job.url.host()).await?
            }
        };
        let disposal = Disposal { wire, id: Some(context.id.clone()) };
        let tab = Tab::open(wire, &self.guard, &context.id).await?;
        let mut end = tab.render(job, &context.stored).await;
        context.pages += 1;
        context.stored = std::mem::take(&mut end.origins);
        disposal.keep();
        Ok((end, context))
    }

    /// A new context that knows the password of the guard.
    async fn context(&self, host: &str) -> Result<Context, CallError> {
        let wire = &self.process.wire;
        let params = json!({ "disposeOnDetach": true });
        let made = wire.call(None, "Target.createBrowserContext", params, PROMPTLY).await?;
        let id = made["browserContextId"].as_str().unwrap_or_default().to_owned();
        let disposal = Disposal { wire, id: Some(id.clone()) };
        let params = json!({ "behavior": "deny", "browserContextId": id });
        wire.call(None, "Browser.setDownloadBehavior", params, PROMPTLY).await?;
        self.introduce(&id).await?;
        disposal.keep();
        Ok(Context { id, host: host.into(), pages: 0, stored: Vec::new() })
    }

    /// Tells a context the password of the guard: the browser keeps it for all later requests.
    async fn introduce(&self, context: &str) -> Result<(), CallError> {
        let wire = &self.process.wire;
        let params = json!({ "url": "about:blank", "browserContextId": context });
        let target = wire.call(None, "Target.createTarget", params, PROMPTLY).await?["targetId"].take();
        let params = json!({ "targetId": target, "flatten": true });
        let session = wire.call(None, "Target.attachToTarget", params, PROMPTLY).await?["sessionId"].take();
        let session = session.as_str().unwrap_or_default();
        let (listener, mut events) = mpsc::unbounded_channel();
        wire.listen(session, listener);
        let params = json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": true });
        wire.call(Some(session), "Fetch.enable", params, PROMPTLY).await?;
        let url = format!("http://{OWN_HOST}/");
        let going = wire.call(Some(session), "Page.navigate", json!({ "url": url }), PROMPTLY);
        let answering = async {
            while let Some(event) = events.recv().await {
                self.answer(session, &event);
            }
        };
        let gone = tokio::select! {
            gone = going => gone,
            () = answering => Err(CallError::Closed),
        };
        wire.forget(session);
        let closing = wire.call(None, "Target.closeTarget", json!({ "targetId": target }), PROMPTLY).await;
        gone.and(closing).map(drop)
    }

    fn answer(&self, session: &str, event: &Event) {
        let wire = &self.process.wire;
        let id = &event.params["requestId"];
        match &*event.method {
            "Fetch.requestPaused" => {
                drop(wire.send(Some(session), "Fetch.continueRequest", json!({ "requestId": id })));
            }
            "Fetch.authRequired" => {
                let password = self.guard.password();
                let login = json!({ "response": "ProvideCredentials", "username": USER, "password": password });
                let params = json!({ "requestId": id, "authChallengeResponse": login });
                drop(wire.send(Some(session), "Fetch.continueWithAuth", params));
            }
            _ => {}
        }
    }

    /// Removes a context with everything in it.
    pub(crate) fn dispose(&self, context: &Context) {
        let params = json!({ "browserContextId": context.id });
        drop(self.process.wire.send(None, "Target.disposeBrowserContext", params));
    }

    /// Ends all processes at once, because of a page that does not respond.
    pub(crate) fn kill(&self) {
        self.was_killed.store(true, Ordering::Relaxed);
        self.process.kill();
    }

    /// Whether it was ended because of a page.
    pub(crate) fn was_killed(&self) -> bool {
        self.was_killed.load(Ordering::Relaxed)
    }

    pub(crate) async fn close(self) {
        tracing::debug!(pages = self.pages.load(Ordering::Relaxed), bytes = self.guard.bytes(), "browser closed");
        self.process.close().await;
    }
}

impl Context {
    fn serves(&self, host: &str) -> bool {
        *self.host == *host && self.pages < PAGES_PER_CONTEXT
    }
}

/// Removes a context unless it is kept: its page may have been given up at any point.
struct Disposal<'a> {
    wire: &'a Wire,
    id: Option<String>,
}

impl Disposal<'_> {
    fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Disposal<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            drop(self.wire.send(None, "Target.disposeBrowserContext", json!({ "browserContextId": id })));
        }
    }
}

/// Closes every window that a page opens.
async fn close_windows(wire: Wire, mut events: mpsc::UnboundedReceiver<Event>) {
    while let Some(event) = events.recv().await {
        let target = &event.params["targetInfo"];
        let is_opened_by_page = target["type"] == "page" && target["openerId"].is_string();
        if &*event.method == "Target.targetCreated" && is_opened_by_page {
            let id: &Value = &target["targetId"];
            drop(wire.send(None, "Target.closeTarget", json!({ "targetId": id })));
        }
    }
}
