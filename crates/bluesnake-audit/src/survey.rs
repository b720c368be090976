//! The first two readings of a run: the state of every URL, and all links.

use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::{Disposition, LinkKind};
use hashbrown::HashSet;

use crate::anchors::{AnchorDigest, Anchors, CodeId};
use crate::audit::Audit;
use crate::copies::Copies;
use crate::graph::{Edge, Graph};
use crate::headers::Headers;
use crate::input::{Anchor, Run, UrlState};
use crate::rank::{Pages, Ranks};
use crate::relations::{Direction, Relations};
use crate::report::{Derived, Inlinks};
use crate::site::{RedirectEnd, Site};
use crate::state::{Fate, Indexing, State};
use crate::twins::{TwinFinder, Twins, in_lower_case, without_slash};
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
    /// The versions that sitemaps declare: page, version and code.
    listed_versions: Vec<(u32, u32, CodeId)>,
    /// The hosts of seeds. Seeds come first.
    seed_hosts: HashSet<Box<str>>,
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
            behind_orphans: Vec::new(),
            sitemap_sizes: Vec::new(),
            icon_requests: Vec::new(),
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
            listed_versions: Vec::new(),
            seed_hosts: HashSet::new(),
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
        let is_pending = url.reason.disposition() == Disposition::Pending;
        self.site.has_gaps |= is_pending || url.is_internal && url.reason.is_gap();
        if url.is_seed {
            self.seeds.push(url.number);
            self.seed_hosts.get_or_insert_with(host_of(url.url), |host| host.into());
        }
        let mut state = State::of(url, self.site.headers.get(url.headers).is_challenge);
        // Where robots.txt failed, URLs were never requested. That the whole site is down is reported once, for its seed.
        let is_reported = url.is_seed || !self.seed_hosts.contains(host_of(url.url));
        if state.fate == Fate::Unasked && url.is_internal && is_reported {
            state.fate = Fate::Silence;
        }
        self.look_for_twins(url, &state);
        if let Some(origin) = url.url.strip_suffix("/favicon.ico")
            && (url.status.is_some() || url.attempts > 0)
        {
            self.site.icon_requests.push((origin.into(), url.status == Some(200)));
        }
        self.site.states[url.number as usize] = state;
        if let Some(canonical) = url.canonical.filter(|_| state.is_page()) {
            self.copies.add(url.number, canonical);
        }
    }

    fn look_for_twins(&mut self, url: &UrlState<'_>, state: &State) {
        if !state.is_page() || state.status != 200 {
            return;
        }
        self.case_twins.add(url.number, in_lower_case(url.url));
        if let Some(common) = without_slash(url.url) {
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
        for (target, anchor) in links.filter(|(target, _)| (1..=urls).contains(target)) {
            let anchor = self.site.anchors.get(anchor);
            self.link(source, target, anchor);
        }
        self.end_sitemap(source);
        for edge in self.graph.push(source, &mut self.edges).filter(|edge| edge.has(Edge::COUNTS)) {
            if edge.target() != source {
                self.site.derived[edge.target() as usize - 1].unique_inlinks += 1;
            }
        }
    }

    fn link(&mut self, source: u32, target: u32, anchor: AnchorDigest) {
        let page = self.site.states[source as usize];
        // Visitors do not read lists for robots, unless the crawl began with one.
        let is_list = is_listing(anchor.kind) || page.has(State::IS_GUIDE) || !self.listed.is_empty();
        let is_for_visitors = !is_list || page.has(State::IS_SEED);
        let is_followed = is_for_visitors && anchor.is_followed(page.has(State::IS_NOFOLLOW));
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
        } else if anchor.kind == LinkKind::Hreflang {
            self.list_version(target, anchor.code);
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

    /// Remembers a version that a sitemap declares for the page listed last.
    fn list_version(&mut self, target: u32, code: CodeId) {
        let Some(page) = self.listed.last().copied() else { return };
        self.listed_versions.push((page, target, code));
        if page != target {
            self.site.states[target as usize].set(State::IS_VERSION);
        }
    }

    fn end_sitemap(&mut self, source: u32) {
        if self.listed.is_empty() {
            return;
        }
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

    /// Where a seed redirects to is where the site starts.
    fn add_redirected_seeds(&mut self) {
        for at in 0..self.seeds.len() {
            let mut number = self.seeds[at];
            for _ in 0..RedirectEnd::MOST_HOPS {
                number = self.site.state(number).redirect_to;
                if number == 0 || number > self.site.run.urls || !self.site.state(number).is_internal() {
                    break;
                }
                self.site.states[number as usize].set(State::IS_SEED);
                self.seeds.push(number);
            }
        }
    }

    /// Computes what follows from all links.
    pub fn finish(mut self) -> Audit {
        self.end_urls();
        let urls = self.site.run.urls;
        self.relate_copies(urls);
        self.add_redirected_seeds();
        let site = &mut self.site;
        site.relations.finish(self.listed_versions);
        self.graph.finish(urls);
        let derived = &mut site.derived;
        self.graph.depths(self.seeds.into_iter(), |number, depth| {
            let known = &mut derived[number as usize - 1].depth;
            known.is_none() && known.replace(depth).is_none()
        });
        site.behind_orphans = behind_orphans(site, &self.graph);
        let pages = Pages::new(urls, |number| site.state(number).is_page(), |number| site.redirects_of(number));
        for (page, score) in Ranks::of(&self.graph, &pages).scores(&pages) {
            site.derived[page as usize - 1].link_score = Some(score);
        }
        site.inlinks = self.graph.inlinks(urls);
        Audit::new(self.site)
    }
}

/// Whether such a link is in a list that only robots read.
fn is_listing(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::SitemapEntry | LinkKind::SitemapFile | LinkKind::RobotsFile)
}

fn host_of(url: &str) -> &str {
    let rest = url.find("://").map_or(url, |at| &url[at + 3..]);
    rest.split(['/', '?']).next().unwrap_or_default()
}

/// The pages that no sitemap lists and no chain of links from a seed leads to, but links from pages of sitemaps do.
fn behind_orphans(site: &Site, graph: &Graph) -> Vec<(u32, u32)> {
    let is_lost = |number: u32| site.derived[number as usize - 1].depth.is_none();
    let is_orphan = |number: &u32| {
        let state = site.state(*number);
        state.is_page() && state.sitemap != 0 && is_lost(*number)
    };
    let mut way: Vec<u32> = (1..=site.run.urls).filter(is_orphan).collect();
    let mut behind = Vec::new();
    if way.is_empty() {
        return behind;
    }
    let mut is_known = vec![false; site.run.urls as usize + 1];
    let mut at = 0;
    while let Some(source) = way.get(at).copied() {
        at += 1;
        for target in graph.of(source).filter(|edge| edge.has(Edge::IS_FOLLOWED)).map(Edge::target) {
            let state = site.state(target);
            if state.sitemap == 0 && is_lost(target) && !std::mem::replace(&mut is_known[target as usize], true) {
                way.push(target);
                behind.extend(state.is_page().then_some((target, source)));
            }
        }
    }
    behind.sort_unstable();
    behind
}
