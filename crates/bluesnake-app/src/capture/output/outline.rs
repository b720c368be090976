//! What is kept of all pages at once: their names and titles, never their texts.

use super::links::Targets;
use super::listing::one_line;
use super::names::Names;
use super::{CapturedPage, PageIter, Tokens};
use crate::AppError;

const TITLE_CHARACTERS: usize = 200;
const DESCRIPTION_CHARACTERS: usize = 300;

/// All pages of a capture in its order, and where each is written.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) pages: Vec<PageEntry>,
    pub(super) targets: Targets,
    pub(super) tokens: Tokens,
    /// Of all texts together.
    pub(super) text_bytes: u64,
}

#[derive(Debug)]
pub(super) struct PageEntry {
    pub(super) url: String,
    pub(super) path: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tokens_o200k: u32,
}

impl Outline {
    pub(super) fn read(pages: PageIter<'_>) -> Result<Self, AppError> {
        let mut outline = Self::default();
        let mut alternates = Vec::new();
        for page in pages {
            let page = page?;
            outline.tokens.add(&page);
            outline.text_bytes += page.markdown.len() as u64;
            alternates.extend(page.alternate_urls.iter().map(|url| (outline.pages.len(), url.clone())));
            outline.pages.push(PageEntry::of(&page));
        }
        outline.give_names();
        for (place, url) in alternates {
            outline.targets.add_alternate(place, &url);
        }
        Ok(outline)
    }

    fn give_names(&mut self) {
        let mut names = Names::new(self.pages.iter().map(|page| page.url.as_str()));
        for page in &mut self.pages {
            page.path = names.claim(&page.url);
            self.targets.add(page.path.clone(), &page.url);
        }
    }
}

impl PageEntry {
    fn of(page: &CapturedPage) -> Self {
        let line = |text: &Option<String>, characters| {
            let line: String = one_line(text.as_deref()?).chars().take(characters).collect();
            (!line.is_empty()).then_some(line)
        };
        Self {
            url: page.url.clone(),
            path: String::new(),
            title: line(&page.title, TITLE_CHARACTERS),
            description: line(&page.description, DESCRIPTION_CHARACTERS),
            tokens_o200k: page.tokens_o200k,
        }
    }
}
