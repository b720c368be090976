//! Writes captured pages to files: a tree of Markdown, one file, plain text, JSON Lines, chunks, or a ZIP file.
//!
//! Pages are read as often as needed and never held together, so memory does not grow with their texts. Equal pages
//! give equal bytes, and a failure leaves the target unchanged. Start with [`write()`]. Which pages there are, and
//! their Markdown, is decided before.

use std::io::Write;
use std::path::{Path, PathBuf};

use bluesnake_extract::Metadata;
use serde::Serialize;

use super::CapturedPage;
use crate::AppError;
use crate::export::{ExportError, Output, is_stdout};
use crate::secrets::Secrets;
use archive::Archive;
use folder::Folder;
use listing::one_line;
use outline::{Outline, PageEntry, title_line};

mod anchors;
mod archive;
mod chunks;
mod folder;
mod front_matter;
mod links;
mod listing;
mod names;
mod outline;
mod text;

pub use crate::export::Existing;
pub use text::{Links, page_text};

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
    /// One JSON object per section and line, in parts of at most [`OutputOptions::max_tokens`].
    Chunks,
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
    /// How links are written.
    pub links: Links,
    /// The maximum number of tokens (o200k_base) of a chunk.
    pub max_tokens: usize,
    /// What happens to secrets in URLs. Code in Markdown stays as it is.
    pub secrets: Secrets,
    /// What to do if the file exists. A tree replaces an earlier tree, and nothing else.
    pub existing: Existing,
}

impl OutputOptions {
    /// The default size of a chunk.
    pub const CHUNK_TOKENS: usize = 1_000;
    /// Smaller chunks would not be texts any more, larger ones fit no model.
    const CHUNK_TOKENS_ALLOWED: std::ops::RangeInclusive<usize> = 64..=1_000_000;

    /// The usual links of the format, no times, no secrets, and no file replaced.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            with_times: false,
            links: Links::default_for(format),
            max_tokens: Self::CHUNK_TOKENS,
            secrets: Secrets::Masked,
            existing: Existing::Keep,
        }
    }

    /// Fails at once if [`write()`] would refuse the target, so that no capture is made in vain.
    pub fn check(self, target: &Path) -> Result<(), AppError> {
        self.links.check(self.format)?;
        if !Self::CHUNK_TOKENS_ALLOWED.contains(&self.max_tokens) {
            let allowed = Self::CHUNK_TOKENS_ALLOWED;
            let message =
                format!("`max_tokens` must be {} to {}, got {}", allowed.start(), allowed.end(), self.max_tokens);
            return Err(AppError::Invalid(message));
        }
        match self.format {
            Format::Tree | Format::Zip | Format::TextZip if is_stdout(target) => Err(AppError::Rejected {
                message: "this format cannot be written to stdout".to_owned(),
                hint: "choose a path, or `--format single`, `text`, `jsonl` or `chunks`".to_owned(),
            }),
            Format::Tree => folder::check(target),
            Format::Single | Format::Text | Format::Jsonl | Format::Chunks if is_stdout(target) => Ok(()),
            _ => Ok(Output::check(target, self.existing)?),
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
    fn of(page: &CapturedPage) -> Self {
        Self { o200k: page.tokens_o200k.unsigned_abs(), cl100k: page.tokens_cl100k.unsigned_abs() }
    }
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.o200k += other.o200k;
        self.cl100k += other.cl100k;
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
    let file = || Output::create(target, options.existing);
    let written = match options.format {
        Format::Tree => write_tree(Shelf::Folder(Box::new(Folder::create(target)?)), options, site, pages)?,
        Format::Zip => {
            write_tree(Shelf::Zip(Box::new(Archive::create(target, options.existing)?)), options, site, pages)?
        }
        Format::TextZip => write_texts(Archive::create(target, options.existing)?, options, pages)?,
        Format::Single => write_single(file()?, options, site, pages)?,
        Format::Text => write_each(file()?, options, pages()?, |page| vec![full_text(page, &page.text)])?,
        Format::Jsonl => write_each(file()?, options, pages()?, |page| vec![json_line(page, options)])?,
        Format::Chunks => write_each(file()?, options, pages()?, |page| chunks::lines(page, options.max_tokens))?,
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

/// Writes a file for each page, then the lists of all of them.
fn write_tree<'a>(
    mut shelf: Shelf,
    options: OutputOptions,
    site: &SiteFacts,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    let mut outline = Outline::read(pages()?, &site.redirects, options.secrets)?;
    let (mut files, mut bytes, mut tokens) = (0, 0, Vec::with_capacity(outline.pages.len()));
    let mut put = |path: &str, text: &str| {
        files += 1;
        bytes += text.len() as u64;
        shelf.start(path, text.len() as u64)?;
        shelf.append(text)
    };
    for_each(&outline.pages, pages()?, |entry, mut page| {
        text::prepare(&mut page, options, |markdown, page| {
            text::in_tree(markdown, page, entry, &outline, options.links)
        });
        tokens.push(Tokens::of(&page));
        let front_matter = front_matter::of(&page, options.with_times);
        Ok(put(&entry.path, &format!("{front_matter}\n{}\n", page.markdown))?)
    })?;
    outline.set_tokens(tokens);
    put("index.md", &listing::index(site, &outline))?;
    put("llms.txt", &listing::llms_txt(site, &outline))?;
    files += 1;
    shelf.start("llms-full.txt", outline.text_bytes)?;
    for_each(&outline.pages, pages()?, |entry, mut page| {
        text::replace(&mut page, options, |markdown, _| text::in_one_file(markdown, options.links, entry.place));
        let text = full_text(&page, &page.markdown);
        bytes += text.len() as u64;
        Ok(shelf.append(&text)?)
    })?;
    shelf.finish()?;
    Ok(Written { pages: outline.pages.len(), files, bytes, tokens: outline.tokens, path: PathBuf::new() })
}

/// Writes the plain text of each page where its Markdown would be in a tree.
fn write_texts<'a>(
    mut archive: Archive,
    options: OutputOptions,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    let outline = Outline::read(pages()?, &[], options.secrets)?;
    let mut written = Written { pages: outline.pages.len(), ..Written::default() };
    for_each(&outline.pages, pages()?, |entry, mut page| {
        text::prepare_plain(&mut page, options);
        let name = entry.path.strip_suffix(".md").unwrap_or(&entry.path);
        let text = full_text(&page, &page.text);
        written.files += 1;
        written.bytes += text.len() as u64;
        written.tokens += Tokens::of(&page);
        archive.start(&format!("{name}.txt"), text.len() as u64)?;
        Ok(archive.append(text.as_bytes())?)
    })?;
    archive.finish()?;
    Ok(written)
}

/// Iterates over the pages with their outline entries.
fn for_each(
    noted: &[PageEntry],
    pages: PageIter<'_>,
    mut act: impl FnMut(&PageEntry, CapturedPage) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let changed = || AppError::Conflict {
        reason: crate::Conflict::Changed,
        message: "the captured pages changed while they were written".to_owned(),
        hint: "try again when no other process uses this capture".to_owned(),
    };
    let mut noted = noted.iter();
    for page in pages {
        let page = page?;
        let entry = noted.next().filter(|entry| entry.url == page.url).ok_or_else(changed)?;
        act(entry, page)?;
    }
    if noted.next().is_some() { Err(changed()) } else { Ok(()) }
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
    let mut outline = Outline::read(pages()?, &[], options.secrets)?;
    let mut tokens = Vec::with_capacity(outline.pages.len());
    for_each(&outline.pages, pages()?, |entry, mut page| {
        text::prepare(&mut page, options, |markdown, _| text::in_one_file(markdown, options.links, entry.place));
        tokens.push(Tokens::of(&page));
        Ok(())
    })?;
    outline.set_tokens(tokens);
    let mut written = Written { pages: outline.pages.len(), files: 1, tokens: outline.tokens, ..Written::default() };
    let mut put = |text: &str| {
        written.bytes += text.len() as u64;
        out.write_all(text.as_bytes()).map_err(ExportError::Write)
    };
    put(&listing::site_front_matter(site, &outline))?;
    for_each(&outline.pages, pages()?, |entry, mut page| {
        text::replace(&mut page, options, |markdown, _| text::in_one_file(markdown, options.links, entry.place));
        Ok(put(&single_text(&page, options))?)
    })?;
    out.finish()?;
    Ok(written)
}

fn single_text(page: &CapturedPage, options: OutputOptions) -> String {
    // A comment ends at `-->` and must not contain `--`.
    let url = one_line(&page.url).replace("--", "%2D%2D").replace('>', "%3E");
    let crawled = front_matter::crawled(page, options.with_times);
    let crawled = crawled.map(|date| format!(" crawled: {date}")).unwrap_or_default();
    format!("\n---\n\n<!-- url: {url}{crawled} -->\n\n{}\n", page.markdown)
}

/// One page after the other, formatted by `texts`.
fn write_each(
    mut out: Output,
    options: OutputOptions,
    pages: PageIter<'_>,
    texts: impl Fn(&CapturedPage) -> Vec<String>,
) -> Result<Written, AppError> {
    let mut written = Written { files: 1, ..Written::default() };
    for page in pages {
        let mut page = page?;
        match options.format {
            Format::Text => text::prepare_plain(&mut page, options),
            Format::Chunks => text::prepare(&mut page, options, |markdown, _| text::to_divide(markdown, options.links)),
            _ => text::prepare(&mut page, options, |markdown, _| text::alone(markdown, options.links)),
        }
        for text in texts(&page) {
            out.write_all(text.as_bytes()).map_err(ExportError::Write)?;
            written.bytes += text.len() as u64;
        }
        written.pages += 1;
        written.tokens += Tokens::of(&page);
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
    markdown: &'a str,
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
        markdown: &page.markdown,
    };
    serde_json::to_string(&line).expect("a page is plain text") + "\n"
}
