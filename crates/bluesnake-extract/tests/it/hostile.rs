//! Pages made to harm: each must end soon, and none may end the process.

use std::time::Duration;

use bluesnake_extract::{Corpus, Extracted, Options, Page, Reason, extract, from_markdown, is_markdown, tokens};
use proptest::prelude::*;
use url::Url;

/// Far more than any of these takes, far less than a quadratic walk would. Of the processor: a busy machine changes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

/// Runs on a small stack, where recursion over the page would show.
fn read_in_time(name: &str, html: String) -> Extracted {
    in_time(name, move || read(&html))
}

/// CPU time of this thread. Unlike wall time it does not advance while other threads run; always zero on systems that
/// do not report it.
fn cpu_time() -> Duration {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(schedstat.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or(0))
}

fn in_time(name: &str, work: impl FnOnce() -> Extracted + Send + 'static) -> Extracted {
    let timed = || (work(), cpu_time());
    let worker = std::thread::Builder::new().stack_size(512 * 1024).spawn(timed).unwrap();
    let (extracted, took) = worker.join().unwrap();
    println!("{name}: {took:?}");
    assert!(took < PATIENCE, "{name} took {took:?}");
    extracted
}

#[test]
fn deep_nesting_is_cut_and_its_text_kept() {
    let deep = format!("{}the core{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    let extracted = read_in_time("100,000 nested divs", deep);
    assert_eq!(extracted.text, "the core");
    assert!(extracted.removed.iter().any(|removed| removed.reason == Reason::TooDeep));
}

#[test]
fn every_container_may_nest_deeply() {
    for tag in [
        "ul><li",
        "blockquote",
        "table><tr><td",
        "b",
        "a href=x",
        "dl><dd",
        "pre",
        "span",
        "section",
        "p",
        "em",
        "details",
        "ol><li><p",
    ] {
        let html = format!("{}<p>core</p>", format!("<{tag}>").repeat(20_000));
        let extracted = read_in_time(tag, html);
        assert!(extracted.text.contains("core"), "{tag}: {:?}", extracted.text);
    }
}

/// Three bytes of markup made a node of a hundred bytes, as often as the page wanted.
#[test]
fn a_page_of_only_tags_is_truncated_and_reported() {
    for unit in ["<b></b>", "<br>", "</br>", "<p>x", "<h6>a"] {
        let html = format!("<p>The beginning</p>{}<p>The end", unit.repeat(1_000_001));
        let extracted = read_in_time(unit, html);
        assert!(extracted.text.starts_with("The beginning"), "{unit}");
        assert!(extracted.removed.iter().any(|removed| removed.reason == Reason::TooMany), "{unit}");
    }
}

/// Counting the text around the content took that of the heading off twice.
#[test]
fn content_in_a_heading_that_is_never_closed_is_read() {
    let words = "Some words that are the content of the page. ".repeat(20);
    let extracted = read(&format!("<body><h1>Title<article><p>{words}</p></article>"));
    assert!(extracted.text.contains("the content of the page"), "{:?}", extracted.text);
    let outside: usize = extracted.removed.iter().map(|removed| removed.chars).sum();
    assert!(outside < 100, "{:?}", extracted.removed);
}

/// One long word was counted 60 times as slowly as words.
#[test]
fn tokens_of_a_page_without_spaces_are_counted_quickly() {
    for unit in ["x", "字", "=", "aB1"] {
        let extracted = read_in_time(unit, format!("<pre>{}</pre>", unit.repeat(2_000_000 / unit.len())));
        let start = cpu_time();
        let tokens = tokens(&extracted.markdown);
        let took = cpu_time() - start;
        assert!(tokens.o200k > 10_000 && took < PATIENCE, "{unit:?}: {tokens:?} in {took:?}");
    }
}

#[test]
fn a_million_attributes_and_a_huge_one_are_read() {
    let attributes: String = (0..1_000_000).map(|number| format!(" a{number}=x")).collect();
    assert_eq!(read_in_time("1,000,000 attributes", format!("<p{attributes}>text</p>")).text, "text");
    let same = " class=x".repeat(1_000_000);
    assert_eq!(read_in_time("1,000,000 times the same attribute", format!("<p{same}>text</p>")).text, "text");
    let huge = "x ".repeat(2_500_000);
    assert_eq!(read_in_time("5 MB in one attribute", format!("<p class=\"{huge}\">text</p>")).text, "text");
    let names: String = (0..500_000).map(|number| format!("nav{number} ")).collect();
    assert_eq!(read_in_time("500,000 class names", format!("<p class=\"{names}\">text</p>")).text, "text");
}

#[test]
fn nul_and_control_characters_are_harmless() {
    let extracted = read_in_time("NUL", "<p>a\0b\u{1}c</p><pre>x\0y</pre>".repeat(10));
    assert!(extracted.text.contains('a') && extracted.text.contains('b'));
}

#[test]
fn huge_tables_and_lists_are_written() {
    let rows = "<tr><td>a</td><td>b</td></tr>".repeat(100_000);
    assert_eq!(
        read_in_time("100,000 rows", format!("<main><table>{rows}</table></main>")).markdown.lines().count(),
        100_002
    );
    let wide = format!(
        "<main><table><tr>{}</tr>{}</table></main>",
        "<td>a</td>".repeat(100_000),
        "<tr><td>b</td></tr>".repeat(10_000)
    );
    assert!(read_in_time("100,000 columns", wide).markdown.len() < 5_000_000);
    let items = "<li>a".repeat(300_000);
    assert_eq!(
        read_in_time("300,000 items", format!("<main><ul>{items}</ul></main>")).markdown.lines().count(),
        300_000
    );
    let breaks = "a<br>".repeat(300_000);
    read_in_time("300,000 breaks", format!("<p>{breaks}</p>"));
    let headings = "<h2>share</h2><p>x</p>".repeat(30_000);
    read_in_time("30,000 headings of furniture", format!("<main><p>{}</p>{headings}</main>", "text ".repeat(10)));
    let roots = "<div class=content>x</div><article>y</article>".repeat(30_000);
    read_in_time("60,000 that claim to be the content", roots);
}

#[test]
fn a_small_page_does_not_become_a_huge_one() {
    let quotes = format!("<main>{}{}</main>", "<blockquote>".repeat(500), "<p>x</p>".repeat(100_000));
    assert!(read_in_time("100,000 lines in 500 quotes", quotes).markdown.len() < 20_000_000);
    let links = format!(
        "<base href='https://example.com/{}/'><main>{}</main>",
        "x".repeat(2_000),
        "<a href=a>b</a> ".repeat(100_000)
    );
    let extracted = read_in_time("100,000 links to long addresses", links);
    assert!(extracted.markdown.len() < 40_000_000 && extracted.text.len() >= 199_999);
    let empty = "<i></i>".repeat(1_000);
    let headings = format!("{empty}<div><h2>Share</h2>").repeat(300);
    read_in_time("headings behind empty elements", format!("<main>{headings}</main>"));
}

#[test]
fn a_page_of_one_long_line_is_read() {
    let line = format!("<html><body><main><p>{}</p></main></body></html>", "word *and_ [more] `code` ".repeat(420_000));
    assert!(line.len() > 10_000_000);
    assert!(read_in_time("10 MB in one line", line).text.len() > 9_000_000);
    read_in_time("10 MB of unclosed tags", "<b><i><a href=x><p>".repeat(550_000));
    read_in_time("10 MB of end tags", "</x></div></p></b>".repeat(550_000));
    read_in_time("10 MB of backticks", format!("<code>{}</code>", "`".repeat(10_000_000)));
    read_in_time("5 MB of emphasis", "<b>a</b><i>b</i>".repeat(300_000));
}

#[test]
fn a_page_of_escaped_characters_is_read() {
    for sign in ["~", "_", "*", "&amp;", "&lt;", "|", "[", "]", "`", "\\", "#", ">", "-", "=", "&nbsp;", "\n", "1."] {
        let text = format!("{}{}", "a".repeat(1_000_000), sign.repeat(1_000_000));
        read_in_time(sign, format!("<main><p>{text}</p><table><tr><th>a<td>{text}</table></main>"));
        read_in_time(sign, format!("<main><h2>{text}</h2><p>{}</p></main>", sign.repeat(1_000_000)));
    }
}

#[test]
fn a_page_of_many_repeated_blocks_is_cleaned() {
    let page = |number: usize| {
        read(&format!("<main>{}<p>only {number}</p>{}</main>", "<p>a".repeat(60_000), "<h2>b</h2><p>a".repeat(10_000)))
    };
    let pages: Vec<Extracted> = (0..6).map(page).collect();
    let mut corpus = Corpus::default();
    pages.iter().for_each(|page| corpus.add(page));
    for (number, mut page) in pages.into_iter().enumerate() {
        corpus.clean(&mut page);
        assert_eq!((page.markdown, page.sections.len()), (format!("only {number}"), 1));
    }
}

#[test]
fn the_same_page_gives_the_same_result() {
    let html = "<nav>menu</nav><main><h1>T</h1><p class='a b c'>x <b>y</b></p><ul><li>1<li>2</ul><table><tr><th>a<td>b</table></main>".repeat(20);
    assert_eq!(read(&html), read(&html));
}

fn read_markdown_in_time(name: &str, body: String) -> Extracted {
    in_time(name, move || {
        is_markdown(&body, None);
        from_markdown(&body, &Url::parse("https://example.com/docs/").unwrap())
    })
}

#[test]
fn markdown_made_of_one_mark_is_read() {
    for (mark, times) in [
        ("](", 250_000),
        ("[", 200_000),
        ("]", 500_000),
        ("![", 200_000),
        ("<", 500_000),
        ("‹", 500_000),
        ("`", 500_000),
        ("*a ", 200_000),
        ("_a*", 200_000),
        ("~~a ", 200_000),
        ("[a](", 100_000),
        ("[a](b) ", 100_000),
        ("[](b", 100_000),
        ("[a][b", 100_000),
        ("[a](<b", 100_000),
        ("<a href=", 100_000),
        ("<!--", 100_000),
        ("<![CDATA[", 50_000),
        ("<?", 200_000),
        ("<!A ", 200_000),
        ("<b>", 100_000),
        ("` `` ", 50_000),
        ("> ", 200_000),
        ("- ", 200_000),
        ("1. ", 100_000),
        ("|a", 200_000),
        ("|\n-|\n", 50_000),
        ("[a]: b\n", 50_000),
        ("[^a] ", 100_000),
        ("[^a]: ", 50_000),
        ("&amp", 100_000),
        ("\\", 500_000),
        ("- a\n\n", 50_000),
        ("```\n", 100_000),
        ("a\n===\n", 50_000),
        ("<p>a\n\n", 50_000),
        ("<div>", 100_000),
        ("<div><a href='", 100_000),
        ("<div>\n<a href=b>\n", 50_000),
        ("<div><script>", 50_000),
        ("<div><!--", 50_000),
        ("<pre>\n\n", 50_000),
        ("</script>\n\n<script>\n", 50_000),
        ("a <script src=b>", 50_000),
        ("\r\n", 200_000),
    ] {
        let repeated = mark.repeat(times);
        let extracted = read_markdown_in_time(mark, format!("# t\n\n{repeated}"));
        places_fit(&extracted);
        assert!(extracted.markdown.len() < 50 * repeated.len(), "{mark}: {}", extracted.markdown.len());
        read_markdown_in_time(mark, repeated);
    }
}

#[test]
fn a_small_page_of_markdown_does_not_become_a_huge_one() {
    let url = Url::parse(&format!("https://example.com/{}/", "x".repeat(2_000))).unwrap();
    let extracted = from_markdown(&"[a](b) ".repeat(100_000), &url);
    assert!(extracted.markdown.len() < 40_000_000);
    assert!(extracted.removed.iter().any(|removed| removed.reason == Reason::TooLong));
    assert_eq!(extracted.text.len(), 199_999);
}

/// Pieces of markup in any order make odder pages than random letters do.
fn any_page() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<table>"),
        Just("</table>"),
        Just("<tr>"),
        Just("<td>"),
        Just("<td colspan=2>"),
        Just("<th>"),
        Just("</td>"),
        Just("<ul>"),
        Just("</ul>"),
        Just("<ol start=3>"),
        Just("<li>"),
        Just("</li>"),
        Just("<dl>"),
        Just("<dt>"),
        Just("<dd>"),
        Just("</dl>"),
        Just("<pre>"),
        Just("</pre>"),
        Just("<code>"),
        Just("</code>"),
        Just("<b>"),
        Just("</b>"),
        Just("<a href='x y'>"),
        Just("</a>"),
        Just("<h2 id=a>"),
        Just("</h2>"),
        Just("<p>"),
        Just("</p>"),
        Just("<br>"),
        Just("<hr>"),
        Just("<blockquote>"),
        Just("</blockquote>"),
        Just("<div class='admonition note'>"),
        Just("</div>"),
        Just("<div role=tablist>"),
        Just("<div role=tabpanel>"),
        Just("<aside class=footnote>"),
        Just("<span class=label>"),
        Just("</span>"),
        Just("<dt class=sig>"),
        Just("<div hidden>"),
        Just("<main>"),
        Just("</main>"),
        Just("<article>"),
        Just("<details><summary>"),
        Just("</summary>"),
        Just("<input type=checkbox checked>"),
        Just("<img src=a alt='*'>"),
        Just("<span class=katex>"),
        Just("<caption>"),
        Just("<section class=footnotes>"),
        Just("text "),
        Just("*x_ "),
        Just("`"),
        Just("| "),
        Just("1. "),
        Just("&nbsp;"),
        Just("ß€ "),
        Just("\n"),
        Just("<!--"),
        Just("<script>"),
        Just("</script>"),
    ];
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_as_a_page(html in ".{0,400}") {
        check(&html);
    }

    #[test]
    fn any_bytes_are_read_as_a_page(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_markup_is_read_as_a_page(html in any_page()) {
        check(&html);
    }

    #[test]
    fn any_text_is_read_as_markdown(body in "[\\[\\]()#*`>\\-a-z \n:<!~|0-9ß]{0,300}") {
        let url = Url::parse("https://example.com/").unwrap();
        is_markdown(&body, None);
        let extracted = from_markdown(&body, &url);
        places_fit(&extracted);
    }
}

fn check(html: &str) {
    let extracted = read(html);
    assert_eq!(extracted, read(html), "the same page gives the same result");
    places_fit(&extracted);
    let mut corpus = Corpus::default();
    for _ in 0..6 {
        corpus.add(&extracted);
    }
    let mut cleaned = extracted.clone();
    corpus.clean(&mut cleaned);
    places_fit(&cleaned);
}

/// Every range lies in its text and on the borders of characters.
fn places_fit(extracted: &Extracted) {
    assert!((0.0..=1.0).contains(&extracted.confidence));
    for section in &extracted.sections {
        extracted.section_text(section);
    }
    for block in &extracted.blocks {
        assert!(extracted.markdown.get(block.markdown.clone()).is_some());
        assert!(extracted.text.get(block.text.clone()).is_some());
    }
}
