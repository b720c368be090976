//! The elements that mean something to us, and what the standard says about each.

use crate::names::{Alphabet, names};

/// Letters, and the digits of h1 to h6.
pub(crate) static TAG_LETTERS: Alphabet = Alphabet::new(b"123456", b"\t\n\x0c\r />", 6);

names! {
    /// An element's name.
    Tag by TAG_LETTERS {
        A = "a", Abbr = "abbr", Address = "address", Annotation = "annotation", Applet = "applet", Area = "area",
        Article = "article", Aside = "aside", Audio = "audio", B = "b", Base = "base", Basefont = "basefont",
        Bgsound = "bgsound", Big = "big", Blockquote = "blockquote", Body = "body", Br = "br", Button = "button",
        Canvas = "canvas", Caption = "caption", Center = "center", Cite = "cite", Code = "code", Col = "col",
        Colgroup = "colgroup", Dd = "dd", Del = "del", Desc = "desc", Details = "details", Dfn = "dfn",
        Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em", Embed = "embed",
        FeImage = "feimage", Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Font = "font",
        Footer = "footer", Form = "form", Frame = "frame", Frameset = "frameset", H1 = "h1", H2 = "h2", H3 = "h3",
        H4 = "h4", H5 = "h5", H6 = "h6", Head = "head", Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html",
        I = "i", Iframe = "iframe", Image = "image", Img = "img", Input = "input", Ins = "ins", Kbd = "kbd", Keygen = "keygen",
        Label = "label", Legend = "legend", Li = "li", Link = "link", Listing = "listing", Main = "main", Map = "map",
        Mark = "mark", Marquee = "marquee", Math = "math", Menu = "menu", Meta = "meta", Nav = "nav", Nobr = "nobr",
        Noembed = "noembed", Noframes = "noframes", Noscript = "noscript", Object = "object", Ol = "ol",
        Optgroup = "optgroup", Option = "option", P = "p", Param = "param", Picture = "picture",
        Plaintext = "plaintext", Pre = "pre", Q = "q", Rp = "rp", Rt = "rt", Ruby = "ruby", S = "s", Samp = "samp",
        Script = "script", Search = "search", Section = "section", Select = "select", Small = "small",
        Source = "source", Span = "span", Strike = "strike", Strong = "strong", Style = "style", Sub = "sub",
        Summary = "summary", Sup = "sup", Svg = "svg", Table = "table", Tbody = "tbody", Td = "td",
        Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th", Thead = "thead", Time = "time",
        Title = "title", Tr = "tr", Track = "track", Tt = "tt", U = "u", Ul = "ul", Use = "use", Var = "var",
        Video = "video", Wbr = "wbr", Xmp = "xmp",
    }
}

/// A set of tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags([u64; 4]);

impl Tags {
    /// The set of these tags.
    pub const fn of(tags: &[Tag]) -> Self {
        let (mut set, mut at) = (Self([0; 4]), 0);
        while at < tags.len() {
            set.0[tags[at] as usize / 64] |= 1 << (tags[at] as usize % 64);
            at += 1;
        }
        set
    }

    /// This set and these tags.
    pub const fn and(self, tags: &[Tag]) -> Self {
        self.union(Self::of(tags))
    }

    /// The tags that are in either set.
    pub const fn union(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    /// Whether it contains a tag.
    #[inline]
    pub const fn has(&self, tag: Tag) -> bool {
        self.0[tag as usize / 64] >> (tag as usize % 64) & 1 != 0
    }
}

use Tag as T;

#[rustfmt::skip]
const VOID: Tags = Tags::of(&[
    T::Area, T::Base, T::Basefont, T::Bgsound, T::Br, T::Col, T::Embed, T::Frame, T::Hr, T::Img, T::Input, T::Keygen,
    T::Link, T::Meta, T::Param, T::Source, T::Track, T::Wbr,
]);
#[rustfmt::skip]
const HEADINGS: Tags = Tags::of(&[T::H1, T::H2, T::H3, T::H4, T::H5, T::H6]);
#[rustfmt::skip]
const CLOSES_PARAGRAPH: Tags = HEADINGS.and(&[
    T::Address, T::Article, T::Aside, T::Blockquote, T::Center, T::Dd, T::Details, T::Dialog, T::Dir, T::Div, T::Dl,
    T::Dt, T::Fieldset, T::Figcaption, T::Figure, T::Footer, T::Form, T::Header, T::Hgroup, T::Hr, T::Li, T::Listing,
    T::Main, T::Menu, T::Nav, T::Ol, T::P, T::Plaintext, T::Pre, T::Search, T::Section, T::Summary, T::Table, T::Ul,
    T::Xmp,
]);
#[rustfmt::skip]
const BLOCK: Tags = CLOSES_PARAGRAPH.and(&[
    T::Body, T::Button, T::Caption, T::Html, T::Optgroup, T::Option, T::Select, T::Tbody, T::Td, T::Textarea,
    T::Tfoot, T::Th, T::Thead, T::Tr,
]);
#[rustfmt::skip]
const SPECIAL: Tags = CLOSES_PARAGRAPH.union(VOID).and(&[
    T::Applet, T::Body, T::Button, T::Caption, T::Colgroup, T::Frameset, T::Head, T::Html, T::Iframe, T::Marquee,
    T::Noembed, T::Noframes, T::Noscript, T::Object, T::Script, T::Select, T::Style, T::Tbody, T::Td, T::Template,
    T::Textarea, T::Tfoot, T::Th, T::Thead, T::Title, T::Tr,
]);
#[rustfmt::skip]
const HEAD_CONTENT: Tags = Tags::of(&[
    T::Base, T::Basefont, T::Bgsound, T::Link, T::Meta, T::Noframes, T::Noscript, T::Script, T::Style, T::Template,
    T::Title,
]);
#[rustfmt::skip]
const LEAVES_FOREIGN: Tags = HEADINGS.and(&[
    T::B, T::Big, T::Blockquote, T::Body, T::Br, T::Center, T::Code, T::Dd, T::Div, T::Dl, T::Dt, T::Em, T::Embed,
    T::Head, T::Hr, T::I, T::Img, T::Li, T::Listing, T::Menu, T::Meta, T::Nobr, T::Ol, T::P, T::Pre, T::Ruby, T::S,
    T::Small, T::Span, T::Strike, T::Strong, T::Sub, T::Sup, T::Table, T::Tt, T::U, T::Ul, T::Var,
]);
#[rustfmt::skip]
const HOLDS_SCOPE: Tags = Tags::of(&[
    T::Applet, T::Caption, T::Html, T::Marquee, T::Object, T::Table, T::Td, T::Template, T::Th,
]);
#[rustfmt::skip]
const FORMATTING: Tags = Tags::of(&[
    T::A, T::B, T::Big, T::Code, T::Em, T::Font, T::I, T::Nobr, T::S, T::Small, T::Strike, T::Strong, T::Tt, T::U,
]);

/// The sets above by tag, a bit for each: one load answers every question about a tag.
static PROPERTIES: [u16; 256] = {
    let (mut properties, mut at) = ([0; 256], 0);
    while at < SETS.len() * 256 {
        let (set, tag) = (at / 256, at % 256);
        properties[tag] |= ((SETS[set].0[tag / 64] >> (tag % 64) & 1) as u16) << set;
        at += 1;
    }
    properties
};

macro_rules! properties {
    ($( #[doc = $doc:literal] $name:ident: $set:ident, )*) => {
        const SETS: [Tags; [$( stringify!($name), )*].len()] = [$( $set, )*];

        #[expect(non_camel_case_types, reason = "they are the names of methods")]
        enum Property { $( $name, )* }

        impl Tag {
            $(
                #[doc = $doc]
                #[inline]
                pub fn $name(self) -> bool {
                    PROPERTIES[usize::from(self as u8)] & 1 << Property::$name as u8 != 0
                }
            )*
        }
    };
}

properties! {
    /// Whether it has no content and no end tag.
    is_void: VOID,
    /// Whether it is h1 to h6.
    is_heading: HEADINGS,
    /// Whether its start tag closes an open paragraph.
    closes_paragraph: CLOSES_PARAGRAPH,
    /// Whether text before, in and after it belongs to different blocks.
    is_block: BLOCK,
    /// Whether it is one of the standard's special elements, which the end tag of an outer inline element cannot close.
    is_special: SPECIAL,
    /// Whether it may be in the head.
    is_head_content: HEAD_CONTENT,
    /// Whether its start tag closes SVG and MathML around it. `font` does too, if it has one of three attributes.
    leaves_foreign: LEAVES_FOREIGN,
    /// Whether elements that are open outside it are out of scope inside it.
    holds_scope: HOLDS_SCOPE,
    /// Whether it is one of the standard's formatting elements, whose end tags may come in any order.
    is_formatting: FORMATTING,
}

impl Tag {
    /// 1 to 6 for h1 to h6.
    #[inline]
    pub fn heading_level(self) -> Option<u8> {
        self.is_heading().then(|| self as u8 - Self::H1 as u8 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_in_any_case() {
        assert_eq!(Tag::named("BlockQuote"), Tag::Blockquote);
        assert_eq!(Tag::named("h6"), Tag::H6);
        assert_eq!(Tag::named("h7"), Tag::Other);
        assert_eq!(Tag::named("blockquotes"), Tag::Other);
        assert_eq!(Tag::named("my-element"), Tag::Other);
    }

    #[test]
    fn finds_every_name_by_its_text() {
        for (number, text) in Tag::TEXTS.iter().enumerate().skip(1) {
            assert_eq!((Tag::named(text) as usize, Tag::named(text).as_str()), (number, *text));
        }
    }

    #[test]
    fn the_properties_of_a_tag_are_the_sets_it_is_in() {
        for name in Tag::TEXTS {
            let tag = Tag::named(name);
            let by_table = [
                tag.is_void(),
                tag.is_heading(),
                tag.closes_paragraph(),
                tag.is_block(),
                tag.is_special(),
                tag.is_head_content(),
                tag.leaves_foreign(),
                tag.holds_scope(),
                tag.is_formatting(),
            ];
            assert_eq!(by_table, SETS.map(|set| set.has(tag)), "{tag:?}");
        }
    }

    #[test]
    fn headings_have_levels() {
        assert_eq!([Tag::H1, Tag::H6, Tag::Hr].map(Tag::heading_level), [Some(1), Some(6), None]);
    }
}
