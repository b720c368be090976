//! `bluesnake crawl` and `bluesnake resume`: start sessions, show their progress, and report their results.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use bluesnake_app::weave::Termination;
use bluesnake_app::{
    App, AuditRequest, Caller, Disposition, EndReason, Ended, FailureKind, Hooks, Kind, Reason, Refusal, RunKind,
    RunState, SeedFate, SessionHandle, StartRequest,
};
use tokio::task::JoinSet;

use super::{fail_on, list};
use crate::args::{Condition, CrawlArguments, ProgressMode, ResumeArguments, SessionArguments};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::progress::{Display, Line};
use crate::output::{bluesnake, capture, json, print, say, secrets, summary, thousands, weave};
use crate::report::{self, Usage};

/// Time limit for the last work after a second Ctrl-C.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(2);

/// Crawls one project, or each URL as a project of its own.
pub(crate) async fn run(db: Option<&Path>, arguments: &CrawlArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let urls = interrupts.or_leave(list::all_urls(arguments)).await?;
    let one_each = urls.iter().map(std::slice::from_ref);
    let groups: Vec<&[String]> = if arguments.separate { one_each.collect() } else { vec![&urls] };
    let requests: Vec<AuditRequest> = groups.iter().map(|urls| arguments.request(urls)).collect::<Result<_, _>>()?;
    if !arguments.separate {
        // A typo creates no database.
        let check = |request: &AuditRequest| StartRequest::from(request.clone()).check(&Caller::operator());
        requests.iter().try_for_each(check).context("cannot start the crawl")?;
    }
    let app = home::open(db, Access::Create, arguments.max_sessions).await.context("cannot start the crawl")?;
    let (mut handles, mut exit) = (Vec::new(), Exit::Done);
    for request in requests {
        match app.start(request, caller(&arguments.session)).await.context("cannot start the crawl") {
            Ok(handle) => handles.push(handle),
            // The other sites are still crawled.
            Err(error) if arguments.separate => exit = exit.worst(report::failure(&error)),
            Err(error) => return Err(error),
        }
    }
    handles.iter().for_each(|handle| say_what_is_paused(handle, &arguments.session));
    let followed = Followed { session: &arguments.session, metrics: None, fail_on: &arguments.fail_on.conditions };
    Ok(exit.worst(follow(&app, handles, followed, &mut interrupts).await?))
}

/// Prints which runs of the site stay paused while another one starts.
pub(super) fn say_what_is_paused(handle: &SessionHandle, session: &SessionArguments) {
    let host = &handle.project().host;
    for run in handle.also_paused().iter().filter(|_| !session.quiet) {
        say(&format!("run {} of {host} is still {}; resume it with: {} resume {0}", run.id, run.state, bluesnake()));
    }
}

/// Resumes a run.
pub(crate) async fn resume(db: Option<&Path>, arguments: &ResumeArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let app = home::open(db, Access::Write, 1).await.context("cannot resume")?;
    let run = app.find_run_to_resume(&arguments.target).await.context("cannot resume")?;
    if run.kind != RunKind::Crawl && !arguments.fail_on.conditions.is_empty() {
        return Err(Usage(format!("run {} is a {}; --fail-on needs a crawl", run.id, run.kind)).into());
    }
    let request = arguments.session.resume(run.kind, &run.seeds)?;
    let handle = match app.resume_run(run.id, request, caller(&arguments.session)).await {
        Ok(handle) => handle,
        // A full disk, for example, leaves the run unchanged.
        Err(error) if error.kind() == Kind::Unavailable => {
            report::failure(&anyhow::Error::new(error).context("cannot resume"));
            return Ok(Exit::Stopped);
        }
        Err(error) => return Err(error).context("cannot resume"),
    };
    say_what_is_paused(&handle, &arguments.session);
    let followed = Followed { session: &arguments.session, metrics: None, fail_on: &arguments.fail_on.conditions };
    let exit = follow(&app, vec![handle], followed, &mut interrupts).await?;
    // A session that could not begin leaves the run unchanged.
    let can_resume = app.run(run.id).await.is_ok_and(|run| run.can_resume);
    Ok(if exit == Exit::Failed && can_resume { Exit::Stopped } else { exit })
}

/// The operator; with `--json`, each visit is printed as a JSON line.
pub(super) fn caller(session: &SessionArguments) -> Caller {
    let print = |visit: serde_json::Value| print_line(&visit);
    let hooks = Hooks { visit: if session.json { Some(Arc::new(print)) } else { None } };
    Caller { hooks, ..Caller::operator() }
}

/// How sessions are followed.
#[derive(Clone, Copy)]
pub(super) struct Followed<'a> {
    pub(super) session: &'a SessionArguments,
    /// Where to write the metrics of a weave.
    pub(super) metrics: Option<&'a Path>,
    /// Which findings are not accepted.
    pub(super) fail_on: &'a [Condition],
}

/// Shows sessions until all have ended, and reports the results of each. After a second Ctrl-C only the metrics of a weave
/// are written.
pub(super) async fn follow(
    app: &App,
    handles: Vec<SessionHandle>,
    followed: Followed<'_>,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Exit> {
    let Followed { session, metrics, .. } = followed;
    let display = Display::new(progress_mode(session));
    if !session.quiet {
        warn_of_few_files();
    }
    let mut watched = JoinSet::new();
    for handle in &handles {
        watched.spawn(watch(handle.clone(), display.of(&handle.project().host)));
    }
    let mut is_stopping = false;
    let mut exit = Exit::Done;
    loop {
        tokio::select! {
            done = watched.join_next() => match done {
                None => return Ok(exit),
                Some(done) => {
                    let (handle, ended) = done.context("the progress display failed")?;
                    let summary = report_end(app, &handle, &ended, followed, &display);
                    let is_last = watched.is_empty();
                    exit = exit.worst(if is_last { interrupts.or_leave(summary).await? } else { summary.await? });
                }
            },
            () = interrupts.next() => {
                if is_stopping {
                    // What was stored is consistent at every moment; the run is found again as a crashed one.
                    display.say(&resume_lines(&handles));
                    let run = handles.first().and_then(|handle| handle.snapshots().borrow().run_id);
                    if let (Some(path), Some(run)) = (metrics, run) {
                        let written = app.write_metrics(run, Termination::ForcedExit, path);
                        if let Ok(Err(error)) = tokio::time::timeout(LAST_WORDS, written).await {
                            say(&format!("cannot write the metrics: {error}"));
                        }
                    }
                    std::process::exit(Exit::Stopped as i32);
                }
                is_stopping = true;
                display.say("stopping: waiting for requests in flight; press Ctrl-C again to exit immediately");
                handles.iter().for_each(SessionHandle::stop_by_signal);
            }
        }
    }
}

/// Warns that a low limit on open files makes the crawl slower.
fn warn_of_few_files() {
    const FEW: usize = 50;
    let connections = bluesnake_app::connection_limit();
    if let (true, Some(files)) = (connections < FEW, bluesnake_app::file_limit()) {
        let connections =
            if connections == 1 { "1 connection".to_owned() } else { format!("{connections} connections") };
        say(&format!(
            "warning: this process may open only {files} files, so at most {connections} at a time; raise `ulimit -n` to crawl faster"
        ));
    }
}

fn resume_lines(handles: &[SessionHandle]) -> String {
    handles.iter().map(resume_line).collect::<Vec<_>>().join("\n")
}

fn resume_line(handle: &SessionHandle) -> String {
    match handle.kind() {
        RunKind::Crawl | RunKind::Capture => format!("resume with: {} resume {}", bluesnake(), handle.project().host),
        RunKind::Weave => format!("resume with: {} weave", bluesnake()),
    }
}

/// Shows the figures of one crawl until it ends.
async fn watch(handle: SessionHandle, mut line: Line) -> (SessionHandle, Arc<Ended>) {
    let mut snapshots = handle.snapshots();
    let mut end = std::pin::pin!(handle.wait());
    let ended = loop {
        tokio::select! {
            ended = &mut end => break ended,
            Ok(()) = snapshots.changed() => line.update(&snapshots.borrow_and_update().clone()),
        }
    };
    line.finish();
    (handle.clone(), ended)
}

/// Prints the results of a session.
async fn report_end(
    app: &App,
    handle: &SessionHandle,
    ended: &Ended,
    followed: Followed<'_>,
    display: &Display,
) -> anyhow::Result<Exit> {
    let session = followed.session;
    let host = &handle.project().host;
    if session.json {
        print_line(&json::ended(host, ended));
    } else if let (Some(finished), Some(run)) = (&ended.finished, ended.run)
        && !session.quiet
    {
        match app.run(run).await?.kind {
            RunKind::Crawl => {
                let found = app.summary_with(run, finished.receipt.clone(), summary::LISTED).await?;
                // A run that is not completed is audited for this, so it must not be large.
                let is_audited = ended.state == RunState::Completed || finished.receipt.seen() <= AUDITED_UNFINISHED;
                let issues = if is_audited { Some(app.issues(run).await?) } else { None };
                print(&summary::summary(host, ended, finished, &found, issues.as_ref()));
            }
            RunKind::Capture => print(&capture::summary(ended, finished, &app.capture(run).await?)),
            RunKind::Weave => print(&weave::summary(app, ended, finished, run).await?),
        }
    }
    if let Some(error) = &ended.error {
        display.say(&format!("error: the {} of {host} failed", handle.kind()));
        report::causes(error);
        if ended.run.is_some() {
            display.say(&resume_line(handle));
        }
        return Ok(if ended.run.is_some() { Exit::Stopped } else { Exit::Failed });
    }
    let is_exhausted = ended.finished.as_ref().is_some_and(|finished| finished.reason == EndReason::Exhausted);
    match ended.run {
        Some(run) if is_exhausted => {
            let mut seeds = app.seed_fates(run).await?;
            // The graph of a weave grows: only new seeds count.
            let is_new = |seed: &SeedFate| handle.kind() != RunKind::Weave || seed.session == ended.session;
            seeds.retain(is_new);
            let exit = judge_seeds(&seeds, handle.kind());
            Ok(exit.worst(fail_on::judge(app, run, followed.fail_on).await?))
        }
        _ => Ok(Exit::Stopped),
    }
}

/// How many URLs an unfinished run may have to end with its most important findings.
const AUDITED_UNFINISHED: u64 = 10_000;

/// A crawl has failed if none of its seeds could be fetched; what it found otherwise stays. A weave reports each seed that
/// could not be fetched: what follows from it is missing in the graph.
fn judge_seeds(seeds: &[SeedFate], kind: RunKind) -> Exit {
    let lost: Vec<&SeedFate> = seeds.iter().filter(|seed| seed.is_lost()).collect();
    let is_failed = !lost.is_empty() && lost.len() == seeds.len();
    if !is_failed && kind != RunKind::Weave {
        return Exit::Done;
    }
    const NAMED: usize = 10;
    for seed in lost.iter().take(NAMED) {
        let reason = seed.reason.as_str().replace('_', " ");
        let why = match (&seed.error, &seed.detail) {
            _ if seed.is_error() => seed.status.map_or(reason, status_line),
            (Some(error), _) => error.clone(),
            (None, Some(detail)) => format!("{reason}: {detail}"),
            (None, None) => reason,
        };
        let hint = match kind {
            RunKind::Weave if seed.is_error() => "its front page is an error page; check the host name",
            _ => hint(seed.reason),
        };
        report::unreachable_seed(&seed.url, &why, hint);
    }
    if lost.len() > NAMED {
        say(&format!("and {} more", thousands((lost.len() - NAMED) as u64)));
    }
    if is_failed { Exit::Failed } else { Exit::Done }
}

fn status_line(status: i64) -> String {
    let meaning = match status {
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        410 => " Gone",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    };
    format!("the server responded with HTTP {status}{meaning}")
}

fn hint(reason: Reason) -> &'static str {
    use FailureKind::*;
    match reason {
        Reason::Failed(DnsNotFound | DnsFailed) => "check the spelling of the host name and your network",
        Reason::Failed(Refused | Unreachable | ConnectTimeout) => {
            "check that the server is running and the port is right"
        }
        Reason::ClientError => "check the URL; `--auth`, `--cookie` and `--header` send credentials",
        Reason::ServerError => "the site is failing; try again later",
        Reason::Refused(Refusal::Robots) => {
            "robots.txt disallows crawling; use `--robots ignore` only for your own sites"
        }
        Reason::Refused(Refusal::RobotsUnreachable) => "try again later, or use `--robots ignore` for your own site",
        Reason::Refused(Refusal::PrivateAddress) => "use `--allow-private` to reach private addresses",
        Reason::Failed(
            TlsExpired | TlsNotYetValid | TlsWrongName | TlsUnknownIssuer | TlsCertificate | TlsFailed | TlsTimeout,
        ) => {
            "`--set fetch.ca_file=FILE` trusts the certificates in a PEM file; `--set fetch.insecure_hosts=HOST` trusts a host without a check"
        }
        _ => "try the URL in a browser; `-vv` shows more",
    }
}

pub(super) fn progress_mode(session: &SessionArguments) -> ProgressMode {
    session.progress.unwrap_or_else(|| match (session.quiet, std::io::stderr().is_terminal()) {
        (true, _) => ProgressMode::None,
        (false, true) => ProgressMode::Bar,
        (false, false) => ProgressMode::Lines,
    })
}

fn print_line(value: &serde_json::Value) {
    // A reader that stops early, such as `head`, is not an error.
    if writeln!(std::io::stdout(), "{}", secrets().show_json(&value.to_string())).is_err() {
        std::process::exit(Exit::Stopped as i32);
    }
}
