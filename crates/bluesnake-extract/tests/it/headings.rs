//! Headings, whatever links and names they carry.

use bluesnake_extract::{Extracted, Options, Page, extract};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

fn check(html: &str, markdown: &str, anchor: Option<&str>) {
    let page = read(&format!("<main>{html}<p>Answer.</p></main>"));
    assert_eq!(page.markdown, format!("{markdown}\n\nAnswer."), "{html}");
    assert_eq!(page.sections[0].anchor.as_deref(), anchor, "{html}");
}

/// All 263 questions of Python's FAQ were missing.
#[test]
fn a_heading_that_links_back_to_the_table_of_contents_stays() {
    check(
        "<section id=why><h3><a class=toc-backref href=#id3 role=doc-backlink>Why does it?</a><a class=headerlink href=#why title='Permalink to this heading'>¶</a></h3></section>",
        "### Why does it?",
        Some("why"),
    );
    check(
        "<div class=section id=why><h3><a class=toc-backref href=#id3>Why does it?</a></h3></div>",
        "### Why does it?",
        Some("why"),
    );
    check(
        "<h2 id=why><a class=toc-backref href=#id3><span class=section-number>1. </span>Why <code>it</code>?</a></h2>",
        "## 1. Why `it`?",
        Some("why"),
    );
}

#[test]
fn names_in_a_heading_do_not_delete_its_words() {
    for class in ["toc-entry", "nav-link", "menu", "sidebar-link", "pagination-title", "share", "popup-title", "toc"] {
        check(&format!("<h2 id=x><a class={class} href=#x>Words</a></h2>"), "## Words", Some("x"));
        check(&format!("<h2 id=x><span class={class}>Words</span> and more</h2>"), "## Words and more", Some("x"));
        check(&format!("<h2 id=x class={class}>Words</h2>"), "## Words", Some("x"));
    }
}

#[test]
fn signs_and_buttons_in_a_heading_are_dropped() {
    check("<h2 id=x>Words <a class=hash-link href=#x title='Direct link'>#</a></h2>", "## Words", Some("x"));
    check("<h2 id=x>Words <span class=mw-editsection>[<a href=e>edit</a>]</span></h2>", "## Words", Some("x"));
    check("<h2 id=x>Words <button class=copy>Copy</button></h2>", "## Words", Some("x"));
    check("<h2 id=x>Words <a class=anchor-link href=#x>Link to this heading</a></h2>", "## Words", Some("x"));
}
