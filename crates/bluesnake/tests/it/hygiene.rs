//! What every file of the repository keeps to.

use std::path::{Path, PathBuf};

/// A reader of the repository cannot look up ids and names of documents that are not in it; the reason must be in words.
#[test]
fn no_file_cites_a_document_that_is_not_shipped() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    collect(&root, &mut files);
    assert!(files.len() > 300, "only {} files found", files.len());
    let citations = files.iter().filter_map(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().position(cites)?;
        Some(format!("{}:{}: {}", file.display(), line + 1, text.lines().nth(line)?.trim()))
    });
    let citations: Vec<String> = citations.collect();
    assert!(citations.is_empty(), "{}", citations.join("\n"));
}

/// Sources and texts, without build output and benchmark results.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_source = ["rs", "md", "toml", "py", "ts", "sql"].iter().any(|end| name.ends_with(&format!(".{end}")));
        if path.is_dir() && !["target", ".git", "results", "work"].contains(&name.as_str()) {
            collect(&path, files);
        } else if is_source && !path.ends_with("tests/it/hygiene.rs") {
            files.push(path);
        }
    }
}

fn cites(line: &str) -> bool {
    ["DESIGN.md", "STYLE.md", "CRATES.md", "SAFETY", "ACCEPTANCE"].iter().any(|name| line.contains(name))
        || ["BS-", "CAP-", "WW-", "INC-", "LD-", "L-", "M-0"].iter().any(|prefix| has_id(line, prefix))
}

/// Whether the prefix of an id begins a word and a digit follows.
fn has_id(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + prefix.len()..].chars().next();
        before.is_none_or(|sign| !sign.is_alphanumeric() && !"-_/%&=".contains(sign))
            && after.is_some_and(|sign| sign.is_ascii_digit())
    })
}

#[test]
fn an_id_is_recognised() {
    assert!(cites("/// BS-12: why") && cites("(L-46)") && cites("see SAFETY 7"));
    assert!(!cites("windows-1252, ISO-8859-L-1, HTML-5, XML-1") && !cites("a_BS-1"));
}
