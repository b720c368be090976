//! A small site, described by what is different about it, and its audit.

use std::collections::{BTreeMap, BTreeSet};

use bluesnake_audit::{Anchor, Page, Report, Run, Survey, Url, UrlState, Verdict, Visit};
use bluesnake_engine::link::{PathType, Position, Rel};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::{LinkKind, Reason, Source, Task};
use serde_json::{Map, Value, json};

/// A URL of the site; a plain path belongs to `https://site.test`.
pub(crate) fn full(url: &str) -> String {
    if url.starts_with('/') { format!("https://site.test{url}") } else { url.to_owned() }
}

/// The header of a sound response.
pub(crate) const SOUND_HEADER: &[(&str, &str)] = &[
    ("content-encoding", "br"),
    ("content-security-policy", "default-src 'self'"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("server", "nginx"),
    ("set-cookie", "id=…; Secure; HttpOnly; SameSite=Lax"),
    ("strict-transport-security", "max-age=31536000"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("x-robots-tag", "somebot: noindex"),
];

/// A site: its URLs in number order.
#[derive(Clone, Debug)]
pub(crate) struct World {
    nodes: Vec<Node>,
    pub(crate) settings: AuditSettings,
    pub(crate) is_completed: bool,
    /// Whether every link has its own anchor, instead of sharing equal ones.
    pub(crate) splits_anchors: bool,
    /// Whether pages were read with all facts of today.
    pub(crate) has_newer_facts: bool,
}

/// A URL with everything that is stored about it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) url: String,
    pub(crate) source: Source,
    pub(crate) kind: LinkKind,
    pub(crate) task: Task,
    pub(crate) is_internal: bool,
    pub(crate) is_seed: bool,
    pub(crate) reason: Reason,
    pub(crate) attempts: u32,
    pub(crate) status: Option<u16>,
    pub(crate) redirect_to: Option<String>,
    pub(crate) not_indexable: Option<&'static str>,
    pub(crate) is_nofollow: bool,
    pub(crate) has_links: bool,
    /// The canonical of a copy, whose links are not stored.
    pub(crate) copied_canonical: Option<String>,
    pub(crate) content_type: &'static str,
    pub(crate) header: Vec<(String, String)>,
    pub(crate) body_bytes: u64,
    pub(crate) first_byte_us: u64,
    pub(crate) raw_hash: i64,
    pub(crate) cut: Option<&'static str>,
    pub(crate) note: Option<&'static str>,
    pub(crate) error: Option<&'static str>,
    pub(crate) detail: Option<&'static str>,
    pub(crate) sniffed: Option<&'static str>,
    pub(crate) extracted: Option<String>,
    pub(crate) page: Option<Text>,
    pub(crate) links: Vec<Reference>,
}

/// The facts of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) h1: String,
    pub(crate) h2: String,
    pub(crate) lang: String,
    pub(crate) words: u32,
    pub(crate) main_words: u32,
    pub(crate) facts: Map<String, Value>,
    pub(crate) signature: Option<Vec<u8>>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) to: String,
    pub(crate) kind: &'static str,
    pub(crate) rel: u8,
    pub(crate) text: String,
    pub(crate) path_type: &'static str,
    pub(crate) position: &'static str,
}

impl Reference {
    pub(crate) fn new(to: &str, kind: LinkKind) -> Self {
        let is_on_page = matches!(kind, LinkKind::Anchor | LinkKind::Image | LinkKind::Frame);
        let position = if is_on_page { Position::Content } else { Position::Unknown };
        Self {
            to: full(to),
            kind: kind.as_str(),
            rel: 0,
            text: format!("About {to}"),
            path_type: PathType::Absolute.as_str(),
            position: position.as_str(),
        }
    }

    pub(crate) fn rel(mut self, rel: Rel) -> Self {
        self.rel |= rel.bits();
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.text = text.to_owned();
        self
    }

    pub(crate) fn path_type(mut self, path_type: PathType) -> Self {
        self.path_type = path_type.as_str();
        self
    }

    pub(crate) fn at(mut self, position: Position) -> Self {
        self.position = position.as_str();
        self
    }

    fn anchor(&self) -> Anchor<'_> {
        Anchor {
            kind: LinkKind::from_word(self.kind).unwrap(),
            rel: Rel::from_bits(self.rel),
            position: Position::from_word(self.position).unwrap(),
            path_type: PathType::from_word(self.path_type).unwrap(),
            text: &self.text,
        }
    }
}

impl Node {
    /// A URL that is only mentioned.
    pub(crate) fn mentioned(url: &str) -> Self {
        let url = full(url);
        Self {
            is_internal: url.split("://").nth(1).is_some_and(|rest| rest.starts_with("site.test/")),
            url,
            source: Source::Spider,
            kind: LinkKind::Anchor,
            task: Task::Page,
            is_seed: false,
            reason: Reason::Refused(bluesnake_engine::Refusal::Mentioned),
            attempts: 0,
            status: None,
            redirect_to: None,
            not_indexable: None,
            is_nofollow: false,
            has_links: false,
            copied_canonical: None,
            content_type: "",
            header: Vec::new(),
            body_bytes: 0,
            first_byte_us: 100_000,
            raw_hash: 0,
            cut: None,
            note: None,
            error: None,
            detail: None,
            sniffed: None,
            extracted: None,
            page: None,
            links: Vec::new(),
        }
    }

    /// A URL that responded with this status.
    pub(crate) fn responded(url: &str, status: u16) -> Self {
        let mut node = Self::mentioned(url);
        (node.status, node.attempts) = (Some(status), 1);
        node.reason = match status {
            300..=399 => Reason::Redirect,
            400..=499 => Reason::ClientError,
            500..=599 => Reason::ServerError,
            _ => Reason::Resource,
        };
        node
    }

    /// A page without faults.
    pub(crate) fn sound(path: &str) -> Self {
        let mut node = Self::responded(path, 200);
        (node.reason, node.content_type, node.has_links) = (Reason::Page, "text/html", true);
        node.header = SOUND_HEADER.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        (node.body_bytes, node.raw_hash) =
            (5_000, node.url.bytes().map(i64::from).sum::<i64>() + node.url.len() as i64 * 1_000);
        let name: String = path.trim_matches('/').chars().take(12).collect();
        let name = if name.is_empty() { "the start" } else { &name };
        let facts = json!({
            "h2_count": 1, "headings": [[1, "h1"], [2, "h2"]], "viewport": "width=device-width", "charset": "utf-8",
            "canonicals": [{"raw": node.url, "path_type": "absolute"}], "json_ld_types": ["WebPage"],
            "open_graph": [["og:title", "t"], ["og:description", "d"], ["og:image", "i"]],
            "icons": ["https://site.test/icon.png"], "reading_sample": [300, 40, 400],
        });
        node.page = Some(Text {
            title: format!("A page of the test site about {name}"),
            description: format!("Everything that a visitor of this site may want to know about {name}, in few words."),
            h1: format!("All about {name}"),
            h2: format!("More about {name}"),
            lang: "en".to_owned(),
            words: 350,
            main_words: 300,
            facts: facts.as_object().unwrap().clone(),
            signature: None,
        });
        node.links = vec![
            Reference::new(&node.url.clone(), LinkKind::Canonical),
            Reference::new("/", LinkKind::Anchor).text("Back to the start"),
        ];
        node
    }

    pub(crate) fn text(&mut self) -> &mut Text {
        self.page.as_mut().expect("it is a page")
    }

    /// Sets a fact; null removes it.
    pub(crate) fn fact(&mut self, name: &str, value: Value) -> &mut Self {
        match value {
            Value::Null => self.text().facts.remove(name),
            value => self.text().facts.insert(name.to_owned(), value),
        };
        self
    }

    /// Makes it a rendered page whose response says the same, except for these facts of the response and of rendering.
    pub(crate) fn rendered_from(&mut self, raw: Value, render: Value) -> &mut Self {
        let url = self.url.clone();
        let Text { title, description, h1, words, .. } = self.text();
        let mut same = json!({
            "title": title, "description": description, "h1": h1, "words": words, "canonical": url, "structured_data": 1,
        });
        let set = |object: &mut Value, changes: Value| {
            for (name, value) in changes.as_object().expect("facts are an object").clone() {
                object[name] = value;
            }
        };
        set(&mut same, raw);
        let mut facts = json!({ "reason": "on", "outcome": "complete", "raw": same });
        set(&mut facts, render);
        self.fact("render", facts)
    }

    pub(crate) fn link(&mut self, reference: Reference) -> &mut Self {
        self.links.push(reference);
        self
    }

    pub(crate) fn anchor(&mut self, to: &str) -> &mut Self {
        self.link(Reference::new(to, LinkKind::Anchor))
    }

    /// Declares another canonical, with what the crawl makes of it.
    pub(crate) fn canonical(&mut self, to: &str) -> &mut Self {
        self.links.retain(|link| link.kind != "canonical");
        self.not_indexable = (full(to) != self.url).then_some("canonicalised");
        self.link(Reference::new(to, LinkKind::Canonical))
    }

    /// Makes it a copy of another page: its links are not stored.
    pub(crate) fn copy_with_canonical(&mut self, to: &str) -> &mut Self {
        (self.has_links, self.copied_canonical) = (false, Some(full(to)));
        self.links.clear();
        self.not_indexable = (full(to) != self.url).then_some("canonicalised");
        self.fact("canonicals", json!([{"raw": full(to), "path_type": "absolute"}]))
    }

    pub(crate) fn noindex(&mut self) -> &mut Self {
        self.not_indexable = Some("noindex");
        self.fact("directives", json!(["noindex"]))
    }

    pub(crate) fn hreflang(&mut self, code: &str, to: &str) -> &mut Self {
        self.link(Reference::new(to, LinkKind::Hreflang).text(code))
    }

    /// Removes a header field, and adds it with another value if there is one.
    pub(crate) fn header(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        self.header.retain(|(known, _)| known != name);
        self.header.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }
}

impl World {
    /// A start page without anything else.
    pub(crate) fn empty() -> Self {
        let mut world = Self {
            nodes: Vec::new(),
            settings: AuditSettings::default(),
            is_completed: true,
            splits_anchors: false,
            has_newer_facts: true,
        };
        world.nodes.push(Node { is_seed: true, source: Source::Initial, ..Node::sound("/") });
        world
    }

    /// A site without faults: three pages, one of them rendered, a sitemap, an llms.txt, and a link to another site that refuses checks.
    pub(crate) fn sound() -> Self {
        let mut world = Self::empty();
        world.add_guide("/sitemap.xml").links.push(Reference::new("/", LinkKind::SitemapEntry));
        let llms = world.add_guide("/llms.txt");
        llms.extracted =
            Some(json!({"llms": {"title": true, "summary": true, "links": 1, "malformed": 0}}).to_string());
        llms.links.push(Reference::new("/", LinkKind::SitemapEntry));
        world.add_guide("/llms-full.txt");
        world.page("/a");
        world
            .page("/b")
            .rendered_from(json!({}), json!({}))
            .anchor("/a")
            .link(Reference::new("https://other.test/", LinkKind::Anchor).rel(Rel::NEW_WINDOW).rel(Rel::NOOPENER));
        world.add(Node::responded("https://other.test/", 200));
        world
    }

    /// A robots.txt, sitemap or file for language models.
    pub(crate) fn add_guide(&mut self, path: &str) -> &mut Node {
        let mut node = Node::responded(path, 200);
        (node.task, node.kind, node.source) = (Task::Sitemap, LinkKind::SitemapFile, Source::Sitemap);
        (node.reason, node.body_bytes) = (Reason::Sitemap, 2_000);
        self.add(node)
    }

    /// Adds a sound page that the start page links to and the sitemap lists.
    pub(crate) fn page(&mut self, path: &str) -> &mut Node {
        self.node("/").anchor(path);
        self.listed(path)
    }

    /// Adds a sound page that the sitemap lists, but no page links to.
    pub(crate) fn listed(&mut self, path: &str) -> &mut Node {
        if self.has("/sitemap.xml") {
            self.node("/sitemap.xml").link(Reference::new(path, LinkKind::SitemapEntry));
        }
        self.add(Node::sound(path))
    }

    /// Adds a URL, in the place where it was only mentioned before.
    pub(crate) fn add(&mut self, node: Node) -> &mut Node {
        let at = self.nodes.iter().position(|known| known.url == node.url);
        let at = at.unwrap_or_else(|| {
            self.nodes.push(node.clone());
            self.nodes.len() - 1
        });
        self.nodes[at] = node;
        &mut self.nodes[at]
    }

    /// Adds a URL that the start page links to.
    pub(crate) fn linked(&mut self, node: Node) -> &mut Node {
        self.node("/").anchor(&node.url);
        self.add(node)
    }

    /// Adds a redirect that the start page links to.
    pub(crate) fn redirect(&mut self, from: &str, to: &str) -> &mut Node {
        let mut node = Node::responded(from, 301);
        (node.redirect_to, node.not_indexable) = (Some(full(to)), Some("redirected"));
        node.links.push(Reference::new(to, LinkKind::Redirect));
        self.linked(node)
    }

    fn has(&self, url: &str) -> bool {
        self.nodes.iter().any(|node| node.url == full(url))
    }

    pub(crate) fn node(&mut self, url: &str) -> &mut Node {
        self.nodes.iter_mut().find(|node| node.url == full(url)).unwrap_or_else(|| panic!("{url} exists"))
    }

    /// Reads the site as a store would hand it over.
    pub(crate) fn audit(&self) -> Audited {
        let nodes = self.with_mentioned_urls();
        let numbers: BTreeMap<&str, u32> = nodes.iter().map(|node| node.url.as_str()).zip(1..).collect();
        let number = |url: &str| numbers[url];
        let run = Run { urls: nodes.len() as u32, is_completed: self.is_completed };
        let mut survey = Survey::new(run, self.settings.clone());
        for (id, node) in (1..).zip(&nodes) {
            survey.header(id, &serde_json::to_string(&node.header).unwrap());
        }
        let anchors = Anchors::of(&nodes, self.splits_anchors);
        let mut by_id: Vec<_> = anchors.0.iter().map(|((_, reference), id)| (*id, reference.anchor())).collect();
        by_id.sort_unstable_by_key(|(id, _)| *id);
        by_id.into_iter().for_each(|(id, anchor)| survey.anchor(id, anchor));
        let states: Vec<UrlState<'_>> = nodes.iter().map(|node| node.state(number)).collect();
        states.iter().for_each(|state| survey.url(state));
        let links = |node: &Node| -> Vec<(u32, u32)> {
            let ids = (0..).zip(&node.links).map(|(at, link)| (number(&link.to), anchors.id(&node.url, at, link)));
            ids.collect()
        };
        for node in nodes.iter().filter(|node| !node.links.is_empty()) {
            survey.links(number(&node.url), links(node).into_iter());
        }
        let mut audit = survey.finish();
        for (node, state) in nodes.iter().zip(states) {
            let facts = node.page.as_ref().map(|page| Value::Object(page.facts.clone()).to_string());
            let mut visit = node.visit(state.number, facts.as_deref());
            if let (Some(page), false) = (&mut visit.page, self.has_newer_facts) {
                page.main_words = None;
            }
            audit.url(&Url { state, visit: Some(visit) }, links(node).into_iter());
        }
        let urls = nodes.iter().map(|node| node.url.clone()).collect();
        Audited { report: audit.finish(), urls }
    }

    fn with_mentioned_urls(&self) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        let known: BTreeSet<String> = nodes.iter().map(|node| node.url.clone()).collect();
        let redirects = self.nodes.iter().filter_map(|node| node.redirect_to.as_ref());
        let mentioned = self.nodes.iter().flat_map(|node| node.links.iter().map(|link| &link.to)).chain(redirects);
        let unknown: BTreeSet<&String> = mentioned.filter(|url| !known.contains(*url)).collect();
        nodes.extend(unknown.into_iter().map(|url| Node::mentioned(url)));
        nodes
    }
}

/// Anchors with their ids: equal ones once, or one for each link.
struct Anchors(BTreeMap<(String, Reference), u32>);

impl Anchors {
    fn of(nodes: &[Node], is_split: bool) -> Self {
        let mut anchors = Self(BTreeMap::new());
        let mut keys = Vec::new();
        for node in nodes {
            keys.extend((0..).zip(&node.links).map(|(at, link)| Self::key(is_split, &node.url, at, link)));
        }
        for key in keys {
            let next = anchors.0.len() as u32 + 1;
            anchors.0.entry(key).or_insert(next);
        }
        anchors
    }

    /// What makes an anchor: not where it leads.
    fn key(is_split: bool, page: &str, at: usize, link: &Reference) -> (String, Reference) {
        let place = if is_split { format!("{page} {at}") } else { String::new() };
        (place, Reference { to: String::new(), ..link.clone() })
    }

    fn id(&self, page: &str, at: usize, link: &Reference) -> u32 {
        let split = self.0.get(&Self::key(true, page, at, link));
        split.copied().unwrap_or_else(|| self.0[&Self::key(false, page, at, link)])
    }
}

impl Node {
    fn state(&self, number: impl Fn(&str) -> u32) -> UrlState<'_> {
        let is_page = self.page.is_some();
        UrlState {
            number: number(&self.url),
            url: &self.url,
            source: self.source,
            kind: self.kind,
            task: self.task,
            is_internal: self.is_internal,
            is_seed: self.is_seed,
            reason: self.reason,
            attempts: self.attempts,
            status: self.status,
            redirect_to: self.redirect_to.as_deref().map(&number),
            is_indexable: (is_page || self.not_indexable.is_some()).then_some(self.not_indexable.is_none()),
            indexable_reason: self.not_indexable,
            is_nofollow: self.is_nofollow,
            is_page,
            has_links: self.has_links,
            headers: Some(number(&self.url)),
            canonical: self.copied_canonical.as_deref(),
        }
    }

    fn visit<'a>(&'a self, number: u32, facts: Option<&'a str>) -> Visit<'a> {
        let page = self.page.as_ref().zip(facts).map(|(page, facts)| Page {
            title: Some(&page.title),
            description: Some(&page.description),
            h1: Some(&page.h1),
            h2: Some(&page.h2),
            lang: Some(&page.lang),
            word_count: page.words,
            main_words: Some(page.main_words),
            facts,
            signature: page.signature.as_deref(),
        });
        Visit {
            content_type: Some(self.content_type),
            headers: Some(number),
            wire_bytes: Some(self.body_bytes / 3),
            body_bytes: Some(self.body_bytes),
            cut: self.cut,
            note: self.note,
            error: self.error,
            detail: self.detail,
            first_byte_us: Some(self.first_byte_us),
            raw_hash: self.page.is_some().then_some(self.raw_hash),
            identical_to: self.copied_canonical.as_ref().map(|_| 1),
            sniffed: self.sniffed,
            extracted: self.extracted.as_deref(),
            page,
            ..Visit::default()
        }
    }
}

/// An audited site.
#[derive(Debug)]
pub(crate) struct Audited {
    pub(crate) report: Report,
    urls: Vec<String>,
}

impl Audited {
    /// What a check found: URLs (paths for the site's own) with details.
    pub(crate) fn found(&self, check: &str) -> Vec<(String, String)> {
        let findings = self.report.checks.iter().find(|findings| findings.check.id == check).expect("it exists");
        let short = |number: u32| self.urls[number as usize - 1].trim_start_matches("https://site.test").to_owned();
        findings
            .findings
            .iter()
            .map(|finding| (short(finding.number), finding.detail.unwrap_or_default().replace("https://site.test", "")))
            .collect()
    }

    /// The URLs that a check reports.
    pub(crate) fn urls(&self, check: &str) -> Vec<String> {
        let mut urls: Vec<String> = self.found(check).into_iter().map(|(url, _)| url).collect();
        urls.dedup();
        urls
    }

    pub(crate) fn verdict(&self, check: &str) -> Verdict {
        self.report.checks.iter().find(|findings| findings.check.id == check).expect("it exists").verdict
    }

    /// All findings of all checks.
    pub(crate) fn everything(&self) -> Vec<(&'static str, String, String)> {
        let all = self.report.checks.iter().map(|findings| findings.check.id);
        all.flat_map(|id| self.found(id).into_iter().map(move |(url, detail)| (id, url, detail))).collect()
    }

    pub(crate) fn number(&self, url: &str) -> u32 {
        self.urls.iter().position(|known| *known == full(url)).expect("it exists") as u32 + 1
    }

    pub(crate) fn derived(&self, url: &str) -> bluesnake_audit::Derived {
        self.report.urls[self.number(url) as usize - 1]
    }
}
