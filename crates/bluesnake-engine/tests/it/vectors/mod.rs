//! Vectors that others wrote: their rules, read in place, never copied here.
//!
//! They lie in `$BLUESNAKE_TESTDATA`, else in `../shared/testdata` beside the project. Where that folder is missing, each
//! test says that it was skipped, and fails if `CI=true`. A case we differ in on purpose is an exception with a reason.

mod charset;
mod robots;
mod sitemap;
mod url;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder with the vectors, if it is there.
fn testdata() -> Option<PathBuf> {
    let folder = std::env::var_os("BLUESNAKE_TESTDATA").map_or_else(beside_the_project, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "the vectors are missing: {} is no folder", folder.display());
    println!("skipped: {} is no folder; BLUESNAKE_TESTDATA may name another", folder.display());
    None
}

fn beside_the_project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata")
}

fn bytes(file: &str) -> Option<Vec<u8>> {
    let path = testdata()?.join(file);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display())))
}

fn json(file: &str) -> Option<Value> {
    Some(serde_json::from_slice(&bytes(file)?).unwrap_or_else(|error| panic!("{file} is no JSON: {error}")))
}

fn cases(value: &Value) -> &[Value] {
    value.as_array().expect("a list of cases")
}

/// A field that is text, or bytes in base64.
fn bytes_of(value: &Value) -> Vec<u8> {
    match value.get("base64") {
        Some(encoded) => base64(encoded.as_str().expect("base64 is text")),
        None => value.as_str().expect("text or base64").as_bytes().to_vec(),
    }
}

fn base64(encoded: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = encoded.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let bits: Vec<bool> = digits.flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum * 2 + u8::from(*bit))).collect()
}

/// Counts cases, so that a silent zero shows.
struct Tally {
    file: &'static str,
    passed: usize,
    exceptions: Vec<String>,
    failures: Vec<String>,
}

impl Tally {
    fn of(file: &'static str) -> Self {
        Self { file, passed: 0, exceptions: Vec::new(), failures: Vec::new() }
    }

    fn check(&mut self, passes: bool, case: impl FnOnce() -> String) {
        if passes {
            self.passed += 1;
        } else {
            self.failures.push(case().chars().take(500).collect());
        }
    }

    /// A case in which we differ, or that has no meaning here.
    fn except(&mut self, case: &str, reason: &str) {
        let case: String = case.chars().take(100).collect();
        self.exceptions.push(format!("{case:?}: {reason}"));
    }

    fn finish(self, expected: usize) {
        let ran = self.passed + self.failures.len() + self.exceptions.len();
        println!("{}: {ran} cases, {} passed, {} exceptions", self.file, self.passed, self.exceptions.len());
        for exception in &self.exceptions {
            println!("  except {exception}");
        }
        assert!(self.failures.is_empty(), "{} failed:\n{}", self.failures.len(), self.failures.join("\n"));
        assert_eq!(ran, expected, "the number of cases in {}", self.file);
    }
}
