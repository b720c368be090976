//! The facts of a page that checks need, parsed from the JSON that the store writes without defaults.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

/// A text, borrowed unless it contains escapes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The facts of a page.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub(crate) struct Facts<'a> {
    pub(crate) titles: u32,
    pub(crate) titles_outside_head: u32,
    pub(crate) descriptions: u32,
    pub(crate) descriptions_outside_head: u32,
    pub(crate) keywords_count: u32,
    #[serde(borrow)]
    pub(crate) headings: Outline<'a>,
    pub(crate) h1_count: u32,
    pub(crate) h2_count: u32,
    #[serde(borrow)]
    pub(crate) canonicals: Vec<CanonicalFact<'a>>,
    #[serde(borrow)]
    pub(crate) directives: Vec<Text<'a>>,
    pub(crate) directives_outside_head: u32,
    pub(crate) hreflangs_outside_head: u32,
    #[serde(borrow)]
    pub(crate) viewport: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) charset: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) header_charset: Option<Text<'a>>,
    pub(crate) has_bom: bool,
    pub(crate) open_graph: Preview,
    json_ld_types: Presence,
    microdata_types: Presence,
    rdfa_types: Presence,
    pub(crate) json_ld_errors: u32,
    pub(crate) json_ld_recovered: u32,
    #[serde(borrow)]
    pub(crate) json_ld_items: Vec<(Text<'a>, Vec<Text<'a>>)>,
    pub(crate) lorem_blocks: u32,
    /// Words, sentences and syllables of the first words.
    pub(crate) reading_sample: Option<(u32, u32, u32)>,
    pub(crate) images_without_alt: u32,
    pub(crate) images_with_empty_alt: u32,
    pub(crate) images_without_size: u32,
    pub(crate) forms: u32,
    pub(crate) insecure_forms: u32,
    pub(crate) head_tags: u32,
    pub(crate) body_tags: u32,
    pub(crate) is_body_before_html: bool,
    pub(crate) is_head_not_first: bool,
    #[serde(borrow)]
    pub(crate) invalid_head_elements: Vec<Text<'a>>,
    pub(crate) is_amp: bool,
    icons: Presence,
    #[serde(borrow)]
    pub(crate) uncrawlable: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(crate) ids: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) fragments: Vec<(u32, Text<'a>)>,
    /// Fragments of links within the page that none of its ids has.
    #[serde(borrow)]
    pub(crate) missing_fragments: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(crate) script_redirect: Option<Text<'a>>,
    /// Seconds and target of a refresh that browsers obey.
    #[serde(borrow)]
    pub(crate) refresh: Option<(IgnoredAny, Option<Text<'a>>)>,
    /// Directives for single robots.
    #[serde(borrow)]
    pub(crate) bot_directives: Vec<(Text<'a>, Vec<Text<'a>>)>,
    /// How the page was rendered.
    #[serde(borrow)]
    pub(crate) render: Option<Render<'a>>,
}

impl Default for Facts<'_> {
    /// The facts that are not written.
    fn default() -> Self {
        Self {
            titles: 1,
            titles_outside_head: 0,
            descriptions: 1,
            descriptions_outside_head: 0,
            keywords_count: 0,
            headings: Outline::default(),
            h1_count: 1,
            h2_count: 0,
            canonicals: Vec::new(),
            directives: Vec::new(),
            directives_outside_head: 0,
            hreflangs_outside_head: 0,
            viewport: None,
            charset: None,
            header_charset: None,
            has_bom: false,
            open_graph: Preview::default(),
            json_ld_types: Presence(false),
            microdata_types: Presence(false),
            rdfa_types: Presence(false),
            json_ld_errors: 0,
            json_ld_recovered: 0,
            json_ld_items: Vec::new(),
            lorem_blocks: 0,
            reading_sample: None,
            images_without_alt: 0,
            images_with_empty_alt: 0,
            images_without_size: 0,
            forms: 0,
            insecure_forms: 0,
            head_tags: 1,
            body_tags: 1,
            is_body_before_html: false,
            is_head_not_first: false,
            invalid_head_elements: Vec::new(),
            is_amp: false,
            icons: Presence(false),
            uncrawlable: Vec::new(),
            ids: None,
            fragments: Vec::new(),
            missing_fragments: Vec::new(),
            script_redirect: None,
            refresh: None,
            bot_directives: Vec::new(),
            render: None,
        }
    }
}

impl<'a> Facts<'a> {
    /// Parses facts; those of an ordinary page if they are corrupt.
    pub(crate) fn parse(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(crate) fn has_structured_data(&self) -> bool {
        self.json_ld_types.0 || self.microdata_types.0 || self.rdfa_types.0
    }

    pub(crate) fn has_icon(&self) -> bool {
        self.icons.0
    }
}

/// How a page was rendered.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Render<'a> {
    #[serde(borrow)]
    pub(crate) raw: Option<RawFacts<'a>>,
    /// Links that only the rendered document has.
    pub(crate) new_links: u32,
    #[serde(borrow)]
    pub(crate) requests: Vec<Requested<'a>>,
    #[serde(borrow)]
    pub(crate) errors: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(crate) redirect: Option<Text<'a>>,
}

/// What the response says, where the rendered document may differ.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RawFacts<'a> {
    #[serde(borrow)]
    pub(crate) title: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) description: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) h1: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) canonical: Option<Text<'a>>,
    pub(crate) noindex: bool,
    pub(crate) words: u32,
    pub(crate) structured_data: u32,
}

/// A request that the page made.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Requested<'a> {
    #[serde(borrow)]
    pub(crate) url: Text<'a>,
    #[serde(borrow)]
    pub(crate) failure: Option<Text<'a>>,
    pub(crate) status: u16,
}

/// A canonical as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CanonicalFact<'a> {
    #[serde(borrow)]
    pub(crate) raw: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) path_type: Cow<'a, str>,
    pub(crate) outside_head: bool,
    pub(crate) has_fragment: bool,
    pub(crate) has_invalid_attribute: bool,
}

/// Whether a fact is written at all, whatever its value.
#[derive(Clone, Copy, Debug, Default)]
struct Presence(bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

/// Where in the list of headings the first ones of each level are, read without storing the list.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    pub(crate) first_h1: Option<u32>,
    pub(crate) first_h2: Option<u32>,
    /// The first heading of the third level or below.
    pub(crate) first_deeper: Option<u32>,
    /// The text of images in an h1.
    pub(crate) h1_alt: Cow<'a, str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Outline<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(OutlineVisitor)
    }
}

struct OutlineVisitor;

impl<'de> Visitor<'de> for OutlineVisitor {
    type Value = Outline<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of headings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut headings: A) -> Result<Outline<'de>, A::Error> {
        let mut outline = Outline::default();
        let mut at = 0;
        while let Some(Headline { level, alt }) = headings.next_element()? {
            let first = match level {
                1 => &mut outline.first_h1,
                2 => &mut outline.first_h2,
                _ => &mut outline.first_deeper,
            };
            first.get_or_insert(at);
            if level == 1 && outline.h1_alt.is_empty() {
                outline.h1_alt = alt;
            }
            at += 1;
        }
        Ok(outline)
    }
}

/// Level, text, and perhaps the text of images.
struct Headline<'a> {
    level: u8,
    alt: Cow<'a, str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Headline<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(HeadlineVisitor)
    }
}

struct HeadlineVisitor;

impl<'de> Visitor<'de> for HeadlineVisitor {
    type Value = Headline<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a heading")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Headline<'de>, A::Error> {
        let level = parts.next_element()?.unwrap_or(0);
        parts.next_element::<IgnoredAny>()?;
        let alt = parts.next_element::<Text<'de>>()?.unwrap_or_default().0;
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Headline { level, alt })
    }
}

/// Which Open Graph properties have a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Preview {
    pub(crate) has_title: bool,
    pub(crate) has_description: bool,
    pub(crate) has_image: bool,
}

impl<'de> Deserialize<'de> for Preview {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PreviewVisitor)
    }
}

struct PreviewVisitor;

impl<'de> Visitor<'de> for PreviewVisitor {
    type Value = Preview;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of properties")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut properties: A) -> Result<Preview, A::Error> {
        let mut preview = Preview::default();
        while let Some((name, value)) = properties.next_element::<(Text<'_>, Text<'_>)>()? {
            let has_value = !value.trim().is_empty();
            match &*name {
                "og:title" => preview.has_title |= has_value,
                "og:description" => preview.has_description |= has_value,
                "og:image" | "og:image:url" | "og:image:secure_url" => preview.has_image |= has_value,
                _ => {}
            }
        }
        Ok(preview)
    }
}

/// What an llms.txt looks like.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LlmsFacts {
    pub(crate) title: bool,
    pub(crate) summary: bool,
    pub(crate) malformed: u32,
}

impl LlmsFacts {
    /// Parses them from what was extracted; `None` if there are none.
    pub(crate) fn parse(extracted: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Extracted {
            llms: Option<LlmsFacts>,
        }
        serde_json::from_str::<Extracted>(extracted).ok()?.llms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_are_not_written_have_their_usual_values() {
        let facts = Facts::parse("{}");
        assert_eq!((facts.titles, facts.h1_count, facts.h2_count, facts.head_tags), (1, 1, 0, 1));
        assert!(!facts.has_structured_data() && facts.viewport.is_none());
    }

    #[test]
    fn headings_are_read_without_their_texts() {
        let facts = Facts::parse(r#"{"headings":[[3,"a"],[2,"b"],[1,"","The \"logo\""],[1,"c"]]}"#);
        let Outline { first_h1, first_h2, first_deeper, h1_alt } = facts.headings;
        assert_eq!((first_h1, first_h2, first_deeper, &*h1_alt), (Some(2), Some(1), Some(0), "The \"logo\""));
    }

    #[test]
    fn facts_are_read_in_the_form_of_the_store() {
        let facts = Facts::parse(
            r#"{"titles":2,"canonicals":[{"raw":"/a","path_type":"root-relative","has_fragment":true}],
                "open_graph":[["og:title","T"],["og:image"," "],["og:locale","de"]],"unknown":[1,{"a":null}],
                "json_ld_types":["Article"],"json_ld_items":[["Article",["headline"]]],"fragments":[[3,"part"]],
                "is_amp":true,"icons":["https://a/i.png"]}"#,
        );
        assert_eq!((facts.titles, &*facts.canonicals[0].raw, facts.canonicals[0].has_fragment), (2, "/a", true));
        assert!(facts.open_graph.has_title && !facts.open_graph.has_image);
        assert!(facts.has_structured_data() && facts.is_amp && facts.has_icon());
        assert_eq!((&*facts.json_ld_items[0].1[0], facts.fragments[0].0), ("headline", 3));
    }

    #[test]
    fn corrupt_facts_are_those_of_an_ordinary_page() {
        assert_eq!(Facts::parse("{\"titles\":").titles, 1);
    }

    #[test]
    fn the_facts_of_an_llms_file_are_part_of_what_was_extracted() {
        let facts = LlmsFacts::parse(r#"{"llms":{"title":true,"links":3,"malformed":2}}"#).unwrap();
        assert!(facts.title && !facts.summary && facts.malformed == 2);
        assert!(LlmsFacts::parse(r#"{"columns":{}}"#).is_none());
    }
}
