//! From bytes to facts and links: accepts any bytes and always returns a result.
//!
//! `parse` picks a parser by task and media type: HTML in one pass ([`html`]), stylesheets ([`css`]), sitemaps
//! ([`sitemap`]), robots.txt. Nothing here decides what is fetched next.

pub mod charset;
pub mod css;
pub mod extract;
pub mod facts;
mod filler;
pub mod fragments;
mod hash;
pub mod headers;
pub mod html;
pub(crate) mod links;
mod llms;
mod main_text;
mod markdown;
mod script;
pub mod selector;
pub mod signature;
pub mod sitemap;
pub(crate) mod sniff;
pub(crate) mod text;

use bytes::Bytes;
use http::HeaderMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::admit::robots::Robots;
use crate::admit::{Task, UrlRow};
use crate::crawler::Hooks;
use crate::discover::{is_llms_file, is_llms_full_file};
use crate::document::{Source, may_be_markdown};
use crate::fetch::{Cut, Failure, FailureKind, Fetched, Response};
use crate::frontier::HostRobots;
use crate::link::{Link, LinkKind};
use crate::links::Links;
use crate::plan::{CrawlPlan, RenderWhen};
use crate::render::{self, RawFacts, RenderFacts, RenderReason, Rendered};
use crate::url::{Base, CanonicalUrl};
use crate::visit::{Indexability, Outcome, ResponseFacts, Visit};

use self::charset::CharsetSource;
use self::facts::{Directives, Page};
use self::sitemap::{SitemapKind, SitemapLimits};

/// The visit of a URL, from what was fetched for it.
pub(crate) fn parse(
    row: UrlRow,
    fetched: Fetched,
    rendered: Option<(RenderReason, Rendered)>,
    plan: &CrawlPlan,
    hooks: &Hooks,
) -> Visit {
    let response = match fetched.result {
        Ok(response) => response,
        Err(failure) => return Visit::failed(row, failure),
    };
    let content_type = response.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.map(str::to_owned);
    let body = response.body.bytes.clone();
    let mut visit = Visit::without_response(row, Outcome::Responded);
    visit.response = Some(responded(response, content_type.as_deref()));
    let rendered = rendered.as_ref();
    let parser = Parser { body: &body, content_type: content_type.as_deref(), rendered, plan, hooks };
    visit.links = Links::of(&parser.read(&mut visit));
    visit.take_fingerprints();
    visit
}

fn responded(response: Response, content_type: Option<&str>) -> ResponseFacts {
    let essence = content_type.map(|value| headers::content_type(value).essence).unwrap_or_default();
    let is_read = (200..300).contains(&response.status) && response.body.cut != Some(Cut::Encoding);
    ResponseFacts {
        status: response.status,
        version: response.version,
        sniffed: sniff::contradiction(response.body.start(), &essence).filter(|_| is_read),
        content_type: essence.into(),
        wire_bytes: response.body.wire_bytes,
        body_bytes: response.body.decoded_bytes,
        cut: response.body.cut,
        kept: response.kept,
        certificate_problem: response.certificate_problem,
        headers: response.headers,
    }
}

fn is_success(visit: &Visit) -> bool {
    visit.status().is_some_and(|status| (200..300).contains(&status))
}

/// The text of a response that is read as an HTML page; `None` if it is not one.
pub(crate) fn decoded_page(response: &Response, plan: &CrawlPlan) -> Option<String> {
    let content_type = response.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.map(|value| headers::content_type(value).essence).unwrap_or_default();
    let body = &response.body;
    let is_page = headers::is_html(&essence) || (essence.is_empty() && looks_like_html(&body.bytes));
    let is_whole = (200..300).contains(&response.status) && body.cut != Some(Cut::Encoding) && !body.bytes.is_empty();
    (is_page && is_whole)
        .then(|| charset::decode(&body.bytes, content_type, plan.fetch.detect_charset).text.into_owned())
}

fn header_map(visit: &Visit) -> &HeaderMap {
    &visit.response.as_ref().expect("only responses are read").headers
}

/// The target of a Location header, if we can crawl it.
pub(crate) fn location(base: &Base, headers: &HeaderMap) -> Option<CanonicalUrl> {
    let value = headers.get(http::header::LOCATION)?;
    base.join(&String::from_utf8_lossy(value.as_bytes())).ok()
}

fn read_redirect(visit: &mut Visit) -> Vec<Link> {
    let to = location(&Base::of(visit.url()), header_map(visit));
    if to.is_none() {
        let location = header_map(visit).get(http::header::LOCATION);
        let note = location.map_or("the redirect names no target".to_owned(), |value| {
            format!("the redirect leads to no web address: {}", String::from_utf8_lossy(value.as_bytes()))
        });
        visit.note = Some(note.chars().take(300).collect::<String>().into());
    }
    if visit.row.task == Task::Page {
        visit.indexability = Indexability::No("redirected");
    }
    visit.outcome = Outcome::Redirected { to: to.clone() };
    to.into_iter().map(|to| Link::bare(to, LinkKind::Redirect)).collect()
}

/// What a response is parsed from, and how. Each method fills in a visit and returns its links.
struct Parser<'a> {
    body: &'a Bytes,
    content_type: Option<&'a str>,
    rendered: Option<&'a (RenderReason, Rendered)>,
    plan: &'a CrawlPlan,
    hooks: &'a Hooks,
}

impl Parser<'_> {
    fn read(&self, visit: &mut Visit) -> Vec<Link> {
        if matches!(visit.status(), Some(301 | 302 | 303 | 307 | 308)) {
            return read_redirect(visit);
        }
        if is_success(visit) && self.is_unreadable(visit) && !visit.row.task.is_leaf() {
            let coding = header_map(visit).get(http::header::CONTENT_ENCODING).map(headers::text).unwrap_or_default();
            let why = format!("Content-Encoding: {}", text::cut(&coding, 100));
            visit.outcome = Outcome::Failed(Failure::new(FailureKind::NotParsed, why));
            return Vec::new();
        }
        match visit.row.task {
            Task::Page if self.is_sitemap(visit) => self.read_sitemap(visit),
            Task::Page => self.read_page(visit),
            Task::Stylesheet => self.read_stylesheet(visit),
            Task::Sitemap => self.read_sitemap(visit),
            Task::Robots => self.read_robots(visit),
            Task::Resource | Task::Check => Vec::new(),
        }
    }

    /// Whether the body cannot be decoded.
    fn is_unreadable(&self, visit: &Visit) -> bool {
        self.body.is_empty() && visit.response.as_ref().is_some_and(|response| response.cut == Some(Cut::Encoding))
    }

    fn read_page(&self, visit: &mut Visit) -> Vec<Link> {
        let base = Base::of(visit.url());
        let status = visit.status().unwrap_or(0);
        let code = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::OK);
        let mut links = headers::links(code, header_map(visit), &base);
        let essence = visit.content_type().to_owned();
        let is_page = headers::is_html(&essence) || (essence.is_empty() && looks_like_html(self.body));
        // The body of a 300 lists the choices.
        let is_read = is_success(visit) || status == 300 || self.plan.fetch.error_pages;
        if is_page && is_read && !self.is_unreadable(visit) {
            self.read_html(&essence, visit, &mut links);
        } else if is_success(visit) && may_be_markdown(visit.url(), &essence) {
            links.append(&mut self.read_markdown(&essence, visit));
        }
        if let Some(mut page) = visit.page.take() {
            read_header_facts(&base, header_map(visit), &mut page);
            visit.page = Some(page);
        }
        if is_page || visit.page.is_some() {
            self.read_directives(status, visit);
        }
        links
    }

    /// Adds the links of an HTML page to those of its header.
    fn read_html(&self, essence: &str, visit: &mut Visit, links: &mut Vec<Link>) {
        let decoded = charset::decode(self.body, self.content_type, self.plan.fetch.detect_charset);
        let shown = self.rendered.and_then(|(_, rendered)| rendered.html.as_deref());
        let text = shown.unwrap_or(&decoded.text);
        let limit = self.plan.limits.links_per_page;
        let document = html::Document {
            url: &visit.row.url,
            html: text,
            encoding: decoded.encoding,
            settings: &self.plan.parse,
            links_limit: if limit == 0 { 0 } else { limit.saturating_sub(links.len()).max(1) },
            hooks: &self.hooks.elements,
            columns: self.hooks.extraction.as_ref().map_or(&[], |extraction| &extraction.columns),
        };
        let raw = shown.map(|_| html::Document { html: &decoded.text, hooks: &[], columns: &[], ..document });
        let mut reading = html::read(document);
        visit.is_shell = self.plan.render.when == RenderWhen::Off
            && reading.page.word_count < render::FEW_WORDS
            && render::shell(text).is_some();
        reading.page.text.take_if(|_| !self.plan.keep.text);
        self.note_charset(decoded.source, &mut reading.page);
        let extraction = self.hooks.extraction.as_ref();
        visit.extracted = extraction.map(|extraction| extraction.read(text, reading.columns).into());
        visit.links_cut = reading.links_cut;
        if let Some((reason, rendered)) = self.rendered {
            let raw = raw.map(html::read).map(|raw| {
                let facts = RawFacts::of(&raw.page, raw.links.len());
                let (joined, places) = render::join(raw.links, std::mem::take(&mut reading.links));
                reading.links = joined;
                reading.page.fragments.iter_mut().for_each(|(link, _)| *link = places[*link]);
                facts
            });
            reading.links.append(&mut render::deeds(rendered, &visit.row.url, &reading.links));
            reading.page.render = Some(Box::new(RenderFacts::new(*reason, rendered, raw, &reading.links)));
            visit.rendered = shown.filter(|_| self.plan.keep.html).map(|html| Bytes::copy_from_slice(html.as_bytes()));
            visit.screenshot = rendered.screenshot.clone();
        }
        // The links of the header come first in the list.
        reading.page.fragments.iter_mut().for_each(|(link, _)| *link += links.len());
        links.append(&mut reading.links);
        let source = Source { url: &visit.row.url, content_type: essence, text };
        visit.document = self.hooks.reader.as_ref().and_then(|read| read(&source)).map(Box::new);
        if let Some(document) = &visit.document {
            reading.page.content_hash = Some(document.hash.to_string());
        }
        self.keep_page(reading.page, visit);
        // Applications send the same document for all of their pages.
        if let Some(html) = shown {
            visit.raw_hash = Some(xxh3_64(html.as_bytes()));
        }
    }

    fn note_charset(&self, source: CharsetSource, page: &mut Page) {
        page.header_charset = self.content_type.and_then(|value| headers::content_type(value).charset);
        page.has_bom = source == CharsetSource::Bom;
    }

    fn keep_page(&self, page: Page, visit: &mut Visit) {
        visit.page = Some(Box::new(page));
        visit.raw_hash = Some(xxh3_64(self.body));
        visit.html = self.plan.keep.html.then(|| self.body.clone());
    }

    /// A page served as Markdown, for a reader that supports it.
    fn read_markdown(&self, essence: &str, visit: &mut Visit) -> Vec<Link> {
        let Some(read) = &self.hooks.reader else { return Vec::new() };
        let decoded = charset::decode(self.body, self.content_type, self.plan.fetch.detect_charset);
        let source = Source { url: &visit.row.url, content_type: essence, text: &decoded.text };
        let Some(document) = read(&source) else { return Vec::new() };
        let page = Page {
            title: document.title.clone(),
            description: document.description.clone(),
            lang: document.language.clone(),
            content_hash: Some(document.hash.to_string()),
            word_count: document.words,
            main_words: document.words,
            ..Page::default()
        };
        self.keep_page(page, visit);
        visit.document = Some(Box::new(document));
        let (base, limit) = (Base::of(visit.url()), self.plan.limits.links_per_page);
        let targets = markdown_links(&decoded.text, &base, limit);
        targets.map(|target| Link::bare(target, LinkKind::Anchor)).collect()
    }

    /// Whether a page turned out to be a sitemap; pages link to sitemaps too.
    fn is_sitemap(&self, visit: &Visit) -> bool {
        let start = &self.body[..self.body.len().min(1024)];
        let names = |root: &[u8]| memchr::memmem::find(start, root).is_some();
        self.plan.discover.mechanisms.uses_sitemaps()
            && !headers::is_html(visit.content_type())
            && (names(b"<urlset") || names(b"<sitemapindex"))
    }

    /// The directives of the page and its header, and what they mean for search engines.
    fn read_directives(&self, status: u16, visit: &mut Visit) {
        let token = &self.plan.politeness.robots_token;
        let in_page = visit.page.as_ref().map(|page| page.directives_for(token)).unwrap_or_default();
        let mut in_header = Directives::default();
        for tag in headers::robots_tags(header_map(visit)) {
            if tag.bot.as_deref().is_none_or(|bot| bot.eq_ignore_ascii_case(token)) {
                in_header.read(&tag.directives);
            }
        }
        let is_noindex = (in_page.noindex && self.plan.scope.respect_meta_noindex)
            || (in_header.noindex && self.plan.scope.respect_header_noindex);
        let canonical = visit.page.as_ref().and_then(|page| page.canonical());
        let refresh = visit.page.as_ref().and_then(|page| page.refresh.as_ref());
        visit.indexability = match status {
            300..=399 => Indexability::No("redirected"),
            400..=499 => Indexability::No("client_error"),
            500..=599 => Indexability::No("server_error"),
            _ if is_noindex => Indexability::No("noindex"),
            _ if refresh.is_some_and(|refresh| refresh.leads_away_from(visit.url())) => Indexability::No("refreshed"),
            _ if canonical.is_some_and(|canonical| canonical != visit.url()) => Indexability::No("canonicalised"),
            _ => Indexability::Yes,
        };
        visit.directives = in_page;
        visit.directives.merge(&in_header);
    }

    fn read_stylesheet(&self, visit: &mut Visit) -> Vec<Link> {
        // Servers often answer requests for missing stylesheets with a page; parsing that for `url(` would only
        // invent links.
        if !is_success(visit) || headers::is_html(visit.content_type()) {
            return Vec::new();
        }
        let decoded = charset::decode(self.body, self.content_type, false);
        let (links, cut) = css::read(visit.url(), &decoded.text, self.plan.limits.links_per_page);
        visit.links_cut = cut;
        links
    }

    fn read_sitemap(&self, visit: &mut Visit) -> Vec<Link> {
        if !is_success(visit) {
            return Vec::new();
        }
        let is_full = is_llms_full_file(visit.url());
        if is_full || is_llms_file(visit.url()) {
            return self.read_llms_file(visit, is_full);
        }
        let or_all = |limit: usize| if limit == 0 { usize::MAX } else { limit };
        let limits = SitemapLimits {
            urls: or_all(self.plan.discover.sitemap_urls),
            decoded_bytes: or_all(self.plan.discover.sitemap_body_limit),
        };
        let sitemap = sitemap::read(visit.url(), self.content_type, self.body, limits);
        let kind = if sitemap.kind == SitemapKind::Index { LinkKind::SitemapFile } else { LinkKind::SitemapEntry };
        let mut links = Vec::new();
        for entry in sitemap.entries {
            links.push(Link::bare(entry.url, kind));
            for (language, url) in entry.alternates {
                let link = Link::bare(url, LinkKind::Hreflang);
                links.push(Link { text: language.into(), ..link });
            }
            links.extend(entry.images.into_iter().map(|url| Link::bare(url, LinkKind::Image)));
        }
        let cut = sitemap.cut.map(|cut| cut.to_string());
        visit.note = sitemap.problem.or(cut).map(Into::into);
        links
    }

    /// The links of an llms.txt. An HTML page in its place yields nothing: many sites have one for every path. Neither
    /// does llms-full.txt, which has the texts themselves.
    fn read_llms_file(&self, visit: &mut Visit, is_full: bool) -> Vec<Link> {
        let is_page = headers::is_html(visit.content_type()) || looks_like_html(self.body);
        if is_page {
            visit.note = Some("it is a page, not a text file".into());
        }
        if is_page || is_full {
            return Vec::new();
        }
        let decoded = charset::decode(self.body, self.content_type, false);
        let base = Base::of(visit.url());
        visit.extracted = Some(llms::read(&decoded.text, &base).to_json().into());
        let entries = markdown_links(&decoded.text, &base, self.plan.discover.sitemap_urls);
        entries.map(|url| Link::bare(url, LinkKind::SitemapEntry)).collect()
    }

    fn read_robots(&self, visit: &Visit) -> Vec<Link> {
        match is_success(visit) {
            true => sitemap_links(&visit.row, &Robots::parse(self.body, &self.plan.politeness.robots_token)),
            false => Vec::new(),
        }
    }
}

/// Facts from header fields, which take precedence over the page's own.
fn read_header_facts(base: &Base, fields: &HeaderMap, page: &mut Page) {
    let canonicals = headers::canonicals(fields, base);
    page.canonicals.splice(0..0, canonicals);
    page.canonicals.truncate(Page::RELATIVES);
    page.refresh = headers::refresh_of(fields, base).or(page.refresh.take());
}

/// The links of a Markdown text, within the limits for HTML.
fn markdown_links<'a>(text: &'a str, base: &'a Base, limit: usize) -> impl Iterator<Item = CanonicalUrl> + 'a {
    let mut bytes_left = links::target_bytes(text.len());
    let targets = markdown::links(text, base).take(if limit == 0 { usize::MAX } else { limit });
    targets.map_while(move |target| {
        bytes_left = bytes_left.checked_sub(target.as_str().len())?;
        Some(target)
    })
}

/// A body without a media type is a page if it begins like one.
fn looks_like_html(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(byte)) == Some(&b'<')
}

fn sitemap_links(row: &UrlRow, robots: &Robots) -> Vec<Link> {
    let base = Base::of(&row.url);
    let named = robots.sitemaps().iter().filter_map(|text| base.join(text).ok());
    named.map(|url| Link::bare(url, LinkKind::SitemapFile)).collect()
}

/// The visit of robots.txt for its sitemaps, if it was already fetched for its rules.
pub(crate) fn robots_visit(row: UrlRow, robots: &HostRobots) -> Visit {
    let links = Links::of(&sitemap_links(&row, &robots.rules));
    let response = robots.status.map(ResponseFacts::with_status);
    Visit { links, response, ..Visit::without_response(row, Outcome::Responded) }
}

/// Whether the response to a HEAD request indicates a page.
pub(crate) fn is_worth_a_get(head: &Fetched) -> bool {
    let Ok(response) = &head.result else { return false };
    let content_type = response.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_page = content_type.is_none_or(|value| headers::is_html(&headers::content_type(value).essence));
    // A server that does not support HEAD has said nothing about the page.
    is_page || matches!(response.status, 400..=599)
}
