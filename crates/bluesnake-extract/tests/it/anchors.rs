//! Ids that links lead to: where they are in the Markdown, and that inserting them changes nothing else.

use std::collections::BTreeSet;

use bluesnake_extract::{Corpus, Extracted, MOST_ANCHORS, Options, Page, extract};
use pulldown_cmark::{Options as Dialect, Parser, html::push_html};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html: &format!("<main>{html}</main>"), url: &url }, &Options::default())
}

fn check(html: &str, needed: &[&str], markdown: &str) {
    let page = read(html);
    let needed: BTreeSet<&str> = needed.iter().copied().collect();
    let with = page.with_anchors(|id| needed.contains(id));
    assert_eq!(with, markdown, "{html}");
    assert_eq!(rendered(&with), rendered(&page.markdown), "{html}");
}

/// The HTML that readers see, without anchors and the paragraphs that contain only these.
fn rendered(markdown: &str) -> String {
    let mut html = String::new();
    push_html(&mut html, Parser::new_ext(markdown, Dialect::ENABLE_TABLES | Dialect::ENABLE_TASKLISTS));
    while let Some(start) = html.find("<a id=\"") {
        let end = start + html[start..].find("</a>").unwrap() + "</a>".len();
        html.replace_range(start..end, "");
    }
    html.replace("<p></p>\n", "").replace("\n<", "<")
}

#[test]
fn an_anchor_is_written_where_a_link_needs_one() {
    check("<p id=a>One.</p><p id=b>Two.</p>", &["b"], "One.\n\n<a id=\"b\"></a>Two.");
    check("<p>One, <span id=a>two</span>.</p><p>Three.</p>", &["a"], "<a id=\"a\"></a>One, two.\n\nThree.");
    check("<p>One.</p><a name=a></a><p>Two.</p>", &["a"], "One.\n\n<a id=\"a\"></a>Two.");
    check(
        "<p>One.</p><div id=a><div id=b><p>Two.</p></div></div>",
        &["a", "b"],
        "One.\n\n<a id=\"a\"></a><a id=\"b\"></a>Two.",
    );
    check("<p>One.</p><div id=a></div>", &["a"], "<a id=\"a\"></a>One.");
    check("<p id='a\"&lt;b'>One.</p>", &["a\"<b"], "<a id=\"a&quot;&lt;b\"></a>One.");
    check("<p id=a>One.</p><p id=a>Two.</p>", &["a"], "<a id=\"a\"></a>One.\n\nTwo.");
    check("<p id=a># One</p>", &["a"], "<a id=\"a\"></a>\\# One");
}

#[test]
fn anchors_in_lists_and_quotes_come_after_their_markers() {
    check("<ul><li id=a>one</li><li id=b>two</li></ul>", &["b"], "- one\n- <a id=\"b\"></a>two");
    check(
        "<ol><li><p>one</p><pre id=a>x</pre></li></ol>",
        &["a"],
        "1. one\n\n   <a id=\"a\"></a>\n\n   ```\n   x\n   ```",
    );
    check("<ul><li id=a><pre>x</pre></li></ul>", &["a"], "- <a id=\"a\"></a>\n\n  ```\n  x\n  ```");
    check(
        "<blockquote><p>q</p><pre id=a>x</pre></blockquote>",
        &["a"],
        "> q\n>\n> <a id=\"a\"></a>\n>\n> ```\n> x\n> ```",
    );
    check(
        "<dl><dt id=a>term</dt><dd id=b>text</dd></dl>",
        &["a", "b"],
        "- <a id=\"a\"></a>**term**\n\n  <a id=\"b\"></a>text",
    );
    check(
        "<dl class='py function'><dt class='sig sig-object py' id=m.f><span>f</span>(<em>a</em>)</dt><dd><p>Does it.</p></dd></dl>",
        &["m.f"],
        "- <a id=\"m.f\"></a>`f(a)`\n\n  Does it.",
    );
    check("<ul><li id=a><input type=checkbox checked> done</li></ul>", &["a"], "- [x] <a id=\"a\"></a>done");
}

#[test]
fn anchors_of_code_and_tables_come_before_them() {
    check("<p>One.</p><pre id=a>x</pre>", &["a"], "One.\n\n<a id=\"a\"></a>\n\n```\nx\n```");
    check(
        "<table id=t><tr><th>a</th></tr><tr id=r><td>b</td></tr></table>",
        &["t", "r"],
        "<a id=\"t\"></a><a id=\"r\"></a>\n\n| a |\n| --- |\n| b |",
    );
    check(
        "<p>One.</p><table><tr><td colspan=2 id=c>b</td></tr><tr><td>x</td><td>y</td></tr></table>",
        &["c"],
        "One.\n\n<a id=\"c\"></a>\n\n<table>\n<tr><td colspan=\"2\">b</td></tr>\n<tr><td>x</td><td>y</td></tr>\n</table>",
    );
}

#[test]
fn the_ids_of_a_heading_are_its_own_and_its_other_anchors() {
    let page = read(
        "<section id=part><span id=old></span><h2 id=own><a id=in></a>Part</h2><p id=p>x</p></section><h2>Bare</h2>",
    );
    assert_eq!(page.sections[0].anchor.as_deref(), Some("own"));
    assert_eq!(page.sections[0].other_anchors, ["part", "old", "in"]);
    let ids: Vec<&str> = page.anchors.iter().map(|anchor| anchor.id.as_str()).collect();
    assert_eq!(ids, ["p"]);
    assert_eq!(page.with_anchors(|_| true), "## Part\n\n<a id=\"p\"></a>x\n\n## Bare");
}

#[test]
fn dropped_ids_are_not_recorded() {
    let page = read("<nav id=menu><p id=m>Menu</p></nav><p hidden id=h>gone</p><p id=a>One.</p>");
    let ids: Vec<&str> = page.anchors.iter().map(|anchor| anchor.id.as_str()).collect();
    assert_eq!(ids, ["a"]);
}

#[test]
fn anchors_move_when_repeated_blocks_are_removed() {
    let page = |number: usize| {
        read(&format!(
            "<h1>Page {number}</h1><p id=n>The same on all pages.</p><p>Text {number}.</p><p id=a>Target {number}.</p>"
        ))
    };
    let mut corpus = Corpus::default();
    (0..9).for_each(|number| corpus.add(&page(number)));
    let mut cleaned = page(3);
    corpus.clean(&mut cleaned);
    assert_eq!(cleaned.with_anchors(|_| true), "# Page 3\n\nText 3.\n\n<a id=\"a\"></a>Target 3.");
}

#[test]
fn a_page_records_a_limited_number_of_ids() {
    let html: String = (0..MOST_ANCHORS + 10).map(|number| format!("<p id=i{number}>x</p>")).collect();
    assert_eq!(read(&html).anchors.len(), MOST_ANCHORS);
    let long = format!("<p id={}>x</p><p id='two words'>y</p><p id=''>z</p>", "i".repeat(1_000));
    assert_eq!(read(&long).anchors, []);
}

#[test]
fn anchors_are_stored_compactly_and_may_be_missing() {
    let mut stored = serde_json::to_value(read("<h1 id=h>T</h1><p id=a>One.</p>")).unwrap();
    assert_eq!(stored["anchors"], serde_json::json!([["a", 5]]));
    stored.as_object_mut().unwrap().remove("anchors");
    assert_eq!(serde_json::from_value::<Extracted>(stored).unwrap().anchors, []);
}
