//! 66 pages whose content others marked by hand: how many of its words we find, and how many that are not its words.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use bluesnake_extract::{Extracted, Options, Page, extract};
use serde_json::Value;
use url::Url;

use crate::vectors;

struct Score {
    kind: String,
    id: String,
    f1: f64,
    precision: f64,
    recall: f64,
    /// By each of [`MEASURES`].
    snippets: Vec<Snippets>,
}

/// Snippets of a page: how many are as they should be, of how many.
#[derive(Default)]
struct Snippets {
    with: (usize, usize),
    without: (usize, usize),
    misses: Vec<String>,
}

/// How a snippet is looked for, most lenient first. The first two are the ones that count; the others are printed, so
/// that nobody has to guess what a figure would be by another rule.
///
/// Snippets come from the hand-made text of each page, which is not the page: white space was put between the parts of a
/// sentence wherever a tag stood ("ChatAPI. unsubscribe ( id )"), quotes were straightened, items were given a `-`, and
/// signs of icon fonts were left in. So `Letters` compares everything but white space: each letter, digit and sign, in
/// order, where quotes and dashes have one form each, signs of icon fonts and the mark of an item do not count, and
/// neither does upper case (the benchmark ignores it, too). `Words` compares the words and leaves all signs out; there
/// case counts.
const MEASURES: [Measure; 4] = [Measure::Letters, Measure::Words, Measure::Text, Measure::Benchmark];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    Letters,
    Words,
    /// As a part of our text, where only white space is folded.
    Text,
    /// As a part of our text, byte by byte but for case: what the benchmark's own program does.
    Benchmark,
}

impl Measure {
    fn has(self, text: &str, snippet: &str, is_cut_off: bool) -> bool {
        match self {
            Self::Letters => letters(text).contains(&letters(snippet.trim_start().trim_start_matches("- "))),
            Self::Words if is_cut_off => words_of(text).contains(words_of(snippet).trim_end()),
            Self::Words => words_of(text).contains(&words_of(snippet)),
            Self::Text => one_line(text).contains(&one_line(snippet)),
            Self::Benchmark => text.to_lowercase().contains(&snippet.to_lowercase()),
        }
    }
}

#[test]
fn the_content_of_pages_marked_by_hand_is_found() {
    let Some(folder) = vectors::testdata().map(|folder| folder.join("extraction")) else { return };
    let index = vectors::json(&folder.join("index.json"));
    let pages = index.as_array().expect("a list of pages");
    let scores: Vec<Score> = pages.iter().map(|page| score(&folder, page)).collect();
    for Score { kind, id, f1, precision, recall, snippets } in &scores {
        println!("{kind:14} {id} f1 {f1:.3} precision {precision:.3} recall {recall:.3}");
        snippets[0].misses.iter().for_each(|miss| println!("    {miss}"));
    }
    let documentation: Vec<&Score> = scores.iter().filter(|score| score.kind == "documentation").collect();
    let f1_documentation = mean(documentation.iter().map(|score| score.f1));
    let f1 = mean(scores.iter().map(|score| score.f1));
    println!("{} pages, f1 {f1:.4}; {} of documentation, f1 {f1_documentation:.4}", scores.len(), documentation.len());
    assert_eq!((scores.len(), documentation.len()), (66, 40));
    assert!(f1_documentation >= 0.93, "f1 on documentation is {f1_documentation:.4}");
    assert!(f1 >= 0.86, "f1 on all pages is {f1:.4}");
    for (at, measure) in MEASURES.into_iter().enumerate() {
        let with = share(scores.iter().map(|score| score.snippets[at].with));
        let without = share(scores.iter().map(|score| score.snippets[at].without));
        println!("{measure:?}: with {with:.4}, without {without:.4}");
        if matches!(measure, Measure::Letters | Measure::Words) {
            assert!(with >= 0.97, "{with:.4} of what must be there is there, by {measure:?}");
            assert!(without >= 0.95, "{without:.4} of what must not be there is not, by {measure:?}");
        }
    }
}

fn score(folder: &Path, page: &Value) -> Score {
    let (id, kind) = (page["id"].as_str().unwrap(), page["type"].as_str().unwrap());
    let truth = &vectors::json(&folder.join(format!("ground-truth/{id}.json")))["ground_truth"];
    let extracted = extracted(&folder.join(format!("html/{id}.html.gz")), page["url"].as_str().unwrap());
    let (precision, recall) = compare(&extracted.text, truth["main_content"].as_str().unwrap_or_default());
    let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    let snippets = MEASURES.iter().map(|measure| count(*measure, &extracted.text, truth)).collect();
    Score { kind: kind.to_owned(), id: id.to_owned(), f1, precision, recall, snippets }
}

fn count(measure: Measure, text: &str, truth: &Value) -> Snippets {
    let mut counted = Snippets::default();
    let snippets = |name: &str| truth[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    for snippet in snippets("with") {
        // Long snippets were cut off in the middle of a word.
        let is_there = measure.has(text, snippet, true);
        counted.with = (counted.with.0 + usize::from(is_there), counted.with.1 + 1);
        counted.misses.extend((!is_there).then(|| format!("missing: {snippet}")));
    }
    for snippet in snippets("without") {
        let is_there = measure.has(text, snippet, false);
        counted.without = (counted.without.0 + usize::from(!is_there), counted.without.1 + 1);
        counted.misses.extend(is_there.then(|| format!("present: {snippet}")));
    }
    counted
}

fn extracted(path: &Path, url: &str) -> Extracted {
    let packed = std::fs::read(path).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    let html = String::from_utf8_lossy(&bytes);
    let url = Url::parse(url).unwrap_or_else(|_| Url::parse("https://example.com/").unwrap());
    extract(&Page { html: &html, url: &url }, &Options::default())
}

/// Precision and recall over words, each counted as often as it occurs.
fn compare(found: &str, truth: &str) -> (f64, f64) {
    let (found, truth) = (words(found), words(truth));
    let common: usize = found.iter().map(|(word, count)| truth.get(word).map_or(0, |other| *count.min(other))).sum();
    let size = |words: &HashMap<String, usize>| words.values().sum::<usize>();
    let share = |size: usize| if size == 0 { f64::from(u8::from(common == 0)) } else { common as f64 / size as f64 };
    match (size(&found), size(&truth)) {
        (0, 0) => (1.0, 1.0),
        (found, truth) => (if found == 0 { 0.0 } else { share(found) }, if truth == 0 { 0.0 } else { share(truth) }),
    }
}

fn words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    for word in words {
        *counts.entry(word.to_lowercase()).or_default() += 1;
    }
    counts
}

/// The words in their order.
fn words_of(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// Everything that is no white space, as [`MEASURES`] tells.
fn letters(text: &str) -> String {
    let is_icon = |sign: &char| ('\u{e000}'..='\u{f8ff}').contains(sign);
    let signs = text.chars().filter(|sign| !sign.is_whitespace() && *sign != '\u{200b}' && !is_icon(sign));
    let one_form = signs.map(|sign| match sign {
        '"' | '\u{2018}'..='\u{201f}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    });
    one_form.flat_map(char::to_lowercase).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn share(counts: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (good, all) = counts.fold((0, 0), |(good, all), (more_good, more)| (good + more_good, all + more));
    good as f64 / all as f64
}
