//! Full-text search in captures: by section, best first.
//!
//! A section need not have all words of a query. `query.rs` reads it: words that every question has are ignored, and
//! misspelled ones are corrected by the words of the index. The index returns the sections that have most of the words,
//! and `rank.rs` looks where they have them.

mod passages;
mod query;
mod rank;
mod stem;
mod synonyms;
mod vocabulary;

use serde::Serialize;
use utoipa::ToSchema;

use self::query::Query;
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

/// The sections that match a query best.
pub(super) async fn search(
    app: &App,
    typed: &str,
    runs: Vec<i64>,
    limit: usize,
) -> Result<Vec<bluesnake_store::FoundSection>, AppError> {
    let query = Query::read(typed).ok_or_else(|| AppError::Invalid("nothing to search for".to_owned()))?;
    let (query, wanted) = query.meaning(app).await?;
    let limit = limit.clamp(1, MOST);
    Ok(app.contents().search_sections(runs, query, limit, move |section| wanted.score(section)).await?)
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
