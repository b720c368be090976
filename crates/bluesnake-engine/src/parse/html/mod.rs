//! One pass over an HTML document: its links and its facts.
//!
//! Start with [`read`]. `bluesnake-html` provides tags and texts; `stack` tracks open elements; `frames` and
//! `foreign` handle framesets, SVG and MathML; `references` finds URLs, `forms` the targets of forms, `texts` the
//! visible text, `captions` the text of links and headings, `head` what the page says about itself. There is no tree,
//! no recursion and no failure: every input has a result, in linear time.

mod captions;
mod extract;
mod foreign;
mod forms;
mod frames;
mod head;
mod json_ld;
mod position;
mod references;
mod regions;
mod repair;
mod stack;
#[cfg(test)]
mod tests;
mod texts;

use bluesnake_html::{Attributes, EndTag, Matcher, StartTag, Tag, Token, Tokenizer};

use self::captions::{Caption, OpenAnchor, OpenHeading};
use self::extract::Captures;
use self::forms::OpenForm;
use self::frames::Frames;
use self::regions::Regions;
use self::stack::{Open, OpenElements, Surroundings};
use crate::link::{Link, Position};
use crate::parse::extract::Column;
use crate::parse::facts::{Heading, Page};
use crate::parse::filler::{lorem_blocks, names_filler};
use crate::parse::fragments::Fragments;
use crate::parse::hash::{ContentHash, Counted};
use crate::parse::links::{Links, Resolver};
use crate::parse::main_text::MainText;
use crate::parse::selector::ElementHook;
use crate::parse::text::{TextCounts, VisibleText};
use crate::plan::ParseSettings;
use crate::url::CanonicalUrl;

/// A document and how to read it.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// Its URL, which references are resolved against.
    pub url: &'a CanonicalUrl,
    /// The document.
    pub html: &'a str,
    /// The name of its encoding, which also encodes the queries of its links.
    pub encoding: &'static str,
    /// What to keep of it.
    pub settings: &'a ParseSettings,
    /// How many links to keep; 0 keeps all.
    pub links_limit: usize,
    /// Callbacks for elements.
    pub hooks: &'a [ElementHook],
    /// Rules for values to extract.
    pub columns: &'a [Column],
}

/// What a document says.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its facts.
    pub page: Page,
    /// Its links in document order.
    pub links: Vec<Link>,
    /// How many links exceeded the limit.
    pub links_cut: usize,
    /// What was found for each column that is a selector; those at the end may be missing.
    pub columns: Vec<Vec<String>>,
}

/// Reads a document.
pub fn read(document: Document<'_>) -> Reading {
    // Hooks must see each element once, with the right base. Which `<base>` counts depends on its surroundings, so
    // read the document without hooks first.
    let silent = Document { hooks: &[], ..document };
    let base = if document.hooks.is_empty() { None } else { read_with_base(silent, None).err() };
    read_with_base(document, base.as_deref()).unwrap_or_else(|late_base| {
        read_with_base(document, Some(&late_base)).expect("a base that is known is not late")
    })
}

/// Reads a document with a known `<base href>`; otherwise, if one follows links that it applies to, returns it.
fn read_with_base(document: Document<'_>, base: Option<&str>) -> Result<Reading, String> {
    let resolver = Resolver::of(document.url).in_encoding(document.encoding);
    let mut links = Links::new(resolver, document.links_limit, document.html.len());
    let base_url = base.and_then(|href| links.rebase(href));
    let mut reader = Reader::new(document, links, String::new());
    reader.page.base = base_url;
    reader.base = if base.is_some() { BaseHref::Known } else { BaseHref::Unknown };
    reader.hash = ContentHash::new(document.settings).map(|hash| HashedText { hash, from: 0, is_content: false });
    reader.read_tokens();
    match reader.base {
        BaseHref::Late(href) => Err(href),
        BaseHref::Unknown | BaseHref::Known => Ok(reader.finish()),
    }
}

/// What is known about the document's `<base href>`; the first one applies to the whole document.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BaseHref {
    Unknown,
    Known,
    /// Links were resolved without it, so the document must be read again.
    Late(String),
}

/// Which part of the document is being read, following the standard's insertion modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    BeforeHead,
    Head,
    AfterHead,
    Body,
    /// In or after a `<frameset>`, which replaces the body.
    Frames,
}

/// The fingerprint, and the start of the visible text it has not seen yet.
struct HashedText<'a> {
    hash: ContentHash<'a>,
    from: usize,
    is_content: bool,
}

struct Reader<'a> {
    document: Document<'a>,
    tokenizer: Tokenizer<'a>,
    open: OpenElements<'a>,
    part: Part,
    /// Whether an explicit `<head>` is still open.
    is_head_open: bool,
    page: Page,
    links: Links,
    fragments: Fragments,
    text: VisibleText,
    regions: Regions,
    hash: Option<HashedText<'a>>,
    anchor: Option<OpenAnchor<'a>>,
    captions: Vec<Caption>,
    heading: Option<OpenHeading>,
    form: Option<OpenForm>,
    frames: Frames,
    /// The selectors of hooks and columns, if there are any.
    matcher: Option<Matcher<'a>>,
    captures: Captures,
    is_json_ld: bool,
    base: BaseHref,
    /// Whether this is the document of an `<iframe srcdoc>`.
    is_nested: bool,
}

impl<'a> Reader<'a> {
    fn new(document: Document<'a>, links: Links, path: String) -> Self {
        Self {
            document,
            tokenizer: Tokenizer::new(document.html),
            open: OpenElements::new(path),
            part: Part::BeforeHead,
            is_head_open: false,
            page: Page::default(),
            links,
            fragments: Fragments::default(),
            text: VisibleText::with_capacity(document.html.len().min(1 << 20) / 2),
            regions: Regions::default(),
            hash: None,
            anchor: None,
            captions: Vec::new(),
            heading: None,
            form: None,
            frames: Frames::default(),
            matcher: matcher_of(&document),
            captures: Captures::default(),
            is_json_ld: false,
            base: BaseHref::Known,
            is_nested: false,
        }
    }

    fn read_tokens(&mut self) {
        while let Some(token) = self.tokenizer.next() {
            match token {
                Token::Start(start) => self.start(start),
                Token::End(end) => self.end(end),
                Token::Text(text) => self.text(text),
                Token::Comment(comment) => self.comment(comment),
                Token::Doctype => self.page.structure.has_doctype = true,
            }
            if matches!(self.base, BaseHref::Late(_)) {
                return;
            }
        }
        self.close_down_to(1);
        self.captures.close_down_to(0);
        self.close_form();
    }

    fn finish(mut self) -> Reading {
        self.flush_hash();
        let visible = self.text.into_string();
        captions::fill(&mut self.links.found, self.captions, &visible);
        let counts = TextCounts::of(&visible);
        let mut page = self.page;
        (page.word_count, page.text_chars, page.sentence_count) = (counts.words, counts.chars, counts.sentences);
        note_main_text(&mut page, &visible, self.regions);
        self.fragments.finish(&mut page);
        page.content_hash = self.hash.and_then(|hashed| hashed.hash.finish());
        page.text = Some(visible);
        page.dom_depth = self.open.deepest;
        page.is_depth_cut = self.open.deepest > stack::DEPTH;
        page.unusable = self.links.unusable;
        page.unusable_count = self.links.unusable_count;
        page.uncrawlable = std::mem::take(&mut self.links.uncrawlable);
        page.schemes = self.links.schemes;
        Reading { page, links: self.links.found, links_cut: self.links.cut, columns: self.captures.finish() }
    }

    fn start(&mut self, start: StartTag<'a>) {
        let attributes = self.tokenizer.take_attributes();
        if self.open.surroundings().is_foreign && foreign::is_left_by(start, &attributes) {
            self.close_down_to(self.open.length_without_foreign());
        }
        if self.open.surroundings().is_foreign {
            self.page.element_count += 1;
            self.foreign_element(start, &attributes);
        } else if self.is_ignored(start.tag) {
            self.tokenizer.read_markup();
            // Tags that belong in a body still open it.
            if !matches!(start.tag, Tag::Html | Tag::Head | Tag::Body | Tag::Frameset) {
                self.begin_body();
            }
        } else {
            self.page.element_count += 1;
            match start.tag {
                Tag::Html | Tag::Head | Tag::Body => self.frame_tag(start, &attributes),
                _ => self.element(start, &attributes),
            }
        }
        self.tokenizer.reuse(attributes);
    }

    /// `<html>`, `<head>` and `<body>`: each is opened once, wherever it is written.
    fn frame_tag(&mut self, start: StartTag<'a>, attributes: &Attributes<'a>) {
        self.note_frame(start.tag, attributes);
        match start.tag {
            Tag::Head if self.part == Part::BeforeHead => self.open_head(),
            Tag::Body => {
                if self.part != Part::Body {
                    self.open_body();
                }
                self.frames.rule_out();
            }
            _ => {}
        }
        self.generic_references(attributes);
        self.match_element(start.name, attributes, self.open.place_of_frame(start.tag));
    }

    fn open_head(&mut self) {
        self.push(Tag::Head, "head", Surroundings { is_hidden: true, ..self.open.surroundings() });
        self.match_implied("head");
        self.part = Part::Head;
    }

    fn open_body(&mut self) {
        self.close_down_to(1);
        self.part = Part::Body;
        self.frames.body_begins(self.links.found.len(), self.links.cut);
        self.push(Tag::Body, "body", Surroundings { position: Position::Content, ..self.open.surroundings() });
        self.match_implied("body");
    }

    /// Opens the body implicitly, before content that belongs in it.
    fn begin_body(&mut self) {
        if !matches!(self.part, Part::Body | Part::Frames) && self.open.len() <= HEAD_DEPTH {
            self.open_body();
        }
    }

    fn element(&mut self, start: StartTag<'a>, attributes: &Attributes<'a>) {
        self.enter_part_of(start);
        self.frames.see(start.tag, attributes);
        self.close_implied(start.tag);
        let surroundings = self.surroundings_in(start, attributes);
        if start.tag.is_block() {
            self.text.end_block();
            self.captures.space();
        }
        let is_pushed = self.push(start.tag, start.name, surroundings);
        self.read_element(start, attributes);
        self.match_element(start.name, attributes, self.open.len() - usize::from(is_pushed));
        if start.tag.is_void() || start.is_self_closing && surroundings.is_foreign {
            self.close_empty(start, is_pushed);
        }
    }

    /// Closes an element that was just opened and has no content.
    #[inline]
    fn close_empty(&mut self, start: StartTag<'a>, is_pushed: bool) {
        if is_pushed {
            self.close_down_to(self.open.len() - 1);
        } else {
            self.open.explicit_end(start.tag, start.name);
        }
    }

    /// Opens the head, the body or the frames where a tag implies it.
    fn enter_part_of(&mut self, start: StartTag<'a>) {
        if start.tag == Tag::Frameset && self.part != Part::Frames {
            return self.open_frames();
        }
        if matches!(self.part, Part::Body | Part::Frames) {
            return;
        }
        let is_head_content = start.tag.is_head_content();
        if self.is_head_open && !is_head_content && !self.open.surroundings().is_inert {
            self.note_invalid_in_head(start.name);
        }
        match self.part {
            Part::BeforeHead | Part::AfterHead if is_head_content => self.open_head(),
            // Inside `<noscript>` and `<template>` in the head anything stays there; otherwise one image would end
            // the head.
            Part::Head if is_head_content || self.open.len() > HEAD_DEPTH => {}
            _ => self.open_body(),
        }
    }

    fn close_implied(&mut self, tag: Tag) {
        if let Some(length) = self.open.implied_end(tag) {
            self.close_down_to(length);
        }
        if tag == Tag::A
            && let Some(place) = self.open.find_in_scope(Tag::A)
        {
            self.end_anchor(place);
        }
    }

    /// Ends an anchor, even if elements opened inside it are still open.
    fn end_anchor(&mut self, place: usize) {
        self.close_anchor();
        self.close_down_to(self.open.length_without(place));
    }

    fn surroundings_in(&self, start: StartTag<'a>, attributes: &Attributes<'a>) -> Surroundings {
        let outer = self.open.surroundings();
        let mut inner = outer;
        match start.tag {
            Tag::Noscript | Tag::Title => inner.is_hidden = true,
            Tag::Code | Tag::Pre | Tag::Q | Tag::Blockquote => inner.is_quoted = true,
            Tag::Template => (inner.is_hidden, inner.is_inert) = (true, true),
            Tag::Svg => inner.is_foreign = true,
            Tag::Math => (inner.is_foreign, inner.is_math) = (true, true),
            _ => {}
        }
        if self.part == Part::Body {
            inner.is_article |= position::is_article(start.tag, attributes);
            let position = position::of(start.tag, start.name, attributes, outer.is_article);
            inner.position = position.unwrap_or(outer.position);
        } else if start.tag == Tag::Frameset {
            inner.position = Position::Content;
        }
        inner.counted = self.counted_in(outer, start);
        inner
    }

    #[inline]
    fn counted_in(&self, outer: Surroundings, start: StartTag<'a>) -> Counted {
        let hash = self.hash.as_ref();
        hash.map_or(outer.counted, |hashed| hashed.hash.within(outer.counted, start.tag, start.name))
    }

    fn push(&mut self, tag: Tag, name: &'a str, mut surroundings: Surroundings) -> bool {
        if let Some(hashed) = &self.hash {
            surroundings.is_content = hashed.hash.counts(surroundings.counted);
        }
        let is_pushed = self.open.push(tag, name, surroundings);
        if let Some(matcher) = self.matcher.as_mut().filter(|_| is_pushed) {
            matcher.push();
        }
        self.enter_place();
        is_pushed
    }

    fn end(&mut self, end: EndTag<'a>) {
        if matches!(end.tag, Tag::P | Tag::Br) && self.open.surroundings().is_foreign {
            self.close_down_to(self.open.length_without_foreign());
        }
        match end.tag {
            Tag::Html | Tag::Body => {
                self.begin_body();
                return self.text.end_block();
            }
            Tag::Head => return self.end_head(),
            Tag::Br => {
                self.begin_body();
                self.frames.rule_out();
                self.captures.space();
                return self.text.space();
            }
            Tag::Form => self.close_form(),
            _ => {}
        }
        let is_math = self.open.surroundings().is_math;
        let length = self.open.explicit_end(end.tag, end.name);
        if let Some(place) = self.open.removed.take() {
            self.forget(place);
        }
        if let Some(length) = length {
            self.close_down_to(length);
        }
        if end.tag == Tag::A && !is_math {
            self.close_anchor();
        }
    }

    fn end_head(&mut self) {
        if self.open.surroundings().is_inert {
            return;
        }
        self.is_head_open = false;
        if self.part == Part::Head {
            self.close_down_to(1);
            self.part = Part::AfterHead;
        }
    }

    /// Closes elements until `length` are open.
    fn close_down_to(&mut self, length: usize) {
        while self.open.len() > length.max(1) {
            let closed = self.open.pop();
            self.after_closing(&closed);
        }
        self.captures.close_down_to(self.open.len());
        if let Some(matcher) = &mut self.matcher {
            matcher.truncate(self.open.len());
        }
        self.enter_place();
    }

    #[inline]
    fn after_closing(&mut self, closed: &Open<'a>) {
        if closed.tag.is_block() {
            self.text.end_block();
            self.captures.space();
        }
        if closed.tag == Tag::A && !closed.surroundings.is_math {
            self.close_anchor();
        } else if closed.tag.is_heading()
            && let Some(heading) = self.heading.take()
        {
            heading.close(&self.text, &mut self.page);
        }
    }

    fn close_anchor(&mut self) {
        let closed = self.anchor.take().and_then(|anchor| anchor.close(&self.text));
        self.captions.extend(closed);
    }

    /// Informs the tokenizer, the main text and the fingerprint of the current place.
    #[inline]
    fn enter_place(&mut self) {
        let surroundings = &self.open.top().surroundings;
        self.tokenizer.set_foreign(surroundings.is_foreign);
        self.regions.enter(surroundings, self.text.len());
        self.enter_hash_region();
    }

    #[inline]
    fn enter_hash_region(&mut self) {
        let is_content = self.open.surroundings().is_content;
        if self.hash.as_ref().is_some_and(|hashed| hashed.is_content != is_content) {
            self.flush_hash();
            self.hash.as_mut().expect("it was there above").is_content = is_content;
        }
    }

    /// Passes new visible text to the fingerprint.
    fn flush_hash(&mut self) {
        let Some(hashed) = &mut self.hash else { return };
        if hashed.is_content && hashed.hash.collapses() {
            hashed.hash.add(&self.text.as_str()[hashed.from..]);
        }
        hashed.from = self.text.len();
    }

    /// The fingerprint, if this place is content; everything before it has been added.
    fn hash_here(&mut self) -> Option<&mut ContentHash<'a>> {
        if !self.hash.as_ref()?.is_content || self.open.surroundings().is_inert {
            return None;
        }
        self.flush_hash();
        self.hash.as_mut().map(|hashed| &mut hashed.hash)
    }
}

/// A matcher for hooks and columns, with the html element open.
fn matcher_of<'a>(document: &Document<'a>) -> Option<Matcher<'a>> {
    let hooks = document.hooks.iter().map(|hook| &hook.selector);
    let mut matcher = Matcher::new(hooks.chain(document.columns.iter().filter_map(Column::selector)))?;
    matcher.push();
    matcher.read(0, "html", &Attributes::default());
    Some(matcher)
}

/// Records what the main text says.
fn note_main_text(page: &mut Page, visible: &str, regions: Regions) {
    let (main, quoted) = regions.finish(visible.len());
    let mut text = MainText::new(page.lang.as_deref().is_none_or(is_english));
    main.iter().for_each(|range| text.add(&visible[range.clone()]));
    let facts = text.finish();
    (page.main_words, page.reading_sample, page.signature) = (facts.words, facts.sample, facts.signature);
    page.lorem_blocks = lorem_blocks(visible, &main, &quoted);
    // Nearly every page has none, so its titles are not searched.
    if page.lorem_blocks > 0 {
        let is_h1 = |heading: &&Heading| heading.level == 1;
        let h1 = page.headings.iter().find(is_h1).map(|heading| heading.text.as_str());
        if page.title.as_deref().into_iter().chain(h1).any(names_filler) {
            page.lorem_blocks = 0;
        }
    }
}

/// Whether a language code is that of English.
fn is_english(lang: &str) -> bool {
    lang.split(['-', '_']).next().is_none_or(|language| language.is_empty() || language.eq_ignore_ascii_case("en"))
}

/// How many elements are open directly in the head.
const HEAD_DEPTH: usize = 2;
