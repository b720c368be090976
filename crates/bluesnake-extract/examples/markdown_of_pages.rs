//! Extracts many pages: reads lines of JSON with `file` and `url`, writes a line with `markdown` for each, then one with
//! `cpu_ms_per_page`. `markdown_of_pages [--corpus] [ROUNDS] <LIST`; with `--corpus` the pages are one site, and blocks that appear
//! on many of them are removed.

use std::io::{self, Read};

use bluesnake_extract::{Corpus, Extracted, Options, Page, extract};
use serde_json::{Value, json};
use url::Url;

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_site = arguments.next_if(|argument| argument == "--corpus").is_some();
    let rounds: u32 = arguments.next().map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
    let mut list = String::new();
    io::stdin().read_to_string(&mut list).expect("a list of pages");
    let pages: Vec<(String, Url)> = list.lines().map(read).collect();

    let mut extracted = Vec::new();
    let start = cpu_ms();
    for _ in 0..rounds {
        extracted = pages.iter().map(|(html, url)| extract(&Page { html, url }, &Options::default())).collect();
        if is_site {
            clean(&mut extracted);
        }
    }
    let elapsed_ms = cpu_ms() - start;
    for page in extracted {
        println!("{}", json!({ "markdown": page.markdown, "title": page.title, "confidence": page.confidence }));
    }
    println!("{}", json!({ "cpu_ms_per_page": elapsed_ms / f64::from(rounds) / pages.len() as f64 }));
}

fn read(line: &str) -> (String, Url) {
    let page: Value = serde_json::from_str(line).expect("a line of JSON");
    let text = |name: &str| page[name].as_str().unwrap_or_else(|| panic!("{name} is missing"));
    let html = std::fs::read(text("file")).expect("a readable file");
    (String::from_utf8_lossy(&html).into_owned(), Url::parse(text("url")).expect("a URL"))
}

fn clean(pages: &mut [Extracted]) {
    let mut corpus = Corpus::default();
    for page in pages.iter() {
        corpus.add(page);
    }
    for page in pages {
        corpus.clean(page);
    }
}

/// CPU time of this thread; Linux only.
fn cpu_ms() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").expect("statistics of the scheduler");
    let nanoseconds = statistics.split(' ').next().expect("a number");
    nanoseconds.parse::<f64>().expect("a number") / 1e6
}
