//! The title of a page: its own, not that of the site.

use bluesnake_extract::{Corpus, Extracted, Options, Page, extract};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

fn check(head: &str, content: &str, title: &str) {
    let page = read(&format!("<head>{head}</head><body><main>{content}<p>Some text.</p></main></body>"));
    assert_eq!(page.title.as_deref(), Some(title), "{head} {content}");
}

#[test]
fn the_name_of_the_site_is_not_part_of_a_title() {
    check("<title>The text — Python 3.11.2 documentation</title>", "", "The text");
    check("<title>Guide | Docs</title>", "", "Guide");
    check("<title>Guide - Tidepool Documentation</title>", "", "Guide");
    check("<title>Guide · Tidepool</title><meta property='og:site_name' content=Tidepool>", "", "Guide");
    check("<title>Tidepool | Guide</title><meta property='og:site_name' content=Tidepool>", "", "Guide");
    check("<title>Tidepool: Guide</title><meta property='og:site_name' content=Tidepool>", "", "Guide");
    check("<title>Tidepool: Guide</title>", "<h1>Guide</h1><h1>Other</h1>", "Guide");
    check("<title>A - B - Tidepool</title>", "<h2>A - B</h2><h2>C</h2>", "A - B");
    check("<title>Guide » Tidepool</title>", "<h2>Guide</h2><h2>C</h2>", "Guide");
}

#[test]
fn a_title_keeps_what_belongs_to_it() {
    check("<title>Before - after</title>", "", "Before - after");
    check("<title>C++: a guide</title>", "", "C++: a guide");
    check("<title>Python documentation</title>", "", "Python documentation");
    check("<title>X | Y</title>", "<h1>Own title</h1>", "Own title");
    check("<title>Tidepool</title><meta property='og:site_name' content=Tidepool>", "<h1>Tidepool</h1>", "Tidepool");
}

#[test]
fn a_first_heading_that_is_the_name_of_the_site_is_not_the_title() {
    let site = "<meta property='og:site_name' content=Tidepool>";
    check(&format!("<title>Guide - Tidepool</title>{site}"), "<h1>Tidepool</h1><h2>Guide</h2>", "Guide");
    check(&format!("<title>Tidepool</title>{site}"), "<h1>Tidepool</h1><h2>Guide</h2><h2>More</h2>", "Guide");
    check("<title>Guide - Tidepool</title>", "<h1>Tidepool</h1><h2>Guide</h2>", "Guide");
}

#[test]
fn the_first_of_several_titles_is_that_of_the_head() {
    check("<title>Guide</title>", "<h1>Guide</h1><h1>Part</h1>", "Guide");
    check("<title>Guide — Tidepool</title>", "<h1>Guide</h1><h1>Part</h1>", "Guide");
    check(
        "<title>guide retries (Tidepool manual)</title><meta name=Generator content=makeinfo>",
        "<h3>Retries</h3><h4>Backoff</h4>",
        "Retries",
    );
}

fn cleaned(pages: &[Extracted], place: usize) -> Option<String> {
    let mut corpus = Corpus::default();
    pages.iter().for_each(|page| corpus.add(page));
    let mut page = pages[place].clone();
    corpus.clean(&mut page);
    page.title
}

#[test]
fn what_titles_of_a_site_have_in_common_is_its_name() {
    let pages = |title: fn(usize) -> String, content: fn(usize) -> String| -> Vec<Extracted> {
        let page = |number| {
            read(&format!("<title>{}</title><main>{}<p>Text {number}.</p></main>", title(number), content(number)))
        };
        (0..9).map(page).collect()
    };
    let suffixed = pages(|number| format!("Page {number} - Before - Tidepool"), |_| String::new());
    assert_eq!(cleaned(&suffixed, 3).as_deref(), Some("Page 3 - Before"));
    let prefixed = pages(|number| format!("Tidepool | Page {number}"), |_| String::new());
    assert_eq!(cleaned(&prefixed, 3).as_deref(), Some("Page 3"));
    let same = pages(|_| "Tidepool".to_owned(), |number| format!("<h2>Page {number}</h2><h2>More</h2>"));
    assert_eq!(cleaned(&same, 3).as_deref(), Some("Page 3"));
    let headed = pages(|_| "Tidepool".to_owned(), |number| format!("<h1>Tidepool</h1><h2>Page {number}</h2>"));
    assert_eq!(cleaned(&headed, 3).as_deref(), Some("Page 3"));
    let without = pages(|_| "Tidepool".to_owned(), |_| String::new());
    assert_eq!(cleaned(&without, 3).as_deref(), Some("Tidepool"));
    let own = pages(|number| format!("Page {number} - after"), |_| String::new());
    assert_eq!(cleaned(&own[..4], 3).as_deref(), Some("Page 3 - after"));
}
