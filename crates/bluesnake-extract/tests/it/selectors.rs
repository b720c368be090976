//! Content that the caller includes or excludes by CSS selectors.

use bluesnake_extract::{Extracted, Options, Page, Reason, Scope, Selector, extract};
use url::Url;

fn selectors(list: &[&str]) -> Vec<Selector> {
    list.iter().map(|selector| selector.parse().unwrap()).collect()
}

fn read(html: &str, include: &[&str], exclude: &[&str]) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    let options = Options { include: selectors(include), exclude: selectors(exclude), ..Options::default() };
    extract(&Page { html, url: &url }, &options)
}

const PAGE: &str = "<body><nav class=menu><a href=/x>Menu</a></nav><main><h1>Title</h1><p class=intro>Intro.</p>\
    <div class=wrap>Loose.<div class=box data-x=1><p>One.</p></div><p>Between.</p><div class=box><p>Two.</p><img src=i.png></div></div>\
    <x-note>Custom.</x-note></main><footer><p>Imprint.</p></footer></body>";

#[test]
fn only_included_elements_are_written() {
    let check =
        |include: &[&str], markdown: &str| assert_eq!(read(PAGE, include, &[]).markdown, markdown, "{include:?}");
    check(&["main > p"], "Intro.");
    check(&[".box"], "One.\n\nTwo.\n\n![](https://example.com/docs/i.png)");
    check(&["h1", "x-note"], "# Title\n\nCustom.");
    check(&["h1, .box:not([data-x])"], "# Title\n\nTwo.\n\n![](https://example.com/docs/i.png)");
    check(&["h1 + p ~ div p"], "One.\n\nBetween.\n\nTwo.");
    check(&["nav"], "[Menu](https://example.com/x)");
    check(&["footer"], "Imprint.");
    check(&["img"], "![](https://example.com/docs/i.png)");
    check(
        &["main", ".box"],
        "# Title\n\nIntro.\n\nLoose.\n\nOne.\n\nBetween.\n\nTwo.\n\n![](https://example.com/docs/i.png)\n\nCustom.",
    );
}

#[test]
fn a_page_without_included_elements_is_read_as_usual() {
    let usual = read(PAGE, &[], &[]);
    assert!(usual.markdown.starts_with("# Title"));
    assert_eq!(read(PAGE, &[".absent"], &[]), usual);
}

#[test]
fn excluded_elements_are_dropped_and_reported() {
    let page = read(PAGE, &[], &[".box", "main > p"]);
    assert_eq!(page.markdown, "# Title\n\nLoose.\n\nBetween.\n\nCustom.");
    let excluded: Vec<&str> = page
        .removed
        .iter()
        .filter(|removed| removed.reason == Reason::Excluded)
        .map(|removed| removed.what.as_str())
        .collect();
    assert_eq!(excluded, ["p.intro", "div.box", "div.box"]);
    assert_eq!(
        read(PAGE, &[".wrap"], &["[data-x]"]).markdown,
        "Loose.\n\nBetween.\n\nTwo.\n\n![](https://example.com/docs/i.png)"
    );
    assert!(!read(PAGE, &[], &["main"]).text.contains("Intro"));
    assert!(!read(PAGE, &[], &["h1", "pre"]).markdown.contains("Title"));
}

#[test]
fn code_and_whole_pages_obey_selectors() {
    let html = "<body><pre class=skip>x</pre><p>One.</p><pre>y</pre></body>";
    assert_eq!(read(html, &[], &["pre.skip"]).markdown, "One.\n\n```\ny\n```");
    let url = Url::parse("https://example.com/").unwrap();
    let options = Options { scope: Scope::WholePage, exclude: selectors(&["p"]), ..Options::default() };
    assert_eq!(extract(&Page { html, url: &url }, &options).markdown, "```\nx\n```\n\n```\ny\n```");
}

#[test]
fn selectors_see_the_elements_that_tags_close_and_open() {
    let html =
        "<main><ul><li class=a>one<li class=b>two</ul><table><td class=c>x<td>y</table><p>p<div class=d>d</div></main>";
    assert_eq!(read(html, &["li + .b"], &[]).text, "two");
    assert_eq!(read(html, &["tr > .c"], &[]).text, "x");
    assert_eq!(read(html, &["p .d"], &[]).text, read(html, &[], &[]).text);
    assert_eq!(read(html, &["main > .d"], &[]).text, "d");
}
