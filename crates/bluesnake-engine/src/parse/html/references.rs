//! The attributes that contain URLs, by element: all of the HTML standard's, and the obsolete ones.
//!
//! `data-src` and other script conventions are not included, nor are URLs in prose or code.

use std::borrow::Cow;

use bluesnake_html::{AttributeName as Name, Attributes, StartTag, Tag};

use super::captions::{OpenAnchor, OpenHeading};
use super::{Part, Reader};
use crate::link::{LinkKind, PathType, Rel};
use crate::parse::css;
use crate::parse::links::{Links, Place, opens_window, rel_flags, srcset, trim};
use crate::parse::text::{collapse, cut};
use crate::url::CanonicalUrl;

/// How much of an image's `alt` to keep.
const ALT_CHARS: usize = 500;

/// Attributes with the same meaning on any element.
const GENERIC: u64 =
    Name::Id.bit() | Name::Style.bit() | Name::Background.bit() | Name::Itemtype.bit() | Name::Typeof.bit();

/// A `<link>` with the meaning of its `rel`.
pub(super) struct LinkTag<'v> {
    pub(super) kind: LinkKind,
    pub(super) href: Cow<'v, str>,
    /// The language code, for hreflang.
    pub(super) language: Cow<'v, str>,
    pub(super) is_feed: bool,
}

impl<'a> Reader<'a> {
    /// Records what a newly opened element says, by its name and attributes.
    #[inline]
    pub(super) fn read_element(&mut self, start: StartTag<'a>, attributes: &Attributes<'a>) {
        match start.tag {
            Tag::A | Tag::Area => self.anchor(start.tag, attributes),
            Tag::Img | Tag::Image => self.image(attributes),
            Tag::Br => self.line_break(),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => self.open_heading(start.tag),
            Tag::Title => self.title(),
            Tag::Meta => self.meta(attributes),
            Tag::Link => self.link(attributes),
            Tag::Base => self.base(attributes),
            Tag::Script => self.script(attributes),
            Tag::Form => self.form(attributes),
            Tag::Input => self.input(attributes),
            Tag::Button => self.button(attributes),
            Tag::Select => self.open_select(attributes),
            Tag::Option => self.option(attributes),
            Tag::Textarea => self.textarea(attributes),
            Tag::Blockquote | Tag::Q | Tag::Del | Tag::Ins => self.hint(attributes, Name::Cite),
            Tag::Source | Tag::Video | Tag::Audio | Tag::Track => self.media(start.tag, attributes),
            Tag::Iframe | Tag::Frame | Tag::Embed | Tag::Object | Tag::Applet => self.embedded(start.tag, attributes),
            _ => {}
        }
        self.generic_references(attributes);
    }

    fn line_break(&mut self) {
        self.text.space();
        self.captures.space();
    }

    #[inline]
    pub(super) fn generic_references(&mut self, attributes: &Attributes<'a>) {
        if !attributes.has_any(GENERIC) {
            return;
        }
        if let Some(style) = attributes.value(Name::Style) {
            self.css_references(&style);
        }
        self.reference(LinkKind::Image, attributes, Name::Background);
        if !self.open.surroundings().is_inert {
            self.note_types(attributes);
            self.note_id(attributes, Name::Id);
        }
    }

    fn note_id(&mut self, attributes: &Attributes<'a>, name: Name) {
        if let Some(id) = attributes.value(name) {
            self.fragments.add_id(&id);
        }
    }

    pub(super) fn css_references(&mut self, css: &str) {
        // Most styles contain no URL.
        if memchr::memmem::find(css.as_bytes(), b"(").is_none() && !css.contains('@') {
            return;
        }
        for url in css::urls(css) {
            self.refer(url.kind, &url.reference);
        }
    }

    /// Keeps a link without text; returns its index.
    pub(super) fn refer(&mut self, kind: LinkKind, reference: &str) -> Option<usize> {
        if trim(reference).is_empty() {
            return None;
        }
        self.refer_with(kind, reference, Rel::default(), "")
    }

    pub(super) fn refer_with(&mut self, kind: LinkKind, reference: &str, rel: Rel, text: &str) -> Option<usize> {
        let surroundings = self.open.surroundings();
        if surroundings.is_inert {
            self.page.template_links += 1;
            return None;
        }
        let target = match kind {
            LinkKind::Anchor | LinkKind::Area => self.links.resolve_hyperlink(reference)?,
            _ => self.links.resolve(reference)?,
        };
        let place = Place { kind, rel, position: surroundings.position, text: text.into() };
        self.links.add(target, PathType::of(reference), place, self.open.shared_path())
    }

    /// The target of a link that was kept.
    pub(super) fn target(&self, link: usize) -> CanonicalUrl {
        self.links.found[link].target.clone()
    }

    pub(super) fn reference(&mut self, kind: LinkKind, attributes: &Attributes<'a>, name: Name) {
        if let Some(reference) = attributes.value(name) {
            self.refer(kind, &reference);
        }
    }

    pub(super) fn hint(&mut self, attributes: &Attributes<'a>, name: Name) {
        self.reference(LinkKind::Hint, attributes, name);
    }

    fn each_in_srcset(&mut self, kind: LinkKind, attributes: &Attributes<'a>, name: Name) {
        let Some(candidates) = attributes.value(name) else { return };
        for reference in srcset(&candidates) {
            // Every inline image would count, so `data:` is not reported.
            if !reference.starts_with("data:") {
                self.refer(kind, reference);
            }
        }
    }

    /// `<a>` and `<area>`, also those of SVG.
    pub(super) fn anchor(&mut self, tag: Tag, attributes: &Attributes<'a>) {
        let href = attributes.value(Name::Href).or_else(|| attributes.value(Name::XlinkHref));
        let link = href.and_then(|href| self.anchor_link(tag, &href, attributes));
        if let Some(ping) = attributes.value(Name::Ping) {
            for reference in ping.split_ascii_whitespace() {
                self.refer(LinkKind::Hint, reference);
            }
        }
        if tag == Tag::A && !self.open.surroundings().is_inert {
            self.note_id(attributes, Name::Name);
            let label = attributes.value(Name::AriaLabel).filter(|label| !label.trim_ascii().is_empty());
            let label = label.or_else(|| attributes.value(Name::Title));
            self.anchor = Some(OpenAnchor::new(link, label, &self.text));
        }
    }

    fn anchor_link(&mut self, tag: Tag, href: &str, attributes: &Attributes<'a>) -> Option<usize> {
        if let Some(fragment) = trim(href).strip_prefix('#') {
            // A base leads to another page.
            if self.page.base.is_none() && !self.open.surroundings().is_inert {
                self.fragments.add_own(fragment);
            }
            return None;
        }
        let rel = attributes.value(Name::Rel).map_or(Rel::default(), |rel| rel_flags(&rel));
        let is_new_window = attributes.value(Name::Target).is_some_and(|target| opens_window(&target));
        let rel = if is_new_window { rel.and(Rel::NEW_WINDOW) } else { rel };
        let link = match tag {
            Tag::Area => {
                let alt = attributes.value(Name::Alt).unwrap_or_default();
                self.refer_with(LinkKind::Area, href, rel, &collapse(cut(&alt, ALT_CHARS)))
            }
            _ => self.refer_with(LinkKind::Anchor, href, rel, ""),
        };
        if let Some(link) = link {
            self.fragments.add_link(link, trim(href));
        }
        link
    }

    fn image(&mut self, attributes: &Attributes<'a>) {
        let alt = attributes.value(Name::Alt).map(|alt| collapse(cut(&alt, ALT_CHARS)));
        let flags = self.note_image(attributes, alt.as_deref());
        // The other sources show the same image; its text counts once.
        self.illustration(LinkKind::Image, attributes, Name::Src, flags, &alt.unwrap_or_default());
        for name in [Name::Lowsrc, Name::Dynsrc] {
            self.illustration(LinkKind::Image, attributes, name, Rel::default(), "");
        }
        self.each_in_srcset(LinkKind::Image, attributes, Name::Srcset);
        self.hint(attributes, Name::Longdesc);
    }

    /// Records an image. Returns what it lacks; an image for browsers without scripts is a copy of one for the others.
    fn note_image(&mut self, attributes: &Attributes<'a>, alt: Option<&str>) -> Rel {
        let mut flags = Rel::default();
        if self.open.surroundings().is_inert {
            return flags;
        }
        let is_counted = !self.open.surroundings().is_hidden;
        let images = &mut self.page.images;
        images.count += usize::from(is_counted);
        if is_counted && !(attributes.has(Name::Width) && attributes.has(Name::Height)) {
            images.without_size += 1;
            flags = flags.and(Rel::NO_SIZE);
        }
        match alt {
            None if is_counted => {
                images.without_alt += 1;
                flags = flags.and(Rel::NO_ALT);
            }
            Some("") if is_counted => {
                images.with_empty_alt += 1;
                flags = flags.and(Rel::EMPTY_ALT);
            }
            None | Some("") => {}
            Some(alt) => {
                if let Some(anchor) = &mut self.anchor {
                    anchor.add_hidden(alt, &self.text);
                }
                if let Some(heading) = &mut self.heading {
                    heading.add_alt(alt);
                }
            }
        }
        flags
    }

    /// A reference to something shown in the page, which is part of its content for the fingerprint.
    fn illustration(&mut self, kind: LinkKind, attributes: &Attributes<'a>, name: Name, rel: Rel, text: &str) {
        let Some(reference) = attributes.value(name) else { return };
        let reference = trim(&reference);
        if reference.is_empty() {
            return;
        }
        if self.part == Part::Body
            && !self.open.surroundings().is_hidden
            && let Some(hash) = self.hash_here()
        {
            hash.add_address(reference);
        }
        self.refer_with(kind, reference, rel, text);
    }

    fn open_heading(&mut self, tag: Tag) {
        if let Some(level) = tag.heading_level()
            && !self.open.surroundings().is_hidden
        {
            let earlier = self.heading.replace(OpenHeading::new(level, &self.text));
            if let Some(earlier) = earlier {
                earlier.close(&self.text, &mut self.page);
            }
        }
    }

    fn link(&mut self, attributes: &Attributes<'a>) {
        if let Some(link) = link_tag(attributes) {
            let added = if link.href.is_empty() {
                None
            } else {
                self.refer_with(link.kind, &link.href, Rel::default(), trim(&link.language))
            };
            if !self.open.surroundings().is_inert {
                let target = added.map(|at| self.target(at));
                self.note_link(&link, attributes, target);
            }
        } else if attributes.has(Name::Itemprop) {
            self.hint(attributes, Name::Href);
        }
        self.each_in_srcset(LinkKind::Hint, attributes, Name::Imagesrcset);
    }

    fn script(&mut self, attributes: &Attributes<'a>) {
        self.reference(LinkKind::Script, attributes, Name::Src);
        let kind = attributes.value(Name::Type).unwrap_or_default();
        self.is_json_ld = trim(&kind).eq_ignore_ascii_case("application/ld+json");
    }

    fn form(&mut self, attributes: &Attributes<'a>) {
        if !self.open.surroundings().is_inert {
            self.page.forms += 1;
        }
        if self.opens_get_form(attributes) {
            self.open_get_form(attributes);
        } else {
            self.form_action(attributes, Name::Action);
        }
    }

    pub(super) fn form_action(&mut self, attributes: &Attributes<'a>, name: Name) {
        let Some(action) = attributes.value(name) else { return };
        if let Some(at) = self.refer(LinkKind::Form, &action) {
            self.page.insecure_forms += usize::from(!self.links.found[at].target.is_https());
        }
    }

    fn input(&mut self, attributes: &Attributes<'a>) {
        if attributes.value(Name::Type).is_some_and(|kind| kind.eq_ignore_ascii_case("image")) {
            let alt = attributes.value(Name::Alt).unwrap_or_default();
            self.illustration(LinkKind::Image, attributes, Name::Src, Rel::default(), &collapse(cut(&alt, ALT_CHARS)));
        }
        self.form_action(attributes, Name::Formaction);
        self.note_input(attributes);
    }

    fn media(&mut self, tag: Tag, attributes: &Attributes<'a>) {
        let kind = match (tag, self.open.parent()) {
            (Tag::Track, _) => LinkKind::Track,
            (Tag::Audio, _) | (Tag::Source, Tag::Audio) => LinkKind::Audio,
            (Tag::Source, Tag::Picture) => LinkKind::Image,
            _ => LinkKind::Video,
        };
        self.illustration(kind, attributes, Name::Src, Rel::default(), "");
        match tag {
            Tag::Source => self.each_in_srcset(kind, attributes, Name::Srcset),
            Tag::Video => self.illustration(LinkKind::Image, attributes, Name::Poster, Rel::default(), ""),
            _ => {}
        }
    }

    fn embedded(&mut self, tag: Tag, attributes: &Attributes<'a>) {
        match tag {
            Tag::Iframe | Tag::Frame => {
                self.illustration(LinkKind::Frame, attributes, Name::Src, Rel::default(), "");
                self.hint(attributes, Name::Longdesc);
                if let Some(html) = attributes.value(Name::Srcdoc).filter(|_| tag == Tag::Iframe) {
                    self.read_nested(&html);
                }
            }
            Tag::Embed => self.illustration(LinkKind::Embed, attributes, Name::Src, Rel::default(), ""),
            Tag::Object => self.illustration(LinkKind::Embed, attributes, Name::Data, Rel::default(), ""),
            _ => self.reference(LinkKind::Embed, attributes, Name::Code),
        }
        if matches!(tag, Tag::Object | Tag::Applet) {
            self.hint(attributes, Name::Codebase);
            let archives = attributes.value(Name::Archive).unwrap_or_default();
            for archive in archives.split(|c: char| c == ',' || c.is_ascii_whitespace()) {
                self.refer(LinkKind::Hint, archive);
            }
        }
    }

    /// The links of a document in a `srcdoc` or `<noframes>` count as links of this page. Documents nested deeper are
    /// ignored.
    pub(super) fn read_nested(&mut self, html: &str) {
        if self.is_nested || self.open.surroundings().is_inert {
            return;
        }
        let resolver = self.links.resolver().clone();
        let links = std::mem::replace(&mut self.links, Links::new(resolver, 0, 0));
        let document = super::Document { html, hooks: &[], columns: &[], ..self.document };
        let mut nested = Reader::new(document, links, self.open.path().to_owned());
        nested.is_nested = true;
        nested.read_tokens();
        super::captions::fill(&mut nested.links.found, nested.captions, nested.text.as_str());
        self.page.template_links += nested.page.template_links;
        self.links = nested.links;
        self.fragments.adopt(nested.fragments);
    }
}

/// The meaning of a `<link>`; `None` without `rel` or `href`.
fn link_tag<'a>(attributes: &Attributes<'a>) -> Option<LinkTag<'a>> {
    let rel = attributes.value(Name::Rel)?;
    let href = attributes.value(Name::Href)?;
    let language = attributes.value(Name::Hreflang);
    let kind = link_kind(&rel, language.is_some())?;
    let kind_of_file = attributes.value(Name::Type).unwrap_or_default();
    let is_feed = kind_of_file.contains("rss") || kind_of_file.contains("atom") || kind_of_file.contains("feed+json");
    let language = if kind == LinkKind::Hreflang { language.unwrap_or_default() } else { Cow::Borrowed("") };
    let href = match href {
        Cow::Borrowed(href) => Cow::Borrowed(trim(href)),
        Cow::Owned(href) => Cow::Owned(trim(&href).to_owned()),
    };
    Some(LinkTag { kind, href, language, is_feed })
}

/// The kind of a `<link>`, by the first decisive word of its `rel`.
fn link_kind(rel: &str, has_language: bool) -> Option<LinkKind> {
    let mut kind = None;
    for word in rel.split_ascii_whitespace() {
        let said = match word.to_ascii_lowercase().as_str() {
            "stylesheet" => return Some(LinkKind::Stylesheet),
            "canonical" => LinkKind::Canonical,
            "icon" | "mask-icon" | "fluid-icon" => LinkKind::Icon,
            "apple-touch-icon" | "apple-touch-icon-precomposed" | "apple-touch-startup-image" => LinkKind::Icon,
            "next" => LinkKind::Next,
            "prev" | "previous" => LinkKind::Prev,
            "amphtml" => LinkKind::Amp,
            "manifest" => LinkKind::Manifest,
            "alternate" if has_language => LinkKind::Hreflang,
            "alternate" => LinkKind::Alternate,
            "preload" | "modulepreload" | "prefetch" | "preconnect" | "dns-prefetch" | "prerender" | "pingback" => {
                LinkKind::Hint
            }
            _ => LinkKind::Related,
        };
        // `shortcut icon` and `alternate icon` are icons, whatever the first word means.
        kind = kind.filter(|earlier| !matches!(earlier, LinkKind::Related | LinkKind::Alternate)).or(Some(said));
    }
    kind
}
