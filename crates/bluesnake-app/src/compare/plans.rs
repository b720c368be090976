//! Settings in which the plans of two runs differ.

use bluesnake_store::RunRow;
use serde_json::Value;

use super::view::SettingDifference;
use crate::frozen;

/// Every setting that can change results and differs, and the seeds. The settings of audits are those they were made with,
/// which need not be those of the plans.
pub(super) fn differences(a: &RunRow, b: &RunRow, audits: Option<(&str, &str)>) -> Vec<SettingDifference> {
    let of_seeds = (a.seeds != b.seeds).then(|| SettingDifference {
        setting: "seeds".to_owned(),
        before: Some(seeds(a)),
        after: Some(seeds(b)),
    });
    let (before, after) = match audits {
        Some((before, after)) => (with_audit(&a.plan, before), with_audit(&b.plan, after)),
        None => (a.plan.clone(), b.plan.clone()),
    };
    let of_plans = frozen::between(&before, &after, b.kind).into_iter().map(|(setting, before, after)| {
        let shown = |value: Value| (!frozen::is_local(&setting)).then(|| value.to_string());
        let (before, after) = (shown(before), shown(after));
        SettingDifference { setting, before, after }
    });
    of_seeds.into_iter().chain(of_plans).collect()
}

/// A few seeds as a list; of many, how many there are.
fn seeds(run: &RunRow) -> String {
    const LISTED: usize = 5;
    match run.seeds.len() {
        0..=LISTED => serde_json::to_string(&run.seeds).expect("texts are JSON"),
        urls => format!("{} URLs", crate::report::number(urls as u64)),
    }
}

fn with_audit(plan: &str, settings: &str) -> String {
    let mut plan: Value = serde_json::from_str(plan).unwrap_or_default();
    if let (Value::Object(groups), Ok(settings)) = (&mut plan, serde_json::from_str(settings)) {
        groups.insert("audit".to_owned(), settings);
    }
    plan.to_string()
}
