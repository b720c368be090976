//! The run that a run is compared with if no other one is named.

use bluesnake_engine::Disposition;

use super::side::Side;
use crate::app::App;
use crate::error::AppError;
use crate::frozen;

impl App {
    /// The newest completed run before this one that can show what is new in it: with its site, job, seeds and scope, and
    /// not cut by a limit.
    pub async fn previous_run(&self, run: i64) -> Result<Option<i64>, AppError> {
        let after = self.catalog().run(run).await?;
        for before in self.catalog().completed_before(run).await? {
            let differing = frozen::between(&before.plan, &after.plan, after.kind);
            let has_other_scope = differing.iter().any(|(name, ..)| name.starts_with("scope."));
            if !has_other_scope && self.is_whole(before.id).await? {
                return Ok(Some(before.id));
            }
        }
        Ok(None)
    }

    /// Whether a completed run saw the whole site.
    async fn is_whole(&self, run: i64) -> Result<bool, AppError> {
        let receipt = self.receipt(run).await?;
        let mut reasons = Disposition::ALL.into_iter().flat_map(|disposition| receipt.reasons(disposition));
        Ok(!reasons.any(|(reason, _)| Side::is_cut_by(reason)))
    }
}
