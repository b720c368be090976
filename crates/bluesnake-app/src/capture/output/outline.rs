//! What is kept in memory about all pages: names and titles, never texts.

use super::anchors::LinkedIds;
use super::links::Targets;
use super::listing::one_line;
use super::names::Names;
use super::{PageIter, Tokens};
use crate::AppError;
use crate::capture::CapturedPage;
use crate::secrets::Secrets;

const TITLE_CHARACTERS: usize = 200;
const DESCRIPTION_CHARACTERS: usize = 300;

/// All pages of a capture in order, and where each is written.
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
    /// Its index among all pages.
    pub(super) place: usize,
    pub(super) url: String,
    pub(super) path: String,
    /// Its URL with secrets masked, if it has no title.
    pub(super) title: String,
    pub(super) description: Option<String>,
    /// Of its text as written; known once it is.
    pub(super) tokens: Tokens,
}

impl Outline {
    /// `redirects` are pairs of URL and target.
    pub(super) fn read(
        pages: PageIter<'_>,
        redirects: &[(String, String)],
        secrets: Secrets,
    ) -> Result<Self, AppError> {
        let mut outline = Self::default();
        let mut alternates = Vec::new();
        let mut linked = LinkedIds::default();
        for page in pages {
            let page = page?;
            let place = outline.pages.len();
            outline.text_bytes += page.markdown.len() as u64;
            outline.targets.add_headings(place, &page.headings);
            linked.add(place, &page);
            alternates.extend(page.alternate_urls.iter().map(|url| (place, url.clone())));
            outline.pages.push(PageEntry::of(place, &page, secrets));
        }
        outline.give_names(secrets);
        for (place, url) in alternates {
            outline.targets.add_alternate(place, &url);
        }
        outline.targets.add_redirects(redirects);
        let needed = linked.needed(|url| outline.targets.place_of(url));
        outline.targets.set_needed(needed);
        Ok(outline)
    }

    /// The token counts of all pages as written.
    pub(super) fn set_tokens(&mut self, tokens: Vec<Tokens>) {
        self.tokens = Tokens::default();
        for (page, tokens) in self.pages.iter_mut().zip(tokens) {
            page.tokens = tokens;
            self.tokens += tokens;
        }
    }

    fn give_names(&mut self, secrets: Secrets) {
        let mut names = Names::new(self.pages.iter().map(|page| page.url.as_str()));
        for page in &mut self.pages {
            page.path = names.claim(&page.url, &secrets.show(&page.url));
            self.targets.add(page.path.clone(), &page.url);
        }
    }
}

/// The title on one line, shortened.
pub(super) fn title_line(page: &CapturedPage) -> Option<String> {
    shortened(page.title.as_deref()?, TITLE_CHARACTERS)
}

fn shortened(text: &str, characters: usize) -> Option<String> {
    let line: String = one_line(text).chars().take(characters).collect();
    (!line.is_empty()).then_some(line)
}

impl PageEntry {
    fn of(place: usize, page: &CapturedPage, secrets: Secrets) -> Self {
        let shown = |text: &str| secrets.show(text).into_owned();
        let description = page.description.as_deref().and_then(|text| shortened(text, DESCRIPTION_CHARACTERS));
        Self {
            place,
            url: page.url.clone(),
            path: String::new(),
            title: title_line(page).map_or_else(|| shown(&page.url), |title| shown(&title)),
            description: description.map(|text| shown(&text)),
            tokens: Tokens::default(),
        }
    }
}
