//! `bluesnake capture` and `bluesnake search`: documentation as Markdown, and words in it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use bluesnake_app::capture::{self, output};
use bluesnake_app::store::state::{RunKind, RunState};
use bluesnake_app::{App, CrawlHandle};

use super::crawl::{self, Interrupts};
use crate::args::{CaptureArguments, CaptureFormat, SearchArguments, SessionArguments};
use crate::exit::Exit;
use crate::home::{self, Need};
use crate::output::{capture as show, print, print_json, say};
use crate::report::Usage;

/// Captures a site, previews that, or writes again what was captured.
pub(crate) async fn run(db: Option<&Path>, arguments: &CaptureArguments) -> anyhow::Result<Exit> {
    let target = target(arguments)?;
    if let Some((path, format)) = &target {
        wanted(*format, arguments).check(path).context("the capture could not be written")?;
    }
    if let Some(run) = &arguments.run {
        let app = home::open(db, Need::Existing, 1).await?;
        let run = captured_run(&app, run).await?;
        return write(&app, run, target.as_ref(), arguments).await;
    }
    let mut interrupts = Interrupts::listen();
    let mut request = arguments.request()?;
    request.check().context("cannot start the capture")?;
    if arguments.preview {
        return preview(arguments, &mut interrupts).await;
    }
    let app = home::open(db, Need::Any, 1).await.context("cannot start the capture")?;
    request.hooks = crawl::hooks(&arguments.session);
    let handle = app.start_crawl(request).await.context("cannot start the capture")?;
    let session = quiet_beside_data(arguments);
    let exit = crawl::follow(&app, vec![handle.clone()], &session, &mut interrupts).await?;
    let run = finished_run(&handle).await;
    match run {
        Some(run) if exit == Exit::Done => write(&app, run, target.as_ref(), arguments).await,
        _ => {
            if target.is_some() && !arguments.session.quiet {
                say("nothing was written: that is done when the capture is complete");
            }
            Ok(exit)
        }
    }
}

/// Where pages go to standard output, nothing else does.
fn quiet_beside_data(arguments: &CaptureArguments) -> SessionArguments {
    let mut session = arguments.session.clone();
    session.quiet |= arguments.output.as_deref() == Some(Path::new("-"));
    session
}

/// The run of a capture that came to its end.
async fn finished_run(handle: &CrawlHandle) -> Option<i64> {
    let ended = handle.wait().await;
    ended.run.filter(|_| ended.state == RunState::Completed)
}

async fn captured_run(app: &App, text: &str) -> anyhow::Result<i64> {
    let run = match text.parse::<i64>() {
        Ok(_) => app.find_run(text).await?,
        Err(_) => app.newest_capture(text).await?,
    };
    if run.kind != RunKind::Capture {
        return Err(
            Usage(format!("run {} is no capture: `bluesnake export {}` writes what it found", run.id, run.id)).into()
        );
    }
    Ok(run.id)
}

/// Where to write and how: the format that was named, or that the ending of the file tells.
fn target(arguments: &CaptureArguments) -> anyhow::Result<Option<(PathBuf, output::Format)>> {
    let Some(path) = &arguments.output else {
        return match arguments.format {
            Some(_) => Err(Usage("--format says how -o is written: name a folder or file with -o".to_owned()).into()),
            None if arguments.run.is_some() => Err(Usage("name a folder or file with -o".to_owned()).into()),
            None => Ok(None),
        };
    };
    let format = arguments.format.unwrap_or_else(|| match path.extension().and_then(|ending| ending.to_str()) {
        Some("md" | "markdown" | "txt") => CaptureFormat::Single,
        Some("jsonl" | "ndjson") => CaptureFormat::Jsonl,
        Some("zip") => CaptureFormat::Zip,
        _ if path == Path::new("-") => CaptureFormat::Single,
        _ => CaptureFormat::Tree,
    });
    let format = match format {
        CaptureFormat::Tree => output::Format::Tree,
        CaptureFormat::Single => output::Format::Single,
        CaptureFormat::Jsonl => output::Format::Jsonl,
        CaptureFormat::Zip => output::Format::Zip,
    };
    Ok(Some((path.clone(), format)))
}

async fn write(
    app: &App,
    run: i64,
    target: Option<&(PathBuf, output::Format)>,
    arguments: &CaptureArguments,
) -> anyhow::Result<Exit> {
    let Some((path, format)) = target else { return Ok(Exit::Done) };
    let captured = app.capture(run).await?;
    if captured.pages_processed == 0 {
        say(&format!("error: run {run} captured no page, so nothing was written"));
        say(&format!("hint: `bluesnake receipt {run}` tells where every address ended up"));
        return Ok(Exit::Failed);
    }
    if captured.queue_size > 0 {
        say(&format!("the capture is not complete: {} addresses are pending", captured.queue_size));
    }
    let wanted = wanted(*format, arguments);
    let written = app.write_capture(run, path, wanted).await.context("the capture cannot be written")?;
    if !arguments.session.quiet {
        say(&show::written(path, &written));
    }
    Ok(Exit::Done)
}

fn wanted(format: output::Format, arguments: &CaptureArguments) -> capture::Wanted {
    capture::Wanted {
        format,
        with_times: arguments.times,
        relative_links: !arguments.absolute_links,
        existing: if arguments.replace { output::Existing::Replace } else { output::Existing::Keep },
    }
}

/// Lists what would be captured.
async fn preview(arguments: &CaptureArguments, interrupts: &mut Interrupts) -> anyhow::Result<Exit> {
    if !arguments.session.quiet {
        say("looking through the site; nothing is kept");
    }
    let request = arguments.request()?;
    let previewed = tokio::select! {
        previewed = capture::preview(&request) => previewed.context("cannot preview the capture")?,
        () = interrupts.next() => return Ok(Exit::Stopped),
    };
    match arguments.session.json {
        true => print_json(&previewed),
        false => print(&show::preview(&previewed)),
    }
    Ok(Exit::Done)
}

/// Finds words in captures.
pub(crate) async fn search(db: Option<&Path>, arguments: &SearchArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Need::Existing, 1).await?;
    let project = match &arguments.project {
        Some(text) => Some(app.find_project(text).await?.id),
        None => None,
    };
    let found = app.search_captures(&arguments.query.join(" "), project, arguments.limit).await?;
    match arguments.shown.json {
        true => print_json(&found),
        false => print(&show::found(&found)),
    }
    Ok(Exit::Done)
}
