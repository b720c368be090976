//! What a rendered page says beside what its response says, and the links of both as one list.

use std::collections::{HashMap, HashSet};

use super::{RenderOutcome, RenderReason, Rendered, SeenRequest};
use crate::link::{Link, LinkKind, LinkOrigin};
use crate::parse::facts::Page;
use crate::space::weight_of;
use crate::url::{Base, CanonicalUrl, UrlKey};

/// How a page was rendered.
#[derive(Clone, Debug)]
pub struct RenderFacts {
    /// Why.
    pub reason: RenderReason,
    /// How it ended.
    pub outcome: RenderOutcome,
    /// What went wrong, if it failed.
    pub detail: Option<String>,
    /// What the response says; `None` if the page's facts are those of the response, because there is no rendered
    /// document.
    pub raw: Option<RawFacts>,
    /// How many hyperlinks only the rendered document has.
    pub new_links: usize,
    /// Whether the rendered document exceeds the size limit.
    pub is_cut: bool,
    /// The page's requests by URL, the first [`RenderFacts::REQUESTS`] of them.
    pub requests: Vec<SeenRequest>,
    /// Errors on the console.
    pub errors: Vec<String>,
    /// Where the page tried to go.
    pub redirect: Option<String>,
    /// The URLs that the page gave itself.
    pub history: Vec<String>,
    /// The selectors to wait for that matched nothing.
    pub missing: Vec<String>,
}

/// What the response says about the page, where the rendered document may differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawFacts {
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The first h1.
    pub h1: Option<String>,
    /// The effective canonical URL.
    pub canonical: Option<String>,
    /// Whether `<meta name=robots>` has noindex.
    pub noindex: bool,
    /// Whether `<meta name=robots>` has nofollow.
    pub nofollow: bool,
    /// Words of the visible text.
    pub words: usize,
    /// How many links there are.
    pub links: usize,
    /// How many types of structured data there are.
    pub structured_data: usize,
}

impl RenderFacts {
    /// How many requests to keep.
    pub const REQUESTS: usize = 200;

    /// The part of a renderer's result that is stored as facts.
    pub(crate) fn new(reason: RenderReason, rendered: &Rendered, raw: Option<RawFacts>, links: &[Link]) -> Self {
        let is_new = |link: &&Link| link.origin == LinkOrigin::Rendered && link.kind == LinkKind::Anchor;
        Self {
            reason,
            outcome: rendered.outcome,
            detail: rendered.detail.clone(),
            raw,
            new_links: links.iter().filter(is_new).count(),
            is_cut: rendered.is_cut,
            requests: rendered.requests.iter().take(Self::REQUESTS).cloned().collect(),
            errors: rendered.errors.clone(),
            redirect: rendered.redirect.clone(),
            history: rendered.history.clone(),
            missing: rendered.missing.clone(),
        }
    }

    /// Its memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        let lists = [&self.errors, &self.history, &self.missing];
        size_of::<Self>()
            + lists.map(|texts| weight_of(texts, String::len)).iter().sum::<usize>()
            + weight_of(&self.requests, |request| request.url.len() + request.failure.as_ref().map_or(0, |f| f.len()))
    }
}

impl RawFacts {
    pub(crate) fn of(page: &Page, links: usize) -> Self {
        let h1 = page.headings.iter().find(|heading| heading.level == 1);
        Self {
            title: page.title.clone(),
            description: page.description.clone(),
            h1: h1.map(|heading| heading.text.clone()),
            canonical: page.canonical().map(|canonical| canonical.as_str().to_owned()),
            noindex: page.directives.noindex,
            nofollow: page.directives.nofollow,
            words: page.word_count,
            links,
            structured_data: page.json_ld_types.len() + page.microdata_types.len() + page.rdfa_types.len(),
        }
    }
}

/// Whether such a link says something about the page itself; what scripts removed does not hold any more.
fn is_metadata(kind: LinkKind) -> bool {
    use LinkKind::{Alternate, Amp, Canonical, Hreflang, Next, Prev, Refresh};
    matches!(kind, Canonical | Hreflang | Next | Prev | Amp | Alternate | Refresh)
}

/// The links of both documents: those that both have in the order of the rendered one, then those that only it has by
/// URL, then those that only the response has. Scripts add links in the order in which responses arrive, so that order
/// must not count. Also returns the new place of each link of the rendered document.
pub(crate) fn join(raw: Vec<Link>, mut rendered: Vec<Link>) -> (Vec<Link>, Vec<usize>) {
    let identity = |link: &Link| (link.target.key(), link.kind);
    let mut unmatched: HashMap<(UrlKey, LinkKind), bool> = raw.iter().map(|link| (identity(link), true)).collect();
    for link in &mut rendered {
        link.origin = match unmatched.get_mut(&identity(link)) {
            Some(is_unmatched) => {
                *is_unmatched = false;
                LinkOrigin::Both
            }
            None => LinkOrigin::Rendered,
        };
    }
    let mut order: Vec<usize> = (0..rendered.len()).collect();
    order.sort_by_key(|at| {
        let link = &rendered[*at];
        (link.origin == LinkOrigin::Rendered).then(|| (link.target.as_str(), link.kind.as_str()))
    });
    let mut places = vec![0; rendered.len()];
    order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
    let mut unsorted: Vec<Option<Link>> = rendered.into_iter().map(Some).collect();
    let mut joined: Vec<Link> =
        order.iter().map(|at| unsorted[*at].take().expect("each place is taken once")).collect();
    joined.extend(raw.into_iter().filter(|link| unmatched[&identity(link)] && !is_metadata(link.kind)));
    (joined, places)
}

/// The URLs that a page mentions only by what it does: requests by URL, the URLs it gave itself, and where it tried to
/// go. Those that a link leads to anyway are left out.
pub(crate) fn deeds(rendered: &Rendered, page: &CanonicalUrl, links: &[Link]) -> Vec<Link> {
    let mut known: HashSet<UrlKey> = links.iter().map(|link| link.target.key()).collect();
    known.insert(page.key());
    let base = Base::of(page);
    // Only these can be repeated by a crawler without changing anything.
    let is_safe = |request: &&SeenRequest| matches!(&*request.method, "GET" | "HEAD");
    let requests = rendered.requests.iter().filter(is_safe).map(|request| (request.url.as_str(), LinkKind::Network));
    let redirect = rendered.redirect.iter().map(|url| (url.as_str(), LinkKind::ClientRedirect));
    let history = rendered.history.iter().map(|url| (url.as_str(), LinkKind::History));
    let mut deeds = Vec::new();
    for (url, kind) in redirect.chain(history).chain(requests) {
        let Ok(target) = base.join(url) else { continue };
        if known.insert(target.key()) {
            deeds.push(Link { origin: LinkOrigin::Rendered, ..Link::bare(target, kind) });
        }
    }
    deeds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(paths: &[&str]) -> Vec<Link> {
        let url = |path: &&str| CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap();
        paths.iter().map(|path| Link::bare(url(path), LinkKind::Anchor)).collect()
    }

    #[test]
    fn links_of_both_documents_are_one_list() {
        let (joined, places) = join(links(&["/a", "/b"]), links(&["/d", "/b", "/c"]));
        let told: Vec<_> = joined.iter().map(|link| (link.target.path(), link.origin)).collect();
        let expected = [
            ("/b", LinkOrigin::Both),
            ("/c", LinkOrigin::Rendered),
            ("/d", LinkOrigin::Rendered),
            ("/a", LinkOrigin::Html),
        ];
        assert_eq!(told, expected);
        assert_eq!(places, [2, 0, 1]);
    }

    #[test]
    fn only_requests_without_a_link_and_without_side_effects_are_discoveries() {
        let request = |url: &str, method: &str| SeenRequest {
            url: url.into(),
            method: method.into(),
            kind: "fetch".into(),
            status: None,
            failure: None,
            is_blocked: false,
        };
        let rendered = Rendered {
            requests: vec![
                request("http://a.example/a", "GET"),
                request("http://a.example/api", "GET"),
                request("http://a.example/buy", "POST"),
                request("ws://a.example/socket", "GET"),
            ],
            history: vec!["http://a.example/".into(), "http://a.example/step#2".into()],
            ..Rendered::default()
        };
        let page = CanonicalUrl::parse("http://a.example/").unwrap();
        let found = deeds(&rendered, &page, &links(&["/a"]));
        let told: Vec<_> = found.iter().map(|link| (link.target.path(), link.kind)).collect();
        assert_eq!(told, [("/step", LinkKind::History), ("/api", LinkKind::Network)]);
    }
}
