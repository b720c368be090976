//! Which words of a text a query is about, and where they are.

use super::stem::stem;

/// A word of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(u16);

/// How a word of a query appears in texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its stem.
    pub(super) stem: String,
    /// Whether other stems may begin with it.
    pub(super) is_prefix: bool,
}

impl Word {
    /// A word that may have any ending.
    pub(super) fn of(word: &str) -> Self {
        let mut word = word.to_lowercase();
        stem(&mut word);
        Self { stem: word, is_prefix: false }
    }
}

/// The words of a query.
#[derive(Debug)]
pub(super) struct Vocabulary {
    words: Vec<Word>,
    /// Whether a word begins with these two bytes. No ending changes them, so other words of a text are not stemmed.
    starts: Box<[bool]>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self { words: Vec::new(), starts: vec![false; 1 << 16].into() }
    }
}

/// The words of a text that are in a vocabulary.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Each with its position, in order.
    known: Vec<(u32, Id)>,
    /// How many words the text has.
    pub(super) count: usize,
    /// How many of the unknown ones are numbers.
    pub(super) numbers: usize,
}

impl Vocabulary {
    /// The id of a word, which is added if it is new.
    pub(super) fn add(&mut self, word: Word) -> Id {
        let at = self.words.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.starts[start(&word.stem)] = true;
            self.words.push(word);
            self.words.len() - 1
        });
        Id(at as u16)
    }

    /// Reads texts that follow each other.
    pub(super) fn read<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Words {
        let (mut words, mut buffer) = (Words::default(), String::new());
        for token in texts.into_iter().flat_map(tokens) {
            match self.find(token, &mut buffer) {
                Some(id) => words.known.push((words.count as u32, id)),
                None => words.numbers += usize::from(token.bytes().all(|byte| byte.is_ascii_digit())),
            }
            words.count += 1;
        }
        words
    }

    fn find(&self, token: &str, word: &mut String) -> Option<Id> {
        if token.is_ascii() && !self.starts[start(token)] {
            return None;
        }
        word.clear();
        word.extend(token.chars().flat_map(char::to_lowercase));
        stem(word);
        let exact = self.words.iter().position(|known| !known.is_prefix && known.stem == *word);
        let at =
            exact.or_else(|| self.words.iter().position(|known| known.is_prefix && word.starts_with(&known.stem)))?;
        Some(Id(at as u16))
    }
}

/// The words of a text, split like the index splits them.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|token| !token.is_empty())
}

/// The first two bytes of a word, in lower case.
fn start(word: &str) -> usize {
    let mut bytes = word.bytes().map(|byte| usize::from(byte.to_ascii_lowercase()));
    (bytes.next().unwrap_or(0) << 8) + bytes.next().unwrap_or(0)
}

impl Words {
    /// How often words follow each other.
    pub(super) fn count_of(&self, ids: &[Id]) -> usize {
        let is_here = |run: &&[(u32, Id)]| {
            let is_unbroken = (run[run.len() - 1].0 - run[0].0) as usize == run.len() - 1;
            is_unbroken && run.iter().zip(ids).all(|((_, have), wanted)| have == wanted)
        };
        self.known.windows(ids.len().max(1)).filter(is_here).count()
    }

    /// How close two words are at best: 1 if the second follows the first, less the more words are between them, and 0
    /// if they are farther apart than a few words. The other order counts less.
    pub(super) fn closeness(&self, first: Id, second: Id) -> f64 {
        const FARTHEST: u32 = 4;
        const OTHER_ORDER: f64 = 0.7;
        let mut best: f64 = 0.0;
        for (index, (at, id)) in self.known.iter().enumerate() {
            for (next_at, next) in self.known[index + 1..].iter().take_while(|(next_at, _)| next_at - at <= FARTHEST) {
                let closeness = 1.0 / f64::from(next_at - at);
                if (*id, *next) == (first, second) {
                    best = best.max(closeness);
                } else if (*id, *next) == (second, first) {
                    best = best.max(OTHER_ORDER * closeness);
                }
            }
        }
        best
    }

    /// The known words, in order.
    pub(super) fn known(&self) -> impl Iterator<Item = Id> {
        self.known.iter().map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_any_ending_and_by_their_beginning() {
        let mut vocabulary = Vocabulary::default();
        let cancel = vocabulary.add(Word::of("Cancelled"));
        let pool = vocabulary.add(Word { stem: "pool".to_owned(), is_prefix: true });
        assert_eq!(vocabulary.add(Word::of("cancel")), cancel, "the same stem");
        let words = vocabulary.read(["To cancel 2 tasks of the ThreadPool,", "cancelling poolside."]);
        assert_eq!(words.known().collect::<Vec<Id>>(), [cancel, cancel, pool]);
        assert_eq!((words.count, words.numbers), (9, 1));
    }

    #[test]
    fn a_phrase_is_unbroken() {
        let mut vocabulary = Vocabulary::default();
        let ids = ["with", "statement"].map(|word| vocabulary.add(Word::of(word)));
        let count = |text| vocabulary.read([text]).count_of(&ids);
        assert_eq!(count("the with statement, with statements"), 2);
        assert_eq!(count("with a statement"), 0);
        assert_eq!(count(""), 0);
    }

    #[test]
    fn words_close_to_each_other_count_more() {
        let mut vocabulary = Vocabulary::default();
        let [list, sort] = ["list", "sort"].map(|word| vocabulary.add(Word::of(word)));
        let closeness = |text| vocabulary.read([text]).closeness(sort, list);
        assert_eq!(closeness("sort lists"), 1.0);
        assert_eq!(closeness("sort a list"), 0.5);
        assert_eq!(closeness("lists are sorted"), 0.35);
        assert_eq!(closeness("sort all the words of a list"), 0.0);
    }
}
