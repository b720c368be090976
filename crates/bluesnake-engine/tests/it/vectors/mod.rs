//! Vectors from published packages, in `target/vectors` or `$BLUESNAKE_VECTORS`; `tools/vectors` fetches them.
//!
//! A case in which we differ on purpose is an exception with a reason.

mod charset;
mod robots;
mod url;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of one set of vectors.
fn folder(set: &str) -> PathBuf {
    let in_target = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors");
    let folder = std::env::var_os("BLUESNAKE_VECTORS").map_or_else(in_target, PathBuf::from).join(set);
    assert!(folder.is_dir(), "{} is missing; run tools/vectors {set}", folder.display());
    folder
}

fn bytes(set: &str, file: &str) -> Vec<u8> {
    let path = folder(set).join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn json(set: &str, file: &str) -> Value {
    serde_json::from_slice(&bytes(set, file)).unwrap_or_else(|error| panic!("{file} is not JSON: {error}"))
}

fn cases(value: &Value) -> &[Value] {
    value.as_array().expect("a list of cases")
}

/// A field that is text, or a list of bytes.
fn bytes_of(value: &Value) -> Vec<u8> {
    let byte = |byte: &Value| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()).expect("a byte");
    match value.as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => cases(value).iter().map(byte).collect(),
    }
}

/// Counts cases, so that an empty file cannot pass.
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
