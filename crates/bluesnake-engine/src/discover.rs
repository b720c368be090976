//! Where candidates come from: seeds, links of visits, robots.txt and sitemaps.
//!
//! Everything found becomes a [`Candidate`] on one path to admission, tagged with its [`Source`]. What a link means
//! for its target (depth, hops, inherited kind) is decided here; whether the target may be fetched is decided in
//! [`crate::admit`].

use crate::admit::scope::is_or_is_below;
use crate::admit::{Depth, Task, UrlRow};
use crate::link::{LinkKind, Role};
use crate::links::PackedLink;
use crate::plan::CrawlPlan;
use crate::receipt::{Action, Number, Source};
use crate::url::CanonicalUrl;

/// A URL seen for the first time, and the link that led to it.
#[derive(Clone, Copy, Debug)]
pub struct Discovered<'a> {
    /// The URL.
    pub url: &'a CanonicalUrl,
    /// How it was found.
    pub source: Source,
    /// The URL of the page, sitemap, redirect or stylesheet that contains the link.
    pub from: &'a CanonicalUrl,
    /// The link.
    pub link: PackedLink<'a>,
}

/// A URL that something mentions; nothing is decided about it yet.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The URL.
    pub(crate) url: CanonicalUrl,
    /// The kind of link that led to it; a redirect inherits the kind of its source.
    pub(crate) kind: LinkKind,
    /// How it was found.
    pub(crate) source: Source,
    /// The URL whose visit mentioned it.
    pub(crate) parent: Option<Number>,
    /// How far from a seed it would be.
    pub(crate) depth: Depth,
    /// Steps outside the site, if it is outside.
    pub(crate) hops: u32,
    /// Consecutive redirects that led to it.
    pub(crate) redirects: u32,
    /// The seed its parent belongs to.
    pub(crate) base: u32,
    /// Whether the link or its page says nofollow.
    pub(crate) is_nofollow: bool,
}

impl Candidate {
    /// Seed number `base`.
    pub(crate) fn seed(url: &CanonicalUrl, base: u32) -> Self {
        Self {
            url: url.clone(),
            kind: LinkKind::Anchor,
            source: Source::Initial,
            parent: None,
            depth: Depth { steps: 0, from_seed: true },
            hops: 0,
            redirects: 0,
            base,
            is_nofollow: false,
        }
    }

    /// A crawler file: robots.txt or a sitemap, found by convention or by setting.
    pub(crate) fn guide(url: CanonicalUrl, kind: LinkKind, parent: Option<Number>, base: u32) -> Self {
        Self {
            kind,
            source: Source::Sitemap,
            parent,
            depth: Depth { steps: 0, from_seed: false },
            ..Self::seed(&url, base)
        }
    }

    /// The target of a link of a visited URL.
    pub(crate) fn of_link(link: &PackedLink<'_>, from: &UrlRow, page_is_nofollow: bool) -> Self {
        let is_redirect = link.kind == LinkKind::Redirect;
        let kind = if is_redirect { from.kind } else { link.kind };
        Self {
            url: link.target(),
            kind,
            source: source(link.kind),
            parent: Some(from.number),
            depth: depth(link.kind, from),
            hops: hops(link.kind, from),
            redirects: if is_redirect { from.redirects + 1 } else { 0 },
            base: from.base,
            is_nofollow: link.is_nofollow() || (page_is_nofollow && kind.role() == Role::Page && !is_redirect),
        }
    }
}

fn source(kind: LinkKind) -> Source {
    match kind {
        LinkKind::Redirect => Source::Redirect,
        LinkKind::Canonical => Source::Canonical,
        LinkKind::Hreflang => Source::Hreflang,
        LinkKind::Network => Source::Network,
        LinkKind::SitemapEntry | LinkKind::SitemapFile | LinkKind::RobotsFile => Source::Sitemap,
        _ if kind.role() == Role::Resource => Source::Resource,
        _ => Source::Spider,
    }
}

fn hops(kind: LinkKind, from: &UrlRow) -> u32 {
    match kind {
        _ if from.is_internal => 1,
        // The target of a redirect outside is as far away as the page itself.
        LinkKind::Redirect => from.hops,
        _ => from.hops + 1,
    }
}

fn depth(kind: LinkKind, from: &UrlRow) -> Depth {
    match kind {
        // Pages can be sitemaps too, and lead to more of their kind.
        LinkKind::SitemapEntry if from.task != Task::Sitemap => Depth { from_seed: false, ..from.depth.next() },
        LinkKind::SitemapEntry => Depth::LISTED,
        // Only an index deepens the nesting of sitemaps; robots.txt and pages just list them.
        LinkKind::SitemapFile if from.task != Task::Sitemap => Depth { steps: 0, from_seed: false },
        // The target of a seed's redirect counts as the seed.
        LinkKind::Redirect if from.stands_for_a_seed() || from.kind.role() == Role::Guide => from.depth,
        _ => from.depth.next(),
    }
}

/// The crawler files on the origin of a seed, or those set in the plan.
pub(crate) fn guides(plan: &CrawlPlan, seed: &CanonicalUrl, base: u32) -> Vec<Candidate> {
    if !plan.discover.mechanisms.uses_sitemaps() || plan.scope.single_page {
        return Vec::new();
    }
    let mut guides = Vec::new();
    if plan.discover.llms_txt {
        guides.extend(llms_files(seed).map(|url| Candidate::guide(url, LinkKind::SitemapFile, None, base)));
    }
    if plan.checks_llms_full {
        let url = seed.at_path(LLMS_FULL_FILE);
        guides.push(Candidate::guide(url, LinkKind::SitemapFile, None, base));
    }
    if plan.discover.sitemaps.is_empty() {
        guides.push(Candidate::guide(seed.at_path("/robots.txt"), LinkKind::RobotsFile, None, base));
    }
    let named = plan.discover.sitemaps.iter().map(|text| CanonicalUrl::parse(text).expect("the plan was checked"));
    guides.extend(named.map(|url| Candidate::guide(url, LinkKind::SitemapFile, None, base)));
    guides
}

const LLMS_FILE: &str = "/llms.txt";
const LLMS_FULL_FILE: &str = "/llms-full.txt";

/// Where a site may have an llms.txt: at its root, and next to the seed.
fn llms_files(seed: &CanonicalUrl) -> impl Iterator<Item = CanonicalUrl> {
    let folder = seed.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = (!folder.is_empty()).then(|| seed.at_path(&format!("{folder}{LLMS_FILE}")));
    [seed.at_path(LLMS_FILE)].into_iter().chain(beside)
}

/// Whether a guide is a Markdown list rather than a sitemap.
pub(crate) fn is_llms_file(url: &CanonicalUrl) -> bool {
    url.path().ends_with(LLMS_FILE)
}

/// Whether a guide has the texts of pages instead of a list of them. Nothing is read from it.
pub(crate) fn is_llms_full_file(url: &CanonicalUrl) -> bool {
    url.path().ends_with(LLMS_FULL_FILE)
}

/// Where to look next when a guide listed nothing: from robots.txt without sitemaps to /sitemap.xml, and from there
/// to /sitemap_index.xml.
pub(crate) fn next_guide(plan: &CrawlPlan, row: &UrlRow, names_anything: bool) -> Option<Candidate> {
    if names_anything || !plan.discover.sitemaps.is_empty() {
        return None;
    }
    let path = match (row.task, row.url.path()) {
        (Task::Robots, _) => "/sitemap.xml",
        (Task::Sitemap, "/sitemap.xml") => "/sitemap_index.xml",
        _ => return None,
    };
    Some(Candidate::guide(row.url.at_path(path), LinkKind::SitemapFile, Some(row.number), row.base))
}

/// The default action for a URL: analytics are skipped, framework data paths are recorded.
pub fn default_action(url: &CanonicalUrl) -> Action {
    const ANALYTICS_HOSTS: [&str; 10] = [
        "google-analytics.com",
        "googletagmanager.com",
        "doubleclick.net",
        "analytics.google.com",
        "static.hotjar.com",
        "script.hotjar.com",
        "connect.facebook.net",
        "plausible.io",
        "cdn.segment.com",
        "bat.bing.com",
    ];
    const ANALYTICS_PATHS: [&str; 5] = ["/gtag/js", "/gtm.js", "/analytics.js", "/ga.js", "/cdn-cgi/rum"];
    const DATA_PATHS: [&str; 6] =
        ["/_next/data/", "/_next/image", "/_nuxt/builds/", "/_payload.json", "/page-data/", "/__data.json"];
    let host = url.host();
    let is_analytics_host = ANALYTICS_HOSTS.iter().any(|known| is_or_is_below(host, known));
    let path = url.path();
    if is_analytics_host || ANALYTICS_PATHS.contains(&path) {
        return Action::Skip;
    }
    let is_data = DATA_PATHS.iter().any(|known| match known.strip_suffix(".json") {
        Some(_) => path.ends_with(known),
        None => path.starts_with(known),
    });
    if is_data { Action::Record } else { Action::Crawl }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytics_are_skipped_and_framework_data_is_recorded() {
        let check = |text: &str, expected| {
            assert_eq!(default_action(&CanonicalUrl::parse(text).unwrap()), expected, "{text}");
        };
        check("https://www.google-analytics.com/collect?v=1", Action::Skip);
        check("https://example.com/gtag/js?id=1", Action::Skip);
        check("https://example.com/_next/data/x/index.json", Action::Record);
        check("https://example.com/blog/_payload.json", Action::Record);
        check("https://example.com/analytics", Action::Crawl);
        check("https://notgoogle-analytics.com/", Action::Crawl);
    }
}
