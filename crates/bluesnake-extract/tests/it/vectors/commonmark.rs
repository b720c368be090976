//! The examples of CommonMark, backwards: their HTML, converted to Markdown, must render to the same page.

use bluesnake_extract::{Options, Page, Scope, extract};
use pulldown_cmark::{Event, Parser, Tag};
use url::Url;

use super::folder;

/// An example of the specification.
struct Example<'a> {
    number: usize,
    section: &'a str,
    markdown: String,
    html: String,
}

/// Examples in which we differ on purpose.
const EXCEPTIONS: &[(&str, &[usize])] = &[
    ("the example is raw HTML", &[21, 31, 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536, 642, 643]),
    (
        "elements without content are omitted",
        &[79, 126, 129, 130, 138, 144, 218, 237, 239, 240, 280, 281, 282, 283, 284, 315, 334, 484, 487],
    ),
    (
        "emphasis in emphasis is emphasis",
        &[369, 373, 389, 407, 408, 409, 417, 418, 419, 425, 426, 427, 432, 461, 463, 464, 465, 466, 468],
    ),
    ("a list is loose when one of its items has blocks", &[61, 278, 318, 320, 321]),
    ("a link from the page to itself is text", &[200, 485, 486, 501, 567]),
    ("a heading ends the list that contains it", &[300]),
    ("white space in a title is folded", &[196]),
    ("names of languages are ASCII", &[34]),
    ("the URL parser of this test changes backslashes and mailto", &[202, 502, 603, 604, 605]),
];

#[test]
fn commonmark_examples_round_trip() {
    let path = folder("commonmark").join("spec.txt");
    let spec = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let examples = examples(&spec);
    let (mut passed, mut excepted, mut failures) = (0, 0, Vec::new());
    for Example { number, section, markdown, html } in &examples {
        let ours = converted(html);
        let (rendered, expected) = (rendered(&ours), rendered(markdown));
        match EXCEPTIONS.iter().find(|(_, numbers)| numbers.contains(number)) {
            _ if is_raw(section) => excepted += 1,
            Some((reason, _)) => {
                assert_ne!(rendered, expected, "{number} is no longer an exception: {reason}");
                excepted += 1;
            }
            None if rendered == expected => passed += 1,
            None => failures.push(format!(
                "{number} ({section})\n  html     {html:?}\n  ours     {ours:?}\n  rendered {rendered:?}\n  expected {expected:?}"
            )),
        }
    }
    println!("CommonMark: {} examples, {passed} passed, {excepted} exceptions", examples.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!((examples.len(), passed), (652, 517));
}

/// Examples of HTML that stays HTML show nothing about converting.
fn is_raw(section: &str) -> bool {
    matches!(section, "HTML blocks" | "Raw HTML")
}

/// An example is fenced by 32 backticks, and a dot separates Markdown and HTML; tabs are written as arrows.
fn examples(spec: &str) -> Vec<Example<'_>> {
    let fence = "`".repeat(32);
    let (mut examples, mut section, mut lines) = (Vec::new(), "", spec.lines());
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        } else if line == format!("{fence} example") {
            let mut part = |end: &str| {
                lines
                    .by_ref()
                    .take_while(|line| *line != end)
                    .map(|line| format!("{}\n", line.replace('→', "\t")))
                    .collect()
            };
            let (markdown, html) = (part("."), part(&fence));
            examples.push(Example { number: examples.len() + 1, section, markdown, html });
        }
    }
    examples
}

fn converted(html: &str) -> String {
    let url = base();
    extract(&Page { html, url: &url }, &Options { scope: Scope::WholePage, ..Options::default() }).markdown
}

fn base() -> Url {
    Url::parse("http://example.com/").unwrap()
}

/// The page as HTML, addresses made absolute, runs of white space outside code blocks folded as a browser does.
fn rendered(markdown: &str) -> String {
    let mut options = pulldown_cmark::Options::ENABLE_TABLES;
    options.insert(pulldown_cmark::Options::ENABLE_STRIKETHROUGH);
    let events = Parser::new_ext(markdown, options).map(absolute);
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    let parts = html.split("<pre>").enumerate().map(|(at, part)| match part.split_once("</pre>") {
        Some((code, text)) if at > 0 => format!("<pre>{}</pre>{}", code.replace("\n</code>", "</code>"), folded(text)),
        _ => folded(part),
    });
    parts.collect::<String>().replace(" <", "<").replace("> ", ">")
}

fn absolute(event: Event<'_>) -> Event<'_> {
    let join = |target: &str| base().join(target).map_or_else(|_| target.to_owned(), String::from).into();
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: join(&dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: join(&dest_url), title, id })
        }
        other => other,
    }
}

fn folded(html: &str) -> String {
    let words: Vec<&str> = html.split([' ', '\n', '\t']).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}
