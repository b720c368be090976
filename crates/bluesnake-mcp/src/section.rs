//! Parts of a Markdown page: a section by its heading, and as much as a token budget takes.

use bluesnake_app::capture::CapturedPage;
use bluesnake_app::tokens;

/// The section of a page that a heading or its anchor names, with everything below it.
pub(crate) fn find<'a>(page: &'a CapturedPage, name: &str) -> Option<&'a str> {
    let wanted = name.trim_start_matches('#');
    let of_anchor = page.headings.iter().find(|heading| heading.anchor.as_deref() == Some(wanted));
    let words = of_anchor.map_or(wanted, |heading| heading.words.as_str());
    let headings = headings(&page.markdown);
    let is_meant = |(_, _, text): &&(usize, usize, String)| same(text, words);
    let at = headings.iter().position(|heading| is_meant(&heading))?;
    let (start, level, _) = &headings[at];
    let end = headings[at + 1..].iter().find(|(_, other, _)| other <= level);
    Some(page.markdown[*start..end.map_or(page.markdown.len(), |(end, ..)| *end)].trim_end())
}

/// Whether two headings have the same words, whatever marks are in them.
fn same(one: &str, other: &str) -> bool {
    let words =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    words(one) == words(other)
}

/// Where each heading begins, its level, and its words. Lines in code blocks are no headings.
fn headings(markdown: &str) -> Vec<(usize, usize, String)> {
    let (mut found, mut fence, mut at) = (Vec::new(), None::<String>, 0);
    for line in markdown.split_inclusive('\n') {
        let text = line.trim();
        let marks: String = text.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        match &fence {
            Some(open) if marks.starts_with(open.as_str()) && text.len() == marks.len() => fence = None,
            Some(_) => {}
            None if marks.len() >= 3 => fence = Some(marks),
            None => {
                let level = line.bytes().take_while(|byte| *byte == b'#').count();
                if (1..=6).contains(&level) && line.as_bytes().get(level) == Some(&b' ') {
                    found.push((at, level, text[level..].trim().to_owned()));
                }
            }
        }
        at += line.len();
    }
    found
}

/// The longest part of a text from `start` that a budget takes, cut at the end of a line where possible, and where the rest
/// begins.
pub(crate) fn portion(text: &str, start: usize, budget: usize) -> (&str, Option<usize>) {
    let rest = &text[start..];
    let (mut end, mut spent) = (0, 0);
    for line in rest.split_inclusive('\n') {
        spent += cost(line);
        if spent > budget {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        end = longest_start(rest, budget);
    }
    let next = (end < rest.len()).then_some(start + end);
    (rest[..end].trim_end_matches('\n'), next)
}

/// How much of a line fits.
fn longest_start(line: &str, budget: usize) -> usize {
    let ends: Vec<usize> = line.char_indices().map(|(at, c)| at + c.len_utf8()).take(budget * 8).collect();
    let fitting = ends.partition_point(|end| cost(&line[..*end]) <= budget);
    ends.get(fitting.saturating_sub(1)).copied().unwrap_or(line.len())
}

/// What a text costs inside JSON, where line breaks and quotes are escaped.
fn cost(text: &str) -> usize {
    tokens(&serde_json::to_string(text).unwrap_or_default()).o200k
}

#[cfg(test)]
mod tests {
    use bluesnake_app::capture::Heading;

    use super::*;

    fn page(markdown: &str) -> CapturedPage {
        let heading = |words: &str, anchor: &str| Heading {
            words: words.to_owned(),
            anchor: Some(anchor.to_owned()),
            other_anchors: Vec::new(),
        };
        let headings = vec![heading("The `gather` function", "asyncio.gather"), heading("Next", "next")];
        CapturedPage { markdown: markdown.to_owned(), headings, ..CapturedPage::default() }
    }

    #[test]
    fn a_section_is_found_by_anchor_and_by_words() {
        let page = page(
            "# Tasks\n\nIntro\n\n## The `gather` function\n\nRuns them.\n\n```\n## not a heading\n```\n\n### Notes\n\nx\n\n## Next\n\ny",
        );
        let expected = "## The `gather` function\n\nRuns them.\n\n```\n## not a heading\n```\n\n### Notes\n\nx";
        for name in ["asyncio.gather", "#asyncio.gather", "the gather function"] {
            assert_eq!(find(&page, name), Some(expected), "{name}");
        }
        assert_eq!(find(&page, "Tasks").map(str::len), Some(page.markdown.len()));
        assert_eq!(find(&page, "not a heading"), None);
    }

    #[test]
    fn portions_of_a_text_add_up_to_it() {
        let text: String =
            (0..200).map(|line| format!("Line {line} says \"something\" — ünd mehr.\n")).collect::<String>()
                + &"x".repeat(5_000);
        let (mut at, mut joined) = (0, String::new());
        loop {
            let (part, next) = portion(&text, at, 100);
            assert!(cost(part) <= 101, "{}", cost(part));
            joined.push_str(part);
            let Some(next) = next else { break };
            joined.push_str(&text[at + part.len()..next]);
            assert!(next > at);
            at = next;
        }
        assert_eq!(joined, text);
    }
}
