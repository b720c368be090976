//! What is known about a page, as YAML before its text.
//!
//! Every text is a double-quoted scalar, so nothing a site says is read as anything but text.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::CapturedPage;
use crate::export::date::date;

/// YAML allows 1,024 characters for a key on one line.
const KEY_CHARACTERS: usize = 200;

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
    yaml.tokens(page.tokens_o200k.into(), page.tokens_cl100k.into());
    yaml.text("hash", &page.hash);
    yaml.plain("confidence", confidence(page));
    yaml.metadata(&page.metadata);
    yaml.end()
}

/// When the page was fetched, when that is asked for.
pub(super) fn crawled(page: &CapturedPage, with_times: bool) -> Option<String> {
    page.crawled_at.filter(|_| with_times).map(|seconds| date(seconds.saturating_mul(1000)))
}

/// Two digits are more than a guess deserves.
pub(super) fn confidence(page: &CapturedPage) -> f64 {
    let confidence = f64::from(page.confidence);
    if confidence.is_finite() { (confidence * 100.0).round() / 100.0 } else { 0.0 }
}

/// Names in the order of their first use, each with all its values.
pub(super) fn grouped(metadata: &[(String, String)]) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places = HashMap::new();
    for (name, value) in metadata {
        let name: String = name.chars().take(KEY_CHARACTERS).collect();
        let place = *places.entry(name.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((name, Vec::new()));
        }
        groups[place].1.push(value);
    }
    groups
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

    fn metadata(&mut self, metadata: &[(String, String)]) {
        if !metadata.is_empty() {
            self.0.push_str("metadata:\n");
        }
        for (name, values) in grouped(metadata) {
            let _ = match values.as_slice() {
                [value] => writeln!(self.0, "  {}: {}", quoted(&name), quoted(value)),
                values => {
                    let values: Vec<_> = values.iter().map(|value| quoted(value)).collect();
                    writeln!(self.0, "  {}: [{}]", quoted(&name), values.join(", "))
                }
            };
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

/// What YAML takes raw, less what turns the direction of writing or looks like nothing.
fn is_visible(character: char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        && u32::from(character) & 0xfffe != 0xfffe
}

#[cfg(test)]
mod tests;
