//! Full-text search in captures: by section, best first.

use serde::Serialize;
use utoipa::ToSchema;

use crate::secrets::Secrets;

/// The maximum number of results per query.
pub(super) const MOST: usize = 1_000;

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

/// User input as an FTS5 query: all words separately, and phrases in quotes. Nothing in it is syntax.
pub(super) fn to_query(words: &str) -> Option<String> {
    let mut terms = Vec::new();
    for (at, part) in words.split('"').enumerate() {
        let is_phrase = at % 2 == 1;
        if is_phrase {
            terms.push(part);
        } else {
            terms.extend(part.split_whitespace());
        }
    }
    let is_word = |term: &&str| term.chars().any(char::is_alphanumeric);
    let terms: Vec<String> =
        terms.into_iter().filter(is_word).map(|term| format!("\"{}\"", term.replace('\0', " "))).collect();
    (!terms.is_empty()).then(|| terms.join(" "))
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

    #[test]
    fn nothing_that_is_typed_is_syntax() {
        assert_eq!(to_query("two words").as_deref(), Some("\"two\" \"words\""));
        assert_eq!(
            to_query("a \"phrase of words\" NOT x*").as_deref(),
            Some("\"a\" \"phrase of words\" \"NOT\" \"x*\"")
        );
        assert_eq!(to_query("title:x OR (y").as_deref(), Some("\"title:x\" \"OR\" \"(y\""));
        assert_eq!(to_query("unclosed \"quote").as_deref(), Some("\"unclosed\" \"quote\""));
        assert_eq!(to_query(" \"\" -- * "), None);
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
