//! How fast pages are read, beside html5gum: `tokenize DIR` reads every `.html` file below a folder.
//!
//! Both count start tags, and bytes of attribute values and texts with character references replaced.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bluesnake_html::{Token, Tokenizer};
use html5gum::Span;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};

const ROUNDS: usize = 5;

fn main() {
    let mut files = Vec::new();
    collect(Path::new(&std::env::args().nth(1).expect("a folder")), &mut files);
    let pages: Vec<String> = files
        .iter()
        .filter_map(|file| Some(String::from_utf8(std::fs::read(file).ok()?).ok()?.replace('\r', "")))
        .collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let (ours, theirs) = (measure("bluesnake-html", &pages, ours), measure("html5gum", &pages, theirs));
    println!("{:.1} times as fast", theirs.as_secs_f64() / ours.as_secs_f64());
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    tags: usize,
    attributes: usize,
    text: usize,
}

/// The time of the fastest round.
fn measure(name: &str, pages: &[String], read: impl Fn(&str, &mut Counts)) -> Duration {
    let round = || {
        let (start, mut counts) = (Instant::now(), Counts::default());
        pages.iter().for_each(|page| read(page, &mut counts));
        (start.elapsed(), counts)
    };
    let (time, counts) = (0..ROUNDS).map(|_| round()).min_by_key(|(time, _)| *time).expect("at least one round");
    println!("{name}: {:.0} µs a page, {counts:?}", time.as_secs_f64() * 1e6 / pages.len() as f64);
    time
}

fn ours(html: &str, counts: &mut Counts) {
    let mut tokenizer = Tokenizer::new(html);
    while let Some(token) = tokenizer.next() {
        match token {
            Token::Start(_) => {
                counts.tags += 1;
                counts.attributes +=
                    tokenizer.attributes().iter().map(|attribute| attribute.value().len()).sum::<usize>();
            }
            Token::Text(text) => counts.text += text.decoded().len(),
            Token::End(_) | Token::Comment(_) | Token::Doctype => {}
        }
    }
}

fn theirs(html: &str, counts: &mut Counts) {
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { .. } => counts.tags += 1,
            CallbackEvent::AttributeValue { value } => counts.attributes += value.len(),
            CallbackEvent::String { value } => counts.text += value.len(),
            _ => {}
        }
        None
    });
    emitter.naively_switch_states(true);
    let Ok(()) = html5gum::Tokenizer::new_with_emitter(html, emitter).finish();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => collect(&path, files),
            Some(extension) if extension == "html" => files.push(path),
            _ => {}
        }
    }
}
