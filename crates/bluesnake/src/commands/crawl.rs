//! `bluesnake crawl`: crawls a site and tells what it found.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use bluesnake_engine::{
    CanonicalUrl, CrawlError, CrawlPlan, Crawler, EndReason, Event, Finished, MemoryStore, Outcome, Running, Task,
    Visit,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::broadcast::error::RecvError;

use crate::args::{CrawlArguments, ProgressMode};
use crate::exit::Exit;
use crate::output::progress::Display;
use crate::output::{json, summary};
use crate::report;

/// Crawls, shows progress, and prints the summary or the visits as JSON.
pub(crate) async fn run(arguments: &CrawlArguments) -> anyhow::Result<Exit> {
    let plan = plan(arguments)?;
    let store = Arc::new(MemoryStore::default());
    let mut crawler = Crawler::new(plan).store(store.clone());
    if arguments.json {
        crawler = crawler.on_page(print_visit).on_resource(print_visit);
    }
    let interrupts = Interrupts::listen();
    let running = crawler.start().context("cannot start the crawl")?;
    let display = Display::new(progress_mode(arguments));
    let finished = watch(running, interrupts, &display).await?;
    display.finish();
    if arguments.json {
        print_line(&json::finished(&finished));
    } else if !arguments.quiet {
        // Whoever reads only the first lines, as `head` does, has seen enough.
        let _ = std::io::stdout().write_all(summary::summary(&finished, &store).as_bytes());
    }
    Ok(exit(&finished, &store))
}

fn plan(arguments: &CrawlArguments) -> anyhow::Result<CrawlPlan> {
    let mut input = arguments.plan_input()?;
    // Whoever types the address of a private host wants it crawled.
    if arguments.urls.iter().any(|text| names_private_host(text)) {
        input.fetch.allow_private.get_or_insert(true);
    }
    CrawlPlan::new(&arguments.urls, input).map_err(CrawlError::from).context("cannot start the crawl")
}

fn names_private_host(text: &str) -> bool {
    let Ok(seed) = CanonicalUrl::from_user_input(text) else { return false };
    let host = seed.host().trim_matches(['[', ']']);
    let is_local_name = host == "localhost" || host.ends_with(".localhost");
    is_local_name || host.parse().is_ok_and(|address| !bluesnake_engine::fetch::is_global(address))
}

fn progress_mode(arguments: &CrawlArguments) -> ProgressMode {
    arguments.progress.unwrap_or_else(|| match std::io::stderr().is_terminal() && !arguments.quiet {
        true => ProgressMode::Bar,
        false => ProgressMode::None,
    })
}

/// Shows progress until the crawl ends. The first Ctrl-C stops it, a second one ends the program.
async fn watch(running: Running, mut interrupts: Interrupts, display: &Display) -> Result<Finished, CrawlError> {
    let started = Instant::now();
    let (progress, stopper, mut events) = (running.progress(), running.stopper(), running.events());
    let mut ticks = tokio::time::interval(Duration::from_millis(250));
    let mut end = std::pin::pin!(running.wait());
    let mut is_stopping = false;
    loop {
        tokio::select! {
            finished = &mut end => return finished,
            _ = ticks.tick() => display.update(*progress.borrow(), started),
            () = interrupts.next() => {
                if is_stopping {
                    std::process::exit(130);
                }
                is_stopping = true;
                eprintln!("stopping: requests under way get a moment to end; press Ctrl-C again to leave at once");
                stopper.stop();
            }
            event = events.recv() => match event {
                Ok(Event::Host(news)) => display.news(&news),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return end.await,
            },
        }
    }
}

/// Ctrl-C and the signal that asks a program to end.
struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    fn listen() -> Self {
        let listen = |kind| signal(kind).expect("signals can be listened to");
        Self { interrupt: listen(SignalKind::interrupt()), terminate: listen(SignalKind::terminate()) }
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

fn print_visit(visit: &Visit) {
    print_line(&json::visit(visit));
}

fn print_line(value: &serde_json::Value) {
    // A reader that has gone away, as `head` does, is no reason to complain.
    if writeln!(std::io::stdout(), "{value}").is_err() {
        std::process::exit(i32::from(Exit::Stopped as u8));
    }
}

fn exit(finished: &Finished, store: &MemoryStore) -> Exit {
    let seeds: Vec<_> =
        store.visits().into_iter().filter(|visit| visit.row.parent.is_none() && visit.row.task == Task::Page).collect();
    let failed = seeds.iter().all(|visit| matches!(visit.outcome, Outcome::Failed(_) | Outcome::Refused { .. }));
    match &finished.reason {
        EndReason::Exhausted if failed && !seeds.is_empty() => {
            for seed in &seeds {
                report::unreachable_seed(seed.url().as_str(), &why(seed), hint(seed));
            }
            Exit::Failed
        }
        EndReason::Exhausted => Exit::Done,
        _ => Exit::Stopped,
    }
}

fn why(seed: &Visit) -> String {
    match &seed.outcome {
        Outcome::Refused { refusal, detail } => format!("{}: {detail}", refusal.as_str().replace('_', " ")),
        _ => seed.error().unwrap_or_default(),
    }
}

fn hint(seed: &Visit) -> &'static str {
    match seed.disposition().1 {
        "dns_not_found" | "dns_failed" => "check the spelling of the name and your network",
        "refused" | "unreachable" | "connect_timeout" => "check that the server runs and that the port is right",
        "robots" => "the site's robots.txt asks crawlers to stay away; `--robots ignore` is for sites of your own",
        "robots_unreachable" => "try again later, or use `--robots ignore` for a site of your own",
        "private_address" => "`--allow-private` lets the crawl reach addresses of your own network",
        word if word.starts_with("tls") => {
            "check the certificate; `--set fetch.insecure_hosts` names hosts to trust anyway"
        }
        _ => "try the address in a browser; `-v` shows more",
    }
}
