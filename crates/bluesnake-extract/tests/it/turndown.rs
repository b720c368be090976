//! 147 cases of another converter: what it writes and what we write must be the same page when rendered.

use bluesnake_extract::{Options, Page, Scope, extract};
use pulldown_cmark::{Event, Parser, Tag};
use url::Url;

use crate::vectors;

/// Cases in which we differ on purpose.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("escaping ~~~", "a <pre> is a code block for us, also without <code>: all pages of Sphinx are written so"),
    ("list-like text with non-breaking spaces", "it marks the line break with a comment, we with a backslash"),
];

#[test]
fn cases_of_another_converter_render_alike() {
    let Some(folder) = vectors::testdata() else { return };
    let file = vectors::json(&folder.join("markdown/turndown_cases.json"));
    let cases = file.as_array().expect("a list of cases");
    let (mut passed, mut excepted, mut failures) = (0, 0, Vec::new());
    for case in cases {
        let text = |name: &str| case[name].as_str().unwrap_or_default();
        let ours = converted(text("html"));
        let (rendered, expected) = (rendered(&ours), rendered(text("markdown")));
        match EXCEPTIONS.iter().find(|(name, _)| *name == text("name")) {
            Some((name, reason)) => {
                excepted += 1;
                println!("  except {name:?}: {reason}");
            }
            None if rendered == expected => passed += 1,
            None => failures.push(format!(
                "{}\n  html     {:?}\n  ours     {ours:?}\n  rendered {rendered:?}\n  expected {expected:?}",
                text("name"),
                text("html")
            )),
        }
    }
    println!("turndown: {} cases, {passed} passed, {excepted} exceptions", cases.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(cases.len(), 147);
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
