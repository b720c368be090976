//! Extracts documents from pages, and looks up responses of earlier captures.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::document::{Document, Section, Source, Tokens};
use bluesnake_engine::fetch::{Body, Earlier, HttpVersion, Response};
use bluesnake_engine::plan::CaptureSettings;
use bluesnake_extract::{Extracted, Options, Page, Scope};
use bluesnake_store::{Database, KeptResponse};
use sha2::{Digest, Sha256};
use url::Url;

/// A function that returns the document of a response: of a page, or of genuine Markdown.
pub(crate) fn reader(settings: &CaptureSettings) -> impl Fn(&Source<'_>) -> Option<Document> + Send + Sync + 'static {
    let selectors =
        |texts: &[String]| texts.iter().map(|text| text.parse().expect("the plan checked its selectors")).collect();
    let options =
        Options { scope: Scope::Content, include: selectors(&settings.include), exclude: selectors(&settings.exclude) };
    move |source| read(source, &options)
}

fn read(source: &Source<'_>, options: &Options) -> Option<Document> {
    let url = Url::parse(source.url.as_str()).ok()?;
    if !matches!(source.content_type, "text/markdown" | "text/x-markdown" | "text/plain") {
        let extracted = bluesnake_extract::extract(&Page { html: source.text, url: &url }, options);
        return (!extracted.is_listing).then(|| document(&extracted, false));
    }
    if !bluesnake_extract::is_markdown(source.text, Some(source.content_type)) {
        return None;
    }
    Some(document(&bluesnake_extract::from_markdown(source.text, &url), true))
}

pub(super) fn document(extracted: &Extracted, is_own_markdown: bool) -> Document {
    let tokens = bluesnake_extract::tokens(&extracted.markdown);
    Document {
        content: serde_json::to_string(extracted).expect("what a page says is JSON"),
        hash: hash(extracted, is_own_markdown).into(),
        title: extracted.title.clone(),
        description: extracted.description.clone(),
        language: extracted.language.clone(),
        framework: extracted.framework.and_then(word),
        is_own_markdown,
        confidence: extracted.confidence,
        words: extracted.text.split_whitespace().count(),
        tokens: Tokens { o200k: tokens.o200k as u32, cl100k: tokens.cl100k as u32 },
        sections: sections(extracted),
    }
}

const _: () = assert!(bluesnake_extract::MOST_SECTIONS <= Document::MOST_SECTIONS, "all sections of a page are stored");

/// The sections of a page for search.
fn sections(extracted: &Extracted) -> Vec<Section> {
    let sections = extracted.sections.iter().map(|section| Section {
        level: section.level,
        heading: section.heading.clone(),
        anchor: section.anchor.clone(),
        text: extracted.section_text(section).to_owned(),
    });
    sections.collect()
}

/// SHA-256 of the cleaned text, for comparing pages. A site's own Markdown is already clean.
pub(super) fn hash(extracted: &Extracted, is_own_markdown: bool) -> String {
    let compared = if is_own_markdown { &extracted.markdown } else { &extracted.text };
    hex(&Sha256::digest(compared.as_bytes()))
}

/// The name of a framework, as in documents.
fn word(framework: bluesnake_extract::Framework) -> Option<Box<str>> {
    serde_json::to_value(framework).ok()?.as_str().map(Into::into)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The response an earlier capture kept for a URL. Without a date or an ETag it cannot be revalidated.
pub(crate) fn earlier(database: &Database, url: &CanonicalUrl) -> Option<Earlier> {
    let kept = database
        .contents()
        .kept_response(url)
        .inspect_err(|error| tracing::warn!(%error, "cannot use responses of earlier captures"))
        .ok()??;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let age = now.saturating_sub(Duration::from_millis(kept.visited_at.max(0) as u64));
    let is_fresh = kept.max_age.is_some_and(|seconds| age < Duration::from_secs(seconds.max(0) as u64));
    (is_fresh || kept.etag.is_some() || kept.last_modified.is_some())
        .then(|| Earlier { response: response(kept), is_fresh })
}

fn response(kept: KeptResponse) -> Response {
    let own = [("content-type", Some(kept.content_type)), ("etag", kept.etag), ("last-modified", kept.last_modified)];
    let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let fields = own.chain(kept.headers);
    let headers = fields.filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?))).collect();
    let bytes = kept.body.len() as u64;
    Response {
        status: 200,
        headers,
        body: Body { bytes: kept.body.into(), first: Box::default(), wire_bytes: 0, decoded_bytes: bytes, cut: None },
        version: HttpVersion::Http11,
        remote: None,
        reused: false,
        kept: None,
        certificate_problem: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of 10 MB had two million sections, of which the store can number 4,096.
    #[test]
    fn a_page_with_too_many_headings_keeps_the_text_of_all() {
        let html: String = (0..5_000).map(|number| format!("<h6>heading{number}</h6><p>text{number}</p>")).collect();
        let url = CanonicalUrl::parse("https://a.example/").unwrap();
        let source =
            Source { url: &url, content_type: "text/html", text: &format!("<main><p>before</p>{html}</main>") };
        let document = read(&source, &Options::default()).unwrap();
        assert_eq!(document.sections.len(), Document::MOST_SECTIONS);
        let last = &document.sections[Document::MOST_SECTIONS - 1].text;
        for words in ["heading4096", "text4096", "heading4999", "text4999"] {
            assert!(last.contains(words), "{words}");
        }
        assert!(!last.contains("text4000"));
    }
}
