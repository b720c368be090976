//! Full-text search in captures: by section, best first.
//!
//! A section need not have all words: it ranks higher the more it has and the rarer they are (BM25 over its path, heading
//! and text). Words that every question has are ignored, and misspelled ones are corrected by the words of the index.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Serialize;
use strsim::osa_distance;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::AppError;
use crate::secrets::Secrets;

/// The maximum number of results per query.
const MOST: usize = 1_000;

/// A matching section.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The capture it belongs to.
    pub run_id: i64,
    /// The page, with the section's anchor if it has one.
    pub url: String,
    /// The page's title.
    pub title: Option<String>,
    /// The section's heading.
    pub heading: String,
    /// Text around the match.
    pub snippet: String,
    /// Positions of matching words in the snippet: start and end, in characters.
    #[schema(value_type = Vec<Vec<usize>>)]
    pub matches: Vec<(usize, usize)>,
    /// The score; higher is better.
    pub score: f64,
}

/// How many words of a query are used.
const MOST_TERMS: usize = 32;
/// Shorter words are neither completed nor corrected.
const SHORTEST_GUESS: usize = 4;

/// Words that say nothing about the subject, separated by spaces.
const STOP_WORDS: &str = "a am an and are as at be been being but by can could did do does doing for from had has have having he her \
    him his how i if in into is it its me my of on or our shall she should so than that the their them then there these they this \
    those to us was we were what when where whether which while who whom whose why will with would you your";

/// A query in words: phrases that a section must contain, and words of which it should have as many as possible.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    phrases: Vec<String>,
    words: Vec<String>,
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
        let is_telling = |word: &String| {
            !STOP_WORDS.split_whitespace().any(|stop| word.trim_matches(is_mark).eq_ignore_ascii_case(stop))
        };
        if query.words.iter().any(is_telling) || !query.phrases.is_empty() {
            query.words.retain(is_telling);
        }
        let mut seen = BTreeSet::new();
        query.words.retain(|word| seen.insert(word.to_lowercase()));
        query.words.truncate(MOST_TERMS);
        query.phrases.truncate(MOST_TERMS);
        (!query.words.is_empty() || !query.phrases.is_empty()).then_some(query)
    }

    /// The query for the index: sections with all phrases, the more of the words the better.
    async fn to_index(&self, app: &App) -> Result<String, AppError> {
        let phrases: Vec<String> = self.phrases.iter().map(|phrase| quoted(phrase)).collect();
        let mut wanted = Vec::new();
        for word in &self.words {
            wanted.extend(forms(word, spelling(app, word).await?));
        }
        Ok(match (phrases.is_empty(), wanted.is_empty()) {
            (_, true) => phrases.join(" AND "),
            (true, false) => wanted.join(" OR "),
            // A phrase that must be there makes the words optional.
            (false, false) => format!("{} AND ({} OR {})", phrases.join(" AND "), phrases[0], wanted.join(" OR ")),
        })
    }
}

/// The sections that match a query best.
pub(super) async fn search(
    app: &App,
    typed: &str,
    runs: Vec<i64>,
    limit: usize,
) -> Result<Vec<bluesnake_store::FoundSection>, AppError> {
    let query = Query::read(typed).ok_or_else(|| AppError::Invalid("nothing to search for".to_owned()))?;
    let query = query.to_index(app).await?;
    Ok(app.contents().search_sections(runs, query, limit.clamp(1, MOST)).await?)
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
    let word = word.to_lowercase();
    let Some(first) = word.chars().next().filter(|_| word.chars().all(char::is_alphabetic)) else {
        return Ok(Spelling::Exact);
    };
    let known = contents.indexed_words(first).await?;
    Ok(similar(&word, &known).map_or(Spelling::Exact, |meant| Spelling::Similar(meant.to_owned())))
}

/// The word of the index that was probably meant: the nearest, then the most frequent. The index has words without
/// endings, so the end of the typed one may be missing there.
fn similar<'a>(word: &str, known: &'a [(String, i64)]) -> Option<&'a str> {
    const LONGEST_ENDING: usize = 4;
    let letters: Vec<char> = word.chars().collect();
    let most = if letters.len() < 8 { 1 } else { 2 };
    let distance = |term: &str| {
        let length = term.chars().count();
        let shortest = length.saturating_sub(most).max(letters.len().saturating_sub(LONGEST_ENDING)).max(1);
        let starts = (shortest..=letters.len().min(length + most)).map(|end| letters[..end].iter().collect::<String>());
        starts.map(|start| (osa_distance(&start, term), letters.len() - start.chars().count())).min()
    };
    let candidates = known.iter().filter(|(term, _)| term.chars().count() + 1 >= SHORTEST_GUESS);
    let found = candidates.filter_map(|(term, count)| Some((distance(term)?, Reverse(*count), term.as_str())));
    let nearest = found.filter(|((distance, _), ..)| *distance <= most).min();
    nearest.map(|(_, _, term)| term)
}

/// The terms of a query for a word. One with marks in it, such as `asyncio.gather` or `--no-cache`, is searched as a
/// whole, which counts most, and in parts.
fn forms(word: &str, spelling: Spelling) -> Vec<String> {
    let mut forms = match spelling {
        Spelling::Exact => vec![quoted(word)],
        Spelling::Prefix => vec![format!("{}*", quoted(word))],
        Spelling::Similar(meant) => vec![quoted(&meant)],
    };
    let parts: Vec<&str> = word.split(is_mark).filter(|part| has_word(part)).collect();
    if parts.len() > 1 {
        forms.extend(parts.into_iter().map(quoted));
    }
    forms
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

pub(super) fn shown(found: bluesnake_store::FoundSection, secrets: Secrets) -> Found {
    let url = match &found.anchor {
        Some(anchor) if !anchor.is_empty() => format!("{}#{anchor}", found.url),
        _ => found.url,
    };
    // Before the markers are removed, because they show where the matches are.
    let (snippet, matches) = unmarked(&secrets.show(&found.snippet));
    Found {
        run_id: found.run,
        url: secrets.show(&url).into_owned(),
        title: found.title.map(|title| secrets.show(&title).into_owned()),
        heading: secrets.show(&found.heading).into_owned(),
        snippet,
        matches,
        score: (found.score * 1000.0).round() / 1000.0,
    }
}

/// The text without its markers, and their positions. White space is collapsed.
fn unmarked(marked: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut matches, mut start, mut length) = (String::new(), Vec::new(), 0, 0);
    for character in marked.chars() {
        match character {
            '\u{2}' => start = length,
            '\u{3}' => matches.push((start, length)),
            _ => {
                let character = if character.is_whitespace() { ' ' } else { character };
                if character != ' ' || !text.ends_with(' ') {
                    text.push(character);
                    length += 1;
                }
            }
        }
    }
    (text, matches)
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
        assert_eq!(forms("asyncio.gather", Spelling::Exact), ["\"asyncio.gather\"", "\"asyncio\"", "\"gather\""]);
        assert_eq!(forms("--no-cache", Spelling::Exact), ["\"--no-cache\"", "\"no\"", "\"cache\""]);
        assert_eq!(forms("pool", Spelling::Prefix), ["\"pool\"*"]);
    }

    #[test]
    fn misspelled_words_are_found_in_the_index_which_has_no_endings() {
        let known: Vec<(String, i64)> = [("concurr", 90), ("conclus", 5), ("connect", 70), ("cancel", 40), ("cat", 9)]
            .map(|(term, count)| (term.to_owned(), count))
            .into();
        let check = |word, expected| assert_eq!(similar(word, &known), expected, "{word}");
        check("concurency", Some("concurr"));
        check("conection", Some("connect"));
        check("cancle", Some("cancel"));
        check("completely", None);
    }

    #[test]
    fn no_part_of_a_hit_shows_a_secret() {
        let text = "see /?token=canary";
        let found = bluesnake_store::FoundSection {
            run: 1,
            url: "http://a.test/?token=canary)".to_owned(),
            title: Some(text.to_owned()),
            heading: text.to_owned(),
            anchor: None,
            snippet: text.to_owned(),
            score: 1.0,
        };
        let hit = serde_json::to_string(&shown(found, Secrets::Masked)).unwrap();
        assert!(!hit.contains("canary") && hit.matches("***").count() == 4, "{hit}");
    }

    #[test]
    fn marks_become_places() {
        assert_eq!(unmarked("a \n \u{2}wörd\u{3} b"), ("a wörd b".to_owned(), vec![(2, 6)]));
    }
}
