//! Links: one place where a document refers to another URL.
//!
//! Every edge keeps its [`LinkKind`], so a page link, a resource, a form action and a hint are never mixed. Its
//! [`Role`] determines what may be done with it; whether it is done is decided in [`crate::admit`].

use std::sync::Arc;

use crate::url::CanonicalUrl;
use crate::words::words;

words! {
    /// How a document refers to a URL.
    LinkKind {
        /// `<a href>`.
        Anchor = "anchor",
        /// `<area href>`.
        Area = "area",
        /// `<iframe>`, `<frame>`; a `srcdoc` is parsed in place.
        Frame = "iframe",
        /// `<object data>`, `<embed src>`, `<applet>`.
        Embed = "embed",
        /// `<link rel=canonical>` or the header of that name.
        Canonical = "canonical",
        /// `<link rel=alternate hreflang>`; the link's text is the language code.
        Hreflang = "hreflang",
        /// `<link rel=next>` or `<a rel=next>` markup in the head.
        Next = "next",
        /// `<link rel=prev>`.
        Prev = "prev",
        /// `<link rel=amphtml>`.
        Amp = "amp",
        /// `<link rel=alternate>` without hreflang: feeds, other formats.
        Alternate = "alternate",
        /// Other `<link rel>` that refer to a document: author, help, license, search, bookmark …
        Related = "related",
        /// `<meta http-equiv=refresh>` or the Refresh header.
        Refresh = "refresh",
        /// The Location header of a redirect.
        Redirect = "redirect",
        /// The Location header of a response that is not a redirect (201).
        Location = "location",
        /// The Content-Location header.
        ContentLocation = "content-location",
        /// A URL in JSON-LD.
        JsonLd = "json-ld",
        /// A `<loc>` (or line, or feed entry) of a sitemap.
        SitemapEntry = "sitemap-entry",
        /// A sitemap listed in robots.txt or a sitemap index, or tried by convention.
        SitemapFile = "sitemap",
        /// robots.txt, fetched for its sitemaps.
        RobotsFile = "robots",
        /// `<img>`, `<picture>`, `<input type=image>`, `background`, SVG images.
        Image = "image",
        /// `<script src>`.
        Script = "script",
        /// `<link rel=stylesheet>`, `@import`.
        Stylesheet = "stylesheet",
        /// `@font-face` sources.
        Font = "font",
        /// `<video>` and its sources.
        Video = "video",
        /// `<audio>` and its sources.
        Audio = "audio",
        /// `<track src>`.
        Track = "track",
        /// `<link rel=icon>` and similar.
        Icon = "icon",
        /// `<link rel=manifest>`.
        Manifest = "manifest",
        /// `url()` in a stylesheet that is neither font nor import.
        CssUrl = "css-url",
        /// A request seen while a page was rendered.
        Network = "network",
        /// `<form action>`, `formaction`.
        Form = "form",
        /// A form submitted with GET, with its initial values, when the settings include such forms.
        GetForm = "get-form",
        /// `ping`, `cite`, `longdesc`, `profile`, preload, prefetch, preconnect …: mentioned, not part of the page.
        Hint = "hint",
        /// An image in JSON-LD, which browsers do not load.
        JsonLdImage = "json-ld-image",
        /// Where a script of a rendered page tried to go.
        ClientRedirect = "client-redirect",
        /// A URL that a rendered page gave itself with `pushState` or `replaceState`.
        History = "history",
    }
}

/// What may be done with an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Leads to a document that is fetched and parsed for more links.
    Page,
    /// Is needed to show the page; fetched to check that it exists.
    Resource,
    /// robots.txt and sitemap files: parsed for more links, not counted in budgets.
    Guide,
    /// Is kept in the link graph and never fetched for this edge alone.
    Mention,
}

impl LinkKind {
    /// What may be done with an edge of this kind.
    pub fn role(self) -> Role {
        match self {
            Self::SitemapFile | Self::RobotsFile => Role::Guide,
            Self::Image
            | Self::Script
            | Self::Stylesheet
            | Self::Font
            | Self::Video
            | Self::Audio
            | Self::Track
            | Self::Icon
            | Self::Manifest
            | Self::CssUrl
            | Self::Network
            | Self::JsonLdImage => Role::Resource,
            Self::Form | Self::Hint => Role::Mention,
            _ => Role::Page,
        }
    }

    /// Whether a crawl follows such a link, judged by the link and its page.
    pub fn is_followed(self, rel: Rel, page_says_nofollow: bool) -> bool {
        match self.role() {
            Role::Mention => false,
            Role::Page => !rel.has(Rel::NOFOLLOW) && !page_says_nofollow,
            Role::Resource | Role::Guide => true,
        }
    }
}

/// The `rel` words and `target` of a link that change its meaning, and what an image lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rel(u8);

impl Rel {
    /// `rel=nofollow`.
    pub const NOFOLLOW: Self = Self(1);
    /// `rel=ugc`.
    pub const UGC: Self = Self(2);
    /// `rel=sponsored`.
    pub const SPONSORED: Self = Self(4);
    /// `rel=noopener`.
    pub const NOOPENER: Self = Self(8);
    /// `rel=noreferrer`.
    pub const NOREFERRER: Self = Self(16);
    /// `target=_blank` or any other new window.
    pub const NEW_WINDOW: Self = Self(32);

    /// An `<img>` without `alt`.
    pub const NO_ALT: Self = Self(64);
    /// An `<img>` with an empty `alt`.
    pub const EMPTY_ALT: Self = Self(128);
    /// An `<img>` without `width` or `height`. Shares its bit with a flag that only hyperlinks have.
    pub const NO_SIZE: Self = Self(32);

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and those of `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The flags as one byte, as a database stores them.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Restores flags from [`Rel::bits`].
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

words! {
    /// How the reference was written.
    PathType {
        /// `https://example.com/a`.
        Absolute = "absolute",
        /// `//example.com/a`.
        ProtocolRelative = "protocol-relative",
        /// `/a`.
        RootRelative = "root-relative",
        /// `a`, `../a`, `?a`, `#a` and the empty reference.
        Relative = "relative",
    }
}

impl PathType {
    /// Determines it from the reference as written.
    pub fn of(reference: &str) -> Self {
        let reference = crate::url::trim(reference);
        let scheme_end = reference.bytes().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(&b)));
        match scheme_end {
            _ if reference.starts_with("//") => Self::ProtocolRelative,
            _ if reference.starts_with('/') => Self::RootRelative,
            Some(at) if at > 0 && reference.as_bytes()[at] == b':' => Self::Absolute,
            _ => Self::Relative,
        }
    }
}

words! {
    /// Where on the page a link is, by the elements around it and the words in their ids, classes and roles.
    #[derive(Default)]
    Position {
        /// In `<head>`, in a header field, in a stylesheet: not on the page.
        #[default]
        Unknown = "unknown",
        /// In the text itself.
        Content = "content",
        /// In a menu.
        Navigation = "navigation",
        /// In the page's header.
        Header = "header",
        /// In the page's footer.
        Footer = "footer",
        /// Beside the text.
        Sidebar = "sidebar",
        /// In a breadcrumb trail.
        Breadcrumbs = "breadcrumbs",
        /// Among the page numbers.
        Pagination = "pagination",
    }
}

words! {
    /// Which form of a page has a link.
    #[derive(Default)]
    LinkOrigin {
        /// The document as fetched.
        #[default]
        Html = "html",
        /// The rendered document alone.
        Rendered = "rendered",
        /// Both.
        Both = "both",
    }
}

/// One place where a document refers to another URL.
#[derive(Clone, Debug)]
pub struct Link {
    /// The URL, resolved.
    pub target: CanonicalUrl,
    /// How the document refers to it.
    pub kind: LinkKind,
    /// `rel` and `target` flags.
    pub rel: Rel,
    /// How the reference was written.
    pub path_type: PathType,
    /// Where on the page it is.
    pub position: Position,
    /// Which form of the page has it.
    pub origin: LinkOrigin,
    /// Its text: anchor text, or the `alt` of an image; for hreflang the language code.
    pub text: Box<str>,
    /// Some of the text around it.
    pub context: Box<str>,
    /// The path of elements around it, as `body > main > p > a`; shared by links at the same place.
    pub dom_path: Arc<str>,
}

impl Link {
    /// A link outside of any document: a redirect, a header field, a sitemap entry.
    pub fn bare(target: CanonicalUrl, kind: LinkKind) -> Self {
        Self {
            target,
            kind,
            rel: Rel::default(),
            path_type: PathType::Absolute,
            position: Position::Unknown,
            origin: LinkOrigin::Html,
            text: Box::default(),
            context: Box::default(),
            dom_path: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_references_are_distinguished() {
        let check = |reference, expected| assert_eq!(PathType::of(reference), expected, "{reference}");
        check("https://a/", PathType::Absolute);
        check("mailto:a@b", PathType::Absolute);
        check("//a/b", PathType::ProtocolRelative);
        check("/a:b", PathType::RootRelative);
        check("a/b:c", PathType::Relative);
        check("?a:b", PathType::Relative);
        check("", PathType::Relative);
        check("#x", PathType::Relative);
    }

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let words: std::collections::BTreeSet<_> = LinkKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(words.len(), LinkKind::ALL.len());
    }
}
