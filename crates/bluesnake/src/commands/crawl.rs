//! `bluesnake crawl` and `bluesnake resume`: start sessions, show them, tell what came out.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Context;
use bluesnake_app::{
    App, AuditRequest, Caller, Disposition, EndReason, Ended, Hooks, Kind, Reason, RunKind, SeedFate, SessionHandle,
    StartRequest,
};
use tokio::task::JoinSet;

use crate::args::{CrawlArguments, ProgressMode, ResumeArguments, SessionArguments};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::progress::{Display, Line};
use crate::output::{bluesnake, capture, json, print, say, secrets, summary, weave};
use crate::report;

/// How long something may take that is done for somebody who cannot wait.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(2);

/// What is still done when the user cannot wait for the end.
pub(super) type LastWords<'a> = &'a dyn Fn(&SessionHandle) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Crawls one project, or each URL as a project of its own.
pub(crate) async fn run(db: Option<&Path>, arguments: &CrawlArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let urls = arguments.all_urls()?;
    let one_each = urls.iter().map(std::slice::from_ref);
    let groups: Vec<&[String]> = if arguments.separate { one_each.collect() } else { vec![&urls] };
    let requests: Vec<AuditRequest> = groups.iter().map(|urls| arguments.request(urls)).collect::<Result<_, _>>()?;
    if !arguments.separate {
        // A typo makes no database.
        let check = |request: &AuditRequest| StartRequest::from(request.clone()).check(&Caller::operator());
        requests.iter().try_for_each(check).context("cannot start the crawl")?;
    }
    let app = home::open(db, Access::Create, arguments.max_sessions).await.context("cannot start the crawl")?;
    let (mut handles, mut exit) = (Vec::new(), Exit::Done);
    for request in requests {
        match app.start(request, caller(&arguments.session)).await.context("cannot start the crawl") {
            Ok(handle) => handles.push(handle),
            // The other sites are crawled all the same.
            Err(error) if arguments.separate => exit = exit.worst(report::failure(&error)),
            Err(error) => return Err(error),
        }
    }
    handles.iter().for_each(|handle| say_what_is_paused(handle, &arguments.session));
    Ok(exit.worst(follow(&app, handles, &arguments.session, &mut interrupts).await?))
}

/// Says which runs of the site stay paused while another one starts.
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
    let seeds: Vec<String> = serde_json::from_str(&run.seeds).unwrap_or_default();
    let request = arguments.session.resume(run.kind, &seeds)?;
    let handle = match app.resume_run(&run, request, caller(&arguments.session)).await {
        Ok(handle) => handle,
        // A full disk, for example, leaves the run as it was.
        Err(error) if error.kind() == Kind::Unavailable => {
            report::failure(&anyhow::Error::new(error).context("cannot resume"));
            return Ok(Exit::Stopped);
        }
        Err(error) => return Err(error).context("cannot resume"),
    };
    say_what_is_paused(&handle, &arguments.session);
    let exit = follow(&app, vec![handle], &arguments.session, &mut interrupts).await?;
    // A session that could not even begin leaves the run as it was.
    let can_resume = app.find_run(&run.id.to_string()).await.is_ok_and(|run| run.can_resume());
    Ok(if exit == Exit::Failed && can_resume { Exit::Stopped } else { exit })
}

/// The operator, who may want a line of JSON for each visit.
pub(super) fn caller(session: &SessionArguments) -> Caller {
    let print = |visit: serde_json::Value| print_line(&visit);
    let hooks = Hooks { visit: if session.json { Some(Arc::new(print)) } else { None } };
    Caller { hooks, ..Caller::operator() }
}

/// Shows crawls until all have ended, and tells what came out of each.
pub(super) async fn follow(
    app: &App,
    handles: Vec<SessionHandle>,
    session: &SessionArguments,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Exit> {
    follow_with(app, handles, session, interrupts, &|_| Box::pin(async {})).await
}

/// The same, with something to be done when somebody cannot wait for the end.
pub(super) async fn follow_with(
    app: &App,
    handles: Vec<SessionHandle>,
    session: &SessionArguments,
    interrupts: &mut Interrupts,
    leave: LastWords<'_>,
) -> anyhow::Result<Exit> {
    let display = Display::new(progress_mode(session));
    if !session.quiet {
        tell_of_few_files();
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
                    let summary = tell(app, &handle, &ended, session, &display);
                    let is_last = watched.is_empty();
                    exit = exit.worst(if is_last { interrupts.or_leave(summary).await? } else { summary.await? });
                }
            },
            () = interrupts.next() => {
                if is_stopping {
                    // What was stored is consistent at every moment; the run is found again as a crashed one.
                    display.say(&resume_lines(&handles));
                    for handle in &handles {
                        let _ = tokio::time::timeout(LAST_WORDS, leave(handle)).await;
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

/// Says that the crawl is slower than it could be.
fn tell_of_few_files() {
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

/// Prints what came out of a session.
async fn tell(
    app: &App,
    handle: &SessionHandle,
    ended: &Ended,
    session: &SessionArguments,
    display: &Display,
) -> anyhow::Result<Exit> {
    let host = &handle.project().host;
    if session.json {
        print_line(&json::ended(host, ended));
    } else if let (Some(finished), Some(run)) = (&ended.finished, ended.run)
        && !session.quiet
    {
        match app.find_run(&run.to_string()).await?.kind {
            RunKind::Crawl => {
                let found = app.summary_with(run, finished.receipt.clone(), summary::LISTED).await?;
                print(&summary::summary(host, ended, finished, &found));
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
            // The graph of a weave grows: what counts are the starting points that are new.
            let is_new = |seed: &SeedFate| handle.kind() != RunKind::Weave || seed.session == ended.session;
            seeds.retain(is_new);
            Ok(judge_seeds(&seeds, handle.kind()))
        }
        _ => Ok(Exit::Stopped),
    }
}

/// A crawl has failed when none of its seeds could be fetched; what it found otherwise stays. Of a weave, each seed that
/// could not be fetched is reported: what follows from it is missing in the graph.
fn judge_seeds(seeds: &[SeedFate], kind: RunKind) -> Exit {
    let is_error = |seed: &SeedFate| matches!(seed.reason, Reason::ClientError | Reason::ServerError);
    let is_lost = |seed: &&SeedFate| {
        matches!(seed.reason.disposition(), Disposition::Failed | Disposition::Refused) || is_error(seed)
    };
    let lost: Vec<&SeedFate> = seeds.iter().filter(is_lost).collect();
    let is_failed = !lost.is_empty() && lost.len() == seeds.len();
    if !is_failed && kind != RunKind::Weave {
        return Exit::Done;
    }
    for seed in lost {
        let reason = seed.reason.as_str().replace('_', " ");
        let why = match (&seed.error, &seed.detail) {
            _ if is_error(seed) => seed.status.map_or(reason, status_line),
            (Some(error), _) => error.clone(),
            (None, Some(detail)) => format!("{reason}: {detail}"),
            (None, None) => reason,
        };
        let hint = match kind {
            RunKind::Weave if is_error(seed) => "its front page is an error page; check the host name",
            _ => hint(seed.reason.as_str()),
        };
        report::unreachable_seed(&seed.url, &why, hint);
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

fn hint(reason: &str) -> &'static str {
    match reason {
        "dns_not_found" | "dns_failed" => "check the spelling of the host name and your network",
        "refused" | "unreachable" | "connect_timeout" => "check that the server is running and the port is right",
        "client_error" => "check the URL; `--auth`, `--cookie` and `--header` send credentials",
        "server_error" => "the site is failing; try again later",
        "robots" => "robots.txt disallows crawling; use `--robots ignore` only for your own sites",
        "robots_unreachable" => "try again later, or use `--robots ignore` for your own site",
        "private_address" => "use `--allow-private` to reach private addresses",
        word if word.starts_with("tls") => {
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
    // A reader that has gone away, as `head` does, is no reason to complain.
    if writeln!(std::io::stdout(), "{}", secrets().show_json(&value.to_string())).is_err() {
        std::process::exit(Exit::Stopped as i32);
    }
}
