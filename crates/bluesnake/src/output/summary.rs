//! What a person reads when a crawl has ended: the receipt, what is broken and where it is linked from.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use bluesnake_engine::{Disposition, EndReason, Finished, MemoryStore, Number, Task, UrlRow, Visit};

use super::visible;

/// How many broken URLs and slow pages are listed.
const LISTED: usize = 10;

/// The summary of a crawl.
pub(crate) fn summary(finished: &Finished, store: &MemoryStore) -> String {
    let mut text = String::new();
    let progress = &finished.progress;
    let rate = progress.visits as f64 / finished.elapsed.as_secs_f64().max(0.001);
    let _ = writeln!(
        text,
        "{}: {} visits, {} pages in {:.1} s ({rate:.0} a second, {:.1} MB)\n",
        headline(&finished.reason),
        progress.visits,
        progress.pages,
        finished.elapsed.as_secs_f64(),
        progress.bytes as f64 / 1e6,
    );
    let _ = writeln!(text, "{}", finished.receipt);
    cut(&mut text, store);
    broken(&mut text, store);
    slowest(&mut text, store);
    text
}

fn headline(reason: &EndReason) -> String {
    match reason {
        EndReason::Exhausted => "complete".to_owned(),
        EndReason::BudgetSpent => "paused, the budget is spent".to_owned(),
        EndReason::TimeSpent => "paused, the time is over".to_owned(),
        EndReason::Stopped => "stopped".to_owned(),
        EndReason::BrokenOff(why) => format!("broken off ({})", visible(why)),
        EndReason::HostGivenUp { host, why } => format!("paused, {host} was given up ({})", visible(why)),
    }
}

/// What limits cut off, so that nothing disappears silently.
fn cut(text: &mut String, store: &MemoryStore) {
    let is_worth_telling = |visit: &Arc<Visit>| {
        visit.links_cut > 0 || visit.note.is_some() || visit.answer.as_ref().is_some_and(|answer| answer.cut.is_some())
    };
    let visits: Vec<_> = store.visits().into_iter().filter(is_worth_telling).collect();
    if visits.len() > LISTED {
        let _ = writeln!(text, "limits cut something off {} URLs, the first {LISTED} of them:", visits.len());
    }
    for visit in visits.iter().take(LISTED) {
        let url = visible(visit.url().as_str());
        if visit.links_cut > 0 {
            let _ = writeln!(text, "cut by limits.links_per_page: {} links of {url}", visit.links_cut);
        }
        if let Some(cut) = visit.answer.as_ref().and_then(|answer| answer.cut) {
            let _ = writeln!(text, "not whole: {url}: {cut}");
        }
        if let Some(note) = &visit.note {
            let _ = writeln!(text, "note: {url}: {}", visible(note));
        }
    }
}

fn broken(text: &mut String, store: &MemoryStore) {
    let urls = store.urls();
    let visits: HashMap<Number, _> = store.visits().into_iter().map(|visit| (visit.number(), visit)).collect();
    let is_broken = |row: &&UrlRow| {
        row.disposition == Disposition::Failed
            || matches!(row.reason, "client_error" | "server_error" | "redirect_loop")
    };
    let broken: Vec<&UrlRow> =
        urls.iter().filter(is_broken).filter(|row| !matches!(row.task, Task::Sitemap | Task::Robots)).collect();
    if broken.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nbroken ({}):", broken.len());
    for row in broken.iter().take(LISTED) {
        let visit = visits.get(&row.number);
        let status = visit.and_then(|visit| visit.status()).map(|status| status.to_string());
        let what = status.unwrap_or_else(|| row.reason.replace('_', " "));
        let _ = writeln!(text, "  {what}  {}", visible(row.url.as_str()));
        if let Some(parent) = row.parent {
            let _ = writeln!(text, "       linked from {}", visible(urls[parent.0 as usize - 1].url.as_str()));
        }
    }
    if broken.len() > LISTED {
        let _ = writeln!(text, "  … and {} more; `--json` lists them all", broken.len() - LISTED);
    }
}

fn slowest(text: &mut String, store: &MemoryStore) {
    let mut pages: Vec<_> = store.visits().into_iter().filter(|visit| visit.page.is_some()).collect();
    pages.sort_by_key(|visit| (std::cmp::Reverse(visit.elapsed()), visit.number()));
    if pages.len() < 2 {
        return;
    }
    let _ = writeln!(text, "\nslowest pages:");
    for visit in pages.iter().take(3) {
        let _ = writeln!(text, "  {:>6} ms  {}", visit.elapsed().as_millis(), visible(visit.url().as_str()));
    }
}
