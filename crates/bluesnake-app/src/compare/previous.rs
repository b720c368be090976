//! The run that a run is compared with if no other one is named.

use bluesnake_engine::{Disposition, Reason};
use bluesnake_store::SeedFate;

use super::check_kind;
use crate::app::App;
use crate::error::AppError;
use crate::frozen;

impl App {
    /// The newest completed run before this one that can show what is new in it: with its site, job, seeds and scope, and
    /// cut by no limit that this one did not have.
    pub async fn previous_run(&self, run: i64) -> Result<Option<i64>, AppError> {
        let after = self.catalog().run(run).await?;
        check_kind(&after)?;
        for before in self.catalog().completed_before(run).await? {
            let differing = frozen::between(&before.plan, &after.plan, after.kind);
            let differs_in = |group: &str| differing.iter().any(|(name, ..)| name.starts_with(group));
            let has_other_limits = differs_in("limits.") || differs_in("discover.");
            let is_comparable = !differs_in("scope.") && !self.is_cut(before.id, has_other_limits).await?;
            // While the site was down, nothing was visited, so nothing would seem new.
            if is_comparable && !self.seed_fates(before.id).await?.iter().all(SeedFate::is_lost) {
                return Ok(Some(before.id));
            }
        }
        Ok(None)
    }

    /// Whether a completed run did not see everything it should have: because its queue was cleared or, if limits count,
    /// because of a limit.
    async fn is_cut(&self, run: i64, limits_count: bool) -> Result<bool, AppError> {
        let receipt = self.receipt(run).await?;
        let mut reasons = Disposition::ALL.into_iter().flat_map(|disposition| receipt.reasons(disposition));
        Ok(reasons.any(|(reason, _)| reason == Reason::Cleared || limits_count && reason.is_gap()))
    }
}
