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
const EXCEPTIONS: &[(usize, &str)] = &[];

#[test]
fn the_html_of_commonmark_examples_renders_to_the_same_page_again() {
    let path = folder("commonmark").join("spec.txt");
    let spec = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let examples = examples(&spec);
    let (mut passed, mut excepted, mut failures) = (0, 0, Vec::new());
    for Example { number, section, markdown, html } in &examples {
        let ours = converted(html);
        let (rendered, expected) = (rendered(&ours), rendered(markdown));
        match EXCEPTIONS.iter().find(|(exception, _)| exception == number) {
            _ if is_raw(section) => excepted += 1,
            Some((_, reason)) => {
                excepted += 1;
                println!("  except {number} ({section}): {reason}");
            }
            None if rendered == expected => passed += 1,
            None => failures.push(format!(
                "{number} ({section})\n  html     {html:?}\n  ours     {ours:?}\n  rendered {rendered:?}\n  expected {expected:?}"
            )),
        }
    }
    println!("CommonMark: {} examples, {passed} passed, {excepted} exceptions", examples.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(examples.len(), 652);
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
    extract(&Page { html, url: &url }, &Options { scope: Scope::WholePage }).markdown
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
