//! The tokenizer cases of html5lib-tests, which browsers and other parsers are tested with.
//!
//! `tools/vectors html5lib-tests` fetches them. Error reports and the contents of doctypes are not compared, because we
//! do not keep them. Line breaks are normalised before, as the standard does.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Piece, pieces, push};
use crate::tokenizer::Mode;
use crate::{Tag, Tokenizer, with_plain_line_breaks};

/// How many cases pass in each state. None fails; the others cannot occur here (see [`start_in`]).
const PASSED: &[(&str, usize)] = &[
    ("Data state", 6_686),
    ("RCDATA state", 74),
    ("RAWTEXT state", 71),
    ("Script data state", 79),
    ("PLAINTEXT state", 52),
    ("CDATA section state", 55),
];

#[test]
fn every_html5lib_case_holds() {
    let (mut passed, mut failures) = (vec![0; PASSED.len()], Vec::new());
    for file in files() {
        let cases: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for case in cases["tests"].as_array().into_iter().flatten() {
            let Some((input, expected)) = read(case) else { continue };
            for (at, (state, _)) in PASSED.iter().enumerate().filter(|(_, (state, _))| runs_in(case, state)) {
                let Some(actual) = start_in(state, case["lastStartTag"].as_str(), &input) else { continue };
                passed[at] += usize::from(actual == expected);
                if actual != expected {
                    failures.push(format!("{state} {input:?}\n  ours {actual:?}\n  html5lib {expected:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(PASSED.iter().map(|(_, passed)| *passed).collect::<Vec<_>>(), passed);
}

fn files() -> Vec<PathBuf> {
    let beside_us = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors");
    let folder = std::env::var_os("BLUESNAKE_VECTORS").map_or_else(beside_us, PathBuf::from);
    let folder = folder.join("html5lib-tests/tokenizer");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("cannot read {}: {error}; fetch it with `tools/vectors html5lib-tests`", folder.display())
    });
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "test")).collect()
}

/// The input and the tokens of a case; `None` if it has half of a surrogate pair, which no UTF-8 text contains.
fn read(case: &Value) -> Option<(String, Vec<Piece>)> {
    let is_escaped = case["doubleEscaped"] == true;
    let text = |value: &Value| {
        let text = value.as_str().expect("a text");
        if is_escaped {
            serde_json::from_str(&format!("\"{}\"", text.replace('"', "\\\""))).ok()
        } else {
            Some(text.to_owned())
        }
    };
    let input = with_plain_line_breaks(&text(&case["input"])?).into_owned();
    let mut expected = Vec::new();
    for token in case["output"].as_array().expect("a list of tokens") {
        let Some(kind) = token[0].as_str() else { continue };
        let piece = match kind {
            "StartTag" => {
                let attributes = token[2].as_object().expect("attributes").iter();
                let mut attributes: Vec<_> = attributes
                    .map(|(name, value)| Some((text(&name.as_str().into())?, text(value)?)))
                    .collect::<Option<_>>()?;
                attributes.sort();
                Piece::Start { name: text(&token[1])?, attributes, is_self_closing: token[3] == true }
            }
            "EndTag" => Piece::End(text(&token[1])?),
            "Character" => Piece::Text(text(&token[1])?),
            "Comment" => Piece::Comment(text(&token[1])?),
            "DOCTYPE" => Piece::Doctype,
            other => panic!("unknown token {other}"),
        };
        push(&mut expected, piece);
    }
    Some((input, expected))
}

fn runs_in(case: &Value, state: &str) -> bool {
    match case["initialStates"].as_array() {
        Some(states) => states.iter().any(|listed| listed == state),
        None => state == "Data state",
    }
}

/// What we read from `input` in a state. `None` where no document leads there: in a script without a script's start tag,
/// or in raw text of an element whose name we do not know.
fn start_in(state: &str, last_start_tag: Option<&str>, input: &str) -> Option<Vec<Piece>> {
    let mut tokenizer = Tokenizer::new(input);
    let cdata = format!("<![CDATA[{input}");
    let tag = last_start_tag.map_or(Tag::Noembed, Tag::named);
    tokenizer.mode = match state {
        "Data state" => Mode::Markup,
        "RCDATA state" => Mode::Title(tag),
        "RAWTEXT state" => Mode::Raw(tag),
        "Script data state" if tag == Tag::Script => Mode::Script,
        "Script data state" if last_start_tag.is_none() && !input.contains("</script") => Mode::Script,
        "PLAINTEXT state" => Mode::Plaintext,
        // The tree replaces NUL in SVG and MathML; we do it here.
        "CDATA section state" if input.contains('\0') => return None,
        "CDATA section state" => {
            tokenizer = Tokenizer::new(&cdata);
            tokenizer.set_foreign(true);
            Mode::Markup
        }
        _ => return None,
    };
    // The tree decides which elements hold raw text, not these cases.
    Some(pieces(tokenizer, |tokenizer| tokenizer.read_markup()))
}
