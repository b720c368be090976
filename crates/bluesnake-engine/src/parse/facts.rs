//! What a page says about itself: the facts an audit needs.
//!
//! Plain values, filled by [`crate::parse::html::read`]; nothing here judges them. [`Directives`] also parses
//! X-Robots-Tag, so that both sources mean the same.

use crate::link::PathType;
use crate::parse::signature::Signature;
use crate::render::RenderFacts;
use crate::space::weight_of;
use crate::url::{CanonicalUrl, UrlProblem};

/// The facts of one HTML document. White space in texts is collapsed.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The first `<title>`.
    pub title: Option<String>,
    /// How many titles there are.
    pub titles: usize,
    /// How many of them are outside the head.
    pub titles_outside_head: usize,
    /// The first `<meta name=description>`.
    pub description: Option<String>,
    /// How many descriptions there are.
    pub descriptions: usize,
    /// How many of them are outside the head.
    pub descriptions_outside_head: usize,
    /// The first `<meta name=keywords>`.
    pub keywords: Option<String>,
    /// How many of these there are.
    pub keywords_count: usize,
    /// `<meta name=author>`.
    pub author: Option<String>,
    /// `<meta name=generator>`.
    pub generator: Option<String>,
    /// h1 to h6 in document order, the first [`Page::HEADINGS`] of them.
    pub headings: Vec<Heading>,
    /// How many h1 there are.
    pub h1_count: usize,
    /// How many h2 there are.
    pub h2_count: usize,
    /// Every canonical, those of Link headers first.
    pub canonicals: Vec<CanonicalRef>,
    /// What `<meta name=robots>` says.
    pub directives: Directives,
    /// Metas for a single robot, by the robot's name in lower case.
    pub bot_directives: Vec<(String, Directives)>,
    /// How many of all these metas are outside the head.
    pub directives_outside_head: usize,
    /// `<link rel=alternate hreflang>`: language code and URL.
    pub hreflangs: Vec<(String, CanonicalUrl)>,
    /// How many of them are outside the head.
    pub hreflangs_outside_head: usize,
    /// `<link rel=next>`.
    pub next: Vec<CanonicalUrl>,
    /// `<link rel=prev>`.
    pub prev: Vec<CanonicalUrl>,
    /// `<html lang>`.
    pub lang: Option<String>,
    /// `<html dir>`.
    pub dir: Option<String>,
    /// `<meta name=viewport>`.
    pub viewport: Option<String>,
    /// The encoding that a meta declares.
    pub charset: Option<String>,
    /// The charset in the Content-Type header, as written.
    pub header_charset: Option<String>,
    /// Whether the document begins with a byte order mark.
    pub has_bom: bool,
    /// Where an inline script redirects to, as written.
    pub script_redirect: Option<String>,
    /// Hashes of all ids and names of anchors, each once: three bytes little-endian in base64, in ascending order and at
    /// most [`Page::IDS`] of them. See [`fragment_hash`](crate::parse::fragments::fragment_hash).
    pub ids: Option<String>,
    /// Fragments of links: the link's index in the list of links and the fragment as written, the first
    /// [`Page::FRAGMENTS`] of them.
    pub fragments: Vec<(usize, String)>,
    /// Fragments of links within the page that none of its ids has, in alphabetical order.
    pub missing_fragments: Vec<String>,
    /// The Refresh header or, without one, the first `<meta http-equiv=refresh>`.
    pub refresh: Option<Refresh>,
    /// `og:` and relatives: property and content, the first [`Page::PROPERTIES`] of them.
    pub open_graph: Vec<(String, String)>,
    /// `twitter:` metas, the first [`Page::PROPERTIES`] of them.
    pub twitter: Vec<(String, String)>,
    /// The `@type`s of JSON-LD, each once, the first [`Page::TYPES`] of them.
    pub json_ld_types: Vec<String>,
    /// JSON-LD scripts that are not JSON, even after repairing.
    pub json_ld_errors: usize,
    /// JSON-LD scripts that are JSON only after repairing: raw line breaks, trailing commas, comments.
    pub json_ld_recovered: usize,
    /// JSON-LD objects that describe the page, one entry per type, with the names of the properties that have a value: the first
    /// [`Page::ITEMS`] of them with [`Page::ITEM_PROPERTIES`] names each.
    pub json_ld_items: Vec<(String, Vec<String>)>,
    /// The `itemtype`s of microdata, each once.
    pub microdata_types: Vec<String>,
    /// The `typeof`s of RDFa, each once.
    pub rdfa_types: Vec<String>,
    /// Words of the visible text; each Chinese or Japanese character counts as one.
    pub word_count: usize,
    /// Characters of the visible text.
    pub text_chars: usize,
    /// Sentences of the visible text.
    pub sentence_count: usize,
    /// Words of the main text: the visible text without navigation, header, footer, sidebar, breadcrumbs and
    /// pagination.
    pub main_words: usize,
    /// The first words of the main text, counted for readability; `None` for a page in another language than English.
    pub reading_sample: Option<ReadingSample>,
    /// The signature of the main text, if it has at least 20 words.
    pub signature: Option<Signature>,
    /// Blocks of the main text that are placeholders: they begin with "lorem ipsum" and go on in the same Latin.
    pub lorem_blocks: usize,
    /// The visible text, one line per block, if the settings ask for it.
    pub text: Option<String>,
    /// Fingerprint of the content, if the settings ask for it.
    pub content_hash: Option<String>,
    /// Images and what they lack.
    pub images: Images,
    /// How many forms there are.
    pub forms: usize,
    /// How many of them submit to an http URL.
    pub insecure_forms: usize,
    /// Bytes of inline scripts.
    pub inline_script_bytes: usize,
    /// Bytes of inline styles.
    pub inline_style_bytes: usize,
    /// The depth of the deepest element.
    pub dom_depth: usize,
    /// How many elements there are.
    pub element_count: usize,
    /// Whether elements beyond the maximum depth were treated as children of the deepest one.
    pub is_depth_cut: bool,
    /// The document frame.
    pub structure: Structure,
    /// The first usable `<base href>`.
    pub base: Option<CanonicalUrl>,
    /// Whether it declares itself an AMP page.
    pub is_amp: bool,
    /// `<link rel=alternate>` of a feed type.
    pub feeds: Vec<CanonicalUrl>,
    /// `<link rel=icon>` and its relatives.
    pub icons: Vec<CanonicalUrl>,
    /// References that are not URLs, the first [`Page::UNUSABLE`] of them.
    pub unusable: Vec<Unusable>,
    /// How many of these there are.
    pub unusable_count: usize,
    /// Hyperlinks that lead nowhere, as written: scripts and what is not a URL; the first [`Page::UNCRAWLABLE`]
    /// different ones.
    pub uncrawlable: Vec<String>,
    /// References with schemes that are not crawled.
    pub schemes: SchemeCounts,
    /// References in `<template>`, which browsers do not show.
    pub template_links: usize,
    /// How it was rendered, if it was.
    pub render: Option<Box<RenderFacts>>,
}

impl Page {
    /// How many headings to keep.
    pub const HEADINGS: usize = 200;
    /// How many Open Graph and Twitter properties to keep of each.
    pub const PROPERTIES: usize = 64;
    /// How many types of structured data to keep per syntax.
    pub const TYPES: usize = 64;
    /// How many canonicals, hreflangs, feeds, icons, next and previous pages to keep of each.
    pub const RELATIVES: usize = 1_000;
    /// How many unusable references to keep.
    pub const UNUSABLE: usize = 50;
    /// How many uncrawlable hyperlinks to keep.
    pub const UNCRAWLABLE: usize = 20;
    /// How many ids to keep.
    pub const IDS: usize = 2_000;
    /// How many fragments of links to keep.
    pub const FRAGMENTS: usize = 1_000;
    /// How many missing fragments to keep.
    pub const MISSING_FRAGMENTS: usize = 100;
    /// How many JSON-LD items to keep.
    pub const ITEMS: usize = 20;
    /// How many names of properties to keep of each.
    pub const ITEM_PROPERTIES: usize = 40;

    /// Its memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        let length = |url: &CanonicalUrl| url.as_str().len();
        let single = [&self.title, &self.description, &self.keywords, &self.author, &self.generator, &self.lang]
            .into_iter()
            .chain([&self.dir, &self.viewport, &self.charset, &self.text, &self.content_hash])
            .chain([&self.header_charset, &self.script_redirect, &self.ids]);
        let pairs = [&self.open_graph, &self.twitter];
        let types = [&self.json_ld_types, &self.microdata_types, &self.rdfa_types];
        let lists = types.into_iter().chain([&self.missing_fragments, &self.uncrawlable]);
        let urls = [&self.next, &self.prev, &self.feeds, &self.icons];
        size_of::<Self>()
            + single.flatten().map(String::len).sum::<usize>()
            + weight_of(&self.headings, |heading| heading.text.len() + heading.alt.len())
            + weight_of(&self.canonicals, |canonical| canonical.raw.len() + canonical.url.as_ref().map_or(0, length))
            + weight_of(&self.hreflangs, |(code, url)| code.len() + length(url))
            + weight_of(&self.unusable, |unusable| unusable.href.len())
            + pairs.map(|pairs| weight_of(pairs, |(name, value)| name.len() + value.len())).iter().sum::<usize>()
            + lists.map(|texts| weight_of(texts, String::len)).sum::<usize>()
            + weight_of(&self.json_ld_items, |(kind, names)| kind.len() + weight_of(names, String::len))
            + weight_of(&self.fragments, |(_, fragment)| fragment.len())
            + urls.map(|urls| weight_of(urls, length)).iter().sum::<usize>()
            + self.render.as_ref().map_or(0, |render| render.weight())
    }

    /// The effective canonical URL: the first usable one in a header field or in the head. Search engines ignore
    /// others.
    pub fn canonical(&self) -> Option<&CanonicalUrl> {
        self.canonicals.iter().filter(|canonical| canonical.is_in_head).find_map(|canonical| canonical.url.as_ref())
    }

    /// The directives for the robot of this name: those for all robots and those for it alone.
    pub fn directives_for(&self, robot: &str) -> Directives {
        let mut directives = self.directives.clone();
        for (name, own) in &self.bot_directives {
            if name.eq_ignore_ascii_case(robot) {
                directives.merge(own);
            }
        }
        directives
    }
}

/// A heading, h1 to h6.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, at most 1,000 characters.
    pub text: String,
    /// The `alt` texts of the images in it.
    pub alt: String,
}

/// A `<link rel=canonical>`, or a Link header of that kind.
#[derive(Clone, Debug)]
pub struct CanonicalRef {
    /// The URL; `None` if we cannot crawl it.
    pub url: Option<CanonicalUrl>,
    /// The reference as written.
    pub raw: String,
    /// How it was written.
    pub path_type: PathType,
    /// Whether it is in the head, or in the header of the response.
    pub is_in_head: bool,
    /// Whether it has a fragment.
    pub has_fragment: bool,
    /// Whether it has `hreflang`, `lang`, `media` or `type`, which make it invalid as a canonical.
    pub has_invalid_attribute: bool,
}

/// A `<meta http-equiv=refresh>` or a Refresh header.
#[derive(Clone, Debug)]
pub struct Refresh {
    /// The delay in seconds.
    pub seconds: u32,
    /// The target; `None` means the page itself.
    pub url: Option<CanonicalUrl>,
}

impl Refresh {
    /// Whether the page is replaced by another one without delay.
    pub fn leads_away_from(&self, page: &CanonicalUrl) -> bool {
        self.seconds == 0 && self.url.as_ref().is_some_and(|url| url != page)
    }
}

/// What the readability of a text is computed from: its first words, up to 300.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadingSample {
    /// How many words were counted.
    pub words: usize,
    /// Their sentences; a block ends a sentence.
    pub sentences: usize,
    /// Their syllables by the rules of English.
    pub syllables: usize,
}

/// Images and what they lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// How many `<img>` there are.
    pub count: usize,
    /// Without an `alt` attribute.
    pub without_alt: usize,
    /// With an empty `alt`.
    pub with_empty_alt: usize,
    /// Without `width` or `height`.
    pub without_size: usize,
}

/// The document frame, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Whether there is a doctype.
    pub has_doctype: bool,
    /// `<html>` tags.
    pub html_tags: usize,
    /// `<head>` tags.
    pub head_tags: usize,
    /// `<body>` tags.
    pub body_tags: usize,
    /// Whether a `<body>` comes before `<html>`.
    pub is_body_before_html: bool,
    /// Whether something else in `<html>` comes before `<head>`.
    pub is_head_not_first: bool,
    /// How many elements in `<head>` are not allowed there.
    pub invalid_in_head: usize,
    /// The names of the first of them, without duplicates.
    pub invalid_head_elements: Vec<String>,
}

/// A reference that is not a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The reference as written, truncated.
    pub href: String,
    /// What is wrong with it.
    pub why: UrlProblem,
}

/// How many references have schemes that are not crawled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemeCounts {
    /// `mailto:`.
    pub mailto: usize,
    /// `tel:`.
    pub tel: usize,
    /// `javascript:`.
    pub javascript: usize,
    /// `data:`.
    pub data: usize,
    /// Any other.
    pub other: usize,
}

/// Directives for robots, from `<meta name=robots>` or X-Robots-Tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Do not index. Also set by `none`.
    pub noindex: bool,
    /// Do not follow links. Also set by `none`.
    pub nofollow: bool,
    /// The word `none`.
    pub none: bool,
    /// The word `index` or `all`.
    pub index: bool,
    /// The word `follow` or `all`.
    pub follow: bool,
    /// `noarchive`.
    pub noarchive: bool,
    /// `nosnippet`.
    pub nosnippet: bool,
    /// `noimageindex`.
    pub noimageindex: bool,
    /// `notranslate`.
    pub notranslate: bool,
    /// `indexifembedded`.
    pub indexifembedded: bool,
    /// `noodp`, obsolete.
    pub noodp: bool,
    /// `noydir`, obsolete.
    pub noydir: bool,
    /// `unavailable_after: …`, as written.
    pub unavailable_after: Option<String>,
    /// `max-snippet:…`; -1 means no limit.
    pub max_snippet: Option<i64>,
    /// `max-image-preview:…`.
    pub max_image_preview: Option<String>,
    /// `max-video-preview:…`; -1 means no limit.
    pub max_video_preview: Option<i64>,
}

impl Directives {
    /// Adds the directives of one value and returns whether any of them is known. The stricter of two values wins.
    pub fn read(&mut self, value: &str) -> bool {
        let mut knows_any = false;
        let mut rest = value;
        while !rest.is_empty() {
            let word = rest.split(',').next().unwrap_or(rest);
            let (name, argument) = word.split_once(':').unwrap_or((word, ""));
            let name = name.trim().to_ascii_lowercase();
            if name == "unavailable_after" {
                // A date contains commas itself, so it takes the rest.
                self.unavailable_after = rest.split_once(':').map(|(_, date)| date.trim().to_owned());
                return true;
            }
            knows_any |= self.set(&name, argument.trim());
            rest = rest.get(word.len() + 1..).unwrap_or("");
        }
        knows_any
    }

    fn set(&mut self, name: &str, argument: &str) -> bool {
        match name {
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => (self.none, self.noindex, self.nofollow) = (true, true, true),
            "index" => self.index = true,
            "follow" => self.follow = true,
            "all" => (self.index, self.follow) = (true, true),
            "noarchive" | "nocache" => self.noarchive = true,
            "nosnippet" => self.nosnippet = true,
            "noimageindex" => self.noimageindex = true,
            "notranslate" => self.notranslate = true,
            "indexifembedded" => self.indexifembedded = true,
            "noodp" => self.noodp = true,
            "noydir" => self.noydir = true,
            "max-snippet" => self.max_snippet = argument.parse().ok(),
            "max-image-preview" => self.max_image_preview = Some(argument.to_ascii_lowercase()),
            "max-video-preview" => self.max_video_preview = argument.parse().ok(),
            _ => return false,
        }
        true
    }

    /// Adds the directives of another source.
    pub fn merge(&mut self, other: &Self) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
        self.none |= other.none;
        self.index |= other.index;
        self.follow |= other.follow;
        self.noarchive |= other.noarchive;
        self.nosnippet |= other.nosnippet;
        self.noimageindex |= other.noimageindex;
        self.notranslate |= other.notranslate;
        self.indexifembedded |= other.indexifembedded;
        self.noodp |= other.noodp;
        self.noydir |= other.noydir;
        self.unavailable_after = other.unavailable_after.clone().or(self.unavailable_after.take());
        self.max_snippet = other.max_snippet.or(self.max_snippet);
        self.max_image_preview = other.max_image_preview.clone().or(self.max_image_preview.take());
        self.max_video_preview = other.max_video_preview.or(self.max_video_preview);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(value: &str) -> Directives {
        let mut directives = Directives::default();
        directives.read(value);
        directives
    }

    #[test]
    fn words_count_whatever_their_case_and_spacing() {
        let expected = Directives { noindex: true, nofollow: true, ..Directives::default() };
        assert_eq!(directives("NoIndex ,nofollow"), expected);
        assert_eq!(directives("noindex,,nofollow, shiny"), expected);
        assert_eq!(directives(""), Directives::default());
    }

    #[test]
    fn none_is_noindex_and_nofollow() {
        let all = directives("none");
        assert!(all.none && all.noindex && all.nofollow);
    }

    #[test]
    fn words_with_values_keep_them() {
        let read = directives("max-snippet:-1, max-image-preview: Large, unavailable_after: 25 Jun 2030, 15:00:00 PST");
        assert_eq!(read.max_snippet, Some(-1));
        assert_eq!(read.max_image_preview.as_deref(), Some("large"));
        assert_eq!(read.unavailable_after.as_deref(), Some("25 Jun 2030, 15:00:00 PST"));
    }

    #[test]
    fn a_value_without_a_known_directive_returns_false() {
        assert!(!Directives::default().read("width=device-width, initial-scale=1"));
        assert!(Directives::default().read("index"));
    }

    #[test]
    fn a_robot_hears_the_words_for_all_and_those_for_itself() {
        let page = Page {
            directives: directives("nofollow"),
            bot_directives: vec![("bluesnake".to_owned(), directives("noindex"))],
            ..Page::default()
        };
        assert!(page.directives_for("BlueSnake").noindex && page.directives_for("BlueSnake").nofollow);
        assert!(!page.directives_for("googlebot").noindex);
    }
}
