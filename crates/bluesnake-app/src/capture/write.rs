//! Captures as files.

use std::collections::HashSet;
use std::path::Path;

use super::output::{self, OutputOptions, PageIter, SiteFacts, Written};
use crate::app::App;
use crate::error::AppError;

impl App {
    /// Writes the pages of captures to a folder or file. A page that several of them have is taken from the first.
    pub async fn write_captures(&self, runs: &[i64], path: &Path, options: OutputOptions) -> Result<Written, AppError> {
        let mut base_urls = Vec::new();
        for run in runs {
            base_urls.extend(self.capture(*run).await?.bases.into_iter().map(|base| base.url));
        }
        let (app, runs, path) = (self.clone(), runs.to_vec(), path.to_owned());
        let writing = move || app.write_here(&runs, &path, options, base_urls);
        let written = tokio::task::spawn_blocking(writing).await;
        written.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// On this thread.
    fn write_here(
        &self,
        runs: &[i64],
        path: &Path,
        options: OutputOptions,
        base_urls: Vec<String>,
    ) -> Result<Written, AppError> {
        let mut captures = Vec::new();
        let mut redirects = Vec::new();
        for run in runs {
            captures.push((*run, self.capture_corpus(*run)?));
            redirects.extend(self.database().redirects(*run)?);
        }
        let pages = || {
            let mut known = HashSet::new();
            let pages = captures.iter().flat_map(|(run, corpus)| self.captured(*run, corpus));
            pages.filter(move |page| page.as_ref().map_or(true, |page| known.insert(page.url.clone())))
        };
        let first = pages().next().transpose()?.unwrap_or_default();
        let site = SiteFacts { title: first.title, description: first.description, base_urls, redirects };
        output::write(path, options, &site, || Ok(Box::new(pages()) as PageIter<'_>))
    }
}
