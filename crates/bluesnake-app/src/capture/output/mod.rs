//! Writes captured pages to files: a tree of Markdown, one file, plain text, JSON Lines, or a ZIP file.
//!
//! Pages are read as often as needed and never held together, so memory does not grow with their texts. Equal pages
//! give equal bytes, and a failure leaves the target unchanged. Start with [`write()`]. Which pages there are, and
//! their Markdown, is decided before.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use bluesnake_extract::{Metadata, insert_anchors};
use serde::Serialize;

use super::CapturedPage;
use super::masked::mask_markdown;
use crate::AppError;
use crate::export::{ExportError, Output, is_stdout};
use crate::secrets::Secrets;
use archive::Archive;
use folder::Folder;
use listing::one_line;
use outline::{Outline, PageEntry, title_line};

mod anchors;
mod archive;
mod folder;
mod front_matter;
mod links;
mod listing;
mod names;
mod outline;

pub use crate::export::Existing;

/// Pages in capture order.
pub type PageIter<'a> = Box<dyn Iterator<Item = Result<CapturedPage, AppError>> + 'a>;

/// What pages are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A folder of `.md` files that follow the URLs, with `index.md`, `llms.txt` and `llms-full.txt`.
    Tree,
    /// All pages in one Markdown file.
    Single,
    /// All pages in one file of plain text.
    Text,
    /// One JSON object per page and line.
    Jsonl,
    /// The tree in a ZIP file.
    Zip,
    /// The plain text of each page in its own file, in a ZIP file.
    TextZip,
}

/// How pages are written.
#[derive(Debug, Clone, Copy)]
pub struct OutputOptions {
    /// As what.
    pub format: Format,
    /// Whether to include fetch times. Without them, equal pages give equal bytes.
    pub with_times: bool,
    /// Whether links between pages of a tree lead from file to file. One file and JSON Lines keep absolute links.
    pub relative_links: bool,
    /// What happens to secrets in URLs. Code in Markdown stays as it is.
    pub secrets: Secrets,
    /// What to do if the file exists. A tree replaces an earlier tree, and nothing else.
    pub existing: Existing,
}

impl OutputOptions {
    /// Relative links, no times, no secrets, and no file replaced.
    pub fn new(format: Format) -> Self {
        Self { format, with_times: false, relative_links: true, secrets: Secrets::Masked, existing: Existing::Keep }
    }

    /// Fails at once if [`write()`] would refuse the target, so that no capture is made in vain.
    pub fn check(self, target: &Path) -> Result<(), AppError> {
        match self.format {
            Format::Tree | Format::Zip | Format::TextZip if is_stdout(target) => Err(AppError::Rejected {
                message: "this format cannot be written to stdout".to_owned(),
                hint: "choose a path, or `--format single`, `text` or `jsonl`".to_owned(),
            }),
            Format::Tree => folder::check(target),
            Format::Single | Format::Text | Format::Jsonl if is_stdout(target) => Ok(()),
            Format::Single | Format::Text | Format::Jsonl | Format::Zip | Format::TextZip => {
                Ok(Output::check(target, self.existing)?)
            }
        }
    }
}

/// What is known about the capture as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteFacts {
    /// The name of the site.
    pub title: Option<String>,
    /// Its own description.
    pub description: Option<String>,
    /// Where the capture started.
    pub base_urls: Vec<String>,
    /// Redirects; links to their sources become links to the pages at their targets.
    pub redirects: Vec<(String, String)>,
}

impl SiteFacts {
    fn shown(&self, secrets: Secrets) -> Self {
        let mut site = self.clone();
        site.base_urls.iter_mut().for_each(|url| secrets.apply(url));
        site
    }
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of pages.
    pub pages: usize,
    /// Without the hidden file that marks a tree as ours.
    pub files: usize,
    /// In these files, before compression.
    pub bytes: u64,
    /// Of all pages.
    pub tokens: Tokens,
    /// Where.
    pub path: PathBuf,
}

/// Token counts of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// By the encoding o200k_base.
    pub o200k: u64,
    /// By the encoding cl100k_base.
    pub cl100k: u64,
}

impl Tokens {
    fn add(&mut self, page: &CapturedPage) {
        self.o200k += page.tokens_o200k.unsigned_abs();
        self.cl100k += page.tokens_cl100k.unsigned_abs();
    }
}

/// Writes all pages, or leaves the target unchanged. `-` is stdout, for one file and JSON Lines.
///
/// `pages` is called up to three times and must return the same pages each time.
pub fn write<'a>(
    target: &Path,
    options: OutputOptions,
    site: &SiteFacts,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    options.check(target)?;
    let site = &site.shown(options.secrets);
    let written = match options.format {
        Format::Tree => write_files(Shelf::Folder(Box::new(Folder::create(target)?)), options, site, pages)?,
        Format::Zip | Format::TextZip => {
            write_files(Shelf::Zip(Box::new(Archive::create(target, options.existing)?)), options, site, pages)?
        }
        Format::Single => write_single(Output::create(target, options.existing)?, options, site, pages)?,
        Format::Text => write_each(Output::create(target, options.existing)?, options, pages()?, |page| {
            full_text(page, &options.secrets.show(&page.text))
        })?,
        Format::Jsonl => {
            write_each(Output::create(target, options.existing)?, options, pages()?, |page| json_line(page, options))?
        }
    };
    Ok(Written { path: target.to_owned(), ..written })
}

/// Where the files of a tree go.
enum Shelf {
    Folder(Box<Folder>),
    Zip(Box<Archive>),
}

impl Shelf {
    fn start(&mut self, path: &str, about_bytes: u64) -> Result<(), ExportError> {
        match self {
            Self::Folder(folder) => Ok(folder.start(path)?),
            Self::Zip(archive) => archive.start(path, about_bytes),
        }
    }

    fn append(&mut self, text: &str) -> Result<(), ExportError> {
        match self {
            Self::Folder(folder) => Ok(folder.append(text.as_bytes())?),
            Self::Zip(archive) => archive.append(text.as_bytes()),
        }
    }

    fn finish(self) -> Result<(), AppError> {
        match self {
            Self::Folder(folder) => folder.finish(),
            Self::Zip(archive) => Ok(archive.finish()?),
        }
    }
}

/// Writes a tree, or the plain text of each page where its Markdown would be in a tree.
fn write_files<'a>(
    mut shelf: Shelf,
    options: OutputOptions,
    site: &SiteFacts,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    let outline = Outline::read(pages()?, &site.redirects, options.secrets)?;
    let mut written = Written { pages: outline.pages.len(), tokens: outline.tokens, ..Written::default() };
    let mut put = |path: &str, text: &str| {
        written.files += 1;
        written.bytes += text.len() as u64;
        shelf.start(path, text.len() as u64)?;
        shelf.append(text)
    };
    if options.format == Format::TextZip {
        for_each(&outline.pages, pages()?, options, |entry, page| {
            let name = entry.path.strip_suffix(".md").unwrap_or(&entry.path);
            Ok(put(&format!("{name}.txt"), &full_text(page, &options.secrets.show(&page.text)))?)
        })?;
    } else {
        put("index.md", &listing::index(site, &outline))?;
        put("llms.txt", &listing::llms_txt(site, &outline))?;
        for_each(&outline.pages, pages()?, options, |entry, page| {
            Ok(put(&entry.path, &file_text(entry, page, options, &outline))?)
        })?;
        written.files += 1;
        shelf.start("llms-full.txt", outline.text_bytes)?;
        for_each(&outline.pages, pages()?, options, |_, page| {
            let text = full_text(page, &markdown(page, options));
            written.bytes += text.len() as u64;
            Ok(shelf.append(&text)?)
        })?;
    }
    shelf.finish()?;
    Ok(written)
}

/// Iterates over the pages with their outline entries; everything except their texts is masked as configured.
fn for_each(
    noted: &[PageEntry],
    pages: PageIter<'_>,
    options: OutputOptions,
    mut act: impl FnMut(&PageEntry, &CapturedPage) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let changed = || AppError::Conflict {
        reason: crate::Conflict::Changed,
        message: "the captured pages changed while they were written".to_owned(),
        hint: "try again when no other process uses this capture".to_owned(),
    };
    let mut noted = noted.iter();
    for page in pages {
        let mut page = page?;
        let entry = noted.next().filter(|entry| entry.url == page.url).ok_or_else(changed)?;
        page.mask_facts(options.secrets);
        act(entry, &page)?;
    }
    if noted.next().is_some() { Err(changed()) } else { Ok(()) }
}

fn file_text(entry: &PageEntry, page: &CapturedPage, options: OutputOptions, outline: &Outline) -> String {
    let front_matter = front_matter::of(page, options.with_times);
    let text = match options.relative_links {
        true => {
            let is_needed = |id: &str| outline.targets.is_needed(entry.place, id);
            let text = insert_anchors(&page.markdown, &page.anchors, is_needed);
            Cow::Owned(outline.targets.rewrite(&entry.path, text.trim_matches('\n')))
        }
        false => Cow::Borrowed(page.markdown.trim_matches('\n')),
    };
    format!("{front_matter}\n{}\n", shown(&text, options))
}

/// The Markdown of a page, masked as configured.
fn markdown(page: &CapturedPage, options: OutputOptions) -> Cow<'_, str> {
    shown(page.markdown.trim_matches('\n'), options)
}

fn shown(markdown: &str, options: OutputOptions) -> Cow<'_, str> {
    match options.secrets {
        Secrets::Masked => mask_markdown(markdown),
        Secrets::Shown => Cow::Borrowed(markdown),
    }
}

/// A page of `llms-full.txt` or of plain text: a line of 80 `=`, its URL, its text.
fn full_text(page: &CapturedPage, text: &str) -> String {
    let line = "=".repeat(80);
    let title = title_line(page).map(|title| format!("Title: {title}\n")).unwrap_or_default();
    format!("{line}\n{title}URL: {}\n{line}\n\n{}\n\n", one_line(&page.url), text.trim_matches('\n'))
}

/// Front matter for all, then each page after a rule and a comment with its URL.
fn write_single<'a>(
    mut out: Output,
    options: OutputOptions,
    site: &SiteFacts,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    let outline = Outline::read(pages()?, &[], options.secrets)?;
    let mut written = Written { pages: outline.pages.len(), files: 1, tokens: outline.tokens, ..Written::default() };
    let mut put = |text: &str| {
        written.bytes += text.len() as u64;
        out.write_all(text.as_bytes()).map_err(ExportError::Write)
    };
    put(&listing::site_front_matter(site, &outline))?;
    for_each(&outline.pages, pages()?, options, |_, page| Ok(put(&single_text(page, options))?))?;
    out.finish()?;
    Ok(written)
}

fn single_text(page: &CapturedPage, options: OutputOptions) -> String {
    // A comment ends at `-->` and must not contain `--`.
    let url = one_line(&page.url).replace("--", "%2D%2D").replace('>', "%3E");
    let crawled = front_matter::crawled(page, options.with_times);
    let crawled = crawled.map(|date| format!(" crawled: {date}")).unwrap_or_default();
    format!("\n---\n\n<!-- url: {url}{crawled} -->\n\n{}\n", markdown(page, options))
}

/// One page after the other, formatted by `text`.
fn write_each(
    mut out: Output,
    options: OutputOptions,
    pages: PageIter<'_>,
    text: impl Fn(&CapturedPage) -> String,
) -> Result<Written, AppError> {
    let mut written = Written { files: 1, ..Written::default() };
    for page in pages {
        let mut page = page?;
        page.mask_facts(options.secrets);
        let text = text(&page);
        out.write_all(text.as_bytes()).map_err(ExportError::Write)?;
        written.pages += 1;
        written.bytes += text.len() as u64;
        written.tokens.add(&page);
    }
    out.finish()?;
    Ok(written)
}

/// Every line has every key, so that table readers find their columns; only `crawled` is optional.
#[derive(Serialize)]
struct JsonLine<'a> {
    url: &'a str,
    canonical: Option<&'a str>,
    alternate_urls: &'a [String],
    title: Option<&'a str>,
    description: Option<&'a str>,
    language: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    crawled: Option<String>,
    tokens_o200k: i64,
    tokens_cl100k: i64,
    hash: &'a str,
    confidence: f64,
    metadata: &'a Metadata,
    markdown: Cow<'a, str>,
}

fn json_line(page: &CapturedPage, options: OutputOptions) -> String {
    let line = JsonLine {
        url: &page.url,
        canonical: page.canonical.as_deref(),
        alternate_urls: &page.alternate_urls,
        title: page.title.as_deref(),
        description: page.description.as_deref(),
        language: page.language.as_deref(),
        crawled: front_matter::crawled(page, options.with_times),
        tokens_o200k: page.tokens_o200k,
        tokens_cl100k: page.tokens_cl100k,
        hash: &page.hash,
        confidence: front_matter::confidence(page),
        metadata: &page.metadata,
        markdown: shown(&page.markdown, options),
    };
    serde_json::to_string(&line).expect("a page is plain text") + "\n"
}
