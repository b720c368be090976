//! The engine's renderer: slots in which pages are rendered, a browser that is replaced when needed, and a second
//! attempt for pages that went down with it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex as StdMutex};

use bluesnake_engine::fetch::{Fetcher, Response};
use bluesnake_engine::render::{RenderOutcome, Rendered, Renderer};
use bluesnake_engine::{CanonicalUrl, CrawlPlan};
use futures_util::future::BoxFuture;
use tokio::sync::{Mutex, Semaphore};

use crate::browser::{Browser, Context, StartError};
use crate::find::{BrowserNotFound, find};
use crate::page::{Job, PageSettings};

/// A page gets one fresh attempt if the browser or its tab broke.
const ATTEMPTS: usize = 2;
/// How often a page is rendered again because another one ended the browser.
const MOST_INTERRUPTIONS: usize = 20;

/// Renders pages with Chrome or Chromium.
#[derive(Debug)]
pub struct Chromium {
    program: PathBuf,
    settings: PageSettings,
    slots: Semaphore,
    /// The current browser; started when the first page needs it.
    browser: Mutex<Option<Arc<Browser>>>,
    /// Contexts of slots that are free, with their browser.
    free: StdMutex<Vec<(Arc<Browser>, Context)>>,
}

fn failed(detail: String) -> Rendered {
    Rendered { outcome: RenderOutcome::Failed, detail: Some(detail), ..Rendered::default() }
}

impl Chromium {
    /// Finds a browser for a plan. It is started when the first page needs it.
    pub async fn new(plan: &CrawlPlan) -> Result<Self, BrowserNotFound> {
        let found = find(&plan.render.browser).await?;
        tracing::debug!(path = %found.path.display(), version = found.version, "browser found");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let slots = if plan.render.slots == 0 { cores } else { plan.render.slots };
        Ok(Self {
            program: found.path,
            settings: PageSettings::of(plan),
            slots: Semaphore::new(slots),
            browser: Mutex::default(),
            free: StdMutex::default(),
        })
    }

    /// Ends the browser. Without it, dropping the renderer kills the browser.
    pub async fn close(&self) {
        self.free_slots().clear();
        let browser = self.browser.lock().await.take();
        if let Some(browser) = browser.and_then(Arc::into_inner) {
            browser.close().await;
        }
    }

    fn free_slots(&self) -> std::sync::MutexGuard<'_, Vec<(Arc<Browser>, Context)>> {
        self.free.lock().expect("nothing panics with the lock")
    }

    /// `None` if the browser was ended because of another page, which says nothing about this one.
    async fn attempt(&self, job: Job<'_>) -> Option<Rendered> {
        let browser = match self.browser(job.fetcher).await {
            Ok(browser) => browser,
            Err(error) => return Some(failed(error.to_string())),
        };
        let context = self.context_of(&browser);
        let (rendered, is_stuck) = match browser.render(context, job).await {
            Ok((end, context)) => {
                match end.rendered.outcome {
                    RenderOutcome::Complete | RenderOutcome::Left => {
                        self.free_slots().push((Arc::clone(&browser), context));
                    }
                    _ => browser.dispose(&context),
                }
                (end.rendered, end.is_stuck)
            }
            Err(error) => (failed(error.to_string()), false),
        };
        if rendered.outcome == RenderOutcome::Failed && browser.was_killed() {
            return None;
        }
        if is_stuck {
            browser.kill();
        }
        Some(rendered)
    }

    /// The context of a free slot, if it belongs to this browser.
    fn context_of(&self, browser: &Arc<Browser>) -> Option<Context> {
        let mut free = self.free_slots();
        free.retain(|(owner, _)| Arc::ptr_eq(owner, browser));
        free.pop().map(|(_, context)| context)
    }

    /// The browser; a new one if there is none or the last one is worn out or broken.
    async fn browser(&self, fetcher: &Fetcher) -> Result<Arc<Browser>, StartError> {
        let mut current = self.browser.lock().await;
        if let Some(browser) = current.as_ref() {
            if !browser.is_closed() && !browser.is_worn_out() {
                return Ok(Arc::clone(browser));
            }
            self.free_slots().clear();
        }
        // The last page of an old browser ends it.
        *current = None;
        let browser = Arc::new(Browser::start(&self.program, fetcher.clone()).await?);
        *current = Some(Arc::clone(&browser));
        Ok(browser)
    }
}

impl Renderer for Chromium {
    fn render<'a>(
        &'a self,
        fetcher: &'a Fetcher,
        url: &'a CanonicalUrl,
        response: &'a Response,
    ) -> BoxFuture<'a, Rendered> {
        Box::pin(async move {
            let _slot = self.slots.acquire().await.expect("the slots are never closed");
            let job = Job { url, response, fetcher, settings: &self.settings };
            let (mut attempts, mut interruptions) = (0, 0);
            loop {
                let rendered = match self.attempt(job).await {
                    Some(rendered) => rendered,
                    None if interruptions < MOST_INTERRUPTIONS => {
                        interruptions += 1;
                        continue;
                    }
                    None => failed("other pages ended the browser too often".to_owned()),
                };
                attempts += 1;
                tracing::debug!(url = %url.for_log(), attempts, outcome = rendered.outcome.as_str(), "rendered");
                let is_broken = matches!(rendered.outcome, RenderOutcome::Crashed | RenderOutcome::Failed);
                if !is_broken || attempts == ATTEMPTS {
                    return rendered;
                }
            }
        })
    }
}
