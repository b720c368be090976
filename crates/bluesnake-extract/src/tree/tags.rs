//! The names of elements and attributes that mean something here, as small numbers.
//!
//! Everything else is [`Tag::Other`] or is not kept at all: a page has thousands of `data-` attributes nobody reads.

macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $name:literal,)* } $($extra:ident)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $enum { $($variant,)* $($extra,)? }

        impl $enum {
            /// Sorted by name, so that a name is found by halving.
            const NAMES: &'static [(&'static [u8], $enum)] = &[$(($name.as_bytes(), $enum::$variant),)*];

            pub(crate) fn find(name: &[u8]) -> Option<Self> {
                let found = Self::NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
                Some(Self::NAMES[found].1)
            }
        }

        impl $enum {
            #[cfg(test)]
            fn is_sorted() -> bool {
                Self::NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0)
            }
        }
    };
}

names! {
    /// What an element is.
    Tag {
        A = "a", Abbr = "abbr", Address = "address", Annotation = "annotation", Area = "area", Article = "article",
        Aside = "aside", Audio = "audio", B = "b", Base = "base", Big = "big", Blockquote = "blockquote", Body = "body",
        Br = "br", Button = "button", Canvas = "canvas", Caption = "caption", Center = "center", Cite = "cite",
        Code = "code", Col = "col", Colgroup = "colgroup", Dd = "dd", Del = "del", Details = "details", Dfn = "dfn",
        Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em", Embed = "embed",
        Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Font = "font", Footer = "footer",
        Form = "form", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", Head = "head",
        Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html", I = "i", Iframe = "iframe", Img = "img",
        Input = "input", Ins = "ins", Kbd = "kbd", Label = "label", Legend = "legend", Li = "li", Link = "link",
        Listing = "listing", Main = "main", Map = "map", Mark = "mark", Math = "math", Menu = "menu", Meta = "meta",
        Nav = "nav", Nobr = "nobr", Noscript = "noscript", Object = "object", Ol = "ol", Optgroup = "optgroup",
        Option = "option", P = "p", Param = "param", Picture = "picture", Plaintext = "plaintext", Pre = "pre",
        Q = "q", Rp = "rp", Rt = "rt", Ruby = "ruby", S = "s", Samp = "samp", Script = "script", Search = "search",
        Section = "section", Select = "select", Small = "small", Source = "source", Span = "span", Strike = "strike",
        Strong = "strong", Style = "style", Sub = "sub", Summary = "summary", Sup = "sup", Svg = "svg",
        Table = "table", Tbody = "tbody", Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot",
        Th = "th", Thead = "thead", Time = "time", Title = "title", Tr = "tr", Track = "track", Tt = "tt", U = "u",
        Ul = "ul", Var = "var", Video = "video", Wbr = "wbr", Xmp = "xmp",
    }
    Other
}

names! {
    /// The attributes that are kept.
    Attr {
        Align = "align", Alt = "alt", AriaHidden = "aria-hidden",
        Checked = "checked", Class = "class", Colspan = "colspan", Content = "content",
        DataFootnoteRef = "data-footnote-ref", DataLang = "data-lang", DataLanguage = "data-language",
        DataSrc = "data-src", Encoding = "encoding", Hidden = "hidden", Href = "href", Id = "id",
        Itemprop = "itemprop", Lang = "lang", Name = "name", Property = "property", Rel = "rel",
        Role = "role", Rowspan = "rowspan", Src = "src", Start = "start", Style = "style", Title = "title",
        Type = "type", Value = "value",
    }
}

impl Tag {
    /// Has no content and no end tag.
    pub(crate) fn is_void(self) -> bool {
        matches!(
            self,
            Self::Area
                | Self::Base
                | Self::Br
                | Self::Col
                | Self::Embed
                | Self::Hr
                | Self::Img
                | Self::Input
                | Self::Link
                | Self::Meta
                | Self::Param
                | Self::Source
                | Self::Track
                | Self::Wbr
        )
    }

    /// Text style: may be closed in the wrong order without taking blocks with it.
    pub(crate) fn is_formatting(self) -> bool {
        matches!(
            self,
            Self::A
                | Self::B
                | Self::Big
                | Self::Code
                | Self::Em
                | Self::Font
                | Self::I
                | Self::Nobr
                | Self::S
                | Self::Small
                | Self::Strike
                | Self::Strong
                | Self::Tt
                | Self::U
        )
    }

    /// Starts on a line of its own.
    pub(crate) fn is_block(self) -> bool {
        self.closes_paragraph()
            || matches!(
                self,
                Self::Body
                    | Self::Caption
                    | Self::Dd
                    | Self::Dt
                    | Self::Figcaption
                    | Self::Html
                    | Self::Legend
                    | Self::Li
                    | Self::Tbody
                    | Self::Td
                    | Self::Tfoot
                    | Self::Th
                    | Self::Thead
                    | Self::Tr
            )
    }

    /// Its start tag ends an open paragraph.
    pub(crate) fn closes_paragraph(self) -> bool {
        matches!(
            self,
            Self::Address
                | Self::Article
                | Self::Aside
                | Self::Blockquote
                | Self::Center
                | Self::Details
                | Self::Dialog
                | Self::Dir
                | Self::Div
                | Self::Dl
                | Self::Fieldset
                | Self::Figure
                | Self::Footer
                | Self::Form
                | Self::Header
                | Self::Hgroup
                | Self::Hr
                | Self::Listing
                | Self::Main
                | Self::Menu
                | Self::Nav
                | Self::Ol
                | Self::P
                | Self::Plaintext
                | Self::Pre
                | Self::Search
                | Self::Section
                | Self::Summary
                | Self::Table
                | Self::Ul
                | Self::Xmp
        ) || self.heading_level().is_some()
    }

    pub(crate) fn heading_level(self) -> Option<u8> {
        Some(match self {
            Self::H1 => 1,
            Self::H2 => 2,
            Self::H3 => 3,
            Self::H4 => 4,
            Self::H5 => 5,
            Self::H6 => 6,
            _ => return None,
        })
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self, Self::Ul | Self::Ol | Self::Menu | Self::Dir)
    }

    pub(crate) fn is_cell(self) -> bool {
        matches!(self, Self::Td | Self::Th)
    }
}

#[cfg(test)]
mod tests {
    use super::{Attr, Tag};

    #[test]
    fn names_are_sorted_so_that_each_is_found() {
        assert!(Tag::is_sorted());
        assert!(Attr::is_sorted());
        assert_eq!(Tag::find(b"blockquote"), Some(Tag::Blockquote));
        assert_eq!(Tag::find(b"my-element"), None);
    }
}
