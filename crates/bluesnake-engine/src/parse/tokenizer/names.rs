//! The names of elements and attributes that mean something to us.
//!
//! A name is packed into an integer while the tokenizer reads it, letter by letter and without regard to case, so that
//! telling names apart is a comparison of integers. Names that we do not know are `Other` and keep their text.

/// What stands in a letter table for a byte that ends a name.
const END: u8 = u8::MAX;
/// What stands in a letter table for a byte that no known name has.
const FOREIGN: u8 = 0x80;

/// How the letters of a name are packed: a number for each byte, so many bits wide.
pub(super) struct Alphabet {
    numbers: [u8; 256],
    bits: u32,
    longest: usize,
}

/// Letters and the digits of h1 to h6.
pub(super) static TAGS: Alphabet = Alphabet::new(b"123456", b"\t\n\x0c\r />", 6);
/// Letters, `-` and `:`.
pub(super) static ATTRIBUTES: Alphabet = Alphabet::new(b"-:", b"\t\n\x0c\r />=", 5);

impl Alphabet {
    const fn new(more: &[u8], ends: &[u8], bits: u32) -> Self {
        let mut numbers = [FOREIGN; 256];
        let mut letter = 0;
        while letter < 26 {
            numbers[b'a' as usize + letter] = letter as u8 + 1;
            numbers[b'A' as usize + letter] = letter as u8 + 1;
            letter += 1;
        }
        let mut i = 0;
        while i < more.len() {
            numbers[more[i] as usize] = 27 + i as u8;
            i += 1;
        }
        let mut i = 0;
        while i < ends.len() {
            numbers[ends[i] as usize] = END;
            i += 1;
        }
        Self { numbers, bits, longest: (u64::BITS / bits) as usize }
    }

    /// Reads the name that starts at `start`: where it ends, and its letters packed (0 when it cannot be a known one).
    #[inline]
    pub(super) fn read(&self, bytes: &[u8], start: usize) -> (usize, u64) {
        let (mut packed, mut seen, mut at) = (0u64, 0, start);
        while let Some(&byte) = bytes.get(at) {
            let number = self.numbers[usize::from(byte)];
            if number == END {
                break;
            }
            packed = packed << self.bits | u64::from(number);
            seen |= number;
            at += 1;
        }
        (at, if seen & FOREIGN != 0 || at - start > self.longest { 0 } else { packed })
    }

    const fn pack(&self, name: &str) -> u64 {
        let bytes = name.as_bytes();
        let (mut packed, mut at) = (0, 0);
        while at < bytes.len() {
            let number = self.numbers[bytes[at] as usize];
            assert!(number & FOREIGN == 0 && bytes.len() <= self.longest);
            packed = packed << self.bits | number as u64;
            at += 1;
        }
        packed
    }
}

/// How many places the index of names has.
const PLACES: usize = 2048;

/// Where in the index a name can stand.
#[inline]
const fn place(packed: u64, factor: u64) -> usize {
    (packed.wrapping_mul(factor) >> (u64::BITS - PLACES.ilog2())) as usize
}

/// A factor that leads no two of these names to the same place; found by trying some.
const fn factor(names: &[u64]) -> u64 {
    let mut factor: u64 = 1;
    'next: loop {
        factor = factor.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let (mut is_taken, mut at) = ([false; PLACES], 0);
        while at < names.len() {
            let place = place(names[at], factor);
            if names[at] != 0 && is_taken[place] {
                continue 'next;
            }
            is_taken[place] |= names[at] != 0;
            at += 1;
        }
        return factor;
    }
}

macro_rules! names {
    ($(#[$doc:meta])* $name:ident by $alphabet:ident in $set:ty { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $name {
            Other,
            $($variant,)*
        }

        impl $name {
            /// The names in lower case, in order; empty for `Other`.
            const TEXTS: &'static [&'static str] = &["", $($text,)*];

            /// The names by their places in the index, each at its own.
            const INDEX: ([Self; PLACES], u64) = {
                let (mut names, factor) = ([Self::Other; PLACES], factor(&Self::PACKED));
                $(names[place(Self::PACKED[Self::$variant as usize], factor)] = Self::$variant;)*
                (names, factor)
            };

            /// The packed letters of the names, in order; none for `Other`.
            const PACKED: [u64; 256] = {
                let mut packed = [0; 256];
                $(packed[Self::$variant as usize] = $alphabet.pack($text);)*
                packed
            };

            #[inline]
            pub(super) fn of(packed: u64) -> Self {
                static NAMES: [$name; PLACES] = $name::INDEX.0;
                static PACKED: [u64; 256] = $name::PACKED;
                let name = NAMES[place(packed, Self::INDEX.1)];
                if PACKED[name as usize] == packed { name } else { Self::Other }
            }

            /// The name that a text spells, whatever its case.
            pub(crate) fn named(text: &str) -> Self {
                let (end, packed) = $alphabet.read(text.as_bytes(), 0);
                let name = if end == text.len() { Self::of(packed) } else { Self::Other };
                debug_assert!(name == Self::Other || Self::TEXTS[name as usize].eq_ignore_ascii_case(text));
                name
            }

            /// A set of names that holds this one alone.
            pub(crate) const fn bit(self) -> $set {
                1 << self as u8
            }
        }
    };
}

names! {
    /// An element's name.
    Tag by TAGS in u128 {
        A = "a", Address = "address", Applet = "applet", Area = "area", Article = "article", Aside = "aside",
        Audio = "audio", B = "b", Base = "base", Basefont = "basefont", Bgsound = "bgsound", Blockquote = "blockquote",
        Body = "body", Br = "br", Button = "button", Caption = "caption", Center = "center", Code = "code", Col = "col",
        Colgroup = "colgroup", Dd = "dd", Del = "del", Desc = "desc", Details = "details", Dialog = "dialog",
        Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em", Embed = "embed", FeImage = "feimage",
        Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Footer = "footer", Form = "form",
        Frame = "frame", Frameset = "frameset", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6",
        Head = "head", Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html", I = "i", Iframe = "iframe",
        Image = "image", Img = "img", Input = "input", Ins = "ins", Li = "li", Link = "link", Listing = "listing",
        Main = "main", Marquee = "marquee", Math = "math", Menu = "menu", Meta = "meta", Nav = "nav",
        Noembed = "noembed", Noframes = "noframes", Noscript = "noscript", Object = "object", Ol = "ol",
        Optgroup = "optgroup", Option = "option", P = "p", Param = "param", Picture = "picture",
        Plaintext = "plaintext", Pre = "pre", Q = "q", S = "s", Script = "script", Search = "search",
        Section = "section", Select = "select", Small = "small", Source = "source", Span = "span", Strong = "strong",
        Style = "style", Sub = "sub", Summary = "summary", Sup = "sup", Svg = "svg", Table = "table", Tbody = "tbody",
        Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th", Thead = "thead",
        Title = "title", Tr = "tr", Track = "track", U = "u", Ul = "ul", Use = "use", Video = "video", Wbr = "wbr",
        Xmp = "xmp",
    }
}

names! {
    /// An attribute's name.
    AttributeName by ATTRIBUTES in u64 {
        Action = "action", Alt = "alt", Amp = "amp", Archive = "archive", AriaLabel = "aria-label", As = "as",
        Background = "background", Charset = "charset", Checked = "checked", Cite = "cite", Class = "class", Code = "code",
        Codebase = "codebase", Content = "content", Data = "data", Dir = "dir", Disabled = "disabled",
        Dynsrc = "dynsrc", Encoding = "encoding",
        Formaction = "formaction", Height = "height", Href = "href", Hreflang = "hreflang", HttpEquiv = "http-equiv",
        Id = "id", Imagesrcset = "imagesrcset", Itemprop = "itemprop", Itemtype = "itemtype", Lang = "lang", Longdesc = "longdesc",
        Lowsrc = "lowsrc", Manifest = "manifest", Media = "media", Method = "method", Name = "name", Ping = "ping", Poster = "poster",
        Profile = "profile", Property = "property", Rel = "rel", Role = "role", Selected = "selected", Src = "src", Srcdoc = "srcdoc",
        Srcset = "srcset", Style = "style", Target = "target", Type = "type", Typeof = "typeof", Value = "value", Width = "width",
        XlinkHref = "xlink:href",
    }
}

const fn set(tags: &[Tag]) -> u128 {
    let (mut set, mut at) = (0, 0);
    while at < tags.len() {
        set |= tags[at].bit();
        at += 1;
    }
    set
}

use Tag as T;

#[rustfmt::skip]
const VOID: u128 = set(&[
    T::Area, T::Base, T::Basefont, T::Bgsound, T::Br, T::Col, T::Embed, T::Frame, T::Hr, T::Img, T::Input, T::Link,
    T::Meta, T::Param, T::Source, T::Track, T::Wbr,
]);
#[rustfmt::skip]
const HEADINGS: u128 = set(&[T::H1, T::H2, T::H3, T::H4, T::H5, T::H6]);
#[rustfmt::skip]
const CLOSES_PARAGRAPH: u128 = HEADINGS | set(&[
    T::Address, T::Article, T::Aside, T::Blockquote, T::Center, T::Dd, T::Details, T::Dialog, T::Dir, T::Div, T::Dl,
    T::Dt, T::Fieldset, T::Figcaption, T::Figure, T::Footer, T::Form, T::Header, T::Hgroup, T::Hr, T::Li, T::Listing,
    T::Main, T::Menu, T::Nav, T::Ol, T::P, T::Plaintext, T::Pre, T::Search, T::Section, T::Summary, T::Table, T::Ul,
    T::Xmp,
]);
#[rustfmt::skip]
const BLOCK: u128 = CLOSES_PARAGRAPH | set(&[
    T::Body, T::Button, T::Caption, T::Html, T::Optgroup, T::Option, T::Select, T::Tbody, T::Td, T::Textarea,
    T::Tfoot, T::Th, T::Thead, T::Tr,
]);
#[rustfmt::skip]
const SPECIAL: u128 = CLOSES_PARAGRAPH | VOID | set(&[
    T::Applet, T::Body, T::Button, T::Caption, T::Colgroup, T::Frameset, T::Head, T::Html, T::Iframe, T::Marquee,
    T::Noembed, T::Noframes, T::Noscript, T::Object, T::Script, T::Select, T::Style, T::Tbody, T::Td, T::Template,
    T::Textarea, T::Tfoot, T::Th, T::Thead, T::Title, T::Tr,
]);
#[rustfmt::skip]
const HEAD_CONTENT: u128 = set(&[
    T::Base, T::Basefont, T::Bgsound, T::Link, T::Meta, T::Noframes, T::Noscript, T::Script, T::Style, T::Template,
    T::Title,
]);
#[rustfmt::skip]
const LEAVES_FOREIGN: u128 = HEADINGS | set(&[
    T::B, T::Blockquote, T::Body, T::Br, T::Center, T::Code, T::Dd, T::Div, T::Dl, T::Dt, T::Em, T::Embed, T::Head,
    T::Hr, T::I, T::Img, T::Li, T::Listing, T::Menu, T::Meta, T::Ol, T::P, T::Pre, T::S, T::Small, T::Span, T::Strong,
    T::Sub, T::Sup, T::Table, T::U, T::Ul,
]);
#[rustfmt::skip]
const HOLDS_SCOPE: u128 = set(&[
    T::Applet, T::Caption, T::Html, T::Marquee, T::Object, T::Table, T::Td, T::Template, T::Th,
]);

/// The sets above by tag, a bit for each: one look at a byte is cheaper than at sixteen.
static PROPERTIES: [u8; 128] = {
    let sets = [VOID, HEADINGS, CLOSES_PARAGRAPH, BLOCK, SPECIAL, HEAD_CONTENT, LEAVES_FOREIGN, HOLDS_SCOPE];
    let mut properties = [0; 128];
    let mut at = 0;
    while at < sets.len() * 128 {
        let (set, tag) = (at / 128, at % 128);
        properties[tag] |= ((sets[set] >> tag & 1) as u8) << set;
        at += 1;
    }
    properties
};

impl Tag {
    /// The name in lower case; empty for `Other`.
    pub(crate) fn as_str(self) -> &'static str {
        Self::TEXTS[usize::from(self as u8)]
    }

    /// Whether it has no content and no end tag.
    pub(crate) fn is_void(self) -> bool {
        self.has_property(0)
    }

    /// Whether it is h1 to h6.
    pub(crate) fn is_heading(self) -> bool {
        self.has_property(1)
    }

    /// Whether its start ends an open paragraph.
    pub(crate) fn closes_paragraph(self) -> bool {
        self.has_property(2)
    }

    /// Whether text before, in and after it belongs to different blocks.
    pub(crate) fn is_block(self) -> bool {
        self.has_property(3)
    }

    /// Whether the end tag of an outer element cannot close it: the standard's special elements.
    pub(crate) fn is_special(self) -> bool {
        self.has_property(4)
    }

    /// Whether it may stand in the head.
    pub(crate) fn is_head_content(self) -> bool {
        self.has_property(5)
    }

    /// Whether its start ends SVG and MathML around it.
    pub(crate) fn leaves_foreign(self) -> bool {
        self.has_property(6)
    }

    /// Whether what is open outside it is out of scope for what stands inside.
    pub(crate) fn holds_scope(self) -> bool {
        self.has_property(7)
    }

    /// Whether it is in a set made of [`Tag::bit`].
    pub(crate) fn is_in(self, set: u128) -> bool {
        set & self.bit() != 0
    }

    #[inline]
    fn has_property(self, number: u8) -> bool {
        PROPERTIES[usize::from(self as u8)] & 1 << number != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_whatever_their_case() {
        assert_eq!(Tag::named("BlockQuote"), Tag::Blockquote);
        assert_eq!(Tag::named("h6"), Tag::H6);
        assert_eq!(Tag::named("h7"), Tag::Other);
        assert_eq!(Tag::named("blockquotes"), Tag::Other);
        assert_eq!(Tag::named("my-element"), Tag::Other);
        assert_eq!(AttributeName::named("HTTP-Equiv"), AttributeName::HttpEquiv);
        assert_eq!(AttributeName::named("data-src"), AttributeName::Other);
        assert_eq!(AttributeName::named("aaaaaaaaaaaaaaaahref"), AttributeName::Other);
    }

    #[test]
    fn the_properties_of_a_tag_are_those_of_the_sets_it_is_in() {
        for tag in [Tag::Other, Tag::A, Tag::Br, Tag::H6, Tag::P, Tag::Td, Tag::Meta, Tag::Xmp, Tag::Span] {
            let by_sets = [VOID, HEADINGS, CLOSES_PARAGRAPH, BLOCK, SPECIAL, HEAD_CONTENT, LEAVES_FOREIGN, HOLDS_SCOPE]
                .map(|set| tag.is_in(set));
            let by_table = [
                tag.is_void(),
                tag.is_heading(),
                tag.closes_paragraph(),
                tag.is_block(),
                tag.is_special(),
                tag.is_head_content(),
                tag.leaves_foreign(),
                tag.holds_scope(),
            ];
            assert_eq!(by_table, by_sets, "{tag:?}");
        }
    }

    #[test]
    fn every_name_is_found_by_its_text() {
        for (number, text) in Tag::TEXTS.iter().enumerate().skip(1) {
            assert_eq!((Tag::named(text) as usize, Tag::named(text).as_str()), (number, *text));
        }
        for (number, text) in AttributeName::TEXTS.iter().enumerate().skip(1) {
            assert_eq!(AttributeName::named(text) as usize, number);
        }
    }
}
