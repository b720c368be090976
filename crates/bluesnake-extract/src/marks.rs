//! What classes, ids and roles tell about an element: tables of names, each looked up once per page.
//!
//! [`Meaning::of`] reads one name. Exact names come first ([`EXACT`]); then the words a name is made of ([`WORDS`]), so
//! that `styles_sidebar__x1` and `MuiBreadcrumbs-root` are understood without being listed.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::framework::Framework;
use crate::removal::Reason;

/// What an element is to the writer, beyond its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Shape {
    #[default]
    Plain,
    Admonition,
    AdmonitionTitle,
    /// A table or list whose cells are lines of code.
    CodeTable,
    Katex,
    KatexDisplay,
    /// TeX between `\(` and `\)`, or `\[` and `\]`.
    Math,
    FootnoteReference,
    Footnote,
    /// A list whose items are footnotes.
    Footnotes,
    TabList,
    TabLabel,
    TabPanel,
    /// Code blocks behind tabs: the labels first, then the blocks.
    CodeGroup,
    /// The signature of something in a reference: code, although no element says so.
    Signature,
}

/// What one name tells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meaning {
    pub(crate) drop: Option<Reason>,
    /// The name itself is known, not only a word in it.
    pub(crate) is_exact: bool,
    pub(crate) shape: Shape,
    /// This element holds the page's content; lower ranks are surer.
    pub(crate) root: Option<u8>,
    pub(crate) framework: Option<Framework>,
}

impl Meaning {
    pub(crate) fn of(name: &str) -> Self {
        if let Some(meaning) = EXACT_BY_NAME.get(name) {
            return *meaning;
        }
        let of_module = name.split_once('_').and_then(|(base, _)| EXACT_BY_NAME.get(base));
        match of_module {
            // `admonitionHeading_x1` is what a CSS module makes of `admonitionHeading`.
            Some(meaning) if meaning.root.is_none() => *meaning,
            _ => Self { drop: reason_of_words(name), ..Self::default() },
        }
    }

    const fn drop(reason: Reason) -> Self {
        Self { drop: Some(reason), is_exact: true, shape: Shape::Plain, root: None, framework: None }
    }

    const fn shape(shape: Shape) -> Self {
        Self { drop: None, is_exact: true, shape, root: None, framework: None }
    }

    const fn root(rank: u8) -> Self {
        Self { drop: None, is_exact: true, shape: Shape::Plain, root: Some(rank), framework: None }
    }

    const fn root_of(rank: u8, framework: Framework) -> Self {
        Self { drop: None, is_exact: true, shape: Shape::Plain, root: Some(rank), framework: Some(framework) }
    }

    const fn sign_of(framework: Framework) -> Self {
        Self { drop: None, is_exact: true, shape: Shape::Plain, root: None, framework: Some(framework) }
    }

    const fn keep() -> Self {
        Self { drop: None, is_exact: true, shape: Shape::Plain, root: None, framework: None }
    }
}

/// Ranks up to this one belong to a framework and are believed; higher ones must hold most of the page's text.
pub(crate) const SURE_RANK: u8 = 9;

/// Ranks up to this one are names that only one framework uses.
pub(crate) const FRAMEWORK_RANK: u8 = 5;

/// From this rank on a name is used for so many things that it must hold nearly all of the text.
pub(crate) const WEAK_RANK: u8 = 12;

static EXACT_BY_NAME: LazyLock<HashMap<&'static str, Meaning>> =
    LazyLock::new(|| EXACT.iter().flat_map(|(names, meaning)| names.iter().map(|name| (*name, *meaning))).collect());

static REASON_BY_WORD: LazyLock<HashMap<&'static str, Reason>> =
    LazyLock::new(|| WORDS.iter().flat_map(|(words, reason)| words.iter().map(|word| (*word, *reason))).collect());

const EXACT: &[(&[&str], Meaning)] = &[
    // Where the content is.
    (&["theme-doc-markdown"], Meaning::root_of(1, Framework::Docusaurus)),
    (&["md-content__inner"], Meaning::root_of(1, Framework::MkdocsMaterial)),
    (&["vp-doc"], Meaning::root_of(1, Framework::Vitepress)),
    (&["theme-default-content", "content__default"], Meaning::root_of(1, Framework::Vuepress)),
    (&["nextra-content"], Meaning::root_of(2, Framework::Nextra)),
    (&["sl-markdown-content"], Meaning::root_of(1, Framework::Starlight)),
    (&["td-content"], Meaning::root_of(1, Framework::Docsy)),
    (&["bd-article", "furo-main-content"], Meaning::root_of(1, Framework::Sphinx)),
    (&["rst-content"], Meaning::root_of(3, Framework::ReadTheDocs)),
    (&["rm-Markdown"], Meaning::root_of(1, Framework::Readme)),
    (&["mdx-content"], Meaning::root_of(1, Framework::Mintlify)),
    (&["content-area"], Meaning::root_of(3, Framework::Mintlify)),
    (&["markdown-section"], Meaning::root_of(2, Framework::Gitbook)),
    (&["mw-parser-output"], Meaning::root_of(2, Framework::Mediawiki)),
    (&["contentContainer"], Meaning::root_of(4, Framework::Javadoc)),
    (
        &["markdown-body", "markdown-content", "entry-content", "post-content", "article-body", "articleBody"],
        Meaning::root(6),
    ),
    (&["post-body", "article-content", "article__body", "article__content", "entry__content"], Meaning::root(6)),
    (
        &[
            "main-content",
            "page-content",
            "content",
            "main",
            "bodyContent",
            "maincontent",
            "mainContent",
            "MainContent",
        ],
        Meaning::root(12),
    ),
    // What tells the framework.
    (
        &["sphinxsidebar", "sphinxsidebarwrapper", "toctree-wrapper"],
        Meaning { drop: None, framework: Some(Framework::Sphinx), ..Meaning::keep() },
    ),
    (&["wy-nav-content", "wy-nav-content-wrap"], Meaning::sign_of(Framework::ReadTheDocs)),
    (&["sidebar-scrollbox", "mdbook-content", "nav-wide-wrapper"], Meaning::sign_of(Framework::Mdbook)),
    (&["rustdoc"], Meaning::sign_of(Framework::Rustdoc)),
    (&["asciidoctor"], Meaning::sign_of(Framework::Asciidoctor)),
    (&["refentry", "chapter", "preface", "appendix"], Meaning::root_of(4, Framework::Docbook)),
    (&["sect1", "refsect1"], Meaning::sign_of(Framework::Docbook)),
    // Shapes.
    (
        &[
            "admonition",
            "notecard",
            "theme-admonition",
            "custom-block",
            "admonitionblock",
            "starlight-aside",
            "callout",
            "markdown-alert",
        ],
        Meaning::shape(Shape::Admonition),
    ),
    (
        &["alert", "note-box", "pgnote", "hint-container", "message-box", "nextra-callout"],
        Meaning::shape(Shape::Admonition),
    ),
    (
        &[
            "admonition-title",
            "admonitionHeading",
            "sidebar-title",
            "custom-block-title",
            "starlight-aside__title",
            "markdown-alert-title",
            "hint-container-title",
        ],
        Meaning::shape(Shape::AdmonitionTitle),
    ),
    (
        &[
            "highlighttable",
            "lntable",
            "rouge-table",
            "CodeRay",
            "js-file-line-container",
            "hljs-ln",
            "sourcetable",
            "syntaxhighlighter",
        ],
        Meaning::shape(Shape::CodeTable),
    ),
    (&["katex"], Meaning::shape(Shape::Katex)),
    (&["katex-display"], Meaning::shape(Shape::KatexDisplay)),
    (&["math", "arithmatex", "math-inline", "math-display"], Meaning::shape(Shape::Math)),
    (
        &["footnote-reference", "footnote-ref", "footnoteref", "data-footnote-ref"],
        Meaning::shape(Shape::FootnoteReference),
    ),
    (&["footnotes"], Meaning::shape(Shape::Footnotes)),
    (&["footnote"], Meaning::shape(Shape::Footnote)),
    (&["tabbed-labels", "nav-tabs", "tab-list", "sphinx-tabs-list", "tabs__list"], Meaning::shape(Shape::TabList)),
    (&["vp-code-group", "code-group"], Meaning::shape(Shape::CodeGroup)),
    (&["sd-tab-label"], Meaning::shape(Shape::TabLabel)),
    (&["tabbed-block", "tab-pane", "sphinx-tabs-panel"], Meaning::shape(Shape::TabPanel)),
    (&["sig", "sig-object", "code-header", "member-signature"], Meaning::shape(Shape::Signature)),
    // Parts of code blocks that are not code.
    (
        &["linenos", "lineno", "linenodiv", "lnt", "line-numbers-rows", "line-numbers-wrapper", "hljs-ln-numbers"],
        Meaning::drop(Reason::LineNumbers),
    ),
    (
        &[
            "blob-num",
            "gutter",
            "rouge-gutter",
            "gl",
            "linenumber",
            "line-number",
            "src-line-numbers",
            "code-line-number",
        ],
        Meaning::drop(Reason::LineNumbers),
    ),
    (
        &["react-syntax-highlighter-line-number", "CodeMirror-linenumber", "line-numbers-mode-rows", "ec-line-number"],
        Meaning::drop(Reason::LineNumbers),
    ),
    (
        &[
            "copybtn",
            "hideme",
            "copy-path",
            "lang",
            "copy-button",
            "clipboard-copy",
            "btn-clipboard",
            "clip-button",
            "zeroclipboard-container",
            "copy-code-button",
        ],
        Meaning::drop(Reason::Button),
    ),
    (
        &[
            "test-arrow",
            "buttonGroup",
            "md-code__nav",
            "md-clipboard",
            "copybutton",
            "toolbar-item",
            "code-block-header",
        ],
        Meaning::drop(Reason::Button),
    ),
    // Marks beside headings.
    (
        &[
            "headerlink",
            "header-anchor",
            "hash-link",
            "heading-anchor",
            "anchor-link",
            "anchorlink",
            "permalink",
            "sl-anchor-link",
        ],
        Meaning::drop(Reason::Permalink),
    ),
    (
        &[
            "subheading-anchor",
            "anchorjs-link",
            "doc-anchor",
            "mw-editsection",
            "heading-link-icon",
            "header__permalink",
        ],
        Meaning::drop(Reason::Permalink),
    ),
    (
        &["footnote-backref", "data-footnote-backref", "fn-backref", "fn-bracket", "backrefs"],
        Meaning::drop(Reason::Permalink),
    ),
    (&["viewcode-link", "viewcode-back", "src", "srclink", "src-link"], Meaning::drop(Reason::Permalink)),
    // Hidden text, and formulas drawn a second time.
    (
        &[
            "sr-only",
            "visually-hidden",
            "visuallyhidden",
            "screen-reader-text",
            "screenreader",
            "d-none",
            "is-hidden",
            "sr-hidden",
        ],
        Meaning::drop(Reason::Hidden),
    ),
    (
        &[
            "katex-html",
            "MathJax_Preview",
            "MathJax",
            "mjx-chtml",
            "tooltiptext",
            "noscript",
            "sd-hide",
            "show-for-sr",
            "element-invisible",
        ],
        Meaning::drop(Reason::Hidden),
    ),
    (&["print-only", "visible-print", "noprint-hidden"], Meaning::drop(Reason::Hidden)),
    // Pieces of page furniture whose words would not give them away.
    (
        &[
            "theme-edit-this-page",
            "edit-this-page",
            "edit-page-link",
            "editlink",
            "md-content__button",
            "gh-edit",
            "theme-last-updated",
        ],
        Meaning::drop(Reason::EditLink),
    ),
    (
        &[
            "last-updated",
            "lastupdated",
            "md-source-file",
            "page-last-modified",
            "edit-link",
            "editLink",
            "page-edit",
            "page-edit-link",
        ],
        Meaning::drop(Reason::EditLink),
    ),
    (
        &[
            "prev-next",
            "prevnext",
            "prev-next-area",
            "next-prev",
            "nextprev",
            "nav-chapters",
            "mobile-nav-chapters",
            "pagination-nav",
            "related-pages",
        ],
        Meaning::drop(Reason::Pager),
    ),
    (
        &["page-nav", "rst-footer-buttons", "nav-previous", "nav-next", "post-navigation", "navfooter", "prev", "next"],
        Meaning::drop(Reason::Pager),
    ),
    (
        &[
            "navheader",
            "wy-nav-side",
            "wy-nav-top",
            "wy-breadcrumbs",
            "md-tabs",
            "nav-main",
            "mainmenu",
            "skip-link",
            "skip-to-content",
            "skip-nav",
        ],
        Meaning::drop(Reason::Navigation),
    ),
    (
        &[
            "bd-toc",
            "localtoc",
            "table-of-contents",
            "tableofcontents",
            "on-this-page",
            "onthispage",
            "tocwrapper",
            "minitoc",
            "page-toc",
            "local-toc",
        ],
        Meaning::drop(Reason::TableOfContents),
    ),
    (
        &[
            "vp-doc-aside",
            "VPDocAside",
            "theme-doc-toc-mobile",
            "theme-doc-toc-desktop",
            "vector-toc",
            "toc",
            "TOC",
            "right-toc",
            "doc-toc",
        ],
        Meaning::drop(Reason::TableOfContents),
    ),
    (
        &["theme-doc-breadcrumbs", "bd-header-article", "header-article-items", "breadcrumb", "breadcrumbs"],
        Meaning::drop(Reason::Breadcrumbs),
    ),
    (
        &["theme-doc-version-badge", "theme-doc-version-banner", "versionwarning", "version-warning", "outdated"],
        Meaning::drop(Reason::Header),
    ),
    (
        &["catlinks", "printfooter", "mw-jump-link", "mw-indicators", "siteSub", "contentSub", "jump-to-nav"],
        Meaning::drop(Reason::Navigation),
    ),
    (
        &["disqus_thread", "respond", "comments-area", "comment-respond", "giscus", "utterances"],
        Meaning::drop(Reason::Comments),
    ),
    (&["adsbygoogle", "ethical-ad", "ad-container", "carbonads"], Meaning::drop(Reason::Advertisement)),
    (&["search-form", "search-box", "search-bar", "site-search", "search"], Meaning::drop(Reason::Form)),
    (
        &["message-user", "message-cell--user", "postprofile", "poster", "user-info", "page-info", "author-info"],
        Meaning::drop(Reason::Sidebar),
    ),
    (&["MCWebHelpFramesetLink", "MCBreadcrumbsBox_0", "MCMiniTocBox_0"], Meaning::drop(Reason::Navigation)),
    (&["position-fixed", "fixed-top", "fixed-bottom"], Meaning::drop(Reason::Popup)),
    // Names whose words mislead.
    (
        &[
            "tabs",
            "tabs-container",
            "tabbed-set",
            "tab-content",
            "menuselection",
            "guilabel",
            "highlight",
            "related-topics-content",
        ],
        Meaning::keep(),
    ),
    (
        &[
            "has-sidebar",
            "with-sidebar",
            "no-sidebar",
            "sidebar-layout",
            "has-toc",
            "no-toc",
            "content-sidebar",
            "two-sidebars",
        ],
        Meaning::keep(),
    ),
    (&["headerlink-target", "header", "page-header", "table-header", "code-block-title"], Meaning::keep()),
];

const WORDS: &[(&[&str], Reason)] = &[
    (&["breadcrumb", "breadcrumbs"], Reason::Breadcrumbs),
    (
        &[
            "nav",
            "navbar",
            "navigation",
            "navmenu",
            "sidenav",
            "topnav",
            "subnav",
            "megamenu",
            "menu",
            "menubar",
            "offcanvas",
            "dropdown",
            "switcher",
            "drawer",
            "skiplink",
        ],
        Reason::Navigation,
    ),
    (&["sidebar", "sidepanel", "rail"], Reason::Sidebar),
    (&["toc", "scrollspy"], Reason::TableOfContents),
    (&["footer", "colophon", "copyright"], Reason::Footer),
    (&["masthead", "topbar"], Reason::Header),
    (&["cookie", "cookies", "gdpr", "consent", "onetrust", "cookiebanner", "ccpa"], Reason::Cookies),
    (&["pagination", "pager", "paginator", "paginate"], Reason::Pager),
    (&["feedback", "survey", "helpful"], Reason::Feedback),
    (&["share", "sharing", "social", "socials", "sharedaddy", "addtoany", "addthis", "sharethis"], Reason::Share),
    (
        &[
            "advert",
            "adverts",
            "advertisement",
            "advertising",
            "sponsor",
            "sponsored",
            "sponsors",
            "ads",
            "promo",
            "promos",
        ],
        Reason::Advertisement,
    ),
    (
        &["related", "recommended", "recommendation", "recommendations", "trending", "popular", "upsell", "crosssell"],
        Reason::Related,
    ),
    (&["newsletter", "subscribe", "subscription", "signup", "mailchimp"], Reason::Newsletter),
    (&["modal", "popup", "popover", "lightbox", "toast", "overlay", "tooltip", "flyout", "floating"], Reason::Popup),
    (&["searchbox", "searchbar", "searchform"], Reason::Form),
];

/// Before these words a name says only that something exists: `has-sidebar`, `with-toc`.
const MODIFIERS: &[&str] = &[
    "has", "with", "no", "without", "is", "js", "hide", "show", "not", "below", "under", "after", "before", "layout",
    "body",
];

fn reason_of_words(name: &str) -> Option<Reason> {
    if name.len() > 100 || name.contains(':') {
        return None;
    }
    let mut lower = String::with_capacity(name.len());
    let mut before: Option<Reason> = None;
    for word in words(name) {
        lower.clear();
        lower.extend(word.chars().map(|letter| letter.to_ascii_lowercase()));
        if MODIFIERS.contains(&lower.as_str()) {
            return before;
        }
        before = before.or_else(|| REASON_BY_WORD.get(lower.as_str()).copied());
    }
    before
}

/// `styles_pageFooter__x1` is `styles`, `page`, `Footer`, `x`. What follows `--` is a variant of the thing, not the thing.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let name = name.split("--").next().unwrap_or_default();
    let parts = name.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let end = rest
                .bytes()
                .zip(rest.bytes().skip(1))
                .position(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
            let (word, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = behind;
            (!word.is_empty()).then_some(word)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Meaning, words};
    use crate::removal::Reason;

    #[test]
    fn a_name_is_read_word_by_word() {
        let check = |name: &str, expected: &[&str]| assert_eq!(words(name).collect::<Vec<_>>(), expected);
        check("styles_pageFooter__x1", &["styles", "page", "Footer", "x"]);
        check("MuiBreadcrumbs-root", &["Mui", "Breadcrumbs", "root"]);
    }

    #[test]
    fn names_of_page_furniture_are_understood_and_names_of_layouts_are_not() {
        let check = |name: &str, expected: Option<Reason>| assert_eq!(Meaning::of(name).drop, expected, "{name}");
        check("styles_sidebar__x1", Some(Reason::Sidebar));
        check("MuiBreadcrumbs-root", Some(Reason::Breadcrumbs));
        check("cookie-banner", Some(Reason::Cookies));
        check("has-sidebar", None);
        check("layout-with-sidebar", None);
        check("headerlink", Some(Reason::Permalink));
        check("footnote", None);
        check("md:nav", None);
    }
}
