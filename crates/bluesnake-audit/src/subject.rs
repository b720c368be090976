//! One URL as rules see it: its facts, its links, and the site around it.

use std::borrow::Cow;
use std::ops::Range;

use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::{LinkKind, Reason, Refusal, Task};

use crate::anchors::AnchorDigest;
use crate::facts::Facts;
use crate::headers::{Header, is_search_engine};
use crate::input::{Page, Url, UrlState, Visit};
use crate::relations::{Pager, Version};
use crate::site::{RedirectEnd, Site};
use crate::state::{Fate, Indexing, State};

/// Shorter texts have no readability.
const FEWEST_WORDS: u32 = 100;

/// A URL with everything that is known about it.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) site: &'a Site,
    pub(crate) settings: &'a AuditSettings,
    pub(crate) number: u32,
    pub(crate) url: &'a str,
    pub(crate) state: &'a State,
    pub(crate) input: UrlState<'a>,
    pub(crate) visit: Visit<'a>,
    pub(crate) header: &'a Header,
    pub(crate) depth: Option<u32>,
    /// Texts of the page, without white space around them.
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) h1: &'a str,
    pub(crate) h2: &'a str,
    pub(crate) lang: &'a str,
    /// Words of the main text.
    pub(crate) words: u32,
    /// Words of the visible text.
    pub(crate) all_words: u32,
    pub(crate) facts: Facts<'a>,
    /// Targets and anchors of its links.
    pub(crate) links: &'a [(u32, u32)],
    pub(crate) outlinks: Outlinks,
    pub(crate) canonicals: Canonicals,
}

/// A link of the subject.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) target: u32,
    pub(crate) to: &'a State,
    pub(crate) anchor: AnchorDigest,
}

/// The hyperlinks of a document, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outlinks {
    pub(crate) internal: u32,
    pub(crate) external: u32,
}

/// The canonicals in the head of a page and in the header of the response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Canonicals {
    /// The first one; 0 without one.
    first: u32,
    pub(crate) links: u32,
    /// Whether they contradict each other.
    pub(crate) differ: bool,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(site: &'a Site, url: &Url<'a>, links: &'a [(u32, u32)]) -> Self {
        let visit = url.visit.unwrap_or_default();
        let state = site.state(url.state.number);
        let page = visit.page.filter(|_| state.is_page()).unwrap_or_default();
        let trimmed = |text: Option<&'a str>| text.unwrap_or_default().trim();
        let mut subject = Self {
            site,
            settings: &site.settings,
            number: url.state.number,
            url: url.state.url,
            state,
            input: url.state,
            header: site.headers.get(visit.headers),
            depth: site.derived.get(url.state.number as usize - 1).and_then(|derived| derived.depth),
            title: trimmed(page.title),
            description: trimmed(page.description),
            h1: trimmed(page.h1),
            h2: trimmed(page.h2),
            lang: trimmed(page.lang),
            words: page.main_words.unwrap_or(page.word_count),
            all_words: page.word_count,
            facts: if page.facts.is_empty() { Facts::default() } else { Facts::parse(page.facts) },
            visit,
            links,
            outlinks: Outlinks::default(),
            canonicals: Canonicals::default(),
        };
        subject.count_links();
        if !state.has(State::HAS_LINKS) && state.is_page() {
            let in_head = subject.facts.canonicals.iter().filter(|canonical| !canonical.outside_head);
            subject.canonicals.links = in_head.count() as u32;
            subject.canonicals.first = site.relations.canonical_of(subject.number).unwrap_or(0);
        }
        subject
    }

    fn count_links(&mut self) {
        for (target, anchor) in self.links {
            let (anchor, to) = (self.site.anchors.get(*anchor), self.site.state(*target));
            if anchor.is_hyperlink() {
                *(if to.is_internal() { &mut self.outlinks.internal } else { &mut self.outlinks.external }) += 1;
            } else if anchor.kind == LinkKind::Canonical
                && anchor.has(AnchorDigest::IS_IN_HEAD)
                && !to.has(State::IS_GUIDE)
            {
                let canonicals = &mut self.canonicals;
                canonicals.differ |= canonicals.links > 0 && canonicals.first != *target;
                canonicals.first = if canonicals.links == 0 { *target } else { canonicals.first };
                canonicals.links += 1;
            }
        }
    }

    /// Its links with what is known about their targets, and the ids of their anchors.
    pub(crate) fn each_link(&self) -> impl Iterator<Item = (Link<'a>, u32)> {
        let site = self.site;
        self.links.iter().map(move |(target, anchor)| {
            (Link { target: *target, to: site.state(*target), anchor: site.anchors.get(*anchor) }, *anchor)
        })
    }

    pub(crate) fn is_internal(&self) -> bool {
        self.state.is_internal()
    }

    pub(crate) fn is_secure(&self) -> bool {
        !self.state.is_insecure()
    }

    pub(crate) fn is_indexable(&self) -> bool {
        self.state.indexing == Indexing::Yes
    }

    /// What became of it.
    pub(crate) fn fate(&self) -> Fate {
        self.state.fate
    }

    pub(crate) fn status_within(&self, range: Range<u16>) -> Option<u64> {
        range.contains(&self.state.status).then_some(self.state.status.into())
    }

    pub(crate) fn error(&self) -> Cow<'a, str> {
        self.visit.error.unwrap_or_default().into()
    }

    pub(crate) fn status_or_error(&self) -> Cow<'a, str> {
        match self.state.status {
            0 => self.error(),
            status => status.to_string().into(),
        }
    }

    /// The line of robots.txt that blocks it, or would; empty if the line is not known.
    pub(crate) fn robots_line(&self) -> Option<Cow<'a, str>> {
        let is_blocked = self.input.reason == Reason::Refused(Refusal::Robots);
        let line = if is_blocked { self.visit.detail.or(Some("")) } else { self.visit.robots_report };
        line.map(Cow::Borrowed)
    }

    /// Where its redirects lead, if it is a part of the site.
    pub(crate) fn redirects(&self) -> Option<RedirectEnd> {
        let is_redirect = self.is_internal() && self.state.fate == Fate::Redirect;
        is_redirect.then(|| self.site.redirects_of(self.number)).flatten()
    }

    /// Whether no page links to it.
    pub(crate) fn is_unlinked(&self) -> bool {
        self.is_internal() && self.state.hyperlinks_in == 0 && !self.state.has(State::IS_SEED)
    }

    /// Whether it is a page of the site, or was not requested because all links to it have nofollow.
    pub(crate) fn is_page_or_nofollowed(&self) -> bool {
        let is_nofollowed = self.input.reason == Reason::Refused(Refusal::Nofollow);
        self.state.is_page() || is_nofollowed && self.is_internal()
    }

    /// Its size after decoding, if that is over a limit.
    pub(crate) fn bytes_over(&self, most: u64) -> Option<u64> {
        self.visit.body_bytes.filter(|bytes| *bytes > most)
    }

    /// Whether it is an image of the site that a page shows. The first link to it may be in structured data.
    pub(crate) fn is_shown_image(&self) -> bool {
        let is_image = matches!(self.input.kind, LinkKind::Image | LinkKind::JsonLdImage);
        let inlinks = self.site.derived.get(self.number as usize - 1).map_or(0, |derived| derived.inlinks);
        is_image && self.is_internal() && self.fate() == Fate::Answer && inlinks > 0
    }

    /// Whether it is a script, a stylesheet or another resource of the site that responded.
    pub(crate) fn is_own_resource(&self) -> bool {
        let is_resource = matches!(self.input.task, Task::Resource | Task::Stylesheet);
        is_resource && self.is_internal() && self.fate() == Fate::Answer
    }

    pub(crate) fn path_and_query(&self) -> &'a str {
        let authority = self.url.find("://").map_or(0, |at| at + 3);
        self.url[authority..].find('/').map_or("", |at| &self.url[authority + at..])
    }

    pub(crate) fn path(&self) -> &'a str {
        self.path_and_query().split('?').next().unwrap_or_default()
    }

    /// The query with its question mark.
    pub(crate) fn query(&self) -> Option<&'a str> {
        let url = self.path_and_query();
        url.find('?').map(|at| &url[at..])
    }

    /// The canonical, if it is another page.
    pub(crate) fn other_canonical(&self) -> Option<u32> {
        let Canonicals { first, .. } = self.canonicals;
        (first != 0 && first != self.number).then_some(first)
    }

    /// The canonical if it is another page that is not in the run: nothing else links to it.
    pub(crate) fn unknown_canonical(&self) -> Option<&'a str> {
        self.input.canonical.filter(|canonical| self.canonicals.first == 0 && *canonical != self.url)
    }

    /// The canonical, whichever page it is.
    pub(crate) fn canonical(&self) -> Option<u32> {
        (self.canonicals.first != 0).then_some(self.canonicals.first)
    }

    /// Whether it is certain that it declares no canonical.
    pub(crate) fn lacks_canonical(&self) -> bool {
        self.facts.canonicals.is_empty() && self.canonicals.links == 0
    }

    pub(crate) fn versions(&self) -> impl Iterator<Item = Version> {
        self.site.relations.versions_of(self.number)
    }

    pub(crate) fn pagers(&self) -> impl Iterator<Item = Pager> {
        self.site.relations.pagers_of(self.number)
    }

    /// The other page that a meta refresh or a Refresh header leads to.
    pub(crate) fn refresh(&self) -> Option<Cow<'a, str>> {
        let (_, target) = self.facts.refresh.as_ref()?;
        target.clone().map(|target| target.0).filter(|target| *target != self.url)
    }

    /// All directives, if one of them is this one; otherwise those for the first large search engine that has it.
    pub(crate) fn directive(&self, is_wanted: fn(&str) -> bool) -> Option<Cow<'a, str>> {
        if self.directives().any(is_wanted) {
            return Some(self.all_directives());
        }
        let in_page = self.facts.bot_directives.iter().map(|(bot, words)| {
            let words: Vec<&str> = words.iter().map(|word| &**word).collect();
            (bot.to_ascii_lowercase(), words)
        });
        let in_header = self.header.bot_directives.iter().map(|(bot, words)| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            (bot.clone(), words)
        });
        let mut all = in_page.filter(|(bot, _)| is_search_engine(bot)).chain(in_header);
        let found = all.find(|(_, words)| words.iter().any(|word| is_wanted(word)))?;
        Some(format!("{}: {}", found.0, found.1.join(",")).into())
    }

    pub(crate) fn all_directives(&self) -> Cow<'a, str> {
        self.directives().collect::<Vec<_>>().join(",").into()
    }

    fn directives(&self) -> impl Iterator<Item = &str> {
        self.facts.directives.iter().map(|word| &**word).chain(self.header.directives.iter().map(String::as_str))
    }

    /// How long the first byte took, if that is too long.
    pub(crate) fn slowness(&self) -> Option<Cow<'a, str>> {
        let ms = self.visit.first_byte_us? / 1_000;
        (ms > self.settings.slow_ms).then(|| format!("{ms} ms").into())
    }

    /// How the content contradicts the header.
    pub(crate) fn contradiction(&self) -> Option<Cow<'a, str>> {
        let (sniffed, declared) = (self.visit.sniffed?, self.visit.content_type.unwrap_or_default());
        self.is_internal().then(|| format!("{declared}, but looks like {sniffed}").into())
    }

    /// The Flesch reading ease of the main text: 100 is very easy, 0 very difficult. Only known for English.
    pub(crate) fn flesch(&self) -> Option<f64> {
        let is_english = self.lang.get(..2).is_some_and(|lang| lang.eq_ignore_ascii_case("en"))
            && self.lang.as_bytes().get(2).is_none_or(|next| matches!(next, b'-' | b'_'));
        let (words, sentences, syllables) = self.facts.reading_sample?;
        if !is_english || words < FEWEST_WORDS || sentences == 0 {
            return None;
        }
        let words = f64::from(words);
        Some(206.835 - 1.015 * words / f64::from(sentences) - 84.6 * f64::from(syllables) / words)
    }

    /// Whether its facts include those that early versions of the crawler did not store.
    pub(crate) fn has_newer_facts(&self) -> bool {
        self.visit.page.is_some_and(|page: Page<'_>| page.main_words.is_some())
    }
}

impl Link<'_> {
    pub(crate) fn is(&self, kind: LinkKind) -> bool {
        self.anchor.kind == kind && !self.to.has(State::IS_GUIDE)
    }

    pub(crate) fn is_hyperlink(&self) -> bool {
        self.anchor.is_hyperlink()
    }

    pub(crate) fn is_internal_hyperlink(&self) -> bool {
        self.anchor.is_hyperlink() && self.to.is_internal() && !self.to.has(State::IS_GUIDE)
    }

    pub(crate) fn is_resource(&self) -> bool {
        self.anchor.is_resource()
    }
}
