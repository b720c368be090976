//! How well a section matches a query.
//!
//! The index finds candidates by the words they have (BM25). What tells an answer from a section that happens to have
//! the same words is where they are: together in one passage, in its heading or term, next to each other as in the
//! query.

use bluesnake_store::Candidate;

use super::passages::{Passage, passages};
use super::vocabulary::{Id, Vocabulary, Words};

/// How much a word counts in each field, relative to the text.
const IN_PATH: f64 = 3.0;
const IN_HEADING: f64 = 5.0;
const IN_TERM: f64 = 3.0;
/// How long the fields usually are, in words. A word counts less in a longer field.
const USUAL_PATH: f64 = 8.0;
const USUAL_HEADING: f64 = 4.0;
const USUAL_TERM: f64 = 4.0;
const USUAL_TEXT: f64 = 90.0;
const USUAL_SECTION: f64 = 200.0;
/// How much the length matters, from 0 to 1.
const NAME_LENGTH: f64 = 0.5;
const TEXT_LENGTH: f64 = 0.6;
const SECTION_LENGTH: f64 = 0.75;
/// How fast more occurrences of a word stop to matter; lower is faster.
const SATURATION: f64 = 0.9;
const SECTION_SATURATION: f64 = 1.2;
/// How much of a passage's score depends on having all words of the query.
const COVERAGE: f64 = 0.5;
/// How much words count that are as close as in the query.
const CLOSENESS: f64 = 0.3;
/// How much a name counts that says what the query says, and nothing else.
const SAME_NAME: f64 = 0.5;
/// How much the words of the whole section count, besides its best passage.
const SECTION: f64 = 0.4;
/// How much the score of the index counts.
const INDEX: f64 = 0.2;
/// How much close words count in a heading, a term and a path, where they count 1 in the text.
const CLOSE_IN: Fields = Fields { heading: 1.5, term: 1.2, path: 0.7 };

struct Fields {
    heading: f64,
    term: f64,
    path: f64,
}

/// A word of a query, or several that follow each other: an identifier.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) ids: Vec<Id>,
    /// Words with the same meaning, and how much less they count.
    pub(super) others: Vec<(Id, f64)>,
    /// How much it says, mostly by how rare it is.
    pub(super) weight: f64,
}

/// What sections are compared with.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) vocabulary: Vocabulary,
    pub(super) terms: Vec<Term>,
}

/// The names of a section.
struct Names {
    path: Words,
    heading: Words,
}

impl Wanted {
    /// The score of a section, higher is better, and its best passage.
    pub(super) fn score(&self, section: &Candidate<'_>) -> (f64, String) {
        let Candidate { path, heading, text, score: index } = *section;
        let names = Names { path: self.vocabulary.read([path]), heading: self.vocabulary.read([heading]) };
        let (mut best, mut counts, mut length) = ((0.0, Passage::default()), vec![0; self.terms.len()], 0);
        for passage in passages(text) {
            let term = self.vocabulary.read(passage.terms.iter().copied());
            let text = self.vocabulary.read(passage.paragraphs.iter().copied());
            let score = self.of_passage(&names, &term, &text);
            if score > best.0 {
                best = (score, passage);
            }
            for (count, wanted) in counts.iter_mut().zip(&self.terms) {
                *count += term.count_of(&wanted.ids) + text.count_of(&wanted.ids);
            }
            length += term.count + text.count;
        }
        let longer = 1.0 - SECTION_LENGTH + SECTION_LENGTH * length as f64 / USUAL_SECTION;
        let all = counts.into_iter().zip(&self.terms).map(|(count, term)| {
            let count = count as f64;
            term.weight * count / (count + SECTION_SATURATION * longer)
        });
        let (score, passage) = best;
        (score + SECTION * all.sum::<f64>() + INDEX * index, [passage.terms, passage.paragraphs].concat().join("\n\n"))
    }

    fn of_passage(&self, names: &Names, term: &Words, text: &Words) -> f64 {
        let fields = [
            (&names.path, IN_PATH, NAME_LENGTH, USUAL_PATH),
            (&names.heading, IN_HEADING, NAME_LENGTH, USUAL_HEADING),
            (term, IN_TERM, NAME_LENGTH, USUAL_TERM),
            (text, 1.0, TEXT_LENGTH, USUAL_TEXT),
        ];
        let occurrence = |ids: &[Id]| {
            let occurrences: f64 = fields
                .iter()
                .map(|(words, weight, length, usual)| {
                    weight * words.count_of(ids) as f64 / (1.0 - length + length * words.count as f64 / usual)
                })
                .sum();
            occurrences / (SATURATION + occurrences)
        };
        let (mut score, mut covered) = (0.0, 0.0);
        for wanted in &self.terms {
            let others = wanted.others.iter().map(|(id, less)| less * occurrence(&[*id]));
            let found = others.fold(occurrence(&wanted.ids), f64::max);
            score += wanted.weight * found;
            covered += wanted.weight * f64::min(1.0, 2.0 * found);
        }
        let all = self.weight();
        if all > 0.0 {
            score *= 1.0 - COVERAGE + COVERAGE * covered / all;
        }
        let name = f64::max(self.sameness(&names.heading), self.sameness(term));
        score + self.closeness(names, term, text) + SAME_NAME * all * name
    }

    fn weight(&self) -> f64 {
        self.terms.iter().map(|term| term.weight).sum()
    }

    /// The single words of the query, in order.
    fn words(&self) -> impl Iterator<Item = (Id, f64)> {
        self.terms.iter().filter(|term| term.ids.len() == 1).map(|term| (term.ids[0], term.weight))
    }

    /// Words next to each other in the query that are close to each other.
    fn closeness(&self, names: &Names, term: &Words, text: &Words) -> f64 {
        let pairs = self.words().zip(self.words().skip(1));
        let close = pairs.map(|((first, one), (second, other))| {
            let in_names = f64::max(
                CLOSE_IN.heading * names.heading.closeness(first, second),
                CLOSE_IN.path * names.path.closeness(first, second),
            );
            let in_text = f64::max(CLOSE_IN.term * term.closeness(first, second), text.closeness(first, second));
            one.min(other) * in_names.max(in_text)
        });
        CLOSENESS * close.sum::<f64>()
    }

    /// How much of the query a name has, times how much of the name is in the query. Chapter numbers do not count.
    fn sameness(&self, name: &Words) -> f64 {
        let all: f64 = self.words().map(|(_, weight)| weight).sum();
        let length = name.count - name.numbers;
        if length == 0 || all <= 0.0 {
            return 0.0;
        }
        let is_wanted = |id: Id| self.words().any(|(word, _)| word == id);
        let of_name = name.known().filter(|id| is_wanted(*id)).count() as f64 / length as f64;
        let of_query =
            self.words().filter(|(word, _)| name.count_of(&[*word]) > 0).map(|(_, weight)| weight).sum::<f64>();
        of_query / all * of_name
    }
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Word;
    use super::*;

    /// Words of weight 3.
    fn wanted(words: &[&str]) -> Wanted {
        let mut wanted = Wanted::default();
        for word in words {
            let ids = vec![wanted.vocabulary.add(Word::of(word))];
            wanted.terms.push(Term { ids, others: Vec::new(), weight: 3.0 });
        }
        wanted
    }

    #[track_caller]
    fn ranks(wanted: &Wanted, better: [&str; 3], worse: [&str; 3]) {
        let score = |[path, heading, text]: [&str; 3]| wanted.score(&Candidate { path, heading, text, score: 0.0 }).0;
        assert!(score(better) > score(worse), "{} <= {}", score(better), score(worse));
    }

    #[test]
    fn words_in_one_passage_count_more_than_words_all_over_a_section() {
        let filler = "Something else is explained here. ".repeat(40);
        let together = format!("{filler}\n\nA task is cancelled so.\n\n{filler}");
        let apart = format!("A task is made.\n\n{filler}\n\nThis one is cancelled so.\n\n{filler}");
        ranks(&wanted(&["cancel", "task"]), ["", "", &together], ["", "", &apart]);
    }

    #[test]
    fn the_best_passage_is_the_definition_that_was_meant() {
        let text = "--force\n\nOverwrite a timeout.\n\n--timeout\n\nHow long it takes.";
        let section = Candidate { path: "", heading: "Options", text, score: 0.0 };
        assert_eq!(wanted(&["timeout"]).score(&section).1, "--timeout\n\nHow long it takes.");
    }

    #[test]
    fn headings_and_terms_count_more_than_texts() {
        let wanted = wanted(&["timeout"]);
        ranks(&wanted, ["", "Timeout", "How long."], ["", "Settings", "The timeout."]);
        ranks(&wanted, ["", "Settings", "timeout\n\nHow long."], ["", "Settings", "The timeout is how long."]);
        ranks(&wanted, ["", "Timeout", "How long."], ["", "Timeout of other requests", "How long."]);
    }

    #[test]
    fn words_as_close_as_in_the_query_count_more() {
        let wanted = wanted(&["context", "manager"]);
        ranks(&wanted, ["", "", "A context manager is it."], ["", "", "In a context it is the manager."]);
    }

    #[test]
    fn a_section_with_more_words_of_the_query_is_better() {
        let wanted = wanted(&["delete", "folder", "recursively"]);
        ranks(&wanted, ["", "", "Delete a folder."], ["", "", "Delete, delete, delete."]);
    }

    #[test]
    fn words_with_the_same_meaning_count_less() {
        let mut wanted = wanted(&["folder"]);
        let directory = wanted.vocabulary.add(Word::of("directory"));
        wanted.terms[0].others.push((directory, 0.4));
        ranks(&wanted, ["", "", "A directory is it."], ["", "", "A file is it."]);
        ranks(&wanted, ["", "", "A folder is it."], ["", "", "A directory is it."]);
    }
}
