//! Audits a made-up site of a million URLs and prints time and memory.
//!
//! `cargo run --release -p bluesnake-audit --example large_site [URLS]`

use std::fmt::Write;
use std::time::Instant;

use bluesnake_audit::{Anchor, Page, Report, Run, Survey, Url, UrlState, Visit};
use bluesnake_engine::link::{PathType, Position, Rel};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::{LinkKind, Reason, Source, Task};

const LINKS: u32 = 20;
const ANCHORS: u32 = 50_000;
const HEADERS: u32 = 10_000;

#[expect(clippy::print_stdout, reason = "it is a program for the terminal")]
fn main() {
    let urls = std::env::args().nth(1).and_then(|urls| urls.parse().ok()).unwrap_or(1_000_000);
    let begun = Instant::now();
    let report = audit(urls);
    let found: usize = report.checks.iter().map(|findings| findings.findings.len()).sum();
    let shared: usize = report.checks.iter().map(|findings| findings.shared.len()).sum();
    println!("{urls} URLs, {} pages, {found} findings, {shared} of templates", report.pages);
    println!("{:.1} s, {} MB at most", begun.elapsed().as_secs_f64(), peak_memory_mb());
}

fn audit(urls: u32) -> Report {
    let begun = Instant::now();
    let mut survey = Survey::new(Run { urls, is_completed: true }, AuditSettings::default());
    for id in 1..=HEADERS {
        survey.header(id, &format!(r#"[["cf-ray","{id}"],["content-encoding","br"],["server","nginx/1.{}"]]"#, id % 3));
    }
    for id in 1..=ANCHORS {
        let text = if id % 97 == 0 { "click here".to_owned() } else { format!("The page about {id}") };
        survey.anchor(id, anchor(id, &text));
    }
    let mut url = String::new();
    for number in 1..=urls {
        survey.url(&state(number, &mut url));
    }
    stage("URLs", begun);
    for number in (1..=urls).filter(|number| is_page(*number)) {
        survey.links(number, links(number, urls));
    }
    stage("links", begun);
    let mut audit = survey.finish();
    stage("depths, scores and inlinks", begun);
    let mut texts = Texts::default();
    for number in 1..=urls {
        let state = state(number, &mut url);
        let visit = texts.visit(number);
        let links = links(number, urls).take(if state.is_page { LINKS as usize } else { 0 });
        audit.url(&Url { state, visit: Some(visit) }, links);
    }
    stage("checks", begun);
    let report = audit.finish();
    stage("duplicates and templates", begun);
    report
}

#[expect(clippy::print_stdout, reason = "it is a program for the terminal")]
fn stage(name: &str, begun: Instant) {
    println!("{:6.1} s {:4} MB  {name}", begun.elapsed().as_secs_f64(), memory_mb("VmRSS:"));
}

/// A number that looks random, always the same one for the same value.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (value ^ (value >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (value >> 32)
}

/// Nine of ten URLs are pages, the others images, redirects and errors.
fn is_page(number: u32) -> bool {
    number % 10 != 9
}

fn state(number: u32, url: &mut String) -> UrlState<'_> {
    url.clear();
    write!(url, "https://www.example.org/catalogue/{}/product-{number}", number / 1_000).expect("it is memory");
    let is_page = is_page(number);
    let status = match number % 100 {
        19 => 301,
        29 => 404,
        _ => 200,
    };
    UrlState {
        number,
        url,
        source: if number == 1 { Source::Initial } else { Source::Spider },
        kind: if is_page { LinkKind::Anchor } else { LinkKind::Image },
        task: if is_page { Task::Page } else { Task::Resource },
        is_internal: true,
        is_seed: number == 1,
        reason: match status {
            301 => Reason::Redirect,
            404 => Reason::ClientError,
            _ if is_page => Reason::Page,
            _ => Reason::Resource,
        },
        attempts: 1,
        status: Some(status),
        redirect_to: (status == 301).then_some(number - 1),
        is_indexable: is_page.then_some(true),
        indexable_reason: None,
        is_nofollow: false,
        is_page,
        has_links: is_page,
        headers: None,
        canonical: None,
    }
}

/// A menu of five, a canonical, and links to neighbours and to anywhere.
fn links(source: u32, urls: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..LINKS).map(move |at| {
        let random = mix(u64::from(source) << 8 | u64::from(at));
        let target = match at {
            0..5 => at + 1,
            5 => source,
            6..12 => (source + at) % urls + 1,
            _ => random as u32 % urls + 1,
        };
        (target, if at == 5 { 1 } else { (random >> 32) as u32 % (ANCHORS - 1) + 2 })
    })
}

fn anchor(id: u32, text: &str) -> Anchor<'_> {
    let (kind, position) =
        if id == 1 { (LinkKind::Canonical, Position::Unknown) } else { (LinkKind::Anchor, Position::Content) };
    Anchor { kind, rel: Rel::default(), position, path_type: PathType::RootRelative, text }
}

/// The texts of the current page.
#[derive(Default)]
struct Texts {
    title: String,
    description: String,
    h1: String,
    h2: String,
    facts: String,
    signature: Vec<u8>,
}

impl Texts {
    fn visit(&mut self, number: u32) -> Visit<'_> {
        let mut visit = Visit {
            content_type: Some("text/html"),
            headers: Some(number % HEADERS + 1),
            wire_bytes: Some(5_000),
            body_bytes: Some(20_000),
            first_byte_us: Some(100_000),
            raw_hash: Some(mix(u64::from(number)) as i64),
            ..Visit::default()
        };
        if is_page(number) {
            self.write(number);
            visit.page = Some(Page {
                title: Some(&self.title),
                description: Some(&self.description),
                h1: Some(&self.h1),
                h2: Some(&self.h2),
                lang: Some("en"),
                word_count: 400,
                main_words: Some(300),
                facts: &self.facts,
                signature: Some(&self.signature),
            });
        }
        visit
    }

    fn write(&mut self, number: u32) {
        let Self { title, description, h1, h2, facts, signature } = self;
        [&mut *title, description, h1, h2, facts].into_iter().for_each(String::clear);
        // One of fifty pages shares its title with others.
        let topic = if number % 50 == 7 { number / 1_000 } else { number };
        write!(title, "Product {topic} of our large catalogue").expect("it is memory");
        write!(
            description,
            "Everything about product {number}: its price, its size, its colour, and where to buy it today."
        )
        .expect("it is memory");
        write!(h1, "Product {number}").expect("it is memory");
        write!(h2, "Details of {number}").expect("it is memory");
        write!(
            facts,
            r#"{{"headings":[[1,"Product {number}"],[2,"Details of {number}"],[2,"Reviews"]],"h2_count":2,"canonicals":[{{"raw":
            "https://www.example.org/catalogue/{0}/product-{number}","path_type":"absolute"}}],"viewport":
            "width=device-width, initial-scale=1","charset":"utf-8","open_graph":[["og:title","Product {number}"],
            ["og:description","Everything"],["og:image","https://www.example.org/{number}.jpg"]],"json_ld_types":
            ["Product"],"json_ld_items":[["Product",["name","image","description","offers"]]],"ids":
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","fragments":[[7,"reviews"]],"text_chars":2400,"sentence_count":30,
            "reading_sample":[300,25,450],"images":12,"dom_depth":14,"element_count":420,"mailto":1}}"#,
            number / 1_000
        )
        .expect("it is memory");
        signature.clear();
        // One of a hundred pages is almost the same as its predecessor.
        let text = if number % 100 == 51 { number - 1 } else { number };
        let slots = (0..64u64).map(|slot| mix(u64::from(text) << 16 | slot) as u16);
        signature.extend(slots.flat_map(u16::to_le_bytes));
        signature[0] ^= number as u8;
    }
}

fn peak_memory_mb() -> u64 {
    memory_mb("VmHWM:")
}

/// A line of the process status; 0 on systems without it.
fn memory_mb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or_default() / 1024
}
