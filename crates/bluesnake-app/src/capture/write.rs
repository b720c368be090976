//! Captures as files.

use std::collections::HashSet;
use std::path::Path;

use super::output::{self, OutputOptions, PageIter, SiteFacts, Written};
use super::pages;
use crate::app::App;
use crate::error::AppError;

/// Writes the pages of captures to a folder or file. On this thread.
pub(super) fn write(
    app: &App,
    runs: &[i64],
    path: &Path,
    options: OutputOptions,
    base_urls: Vec<String>,
) -> Result<Written, AppError> {
    let mut captures = Vec::new();
    let mut redirects = Vec::new();
    for run in runs {
        captures.push((*run, pages::corpus(app, *run)?));
        redirects.extend(app.contents().redirects(*run)?);
    }
    let pages = || {
        let mut known = HashSet::new();
        let pages = captures.iter().flat_map(|(run, corpus)| pages::captured(app.database(), *run, corpus));
        pages.filter(move |page| page.as_ref().map_or(true, |page| known.insert(page.url.clone())))
    };
    let first = pages().next().transpose()?.unwrap_or_default();
    let site = SiteFacts { title: first.title, description: first.description, base_urls, redirects };
    output::write(path, options, &site, || Ok(Box::new(pages()) as PageIter<'_>))
}
