//! What a page says about itself: metas, related links, its document frame, structured data.
//!
//! Everything ends up in [`Page`]; URLs become links as well.

use bluesnake_html::{AttributeName as Name, Attributes, Tag};

use super::json_ld::State;
use super::{BaseHref, Part, Reader, references::LinkTag};
use crate::link::{LinkKind, PathType};
use crate::parse::facts::{CanonicalRef, Directives, Page, Refresh};
use crate::parse::links::{is_sure_reference, refresh, trim};
use crate::parse::text::{collapse, cut};
use crate::url::CanonicalUrl;

/// How much of a meta's content to keep.
const CONTENT_CHARS: usize = 2_000;
/// How many names of invalid elements and of robots to keep.
const FEW: usize = 16;

/// Metas whose content is a URL.
#[rustfmt::skip]
const URL_METAS: [&str; 26] = [
    "og:url", "og:image", "og:image:url", "og:image:secure_url", "og:video", "og:video:url", "og:video:secure_url",
    "og:audio", "og:audio:url", "og:audio:secure_url", "og:see_also", "twitter:url", "twitter:image",
    "twitter:image:src", "twitter:player", "twitter:player:stream", "thumbnail", "syndication-source",
    "original-source", "msapplication-config", "msapplication-starturl", "msapplication-tileimage",
    "msapplication-square70x70logo", "msapplication-square150x150logo", "msapplication-wide310x150logo",
    "msapplication-square310x310logo",
];
/// Microdata properties that are URLs, if their content looks like one.
const URL_ITEMPROPS: [&str; 7] = ["url", "image", "thumbnailUrl", "contentUrl", "embedUrl", "logo", "sameAs"];

impl<'a> Reader<'a> {
    /// Records an `<html>`, `<head>` or `<body>` tag.
    pub(super) fn note_frame(&mut self, tag: Tag, attributes: &Attributes<'a>) {
        let elements = self.page.element_count;
        let structure = &mut self.page.structure;
        match tag {
            Tag::Html => {
                structure.is_body_before_html |= structure.html_tags == 0 && structure.body_tags > 0;
                structure.html_tags += 1;
                self.note_html(attributes);
            }
            Tag::Head => {
                structure.is_head_not_first |= structure.head_tags == 0 && elements - 1 > structure.html_tags;
                structure.head_tags += 1;
                self.is_head_open = self.part == Part::BeforeHead;
                self.hint(attributes, Name::Profile);
            }
            _ => {
                structure.body_tags += 1;
                self.is_head_open = false;
            }
        }
    }

    fn note_html(&mut self, attributes: &Attributes<'a>) {
        let text = |name| attributes.value(name).map(|value| cut(trim(&value), CONTENT_CHARS).to_owned());
        let page = &mut self.page;
        page.lang = page.lang.take().or_else(|| text(Name::Lang));
        page.dir = page.dir.take().or_else(|| text(Name::Dir));
        page.is_amp |= attributes.has(Name::Amp) || attributes.named("⚡").is_some();
        self.hint(attributes, Name::Manifest);
    }

    pub(super) fn note_invalid_in_head(&mut self, name: &str) {
        let structure = &mut self.page.structure;
        structure.invalid_in_head += 1;
        let name = cut(name, 40).to_ascii_lowercase();
        if structure.invalid_head_elements.len() < FEW && !structure.invalid_head_elements.contains(&name) {
            structure.invalid_head_elements.push(name);
        }
    }

    pub(super) fn title(&mut self) {
        if self.open.surroundings().is_inert {
            return;
        }
        self.page.titles += 1;
        self.page.titles_outside_head += usize::from(!self.is_in_head());
        self.page.title.get_or_insert_default();
    }

    /// The first `<base href>` applies to the whole document, including what comes before it.
    pub(super) fn base(&mut self, attributes: &Attributes<'a>) {
        let Some(href) = attributes.value(Name::Href) else { return };
        if self.base != BaseHref::Unknown || self.open.surroundings().is_inert {
            return;
        }
        if self.links.is_untouched() {
            self.page.base = self.links.rebase(&href);
            self.base = BaseHref::Known;
        } else {
            self.base = BaseHref::Late(href.into_owned());
        }
    }

    pub(super) fn is_in_head(&self) -> bool {
        self.part == Part::Head
    }

    pub(super) fn meta(&mut self, attributes: &Attributes<'a>) {
        if self.open.surroundings().is_inert {
            return;
        }
        if let Some(charset) = attributes.value(Name::Charset) {
            self.page.charset.get_or_insert_with(|| trim(&charset).to_owned());
        }
        let Some(content) = attributes.value(Name::Content) else { return };
        if let Some(header) = attributes.value(Name::HttpEquiv) {
            self.http_equiv(trim(&header), &content);
        }
        let lower = |name| attributes.value(name).map(|value| trim(&value).to_ascii_lowercase());
        let (name, property) = (lower(Name::Name), lower(Name::Property));
        if let Some(name) = &name {
            self.named_meta(name, &content);
        }
        if let Some(property) = property.filter(|property| name.as_ref() != Some(property)) {
            self.named_meta(&property, &content);
        }
        if let Some(names) = attributes.value(Name::Itemprop)
            && names.split_ascii_whitespace().any(|name| URL_ITEMPROPS.contains(&name))
            && is_sure_reference(&content)
        {
            self.refer(LinkKind::Hint, &content);
        }
    }

    fn http_equiv(&mut self, header: &str, content: &str) {
        if header.eq_ignore_ascii_case("refresh") {
            self.refresh(content);
        } else if header.eq_ignore_ascii_case("content-type")
            && let Some((_, charset)) = content.split_once("charset=")
        {
            let charset = charset.split([';', ' ']).next().unwrap_or("").trim_matches(['"', '\'']);
            self.page.charset.get_or_insert_with(|| charset.to_owned());
        } else if header.eq_ignore_ascii_case("content-security-policy") {
            self.report_addresses(content);
        }
    }

    /// Where browsers report violations of a policy.
    fn report_addresses(&mut self, policy: &str) {
        for directive in policy.split(';') {
            let mut words = directive.split_ascii_whitespace();
            if words.next().is_some_and(|name| name.eq_ignore_ascii_case("report-uri")) {
                words.for_each(|reference| _ = self.refer(LinkKind::Hint, reference));
            }
        }
    }

    fn refresh(&mut self, content: &str) {
        let Some((seconds, reference)) = refresh(content) else { return };
        let url = reference.and_then(|reference| self.refer(LinkKind::Refresh, &reference)).map(|at| self.target(at));
        // A refresh inside `<noscript>` does not apply to browsers that run scripts.
        if !self.open.is_open(Tag::Noscript) {
            self.page.refresh.get_or_insert(Refresh { seconds, url });
        }
    }

    fn named_meta(&mut self, name: &str, content: &str) {
        let is_outside = usize::from(!self.is_in_head());
        let page = &mut self.page;
        match name {
            "description" => {
                page.descriptions += 1;
                page.descriptions_outside_head += is_outside;
                keep_first(&mut page.description, content);
            }
            "keywords" => {
                page.keywords_count += 1;
                keep_first(&mut page.keywords, content);
            }
            "author" => keep_first(&mut page.author, content),
            "generator" => keep_first(&mut page.generator, content),
            "viewport" => keep_first(&mut page.viewport, content),
            "robots" => {
                page.directives.read(content);
                page.directives_outside_head += is_outside;
            }
            _ => self.other_meta(name, content),
        }
    }

    fn other_meta(&mut self, name: &str, content: &str) {
        if URL_METAS.contains(&name) {
            self.refer(LinkKind::Hint, content);
        }
        match name.split_once(':') {
            Some(("twitter", _)) => keep_property(&mut self.page.twitter, name, content),
            Some(("og", _)) => keep_property(&mut self.page.open_graph, name, content),
            Some(("article" | "book" | "profile" | "music" | "video" | "product" | "fb", _)) => {
                keep_property(&mut self.page.open_graph, name, content);
            }
            Some(_) => {}
            None if matches!(name, "msapplication-task" | "msapplication-badge" | "msapplication-notification") => {
                self.named_addresses(content);
            }
            None => self.robot_meta(name, content),
        }
    }

    /// The URLs of `name=Search;action-uri=/search;icon-uri=/icon.ico`.
    fn named_addresses(&mut self, content: &str) {
        for part in content.split(';') {
            if let Some((name, reference)) = part.split_once('=')
                && name.trim_ascii().to_ascii_lowercase().contains("-uri")
            {
                self.refer(LinkKind::Hint, reference);
            }
        }
    }

    /// A meta for a single robot is recognised by its directives.
    fn robot_meta(&mut self, name: &str, content: &str) {
        let mut directives = Directives::default();
        if !directives.read(content) {
            return;
        }
        self.page.directives_outside_head += usize::from(!self.is_in_head());
        let robots = &mut self.page.bot_directives;
        if let Some((_, earlier)) = robots.iter_mut().find(|(robot, _)| robot == name) {
            earlier.merge(&directives);
        } else if robots.len() < FEW {
            robots.push((cut(name, 100).to_owned(), directives));
        }
    }

    /// Records what a `<link>` means for the page.
    pub(super) fn note_link(&mut self, link: &LinkTag<'_>, attributes: &Attributes<'a>, target: Option<CanonicalUrl>) {
        match link.kind {
            LinkKind::Canonical => self.note_canonical(link, attributes, target),
            LinkKind::Hreflang => {
                self.page.hreflangs_outside_head += usize::from(!self.is_in_head());
                let language = trim(&link.language).to_owned();
                keep_relative(&mut self.page.hreflangs, target.map(|url| (language, url)));
            }
            LinkKind::Next => keep_relative(&mut self.page.next, target),
            LinkKind::Prev => keep_relative(&mut self.page.prev, target),
            LinkKind::Icon => keep_relative(&mut self.page.icons, target),
            LinkKind::Alternate if link.is_feed => keep_relative(&mut self.page.feeds, target),
            _ => {}
        }
    }

    fn note_canonical(&mut self, link: &LinkTag<'_>, attributes: &Attributes<'a>, url: Option<CanonicalUrl>) {
        const INVALID: u64 = Name::Hreflang.bit() | Name::Lang.bit() | Name::Media.bit() | Name::Type.bit();
        let canonical = CanonicalRef {
            url,
            raw: cut(&link.href, CONTENT_CHARS).to_owned(),
            path_type: PathType::of(&link.href),
            is_in_head: self.is_in_head(),
            has_fragment: link.href.contains('#'),
            has_invalid_attribute: attributes.has_any(INVALID),
        };
        keep_relative(&mut self.page.canonicals, Some(canonical));
    }

    /// Types, items and URLs of a JSON-LD script.
    pub(super) fn json_ld(&mut self, script: &str) {
        let mut found = super::json_ld::read(script);
        self.page.json_ld_errors += usize::from(found.state == State::Broken);
        self.page.json_ld_recovered += usize::from(found.state == State::Recovered);
        let room = Page::ITEMS.saturating_sub(self.page.json_ld_items.len());
        self.page.json_ld_items.extend(found.items().take(room));
        for kind in found.types {
            keep_type(&mut self.page.json_ld_types, &kind);
        }
        for (kind, reference) in found.references {
            if is_sure_reference(&reference) {
                self.refer(kind, &reference);
            }
        }
    }

    /// The types of microdata and RDFa.
    pub(super) fn note_types(&mut self, attributes: &Attributes<'a>) {
        for (name, types) in
            [(Name::Itemtype, &mut self.page.microdata_types), (Name::Typeof, &mut self.page.rdfa_types)]
        {
            if let Some(value) = attributes.value(name) {
                value.split_ascii_whitespace().for_each(|kind| keep_type(types, kind));
            }
        }
    }
}

fn keep_relative<T>(relatives: &mut Vec<T>, found: Option<T>) {
    if relatives.len() < Page::RELATIVES {
        relatives.extend(found);
    }
}

fn keep_first(kept: &mut Option<String>, content: &str) {
    kept.get_or_insert_with(|| collapse(cut(content, CONTENT_CHARS)));
}

fn keep_property(properties: &mut Vec<(String, String)>, name: &str, content: &str) {
    if properties.len() < Page::PROPERTIES {
        properties.push((cut(name, 100).to_owned(), collapse(cut(content, CONTENT_CHARS))));
    }
}

fn keep_type(types: &mut Vec<String>, kind: &str) {
    if types.len() < Page::TYPES && !types.iter().any(|known| known == kind) {
        types.push(cut(kind, 200).to_owned());
    }
}
