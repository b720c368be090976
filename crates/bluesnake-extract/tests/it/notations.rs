//! Notes, navigation lines, code and operations, as less common tools write them.

use bluesnake_extract::{Framework, Options, Page, extract};
use url::Url;

fn check(html: &str, markdown: &str) {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    let page = extract(&Page { html: &format!("<main>{html}</main>"), url: &url }, &Options::default());
    assert_eq!(page.markdown, markdown, "{html}");
}

/// The title of each note was a heading, and the page had hundreds of sections called "Note".
#[test]
fn notes_of_docbook_are_quotes() {
    check(
        "<p>Before.</p><div class=note><h3 class=title>Note</h3><p>Mind this.</p></div>",
        "Before.\n\n> **Note**\n>\n> Mind this.",
    );
    check(
        "<div class=warning style='margin-left: 0.5in'><h3 class=title>Mind the gap</h3><p>Mind.</p></div>",
        "> **Mind the gap**\n>\n> Mind.",
    );
    check(
        "<div class=note><table border=0 summary=Note><tr><td rowspan=2 align=center width=25><img alt='[Note]' src=images/note.png></td><th align=left>Note</th></tr><tr><td align=left><p>Mind this.</p><pre>code</pre></td></tr></table></div>",
        "> **Note**\n>\n> Mind this.\n>\n> ```\n> code\n> ```",
    );
    check("<div class=note><p>Not a box of DocBook.</p></div>", "Not a box of DocBook.");
}

#[test]
fn notes_of_asciidoctor_are_quotes() {
    let note = |icon: &str| {
        format!(
            "<div class='admonitionblock note'><table><tr><td class=icon>{icon}</td><td class=content><div class=paragraph><p>Mind this.</p></div><pre>code</pre></td></tr></table></div>"
        )
    };
    for icon in
        ["<div class=title>Note</div>", "<i class='fa icon-note' title=Note></i>", "<img src=note.png alt=Note>"]
    {
        check(&note(icon), "> **Note**\n>\n> Mind this.\n>\n> ```\n> code\n> ```");
    }
    check(
        "<div class=admonitionblock><table><tr><td class=icon><div class=title>Important</div></td><td class=content>Mind this.</td></tr></table></div>",
        "> **Important**\n>\n> Mind this.",
    );
}

#[test]
fn navigation_lines_of_texinfo_are_dropped() {
    let line = "<p>\nNext: <a href=b.html accesskey=n rel=next>Second</a>, Previous: <a href=a.html accesskey=p rel=prev>First</a>, Up: <a href=index.html accesskey=u rel=up>Top</a> &nbsp; [<a href=i.html rel=index>Index</a>]</p>";
    for class in ["header", "nav-panel", "node"] {
        check(
            &format!("<div class={class}>{line}</div><hr><h2>Middle</h2><p>Text.</p>"),
            "* * *\n\n## Middle\n\nText.",
        );
    }
    check("<h2>Middle</h2><div class=header><p>\nNext: <a href=b.html>Second</a> &nbsp; </p></div>", "## Middle");
    check("<div class=header><h1>Title</h1><p>Next: a word.</p></div>", "# Title\n\nNext: a word.");
}

#[test]
fn hidden_lines_of_mdbook_are_not_code() {
    check(
        "<pre><pre class=playground><code class='language-rust'><span class=boring>#![allow(unused)]\n</span><span class=boring>fn main() {\n</span>let x = 1;\n<span class=boring>}\n</span></code></pre></pre>",
        "```rust\nlet x = 1;\n```",
    );
}

#[test]
fn marks_of_changed_lines_stay() {
    check(
        "<pre><code class=language-diff><span class=line><span class=gutter>-</span>a</span>\n<span class=line><span class=line-number>+</span>b</span>\n<span class=line><span class=gutter>3</span>c</span></code></pre>",
        "```diff\n-a\n+b\nc\n```",
    );
    check(
        "<pre><span style='user-select: none'>+ </span>a\n<span style='user-select:none'>- </span>b</pre>",
        "```\n+ a\n- b\n```",
    );
}

#[test]
fn changed_lines_without_marks_get_them() {
    check(
        "<div class='language-js vp-adaptive-theme'><pre class='shiki has-diff'><code><span class=line>a</span>\n<span class='line diff remove'>  b</span>\n<span class='line diff add'>  c</span></code></pre></div>",
        "```diff\n a\n-  b\n+  c\n```",
    );
}

#[test]
fn operations_of_swagger_are_headings_with_tables() {
    let html = "<div id=swagger-ui><section class='swagger-ui'><div class=opblock-tag-section><h3 class=opblock-tag id=pets><a class=nostyle href='#/pets'><span>pets</span></a><button aria-label='Collapse'></button></h3><div class='opblock opblock-get'><div class='opblock-summary opblock-summary-get'><button class=opblock-summary-control><span class=opblock-summary-method>GET</span><div class=opblock-summary-path-description-wrapper><span class=opblock-summary-path data-path=/pets><a class=nostyle href='#/pets/list'><span>/pets</span></a></span><div class=opblock-summary-description>List pets</div></div></button></div><div class=opblock-body><div class=opblock-section><div class=opblock-section-header><h4 class=opblock-title>Parameters</h4><button class='btn try-out__btn'>Try it out</button></div><table class=parameters><thead><tr><th>Name</th><th>Description</th></tr></thead><tbody><tr><td><div class='parameter__name required'>limit</div><div class=parameter__type>integer</div></td><td><p>How many</p></td></tr></tbody></table></div></div></div></div></section></div>";
    check(
        html,
        "### pets\n\n#### `GET /pets`\n\nList pets\n\n#### Parameters\n\n| Name | Description |\n| --- | --- |\n| limit<br>integer | How many |",
    );
    let url = Url::parse("https://example.com/").unwrap();
    assert_eq!(extract(&Page { html, url: &url }, &Options::default()).framework, Some(Framework::Swagger));
}

#[test]
fn operations_and_responses_of_redoc_are_text() {
    let html = "<div class=redoc-wrap><div class=menu-content><ul><li>Pets</li></ul></div><div class='api-content sc-x'><div id='tag/pets/op' data-section-id='tag/pets/op'><h2 class=sc-a><a class=sc-b href='#tag/pets/op' aria-label='tag/pets/op'></a>List pets</h2><div><button class=sc-c><span type=get class='sc-d http-verb get'>get</span><span class=sc-e>/pets</span><svg></svg></button></div><h3>Responses</h3><div><button class=sc-f><svg></svg><strong>200 </strong><div><p>A list of pets</p></div></button></div><table><tr><td>id</td><td>integer</td></tr></table></div></div></div>";
    let url = Url::parse("https://example.com/").unwrap();
    let page = extract(&Page { html, url: &url }, &Options::default());
    assert_eq!(
        page.markdown,
        "## List pets\n\n`GET /pets`\n\n### Responses\n\n**200**\n\nA list of pets\n\n| | |\n| --- | --- |\n| id | integer |"
    );
    assert_eq!(page.framework, Some(Framework::Redoc));
}

/// docutils puts a box around the footnotes of a page, which was taken for a sidebar.
#[test]
fn a_list_of_footnotes_is_no_sidebar() {
    check(
        "<p>Text <a class='footnote-reference brackets' href=#f id=r role=doc-noteref>1</a>.</p><aside class='footnote-list brackets'><aside class='footnote brackets' id=f role=doc-footnote><span class=label><span class=fn-bracket>[</span><a role=doc-backlink href=#r>1</a><span class=fn-bracket>]</span></span><p>The note.</p></aside></aside>",
        "Text [^1].\n\n[^1]: The note.",
    );
}

#[test]
fn a_paragraph_stays_whatever_its_id() {
    check(
        "<h1>Title</h1><p id=toc>The console is made of a few parts, and each has a name.</p><p>More.</p>",
        "# Title\n\nThe console is made of a few parts, and each has a name.\n\nMore.",
    );
}

#[test]
fn the_start_page_of_vitepress_is_read_whole() {
    check(
        "<div class=VPHome><div class=VPHero><h1>Project</h1><p class=tagline>It runs jobs.</p></div><div class=VPFeatures><a class=VPLink href=/start><article class=box><h2 class=title>Start</h2><p class=details>Within minutes.</p></article></a></div><div class='vp-doc container'><p>More of it.</p></div></div>",
        "# Project\n\nIt runs jobs.\n\n## [Start](https://example.com/start)\n\nWithin minutes.\n\nMore of it.",
    );
}

#[test]
fn doxygen_writes_titles_notes_and_code_without_their_tags() {
    let html = "<meta name=generator content='Doxygen 1.9'><div id=doc-content><div class=header><div class=headertitle><div class=title>Installing </div></div></div><div class=contents><div class=textblock><p>It needs Python.</p><div class=fragment><div class=line>pip install it</div><div class=line>  it --version</div></div><dl class='section note'><dt>Note</dt><dd>Mind this. </dd></dl><h1><a class=anchor id=parts></a>Parts</h1><p>Some.</p></div></div></div>";
    let url = Url::parse("https://example.com/").unwrap();
    let page = extract(&Page { html, url: &url }, &Options::default());
    assert_eq!(
        page.markdown,
        "# Installing\n\nIt needs Python.\n\n```\npip install it\n  it --version\n```\n\n> **Note**\n>\n> Mind this.\n\n# Parts\n\nSome."
    );
}

#[test]
fn footnotes_after_the_content_belong_to_it() {
    let url = Url::parse("https://example.com/").unwrap();
    let html = "<body class=article><div id=header><h1>Title</h1></div><div id=content><p>Text.<sup class=footnote>[<a id=r class=footnote href=#d title='View footnote.'>1</a>]</sup> More text that is long enough.</p></div><div id=footnotes><hr><div class=footnote id=d>\n<a href=#r>1</a>. The note.\n</div></div><div id=footer><div id=footer-text>Last updated 2026-11-18 08:44:12 UTC</div></div>";
    let page = extract(&Page { html, url: &url }, &Options::default());
    assert_eq!(page.markdown, "# Title\n\nText.[^1] More text that is long enough.\n\n* * *\n\n[^1]: The note.");
}

#[test]
fn the_contents_of_a_chapter_stay_and_those_of_a_page_go() {
    let page = |links: &str| {
        format!(
            "<div class=navheader>Prev Next and some more words</div><div class=part><h1>Help</h1><p>Ask.</p><div class=toc><p><b>Contents</b></p><dl class=toc>{links}</dl></div></div>"
        )
    };
    let extracted = |links: &str| {
        let url = Url::parse("https://example.com/").unwrap();
        extract(&Page { html: &page(links), url: &url }, &Options::default()).text
    };
    assert!(
        extracted("<dt><a href=faq.html>Frequent questions</a></dt><dt><a href=b.html>Other things</a></dt>")
            .contains("Frequent")
    );
    assert!(
        !extracted("<dt><a href=#faq>Frequent questions</a></dt><dt><a href=#b>Other things</a></dt>")
            .contains("Frequent")
    );
}
