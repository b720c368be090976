//! The plan of every measured crawl: the engine's defaults, without politeness.

use bluesnake_engine::plan::{CheckExternal, Mechanisms, RobotsMode};
use bluesnake_engine::{CrawlPlan, PlanInput};

/// A generated site is as uniform as a trap, so the limits are active but out of reach.
const OUT_OF_REACH: u64 = 1_000_000_000;

/// The plan for one seed.
pub(crate) fn without_politeness(seed: &str, parallelism: usize, resolve: &[String]) -> anyhow::Result<CrawlPlan> {
    let mut input = PlanInput::default();
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.discover.check_resources = Some(true);
    input.scope.check_external = Some(CheckExternal::None);
    input.limits.query_variants = Some(OUT_OF_REACH);
    input.limits.calendar_dates = Some(OUT_OF_REACH);
    input.limits.same_content = Some(OUT_OF_REACH);
    input.limits.endless_pages = Some(OUT_OF_REACH);
    input.politeness.parallelism = Some(parallelism);
    input.politeness.rate = Some(0.0);
    input.politeness.robots = Some(RobotsMode::Ignore);
    input.fetch.allow_private = Some(true);
    input.fetch.resolve = Some(resolve.to_vec());
    Ok(CrawlPlan::new([seed], input)?)
}
