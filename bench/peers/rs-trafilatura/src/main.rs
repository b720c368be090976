//! rs-trafilatura on pages of documentation: `rs-trafilatura-peer ROUNDS <LIST`, with the list and the output of the
//! example `pages` of bluesnake-extract.

use std::io::{self, Read};

use rs_trafilatura::page_type::PageType;
use rs_trafilatura::{Options, extract_with_options};
use serde_json::{Value, json};

fn main() {
    let rounds: u32 = std::env::args().nth(1).map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
    let mut list = String::new();
    io::stdin().read_to_string(&mut list).expect("a list of pages");
    let pages: Vec<(String, Options)> = list.lines().map(read).collect();

    let mut extracted = Vec::new();
    let start = cpu_ms();
    for _ in 0..rounds {
        extracted = pages.iter().map(|(html, options)| markdown(html, options)).collect();
    }
    let elapsed_ms = cpu_ms() - start;
    for markdown in extracted {
        println!("{}", json!({ "markdown": markdown }));
    }
    println!("{}", json!({ "cpu_ms_per_page": elapsed_ms / f64::from(rounds) / pages.len() as f64 }));
}

fn read(line: &str) -> (String, Options) {
    let page: Value = serde_json::from_str(line).expect("a line of JSON");
    let text = |name: &str| page[name].as_str().unwrap_or_else(|| panic!("{name} is missing"));
    let html = std::fs::read(text("file")).expect("a readable file");
    let options = Options {
        output_markdown: true,
        include_links: true,
        include_tables: true,
        include_images: true,
        include_formatting: true,
        favor_recall: true,
        page_type: Some(PageType::Documentation),
        url: Some(text("url").to_owned()),
        ..Options::default()
    };
    (String::from_utf8_lossy(&html).into_owned(), options)
}

fn markdown(html: &str, options: &Options) -> String {
    extract_with_options(html, options).ok().and_then(|result| result.content_markdown).unwrap_or_default()
}

/// CPU time of this thread; Linux only.
fn cpu_ms() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").expect("statistics of the scheduler");
    let nanoseconds = statistics.split(' ').next().expect("a number");
    nanoseconds.parse::<f64>().expect("a number") / 1e6
}
