//! The metadata of a page, as YAML before its text.
//!
//! Every text is a double-quoted scalar, so nothing from a site is read as anything but text.

use std::fmt::Write as _;

use bluesnake_extract::{JsonLd, Metadata};

use crate::capture::CapturedPage;
use crate::export::date::date;

/// From `---` to `---`.
pub(super) fn of(page: &CapturedPage, with_times: bool) -> String {
    let mut yaml = Yaml::start();
    yaml.text("url", &page.url);
    yaml.optional("canonical", page.canonical.as_deref());
    yaml.list("alternate_urls", &page.alternate_urls);
    yaml.optional("title", page.title.as_deref());
    yaml.optional("description", page.description.as_deref());
    yaml.optional("language", page.language.as_deref());
    yaml.optional("crawled", crawled(page, with_times).as_deref());
    yaml.tokens(page.tokens_o200k.unsigned_abs(), page.tokens_cl100k.unsigned_abs());
    yaml.text("hash", &page.hash);
    yaml.plain("confidence", confidence(page));
    yaml.metadata(&page.metadata);
    yaml.end()
}

/// When the page was fetched, if requested.
pub(super) fn crawled(page: &CapturedPage, with_times: bool) -> Option<String> {
    with_times.then(|| date(page.crawled_at.saturating_mul(1000)))
}

/// Rounded to two digits; more would suggest false precision.
pub(super) fn confidence(page: &CapturedPage) -> f64 {
    if page.confidence.is_finite() { (page.confidence * 100.0).round() / 100.0 } else { 0.0 }
}

/// Other metadata from the head of a page, by name.
fn texts_of_head(metadata: &Metadata) -> impl Iterator<Item = (&'static str, &str)> {
    let texts = [
        ("keywords", &metadata.keywords),
        ("author", &metadata.author),
        ("generator", &metadata.generator),
        ("og_title", &metadata.og_title),
        ("og_description", &metadata.og_description),
        ("og_type", &metadata.og_type),
        ("og_site_name", &metadata.og_site_name),
        ("article_section", &metadata.article_section),
    ];
    texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
}

fn texts_of_thing(thing: &JsonLd) -> impl Iterator<Item = (&'static str, &str)> {
    let texts = [
        ("type", &thing.kind),
        ("headline", &thing.headline),
        ("name", &thing.name),
        ("description", &thing.description),
        ("author", &thing.author),
    ];
    texts.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
}

/// A front matter that is being written.
pub(super) struct Yaml(String);

impl Yaml {
    pub(super) fn start() -> Self {
        Self("---\n".to_owned())
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.plain(key, quoted(value));
    }

    pub(super) fn optional(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub(super) fn list(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            let _ = writeln!(self.0, "{key}:");
        }
        for value in values {
            let _ = writeln!(self.0, "  - {}", quoted(value));
        }
    }

    pub(super) fn plain(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{key}: {value}");
    }

    pub(super) fn tokens(&mut self, o200k: u64, cl100k: u64) {
        let _ = writeln!(self.0, "tokens:\n  o200k: {o200k}\n  cl100k: {cl100k}");
    }

    fn metadata(&mut self, metadata: &Metadata) {
        let mut lines = String::new();
        for (name, text) in texts_of_head(metadata) {
            let _ = writeln!(lines, "  {name}: {}", quoted(text));
        }
        if !metadata.article_tags.is_empty() {
            let tags: Vec<_> = metadata.article_tags.iter().map(|tag| quoted(tag)).collect();
            let _ = writeln!(lines, "  article_tags: [{}]", tags.join(", "));
        }
        for (at, thing) in metadata.json_ld.iter().enumerate() {
            let texts: Vec<_> = texts_of_thing(thing).map(|(name, text)| format!("{name}: {}", quoted(text))).collect();
            let list = if at == 0 { "  json_ld:\n" } else { "" };
            let _ = writeln!(lines, "{list}    - {{{}}}", texts.join(", "));
        }
        if !lines.is_empty() {
            self.0.push_str("metadata:\n");
            self.0.push_str(&lines);
        }
    }

    pub(super) fn end(mut self) -> String {
        self.0.push_str("---\n");
        self.0
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            character if is_visible(character) => quoted.push(character),
            character if u32::from(character) > 0xffff => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(character));
            }
            character => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Characters YAML allows raw, except bidirectional controls and invisible ones.
fn is_visible(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        && u32::from(character) & 0xfffe != 0xfffe
}

#[cfg(test)]
mod tests;
