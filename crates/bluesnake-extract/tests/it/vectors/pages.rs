//! 83 pages of news and blogs, with texts that another extractor wants in its result, comments included, and texts that it
//! does not want.
//!
//! We extract documentation and aim at neither comments nor news: this shows that a change does not make things worse.

use bluesnake_extract::{Options, Page, extract};
use serde_json::Value;
use url::Url;

use super::folder;

/// How many snippets are as they should be, of how many.
#[derive(Default)]
struct Snippets {
    with: (usize, usize),
    without: (usize, usize),
    misses: Vec<String>,
}

#[test]
fn finds_the_main_text_of_news_and_blogs() {
    let index: Value =
        serde_json::from_slice(&std::fs::read(folder("web-pages").join("snippets.json")).unwrap()).unwrap();
    let pages = index.as_array().expect("a list of pages");
    let mut counted = Snippets::default();
    pages.iter().for_each(|page| count(page, &mut counted));
    counted.misses.iter().for_each(|miss| println!("{miss}"));
    let Snippets { with, without, .. } = counted;
    println!("{} pages: {} of {} with, {} of {} without", pages.len(), with.0, with.1, without.0, without.1);
    assert_eq!((pages.len(), with.1, without.1), (83, 198, 193));
    assert!(with.0 >= 167, "{} of {} texts are there", with.0, with.1);
    assert!(without.0 >= 145, "{} of {} other texts are not there", without.0, without.1);
}

fn count(page: &Value, counted: &mut Snippets) {
    let text_of = |name: &str| page[name].as_str().unwrap();
    let html = String::from_utf8_lossy(&std::fs::read(folder("web-pages").join(text_of("file"))).unwrap()).into_owned();
    let url = Url::parse(text_of("url")).unwrap();
    let text = letters(&extract(&Page { html: &html, url: &url }, &Options::default()).text);
    let snippets = |name: &str| page[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    for snippet in snippets("with") {
        let is_there = text.contains(&letters(snippet));
        counted.with = (counted.with.0 + usize::from(is_there), counted.with.1 + 1);
        counted.misses.extend((!is_there).then(|| format!("{url}: missing {snippet:?}")));
    }
    for snippet in snippets("without") {
        let is_there = text.contains(&letters(snippet));
        counted.without = (counted.without.0 + usize::from(!is_there), counted.without.1 + 1);
        counted.misses.extend(is_there.then(|| format!("{url}: present {snippet:?}")));
    }
}

/// Everything but white space: snippets were chosen from text in which tags left spaces.
fn letters(text: &str) -> String {
    let signs = text.chars().filter(|sign| !sign.is_whitespace() && *sign != '\u{200b}');
    signs.flat_map(char::to_lowercase).collect()
}
