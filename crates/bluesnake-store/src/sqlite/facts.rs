//! A page's facts without columns of their own, as JSON without defaults; and the headers to keep.

use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::parse::facts::{Directives, Heading, Page};
use bluesnake_engine::render::RenderFacts;
use serde::Serialize;
use serde_json::value::RawValue;

/// Header fields that differ in every response, or have their own columns.
const NOT_KEPT: &[&str] = &[
    "age",
    "connection",
    "content-length",
    "content-type",
    "date",
    "etag",
    "keep-alive",
    "location",
    "server-timing",
    "transfer-encoding",
];

/// The header fields worth keeping: names and values, each followed by a zero byte, which none of them contains.
pub(super) fn kept_headers(fields: &http::HeaderMap) -> Vec<u8> {
    let mut kept = Vec::with_capacity(256);
    for (name, value) in fields.iter().filter(|(name, _)| !NOT_KEPT.contains(&name.as_str())) {
        for part in [name.as_str().as_bytes(), value.as_bytes()] {
            kept.extend_from_slice(part);
            kept.push(0);
        }
    }
    kept
}

/// The result of [`kept_headers`] as JSON, ordered by name.
pub(super) fn headers(kept: &[u8]) -> String {
    let mut parts = kept.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut kept = Vec::new();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        let value = shown(&name, &value);
        kept.push((name, value));
    }
    kept.sort();
    serde_json::to_string(&kept).expect("texts are JSON")
}

/// The value of a cookie is secret; its name and attributes are findings.
fn shown(name: &str, value: &str) -> String {
    if name != "set-cookie" {
        return value.to_owned();
    }
    let (cookie, attributes) = value.split_once(';').unwrap_or((value, ""));
    let name = cookie.split_once('=').map_or("", |(name, _)| name);
    if attributes.is_empty() { format!("{name}=…") } else { format!("{name}=…;{attributes}") }
}

/// Adds fields of a value under their own names.
macro_rules! put {
    ($facts:ident, $value:ident: $( $field:ident ),*) => { $( $facts.put(stringify!($field), &$value.$field); )* };
}

/// A page's facts, omitting what is absent, empty, zero, or one where nearly every page has one.
pub(super) fn facts(page: &Page) -> String {
    let urls = |urls: &[CanonicalUrl]| urls.iter().map(|url| url.as_str().to_owned()).collect::<Vec<_>>();
    let mut facts = Facts::new();
    facts.put_unless(b"1", "titles", page.titles);
    put!(facts, page: titles_outside_head);
    facts.put_unless(b"1", "descriptions", page.descriptions);
    put!(facts, page: descriptions_outside_head, keywords, keywords_count, author, generator);
    facts.put("headings", page.headings.iter().map(Headline::of).collect::<Vec<_>>());
    facts.put_unless(b"1", "h1_count", page.h1_count);
    put!(facts, page: h2_count);
    let honoured = page.canonical();
    let canonicals = page.canonicals.iter().map(|canonical| {
        let mut one = Facts::new();
        one.put_unless(b"\"\"", "raw", canonical.raw.as_str());
        // The effective one has its own column.
        one.put("url", canonical.url.as_ref().filter(|url| Some(*url) != honoured).map(CanonicalUrl::as_str));
        one.put("path_type", canonical.path_type.as_str());
        one.put("outside_head", !canonical.is_in_head);
        put!(one, canonical: has_fragment, has_invalid_attribute);
        RawValue::from_string(one.finish()).expect("what we wrote is JSON")
    });
    facts.put("canonicals", canonicals.collect::<Vec<_>>());
    facts.put("directives", directives(&page.directives));
    let bots = page.bot_directives.iter().map(|(bot, words)| (bot, directives(words)));
    facts.put("bot_directives", bots.collect::<Vec<_>>());
    put!(facts, page: directives_outside_head);
    let hreflangs = page.hreflangs.iter().map(|(code, url)| (code, url.as_str()));
    facts.put("hreflangs", hreflangs.collect::<Vec<_>>());
    put!(facts, page: hreflangs_outside_head);
    facts.put("next", urls(&page.next));
    facts.put("prev", urls(&page.prev));
    put!(facts, page: dir, viewport, charset, header_charset, has_bom);
    let refresh = page.refresh.as_ref().map(|refresh| (refresh.seconds, refresh.url.as_ref().map(|url| url.as_str())));
    facts.put("refresh", refresh);
    put!(facts, page: script_redirect, open_graph, twitter, json_ld_types, json_ld_errors, json_ld_recovered);
    put!(facts, page: json_ld_items, microdata_types, rdfa_types, ids, fragments, missing_fragments, text_chars);
    put!(facts, page: sentence_count);
    facts.put("reading_sample", page.reading_sample.map(|sample| (sample.words, sample.sentences, sample.syllables)));
    put!(facts, page: lorem_blocks);
    facts.put("images", page.images.count);
    facts.put("images_without_alt", page.images.without_alt);
    facts.put("images_with_empty_alt", page.images.with_empty_alt);
    facts.put("images_without_size", page.images.without_size);
    put!(facts, page: forms, insecure_forms, inline_script_bytes, inline_style_bytes, dom_depth, element_count);
    put!(facts, page: is_depth_cut);
    let structure = &page.structure;
    facts.put("lacks_doctype", !structure.has_doctype);
    facts.put_unless(b"1", "html_tags", structure.html_tags);
    facts.put_unless(b"1", "head_tags", structure.head_tags);
    facts.put_unless(b"1", "body_tags", structure.body_tags);
    put!(facts, structure: is_body_before_html, is_head_not_first, invalid_in_head, invalid_head_elements);
    facts.put("base", page.base.as_ref().map(CanonicalUrl::as_str));
    put!(facts, page: is_amp);
    facts.put("feeds", urls(&page.feeds));
    facts.put("icons", urls(&page.icons));
    let unusable = page.unusable.iter().map(|reference| (&reference.href, reference.why.to_string()));
    facts.put("unusable", unusable.collect::<Vec<_>>());
    put!(facts, page: unusable_count, uncrawlable);
    let schemes = &page.schemes;
    put!(facts, schemes: mailto, tel, javascript, data);
    facts.put("other_schemes", schemes.other);
    put!(facts, page: template_links);
    let render = page.render.as_deref().map(render);
    facts.put("render", render.map(|render| RawValue::from_string(render).expect("what we wrote is JSON")));
    facts.finish()
}

/// How a page was rendered, and what its response says where the rendered document may differ.
fn render(render: &RenderFacts) -> String {
    let mut facts = Facts::new();
    facts.put("reason", render.reason.as_str());
    facts.put("outcome", render.outcome.as_str());
    put!(facts, render: detail, is_cut, new_links);
    let raw = render.raw.as_ref().map(|raw| {
        let mut facts = Facts::new();
        put!(facts, raw: title, description, h1, canonical, noindex, nofollow, words, links, structured_data);
        RawValue::from_string(facts.finish()).expect("what we wrote is JSON")
    });
    facts.put("raw", raw);
    let requests = render.requests.iter().map(|request| {
        let mut facts = Facts::new();
        facts.put("url", &request.url);
        facts.put_unless(b"\"GET\"", "method", &request.method);
        put!(facts, request: kind, status, failure, is_blocked);
        RawValue::from_string(facts.finish()).expect("what we wrote is JSON")
    });
    facts.put("requests", requests.collect::<Vec<_>>());
    put!(facts, render: errors, redirect, history, missing);
    facts.finish()
}

/// A heading: level and text, and the text of its images if there are any.
#[derive(Serialize)]
#[serde(untagged)]
enum Headline<'a> {
    Plain(u8, &'a str),
    WithImages(u8, &'a str, &'a str),
}

impl<'a> Headline<'a> {
    fn of(heading: &'a Heading) -> Self {
        match heading.alt.as_str() {
            "" => Self::Plain(heading.level, &heading.text),
            alt => Self::WithImages(heading.level, &heading.text, alt),
        }
    }
}

/// A JSON object, written field by field.
struct Facts {
    json: Vec<u8>,
    /// The value of the field being written.
    value: Vec<u8>,
}

impl Facts {
    fn new() -> Self {
        Self { json: Vec::with_capacity(1024), value: Vec::new() }
    }

    /// Adds a field unless it is absent, empty, false or zero.
    fn put(&mut self, name: &str, value: impl Serialize) {
        self.write(value);
        if !matches!(self.value.as_slice(), b"null" | b"[]" | b"false" | b"0") {
            self.end_field(name);
        }
    }

    /// Adds a field unless it has this value.
    fn put_unless(&mut self, usual: &[u8], name: &str, value: impl Serialize) {
        self.write(value);
        if self.value != usual {
            self.end_field(name);
        }
    }

    fn write(&mut self, value: impl Serialize) {
        self.value.clear();
        serde_json::to_writer(&mut self.value, &value).expect("facts are JSON");
    }

    fn end_field(&mut self, name: &str) {
        self.json.push(if self.json.is_empty() { b'{' } else { b',' });
        serde_json::to_writer(&mut self.json, name).expect("memory can be written");
        self.json.push(b':');
        self.json.extend_from_slice(&self.value);
    }

    fn finish(mut self) -> String {
        if self.json.is_empty() {
            self.json.push(b'{');
        }
        self.json.push(b'}');
        String::from_utf8(self.json).expect("JSON is UTF-8")
    }
}

fn directives(directives: &Directives) -> Vec<String> {
    let words = [
        ("noindex", directives.noindex),
        ("nofollow", directives.nofollow),
        ("none", directives.none),
        ("index", directives.index),
        ("follow", directives.follow),
        ("noarchive", directives.noarchive),
        ("nosnippet", directives.nosnippet),
        ("noimageindex", directives.noimageindex),
        ("notranslate", directives.notranslate),
        ("indexifembedded", directives.indexifembedded),
        ("noodp", directives.noodp),
        ("noydir", directives.noydir),
    ];
    let mut all: Vec<String> = words.iter().filter(|(_, is_set)| *is_set).map(|(word, _)| (*word).to_owned()).collect();
    let values = [
        ("unavailable_after", directives.unavailable_after.clone()),
        ("max-snippet", directives.max_snippet.map(|limit| limit.to_string())),
        ("max-image-preview", directives.max_image_preview.clone()),
        ("max-video-preview", directives.max_video_preview.map(|limit| limit.to_string())),
    ];
    all.extend(values.into_iter().filter_map(|(name, value)| Some(format!("{name}:{}", value?))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_engine::parse::facts::Structure;

    #[test]
    fn values_of_cookies_are_not_kept() {
        let mut fields = http::HeaderMap::new();
        fields.insert("set-cookie", "session=canary; Secure; HttpOnly".parse().unwrap());
        fields.insert("date", "now".parse().unwrap());
        fields.insert("server", "nginx".parse().unwrap());
        assert_eq!(
            headers(&kept_headers(&fields)),
            r#"[["server","nginx"],["set-cookie","session=…; Secure; HttpOnly"]]"#
        );
    }

    #[test]
    fn defaults_are_omitted_from_facts() {
        let mut page = Page { titles: 1, descriptions: 1, h1_count: 1, ..Page::default() };
        page.structure =
            Structure { has_doctype: true, html_tags: 1, head_tags: 1, body_tags: 1, ..Structure::default() };
        assert_eq!(facts(&page), "{}");
        (page.titles, page.h2_count) = (0, 3);
        assert_eq!(facts(&page), r#"{"titles":0,"h2_count":3}"#);
    }
}
