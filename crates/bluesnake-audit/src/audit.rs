//! The last reading of a run: every URL with its facts and links.

use bluesnake_engine::{Disposition, Reason, Task};
use xxhash_rust::xxh3::xxh3_64;

use crate::anchors::AnchorDigest;
use crate::catalogue::{Check, Scope, all_checks};
use crate::duplicates::{Groups, SameTexts};
use crate::fragments::Fragments;
use crate::input::Url;
use crate::near::NearDuplicates;
use crate::notes::Notes;
use crate::report::Report;
use crate::rule::Rule;
use crate::site::Site;
use crate::state::State;
use crate::subject::Subject;

/// Runs the checks.
#[derive(Debug)]
pub struct Audit {
    pub(crate) site: Site,
    pub(crate) notes: Notes,
    /// The checks to make, by what they look at, with their positions in the catalogue.
    plan: Vec<(u16, &'static Check)>,
    pub(crate) collected: Collected,
    /// Links of the current document.
    links: Vec<(u32, u32)>,
    /// The last document that links to each URL, by number.
    linked_by: Vec<u32>,
}

/// What is judged at the end, when all pages are known.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) pages: u32,
    pub(crate) titles: SameTexts,
    pub(crate) descriptions: SameTexts,
    pub(crate) h1: SameTexts,
    pub(crate) h2: SameTexts,
    pub(crate) bodies: Groups,
    pub(crate) near: NearDuplicates,
    pub(crate) fragments: Fragments,
    /// The first start page, if it has no icon: its number and origin.
    pub(crate) start_without_icon: Option<(u32, Box<str>)>,
    has_start: bool,
    /// Whether a sitemap could not be read completely.
    pub(crate) has_broken_sitemap: bool,
    /// Whether links of pages were put off and are not known.
    pub(crate) has_deferred_links: bool,
    pub(crate) llms: LlmsFiles,
    /// Whether a page was rendered.
    pub(crate) has_rendered_page: bool,
}

/// The files for language models that were requested.
#[derive(Debug, Default)]
pub(crate) struct LlmsFiles {
    /// The first llms.txt, and whether there is any.
    pub(crate) short: Option<u32>,
    pub(crate) has_short: bool,
    /// The same for llms-full.txt.
    pub(crate) full: Option<u32>,
    pub(crate) has_full: bool,
}

impl Audit {
    pub(crate) fn new(site: Site) -> Self {
        let urls = site.run.urls;
        let is_on = |check: &Check| !site.settings.off.iter().any(|id| id == check.id);
        let plan = (0..).zip(all_checks()).filter(|(_, check)| is_on(check)).collect();
        let collected = Collected {
            pages: 0,
            titles: SameTexts::new(urls),
            descriptions: SameTexts::new(urls),
            h1: SameTexts::new(urls),
            h2: SameTexts::new(urls),
            bodies: Groups::default(),
            near: NearDuplicates::default(),
            fragments: Fragments::default(),
            start_without_icon: None,
            has_start: false,
            has_broken_sitemap: false,
            has_deferred_links: false,
            llms: LlmsFiles::default(),
            has_rendered_page: false,
        };
        let linked_by = vec![0; urls as usize + 1];
        Self { site, notes: Notes::new(), plan, collected, links: Vec::new(), linked_by }
    }

    /// Checks one URL. All of them come in number order; `links` are those of [`crate::Survey::links`], or nothing.
    pub fn url(&mut self, url: &Url<'_>, links: impl Iterator<Item = (u32, u32)>) {
        let (number, urls) = (url.state.number, self.site.run.urls);
        if number == 0 || number > urls {
            return;
        }
        self.links.clear();
        self.links.extend(links);
        self.count_outlinks(number);
        let subject = Subject::new(&self.site, url, &self.links);
        for (position, check) in &self.plan {
            if applies(check.scope, subject.state) {
                apply(check.rule, *position, &subject, &mut self.notes);
            }
        }
        self.collected.add(&subject, &mut self.notes);
    }

    fn count_outlinks(&mut self, number: u32) {
        let derived = &mut self.site.derived[number as usize - 1];
        for (target, anchor) in &self.links {
            let anchor: AnchorDigest = self.site.anchors.get(*anchor);
            let Some(linked_by) = self.linked_by.get_mut(*target as usize).filter(|_| anchor.is_hyperlink()) else {
                continue;
            };
            derived.outlinks += 1;
            derived.external_outlinks += u32::from(!self.site.states[*target as usize].is_internal());
            derived.unique_outlinks += u32::from(*linked_by != number);
            *linked_by = number;
        }
    }

    /// What was found.
    pub fn finish(self) -> Report {
        crate::verdict::report(self)
    }
}

/// Whether a check looks at such a URL.
fn applies(scope: Scope, state: &State) -> bool {
    match scope {
        Scope::Pages => state.is_page(),
        Scope::Urls => !state.has(State::IS_GUIDE),
        Scope::Sitemaps => state.has(State::LISTS_URLS),
        Scope::LlmsFiles => state.has(State::IS_LLMS_FILE),
    }
}

fn apply(rule: Rule, check: u16, subject: &Subject<'_>, notes: &mut Notes) {
    let mut found = notes.page_of(check, subject.number, subject.site);
    match rule {
        Rule::When(is_so) if is_so(subject) => found.text(""),
        Rule::Number(number) => number(subject).into_iter().for_each(|number| found.number(number)),
        Rule::Text(text) => text(subject).into_iter().for_each(|text| found.text(&text)),
        Rule::Target(target) => target(subject).into_iter().for_each(|target| found.target(target)),
        Rule::Each(each) => each(subject, &mut found),
        Rule::Link(is_so) => {
            let links = subject.each_link().filter(|(link, _)| is_so(subject, link));
            links.for_each(|(link, anchor)| found.link(link.target, anchor));
        }
        Rule::When(_) | Rule::Later => {}
    }
}

impl Collected {
    fn add(&mut self, subject: &Subject<'_>, notes: &mut Notes) {
        if subject.state.has(State::IS_LLMS_FILE) {
            self.llms.add(subject);
        } else if subject.input.task == Task::Sitemap {
            self.has_broken_sitemap |= is_incomplete(subject);
        } else if subject.state.is_page() {
            self.add_page(subject, notes);
        }
    }

    fn add_page(&mut self, page: &Subject<'_>, notes: &mut Notes) {
        self.pages += 1;
        self.has_rendered_page |= page.facts.render.is_some();
        self.has_deferred_links |= !page.input.has_links && page.visit.identical_to.is_none();
        self.fragments.add(page, &mut notes.details);
        self.look_for_icon(page);
        if page.settings.duplicates_indexable_only && !page.is_indexable() {
            return;
        }
        let details = &mut notes.details;
        self.titles.add(page.number, page.title, details);
        self.descriptions.add(page.number, page.description, details);
        self.h1.add(page.number, page.h1, details);
        self.h2.add(page.number, page.h2, details);
        if let (Some(hash), Some(bytes @ 1..), None) = (page.visit.raw_hash, page.visit.body_bytes, page.visit.cut) {
            self.bodies.add(page.number, xxh3_64(&(hash as u128 | (bytes as u128) << 64).to_le_bytes()));
        }
        if let Some(signature) = page.visit.page.and_then(|page| page.signature) {
            self.near.add(page.number, signature);
        }
    }

    fn look_for_icon(&mut self, page: &Subject<'_>) {
        if self.has_start || !page.state.has(State::IS_SEED) {
            return;
        }
        self.has_start = true;
        if !page.facts.has_icon() {
            let origin = &page.url[..page.url.len() - page.path_and_query().len()];
            self.start_without_icon = Some((page.number, origin.into()));
        }
    }
}

/// Whether a sitemap may list more than is known.
fn is_incomplete(sitemap: &Subject<'_>) -> bool {
    let is_unread = matches!(sitemap.input.reason.disposition(), Disposition::Failed | Disposition::Refused);
    let is_answered = matches!(sitemap.state.status, 0 | 200..=399 | 404 | 410);
    is_unread || !is_answered || sitemap.visit.note.is_some() || sitemap.visit.cut.is_some()
}

impl LlmsFiles {
    fn add(&mut self, file: &Subject<'_>) {
        let was_requested = file.state.status != 0 || matches!(file.input.reason, Reason::Failed(_));
        if !was_requested {
            return;
        }
        // A note says that a page came instead: many sites have one for every path.
        let is_there = (200..300).contains(&file.state.status) && file.visit.note.is_none();
        let (first, has_any) = match file.path().ends_with("/llms-full.txt") {
            true => (&mut self.full, &mut self.has_full),
            false => (&mut self.short, &mut self.has_short),
        };
        first.get_or_insert(file.number);
        *has_any |= is_there;
    }
}
