//! The first two readings of a run: the state of every URL, and all links.

use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::{Disposition, LinkKind, Reason, Refusal};

use crate::anchors::{AnchorDigest, Anchors};
use crate::audit::Audit;
use crate::copies::Copies;
use crate::graph::{Edge, Graph};
use crate::headers::Headers;
use crate::input::{Anchor, Run, UrlState};
use crate::rank::{Pages, Ranks};
use crate::relations::{Direction, Relations};
use crate::report::{Derived, Inlinks};
use crate::site::Site;
use crate::state::{Indexing, State};
use crate::twins::{TwinFinder, Twins, without_slash};
use crate::url_texts::UrlTexts;

/// Reads the state of every URL and all links.
#[derive(Debug)]
pub struct Survey {
    site: Site,
    graph: Graph,
    seeds: Vec<u32>,
    slash_twins: TwinFinder,
    case_twins: TwinFinder,
    copies: Copies,
    /// The links of the current document.
    edges: Vec<Edge>,
    /// What the current document lists as a sitemap.
    listed: Vec<u32>,
}

impl Survey {
    /// Begins to read a run.
    pub fn new(run: Run, settings: AuditSettings) -> Self {
        let urls = run.urls.min(Edge::LARGEST);
        let site = Site {
            run: Run { urls, ..run },
            headers: Headers::default(),
            anchors: Anchors::new(&settings),
            states: vec![State::default(); urls as usize + 1],
            urls: UrlTexts::default(),
            relations: Relations::default(),
            derived: vec![Derived::default(); urls as usize],
            inlinks: Inlinks::default(),
            slash_twins: Twins::default(),
            case_twins: Twins::default(),
            has_sitemap_languages: false,
            sitemap_sizes: Vec::new(),
            icon_origins: Vec::new(),
            has_gaps: false,
            settings,
        };
        Self {
            site,
            graph: Graph::default(),
            seeds: Vec::new(),
            slash_twins: TwinFinder::default(),
            case_twins: TwinFinder::default(),
            copies: Copies::default(),
            edges: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// A set of response headers: JSON, a list of names and values. All of them come before the URLs.
    pub fn header(&mut self, id: u32, fields: &str) {
        self.site.headers.push(id, fields);
    }

    /// An anchor of links. All of them come before the links, in the order of their ids.
    pub fn anchor(&mut self, id: u32, anchor: Anchor<'_>) {
        self.site.anchors.push(id, &anchor);
    }

    /// The state of a URL. All of them come in number order, before the links.
    pub fn url(&mut self, url: &UrlState<'_>) {
        if url.number == 0 || url.number > self.site.run.urls {
            return;
        }
        while self.site.urls.len() + 1 < url.number as usize {
            self.site.urls.push("");
        }
        self.site.urls.push(url.url);
        self.site.has_gaps |= is_gap(url);
        if url.is_seed {
            self.seeds.push(url.number);
        }
        let state = State::of(url);
        self.look_for_twins(url, &state);
        if let Some(origin) = url.url.strip_suffix("/favicon.ico")
            && url.status == Some(200)
        {
            self.site.icon_origins.push(origin.into());
        }
        self.site.states[url.number as usize] = state;
        if let Some(canonical) = url.canonical.filter(|_| state.is_page()) {
            self.copies.add(url.number, canonical);
        }
    }

    fn look_for_twins(&mut self, url: &UrlState<'_>, state: &State) {
        if !state.is_internal() || state.status != 200 || state.has(State::IS_GUIDE) {
            return;
        }
        self.case_twins.add(url.number, url.url.bytes().map(|byte| byte.to_ascii_lowercase()));
        if state.is_page()
            && let Some(common) = without_slash(url.url)
        {
            self.slash_twins.add(url.number, common);
        }
    }

    /// The links of a document: numbers of their targets and ids of their anchors, in document order. Documents come
    /// in number order.
    pub fn links(&mut self, source: u32, links: impl Iterator<Item = (u32, u32)>) {
        self.end_urls();
        let urls = self.site.run.urls;
        if source == 0 || source > urls {
            return;
        }
        self.relate_copies(source);
        self.edges.clear();
        let mut lists_versions = false;
        for (target, anchor) in links.filter(|(target, _)| (1..=urls).contains(target)) {
            let anchor = self.site.anchors.get(anchor);
            lists_versions |= anchor.kind == LinkKind::Hreflang;
            self.link(source, target, anchor);
        }
        self.end_sitemap(source, lists_versions);
        for edge in self.graph.push(source, &mut self.edges).filter(|edge| edge.has(Edge::COUNTS)) {
            if edge.target() != source {
                self.site.derived[edge.target() as usize - 1].unique_inlinks += 1;
            }
        }
    }

    fn link(&mut self, source: u32, target: u32, anchor: AnchorDigest) {
        let page = self.site.states[source as usize];
        let is_followed = anchor.is_followed(page.has(State::IS_NOFOLLOW));
        let counts = anchor.is_hyperlink() || anchor.is_resource();
        let marks = [
            (Edge::IS_FOLLOWED, is_followed),
            (Edge::PASSES_RANK, is_followed && anchor.is_hyperlink()),
            (Edge::COUNTS, counts),
        ];
        let marks = marks.iter().filter(|(_, is_set)| *is_set).fold(0, |marks, (mark, _)| marks | mark);
        self.edges.push(Edge::new(target, marks));
        if counts && target != source {
            self.site.derived[target as usize - 1].inlinks += 1;
        }
        if anchor.kind == LinkKind::SitemapEntry || anchor.kind == LinkKind::SitemapFile {
            self.list(source, target, anchor.kind);
        }
        if page.is_page() {
            if anchor.is_hyperlink() {
                self.hyperlink(source, target, anchor, is_followed);
            } else {
                self.relate(source, target, anchor);
            }
        }
    }

    fn hyperlink(&mut self, source: u32, target: u32, anchor: AnchorDigest, is_followed: bool) {
        if source == target {
            return;
        }
        let is_from_indexable = self.site.states[source as usize].indexing == Indexing::Yes;
        let state = &mut self.site.states[target as usize];
        state.hyperlinks_in += 1;
        state.nofollow_in += u32::from(anchor.has(AnchorDigest::IS_NOFOLLOW));
        if is_followed {
            state.set(State::IS_FOLLOWED_TO);
        }
        if is_from_indexable {
            state.set(State::IS_INDEXABLY_LINKED);
        }
    }

    /// Remembers what a page declares about another one.
    fn relate(&mut self, source: u32, target: u32, anchor: AnchorDigest) {
        let relations = &mut self.site.relations;
        let state = &mut self.site.states[target as usize];
        if state.has(State::IS_GUIDE) {
            return;
        }
        let mark = match anchor.kind {
            // One in the body is ignored by search engines.
            LinkKind::Canonical if anchor.has(AnchorDigest::IS_IN_HEAD) && relations.add_canonical(source, target) => {
                State::IS_CANONICAL
            }
            LinkKind::Hreflang => {
                relations.add_version(source, target, anchor.code);
                State::IS_VERSION
            }
            LinkKind::Next | LinkKind::Prev => {
                let is_next = anchor.kind == LinkKind::Next;
                relations.add_pager(source, target, if is_next { Direction::Next } else { Direction::Previous });
                State::IS_PAGER
            }
            LinkKind::Amp => return relations.add_amp(source, target),
            _ => return,
        };
        if source != target {
            state.set(mark);
        }
    }

    /// Remembers what a sitemap lists. llms.txt lists pages too, but for other readers.
    fn list(&mut self, source: u32, target: u32, kind: LinkKind) {
        let sitemap = &mut self.site.states[source as usize];
        if sitemap.has(State::IS_LLMS_FILE) {
            return;
        }
        sitemap.set(State::LISTS_URLS);
        if kind == LinkKind::SitemapEntry {
            self.listed.push(target);
        }
    }

    fn end_sitemap(&mut self, source: u32, lists_versions: bool) {
        if self.listed.is_empty() {
            return;
        }
        self.site.has_sitemap_languages |= lists_versions;
        self.site.sitemap_sizes.push((source, self.listed.len() as u32));
        self.listed.sort_unstable();
        self.listed.dedup();
        for target in self.listed.drain(..) {
            let state = &mut self.site.states[target as usize];
            if state.sitemap == 0 {
                state.sitemap = source;
            }
            state.sitemaps = state.sitemaps.saturating_add(1);
        }
    }

    /// Remembers the canonicals of copies up to this document, so that all canonicals stay in order.
    fn relate_copies(&mut self, until: u32) {
        while let Some((copy, canonical)) = self.copies.next_until(until) {
            let is_guide = self.site.states[canonical as usize].has(State::IS_GUIDE);
            if !is_guide && self.site.relations.add_canonical(copy, canonical) && copy != canonical {
                self.site.states[canonical as usize].set(State::IS_CANONICAL);
            }
        }
    }

    /// Finds twins and canonicals before the links need memory. Does nothing when called again.
    fn end_urls(&mut self) {
        self.copies.resolve(&self.site.urls);
        if !self.case_twins.is_empty() {
            self.site.slash_twins = self.slash_twins.finish();
            self.site.case_twins = self.case_twins.finish();
        }
    }

    /// Computes what follows from all links.
    pub fn finish(mut self) -> Audit {
        self.end_urls();
        let urls = self.site.run.urls;
        self.relate_copies(urls);
        let site = &mut self.site;
        self.graph.finish(urls);
        let derived = &mut site.derived;
        self.graph.depths(self.seeds.into_iter(), |number, depth| {
            let known = &mut derived[number as usize - 1].depth;
            known.is_none() && known.replace(depth).is_none()
        });
        let pages = Pages::new(urls, |number| site.states[number as usize].is_page());
        for (page, score) in Ranks::of(&self.graph, &pages).scores(&pages) {
            site.derived[page as usize - 1].link_score = Some(score);
        }
        site.inlinks = self.graph.inlinks(urls);
        Audit::new(self.site)
    }
}

/// Whether something of the site may be missing because of this URL.
fn is_gap(url: &UrlState<'_>) -> bool {
    use Refusal::*;
    let is_limit = matches!(
        url.reason,
        Reason::Refused(
            TooDeep | SinglePage | NotInSitemap | HostBudget | MaxUrls | PageLimit | SitemapDepth | SitemapFiles
        )
    );
    url.reason.disposition() == Disposition::Pending || (url.is_internal && is_limit)
}
