//! The favicon of a project: fetched on first request, and stored.

use bluesnake_engine::fetch::{Accept, Fetcher, Request, Take};
use bluesnake_engine::{AuditInput, AuditPlan, CanonicalUrl};
use bluesnake_store::Favicon;

use crate::app::{App, Work};
use crate::error::AppError;

/// The largest icon to keep.
const LARGEST: usize = 256 * 1024;

/// Which IP addresses we may connect to for a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those the settings allow: the caller is the operator of this machine.
    AsSet,
    /// Public ones only.
    Public,
}

impl App {
    /// The favicon of a project; empty if the site has none. The project's settings decide whether private addresses
    /// may be reached for it, unless the caller may not reach any.
    pub fn favicon(&self, project: i64, reach: Reach) -> Work<'_, Favicon> {
        Box::pin(async move {
            if let Some(favicon) = self.catalog().favicon(project).await? {
                return Ok(favicon);
            }
            let (bytes, media_type) = self.fetch_favicon(project, reach).await?.unwrap_or_default();
            self.catalog().save_favicon(project, bytes, media_type).await?;
            let saved = self.catalog().favicon(project).await?;
            Ok(saved.expect("it was just stored"))
        })
    }

    /// The stored favicon, if there is one; makes no request.
    pub async fn kept_favicon(&self, project: i64) -> Result<Option<Favicon>, AppError> {
        self.catalog().project(project).await?;
        Ok(self.catalog().favicon(project).await?)
    }

    async fn fetch_favicon(&self, project: i64, reach: Reach) -> Result<Option<(Vec<u8>, String)>, AppError> {
        let row = self.catalog().project(project).await?;
        let mut settings: AuditInput = self.saved_settings(project).await?.0.of_job();
        if let Some(run) = self.catalog().newest_run(project, None).await? {
            settings.fetch = settings.fetch.over(crate::frozen::fetch_of(&run.plan)?);
        }
        if reach == Reach::Public {
            settings.fetch.allow_private = Some(false);
            // Both settings bypass the address check.
            settings.fetch.proxy = Some(String::new());
            settings.fetch.resolve = Some(Vec::new());
        }
        let plan = AuditPlan::new([&row.url], settings)?;
        let home = &plan.seeds[0];
        let fetcher =
            Fetcher::new(&plan.fetch, [home.origin().to_owned()]).map_err(bluesnake_engine::CrawlError::from)?;
        let mut candidates = self.icons(project).await?;
        candidates.push(home.at_path("/favicon.ico"));
        let mut failed = None;
        for url in &candidates {
            let request = Request { url, accept: Accept::Resource, attempt: 1, take: Take::Body(LARGEST), known: None };
            let response = match fetcher.fetch(&request).await.result {
                Ok(response) => response,
                Err(failure) => {
                    failed = Some(failure);
                    continue;
                }
            };
            let media_type =
                response.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
            let is_image = media_type.starts_with("image/") && response.status == 200 && response.body.cut.is_none();
            if is_image && !response.body.bytes.is_empty() {
                return Ok(Some((response.body.bytes.to_vec(), media_type.to_owned())));
            }
        }
        // A site that did not respond may still have one.
        match failed {
            None => Ok(None),
            Some(failure) => Err(AppError::Absent {
                message: format!("cannot fetch the favicon of {}: {failure}", row.host),
                hint: "try again when the site responds".to_owned(),
            }),
        }
    }

    /// The icons declared by the first page of the newest run.
    async fn icons(&self, project: i64) -> Result<Vec<CanonicalUrl>, AppError> {
        let Some(run) = self.catalog().newest_run(project, None).await? else { return Ok(Vec::new()) };
        let named = self.contents().icons(run.id).await?;
        Ok(named.into_iter().take(2).filter_map(|icon| CanonicalUrl::parse(&icon).ok()).collect())
    }
}
