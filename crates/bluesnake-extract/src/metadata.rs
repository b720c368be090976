//! The head of a page: title, language, and the fields of its metadata.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::tree::{Attr, NodeId, ROOT, Tag, Tree};

/// What a page says about itself in its head. A missing field is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    pub description: Option<String>,
    pub keywords: Option<String>,
    pub author: Option<String>,
    pub generator: Option<String>,
    pub og_title: Option<String>,
    pub og_description: Option<String>,
    pub og_type: Option<String>,
    pub og_site_name: Option<String>,
    pub article_section: Option<String>,
    pub article_tags: Vec<String>,
    /// Absolute.
    pub canonical: Option<String>,
    pub json_ld: Vec<JsonLd>,
}

/// One JSON-LD object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonLd {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub headline: Option<String>,
    pub description: Option<String>,
    pub name: Option<String>,
    pub author: Option<String>,
}

impl Metadata {
    /// Every string in it.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let Self {
            description,
            keywords,
            author,
            generator,
            og_title,
            og_description,
            og_type,
            og_site_name,
            article_section,
            article_tags,
            canonical,
            json_ld,
        } = self;
        let one = [description, keywords, author, generator, og_title, og_description, og_type, og_site_name];
        let one = one.into_iter().chain([article_section, canonical]).flatten();
        let objects = json_ld.iter_mut().flat_map(|JsonLd { kind, headline, description, name, author }| {
            [kind, headline, description, name, author].into_iter().flatten()
        });
        one.chain(article_tags).chain(objects)
    }
}

/// Maximum number of JSON-LD objects read from a page.
const MAX_JSON_LD: usize = 32;
/// Longer scripts are skipped.
const MAX_JSON_LD_BYTES: usize = 1 << 20;

/// The contents of `<head>`.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    /// The `href` of `<base>`, which relative links start from.
    pub(crate) base: Option<String>,
    pub(crate) metadata: Metadata,
}

impl Head {
    pub(crate) fn read(tree: &Tree, url: &Url) -> Self {
        let language = tree.attr(ROOT, Attr::Lang).and_then(clean);
        let mut head = Self { language, ..Self::default() };
        for id in &tree.head {
            head.take(tree, *id, url);
        }
        head
    }

    fn take(&mut self, tree: &Tree, id: NodeId, url: &Url) {
        match tree.tag(id) {
            Some(Tag::Title) => keep_first(&mut self.title, clean(&child_text(tree, id))),
            Some(Tag::Base) => keep_first(&mut self.base, tree.attr(id, Attr::Href).and_then(clean)),
            Some(Tag::Link) if is_canonical(tree, id) => {
                let href = tree.attr(id, Attr::Href).and_then(|href| url.join(href.trim()).ok());
                keep_first(&mut self.metadata.canonical, href.map(String::from));
            }
            Some(Tag::Meta) => self.take_meta(tree, id),
            Some(Tag::Script) if is_json_ld(tree, id) => self.metadata.take_json_ld(&child_text(tree, id)),
            _ => {}
        }
    }

    fn take_meta(&mut self, tree: &Tree, id: NodeId) {
        let Some(content) = tree.attr(id, Attr::Content).and_then(clean) else { return };
        let names = [Attr::Name, Attr::Property].into_iter().filter_map(|name| tree.attr(id, name));
        for name in names {
            if name.eq_ignore_ascii_case("article:tag") {
                self.metadata.article_tags.push(content.clone());
            } else if let Some(field) = self.metadata.field(&name.to_ascii_lowercase()) {
                keep_first(field, Some(content.clone()));
            }
        }
    }
}

impl Metadata {
    fn field(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "description" => &mut self.description,
            "keywords" => &mut self.keywords,
            "author" => &mut self.author,
            "generator" => &mut self.generator,
            "og:title" => &mut self.og_title,
            "og:description" => &mut self.og_description,
            "og:type" => &mut self.og_type,
            "og:site_name" => &mut self.og_site_name,
            "article:section" => &mut self.article_section,
            _ => return None,
        })
    }

    /// A script contains one object, a list of objects, or a `@graph` of them. Invalid JSON is skipped.
    fn take_json_ld(&mut self, script: &str) {
        if script.len() > MAX_JSON_LD_BYTES {
            return;
        }
        let Ok(value) = serde_json::from_str::<Value>(script) else { return };
        let mut values = vec![&value];
        while let Some(value) = values.pop() {
            match value {
                Value::Array(list) => values.extend(list.iter().rev()),
                Value::Object(fields) => {
                    if self.json_ld.len() < MAX_JSON_LD && fields.contains_key("@type") {
                        self.json_ld.push(JsonLd::of(value));
                    }
                    values.extend(fields.get("@graph"));
                }
                _ => {}
            }
        }
    }
}

impl JsonLd {
    fn of(object: &Value) -> Self {
        let text = |name: &str| object.get(name).and_then(name_of);
        Self {
            kind: text("@type"),
            headline: text("headline"),
            description: text("description"),
            name: text("name"),
            author: text("author"),
        }
    }
}

/// A string, the name of an object, or the first of a list of either.
fn name_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => clean(text),
        Value::Object(fields) => fields.get("name").and_then(Value::as_str).and_then(clean),
        Value::Array(list) => match list.first()? {
            Value::Array(_) => None,
            first => name_of(first),
        },
        _ => None,
    }
}

fn is_canonical(tree: &Tree, id: NodeId) -> bool {
    tree.attr(id, Attr::Rel)
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical")))
}

fn is_json_ld(tree: &Tree, id: NodeId) -> bool {
    tree.attr(id, Attr::Type).is_some_and(|kind| kind.contains("ld+json"))
}

fn keep_first(field: &mut Option<String>, value: Option<String>) {
    if field.is_none() {
        *field = value;
    }
}

/// The text directly below an element.
pub(crate) fn child_text(tree: &Tree, id: NodeId) -> String {
    tree.children(id).filter_map(|child| tree.text(child)).collect()
}

/// The text with its white space collapsed; `None` if nothing is left.
pub(crate) fn clean(text: &str) -> Option<String> {
    Some(on_one_line(text)).filter(|text| !text.is_empty())
}

/// The words of a text, separated by single spaces.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
