//! The browser of a job, if its plan renders pages.

use std::sync::Arc;

use bluesnake_engine::CrawlPlan;
use bluesnake_engine::plan::RenderWhen;
use bluesnake_render::Chromium;

use crate::error::AppError;

/// Finds the browser for a plan; `None` if it renders nothing. It starts with the first page that needs it.
pub(crate) async fn browser_for(plan: &CrawlPlan) -> Result<Option<Arc<Chromium>>, AppError> {
    if plan.render.when == RenderWhen::Off {
        return Ok(None);
    }
    match Chromium::new(plan).await {
        Ok(browser) => Ok(Some(Arc::new(browser))),
        Err(problem) => {
            let hint = problem.hint().to_owned();
            Err(AppError::Rejected { message: format!("cannot render pages: {problem}"), hint })
        }
    }
}
