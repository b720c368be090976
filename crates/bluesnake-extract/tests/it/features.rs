//! What documentation is made of, one small page each: what it must become.

use bluesnake_extract::{Extracted, Options, Page, Reason, extract};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

fn check(html: &str, markdown: &str) {
    assert_eq!(read(&format!("<main>{html}</main>")).markdown, markdown, "{html}");
}

#[test]
fn code_keeps_its_bytes_and_its_language() {
    check(
        "<pre><code class='language-rust'>fn main() {\n\tlet x = 1 &lt; 2;\n}\n</code></pre>",
        "```rust\nfn main() {\n\tlet x = 1 < 2;\n}\n```",
    );
    check("<pre>\n\n  a\n\n\n  b  \n</pre>", "```\n\n  a\n\n\n  b  \n```");
    check(
        "<div class='highlight-python notranslate'><div class=highlight><pre><span></span>x = 1\n</pre></div></div>",
        "```python\nx = 1\n```",
    );
    check("<pre class='rust rust-example-rendered'><code>a</code></pre>", "```rust\na\n```");
    check("<div class='highlight highlight-source-js'><pre>a</pre></div>", "```js\na\n```");
    check("<pre class='brush: js'>a</pre>", "```js\na\n```");
    check("<pre><code class='hljs python'>a</code></pre>", "```python\na\n```");
    check("<pre class=sourceCode><code class='sourceCode python'>a</code></pre>", "```python\na\n```");
    check("<pre data-lang=go><code>a</code></pre>", "```go\na\n```");
    check("<pre>has ``` in it\nand ```` too</pre>", "`````\nhas ``` in it\nand ```` too\n`````");
    check("<ul><li><p>Run:</p><pre>a\n\nb</pre></li></ul>", "- Run:\n\n  ```\n  a\n\n  b\n  ```");
}

#[test]
fn line_numbers_and_copy_buttons_are_not_code() {
    let pygments = "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre>1\n2</pre></div></td><td class=code><div class=highlight><pre>a\nb\n</pre></div></td></tr></table>";
    check(pygments, "```\na\nb\n```");
    check("<pre><span class=linenos>1</span>a\n<span class=linenos>2</span>b\n</pre>", "```\na\nb\n```");
    let chroma = "<div class=highlight><table class=lntable><tr><td class=lntd><pre class=chroma><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td><td class=lntd><pre class=chroma><code class=language-go data-lang=go>a\nb\n</code></pre></td></tr></table></div>";
    check(chroma, "```go\na\nb\n```");
    let docusaurus = "<div class='language-jsx codeBlockContainer_x'><pre class='prism-code language-jsx'><code class=codeBlockLines_x><span class=token-line><span>a</span><br></span><span class=token-line><span>b</span><br></span></code></pre><div class=buttonGroup__x><button>Copy</button></div></div>";
    check(docusaurus, "```jsx\na\nb\n```");
    let prism_divs = "<pre><code><div class=token-line>a</div><div class=token-line>b</div></code></pre>";
    check(prism_divs, "```\na\nb\n```");
    let highlight_js = "<pre><code class='hljs'><table class=hljs-ln><tr><td class=hljs-ln-numbers>1</td><td class=hljs-ln-code>a</td></tr><tr><td class=hljs-ln-numbers>2</td><td class=hljs-ln-code>b</td></tr></table></code></pre>";
    check(highlight_js, "```\na\nb\n```");
    let vitepress = "<div class='language-ts line-numbers-mode'><button title='Copy Code' class=copy></button><span class=lang>ts</span><pre class='shiki vp-code'><code><span class=line>a</span>\n<span class=line>b</span></code></pre><div class=line-numbers-wrapper aria-hidden=true><span class=line-number>1</span><br><span class=line-number>2</span><br></div></div>";
    check(vitepress, "```ts\na\nb\n```");
    let rustdoc = "<div class=example-wrap><pre class=src-line-numbers><a href=#1>1</a>\n<a href=#2>2</a></pre><pre class=rust><code>a\nb\n</code></pre></div>";
    check(rustdoc, "```rust\na\nb\n```");
    let prettify =
        "<pre class='prettyprint linenums'><ol class=linenums><li class=L0>a</li><li class=L1>b</li></ol></pre>";
    check(prettify, "```\na\nb\n```");
    let gutter = "<table class=rouge-table><tbody><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td><td class=rouge-code><pre>a\nb\n</pre></td></tr></tbody></table>";
    check(gutter, "```\na\nb\n```");
    check("<pre>a<button class=copybtn>Copy</button>\n</pre>", "```\na\n```");
    check("<pre>1\n2\n3\n</pre>", "```\n1\n2\n3\n```");
}

#[test]
fn code_stays_whatever_the_names_and_headings_around_it() {
    let prose = format!("<h1>T</h1><p>{}</p>", "Words that say something. ".repeat(40));
    let check = |html: &str| {
        let extracted = read(&format!("<body>{prose}{html}{prose}</body>"));
        assert!(extracted.markdown.contains("```\ncode()\n```"), "{html}: {:?}", extracted.removed);
        assert!(extracted.markdown.contains("About it."), "{html}: {:?}", extracted.removed);
    };
    for class in
        ["subscription", "next", "lang", "search", "share-box", "related", "newsletter", "nav-example", "promo"]
    {
        check(&format!("<div class='{class}'><h2>How</h2><p>About it.</p><pre>code()</pre></div>"));
        check(&format!("<div id='{class}'><p>About it.</p><div class='{class}'><pre>code()</pre></div></div>"));
    }
    check("<h2>Share</h2><p>About it.</p><pre>code()</pre>");
    check("<div><h2>Read next</h2><p>About it.</p><pre class='lang'>code()</pre></div>");
    for surely in ["nav", "div class=footer", "div hidden", "dialog", "div role=dialog", "div aria-hidden=true"] {
        let extracted = read(&format!("<body>{prose}<{surely}><p>About it.</p><pre>code()</pre></body>"));
        assert!(!extracted.markdown.contains("code()"), "{surely}");
    }
}

#[test]
fn names_in_code_mean_nothing() {
    for class in ["lang", "src", "gl", "nav", "search", "tooltip", "sidebar", "permalink", "share", "comments", "next"]
    {
        check(&format!("<pre>a <span class={class}>b</span> <a class={class} href=x>c</a>\n</pre>"), "```\na b c\n```");
    }
    check("<pre><a class=viewcode-back href=x>[docs]</a>a\n</pre>", "```\na\n```");
}

#[test]
fn tables_become_markdown_if_possible() {
    check(
        "<table><thead><tr><th>a<th align=right>b</thead><tr><td>1 | 2<td><code>x|y</code></table>",
        "| a | b |\n| --- | ---: |\n| 1 \\| 2 | `x\\|y` |",
    );
    check("<table><tr><td>1<td>2<tr><td>3<td>4</table>", "| | |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |");
    check(
        "<table><tr><th>a<th>b<tr><td><p>one</p><p>two</p><td>x<br>y</table>",
        "| a | b |\n| --- | --- |\n| one<br>two | x<br>y |",
    );
    check("<table><tr><th>a<th>b<tr><td><td>x</table>", "| a | b |\n| --- | --- |\n| | x |");
    check("<table><caption>Sizes</caption><tr><th>a<tr><td>1</table>", "Sizes\n\n| a |\n| --- |\n| 1 |");
}

#[test]
fn tables_stay_html_if_markdown_cannot_express_them() {
    check(
        "<table><tr><th colspan=2>a</th></tr><tr><td>1 &lt; 2</td><td><a href=x>y</a></td></tr></table>",
        "<table>\n<tr><th colspan=\"2\">a</th></tr>\n<tr><td>1 &lt; 2</td><td><a href=\"https://example.com/docs/x\">y</a></td></tr>\n</table>",
    );
    check(
        "<table><tr><th>a</th><th>b</th></tr><tr><td><ul><li>x</li></ul></td><td><pre>p\n\nq</pre></td></tr></table>",
        "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><ul><li>x</li></ul></td><td><pre>p\n<!-- -->\nq</pre></td></tr>\n</table>",
    );
}

#[test]
fn layout_tables_are_read_as_text() {
    check("<table><tr><td><h1>Title</h1><p>Text</p></td></tr></table>", "# Title\n\nText");
    check("<table role=presentation><tr><td>a</td><td>b</td></tr></table>", "a\n\nb");
}

#[test]
fn lists_nest_and_keep_numbers_and_check_boxes() {
    check("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c");
    check("<ol start=9><li>a</li><li><p>b</p><p>c</p></li></ol>", "9. a\n\n10. b\n\n    c");
    check(
        "<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>",
        "- [x] done\n- [ ] open",
    );
    check("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b");
    check("<ol><li value=5>a</li><li>b</li></ol>", "5. a\n6. b");
    check("<ul><li><h2>a</h2><p>x</p></li><li><h2>b</h2><ul><li>y</li></ul></li></ul>", "## a\n\nx\n\n## b\n\n- y");
}

#[test]
fn definitions_are_items_with_a_bold_term() {
    check(
        "<dl><dt>a</dt><dd>x</dd><dt>b</dt><dt>c</dt><dd><p>y</p><pre>z</pre></dd></dl>",
        "- **a**\n\n  x\n\n- **b**\n\n  **c**\n\n  y\n\n  ```\n  z\n  ```",
    );
    check("<dl><dt>a</dt><dd>x</dd></dl><dl><dt>b</dt><dd>y</dd></dl>", "- **a**\n\n  x\n\n- **b**\n\n  y");
    check(
        "<dl class='py function'><dt class='sig sig-object py' id=f><span class=sig-name>f</span><span>(</span><em>a</em>, <em>*b</em><span>)</span><a class=headerlink href=#f>¶</a></dt><dd><p>Does it.</p></dd></dl>",
        "- `f(a, *b)`\n\n  Does it.",
    );
}

#[test]
fn admonitions_are_quotes_with_a_title() {
    check(
        "<div class='admonition note'><p class=admonition-title>Note</p><p>Mind.</p></div>",
        "> **Note**\n>\n> Mind.",
    );
    check("<div class='admonition warning'><p>Mind.</p></div>", "> **Warning**\n>\n> Mind.");
    check(
        "<div class='theme-admonition theme-admonition-tip admonition_x alert'><div class=admonitionHeading_x><span class=admonitionIcon_x><svg></svg></span>tip</div><div class=admonitionContent_x><p>Mind.</p></div></div>",
        "> **tip**\n>\n> Mind.",
    );
    check(
        "<div class='tip custom-block'><p class=custom-block-title>TIP</p><p>Mind.</p></div>",
        "> **TIP**\n>\n> Mind.",
    );
    check(
        "<aside class='starlight-aside starlight-aside--caution' aria-label=Caution><p class=starlight-aside__title aria-hidden=true>Caution</p><p>Mind what is said here.</p></aside>",
        "> **Caution**\n>\n> Mind what is said here.",
    );
    check("<details><summary>More</summary><p>Text</p></details>", "**More**\n\nText");
}

#[test]
fn footnotes_keep_their_numbers() {
    let sphinx = "<p>Text <a class='footnote-reference brackets' href=#id2 id=id1>1</a>.</p><aside class='footnote brackets' id=id2 role=doc-footnote><span class=label><span class=fn-bracket>[</span><a href=#id1>1</a><span class=fn-bracket>]</span></span><p>The note.</p></aside>";
    check(sphinx, "Text [^1].\n\n[^1]: The note.");
    let github = "<p>Text<sup><a href=#fn-1 id=fnref-1 data-footnote-ref class=footnote-ref>1</a></sup>.</p><section class=footnotes><ol><li id=fn-1><p>The note. <a href=#fnref-1 class=footnote-backref>↩</a></p></li></ol></section>";
    check(github, "Text[^1].\n\n[^1]: The note.");
}

#[test]
fn formulas_are_written_as_their_tex_source() {
    let katex = "<span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow><annotation encoding='application/x-tex'>x_1^2</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x12</span></span>";
    check(&format!("<p>Let {katex} be.</p>"), "Let $x_1^2$ be.");
    check(&format!("<p>So</p><span class=katex-display>{katex}</span>"), "So\n\n$$\nx_1^2\n$$");
    check(
        "<p>Let <span class='math notranslate nohighlight'>\\(x_1\\)</span> be.</p><div class='math notranslate'>\\[a\n= b\\]</div>",
        "Let $x_1$ be.\n\n$$\na\n= b\n$$",
    );
    check("<p>Let <span class=MathJax_Preview>x</span><script type='math/tex'>x_1</script> be.</p>", "Let $x_1$ be.");
}

#[test]
fn all_tabs_are_written_with_their_labels() {
    let docusaurus = "<div class='tabs-container'><ul role=tablist class=tabs><li role=tab aria-selected=true class=tabs__item>npm</li><li role=tab class=tabs__item>Yarn</li></ul><div class=margin-top--md><div role=tabpanel><p>a</p></div><div role=tabpanel hidden><p>b</p></div></div></div>";
    check(docusaurus, "**npm**\n\na\n\n**Yarn**\n\nb");
    let material = "<div class='tabbed-set tabbed-alternate'><input type=radio id=a><input type=radio id=b><div class=tabbed-labels><label for=a>C</label><label for=b>C++</label></div><div class=tabbed-content><div class=tabbed-block><p>a</p></div><div class=tabbed-block><p>b</p></div></div></div>";
    check(material, "**C**\n\na\n\n**C++**\n\nb");
    let sphinx_design = "<div class='sd-tab-set docutils'><input type=radio><label class=sd-tab-label for=x>One</label><div class='sd-tab-content docutils'><p>a</p></div></div>";
    check(sphinx_design, "**One**\n\na");
    let vitepress = "<div class=vp-code-group><div class=tabs><input type=radio><label>npm</label><input type=radio><label>yarn</label></div><div class=blocks><div class='language-sh active'><pre><code>a</code></pre></div><div class=language-sh><pre><code>b</code></pre></div></div></div>";
    check(vitepress, "**npm**\n\n```sh\na\n```\n\n**yarn**\n\n```sh\nb\n```");
}

#[test]
fn headings_drop_permalink_signs_and_keep_anchors() {
    let page = read(
        "<main><h1>Title<a class=headerlink href=#title>¶</a></h1><section id=part><h2>Part <a href=#part aria-label=Permalink>#</a></h2><p>x</p></section><h3 id=own><a class=header href=#own>Own</a></h3></main>",
    );
    assert_eq!(page.markdown, "# Title\n\n## Part\n\nx\n\n### Own");
    let anchors: Vec<(u8, &str, Option<&str>)> = page
        .sections
        .iter()
        .map(|section| (section.level, section.heading.as_str(), section.anchor.as_deref()))
        .collect();
    assert_eq!(anchors, [(1, "Title", Some("title")), (2, "Part", Some("part")), (3, "Own", Some("own"))]);
    assert_eq!(page.section_text(&page.sections[1]), "x");
    assert_eq!(page.title.as_deref(), Some("Title"));
}

#[test]
fn the_signature_of_a_method_is_a_heading_of_code() {
    let page = read(
        "<main><h1>Struct S</h1><section id='method.new' class=method><a class=src href=x>Source</a><h4 class=code-header>pub fn <a href='#method.new'>new</a>() -&gt; <a href=s>S</a></h4></section><p>Makes one.</p></main>",
    );
    assert_eq!(page.markdown, "# Struct S\n\n#### `pub fn new() -> S`\n\nMakes one.");
    let section = page.sections.last().unwrap();
    assert_eq!((section.heading.as_str(), section.anchor.as_deref()), ("pub fn new() -> S", Some("method.new")));
}

#[test]
fn a_link_around_a_whole_heading_stays() {
    check("<h2 id=a><a class=heading-anchor href=#a>Constructor</a></h2><p>x</p>", "## Constructor\n\nx");
    check(
        "<h1>Module <a href=/m>m</a> <button id=copy-path>Copy item path</button></h1><p>x</p>",
        "# Module [m](https://example.com/m)\n\nx",
    );
    check("<h3><button aria-expanded=false>Question?</button></h3><p>x</p>", "### Question?\n\nx");
}

#[test]
fn links_and_images_are_absolute() {
    check(
        "<p><a href='../x?a=1&amp;b=2#c'>x</a> <img src=/i.png alt='a [b]'> <a href='#part'>y</a></p>",
        "[x](https://example.com/x?a=1&b=2#c) ![a \\[b\\]](https://example.com/i.png) [y](https://example.com/docs/page.html#part)",
    );
    check("<p><a href='javascript:go()'>x</a> <a href=''>y</a> <img src='data:image/png;base64,AA'></p>", "x y");
    assert_eq!(
        read("<base href='/other/'><main><p><a href=x>x</a></p></main>").markdown,
        "[x](https://example.com/other/x)"
    );
    check("<a href=/card><h3>Title</h3><p>Text</p></a>", "### [Title](https://example.com/card)\n\nText");
    check("<p><code><a href=/t>T</a></code></p>", "[`T`](https://example.com/t)");
}

#[test]
fn boilerplate_is_removed_and_counted() {
    let page = read(
        "<header><a href=/>Site</a></header><nav>Menu</nav><main><nav class=breadcrumbs>Home</nav><h1>Title</h1><p>Text of the page.</p>\
         <div class=theme-edit-this-page>Edit this page</div><div class='feedback'>Was this helpful?</div><div style='display: none'>secret</div>\
         <p hidden>gone</p><span aria-hidden=true>icon</span><div class='pagination-nav'>Next</div></main>\
         <div id=cookie-banner>We use cookies</div><footer>Imprint</footer>",
    );
    assert_eq!(page.markdown, "# Title\n\nText of the page.");
    let reasons: Vec<Reason> = page.removed.iter().map(|removed| removed.reason).collect();
    for reason in
        [Reason::Outside, Reason::Breadcrumbs, Reason::EditLink, Reason::Feedback, Reason::Hidden, Reason::Pager]
    {
        assert!(
            reasons.contains(&reason) || reason == Reason::Breadcrumbs && reasons.contains(&Reason::Navigation),
            "{reason:?} in {reasons:?}"
        );
    }
    let hidden: usize =
        page.removed.iter().filter(|removed| removed.reason == Reason::Hidden).map(|removed| removed.chars).sum();
    assert_eq!(hidden, "secretgoneicon".len());
}

#[test]
fn inserts_between_paragraphs_are_removed() {
    let prose = "<p>A sentence that has enough words to be the content of a page of its own.</p>".repeat(20);
    let check = |aside: &str, expected: Option<Reason>| {
        let page = read(&format!("<body><h1>Title</h1>{prose}{aside}<p>The end of it.</p>"));
        let reasons: Vec<Reason> = page.removed.iter().map(|removed| removed.reason).collect();
        assert_eq!(reasons, expected.into_iter().collect::<Vec<_>>(), "{aside}");
        assert_eq!(page.text.contains("Aside"), expected.is_none(), "{aside}");
    };
    check("<p><em>You might also like:</em> <a href=/x>Aside</a></p>", Some(Reason::Related));
    check("<p>You might also like how <a href=/x>Aside</a> is written.</p>", None);
    check("<p>See also: <a href=/x>Aside</a></p>", None);
    check("<p>This website uses affiliate links. Aside</p>", Some(Reason::Advertisement));
    check("<p>Aside: programs with affiliate links must be reviewed.</p>", None);
    check("<div><input type=text><div>Aside: type to search</div></div>", Some(Reason::Form));
    check("<div><input type=checkbox checked> Aside</div>", None);
    check("<div><a class='cmp-button' href=/x>Aside</a></div>", Some(Reason::Button));
    check("<p>Press <a class=btn href=/x>Aside</a> to save.</p>", None);
    assert!(
        read("<main><h1>T</h1><div><a class=btn href=/x>Get started</a></div></main>").text.contains("Get started")
    );
}

#[test]
fn markdown_characters_are_escaped_where_needed() {
    check(
        "<p>snake_case 2*3 &lt;div> &amp;amp; a_ [x] `y` C:\\dir\\*</p>",
        "snake_case 2\\*3 \\<div> \\&amp; a\\_ \\[x\\] \\`y\\` C:\\dir\\\\\\*",
    );
    check("<p># no heading</p><p>1. no list</p><p>- no list</p>", "\\# no heading\n\n1\\. no list\n\n\\- no list");
    check("<p>a<b>&quot;b&quot;</b>c <b>d.</b>e</p>", "a<strong>\"b\"</strong>c <strong>d.</strong>e");
    check("<p><b>a</b><b>b</b></p>", "**ab**");
    check("<p>“_x_” ~5 ~a~</p><p>~5 minutes</p>", "“\\_x\\_” \\~5 \\~a\\~\n\n~5 minutes");
}
