//! Placeholder text: blocks of "lorem ipsum".
//!
//! A page that writes about placeholder text mentions it in a sentence, in quotes or in code. What was left in a page
//! by mistake is a block that begins with these words and goes on in the same Latin.

use std::ops::Range;

/// The words of the usual placeholder text.
#[rustfmt::skip]
const WORDS: [&str; 63] = [
    "ad", "adipiscing", "adipisicing", "aliqua", "aliquip", "amet", "anim", "aute", "cillum", "commodo", "consectetur",
    "consequat", "culpa", "cupidatat", "deserunt", "do", "dolor", "dolore", "duis", "ea", "eiusmod", "elit", "enim",
    "esse", "est", "et", "eu", "ex", "excepteur", "exercitation", "fugiat", "id", "in", "incididunt", "ipsum", "irure",
    "labore", "laboris", "laborum", "lorem", "magna", "minim", "mollit", "nisi", "non", "nostrud", "nulla", "occaecat",
    "officia", "pariatur", "proident", "qui", "quis", "reprehenderit", "sed", "sint", "sit", "sunt", "tempor",
    "ullamco", "ut", "velit", "veniam",
];
const START: &str = "lorem ipsum";
/// How many words after the first two are looked at, and how many of them must be filler.
const LOOKED_AT: usize = 8;
const FEWEST: usize = 2;
/// How many bytes of bullets may come before them.
const MOST_SIGNS: usize = 12;

/// How many blocks of the main text are placeholders. `main` and `quoted` are parts of the text, in order.
pub(super) fn lorem_blocks(text: &str, main: &[Range<usize>], quoted: &[Range<usize>]) -> usize {
    let is_in = |ranges: &[Range<usize>], at: usize| {
        let next = ranges.partition_point(|range| range.end <= at);
        ranges.get(next).is_some_and(|range| range.start <= at)
    };
    let starts = starts(text.as_bytes()).filter(|&at| begins_block(text, at));
    let shown = starts.filter(|&at| is_in(main, at) && !is_in(quoted, at));
    shown.filter(|&at| goes_on(&text[at + START.len()..])).count()
}

/// Whether a title or heading says that the text is about placeholders.
pub(super) fn names_filler(text: &str) -> bool {
    starts(text.as_bytes()).next().is_some()
}

/// Where the first two words stand, in any case.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    // Search for their rarest letters.
    const BEFORE: usize = "lorem i".len();
    let found = ["psum", "PSUM"].into_iter().flat_map(move |letters| memchr::memmem::find_iter(bytes, letters));
    found.filter_map(move |at| {
        let start = at.checked_sub(BEFORE)?;
        bytes[start..start + START.len()].eq_ignore_ascii_case(START.as_bytes()).then_some(start)
    })
}

/// Whether at most a few signs come before it in its block, none of them a quotation mark.
fn begins_block(text: &str, at: usize) -> bool {
    let near = &text[text.floor_char_boundary(at.saturating_sub(MOST_SIGNS))..at];
    let before = near.rsplit('\n').next().unwrap_or_default();
    let is_start = before.len() < near.len() || near.len() == at;
    let is_quote = |sign: char| matches!(sign, '"' | '\'' | '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '‹' | '›' | '「');
    is_start && !before.contains(char::is_alphanumeric) && !before.contains(is_quote)
}

/// Whether the rest of a block is filler.
fn goes_on(rest: &str) -> bool {
    let block = rest.split('\n').next().unwrap_or_default();
    let words = block.split_ascii_whitespace().take(LOOKED_AT);
    let is_filler = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        WORDS.iter().any(|filler| filler.eq_ignore_ascii_case(word))
    };
    let (all, filler) = words.fold((0, 0), |(all, filler), word| (all + 1, filler + usize::from(is_filler(word))));
    filler >= FEWEST && filler * 4 >= all * 3
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn only_blocks_of_filler_are_placeholders() {
        let check = |text: &str, expected| {
            assert_eq!(lorem_blocks(text, from_ref(&(0..text.len())), &[]), expected, "{text}");
        };
        check("Lorem ipsum dolor sit amet.", 1);
        check("LOREM IPSUM DOLOR SIT AMET", 1);
        check(
            "Title\nLorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod\n• Lorem ipsum dolor sit",
            2,
        );
        for quoted in ["“Lorem ipsum dolor sit amet”", "\"Lorem ipsum dolor sit amet\"", "«Lorem ipsum dolor sit amet»"]
        {
            check(quoted, 0);
        }
        check("Lorem ipsum", 0);
        check("Lorem ipsum is the usual placeholder text.", 0);
        check("Lorem ipsum dolor sit amet is how the usual placeholder text begins.", 0);
        check("We write about lorem ipsum dolor sit amet.", 0);
        check("All Lorem ipsum dolor sit amet", 0);
        check("lorem, ipsum dolor sit amet", 0);
        check("", 0);
    }

    #[test]
    fn quotes_and_code_and_other_places_do_not_count() {
        let text = "Lorem ipsum dolor sit amet\nLorem ipsum dolor sit amet\nLorem ipsum dolor sit amet";
        assert_eq!(lorem_blocks(text, &[0..26, 53..text.len()], &[]), 2);
        assert_eq!(lorem_blocks(text, &[0..26, 53..text.len()], from_ref(&(50..60))), 1);
    }
}
