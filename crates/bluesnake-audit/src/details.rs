//! The texts of findings, each stored once: most findings of a template have the same detail.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// A detail; 0 is none.
pub(crate) type DetailId = u32;

/// Every distinct detail of a report.
#[derive(Debug, Default)]
pub(crate) struct Details {
    text: String,
    /// Where each detail ends in `text`.
    ends: Vec<u64>,
    ids: HashTable<DetailId>,
}

/// Longer texts of pages are cut.
const MOST_CHARS: usize = 300;

impl Details {
    /// The id of a text that a page or a server may have written, cut if it is long.
    pub(crate) fn intern_text(&mut self, text: &str) -> DetailId {
        match text.char_indices().nth(MOST_CHARS) {
            None => self.intern(text),
            Some(_) => {
                let kept = text.char_indices().nth(MOST_CHARS - 1).map_or(0, |(at, _)| at);
                self.intern(&format!("{}…", &text[..kept]))
            }
        }
    }

    /// The id of a text; that of none for an empty one.
    pub(crate) fn intern(&mut self, text: &str) -> DetailId {
        if text.is_empty() {
            return 0;
        }
        let Self { text: all, ends, ids } = self;
        let is_same = |id: &DetailId| text_of(all, ends, *id) == text;
        if let Some(id) = ids.find(xxh3_64(text.as_bytes()), is_same) {
            return *id;
        }
        all.push_str(text);
        ends.push(all.len() as u64);
        let id = ends.len() as DetailId;
        ids.insert_unique(xxh3_64(text.as_bytes()), id, |id| xxh3_64(text_of(all, ends, *id).as_bytes()));
        id
    }

    /// The text of an id.
    pub(crate) fn text(&self, id: DetailId) -> Option<&str> {
        (id > 0).then(|| text_of(&self.text, &self.ends, id))
    }

    /// Frees what is needed only while details are added.
    pub(crate) fn finish(mut self) -> Self {
        self.ids = HashTable::new();
        self.ends.shrink_to_fit();
        self.text.shrink_to_fit();
        self
    }
}

fn text_of<'a>(all: &'a str, ends: &[u64], id: DetailId) -> &'a str {
    let at = id as usize - 1;
    let from = if at == 0 { 0 } else { ends[at - 1] };
    &all[from as usize..ends[at] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_id() {
        let mut details = Details::default();
        let (one, other) = (details.intern("one"), details.intern("other"));
        assert_eq!((details.intern("one"), details.intern("other")), (one, other));
        assert_eq!((details.text(one), details.text(other)), (Some("one"), Some("other")));
        assert_eq!(details.text(details.ends.len() as u32), Some("other"));
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let mut details = Details::default();
        let (whole, cut) = (details.intern_text(&"ä".repeat(300)), details.intern_text(&"ä".repeat(301)));
        assert_eq!(details.text(whole), Some("ä".repeat(300).as_str()));
        assert_eq!(details.text(cut), Some(format!("{}…", "ä".repeat(299)).as_str()));
    }

    #[test]
    fn an_empty_text_is_no_detail() {
        let mut details = Details::default();
        assert_eq!(details.intern(""), 0);
        assert_eq!(details.text(0), None);
    }

    #[test]
    fn ids_stay_the_same_while_the_table_grows() {
        let mut details = Details::default();
        let ids: Vec<DetailId> = (0..1_000).map(|number: u32| details.intern(&number.to_string())).collect();
        let details = details.finish();
        for (number, id) in ids.iter().enumerate() {
            assert_eq!(details.text(*id), Some(number.to_string().as_str()));
        }
    }
}
