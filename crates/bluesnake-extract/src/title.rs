//! The title of a page, without the name of its site.
//!
//! One page shows much: its headings, its head, and what separates the two names in the head's title. A
//! [`crate::Corpus`] knows the rest: what the titles of all pages have in common.

use crate::framework::Framework;
use crate::metadata::Head;
use crate::sections::Section;

/// What separates the name of a page from that of its site.
const SEPARATORS: &[&str] = &[" — ", " – ", " - ", " | ", " · ", " • ", " » ", " « ", " :: ", " / "];

/// How many headings may be the name of the page.
const FIRST_HEADINGS: usize = 3;

/// The first heading, unless it is the name of the site; otherwise the head's title.
pub(crate) fn of(sections: &[Section], head: &Head, framework: Option<Framework>) -> Option<String> {
    let headings: Vec<&Section> = sections.iter().filter(|section| section.level > 0).collect();
    let named = [&head.metadata.og_title, &head.title].into_iter().flatten();
    let candidates: Vec<String> = named.map(|title| without_site(title, &headings, head)).collect();
    let is_site = |text: &str| is_name_of_site(text, &candidates, head);
    let own = first_heading(&headings, &candidates, framework).filter(|heading| !is_site(heading));
    let in_head = candidates.iter().find(|title| !is_site_name(title, head));
    let other = || headings.iter().map(|section| section.heading.as_str()).find(|heading| !is_site(heading));
    let any = || candidates.first().map(String::as_str).or_else(|| Some(headings.first()?.heading.as_str()));
    own.or(in_head.map(String::as_str)).or_else(other).or_else(any).map(str::to_owned)
}

/// The only first-level heading; of several, that which the head names, too. Texinfo begins at any level.
fn first_heading<'s>(headings: &[&'s Section], candidates: &[String], framework: Option<Framework>) -> Option<&'s str> {
    let first = headings.first().filter(|_| framework == Some(Framework::Texinfo));
    let mut of_page = headings.iter().filter(|section| section.level == 1);
    let is_named = |section: &&&Section| candidates.iter().any(|title| same(title, &section.heading));
    let first_level = match (of_page.next(), of_page.next()) {
        (only, None) => only,
        (Some(first), Some(_)) => Some(first).filter(is_named),
        (None, Some(_)) => None,
    };
    first.or(first_level).map(|section| section.heading.as_str())
}

fn is_site_name(text: &str, head: &Head) -> bool {
    head.metadata.og_site_name.as_ref().is_some_and(|site| same(site, text))
}

/// Whether a heading is the name of the site: as the page declares it, or because it is the other part of the title.
fn is_name_of_site(text: &str, candidates: &[String], head: &Head) -> bool {
    let is_other_part = |whole: &&String| {
        candidates
            .iter()
            .any(|title| !same(title, text) && whole.len() > title.len() && whole.starts_with(title.as_str()))
            && parts(whole).is_some_and(|(_, last)| same(last, text))
    };
    is_site_name(text, head) || head.title.iter().any(|whole| is_other_part(&whole))
}

fn without_site(title: &str, headings: &[&Section], head: &Head) -> String {
    let first = headings.iter().take(FIRST_HEADINGS).map(|section| section.heading.as_str());
    let is_named = |heading: &&str| !is_site_name(heading, head) && is_part(title, heading);
    // A lower heading may be the name of the site as well: the title begins with that of the page.
    let mut named: Vec<&str> = first.filter(is_named).collect();
    named.sort_by_key(|heading| !title.starts_with(heading));
    match named.first() {
        Some(heading) => (*heading).to_owned(),
        None => strip(title, |part| is_site_name(part, head) || names_manual(part)).to_owned(),
    }
}

/// Whether a title is this heading and something else.
fn is_part(title: &str, heading: &str) -> bool {
    let is_separated = |rest: &str, separators: &[&str]| separators.iter().any(|separator| rest.starts_with(separator));
    let after = |rest: &str| is_separated(rest, SEPARATORS);
    let before = |rest: &str| SEPARATORS.iter().chain(&[": "]).any(|separator| rest.ends_with(separator));
    !heading.is_empty()
        && (title.strip_prefix(heading).is_some_and(after) || title.strip_suffix(heading).is_some_and(before))
}

/// The title without its last or first part, if that is the name of a site.
pub(crate) fn strip(title: &str, is_site: impl Fn(&str) -> bool) -> &str {
    if let Some((rest, last)) = parts(title)
        && is_site(last)
    {
        return rest;
    }
    match first_part(title) {
        Some((first, rest)) if is_site(first) => rest,
        _ => title,
    }
}

/// A title and its last part.
pub(crate) fn parts(title: &str) -> Option<(&str, &str)> {
    let splits = SEPARATORS.iter().filter_map(|separator| title.rsplit_once(separator));
    splits.min_by_key(|(_, last)| last.len()).filter(|(rest, last)| !rest.is_empty() && !last.is_empty())
}

/// The first part of a title and the rest.
pub(crate) fn first_part(title: &str) -> Option<(&str, &str)> {
    let splits = SEPARATORS.iter().chain(&[": "]).filter_map(|separator| title.split_once(separator));
    splits.min_by_key(|(first, _)| first.len()).filter(|(first, rest)| !first.is_empty() && !rest.is_empty())
}

/// `Python 3.11 documentation` names a manual, not a page of it.
fn names_manual(part: &str) -> bool {
    let last = part.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
    matches!(last.as_str(), "documentation" | "docs" | "manual")
}

fn same(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}
