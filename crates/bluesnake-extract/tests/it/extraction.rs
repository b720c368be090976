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
    with: (usize, usize),
    without: (usize, usize),
    misses: Vec<String>,
}

#[test]
fn the_content_of_pages_marked_by_hand_is_found() {
    let Some(folder) = vectors::testdata().map(|folder| folder.join("extraction")) else { return };
    let index = vectors::json(&folder.join("index.json"));
    let pages = index.as_array().expect("a list of pages");
    let scores: Vec<Score> = pages.iter().map(|page| score(&folder, page)).collect();
    for score in &scores {
        println!(
            "{:14} {} f1 {:.3} precision {:.3} recall {:.3} with {:?} without {:?}",
            score.kind, score.id, score.f1, score.precision, score.recall, score.with, score.without
        );
        score.misses.iter().for_each(|miss| println!("    {miss}"));
    }
    let documentation: Vec<&Score> = scores.iter().filter(|score| score.kind == "documentation").collect();
    let f1_documentation = mean(documentation.iter().map(|score| score.f1));
    let f1 = mean(scores.iter().map(|score| score.f1));
    let with = share(scores.iter().map(|score| score.with));
    let without = share(scores.iter().map(|score| score.without));
    println!(
        "{} pages, f1 {f1:.4}; {} of documentation, f1 {f1_documentation:.4}; with {with:.4}, without {without:.4}",
        scores.len(),
        documentation.len()
    );
    assert_eq!((scores.len(), documentation.len()), (66, 40));
    assert!(f1_documentation >= 0.93, "f1 on documentation is {f1_documentation:.4}");
    assert!(f1 >= 0.86, "f1 on all pages is {f1:.4}");
    assert!(with >= 0.97, "{with:.4} of what must be there is there");
    assert!(without >= 0.95, "{without:.4} of what must not be there is not");
}

fn score(folder: &Path, page: &Value) -> Score {
    let (id, kind) = (page["id"].as_str().unwrap(), page["type"].as_str().unwrap());
    let truth = &vectors::json(&folder.join(format!("ground-truth/{id}.json")))["ground_truth"];
    let extracted = extracted(&folder.join(format!("html/{id}.html.gz")), page["url"].as_str().unwrap());
    let (precision, recall) = compare(&extracted.text, truth["main_content"].as_str().unwrap_or_default());
    let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    let text = folded(&extracted.text);
    let snippets = |name: &str| {
        truth[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(folded).collect::<Vec<_>>()
    };
    let (with, without) = (snippets("with"), snippets("without"));
    // Long snippets were cut off in the middle of a word.
    let is_there = |snippet: &&String| text.contains(snippet.trim_end());
    let is_wrongly_there = |snippet: &&String| text.contains(snippet.as_str());
    let missing = with.iter().filter(|snippet| !is_there(snippet)).map(|snippet| format!("missing: {snippet}"));
    let present = without.iter().filter(is_wrongly_there).map(|snippet| format!("present: {snippet}"));
    Score {
        kind: kind.to_owned(),
        id: id.to_owned(),
        f1,
        precision,
        recall,
        with: (with.iter().filter(is_there).count(), with.len()),
        without: (without.iter().filter(|snippet| !is_wrongly_there(snippet)).count(), without.len()),
        misses: missing.chain(present).collect(),
    }
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

/// The words in their order. The snippets were taken from text in which quotes were straightened, list marks added and
/// spaces put around code, so signs between words do not count.
fn folded(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn share(counts: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (good, all) = counts.fold((0, 0), |(good, all), (more_good, more)| (good + more_good, all + more));
    good as f64 / all as f64
}
