//! `bluesnake page`: one page as Markdown, text, HTML, JSON or a picture.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use bluesnake_app::capture::output::page_text;
use bluesnake_app::capture::{self, CapturedPage};
use bluesnake_app::export::{Existing, ExportError, Output};
use bluesnake_app::view::PageForm;
use bluesnake_app::{App, AppError, Caller, CaptureRequest, StartRequest};

use super::capture::{captured_run, saved_settings};
use crate::args::{PageArguments, PageFormat};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::{json_text, print_exactly, secrets, without_controls};

/// Prints one page.
pub(crate) async fn run(db: Option<&Path>, arguments: &PageArguments) -> anyhow::Result<Exit> {
    arguments.check()?;
    let bytes = match &arguments.run {
        Some(run) => {
            let app = home::open(db, Access::Read, 1).await?;
            stored(&app, captured_run(&app, run).await?, arguments).await?
        }
        None => {
            let request = arguments.request()?;
            StartRequest::from(request.clone()).check(&Caller::operator()).context("cannot fetch the page")?;
            fetched(db, &request, arguments).await?
        }
    };
    match &arguments.output {
        Some(path) => write(path, arguments, &bytes).with_context(|| format!("cannot write {}", path.display()))?,
        // A terminal would obey escape sequences of the page.
        None if std::io::stdout().is_terminal() => print_exactly(&without_escapes(&String::from_utf8_lossy(&bytes))),
        None => write(Path::new("-"), arguments, &bytes).context("cannot print the page")?,
    }
    Ok(Exit::Done)
}

/// Line breaks and tabs are the only control characters that stay.
fn without_escapes(text: &str) -> String {
    text.split_inclusive(['\n', '\t'])
        .map(|line| {
            let (words, end) = line.split_at(line.trim_end_matches(['\n', '\t']).len());
            format!("{}{end}", without_controls(words))
        })
        .collect()
}

fn write(path: &Path, arguments: &PageArguments, bytes: &[u8]) -> Result<(), AppError> {
    let mut output = Output::create(path, Existing::replaced_if(arguments.replace))?;
    output.write_all(bytes).map_err(ExportError::Write)?;
    Ok(output.finish()?)
}

async fn stored(app: &App, run: i64, arguments: &PageArguments) -> anyhow::Result<Vec<u8>> {
    let url = match arguments.url.strip_prefix('/') {
        Some(path) => format!("{}{path}", app.run(run).await?.site_root()),
        None => arguments.url.clone(),
    };
    let content = |form| app.page_content(run, &url, form);
    match arguments.format {
        PageFormat::Screenshot => return Ok(content(PageForm::Screenshot).await?.bytes),
        PageFormat::Html => {
            let rendered = content(PageForm::Rendered).await;
            let found = if rendered.is_ok() { rendered } else { content(PageForm::Html).await };
            return Ok(found?.bytes);
        }
        PageFormat::Markdown | PageFormat::Text | PageFormat::Json => {}
    }
    Ok(text(app.captured_page(run, &url).await?, arguments).into_bytes())
}

async fn fetched(db: Option<&Path>, request: &CaptureRequest, arguments: &PageArguments) -> anyhow::Result<Vec<u8>> {
    let mut interrupts = Interrupts::listen();
    let saved = saved_settings(db, request).await?;
    let stop = async {
        interrupts.next().await;
    };
    let fetched = capture::fetch_page(request, Caller::operator(), saved, stop).await?;
    Ok(match arguments.format {
        PageFormat::Html => fetched.html,
        PageFormat::Screenshot => fetched.screenshot.context("the page could not be rendered")?,
        _ => text(fetched.page, arguments).into_bytes(),
    })
}

fn text(page: CapturedPage, arguments: &PageArguments) -> String {
    match arguments.format {
        PageFormat::Json => json_text(&page.shown(secrets())),
        PageFormat::Text => format!("{}\n", secrets().show(page.text.trim())),
        PageFormat::Markdown | PageFormat::Html | PageFormat::Screenshot => {
            page_text(page, arguments.links, arguments.front_matter, secrets())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_control_the_terminal() {
        let shown = without_escapes("# Title\n\n\ta\x1b[2Jb\x07\n");
        assert!(shown.starts_with("# Title\n\n\ta") && shown.ends_with('\n'), "{shown:?}");
        assert!(!shown.contains(['\x1b', '\x07']), "{shown:?}");
    }
}
