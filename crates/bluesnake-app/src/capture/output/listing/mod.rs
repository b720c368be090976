//! The overview files of a capture: `index.md` for people, `llms.txt` for language models.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::SiteFacts;
use super::front_matter::Yaml;
use super::links::{as_text, relative_path};
use super::outline::{Outline, PageEntry};

/// Pages outside of any section.
const NO_SECTION: &str = "Pages";

/// All pages, by section, with their sizes.
pub(super) fn index(site: &SiteFacts, outline: &Outline) -> String {
    let mut text = site_front_matter(site, outline);
    let _ = write!(text, "\n# {}\n", as_text(&site_title(site)));
    append_quote(&mut text, site);
    for (section, pages) in sections(&outline.pages) {
        let _ = write!(text, "\n## {}\n\n", as_text(section));
        for page in pages {
            let tokens = if page.tokens.o200k == 1 { "token" } else { "tokens" };
            let _ = writeln!(text, "- {} ({} {tokens})", link(page), page.tokens.o200k);
        }
    }
    text
}

/// Following llmstxt.org: a title, a summary, and lists of links with a short description each.
pub(super) fn llms_txt(site: &SiteFacts, outline: &Outline) -> String {
    let mut text = format!("# {}\n", as_text(&site_title(site)));
    append_quote(&mut text, site);
    for (section, pages) in sections(&outline.pages) {
        let _ = write!(text, "\n## {}\n\n", as_text(section));
        for page in pages {
            let about = page.description.as_deref().map(|about| format!(": {}", as_text(about)));
            let _ = writeln!(text, "- {}{}", link(page), about.unwrap_or_default());
        }
    }
    text
}

/// What is known about the capture as a whole.
pub(super) fn site_front_matter(site: &SiteFacts, outline: &Outline) -> String {
    let mut yaml = Yaml::start();
    yaml.text("title", &site_title(site));
    yaml.optional("description", site.description.as_deref());
    yaml.list("base_urls", &site.base_urls);
    yaml.plain("pages", outline.pages.len());
    yaml.tokens(outline.tokens.o200k, outline.tokens.cl100k);
    yaml.end()
}

fn site_title(site: &SiteFacts) -> String {
    let title = site.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    title.or_else(|| site.base_urls.first().cloned()).unwrap_or_else(|| "Captured pages".to_owned())
}

fn append_quote(text: &mut String, site: &SiteFacts) {
    let about = site.description.as_deref().map(one_line).filter(|about| !about.is_empty());
    let about =
        about.or_else(|| (!site.base_urls.is_empty()).then(|| format!("Captured from {}", site.base_urls.join(", "))));
    if let Some(about) = about {
        let _ = write!(text, "\n> {}\n", as_text(&about));
    }
}

fn link(page: &PageEntry) -> String {
    format!("[{}]({})", as_text(&page.title), relative_path("index.md", &page.path))
}

/// Pages by the first folder in which they differ, sections and pages in capture order.
fn sections(pages: &[PageEntry]) -> Vec<(&str, Vec<&PageEntry>)> {
    let shared = shared_folder(pages);
    let folder_of = |page: &PageEntry| page.path[shared.len()..].split_once('/').map(|(folder, _)| folder.to_owned());
    let folders: std::collections::HashSet<_> = pages.iter().filter_map(folder_of).collect();
    let mut sections: Vec<(&str, Vec<&PageEntry>)> = Vec::new();
    let mut places = HashMap::new();
    for page in pages {
        let rest = &page.path[shared.len()..];
        let name = rest.split_once('/').map_or_else(|| rest.trim_end_matches(".md"), |(folder, _)| folder);
        // `guide.md` belongs to what is in `guide`.
        let name = if folders.contains(name) { name } else { NO_SECTION };
        let place = *places.entry(name).or_insert(sections.len());
        if place == sections.len() {
            sections.push((name, Vec::new()));
        }
        sections[place].1.push(page);
    }
    sections
}

/// With a `/` at its end, or empty.
fn shared_folder(pages: &[PageEntry]) -> &str {
    let folder = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
    let Some(first) = pages.first() else { return "" };
    let mut shared = &first.path[..folder(&first.path)];
    for page in pages {
        while !page.path.starts_with(shared) {
            shared = &shared[..folder(&shared[..shared.len() - 1])];
        }
    }
    shared
}

/// Without line breaks and control characters, so that it stays on one line.
pub(super) fn one_line(text: &str) -> String {
    let visible = text.split(|character: char| character.is_whitespace() || character.is_control());
    visible.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
