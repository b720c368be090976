//! The plan of every measured crawl: the engine's defaults, without politeness.

use bluesnake_engine::plan::{CheckExternal, Mechanisms, RobotsMode};
use bluesnake_engine::{AuditInput, AuditPlan};

/// A generated site looks like a trap, so the limits are active but out of reach.
const OUT_OF_REACH: u64 = 1_000_000_000;

/// The plan for one seed.
pub(crate) fn without_politeness(seed: &str, parallelism: usize, resolve: &[String]) -> anyhow::Result<AuditPlan> {
    let mut input = AuditInput::default();
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.resources.check = Some(true);
    input.resources.check_external = Some(CheckExternal::None);
    input.traps.query_variants = Some(OUT_OF_REACH);
    input.traps.calendar_dates = Some(OUT_OF_REACH);
    input.traps.same_content = Some(OUT_OF_REACH);
    input.traps.endless_pages = Some(OUT_OF_REACH);
    input.politeness.parallelism = Some(parallelism);
    input.politeness.rate = Some(0.0);
    input.politeness.robots = Some(RobotsMode::Ignore);
    input.fetch.allow_private = Some(true);
    input.fetch.resolve = Some(resolve.to_vec());
    Ok(AuditPlan::new([seed], input)?)
}
