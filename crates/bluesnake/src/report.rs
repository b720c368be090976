//! Errors as people read them: what we tried, why it failed, what to do.

use bluesnake_engine::{CrawlError, PlanProblems};

use crate::args::Usage;
use crate::exit::Exit;
use crate::output::visible;

/// Prints an error with its causes and, where there is one, a hint.
pub(crate) fn failure(error: &anyhow::Error) -> Exit {
    eprintln!("error: {}", visible(&error.to_string()));
    if let Some(problems) = problems(error) {
        for problem in &problems.0 {
            eprintln!("  caused by: {}: {}", problem.field, visible(&problem.message));
        }
        eprintln!("  hint: `bluesnake crawl --help` explains every option");
        return Exit::Usage;
    }
    for cause in error.chain().skip(1) {
        eprintln!("  caused by: {}", visible(&cause.to_string()));
    }
    if error.is::<Usage>() {
        eprintln!("  hint: `bluesnake crawl --help` explains every option");
        return Exit::Usage;
    }
    Exit::Failed
}

/// Prints a failure that the web caused, with what to do about it.
pub(crate) fn unreachable_seed(url: &str, why: &str, hint: &str) {
    eprintln!("error: cannot crawl {}", visible(url));
    eprintln!("  caused by: {}", visible(why));
    eprintln!("  hint: {hint}");
}

fn problems(error: &anyhow::Error) -> Option<&PlanProblems> {
    error.chain().find_map(|cause| match cause.downcast_ref::<CrawlError>() {
        Some(CrawlError::Plan(problems)) => Some(problems),
        _ => cause.downcast_ref::<PlanProblems>(),
    })
}
