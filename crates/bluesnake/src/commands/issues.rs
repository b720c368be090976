//! `bluesnake issues` and `bluesnake checks`: what a run found, and what is checked.

use std::io::IsTerminal;
use std::path::Path;

use anyhow::Context;
use bluesnake_app::view::{CheckView, IssuesView};
use bluesnake_app::{App, AppError, Groups, Span, Table, WindowLimit, any_assignment, audit_changes, checks};

use super::fail_on;
use crate::args::{ChecksArguments, IssuesArguments, IssuesFormat, known_check};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::{List, ci, issues as show, print, print_json, say, visible};
use crate::report::Usage;

/// How many URLs are read at a time.
const AT_ONCE: usize = 500;

/// Shows the findings of a run.
pub(crate) async fn run(db: Option<&Path>, arguments: &IssuesArguments) -> anyhow::Result<Exit> {
    if let Some(id) = &arguments.check {
        known_check(id).map_err(Usage)?;
    }
    let access = if arguments.set.is_empty() { Access::Read } else { Access::Write };
    let app = home::open(db, access, 1).await?;
    let run = app.find_run_with(Table::Issues, &arguments.run).await?;
    if !arguments.set.is_empty() {
        let changes = audit_changes(&assigned(&arguments.set)?).map_err(AppError::from)?;
        app.audit(run.id, Some(changes)).await.context("cannot check the run again")?;
        say(&format!("checked run {} again with {}", run.id, arguments.set.join(", ")));
    }
    match &arguments.check {
        Some(id) => {
            urls(&app, run.id, id, arguments).await?;
            fail_on::judge(&app, run.id, &arguments.fail_on.conditions).await
        }
        None => all(&app, run.id, arguments).await,
    }
}

fn assigned(settings: &[String]) -> Result<Groups, Usage> {
    let mut all = bluesnake_app::Saved::default();
    for setting in settings {
        let assigned = any_assignment(setting);
        all.put(assigned.map_err(|problem| Usage(format!("{}: {}", problem.field, problem.sentence())))?);
    }
    Ok(all.0)
}

/// Lists findings by check. What a format for continuous integration shows as failed is what decides the exit code.
async fn all(app: &App, run: i64, arguments: &IssuesArguments) -> anyhow::Result<Exit> {
    let mut issues = app.issues(run).await?;
    let view = app.run_view(run).await?;
    let conditions = &arguments.fail_on.conditions;
    let objections = fail_on::objections(app, run, &issues, conditions).await?;
    let fails = |check: &CheckView| match conditions.is_empty() {
        true => Some(check.clone()).filter(|check| check.urls > 0 && check.kind == "issue"),
        false => fail_on::failing(check, &objections),
    };
    match arguments.format {
        IssuesFormat::Text if !arguments.shown.json => {
            print(&show::issues(&view.domain, &issues, &shown(&issues, arguments)))
        }
        IssuesFormat::Text | IssuesFormat::Json => {
            issues.checks.retain(|check| is_shown(check, arguments));
            print_json(&issues);
        }
        // Passing and skipped tests count, too.
        IssuesFormat::Junit => {
            let shown: Vec<&CheckView> = issues.checks.iter().filter(|check| is_wanted(check, arguments)).collect();
            print(&ci::junit(&view, &issues, &shown, fails));
        }
        IssuesFormat::Github => print(&ci::github(&shown(&issues, arguments), fails)),
    }
    Ok(fail_on::verdict(objections.iter().flat_map(fail_on::Objection::lines)))
}

fn shown<'a>(issues: &'a IssuesView, arguments: &IssuesArguments) -> Vec<&'a CheckView> {
    issues.checks.iter().filter(|check| is_shown(check, arguments)).collect()
}

fn is_shown(check: &CheckView, arguments: &IssuesArguments) -> bool {
    (arguments.all || check.urls > 0) && is_wanted(check, arguments)
}

fn is_wanted(check: &CheckView, arguments: &IssuesArguments) -> bool {
    arguments.priority.is_none_or(|priority| priority.as_str() == check.priority)
        && arguments.kind.is_none_or(|kind| kind.as_str() == check.kind)
}

/// Lists every URL that a check found.
async fn urls(app: &App, run: i64, id: &str, arguments: &IssuesArguments) -> anyhow::Result<()> {
    let is_json = arguments.shown.json || arguments.format == IssuesFormat::Json;
    if !is_json && arguments.format != IssuesFormat::Text {
        return Err(Usage("--check lists URLs as text or with --json".to_owned()).into());
    }
    if !is_json && std::io::stdout().is_terminal() {
        let check = known_check(id).map_err(Usage)?;
        print(&format!("{}\n", show::explanation(&check)));
    }
    let (mut offset, mut list) = (0, List::new(is_json));
    loop {
        let limit = WindowLimit::new(AT_ONCE)?;
        let window = app.issue_rows(run, id, Span { offset, limit }).await?;
        offset += window.items.len() as u64;
        let is_last = window.items.is_empty() || offset >= window.total;
        if list.write(&window.items, |row| line(&row.url, row.detail.as_deref())).is_err() || is_last {
            break;
        }
    }
    list.finish();
    Ok(())
}

fn line(url: &str, detail: Option<&str>) -> String {
    match detail {
        None => format!("{}\n", visible(url)),
        Some(detail) => format!("{}\t{}\n", visible(url), visible(detail)),
    }
}

/// Shows the catalogue, or explains one check.
pub(crate) fn catalogue(arguments: &ChecksArguments) -> anyhow::Result<Exit> {
    match (&arguments.id, arguments.shown.json) {
        (None, true) => print_json(&checks()),
        (None, false) => print(&show::catalogue(&checks())),
        (Some(id), is_json) => {
            let check = known_check(id).map_err(Usage)?;
            if is_json { print_json(&check) } else { print(&show::explanation(&check)) }
        }
    }
    Ok(Exit::Done)
}
