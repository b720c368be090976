//! Which conditions of `--fail-on` hold, and what they found, on stderr.

use bluesnake_app::App;
use bluesnake_app::WindowLimit;
use bluesnake_app::compare::{CheckChange, CompareQuery, ComparisonView, IssueChange};
use bluesnake_app::view::{CheckView, IssueRowView, IssuesView};

use crate::args::Condition;
use crate::exit::Exit;
use crate::output::{counted, say, thousands, visible};

/// How many URLs are named for each check.
const LISTED: usize = 3;

/// A check whose findings a condition does not accept.
#[derive(Debug)]
pub(super) struct Objection {
    condition: String,
    check: &'static str,
    what: String,
    findings: u64,
    examples: Vec<IssueRowView>,
    is_new: bool,
}

/// Checks the conditions on a run, those on new findings against the run before it.
pub(super) async fn objections(
    app: &App,
    run: i64,
    issues: &IssuesView,
    conditions: &[Condition],
) -> anyhow::Result<Vec<Objection>> {
    let compared = match conditions.iter().any(|condition| condition.is_new) {
        true => compared_with_previous(app, run).await?,
        false => None,
    };
    let mut objections = Vec::new();
    for condition in conditions {
        match (&compared, condition.is_new) {
            (_, false) => objections.extend(found(condition, issues)),
            (Some(compared), true) => objections.extend(new(app, condition, compared).await?),
            (None, true) => {}
        }
    }
    Ok(objections)
}

/// Checks the conditions on a run, and prints what they object to.
pub(super) async fn judge(app: &App, run: i64, conditions: &[Condition]) -> anyhow::Result<Exit> {
    if conditions.is_empty() {
        return Ok(Exit::Done);
    }
    let objections = objections(app, run, &app.issues(run).await?, conditions).await?;
    Ok(verdict(objections.iter().flat_map(Objection::lines)))
}

/// Prints what failed.
pub(super) fn verdict(failed: impl Iterator<Item = String>) -> Exit {
    let mut failed = failed.peekable();
    if failed.peek().is_none() {
        return Exit::Done;
    }
    say("--fail-on conditions met:");
    failed.for_each(|line| say(&line));
    Exit::Unacceptable
}

impl Objection {
    /// What it objects to, for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("  {}: {} ({})", self.condition, visible(&self.what), self.check)];
        lines.extend(self.examples.iter().map(|example| format!("    {}", visible(&example.url))));
        let more = self.findings.saturating_sub(self.examples.len() as u64);
        lines.extend((more > 0).then(|| format!("    and {} more", thousands(more))));
        lines
    }
}

/// The check as continuous integration shows it: failed if there is an objection, with the findings it objects to.
pub(super) fn failing(check: &CheckView, objections: &[Objection]) -> Option<CheckView> {
    let mut own = objections.iter().filter(|objection| objection.check == check.id);
    let first = own.next()?;
    // An objection to all findings covers the new ones.
    if !first.is_new || own.any(|objection| !objection.is_new) {
        return Some(check.clone());
    }
    let Objection { what, findings, examples, .. } = first;
    Some(CheckView { summary: Some(what.clone()), findings: *findings, examples: examples.clone(), ..check.clone() })
}

/// What a condition objects to in a run.
fn found(condition: &Condition, issues: &IssuesView) -> Vec<Objection> {
    let checks = issues.checks.iter().filter(|check| check.urls > 0 && condition.covers(check));
    let objection = |check: &CheckView| Objection {
        condition: condition.to_string(),
        check: check.id,
        what: check.summary.as_ref().unwrap_or(&check.name).clone(),
        findings: check.findings,
        examples: check.examples.clone(),
        is_new: false,
    };
    checks.map(objection).collect()
}

/// The new findings that a condition objects to.
pub(super) async fn new(app: &App, condition: &Condition, compared: &ComparisonView) -> anyhow::Result<Vec<Objection>> {
    let mut objections = Vec::new();
    for check in compared.checks.iter().filter(|check| check.new > 0 && condition.covers_change(check)) {
        objections.push(Objection {
            condition: condition.to_string(),
            check: check.id,
            what: format!("{} new: {}", thousands(check.new), check.name),
            findings: check.new,
            examples: examples(app, compared, check).await?,
            is_new: true,
        });
    }
    Ok(objections)
}

async fn examples(app: &App, compared: &ComparisonView, check: &CheckChange) -> anyhow::Result<Vec<IssueRowView>> {
    let (check_id, change) = (Some(check.id.to_owned()), Some(IssueChange::New));
    let query = CompareQuery { check: check_id, change, limit: WindowLimit::new(LISTED)?, ..CompareQuery::default() };
    let rows = app.compare_rows(compared.a.run_id, compared.b.run_id, query).await?.items;
    let example = |row: bluesnake_app::compare::ChangeView| {
        row.number_b.map(|number| IssueRowView { number, url: row.url, detail: None })
    };
    Ok(rows.into_iter().filter_map(example).collect())
}

/// The run compared with the one before it, if there is one.
async fn compared_with_previous(app: &App, run: i64) -> anyhow::Result<Option<ComparisonView>> {
    let Some(before) = app.previous_run(run).await? else {
        let domain = app.run_view(run).await?.domain;
        say(&format!(
            "no earlier completed run of {} with the same seeds and scope; no finding counts as new",
            visible(&domain)
        ));
        return Ok(None);
    };
    let compared = app.compare(before, run).await?;
    if !compared.plans_differ.is_empty() {
        let settings = counted(compared.plans_differ.len(), "setting");
        let verb = if compared.plans_differ.len() == 1 { "differs" } else { "differ" };
        say(&format!("{settings} {verb} from run {before}; new findings may be due to that"));
    }
    Ok(Some(compared))
}
