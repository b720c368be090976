//! The names themselves, separated by spaces. Supporting a new theme takes one line here.

use super::{LIKELY_RANK, Meaning, Shape, WEAK_RANK};
use crate::framework::Framework;
use crate::removal::Reason;

/// Names matched as a whole.
pub(super) const EXACT: &[(&str, Meaning)] = &[
    // Where the content is.
    ("theme-doc-markdown", Meaning::root_of(1, Framework::Docusaurus)),
    ("md-content__inner", Meaning::root_of(1, Framework::MkdocsMaterial)),
    ("vp-doc VPHome", Meaning::root_of(1, Framework::Vitepress)),
    ("theme-default-content content__default", Meaning::root_of(1, Framework::Vuepress)),
    ("nextra-content", Meaning::root_of(2, Framework::Nextra)),
    ("sl-markdown-content", Meaning::root_of(1, Framework::Starlight)),
    ("td-content", Meaning::root_of(1, Framework::Docsy)),
    ("bd-article furo-main-content", Meaning::root_of(1, Framework::Sphinx)),
    ("rst-content", Meaning::root_of(3, Framework::ReadTheDocs)),
    ("api-content", Meaning::root_of(1, Framework::Redoc)),
    ("swagger-ui", Meaning::root_of(3, Framework::Swagger)),
    ("rm-Markdown", Meaning::root_of(1, Framework::Readme)),
    ("mdx-content", Meaning::root_of(1, Framework::Mintlify)),
    ("content-area", Meaning::root_of(4, Framework::Mintlify)),
    ("markdown-section", Meaning::root_of(2, Framework::Gitbook)),
    ("mw-parser-output", Meaning::root_of(2, Framework::Mediawiki)),
    ("contentContainer", Meaning::root_of(4, Framework::Javadoc)),
    (
        "markdown-body markdown-content entry-content post-content article-body articleBody post-body article-content \
         article__body article__content entry__content",
        Meaning::root(LIKELY_RANK),
    ),
    (
        "main-content page-content content main bodyContent maincontent mainContent MainContent",
        Meaning::root(WEAK_RANK),
    ),
    // What identifies the framework.
    ("sphinxsidebar sphinxsidebarwrapper toctree-wrapper", Meaning::sign_of(Framework::Sphinx)),
    ("wy-nav-content wy-nav-content-wrap", Meaning::sign_of(Framework::ReadTheDocs)),
    ("sidebar-scrollbox mdbook-content nav-wide-wrapper", Meaning::sign_of(Framework::Mdbook)),
    ("rustdoc", Meaning::sign_of(Framework::Rustdoc)),
    ("asciidoctor", Meaning::sign_of(Framework::Asciidoctor)),
    ("refentry chapter preface appendix", Meaning::root_of(4, Framework::Docbook)),
    ("sect1 refsect1", Meaning::sign_of(Framework::Docbook)),
    // Shapes.
    (
        "admonition notecard theme-admonition custom-block admonitionblock starlight-aside callout markdown-alert \
         alert note-box pgnote hint-container message-box nextra-callout",
        Meaning::shape(Shape::Admonition),
    ),
    (
        "admonition-title admonitionHeading sidebar-title custom-block-title starlight-aside__title \
         markdown-alert-title hint-container-title",
        Meaning::shape(Shape::AdmonitionTitle),
    ),
    (
        "highlighttable lntable rouge-table CodeRay js-file-line-container hljs-ln sourcetable syntaxhighlighter",
        Meaning::shape(Shape::CodeTable),
    ),
    ("katex", Meaning::shape(Shape::Katex)),
    ("katex-display", Meaning::shape(Shape::KatexDisplay)),
    ("math arithmatex math-inline math-display", Meaning::shape(Shape::Math)),
    ("footnote-reference footnote-ref footnoteref data-footnote-ref", Meaning::shape(Shape::FootnoteReference)),
    ("footnotes footnote-list citation-list", Meaning::shape(Shape::Footnotes)),
    ("footnote", Meaning::shape(Shape::Footnote)),
    ("tabbed-labels nav-tabs tab-list sphinx-tabs-list tabs__list", Meaning::shape(Shape::TabList)),
    ("vp-code-group code-group", Meaning::shape(Shape::CodeGroup)),
    ("sd-tab-label", Meaning::shape(Shape::TabLabel)),
    ("tabbed-block tab-pane sphinx-tabs-panel", Meaning::shape(Shape::TabPanel)),
    ("sig sig-object code-header member-signature", Meaning::shape(Shape::Signature)),
    ("headertitle", Meaning::shape(Shape::Title)),
    ("fragment", Meaning::shape(Shape::Code)),
    ("opblock-summary", Meaning::shape(Shape::Operation)),
    ("note tip warning caution important", Meaning::shape(Shape::MaybeAdmonition)),
    ("header nav-panel node", Meaning::shape(Shape::MaybePager)),
    // Parts of code blocks that are not code.
    (
        "linenos lineno linenodiv lnt line-numbers-rows line-numbers-wrapper hljs-ln-numbers blob-num gutter \
         rouge-gutter linenumber line-number src-line-numbers code-line-number react-syntax-highlighter-line-number \
         CodeMirror-linenumber line-numbers-mode-rows ec-line-number",
        Meaning::drop(Reason::LineNumbers),
    ),
    (
        "copybtn hideme copy-path lang copy-button clipboard-copy btn-clipboard clip-button zeroclipboard-container \
         copy-code-button test-arrow buttonGroup md-code__nav md-clipboard copybutton toolbar-item code-block-header",
        Meaning::drop(Reason::Button),
    ),
    // Marks next to headings.
    (
        "headerlink header-anchor hash-link heading-anchor anchor-link anchorlink permalink sl-anchor-link \
         subheading-anchor anchorjs-link doc-anchor mw-editsection heading-link-icon header__permalink \
         footnote-backref data-footnote-backref fn-backref fn-bracket backrefs viewcode-link viewcode-back src \
         srclink src-link",
        Meaning::drop(Reason::Permalink),
    ),
    // Hidden text, and formulas drawn a second time.
    (
        "sr-only visually-hidden visuallyhidden screen-reader-text screenreader d-none is-hidden sr-hidden katex-html \
         MathJax_Preview MathJax mjx-chtml tooltiptext noscript sd-hide show-for-sr element-invisible print-only \
         visible-print noprint-hidden",
        Meaning::drop(Reason::Hidden),
    ),
    // Lines of an example that mdBook shows on request.
    ("boring", Meaning::drop(Reason::Hidden)),
    // Boilerplate whose words would not give it away.
    (
        "theme-edit-this-page td-page-meta td-page-meta__lastmod edit-this-page edit-page-link editlink \
         md-content__button gh-edit theme-last-updated last-updated lastupdated md-source-file page-last-modified \
         edit-link editLink page-edit page-edit-link",
        Meaning::drop(Reason::EditLink),
    ),
    (
        "prev-next prevnext prev-next-area next-prev nextprev nav-chapters mobile-nav-chapters pagination-nav \
         related-pages page-nav rst-footer-buttons nav-previous nav-next post-navigation navfooter prev next",
        Meaning::drop(Reason::Pager),
    ),
    (
        "navheader wy-nav-side wy-nav-top wy-breadcrumbs md-tabs nav-main mainmenu skip-link skip-to-content skip-nav \
         catlinks printfooter mw-jump-link mw-indicators siteSub contentSub jump-to-nav MCWebHelpFramesetLink \
         MCBreadcrumbsBox_0 MCMiniTocBox_0 nav navbar navigation menu top-nav titlearea nav-path navpath side-nav \
         main-nav MSearchSelectWindow",
        Meaning::drop(Reason::Navigation),
    ),
    (
        "bd-toc localtoc table-of-contents tableofcontents on-this-page onthispage tocwrapper minitoc page-toc \
         local-toc vp-doc-aside VPDocAside theme-doc-toc-mobile theme-doc-toc-desktop vector-toc toc TOC right-toc \
         doc-toc",
        Meaning::drop(Reason::TableOfContents),
    ),
    (
        "theme-doc-breadcrumbs bd-header-article header-article-items breadcrumb breadcrumbs",
        Meaning::drop(Reason::Breadcrumbs),
    ),
    (
        "theme-doc-version-badge theme-doc-version-banner versionwarning version-warning outdated",
        Meaning::drop(Reason::Header),
    ),
    ("disqus_thread respond comments-area comment-respond giscus utterances", Meaning::drop(Reason::Comments)),
    ("adsbygoogle ethical-ad ad-container carbonads", Meaning::drop(Reason::Advertisement)),
    ("search-form search-box search-bar site-search search", Meaning::drop(Reason::Form)),
    (
        "message-user message-cell--user postprofile poster user-info page-info author-info sidebar side-bar sidenav",
        Meaning::drop(Reason::Sidebar),
    ),
    ("position-fixed fixed-top fixed-bottom", Meaning::drop(Reason::Popup)),
    ("footer site-footer page-footer", Meaning::drop(Reason::Footer)),
    ("out-of-band sub-logo-container rightside notable-traits-tooltip stab-tooltip", Meaning::drop(Reason::Button)),
    // Names whose words mislead.
    (
        "tabs tabs-container tabbed-set tab-content menuselection guilabel highlight related-topics-content \
         has-sidebar with-sidebar no-sidebar sidebar-layout has-toc no-toc content-sidebar two-sidebars \
         headerlink-target page-header table-header code-block-title",
        Meaning::keep(),
    ),
];

/// Words that mark an element as boilerplate in any name.
pub(super) const WORDS: &[(&str, Reason)] = &[
    ("breadcrumb breadcrumbs", Reason::Breadcrumbs),
    (
        "nav navbar navigation navmenu sidenav topnav subnav megamenu menu menubar offcanvas dropdown switcher drawer \
         skiplink",
        Reason::Navigation,
    ),
    ("sidebar sidepanel rail", Reason::Sidebar),
    ("toc scrollspy", Reason::TableOfContents),
    ("footer colophon copyright", Reason::Footer),
    ("masthead topbar", Reason::Header),
    ("cookie cookies gdpr consent onetrust cookiebanner ccpa", Reason::Cookies),
    ("pagination pager paginator paginate", Reason::Pager),
    ("feedback survey helpful", Reason::Feedback),
    ("share sharing social socials sharedaddy addtoany addthis sharethis", Reason::Share),
    ("advert adverts advertisement advertising sponsor sponsored sponsors ads promo promos", Reason::Advertisement),
    ("related recommended recommendation recommendations trending popular upsell crosssell", Reason::Related),
    ("newsletter subscribe subscription signup mailchimp", Reason::Newsletter),
    ("modal popup popover lightbox toast overlay tooltip flyout floating", Reason::Popup),
    ("searchbox searchbar searchform", Reason::Form),
];

/// After these words a name only says that something exists: `has-sidebar`, `with-toc`.
pub(super) const MODIFIERS: &[&str] = &[
    "has", "with", "no", "without", "is", "js", "hide", "show", "not", "below", "under", "after", "before", "layout",
    "body",
];
