//! Short pages with a long sidebar, as themes write them: the sidebar once became the page.

use bluesnake_extract::{Extracted, Options, Page, extract};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

/// 300 links, far more text than any of these pages has.
fn menu() -> String {
    let link =
        |number: usize| format!("<li class='toctree-l1'><a href='chapter-{number}.html'>Chapter {number}</a></li>");
    format!("<p class=caption>Contents</p><ul>{}</ul>", (0..300).map(link).collect::<String>())
}

/// In a theme, `{menu}` is the sidebar and `{}` the content.
fn check(theme: &str, content: &str, markdown: &str) {
    let html = theme.replace("{menu}", &menu()).replace("{}", content);
    assert_eq!(read(&html).markdown, markdown, "{theme}");
}

const THEMES: &[&str] = &[
    // Sphinx with furo.
    "<div class=page><aside class=sidebar-drawer><div class=sidebar-container><div class=sidebar-sticky><a class=sidebar-brand href=x>Project</a><div class=sidebar-scroll><div class=sidebar-tree>{menu}</div></div></div></div></aside><div class=main><div class=content><div class=article-container><article role=main id=furo-main-content>{}</article></div><footer><div class=related-pages><a class=next-page href=x>Next</a></div></footer></div><aside class='toc-drawer no-toc'></aside></div></div>",
    // Sphinx with the theme of Read the Docs.
    "<div class=wy-grid-for-nav><nav data-toggle=wy-nav-shift class=wy-nav-side><div class=wy-side-scroll><div class='wy-menu wy-menu-vertical' role=navigation>{menu}</div></div></nav><section class=wy-nav-content-wrap><div class=wy-nav-content><div class=rst-content><div role=navigation aria-label='Page navigation'><ul class=wy-breadcrumbs><li>Docs</li></ul></div><div role=main class=document itemscope itemtype='http://schema.org/Article'><div itemprop=articleBody>{}</div></div><footer><p>© Copyright</p></footer></div></div></section></div>",
    // Sphinx with alabaster.
    "<div class=document><div class=documentwrapper><div class=bodywrapper><div class=body role=main>{}</div></div></div><div class=sphinxsidebar role=navigation><div class=sphinxsidebarwrapper>{menu}</div></div><div class=clearer></div></div><div class=footer>©2026.</div>",
    // MkDocs with the theme readthedocs.
    "<div class=wy-grid-for-nav><nav data-toggle=wy-nav-shift class='wy-nav-side stickynav'><div class=wy-menu role=navigation>{menu}</div></nav><section class=wy-nav-content-wrap><div class=wy-nav-content><div class=rst-content><div role=main class=document><div class=section itemprop=articleBody>{}</div></div><footer><hr/>Built with MkDocs</footer></div></div></section></div>",
    // ex_doc.
    "<div class=body-wrapper><section id=sidebar class=sidebar><div class=sidebar-header>Project v1.0</div><div class=sidebar-list>{menu}</div></section><main class=content id=main><div id=content class=content-inner>{}<footer class=footer><p>Built using ExDoc</p></footer></div></main></div>",
    // mdBook.
    "<div id=body-container><nav id=sidebar class=sidebar><div class=sidebar-scrollbox>{menu}</div></nav><div id=page-wrapper class=page-wrapper><div class=page><div id=menu-bar>The Book</div><div id=content class=content><main>{}</main><nav class=nav-wrapper><a class=nav-chapters href=x>Next</a></nav></div></div></div></div>",
    // A menu in elements that say nothing.
    "<div class=layout><div class=left>{menu}</div><main>{}</main></div>",
];

#[test]
fn the_sidebar_does_not_become_a_short_page() {
    for theme in THEMES {
        check(theme, "<h1>Title</h1><p>One line.</p>", "# Title\n\nOne line.");
        check(theme, "<h1>Chapter</h1>", "# Chapter");
        check(
            theme,
            "<h1>Title</h1><ul><li><a href=a>First</a></li></ul>",
            "# Title\n\n- [First](https://example.com/docs/a)",
        );
    }
}

#[test]
fn an_empty_page_stays_empty() {
    for theme in THEMES {
        check(theme, "", "");
    }
}

#[test]
fn a_menu_in_no_known_element_is_not_text() {
    let text = "The text of this page is much shorter than the menu beside it, but it is text. ".repeat(3);
    let page = read(&format!(
        "<div class=layout><div class=left>{}</div><div class=right><h1>Title</h1><p>{text}</p></div></div>",
        menu()
    ));
    assert_eq!(page.markdown, format!("# Title\n\n{}", text.trim()));
}

#[test]
fn an_article_is_found_beside_a_longer_menu() {
    let text = "The text of this page is much shorter than the menu beside it, but it is text. ".repeat(3);
    let page = read(&format!("<div><div class=left>{}</div><article><h1>T</h1><p>{text}</p></article></div>", menu()));
    assert_eq!(page.markdown, format!("# T\n\n{}", text.trim()));
}
