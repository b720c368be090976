//! Error messages: what we tried, why it failed, what to do.

use bluesnake_app::plan::PlanProblems;
use bluesnake_app::{AppError, Kind};

use crate::exit::Exit;
use crate::output::{say, visible};

/// An error in the command line or the settings.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// A failure of the machine, with a hint.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Hinted {
    pub(crate) what: String,
    #[source]
    pub(crate) cause: std::io::Error,
    pub(crate) hint: &'static str,
}

/// Prints an error with its causes and its hint, if any.
pub(crate) fn failure(error: &anyhow::Error) -> Exit {
    say(&format!("error: {}", visible(&error.to_string())));
    if let Some(PlanProblems(problems)) = problems(error) {
        for problem in problems {
            say(&format!("  caused by: {}: {}", problem.field, visible(&problem.message)));
        }
        say("  hint: see `--help` and docs/settings.md");
        return Exit::Usage;
    }
    say_causes(error.chain().skip(1), &error.to_string());
    if let Some(hinted) = error.downcast_ref::<Hinted>() {
        say(&format!("  hint: {}", hinted.hint));
    }
    let app_error = error.chain().find_map(|cause| cause.downcast_ref::<AppError>());
    if let Some(hint) = app_error.and_then(AppError::hint) {
        say(&format!("  hint: {hint}"));
    }
    match app_error.map(AppError::kind) {
        Some(Kind::Invalid | Kind::Query) => Exit::Usage,
        None if error.is::<Usage>() => {
            say("  hint: see `bluesnake --help` and docs/settings.md");
            Exit::Usage
        }
        _ => Exit::Failed,
    }
}

/// Prints the causes and the hint of a failure whose headline is already printed.
pub(crate) fn causes(error: &AppError) {
    let chain = std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |error| error.source());
    say_causes(chain, "");
    if let Some(hint) = error.hint() {
        say(&format!("  hint: {hint}"));
    }
}

/// Prints each cause once: a layer that only passes an error on repeats its text.
fn say_causes<'a>(causes: impl Iterator<Item = &'a (dyn std::error::Error + 'static)>, told: &str) {
    let mut told = told.to_owned();
    for cause in causes {
        let text = cause.to_string();
        if text != told {
            say(&format!("  caused by: {}", visible(&text)));
        }
        told = text;
    }
}

/// Prints a failure caused by the site, with a hint.
pub(crate) fn unreachable_seed(url: &str, why: &str, hint: &str) {
    say(&format!("error: cannot crawl {}", visible(url)));
    say(&format!("  caused by: {}", visible(why)));
    say(&format!("  hint: {hint}"));
}

fn problems(error: &anyhow::Error) -> Option<&PlanProblems> {
    error.chain().find_map(|cause| match cause.downcast_ref::<AppError>() {
        Some(AppError::Plan(problems)) => Some(problems),
        _ => cause.downcast_ref::<PlanProblems>(),
    })
}
