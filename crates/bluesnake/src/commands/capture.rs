//! `bluesnake capture` and `bluesnake search`: capture documentation as Markdown, and search it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use bluesnake_app::capture::output::{Existing, Format, Links, OutputOptions};
use bluesnake_app::export::{is_reader_gone, is_stdout};
use bluesnake_app::{App, Caller, CaptureRequest, RunKind, RunState, Saved, SessionHandle, StartRequest, capture};

use super::{crawl, project_id};
use crate::args::{CaptureArguments, SearchArguments, SessionArguments};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::{bluesnake, capture as show, counted, json_text, print, print_exactly, print_json, say, secrets};
use crate::report::Usage;

/// Captures a site, previews a capture, or writes captured pages again.
pub(crate) async fn run(db: Option<&Path>, arguments: &CaptureArguments) -> anyhow::Result<Exit> {
    let target = target(arguments)?;
    if let Some((path, options)) = &target {
        options.check(path).context("cannot write the capture")?;
    }
    if !arguments.runs.is_empty() {
        let app = home::open(db, Access::Read, 1).await?;
        let mut runs = Vec::new();
        for run in &arguments.runs {
            runs.push(captured_run(&app, run).await?);
        }
        return write(&app, &runs, target.as_ref(), arguments).await;
    }
    let mut interrupts = Interrupts::listen();
    let request = arguments.request()?;
    StartRequest::from(request.clone()).check(&Caller::operator()).context("cannot start the capture")?;
    if arguments.preview {
        return preview(db, &request, arguments, &mut interrupts).await;
    }
    let app = home::open(db, Access::Create, 1).await.context("cannot start the capture")?;
    let handle = app.start(request, crawl::caller(&arguments.session)).await.context("cannot start the capture")?;
    crawl::say_what_is_paused(&handle, &arguments.session);
    let session = quiet_beside_data(arguments);
    let followed = crawl::Followed { session: &session, metrics: None, fail_on: &[] };
    let exit = crawl::follow(&app, vec![handle.clone()], followed, &mut interrupts).await?;
    let run = finished_run(&handle).await;
    match run {
        // Also if no seed could be fetched: sitemaps may still have led to pages.
        Some(run) if matches!(exit, Exit::Done | Exit::Failed) => {
            let runs = [run];
            let written = write(&app, &runs, target.as_ref(), arguments);
            Ok(exit.worst(interrupts.or_leave(written).await?))
        }
        _ => {
            if target.is_some() && !arguments.session.quiet {
                say("no files were written yet; run the same command again to resume the capture and write them");
            }
            Ok(exit)
        }
    }
}

/// If pages go to standard output, nothing else does.
fn quiet_beside_data(arguments: &CaptureArguments) -> SessionArguments {
    let mut session = arguments.session.clone();
    session.quiet |= arguments.output.as_deref().is_some_and(is_stdout);
    session
}

/// The run of a capture, if it is complete.
async fn finished_run(handle: &SessionHandle) -> Option<i64> {
    let ended = handle.wait().await;
    ended.run.filter(|_| ended.state == RunState::Completed)
}

pub(super) async fn captured_run(app: &App, text: &str) -> anyhow::Result<i64> {
    let run = match text.parse::<i64>() {
        Ok(_) => app.find_run(text).await?,
        Err(_) => app.newest_capture(text).await?,
    };
    if run.kind != RunKind::Capture {
        return Err(
            Usage(format!("run {0} is not a capture; export it with `{1} export {0}`", run.id, bluesnake())).into()
        );
    }
    Ok(run.id)
}

/// Where to write, and in which format: the one given, or the one inferred from the file extension.
fn target(arguments: &CaptureArguments) -> anyhow::Result<Option<(PathBuf, OutputOptions)>> {
    let Some(path) = &arguments.output else {
        return match arguments.format {
            Some(_) => Err(Usage("--format needs -o with a folder or file".to_owned()).into()),
            None if !arguments.runs.is_empty() => Err(Usage("choose a folder or file with -o".to_owned()).into()),
            None => Ok(None),
        };
    };
    let format = match arguments.format {
        Some(format) => format,
        None => inferred_format(path)?,
    };
    let options = OutputOptions {
        format,
        with_times: arguments.times,
        links: arguments.links.unwrap_or(Links::default_for(format)),
        max_tokens: arguments.max_tokens,
        secrets: secrets(),
        existing: Existing::replaced_if(arguments.replace),
    };
    Ok(Some((path.clone(), options)))
}

/// The format that the extension of a file stands for. A name without one, or with a number, is that of a folder.
fn inferred_format(path: &Path) -> Result<Format, Usage> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md" | "markdown") => Ok(Format::Single),
        Some("txt") => Ok(Format::Text),
        Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
        Some("zip") => Ok(Format::Zip),
        _ if is_stdout(path) => Ok(Format::Single),
        Some("pdf" | "html" | "htm" | "json" | "csv" | "xlsx" | "docx" | "epub" | "gz" | "tar") if !path.is_dir() => {
            Err(Usage(format!("cannot write a capture as {}; choose a format with --format", path.display())))
        }
        _ => Ok(Format::Tree),
    }
}

async fn write(
    app: &App,
    runs: &[i64],
    target: Option<&(PathBuf, OutputOptions)>,
    arguments: &CaptureArguments,
) -> anyhow::Result<Exit> {
    let Some((path, options)) = target else { return Ok(Exit::Done) };
    let mut pages = 0;
    for run in runs {
        let captured = app.capture(*run).await?;
        pages += captured.pages_processed;
        if captured.queue_size > 0 {
            say(&format!("run {run} is not complete: {} pending", counted(captured.queue_size, "URL")));
        }
    }
    if pages == 0 {
        let named: Vec<String> = runs.iter().map(|run| format!("run {run}")).collect();
        say(&format!("error: {} captured no pages; nothing was written", named.join(" and ")));
        say(&format!("hint: `{} receipt {}` shows where every URL ended up", bluesnake(), runs[0]));
        return Ok(Exit::Failed);
    }
    let written = match app.write_captures(runs, path, *options).await {
        // A reader that stops early, such as `head`, has what it wanted.
        Err(error) if is_stdout(path) && is_reader_gone(&error) => return Ok(Exit::Done),
        written => written.context("cannot write the capture")?,
    };
    if !arguments.session.quiet {
        say(&show::written(path, &written));
    }
    Ok(Exit::Done)
}

/// Lists what would be captured; if interrupted, what is known by then.
async fn preview(
    db: Option<&Path>,
    request: &CaptureRequest,
    arguments: &CaptureArguments,
    interrupts: &mut Interrupts,
) -> anyhow::Result<Exit> {
    if !arguments.session.quiet {
        say("previewing the site; nothing is stored");
    }
    let saved = saved_settings(db, request).await?;
    let mut is_stopped = false;
    let stop = async {
        interrupts.next().await;
        is_stopped = true;
    };
    let previewed =
        capture::preview(request, Caller::operator(), saved, stop).await.context("cannot preview the capture")?;
    match arguments.session.json {
        true => print_json(&previewed),
        false => print(&show::preview(&previewed)),
    }
    Ok(if is_stopped { Exit::Stopped } else { Exit::Done })
}

/// The saved settings of the project. Creates no database.
pub(super) async fn saved_settings(db: Option<&Path>, request: &CaptureRequest) -> anyhow::Result<Saved> {
    if !home::database_path(db)?.exists() {
        return Ok(Saved::default());
    }
    let app = home::open(db, Access::Read, 1).await.context("cannot read the settings of the project")?;
    Ok(app.settings_for(request).await?)
}

/// Searches captures.
pub(crate) async fn search(db: Option<&Path>, arguments: &SearchArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let project = project_id(&app, arguments.project.as_deref()).await?;
    let found = app.search_captures(&arguments.query.join(" "), project, arguments.limit, secrets()).await?;
    // Masked already: masking again would shift the positions of the matches.
    match arguments.shown.json {
        true => print_exactly(&json_text(&found)),
        false => print_exactly(&show::found(&found)),
    }
    Ok(Exit::Done)
}
