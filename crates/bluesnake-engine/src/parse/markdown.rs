//! The links of a Markdown text.

use crate::url::{Base, CanonicalUrl};

/// Longer destinations are ignored.
const LONGEST: usize = 2_048;

/// The targets of inline links, reference definitions and autolinks, in order; fenced code is skipped.
pub(super) fn links<'a>(text: &'a str, base: &'a Base) -> impl Iterator<Item = CanonicalUrl> + 'a {
    lines_outside_code(text).flat_map(references).filter_map(|reference| base.join(reference).ok())
}

/// The lines that are not in a fenced block.
pub(super) fn lines_outside_code(text: &str) -> impl Iterator<Item = &str> {
    let mut fence: Option<&str> = None;
    text.lines().filter(move |line| {
        let start = line.trim_start();
        let is_mark = |mark: &&str| start.starts_with(*mark);
        match fence {
            Some(open) if start.starts_with(open) => fence = None,
            Some(_) => {}
            None => fence = ["```", "~~~"].into_iter().find(is_mark),
        }
        fence.is_none()
    })
}

/// The references of a line as written. Destinations with spaces must be in angle brackets.
fn references(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some((label, rest)) = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]:"))
        && !label.contains('[')
    {
        found.extend(destination(rest.trim_ascii_start(), |c| c.is_ascii_whitespace()));
    }
    let mut rest = line;
    while let Some(at) = rest.find(['<', ']']) {
        let opens = &rest[at..];
        rest = &rest[at + 1..];
        if let Some(inner) = opens.strip_prefix("](") {
            found.extend(destination(inner.trim_ascii_start(), |c| c == ')' || c.is_ascii_whitespace()));
        } else if let Some((inner, _)) = opens.strip_prefix('<').and_then(|inner| near(inner).split_once('>'))
            && (inner.starts_with("http://") || inner.starts_with("https://"))
        {
            found.push(inner);
        }
    }
    found
}

fn destination(text: &str, ends: impl Fn(char) -> bool) -> Option<&str> {
    let near = near(text);
    let destination = match near.strip_prefix('<') {
        Some(inner) => inner.split_once('>')?.0,
        None => match near.find(ends) {
            Some(end) => &near[..end],
            None if near.len() < text.len() => return None,
            None => near,
        },
    };
    (!destination.is_empty()).then_some(destination)
}

/// The start of a text, up to the maximum length of a destination: a line may be as long as a page.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_list_for_language_models() {
        let text = "# Title\n\n> [Home](/)\n\n- [One](/one.md): the first\n- [Two](<two (2).md> \"title\")\n\
                    [three]: https://b.example/three\n```\n[code](/not)\n```\nSee <https://c.example/four> and [no destination]() or <b>this</b>.\n";
        let page = CanonicalUrl::parse("https://a.example/docs/llms.txt").unwrap();
        let base = Base::of(&page);
        let found: Vec<String> = links(text, &base).map(|url| url.as_str().to_owned()).collect();
        let expected = [
            "https://a.example/",
            "https://a.example/one.md",
            "https://a.example/docs/two%20(2).md",
            "https://b.example/three",
            "https://c.example/four",
        ];
        assert_eq!(found, expected);
    }

    /// Each of these lines took minutes and gigabytes when every mark scanned the rest of its line.
    #[test]
    fn a_line_of_marks_is_read_once() {
        let page = CanonicalUrl::parse("https://a.example/").unwrap();
        let base = Base::of(&page);
        for mark in ["](", "<", "](<", "[x](", "<http://"] {
            // Only the last marks have an end within reach: the end of the line.
            assert!(links(&mark.repeat(250_000), &base).count() <= LONGEST, "{mark}");
        }
    }
}
