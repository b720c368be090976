//! Markdown with its links at the end of the page, or without links.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use pulldown_cmark::LinkType;

use super::attribute_values;
use super::scan::{Edit, Link, edited, scan};

/// The Markdown without links: only their texts are left, and the descriptions of images.
pub(in super::super) fn without_links(markdown: &str) -> Cow<'_, str> {
    let scan = scan(markdown);
    let mut edits: Vec<Edit> =
        scan.definitions.iter().map(|definition| Edit::removal(definition.range.clone())).collect();
    for link in &scan.links {
        let Some(end) = end_of_text(markdown, link) else { continue };
        let start = link.range.start..link.range.start + 1 + usize::from(link.is_image);
        let mark = mark_to_escape(markdown, &start, end);
        edits.push(Edit::removal(start));
        edits.extend(mark.map(|at| Edit { place: at..at, text: "\\".to_owned() }));
        edits.push(Edit::removal(end..link.range.end));
    }
    for html in scan.html {
        let values = attribute_values(&markdown[html.clone()]);
        let values = values.into_iter().map(|value| html.start + value.start..html.start + value.end);
        edits.extend(values.map(|value| Edit::removal(attribute(markdown, value))));
    }
    if edits.is_empty() { Cow::Borrowed(markdown) } else { Cow::Owned(edited(markdown, edits)) }
}

/// The Markdown with numbers instead of the destinations of its links, which are listed once each at the end. The
/// prefix tells them from those of other pages in the same file.
pub(in super::super) fn with_references<'a>(markdown: &'a str, prefix: &str) -> Cow<'a, str> {
    let scan = scan(markdown);
    let mut taken: HashSet<&str> = in_brackets(markdown).collect();
    taken.extend(scan.definitions.iter().map(|definition| definition.label.as_str()));
    let mut labels =
        (1_usize..).map(|number| format!("{prefix}{number}")).filter(|label| !taken.contains(label.as_str()));
    let (mut known, mut list, mut edits) = (HashMap::new(), String::new(), Vec::new());
    let mut links: Vec<&Link<'_>> = scan.links.iter().filter(|link| link.kind == LinkType::Inline).collect();
    links.sort_by_key(|link| link.range.start);
    for link in links {
        let Some(end) = end_of_text(markdown, link) else { continue };
        // With its title, between the parentheses.
        let Some(target) = markdown[end..link.range.end].strip_prefix("](").and_then(|rest| rest.strip_suffix(')'))
        else {
            continue;
        };
        if target.contains('\n') || target.trim().is_empty() {
            continue;
        }
        let label: &String = known.entry(target.trim()).or_insert_with(|| {
            let label = labels.next().expect("numbers do not end");
            let _ = writeln!(list, "[{label}]: {}", target.trim());
            label
        });
        edits.push(Edit { place: end..link.range.end, text: format!("][{label}]") });
    }
    if edits.is_empty() {
        return Cow::Borrowed(markdown);
    }
    let text = edited(markdown, edits);
    Cow::Owned(format!("{}\n\n{}", text.trim_end_matches('\n'), list.trim_end_matches('\n')))
}

/// The Markdown with the destination of every reference in its place, so that it can be divided.
pub(in super::super) fn with_inline_links(markdown: &str) -> Cow<'_, str> {
    let scan = scan(markdown);
    if scan.definitions.is_empty() {
        return Cow::Borrowed(markdown);
    }
    let is_reference =
        |link: &&Link<'_>| matches!(link.kind, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
    let inline = scan.links.iter().filter(is_reference).filter_map(|link| {
        let end = end_of_text(markdown, link)?;
        let target = link.destination.replace(['<', '>', '\n'], "");
        let is_plain = !target.is_empty() && !target.contains([' ', '(', ')']);
        let target = if is_plain { target } else { format!("<{target}>") };
        Some(Edit { place: end..link.range.end, text: format!("]({target})") })
    });
    let definitions = scan.definitions.iter().map(|definition| Edit::removal(definition.range.clone()));
    Cow::Owned(edited(markdown, inline.chain(definitions).collect()))
}

/// Where the bracket after the text of a link is. `None` for a URL in angle brackets, which is its own text.
fn end_of_text(markdown: &str, link: &Link<'_>) -> Option<usize> {
    if matches!(link.kind, LinkType::Autolink | LinkType::Email) {
        return None;
    }
    Some(link.text_end + markdown[link.text_end..link.range.end].find(']')?)
}

/// Short texts in brackets, which would become links if a label had the same name.
fn in_brackets(markdown: &str) -> impl Iterator<Item = &str> {
    const LONGEST_LABEL: usize = 24;
    markdown.match_indices('[').filter_map(|(at, _)| {
        let rest = &markdown[at + 1..];
        let near = &rest[..rest.floor_char_boundary(LONGEST_LABEL)];
        near.find(']').map(|end| &near[..end])
    })
}

/// Where a backslash is needed so that a text at the start of a line does not become a heading, a list or a quote
/// without the bracket before it.
fn mark_to_escape(markdown: &str, start: &std::ops::Range<usize>, end: usize) -> Option<usize> {
    // Looks back only as far as there are such marks: a line can be as long as a page.
    let is_mark = |before: &char| *before != '\n' && (before.is_whitespace() || "-*+>0123456789.)".contains(*before));
    let is_first = matches!(markdown[..start.start].chars().rev().find(|before| !is_mark(before)), None | Some('\n'));
    let text = &markdown[start.end..end];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = if digits > 0 && text[digits..].starts_with(['.', ')']) { digits } else { 0 };
    let is_mark = mark > 0 || text.starts_with(['#', '>', '-', '+', '=', '~', '|']);
    (is_first && is_mark).then_some(start.end + mark)
}

/// The whole attribute of a value, with the space before it.
fn attribute(markdown: &str, value: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let before = &markdown[..value.start];
    let name = before.trim_end_matches(['"', '\'']).trim_end().trim_end_matches('=').trim_end();
    let start = name.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).trim_end().len();
    start..value.end + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_texts_of_links_are_left() {
        for (markdown, expected) in [
            ("See [the *guide*](https://a.test/g \"A title\").", "See the *guide*."),
            ("[![Logo](https://a.test/l.png)](https://a.test/)", "Logo"),
            ("<https://a.test/> and `[code](x)`", "<https://a.test/> and `[code](x)`"),
            ("[a][1] and [b][]\n\n[1]: https://a.test/\n[b]: https://b.test/ 'B'", "a and b\n\n\n"),
            ("- [1. First](x)\n- [plain](y)", "- 1\\. First\n- plain"),
            ("[# not a heading](x)", "\\# not a heading"),
            ("[a\\]b](x) [](y)", "a\\]b "),
            ("Text <a class=\"c\" href=\"https://a.test/\">link</a>", "Text <a class=\"c\">link</a>"),
            ("no links", "no links"),
        ] {
            assert_eq!(without_links(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn destinations_are_listed_once() {
        let markdown =
            "[a](https://a.test/) [b](<https://b.test/x y> \"B\") [again](https://a.test/)\n\n```\n[c](d)\n```\n";
        let expected =
            "[a][1] [b][2] [again][1]\n\n```\n[c](d)\n```\n\n[1]: https://a.test/\n[2]: <https://b.test/x y> \"B\"";
        assert_eq!(with_references(markdown, ""), expected);
        assert!(matches!(with_references("no links", ""), Cow::Borrowed(_)));
    }

    #[test]
    fn existing_labels_are_not_reused() {
        let markdown = "[a](x) [b][1]\n\n[1]: https://b.test/";
        assert_eq!(with_references("[a](x)", "3-"), "[a][3-1]\n\n[3-1]: x");
        assert_eq!(with_references("[a](x), see [1]", ""), "[a][2], see [1]\n\n[2]: x", "a citation stays text");
        assert_eq!(with_references(markdown, ""), "[a][2] [b][1]\n\n[1]: https://b.test/\n\n[2]: x");
    }

    #[test]
    fn references_are_written_in_place() {
        let markdown = "[a][1], [b][], [c] and ![i][1]\n\n[1]: https://a.test/\n[b]: <https://b.test/x y> 'B'\n[c]: /c";
        let expected = "[a](https://a.test/), [b](<https://b.test/x y>), [c](/c) and ![i](https://a.test/)";
        assert_eq!(with_inline_links(markdown).trim_end(), expected);
        assert!(matches!(with_inline_links("[a](b)"), Cow::Borrowed(_)));
    }

    /// 250,000 links in one line took 46 seconds.
    #[test]
    fn a_long_line_of_links_is_read_once() {
        let markdown = "[a](b) ".repeat(250_000);
        assert_eq!(without_links(&markdown), "a ".repeat(250_000));
    }

    #[test]
    fn an_image_inside_a_link_has_its_own_number() {
        assert_eq!(with_references("[![l](i)](p)", ""), "[![l][2]][1]\n\n[1]: p\n[2]: i");
    }
}
