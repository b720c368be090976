//! How many tokens a text is to a language model, counted offline: the vocabularies are part of the program.

use serde::{Deserialize, Serialize};

/// The longest run of letters, of white space or of signs that is counted as one piece.
///
/// Within a run the tokenizer looks at every pair of neighbours, and its time and memory grow faster than the run. No
/// word is this long; what is counted in parts differs from the whole by less than one token in a thousand.
const LONGEST_RUN: usize = 4 * 1024;

/// The size of a text in two vocabularies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    pub o200k: usize,
    pub cl100k: usize,
}

/// Counts the tokens of a text. The first call reads the vocabularies, which takes some 60 ms.
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

/// The text in as few parts as leave no run longer than [`LONGEST_RUN`].
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, after) = rest.split_at(end_of_part(rest));
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

fn end_of_part(text: &str) -> usize {
    let (mut run_start, mut kind) = (0, Run::Signs);
    for (at, character) in text.char_indices() {
        let next = Run::of(character);
        if next != kind {
            (run_start, kind) = (at, next);
        } else if at - run_start >= LONGEST_RUN {
            return at;
        }
    }
    text.len()
}

/// What a character makes a run with: both vocabularies split texts where this changes, if not more often.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Letters,
    Space,
    Signs,
}

impl Run {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Self::Letters,
            _ if character.is_whitespace() => Self::Space,
            _ if character.is_alphanumeric() => Self::Letters,
            _ => Self::Signs,
        }
    }
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
        let long_word = "a".repeat(LONGEST_RUN);
        assert_eq!(parts(&format!("{long_word} {long_word}.{long_word}")).count(), 1);
    }

    /// One word of 10 MB took 400 MB and 60 times as long as words of the same size.
    #[test]
    fn a_run_without_end_is_counted_in_parts() {
        for unit in ["x", "字", " ", "\n", "=", "é", "aB", "#/"] {
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
        assert!(in_parts.abs_diff(whole) * 1_000 <= whole, "{in_parts} against {whole}");
    }
}
