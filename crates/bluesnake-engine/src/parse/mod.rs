//! From bytes to facts and links: accepts any bytes and always returns a result.
//!
//! `parse` picks a parser by task and media type: HTML in one pass ([`html`]), stylesheets ([`css`]), sitemaps
//! ([`sitemap`]), robots.txt. Nothing here decides what is fetched next.

pub mod charset;
pub mod css;
pub mod facts;
mod hash;
pub mod headers;
pub mod html;
pub(crate) mod links;
mod markdown;
pub mod selector;
pub mod sitemap;
pub(crate) mod text;

use bytes::Bytes;
use http::HeaderMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::admit::robots::Robots;
use crate::admit::{Task, UrlRow};
use crate::crawler::Hooks;
use crate::discover::is_llms_file;
use crate::document::{Document, Source, may_be_markdown};
use crate::fetch::{Cut, Failure, FailureKind, Fetched, Response};
use crate::frontier::HostRobots;
use crate::link::{Link, LinkKind};
use crate::links::Links;
use crate::plan::CrawlPlan;
use crate::url::{Base, CanonicalUrl};
use crate::visit::{Indexability, Outcome, ResponseFacts, Visit};

use self::facts::{Directives, Page};
use self::sitemap::{SitemapKind, SitemapLimits};

/// A parsed response.
#[derive(Debug)]
pub struct Parsed {
    pub(crate) outcome: Outcome,
    pub(crate) response: Option<ResponseFacts>,
    pub(crate) page: Option<Box<Page>>,
    pub(crate) directives: Directives,
    pub(crate) indexability: Indexability,
    pub(crate) links: Vec<Link>,
    pub(crate) links_cut: usize,
    pub(crate) raw_hash: Option<u64>,
    pub(crate) note: Option<Box<str>>,
    pub(crate) html: Option<Bytes>,
    pub(crate) document: Option<Box<Document>>,
}

impl Parsed {
    /// There is nothing to parse.
    pub(crate) fn failed(failure: Failure) -> Self {
        Self::unread(Outcome::Failed(failure), None)
    }

    fn unread(outcome: Outcome, response: Option<ResponseFacts>) -> Self {
        Self {
            outcome,
            response,
            page: None,
            directives: Directives::default(),
            indexability: Indexability::NotAPage,
            links: Vec::new(),
            links_cut: 0,
            raw_hash: None,
            note: None,
            html: None,
            document: None,
        }
    }
}

/// Parses what was fetched for a URL.
pub(crate) fn parse(row: &UrlRow, fetched: Fetched, plan: &CrawlPlan, hooks: &Hooks) -> Parsed {
    let response = match fetched.result {
        Ok(response) => response,
        Err(failure) => return Parsed::failed(failure),
    };
    let content_type = response.headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.map(str::to_owned);
    let body = response.body.bytes.clone();
    let mut parsed = Parsed::unread(Outcome::Responded, Some(responded(response, content_type.as_deref())));
    if is_redirect(&parsed) {
        read_redirect(row, &mut parsed);
        return parsed;
    }
    if is_success(&parsed) && is_unreadable(&parsed, &body) && !matches!(row.task, Task::Resource | Task::Check) {
        let coding = header_map(&parsed).get(http::header::CONTENT_ENCODING).map(headers::text).unwrap_or_default();
        let why = format!("Content-Encoding: {}", text::cut(&coding, 100));
        parsed.outcome = Outcome::Failed(Failure::new(FailureKind::NotParsed, why));
        return parsed;
    }
    match row.task {
        Task::Page if is_sitemap(&parsed, &body, plan) => {
            read_sitemap(row, &body, content_type.as_deref(), plan, &mut parsed);
        }
        Task::Page => read_page(row, &body, content_type.as_deref(), plan, hooks, &mut parsed),
        Task::Stylesheet => read_stylesheet(row, &body, content_type.as_deref(), plan, &mut parsed),
        Task::Sitemap => read_sitemap(row, &body, content_type.as_deref(), plan, &mut parsed),
        Task::Robots => read_robots(row, &body, plan, &mut parsed),
        Task::Resource | Task::Check => {}
    }
    parsed
}

fn responded(response: Response, content_type: Option<&str>) -> ResponseFacts {
    ResponseFacts {
        status: response.status,
        version: response.version,
        content_type: content_type.map(|value| headers::content_type(value).essence.into()).unwrap_or_default(),
        wire_bytes: response.body.wire_bytes,
        body_bytes: response.body.decoded_bytes,
        cut: response.body.cut,
        kept: response.kept,
        certificate_problem: response.certificate_problem,
        headers: response.headers,
    }
}

fn is_redirect(parsed: &Parsed) -> bool {
    parsed.response.as_ref().is_some_and(|response| matches!(response.status, 301 | 302 | 303 | 307 | 308))
}

fn is_success(parsed: &Parsed) -> bool {
    parsed.response.as_ref().is_some_and(|response| (200..300).contains(&response.status))
}

/// Whether the body cannot be decoded.
fn is_unreadable(parsed: &Parsed, body: &[u8]) -> bool {
    body.is_empty() && parsed.response.as_ref().is_some_and(|response| response.cut == Some(Cut::Encoding))
}

fn header_map(parsed: &Parsed) -> &HeaderMap {
    &parsed.response.as_ref().expect("only answers are read").headers
}

/// The target of a Location header, if we can crawl it.
pub(crate) fn location(base: &Base, headers: &HeaderMap) -> Option<CanonicalUrl> {
    let value = headers.get(http::header::LOCATION)?;
    base.join(&String::from_utf8_lossy(value.as_bytes())).ok()
}

fn read_redirect(row: &UrlRow, parsed: &mut Parsed) {
    let to = location(&Base::of(&row.url), header_map(parsed));
    if to.is_none() {
        let location = header_map(parsed).get(http::header::LOCATION);
        let note = location.map_or("the redirect names no target".to_owned(), |value| {
            format!("the redirect leads to no web address: {}", String::from_utf8_lossy(value.as_bytes()))
        });
        parsed.note = Some(note.chars().take(300).collect::<String>().into());
    }
    parsed.links.extend(to.clone().map(|to| Link::bare(to, LinkKind::Redirect)));
    parsed.outcome = Outcome::Redirected { to };
    if row.task == Task::Page {
        parsed.indexability = Indexability::No("redirected");
    }
}

fn read_page(
    row: &UrlRow,
    body: &Bytes,
    content_type: Option<&str>,
    plan: &CrawlPlan,
    hooks: &Hooks,
    parsed: &mut Parsed,
) {
    let base = Base::of(&row.url);
    let status = parsed.response.as_ref().map_or(0, |response| response.status);
    let code = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::OK);
    let mut links = headers::links(code, header_map(parsed), &base);
    let essence = parsed.response.as_ref().map_or("", |response| &response.content_type).to_owned();
    let is_page = headers::is_html(&essence) || (essence.is_empty() && looks_like_html(body));
    // The body of a 300 lists the choices.
    let is_read = is_success(parsed) || status == 300 || plan.fetch.error_pages;
    if is_page && is_read && !is_unreadable(parsed, body) {
        let decoded = charset::decode(body, content_type, plan.fetch.detect_charset);
        let limit = plan.limits.links_per_page;
        let document = html::Document {
            url: &row.url,
            html: &decoded.text,
            encoding: decoded.encoding,
            settings: &plan.parse,
            links_limit: if limit == 0 { 0 } else { limit.saturating_sub(links.len()).max(1) },
            hooks: &hooks.elements,
        };
        let mut reading = html::read(document);
        reading.page.text.take_if(|_| !plan.keep.text);
        links.append(&mut reading.links);
        parsed.links_cut = reading.links_cut;
        parsed.raw_hash = Some(xxh3_64(body));
        parsed.html = plan.keep.html.then(|| body.clone());
        let source = Source { url: &row.url, content_type: &essence, text: &decoded.text };
        parsed.document = hooks.reader.as_ref().and_then(|read| read(&source)).map(Box::new);
        if let Some(document) = &parsed.document {
            reading.page.content_hash = Some(document.hash.to_string());
        }
        parsed.page = Some(Box::new(reading.page));
    } else if is_success(parsed) && may_be_markdown(&row.url, &essence) {
        links.append(&mut read_markdown(row, body, content_type, plan, hooks, parsed));
    }
    parsed.links = links;
    if let Some(mut page) = parsed.page.take() {
        read_header_facts(&base, header_map(parsed), &mut page);
        parsed.page = Some(page);
    }
    if is_page || parsed.page.is_some() {
        read_directives(row, status, plan, parsed);
    }
}

/// Facts from header fields, which take precedence over the page's own.
fn read_header_facts(base: &Base, fields: &HeaderMap, page: &mut Page) {
    let canonicals = headers::canonicals(fields, base);
    page.canonicals.splice(0..0, canonicals);
    page.canonicals.truncate(Page::RELATIVES);
    page.refresh = headers::refresh_of(fields, base).or(page.refresh.take());
}

/// A page served as Markdown, for a reader that supports it, and its links.
fn read_markdown(
    row: &UrlRow,
    body: &Bytes,
    content_type: Option<&str>,
    plan: &CrawlPlan,
    hooks: &Hooks,
    parsed: &mut Parsed,
) -> Vec<Link> {
    let Some(read) = &hooks.reader else { return Vec::new() };
    let decoded = charset::decode(body, content_type, plan.fetch.detect_charset);
    let essence = parsed.response.as_ref().map_or("", |response| &response.content_type);
    let source = Source { url: &row.url, content_type: essence, text: &decoded.text };
    let Some(document) = read(&source) else { return Vec::new() };
    parsed.page = Some(Box::new(Page {
        title: document.title.clone(),
        description: document.description.clone(),
        lang: document.language.clone(),
        content_hash: Some(document.hash.to_string()),
        word_count: document.words,
        ..Page::default()
    }));
    parsed.raw_hash = Some(xxh3_64(body));
    parsed.html = plan.keep.html.then(|| body.clone());
    parsed.document = Some(Box::new(document));
    let (base, limit) = (Base::of(&row.url), plan.limits.links_per_page);
    let targets = markdown_links(&decoded.text, &base, limit);
    targets.map(|target| Link::bare(target, LinkKind::Anchor)).collect()
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

/// Whether a page turned out to be a sitemap; pages link to sitemaps too.
fn is_sitemap(parsed: &Parsed, body: &[u8], plan: &CrawlPlan) -> bool {
    let essence = parsed.response.as_ref().map_or("", |response| &response.content_type);
    let start = &body[..body.len().min(1024)];
    let names = |root: &[u8]| memchr::memmem::find(start, root).is_some();
    plan.discover.mechanisms.uses_sitemaps()
        && !headers::is_html(essence)
        && (names(b"<urlset") || names(b"<sitemapindex"))
}

/// A body without a media type is a page if it begins like one.
fn looks_like_html(body: &[u8]) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xEF\xBB\xBF".contains(byte)) == Some(&b'<')
}

/// The directives of the page and its header, and what they mean for search engines.
fn read_directives(row: &UrlRow, status: u16, plan: &CrawlPlan, parsed: &mut Parsed) {
    let token = &plan.politeness.robots_token;
    let in_page = parsed.page.as_ref().map(|page| page.directives_for(token)).unwrap_or_default();
    let mut in_header = Directives::default();
    for tag in headers::robots_tags(header_map(parsed)) {
        if tag.bot.as_deref().is_none_or(|bot| bot.eq_ignore_ascii_case(token)) {
            in_header.read(&tag.directives);
        }
    }
    let is_noindex = (in_page.noindex && plan.scope.respect_meta_noindex)
        || (in_header.noindex && plan.scope.respect_header_noindex);
    let canonical = parsed.page.as_ref().and_then(|page| page.canonical());
    let refresh = parsed.page.as_ref().and_then(|page| page.refresh.as_ref());
    parsed.indexability = match status {
        300..=399 => Indexability::No("redirected"),
        400..=499 => Indexability::No("client_error"),
        500..=599 => Indexability::No("server_error"),
        _ if is_noindex => Indexability::No("noindex"),
        _ if refresh.is_some_and(|refresh| refresh.leads_away_from(&row.url)) => Indexability::No("refreshed"),
        _ if canonical.is_some_and(|canonical| *canonical != row.url) => Indexability::No("canonicalised"),
        _ => Indexability::Yes,
    };
    parsed.directives = in_page;
    parsed.directives.merge(&in_header);
}

fn read_stylesheet(row: &UrlRow, body: &[u8], content_type: Option<&str>, plan: &CrawlPlan, parsed: &mut Parsed) {
    // Servers often answer requests for missing stylesheets with a page; parsing that for `url(` would only invent
    // links.
    let is_css = parsed.response.as_ref().is_some_and(|response| !headers::is_html(&response.content_type));
    if is_success(parsed) && is_css {
        let decoded = charset::decode(body, content_type, false);
        (parsed.links, parsed.links_cut) = css::read(&row.url, &decoded.text, plan.limits.links_per_page);
    }
}

fn read_sitemap(row: &UrlRow, body: &[u8], content_type: Option<&str>, plan: &CrawlPlan, parsed: &mut Parsed) {
    if !is_success(parsed) {
        return;
    }
    if is_llms_file(&row.url) {
        read_llms_file(row, body, content_type, plan, parsed);
        return;
    }
    let or_all = |limit: usize| if limit == 0 { usize::MAX } else { limit };
    let limits = SitemapLimits {
        urls: or_all(plan.discover.sitemap_urls),
        decoded_bytes: or_all(plan.discover.sitemap_body_limit),
    };
    let sitemap = sitemap::read(&row.url, content_type, body, limits);
    let kind = if sitemap.kind == SitemapKind::Index { LinkKind::SitemapFile } else { LinkKind::SitemapEntry };
    for entry in sitemap.entries {
        parsed.links.push(Link::bare(entry.url, kind));
        for (language, url) in entry.alternates {
            let link = Link::bare(url, LinkKind::Hreflang);
            parsed.links.push(Link { text: language.into(), ..link });
        }
        parsed.links.extend(entry.images.into_iter().map(|url| Link::bare(url, LinkKind::Image)));
    }
    let cut = sitemap.cut.map(|cut| cut.to_string());
    parsed.note = sitemap.problem.or(cut).map(Into::into);
}

/// The links of an llms.txt; an HTML page in its place yields nothing.
fn read_llms_file(row: &UrlRow, body: &[u8], content_type: Option<&str>, plan: &CrawlPlan, parsed: &mut Parsed) {
    if parsed.response.as_ref().is_some_and(|response| headers::is_html(&response.content_type))
        || looks_like_html(body)
    {
        parsed.note = Some("it is a page, not a list".into());
        return;
    }
    let decoded = charset::decode(body, content_type, false);
    let base = Base::of(&row.url);
    let entries = markdown_links(&decoded.text, &base, plan.discover.sitemap_urls);
    parsed.links = entries.map(|url| Link::bare(url, LinkKind::SitemapEntry)).collect();
}

fn read_robots(row: &UrlRow, body: &[u8], plan: &CrawlPlan, parsed: &mut Parsed) {
    if is_success(parsed) {
        parsed.links = sitemap_links(row, &Robots::parse(body, &plan.politeness.robots_token));
    }
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
