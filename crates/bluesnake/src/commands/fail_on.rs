//! Which conditions of `--fail-on` hold, and what they found, on stderr.

use bluesnake_app::compare::{CheckChange, CompareQuery, ComparisonView, IssueChange};
use bluesnake_app::view::{IssuesView, RunView};
use bluesnake_app::{App, RunState};

use crate::args::Condition;
use crate::exit::Exit;
use crate::output::{counted, say, thousands, visible};

/// Checks the conditions on a run, those on new findings against the completed run before it.
pub(super) async fn judge(app: &App, run: i64, conditions: &[Condition]) -> anyhow::Result<Exit> {
    if conditions.is_empty() {
        return Ok(Exit::Done);
    }
    let issues = app.issues(run).await?;
    let compared = match conditions.iter().any(|condition| condition.is_new) {
        true => compared_with_previous(app, run).await?,
        false => None,
    };
    let mut failed = Vec::new();
    for condition in conditions {
        match (&compared, condition.is_new) {
            (_, false) => failed.extend(found(condition, &issues)),
            (Some(compared), true) => failed.extend(new(app, condition, compared).await?),
            (None, true) => {}
        }
    }
    Ok(verdict(&failed))
}

/// Prints what failed.
pub(super) fn verdict(failed: &[String]) -> Exit {
    if failed.is_empty() {
        return Exit::Done;
    }
    say("failed: --fail-on");
    failed.iter().for_each(|line| say(line));
    Exit::Unacceptable
}

/// What a condition objects to in a run.
fn found(condition: &Condition, issues: &IssuesView) -> Vec<String> {
    let mut lines = Vec::new();
    for check in issues.checks.iter().filter(|check| check.urls > 0 && condition.covers(check)) {
        let what = check.summary.as_deref().unwrap_or(&check.name);
        lines.push(format!("  {condition}: {} ({})", visible(what), check.id));
        lines.extend(check.examples.iter().map(|example| format!("    {}", visible(&example.url))));
        lines.extend(more(check.findings, check.examples.len()));
    }
    lines
}

/// The new findings that a condition objects to.
pub(super) async fn new(app: &App, condition: &Condition, compared: &ComparisonView) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for check in compared.checks.iter().filter(|check| check.new > 0 && condition.covers_change(check)) {
        lines.push(format!("  {condition}: {} new: {} ({})", thousands(check.new), visible(&check.name), check.id));
        lines.extend(examples(app, compared, check).await?);
    }
    Ok(lines)
}

async fn examples(app: &App, compared: &ComparisonView, check: &CheckChange) -> anyhow::Result<Vec<String>> {
    const LISTED: usize = 3;
    let (check_id, change) = (Some(check.id.to_owned()), Some(IssueChange::New));
    let query = CompareQuery { check: check_id, change, ..CompareQuery::default() };
    let rows = app.compare_rows(compared.a.run_id, compared.b.run_id, query).await?.items;
    let mut lines: Vec<String> = rows.iter().take(LISTED).map(|row| format!("    {}", visible(&row.url))).collect();
    lines.extend(more(check.new, lines.len()));
    Ok(lines)
}

fn more(all: u64, listed: usize) -> Option<String> {
    let more = all.saturating_sub(listed as u64);
    (more > 0).then(|| format!("    and {} more", thousands(more)))
}

/// The run compared with the completed one before it, if there is one.
async fn compared_with_previous(app: &App, run: i64) -> anyhow::Result<Option<ComparisonView>> {
    let after = app.run_view(run).await?;
    let Some(before) = previous(app, &after).await? else {
        say(&format!("run {run} is the first completed one of {}, so nothing counts as new", visible(&after.domain)));
        return Ok(None);
    };
    let compared = app.compare(before.id, run).await?;
    if !compared.plans_differ.is_empty() {
        let settings = counted(compared.plans_differ.len(), "setting");
        say(&format!("note: run {} had other settings ({settings} differ), which can make findings new", before.id));
    }
    Ok(Some(compared))
}

/// The completed run of the same site and job before this one.
pub(super) async fn previous(app: &App, run: &RunView) -> anyhow::Result<Option<RunView>> {
    let runs = app.runs(Some(run.project_id)).await?;
    let completed = RunState::Completed.as_str();
    Ok(runs.into_iter().find(|other| other.id < run.id && other.kind == run.kind && other.state == completed))
}
