//! The end of a capture: only now it is known what its pages repeat.
//!
//! Documents stay as extracted, so all of this can be repeated after a crash. The search index and the figures are
//! updated to match the text as exported.

use std::sync::Arc;

use bluesnake_engine::Number;
use bluesnake_engine::document::Document;
use bluesnake_extract::Corpus;
use bluesnake_store::Database;

use super::{pages, reader};
use crate::app::off_the_runtime;
use crate::error::AppError;

/// How many pages to read before writing changes.
const AT_ONCE: usize = 64;
/// How many bytes of changed documents to hold before writing them.
const BYTES_AT_ONCE: usize = 16 * 1024 * 1024;

/// Removes what the pages of a complete capture repeat from its search index and its figures.
pub(crate) async fn settle(database: &Database, run: i64) -> Result<(), AppError> {
    let of = database.clone();
    let corpus = Arc::new(off_the_runtime(move || pages::corpus_of(&of, run)).await?);
    let mut after = Some(Number(0));
    while let Some(from) = after {
        let (of, corpus) = (database.clone(), Arc::clone(&corpus));
        let looked_at = off_the_runtime(move || look_at_some(&of, run, from, &corpus)).await?;
        database.contents().amend_documents(run, looked_at.changed).await?;
        after = looked_at.last;
    }
    Ok(())
}

/// How much was read since changes were last written.
#[derive(Default)]
struct Portion {
    pages: usize,
    bytes: usize,
}

impl Portion {
    fn is_full(&self) -> bool {
        self.pages >= AT_ONCE || self.bytes >= BYTES_AT_ONCE
    }
}

/// A batch of consecutive pages.
struct LookedAt {
    /// Those whose text changes without the repeated parts.
    changed: Vec<(Number, Document)>,
    /// Where to continue; `None` after the last page.
    last: Option<Number>,
}

fn look_at_some(database: &Database, run: i64, from: Number, corpus: &Corpus) -> Result<LookedAt, AppError> {
    let (mut changed, mut portion, mut after) = (Vec::new(), Portion::default(), from);
    while !portion.is_full() {
        let Some(row) = database.contents().next_document(run, after)? else {
            return Ok(LookedAt { changed, last: None });
        };
        after = Number(row.number as u32);
        portion.pages += 1;
        let mut document = pages::extracted(&row)?;
        let (whole, title) = (document.markdown.len(), document.title.clone());
        corpus.clean(&mut document);
        if document.markdown.len() != whole || document.title != title {
            portion.bytes += row.content.len();
            changed.push((after, reader::document(&document, row.is_own_markdown)));
        }
    }
    Ok(LookedAt { changed, last: Some(after) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 documents of 10 MB were held at once.
    #[test]
    fn large_documents_are_settled_a_few_at_a_time() {
        assert!(!Portion { pages: 63, bytes: 1_000 }.is_full());
        assert!(Portion { pages: 64, bytes: 1_000 }.is_full());
        assert!(Portion { pages: 1, bytes: 20_000_000 }.is_full());
    }
}
