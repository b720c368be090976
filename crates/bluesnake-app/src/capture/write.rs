//! A capture as files.

use std::path::Path;

use serde_json::Value;

use super::CapturedPage;
use super::output::{self, Existing, Format, OutputOptions, PageIter, SiteFacts, Written};
use crate::error::AppError;
use crate::running::App;

/// How a capture is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// As what.
    pub format: Format,
    /// Whether pages say when they were fetched.
    pub with_times: bool,
    /// Whether links between captured pages lead to their files.
    pub relative_links: bool,
    /// What to do with a file that is there.
    pub existing: Existing,
}

impl Wanted {
    /// Says at once whether a capture could be written there, so that none is made in vain.
    pub fn check(self, path: &Path) -> Result<(), AppError> {
        output::check(path, &self.options(SiteFacts::default()))
    }

    fn options(self, site: SiteFacts) -> OutputOptions {
        let Self { format, with_times, relative_links, existing } = self;
        OutputOptions { format, with_times, relative_links, existing, site }
    }
}

impl App {
    /// Writes the pages of a capture to a folder or file.
    pub async fn write_capture(&self, run: i64, path: &Path, wanted: Wanted) -> Result<Written, AppError> {
        let base_urls = self.capture(run).await?.bases.into_iter().map(|base| base.url).collect();
        let (app, path) = (self.clone(), path.to_owned());
        let writing = move || app.write_capture_here(run, &path, wanted, base_urls);
        let written = tokio::task::spawn_blocking(writing).await;
        written.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    fn write_capture_here(
        &self,
        run: i64,
        path: &Path,
        wanted: Wanted,
        base_urls: Vec<String>,
    ) -> Result<Written, AppError> {
        let corpus = &self.capture_corpus(run)?;
        let first = self.next_captured(run, 0, corpus)?;
        let site = SiteFacts {
            title: first.as_ref().and_then(|page| page.title.clone()),
            description: first.and_then(|page| page.description),
            base_urls,
        };
        output::write(path, &wanted.options(site), || {
            let mut after = 0;
            let pages = std::iter::from_fn(move || {
                let page = self.next_captured(run, after, corpus).transpose()?;
                after = page.as_ref().map_or(after, |page| page.number);
                Some(page.map(output::CapturedPage::from))
            });
            Ok(Box::new(pages) as PageIter<'_>)
        })
    }
}

impl From<CapturedPage> for output::CapturedPage {
    fn from(page: CapturedPage) -> Self {
        Self {
            metadata: named(&page.metadata),
            url: page.url,
            canonical: page.canonical,
            alternate_urls: page.alternate_urls,
            title: page.title,
            description: page.description,
            language: page.language,
            markdown: page.markdown,
            hash: page.hash,
            tokens_o200k: page.tokens_o200k as u32,
            tokens_cl100k: page.tokens_cl100k as u32,
            crawled_at: Some(page.crawled_at),
            confidence: page.confidence as f32,
        }
    }
}

/// The facts of a head as names and texts. Those with a place of their own are left out.
fn named(metadata: &Value) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for (name, value) in metadata.as_object().into_iter().flatten() {
        match value {
            Value::String(text) if !matches!(name.as_str(), "description" | "canonical") => {
                named.push((name.clone(), text.clone()));
            }
            Value::Array(texts) => {
                let texts = texts.iter().filter_map(Value::as_str);
                named.extend(texts.map(|text| (name.clone(), text.to_owned())));
            }
            _ => {}
        }
    }
    named
}
