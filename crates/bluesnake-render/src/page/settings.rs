//! What a plan says about rendering one page.

use std::time::Duration;

use bluesnake_engine::plan::RenderMode;
use bluesnake_engine::{CanonicalUrl, CrawlPlan};
use serde_json::{Value, json};

/// How a page is rendered.
#[derive(Clone, Debug)]
pub(crate) struct PageSettings {
    /// Virtual time before scrolling, after it, and at the end.
    pub(crate) waits_ms: [u64; 3],
    pub(crate) wait_for: Vec<String>,
    pub(crate) scrolls: bool,
    pub(crate) is_deterministic: bool,
    pub(crate) takes_screenshot: bool,
    /// The maximum real time.
    pub(crate) timeout: Duration,
    /// The maximum length of a document.
    pub(crate) document_limit: usize,
    user_agent: String,
    accept_language: String,
    insecure_hosts: Vec<String>,
}

impl PageSettings {
    pub(crate) fn of(plan: &CrawlPlan) -> Self {
        let render = &plan.render;
        let by_mode = match render.mode {
            RenderMode::Fast => [1_000, 500, 500],
            RenderMode::Balanced => [2_500, 1_500, 1_000],
            RenderMode::Thorough => [8_000, 4_000, 3_000],
        };
        Self {
            waits_ms: render.waits_ms.as_slice().try_into().unwrap_or(by_mode),
            wait_for: render.wait_for.clone(),
            scrolls: render.scroll,
            is_deterministic: render.deterministic,
            takes_screenshot: render.screenshot,
            timeout: Duration::from_millis(render.timeout_ms),
            document_limit: plan.fetch.body_limit,
            user_agent: plan.fetch.user_agent.clone(),
            accept_language: plan.fetch.accept_language.clone(),
            insecure_hosts: plan.fetch.insecure_hosts.clone(),
        }
    }

    /// How the browser names itself: as the crawl does.
    pub(super) fn identity(&self) -> Value {
        json!({ "userAgent": self.user_agent, "acceptLanguage": self.accept_language })
    }

    pub(super) fn ignores_certificates_of(&self, url: &CanonicalUrl) -> bool {
        self.insecure_hosts.iter().any(|host| host == url.host())
    }
}
