//! What is known only about a whole site, about pages of Markdown, and about the head of a page.

use bluesnake_extract::{Corpus, Extracted, Options, Page, Reason, extract, from_markdown, is_markdown};
use url::Url;

fn url() -> Url {
    Url::parse("https://example.com/docs/page.html").unwrap()
}

fn read(html: &str) -> Extracted {
    extract(&Page { html, url: &url() }, &Options::default())
}

fn page(number: usize) -> Extracted {
    read(&format!(
        "<main><h1>Page {number}</h1><p>Welcome to the manual of our product.</p><h2>About {number}</h2><p>Only page {number} says this.</p>\
         <pre>make install</pre><h2>Support</h2><p>Write to us.</p></main>"
    ))
}

fn corpus(pages: impl Iterator<Item = usize>) -> Corpus {
    let mut corpus = Corpus::default();
    pages.for_each(|number| corpus.add(&page(number)));
    corpus
}

#[test]
fn repeated_blocks_are_removed_and_reported() {
    let mut third = page(3);
    corpus(0..8).clean(&mut third);
    assert_eq!(third.markdown, "# Page 3\n\n## About 3\n\nOnly page 3 says this.\n\n```\nmake install\n```");
    assert_eq!(third.text, "Page 3\n\nAbout 3\n\nOnly page 3 says this.\n\nmake install");
    let removed: Vec<&str> = third
        .removed
        .iter()
        .filter(|removed| removed.reason == Reason::Repeated)
        .map(|removed| removed.what.as_str())
        .collect();
    assert_eq!(removed, ["Welcome to the manual of our product.", "Support", "Write to us."]);
    let sections: Vec<(&str, &str)> =
        third.sections.iter().map(|section| (section.heading.as_str(), third.section_text(section))).collect();
    assert_eq!(sections, [("Page 3", ""), ("About 3", "Only page 3 says this.\n\nmake install")]);
    assert_eq!(third.blocks.len(), 4);
}

#[test]
fn the_order_of_pages_does_not_matter() {
    let forwards = corpus(0..8);
    assert_eq!(forwards, corpus((0..8).rev()));
    let mut halves = corpus(4..8);
    halves.merge(&corpus(0..4));
    assert_eq!(forwards, halves);
}

#[test]
fn small_sites_and_fully_repeated_pages_are_unchanged() {
    let mut first = page(0);
    corpus(0..4).clean(&mut first);
    assert_eq!(first, page(0));
    let same = || read("<main><p>Always the same.</p></main>");
    let mut corpus = Corpus::default();
    (0..9).for_each(|_| corpus.add(&same()));
    let mut cleaned = same();
    corpus.clean(&mut cleaned);
    assert_eq!(cleaned, same());
}

#[test]
fn markdown_is_distinguished_from_html() {
    let check = |body: &str, content_type: Option<&str>, expected: bool| {
        assert_eq!(is_markdown(body, content_type), expected, "{body:?} {content_type:?}")
    };
    check("# Title\n\nText", Some("text/markdown; charset=utf-8"), true);
    check("Just words.", Some("text/markdown"), true);
    check("# Title", Some("text/plain"), true);
    check("# Title", None, true);
    check("Just words.", None, false);
    check("<!DOCTYPE html><html><h1>Not found</h1>", Some("text/markdown"), false);
    check("\u{feff}\n<html><body># Title", Some("text/plain"), false);
    check("# Title", Some("text/html"), false);
    check("{\"a\": \"- b\"}", None, false);
    check("", Some("text/markdown"), false);
}

#[test]
fn markdown_is_unchanged_except_for_links() {
    let body = "---\ntitle: \"The Title\"\ndescription: About\n---\n# Heading\n\nSee [this](../a b.md \"t\") no, [that](b.md#c), ![i](i.png) and [ref].\n\n[ref]: /r.md\n\n## Part *two*\n\n```sh\n[no](link.md)\n```\n";
    let extracted = from_markdown(body, &url());
    assert_eq!(
        extracted.markdown,
        "# Heading\n\nSee [this](../a b.md \"t\") no, [that](https://example.com/docs/b.md#c), ![i](https://example.com/docs/i.png) and [ref].\n\n[ref]: https://example.com/r.md\n\n## Part *two*\n\n```sh\n[no](link.md)\n```"
    );
    assert_eq!((extracted.title.as_deref(), extracted.description.as_deref()), (Some("The Title"), Some("About")));
    let sections: Vec<(u8, &str, Option<&str>, &str)> = extracted
        .sections
        .iter()
        .map(|section| {
            (section.level, section.heading.as_str(), section.anchor.as_deref(), extracted.section_text(section))
        })
        .collect();
    assert_eq!(sections[1], (2, "Part two", Some("part-two"), "[no](link.md)"));
    assert_eq!(from_markdown("Text\n\n# First\n", &url()).title.as_deref(), Some("First"));
}

#[test]
fn the_label_of_a_definition_stays() {
    let extracted = from_markdown("See [a.md].\n\n[a.md]: a.md\n", &url());
    assert_eq!(extracted.markdown, "See [a.md].\n\n[a.md]: https://example.com/docs/a.md");
}

#[test]
fn html_in_markdown_is_part_of_its_text() {
    let check = |body: &str, expected: &str| assert_eq!(from_markdown(body, &url()).text, expected, "{body}");
    check("# T\n\n<table><tr><td>one &amp; only</td><td>two</td></tr></table>\n\nEnd\n", "T\none & only two\nEnd");
    check("a <b>bold</b> word<br>next\n", "a bold word next");
    check("- x\n\n  <div\n  class=a>in <i>a</i>n item</div>\n", "x\nin an item");
    check("<!-- unseen -->\n\n<script>\nunseen()\n</script>\n\nseen\n", "seen");
    let extracted = from_markdown("Before.\n\n<div>between</div>\n\nAfter.\n", &url());
    let said: Vec<&str> = extracted.blocks.iter().map(|block| &extracted.text[block.text.clone()]).collect();
    assert_eq!(said, ["Before.", "After."]);
}

#[test]
fn unclosed_markdown_is_closed() {
    let check = |body: &str, expected: &str| assert_eq!(from_markdown(body, &url()).markdown, expected, "{body}");
    check("# T\n\n```sh\nmake\n", "# T\n\n```sh\nmake\n```");
    check("~~~~\nmake\n~~~\n", "~~~~\nmake\n~~~\n~~~~");
    check("```\n", "```\n```");
    check("```\n```\n", "```\n```");
    check("```\nmake\n`````  \n", "```\nmake\n`````");
    check("    ```\n    make\n", "```\n    make\n```");
    check("text\n\n    ```\n", "text\n\n    ```");
    check("- ```\n  make\n", "- ```\n  make");
    check("```\na\n```\n\n<!-- open\n\nmore\n", "```\na\n```\n\n<!-- open\n\nmore\n-->");
    check("<!-- closed -->\n", "<!-- closed -->");
    check("<pre>\n\nopen\n", "<pre>\n\nopen\n</pre>");
    check("<PRE>\n\nclosed</PRE>\n", "<PRE>\n\nclosed</PRE>");
    check("<prefix>\n", "<prefix>");
}

#[test]
fn urls_of_html_in_markdown_are_absolute() {
    let check = |body: &str, expected: &str| assert_eq!(from_markdown(body, &url()).markdown, expected, "{body}");
    check("<img src=\"pic.png\">\n", "<img src=\"https://example.com/docs/pic.png\">");
    check("See <a class='x' HREF='../x'>this</a>.", "See <a class='x' HREF='https://example.com/x'>this</a>.");
    check(
        "<div>\n<a\n  href=/a?b&amp;c><img alt='<' src=i.png/></a>\n</div>",
        "<div>\n<a\n  href=https://example.com/a?b&amp;c><img alt='<' src=https://example.com/docs/i.png/></a>\n</div>",
    );
    check("[<img src=a.png>](b.md)", "[<img src=https://example.com/docs/a.png>](https://example.com/docs/b.md)");
    for kept in [
        "`<img src=a>`",
        "<!-- <img src=a> -->",
        "<script>\nx = '</b><img src=a>'\n</script>",
        "<Image src={picture} />",
        "<a href=\"{{ base }}/x\">y</a>",
        "<a data-src=a href=\"https://other.example/?a=b\">y</a>",
        "a < b href=c",
    ] {
        check(kept, kept);
    }
}

#[test]
fn metadata_is_read_from_the_head() {
    let extracted = read(
        "<html lang=de><head><title> The\n title </title><meta name=Description content='About &amp; more'><meta name=keywords content=k><meta name=author content=A>\
         <meta name=generator content=G><meta property='og:title' content=OT><meta property='og:description' content=OD><meta property='og:type' content=article>\
         <meta property='og:site_name' content=S><meta property='article:section' content=AS><meta property='article:tag' content=t1><meta property='article:tag' content=t2>\
         <link rel=canonical href='/c'><script type='application/ld+json'>{\"@graph\": [{\"@type\": \"TechArticle\", \"headline\": \"H\", \"author\": {\"name\": \"N\"}}]}</script>\
         <script type='application/ld+json'>{broken</script></head><body><svg><title>icon</title></svg><p>Text</p></body></html>",
    );
    assert_eq!(extracted.title.as_deref(), Some("OT"));
    assert_eq!(extracted.language.as_deref(), Some("de"));
    assert_eq!(extracted.description.as_deref(), Some("About & more"));
    let metadata = serde_json::to_value(&extracted.metadata).unwrap();
    let expected = serde_json::json!({
        "description": "About & more", "keywords": "k", "author": "A", "generator": "G", "og_title": "OT", "og_description": "OD", "og_type": "article",
        "og_site_name": "S", "article_section": "AS", "article_tags": ["t1", "t2"], "canonical": "https://example.com/c",
        "json_ld": [{"type": "TechArticle", "headline": "H", "description": null, "name": null, "author": "N"}],
    });
    assert_eq!(metadata, expected);
    assert_eq!(metadata.as_object().unwrap().len(), 12);
}

#[test]
fn confidence_grows_with_text_and_structure() {
    let text = "Words that say something about it. ".repeat(60);
    let check = |html: &str, expected: f32| {
        assert!((read(html).confidence - expected).abs() < 0.001, "{} for {html:.80}", read(html).confidence)
    };
    check("<main><p>Short.</p></main>", 0.55);
    check(&format!("<main><p>{text}</p></main>"), 0.90);
    check(&format!("<main><h1>T</h1><p>{text}</p><ul><li>a</ul></main>"), 1.0);
    check(&format!("<main>{}</main>", "<p><a href=x>link</a> <a href=y>more</a></p>".repeat(3)), 0.35);
    check(&format!("<main><p>{text}</p>{}</main>", "<h2>h</h2>".repeat(21)), 0.80);
}
