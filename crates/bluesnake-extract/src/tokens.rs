//! How many tokens a text is to a language model, counted offline: the vocabularies are part of the program.

use serde::{Deserialize, Serialize};

/// The size of a text in two vocabularies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    pub o200k: usize,
    pub cl100k: usize,
}

/// Counts the tokens of a text. The first call reads the vocabularies, which takes some 60 ms.
pub fn tokens(text: &str) -> Tokens {
    Tokens { o200k: count("o200k_base", text), cl100k: count("cl100k_base", text) }
}

fn count(vocabulary: &str, text: &str) -> usize {
    tiktoken::get_encoding(vocabulary).expect("the vocabulary is compiled in").count(text)
}

#[cfg(test)]
mod tests {
    use super::{Tokens, tokens};

    #[test]
    fn tokens_are_counted_in_both_vocabularies() {
        assert_eq!(tokens("hello world"), Tokens { o200k: 2, cl100k: 2 });
        assert_eq!(tokens(""), Tokens::default());
    }
}
