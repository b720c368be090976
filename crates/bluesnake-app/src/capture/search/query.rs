//! What a user typed, and what it means to the index.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use strsim::osa_distance;

use super::rank::{Term, Wanted};
use super::synonyms::synonyms;
use super::vocabulary::{Vocabulary, Word, tokens};
use crate::app::App;
use crate::error::AppError;

/// How many words of a query are used.
const MOST_TERMS: usize = 32;
/// Shorter words are neither completed nor corrected.
const SHORTEST_GUESS: usize = 4;

/// Words that say nothing about the subject, separated by spaces.
const STOP_WORDS: &str = "a am an and are as at be been being but by can could did do does doing for from had has have having he her \
    him his how i if in into is it its me my of on or our shall she should so than that the their them then there these they this \
    those to us was we were what when where whether which while who whom whose why will with would you your";

/// Words that say little about the subject, separated by spaces.
const LIGHT_WORDS: &str = "able about above actually after again against all almost already also always another any anyone anything because \
    before below best better between both come correctly difference different down during each easily easy either \
    even ever every everybody everyone everything few find get give go good got happen here instead just keep know \
    least less let like look made make many maybe mine more most much nearly need neither never no not nothing now \
    off often once one only other out over own people perhaps please possible properly put quite rather really right \
    same say see several show simple some someone something sometimes still such sure take tell thing through \
    together told too try under until up use used using usually versus very vs want way within without work yet \
    yours";

/// How much a light word counts, and an identifier as a whole.
const LIGHT: f64 = 0.6;
const WHOLE: f64 = 1.5;
/// How much a word with the same meaning counts.
const SYNONYM: f64 = 0.3;

/// A query in words: phrases that a section must contain, and words of which it should have as many as possible.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) phrases: Vec<String>,
    pub(super) words: Vec<String>,
}

/// How a word is in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spelling {
    /// As it is, or with another ending.
    Exact,
    /// As the beginning of words.
    Prefix,
    /// Not at all, but a similar one is.
    Similar(String),
}

/// A word of a query, or an identifier as a whole.
#[derive(Debug, PartialEq)]
struct Form {
    /// The query for the index.
    index: String,
    words: Vec<Word>,
    weight: f64,
    is_corrected: bool,
}

impl Query {
    /// Reads what a user typed; nothing in it is syntax but quotes. `None` if there is no word in it.
    pub(super) fn read(typed: &str) -> Option<Self> {
        let mut query = Self::default();
        for (at, part) in typed.split('"').enumerate() {
            let is_phrase = at % 2 == 1;
            let found = if is_phrase { &mut query.phrases } else { &mut query.words };
            let terms: Vec<&str> = if is_phrase { vec![part] } else { part.split_whitespace().collect() };
            found.extend(terms.into_iter().filter(|term| has_word(term)).map(|term| term.replace('\0', " ")));
        }
        let is_telling = |word: &String| !is_one_of(STOP_WORDS, word.trim_matches(is_mark));
        if query.words.iter().any(is_telling) || !query.phrases.is_empty() {
            query.words.retain(is_telling);
        }
        let mut seen = BTreeSet::new();
        query.words.retain(|word| seen.insert(word.to_lowercase()));
        query.words.truncate(MOST_TERMS);
        query.phrases.truncate(MOST_TERMS);
        (!query.words.is_empty() || !query.phrases.is_empty()).then_some(query)
    }

    /// The query for the index (sections with all phrases, the more of the words the better), and what to rank by.
    pub(super) async fn meaning(&self, app: &App) -> Result<(String, Wanted), AppError> {
        let of_words = forms(app, self.words.iter().map(String::as_str)).await?;
        let in_phrases = self.phrases.iter().flat_map(|phrase| phrase.split_whitespace());
        let telling = in_phrases.filter(|word| has_word(word) && !is_one_of(STOP_WORDS, word.trim_matches(is_mark)));
        let mut all = forms(app, telling).await?;
        let mut wanted: Vec<String> = of_words.iter().map(|form| form.index.clone()).collect();
        wanted.extend(of_words.iter().flat_map(Form::synonyms).map(quoted));
        let phrases: Vec<String> = self.phrases.iter().map(|phrase| quoted(phrase)).collect();
        let query = match (phrases.is_empty(), wanted.is_empty()) {
            (_, true) => phrases.join(" AND "),
            (true, false) => wanted.join(" OR "),
            // A phrase that must be there makes the words optional.
            (false, false) => format!("{} AND ({} OR {})", phrases.join(" AND "), phrases[0], wanted.join(" OR ")),
        };
        let in_phrases = all.len();
        for form in of_words {
            if all[..in_phrases].iter().all(|known| known.words != form.words) {
                all.push(form);
            }
        }
        Ok((query, ranked_by(app, all).await?))
    }
}

/// Rare words say more than frequent ones.
async fn ranked_by(app: &App, forms: Vec<Form>) -> Result<Wanted, AppError> {
    let (all, counts) = app.contents().section_counts(forms.iter().map(|form| form.index.clone()).collect()).await?;
    let mut wanted = Wanted::default();
    for (form, count) in forms.into_iter().zip(counts) {
        wanted.terms.push(form.term(rarity(count, all), &mut wanted.vocabulary));
    }
    Ok(wanted)
}

impl Form {
    fn synonyms(&self) -> impl Iterator<Item = &'static str> {
        let is_telling = self.words.len() == 1 && self.weight >= 1.0;
        let word = is_telling.then(|| self.words[0].clone());
        synonyms(move |other| word.as_ref() == Some(&Word::of(other)))
    }

    fn term(self, rarity: f64, vocabulary: &mut Vocabulary) -> Term {
        let others = self.synonyms().map(|other| (vocabulary.add(Word::of(other)), SYNONYM)).collect();
        let ids = self.words.into_iter().map(|word| vocabulary.add(word)).collect();
        Term { ids, others, weight: self.weight * rarity }
    }
}

/// The weight of a word by how rare it is among all sections.
fn rarity(count: i64, all: i64) -> f64 {
    let (count, all) = (count as f64, all as f64);
    (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
}

/// The forms of words, each once. One with marks in it, such as `asyncio.gather` or `--no-cache`, is searched as a
/// whole, which counts most, and in parts.
async fn forms(app: &App, words: impl Iterator<Item = &str>) -> Result<Vec<Form>, AppError> {
    let mut forms: Vec<Form> = Vec::new();
    for word in words {
        let mut of_word = Vec::new();
        for (part, weight) in parts(word) {
            of_word.push(Form::new(part, spelling(app, part).await?, weight));
        }
        if let [whole, parts @ ..] = &mut of_word[..] {
            whole.correct(parts);
        }
        for form in of_word {
            if forms.iter().all(|known| known.words != form.words) {
                forms.push(form);
            }
        }
    }
    Ok(forms)
}

/// A word as a whole and in parts, and how much each counts. A single letter or digit says nothing without the others.
fn parts(word: &str) -> Vec<(&str, f64)> {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let weight = |part: &str| if is_light(part) { LIGHT } else { 1.0 };
    let parts: Vec<&str> = word.split(is_mark).filter(|part| has_word(part)).collect();
    if let [part] = parts[..] {
        return vec![(word, weight(part))];
    }
    let telling = parts.into_iter().filter(|part| part.len() > 1 && !is_one_of(STOP_WORDS, part));
    [(word, WHOLE)].into_iter().chain(telling.map(|part| (part, weight(part)))).collect()
}

impl Form {
    fn new(word: &str, spelling: Spelling, weight: f64) -> Self {
        let is_corrected = matches!(spelling, Spelling::Similar(_));
        let mut words: Vec<Word> = tokens(word).map(Word::of).collect();
        let index = match spelling {
            Spelling::Exact => quoted(word),
            Spelling::Prefix => {
                if let Some((last, typed)) = words.last_mut().zip(tokens(word).last()) {
                    *last = Word { stem: typed.to_lowercase(), is_prefix: true };
                }
                format!("{}*", quoted(word))
            }
            Spelling::Similar(meant) => {
                words = vec![Word { stem: meant.clone(), is_prefix: false }];
                quoted(&meant)
            }
        };
        Self { index, words, weight, is_corrected }
    }
}

impl Form {
    /// An identifier is as wrong as its parts.
    fn correct(&mut self, parts: &[Self]) {
        if self.words.len() == parts.len() && parts.iter().any(|part| part.is_corrected) {
            self.words = parts.iter().flat_map(|part| part.words.clone()).collect();
            let stems: Vec<&str> = self.words.iter().map(|word| word.stem.as_str()).collect();
            self.index = quoted(&stems.join(" "));
        }
    }
}

/// How the index has a word.
async fn spelling(app: &App, word: &str) -> Result<Spelling, AppError> {
    let contents = app.contents();
    if word.chars().count() < SHORTEST_GUESS || contents.is_indexed(quoted(word)).await? {
        return Ok(Spelling::Exact);
    }
    if contents.is_indexed(format!("{}*", quoted(word))).await? {
        return Ok(Spelling::Prefix);
    }
    let word = word.trim_matches(is_mark).to_lowercase();
    let Some(first) = word.chars().next().filter(|_| word.chars().all(char::is_alphabetic)) else {
        return Ok(Spelling::Exact);
    };
    let known = contents.indexed_words(first).await?;
    Ok(similar(&word, &known).map_or(Spelling::Exact, |meant| Spelling::Similar(meant.to_owned())))
}

/// The word of the index that was probably meant: the nearest, then the most frequent. The index has words without
/// endings, so the stem of the typed one counts, and its end may be missing there if a mistake in it hides the stem.
fn similar<'a>(word: &str, known: &'a [(String, i64)]) -> Option<&'a str> {
    const LONGEST_ENDING: usize = 4;
    let letters: Vec<char> = word.chars().collect();
    let most = if letters.len() < 8 { 1 } else { 2 };
    let stem = Word::of(word).stem;
    let distance = |term: &str| {
        let length = term.chars().count();
        let shortest = length.saturating_sub(most).max(letters.len().saturating_sub(LONGEST_ENDING)).max(1);
        let starts = (shortest..=letters.len().min(length + most)).map(|end| letters[..end].iter().collect::<String>());
        let starts = starts.map(|start| (osa_distance(&start, term), letters.len() - start.chars().count()));
        starts.chain([(osa_distance(&stem, term), 0)]).min()
    };
    let candidates = known.iter().filter(|(term, _)| term.chars().count() + 1 >= SHORTEST_GUESS);
    let found = candidates.filter_map(|(term, count)| Some((distance(term)?, Reverse(*count), term.as_str())));
    let nearest = found.filter(|((distance, _), ..)| *distance <= most).min();
    nearest.map(|(_, _, term)| term)
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| word.eq_ignore_ascii_case(listed))
}

fn is_light(word: &str) -> bool {
    let word = Word::of(word);
    LIGHT_WORDS.split_whitespace().any(|light| Word::of(light) == word)
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric()
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str) -> Option<(Vec<String>, Vec<String>)> {
        Query::read(typed).map(|Query { words, phrases }| (words, phrases))
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn nothing_that_is_typed_is_syntax_but_quotes() {
        let check = |typed, words: &[&str], phrases: &[&str]| {
            assert_eq!(read(typed), Some((owned(words), owned(phrases))), "{typed}");
        };
        check("two words", &["two", "words"], &[]);
        check("see \"phrase of words\" NOT x*", &["see", "NOT", "x*"], &["phrase of words"]);
        check("title:x OR (y", &["title:x", "(y"], &[]);
        check("unclosed \"quote", &["unclosed"], &["quote"]);
        assert_eq!(read(" \"\" -- * "), None);
    }

    #[test]
    fn words_that_every_question_has_are_ignored() {
        assert_eq!(read("How do I cancel a task?").unwrap().0, ["cancel", "task?"]);
        assert_eq!(read("what is it").unwrap().0, ["what", "is", "it"], "unless there are no others");
        assert_eq!(read("Task task TASK").unwrap().0, ["Task"]);
    }

    #[test]
    fn identifiers_are_searched_as_a_whole_and_in_parts() {
        assert_eq!(parts("asyncio.gather"), [("asyncio.gather", WHOLE), ("asyncio", 1.0), ("gather", 1.0)]);
        assert_eq!(parts("--no-cache"), [("--no-cache", WHOLE), ("no", LIGHT), ("cache", 1.0)]);
        assert_eq!(parts("HEAD~2"), [("HEAD~2", WHOLE), ("HEAD", 1.0)]);
        assert_eq!(parts("user's"), [("user", 1.0)]);
        assert_eq!(parts("task?"), [("task?", 1.0)]);
    }

    #[test]
    fn a_form_is_what_the_index_has() {
        let check = |word, spelling, index: &str, stem: &str, is_prefix| {
            let words = vec![Word { stem: stem.to_owned(), is_prefix }];
            let form = Form::new(word, spelling, 1.0);
            assert_eq!((form.index.as_str(), form.words), (index, words));
        };
        check("Tasks?", Spelling::Exact, "\"Tasks?\"", "task", false);
        check("pool", Spelling::Prefix, "\"pool\"*", "pool", true);
        check("cancle", Spelling::Similar("cancel".to_owned()), "\"cancel\"", "cancel", false);
    }

    #[test]
    fn an_identifier_is_corrected_in_its_parts() {
        let mut whole = Form::new("chery-pick", Spelling::Exact, WHOLE);
        let parts =
            [Form::new("chery", Spelling::Similar("cherri".to_owned()), 1.0), Form::new("pick", Spelling::Exact, 1.0)];
        whole.correct(&parts);
        assert_eq!(whole.index, "\"cherri pick\"");
    }

    #[test]
    fn rare_words_say_more() {
        assert!(rarity(1, 1_000) > rarity(10, 1_000));
        assert!(rarity(1_000, 1_000) > 0.0);
        assert!(rarity(0, 0).is_finite());
    }

    #[test]
    fn misspelled_words_are_found_in_the_index_which_has_no_endings() {
        let known: Vec<(String, i64)> =
            [("concurr", 90), ("conclus", 5), ("connect", 70), ("cancel", 40), ("cat", 9), ("cherri", 3)]
                .map(|(term, count)| (term.to_owned(), count))
                .into();
        let check = |word, expected| assert_eq!(similar(word, &known), expected, "{word}");
        check("concurency", Some("concurr"));
        check("conection", Some("connect"));
        check("cancle", Some("cancel"));
        check("chery", Some("cherri"));
        check("canecling", Some("cancel"));
        check("completely", None);
    }
}
