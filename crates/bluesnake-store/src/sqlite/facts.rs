//! A page's facts without columns of their own, as JSON without defaults; and the headers to keep.

use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::parse::facts::{Directives, Heading, Page};
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

/// A page's facts, omitting what is absent, empty, zero, or one where nearly every page has one.
pub(super) fn facts(page: &Page) -> String {
    let urls = |urls: &[CanonicalUrl]| urls.iter().map(|url| url.as_str().to_owned()).collect::<Vec<_>>();
    let mut facts = Facts::new();
    facts.put("titles", UsuallyOne(page.titles));
    facts.put("titles_outside_head", page.titles_outside_head);
    facts.put("descriptions", UsuallyOne(page.descriptions));
    facts.put("descriptions_outside_head", page.descriptions_outside_head);
    facts.put("keywords", page.keywords.as_deref());
    facts.put("keywords_count", page.keywords_count);
    facts.put("author", page.author.as_deref());
    facts.put("generator", page.generator.as_deref());
    facts.put("headings", page.headings.iter().map(Headline::of).collect::<Vec<_>>());
    facts.put("h1_count", UsuallyOne(page.h1_count));
    facts.put("h2_count", page.h2_count);
    let honoured = page.canonical();
    let canonicals = page.canonicals.iter().map(|canonical| {
        let mut one = Facts::new();
        one.put("raw", canonical.raw.as_str());
        // The effective one has its own column.
        one.put("url", canonical.url.as_ref().filter(|url| Some(*url) != honoured).map(CanonicalUrl::as_str));
        one.put("path_type", canonical.path_type.as_str());
        one.put("outside_head", !canonical.is_in_head);
        one.put("has_fragment", canonical.has_fragment);
        one.put("has_invalid_attribute", canonical.has_invalid_attribute);
        RawValue::from_string(one.finish()).expect("what we wrote is JSON")
    });
    facts.put("canonicals", canonicals.collect::<Vec<_>>());
    facts.put("directives", directives(&page.directives));
    let bots = page.bot_directives.iter().map(|(bot, words)| (bot, directives(words)));
    facts.put("bot_directives", bots.collect::<Vec<_>>());
    facts.put("directives_outside_head", page.directives_outside_head);
    let hreflangs = page.hreflangs.iter().map(|(code, url)| (code, url.as_str()));
    facts.put("hreflangs", hreflangs.collect::<Vec<_>>());
    facts.put("hreflangs_outside_head", page.hreflangs_outside_head);
    facts.put("next", urls(&page.next));
    facts.put("prev", urls(&page.prev));
    facts.put("dir", page.dir.as_deref());
    facts.put("viewport", page.viewport.as_deref());
    facts.put("charset", page.charset.as_deref());
    let refresh = page.refresh.as_ref().map(|refresh| (refresh.seconds, refresh.url.as_ref().map(|url| url.as_str())));
    facts.put("refresh", refresh);
    facts.put("open_graph", &page.open_graph);
    facts.put("twitter", &page.twitter);
    facts.put("json_ld_types", &page.json_ld_types);
    facts.put("json_ld_errors", page.json_ld_errors);
    facts.put("microdata_types", &page.microdata_types);
    facts.put("rdfa_types", &page.rdfa_types);
    facts.put("text_chars", page.text_chars);
    facts.put("sentence_count", page.sentence_count);
    facts.put("has_lorem_ipsum", page.has_lorem_ipsum);
    facts.put("images", page.images.count);
    facts.put("images_without_alt", page.images.without_alt);
    facts.put("images_with_empty_alt", page.images.with_empty_alt);
    facts.put("images_without_size", page.images.without_size);
    facts.put("forms", page.forms);
    facts.put("insecure_forms", page.insecure_forms);
    facts.put("inline_script_bytes", page.inline_script_bytes);
    facts.put("inline_style_bytes", page.inline_style_bytes);
    facts.put("dom_depth", page.dom_depth);
    facts.put("element_count", page.element_count);
    facts.put("is_depth_cut", page.is_depth_cut);
    facts.put("lacks_doctype", !page.structure.has_doctype);
    facts.put("html_tags", UsuallyOne(page.structure.html_tags));
    facts.put("head_tags", UsuallyOne(page.structure.head_tags));
    facts.put("body_tags", UsuallyOne(page.structure.body_tags));
    facts.put("is_body_before_html", page.structure.is_body_before_html);
    facts.put("is_head_not_first", page.structure.is_head_not_first);
    facts.put("invalid_in_head", page.structure.invalid_in_head);
    facts.put("invalid_head_elements", &page.structure.invalid_head_elements);
    facts.put("base", page.base.as_ref().map(CanonicalUrl::as_str));
    facts.put("is_amp", page.is_amp);
    facts.put("feeds", urls(&page.feeds));
    facts.put("icons", urls(&page.icons));
    let unusable = page.unusable.iter().map(|reference| (&reference.href, reference.why.to_string()));
    facts.put("unusable", unusable.collect::<Vec<_>>());
    facts.put("unusable_count", page.unusable_count);
    facts.put("mailto", page.schemes.mailto);
    facts.put("tel", page.schemes.tel);
    facts.put("javascript", page.schemes.javascript);
    facts.put("data", page.schemes.data);
    facts.put("other_schemes", page.schemes.other);
    facts.put("template_links", page.template_links);
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
struct Facts(Vec<u8>);

impl Facts {
    fn new() -> Self {
        Self(Vec::with_capacity(1024))
    }

    /// Adds a field unless it is empty.
    fn put(&mut self, name: &str, value: impl Fact) {
        if value.says_nothing() {
            return;
        }
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        serde_json::to_writer(&mut self.0, name).expect("memory can be written");
        self.0.push(b':');
        serde_json::to_writer(&mut self.0, &value).expect("facts are JSON");
    }

    fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        String::from_utf8(self.0).expect("JSON is UTF-8")
    }
}

/// A value that can be omitted if it is absent, empty, false or zero.
trait Fact: Serialize {
    fn says_nothing(&self) -> bool;
}

impl Fact for bool {
    fn says_nothing(&self) -> bool {
        !self
    }
}

impl Fact for usize {
    fn says_nothing(&self) -> bool {
        *self == 0
    }
}

/// A count that is one on nearly every page: one is omitted, and zero is written.
#[derive(Serialize)]
#[serde(transparent)]
struct UsuallyOne(usize);

impl Fact for UsuallyOne {
    fn says_nothing(&self) -> bool {
        self.0 == 1
    }
}

impl Fact for &str {
    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Serialize> Fact for Option<T> {
    fn says_nothing(&self) -> bool {
        self.is_none()
    }
}

impl<T: Serialize> Fact for Vec<T> {
    fn says_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Serialize> Fact for &Vec<T> {
    fn says_nothing(&self) -> bool {
        self.is_empty()
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
