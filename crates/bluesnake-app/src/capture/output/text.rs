//! The text of a page as it is written: its links in one style, its secrets masked, its tokens counted.

use std::borrow::Cow;

use bluesnake_engine::words;
use bluesnake_extract::insert_anchors;
use serde::Deserialize;
use utoipa::ToSchema;

use super::links::{with_inline_links, with_references, without_links};
use super::outline::{Outline, PageEntry};
use super::{Format, OutputOptions, front_matter};
use crate::AppError;
use crate::capture::CapturedPage;
use crate::capture::masked::mask_markdown;
use crate::secrets::Secrets;

words! {
    /// How links are written.
    #[derive(Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    Links {
        /// Links between captured pages lead from file to file; others are absolute.
        Local = "local",
        /// With their web URLs.
        Absolute = "absolute",
        /// With numbers; their destinations are listed once each at the end of the page.
        Reference = "reference",
        /// Only their texts.
        None = "none",
    }
}

impl Links {
    /// The default style of a format.
    pub fn default_for(format: Format) -> Self {
        match format {
            Format::Tree | Format::Zip => Self::Local,
            Format::Text | Format::TextZip => Self::None,
            Format::Single | Format::Jsonl | Format::Chunks => Self::Absolute,
        }
    }

    pub(super) fn check(self, format: Format) -> Result<(), AppError> {
        let (message, hint) = match (format, self) {
            (Format::Text | Format::TextZip, Self::Local | Self::Absolute | Self::Reference) => {
                ("plain text has no links", "choose a Markdown format, or links `none`")
            }
            (Format::Single | Format::Jsonl | Format::Chunks, Self::Local) => (
                "only the files of a folder or ZIP file can link to each other",
                "choose links `absolute`, `reference` or `none`",
            ),
            (Format::Chunks, Self::Reference) => (
                "a list of links at the end of a page would be missing from its chunks",
                "choose links `absolute` or `none`",
            ),
            _ => return Ok(()),
        };
        Err(AppError::Rejected { message: message.to_owned(), hint: hint.to_owned() })
    }
}

/// Replaces the Markdown of a page by the text to write, and its token counts by those of that text.
pub(super) fn prepare(
    page: &mut CapturedPage,
    options: OutputOptions,
    linked: impl FnOnce(&str, &CapturedPage) -> String,
) {
    if replace(page, options, linked) {
        let text = std::mem::take(&mut page.markdown);
        count(page, &text);
        page.markdown = text;
    }
}

/// Replaces the Markdown of a page by the text to write, without counting its tokens. Secrets are masked as configured.
/// Returns whether it changed.
pub(super) fn replace(
    page: &mut CapturedPage,
    options: OutputOptions,
    linked: impl FnOnce(&str, &CapturedPage) -> String,
) -> bool {
    page.mask_facts(options.secrets);
    let linked = linked(page.markdown.trim_matches('\n'), page);
    let text = match options.secrets {
        Secrets::Masked => mask_markdown(&linked).into_owned(),
        Secrets::Shown => linked,
    };
    let is_changed = text != page.markdown;
    page.markdown = text;
    is_changed
}

/// The same for the plain text.
pub(super) fn prepare_plain(page: &mut CapturedPage, options: OutputOptions) {
    page.mask_facts(options.secrets);
    let text = options.secrets.show(page.text.trim_matches('\n')).into_owned();
    count(page, &text);
    page.text = text;
}

fn count(page: &mut CapturedPage, text: &str) {
    let tokens = bluesnake_extract::tokens(text);
    page.tokens_o200k = tokens.o200k as i64;
    page.tokens_cl100k = tokens.cl100k as i64;
}

/// The text of a page in a folder or ZIP file.
pub(super) fn in_tree(
    markdown: &str,
    page: &CapturedPage,
    entry: &PageEntry,
    outline: &Outline,
    links: Links,
) -> String {
    let local = || {
        let is_needed = |id: &str| outline.targets.is_needed(entry.place, id);
        // Anchors are places in the Markdown as stored.
        let text = insert_anchors(&page.markdown, &page.anchors, is_needed);
        outline.targets.rewrite(&entry.path, text.trim_matches('\n'))
    };
    match links {
        Links::Local => local(),
        Links::Reference => with_references(&local(), "").into_owned(),
        Links::Absolute | Links::None => alone(markdown, links),
    }
}

/// The text of a page without other files beside it.
pub(super) fn alone(markdown: &str, links: Links) -> String {
    in_one_file(markdown, links, None)
}

/// The text of a page that is divided into chunks.
pub(super) fn to_divide(markdown: &str, links: Links) -> String {
    with_inline_links(&alone(markdown, links)).into_owned()
}

/// The text of a page in a file with others, by its place. Numbers of links must differ from those of other pages.
pub(super) fn in_one_file(markdown: &str, links: Links, place: impl Into<Option<usize>>) -> String {
    let text = match (links, place.into()) {
        (Links::Local | Links::Absolute, _) => Cow::Borrowed(markdown),
        (Links::Reference, None) => with_references(markdown, ""),
        (Links::Reference, Some(place)) => with_references(markdown, &format!("{}-", place + 1)),
        (Links::None, _) => without_links(markdown),
    };
    text.into_owned()
}

/// One page as Markdown, perhaps after its metadata.
pub fn page_text(mut page: CapturedPage, links: Links, with_front_matter: bool, secrets: Secrets) -> String {
    let options = OutputOptions { secrets, ..OutputOptions::new(Format::Single) };
    prepare(&mut page, options, |markdown, _| alone(markdown, links));
    let front_matter = if with_front_matter { front_matter::of(&page, false) + "\n" } else { String::new() };
    format!("{front_matter}{}\n", page.markdown)
}
