//! Sections cut into passages: an entry of a reference with its terms, or a few paragraphs.
//!
//! A long section has every word somewhere. A passage that answers a question has its words close together.

/// How many words of text a passage has at most, unless a single paragraph has more.
const MOST_WORDS: usize = 150;
/// A longer line is not a term.
const LONGEST_TERM: usize = 10;

/// A part of a section.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Passage<'t> {
    /// What it defines: functions, options, settings.
    pub(super) terms: Vec<&'t str>,
    /// Its paragraphs.
    pub(super) paragraphs: Vec<&'t str>,
}

/// The passages of a text, whose paragraphs are separated by empty lines. At least one, which may be empty.
pub(super) fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut blocks = text.split("\n\n").filter(|block| !block.trim().is_empty()).peekable();
    let (mut passages, mut current, mut words) = (Vec::new(), Passage::default(), 0);
    while let Some(block) = blocks.next() {
        if is_term(block) && blocks.peek().is_some() {
            if !current.paragraphs.is_empty() {
                passages.push(std::mem::take(&mut current));
                words = 0;
            }
            current.terms.push(block);
            continue;
        }
        let more = block.split_whitespace().count();
        if words > 0 && words + more > MOST_WORDS {
            let terms = current.terms.clone();
            passages.push(std::mem::replace(&mut current, Passage { terms, paragraphs: Vec::new() }));
            words = 0;
        }
        current.paragraphs.push(block);
        words += more;
    }
    passages.push(current);
    passages
}

/// Whether a paragraph looks like a term: a short line that is not a sentence.
fn is_term(block: &str) -> bool {
    !block.contains('\n')
        && !block.ends_with(['.', ':', '?', '!', ';', ','])
        && block.split_whitespace().count() <= LONGEST_TERM
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
        passages(text).into_iter().map(|passage| (passage.terms, passage.paragraphs)).collect()
    }

    #[test]
    fn a_definition_is_a_passage_with_its_terms() {
        let text =
            "Options of the command:\n\n-a\n\n--all\n\nStage all files.\n\n--patch\n\nChoose changes.\n\nSee below.";
        let expected = [
            (vec![], vec!["Options of the command:"]),
            (vec!["-a", "--all"], vec!["Stage all files."]),
            (vec!["--patch"], vec!["Choose changes.", "See below."]),
        ];
        assert_eq!(cut(text), expected);
    }

    #[test]
    fn a_long_definition_keeps_its_terms() {
        let (long, short) = ("word ".repeat(140), "more ".repeat(20));
        let text = format!("max_size\n\n{long}.\n\n{short}.");
        let found = cut(&text);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(terms, _)| *terms == ["max_size"]));
    }

    #[test]
    fn a_section_without_text_is_one_passage() {
        assert_eq!(cut(""), [(vec![], vec![])]);
        assert_eq!(cut("Only a line"), [(vec![], vec!["Only a line"])]);
    }
}
