//! Token counts for language models, computed offline: the vocabularies are built in.

use serde::{Deserialize, Serialize};

/// The longest text counted as a whole if both vocabularies have no certain word boundary in it.
///
/// Within a word the tokenizer looks at every pair of neighbours, and its time and memory grow faster than the word.
/// Counting in parts differs from the whole by a few tokens in a thousand.
const LONGEST_RUN: usize = 4 * 1024;
/// The longest word counted as a whole. No real word is this long; for data the count differs by one token in a
/// hundred.
const LONGEST_WORD: usize = 512;

/// The size of a text in two vocabularies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    pub o200k: usize,
    pub cl100k: usize,
}

/// Counts the tokens of a text. The first call loads the vocabularies, which takes about 60 ms.
pub fn tokens(text: &str) -> Tokens {
    let mut counted = Tokens::default();
    for part in parts(text) {
        counted.o200k += count("o200k_base", part);
        counted.cl100k += count("cl100k_base", part);
    }
    counted
}

fn count(vocabulary: &str, text: &str) -> usize {
    tiktoken::get_encoding(vocabulary).expect("the vocabulary is compiled in").count(text)
}

/// The text in few parts, none of which can contain a word longer than [`LONGEST_RUN`].
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(end_of_part(rest));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// The vocabularies have different rules for joining Unicode letters and symbols: marks, line breaks and slashes may
/// continue a word. In neither does a word continue from an ASCII letter or digit to white space.
fn end_of_part(text: &str) -> usize {
    let (mut run_start, mut likely_end, mut previous) = (0, 0, ' ');
    for (at, character) in text.char_indices() {
        if character.is_ascii_whitespace() && previous.is_ascii_alphanumeric() {
            run_start = at;
        } else if at - run_start >= LONGEST_RUN {
            // The second half of the run is long enough to search for the end of a word.
            return if likely_end > run_start + LONGEST_RUN / 2 { likely_end } else { at };
        } else if at - run_start.max(likely_end) >= LONGEST_WORD {
            return at;
        }
        if previous.is_alphanumeric() && !character.is_alphanumeric() {
            likely_end = at;
        }
        previous = character;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_in_both_vocabularies() {
        assert_eq!(tokens("hello world"), Tokens { o200k: 2, cl100k: 2 });
        assert_eq!(tokens(""), Tokens::default());
    }

    #[test]
    fn a_text_of_ordinary_words_is_counted_whole() {
        let text = "Ordinary words, 数字 and `code();`\n\n".repeat(1_000);
        assert_eq!(parts(&text).count(), 1);
        let long_word = "a".repeat(LONGEST_WORD - 1);
        assert_eq!(parts(&format!("{long_word} {long_word}\n{long_word}")).count(), 1);
    }

    #[test]
    fn a_text_without_spaces_is_split_at_the_ends_of_its_words() {
        let text = "我们在这里写一些汉字，没有空格。".repeat(1_000);
        assert!(parts(&text).count() > 1 && parts(&text).all(|part| part.starts_with(['我', '，', '。'])));
        let (in_parts, whole) = (tokens(&text), count("o200k_base", &text));
        assert!(in_parts.o200k.abs_diff(whole) * 1_000 <= whole, "{} against {whole}", in_parts.o200k);
    }

    /// A single word of 10 MB took 400 MB and 60 times as long as normal text of that size.
    #[test]
    fn an_overlong_run_is_counted_in_parts() {
        for unit in
            ["x", "字", " ", "\n", "=", "é", "aB", "#/", "e\u{301}", "/\n", "Ⓐ!", "a!", "\u{301}\n", "a\u{a0}", "é "]
        {
            let text = unit.repeat(100_000 / unit.len());
            let longest = parts(&text).map(str::len).max().unwrap();
            assert!(longest < LONGEST_RUN + 4, "{unit:?}: {longest}");
            assert_eq!(parts(&text).collect::<String>(), text);
        }
    }

    #[test]
    fn parts_have_nearly_as_many_tokens_as_the_whole() {
        let text = "incomprehensibilities".repeat(1_000);
        let (in_parts, whole) = (tokens(&text).o200k, count("o200k_base", &text));
        assert!(in_parts.abs_diff(whole) * 100 <= whole, "{in_parts} against {whole}");
    }
}
