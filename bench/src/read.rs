//! The lower bounds for parsing: parsing pages and resolving their links, in memory on one thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, ensure};
use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::parse::{charset, html};
use bluesnake_engine::plan::{LimitSettings, ParseSettings};
use bluesnake_engine::url::Base;
use serde_json::json;

use crate::process::{cpu_seconds, rounded};

const CONTENT_TYPE: &str = "text/html; charset=utf-8";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder; every file below it with the extension .html, or none, is a page
    folder: PathBuf,
}

struct Page {
    url: CanonicalUrl,
    html: Vec<u8>,
}

/// Parses every page as the engine does for a visit.
pub(crate) fn parse(arguments: &Arguments) -> anyhow::Result<()> {
    let (settings, limits) = (ParseSettings::default(), LimitSettings::default());
    let pages = pages_of(&arguments.folder)?;
    measure(&pages, |page| {
        let decoded = charset::decode(&page.html, Some(CONTENT_TYPE), true);
        let document = html::Document {
            url: &page.url,
            html: &decoded.text,
            encoding: decoded.encoding,
            settings: &settings,
            links_limit: limits.links_per_page,
            hooks: &[],
            columns: &[],
        };
        html::read(document).links.len()
    })
}

/// Resolves every link of every page, found beforehand.
pub(crate) fn resolve(arguments: &Arguments) -> anyhow::Result<()> {
    let pages = pages_of(&arguments.folder)?;
    let pages: Vec<_> = pages.iter().map(|page| (&page.url, references_of(&page.html))).collect();
    measure(&pages, |(url, references)| {
        let base = Base::of(url);
        references.iter().filter_map(|reference| base.join(reference).ok()).count()
    })
}

/// Prints the cost of the work on all pages. The work returns the number of links, to prevent it from being optimised
/// away.
fn measure<P>(pages: &[P], work: impl Fn(&P) -> usize) -> anyhow::Result<()> {
    let (started, cpu_before) = (Instant::now(), cpu_seconds()?);
    let links: usize = pages.iter().map(work).sum();
    let (wall_s, cpu_s) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);
    let count = pages.len() as f64;
    println!(
        "{}",
        json!({
            "pages": pages.len(),
            "links": links,
            "wall_s": rounded(wall_s),
            "cpu_s": rounded(cpu_s),
            "cpu_ms_per_page": rounded(cpu_s * 1000.0 / count),
            "pages_per_s": rounded(count / wall_s),
        })
    );
    Ok(())
}

fn pages_of(folder: &Path) -> anyhow::Result<Vec<Page>> {
    let mut pages = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries = fs::read_dir(&current).with_context(|| format!("cannot read {}", current.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|extension| extension == "html") {
                pages.push(Page { url: address_of(folder, &path)?, html: fs::read(&path)? });
            }
        }
    }
    ensure!(!pages.is_empty(), "no pages below {}", folder.display());
    Ok(pages)
}

fn address_of(folder: &Path, file: &Path) -> anyhow::Result<CanonicalUrl> {
    let path = file.strip_prefix(folder)?.to_str().context("a file name is not UTF-8")?;
    Ok(CanonicalUrl::parse(&format!("http://localhost/{}", path.trim_end_matches("index.html")))?)
}

/// The values of `href` and `src`; not a real parser, but sufficient for generated pages.
fn references_of(html: &[u8]) -> Vec<String> {
    let attributes = [&b" href=\""[..], b" src=\""];
    let starts = attributes.iter().flat_map(|name| memchr::memmem::find_iter(html, name).map(|at| at + name.len()));
    let value = |start: usize| {
        let end = memchr::memchr(b'"', &html[start..])?;
        Some(String::from_utf8_lossy(&html[start..start + end]).replace("&amp;", "&"))
    };
    starts.filter_map(value).collect()
}
