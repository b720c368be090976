use proptest::prelude::*;
use saphyr::{LoadableYamlNode, Yaml as Read};

use super::*;

fn read(front_matter: &str) -> Read<'_> {
    let yaml = front_matter.strip_prefix("---\n").unwrap().strip_suffix("---\n").unwrap();
    let mut documents = Read::load_from_str(yaml).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn full_page(text: &str) -> CapturedPage {
    let text = || text.to_owned();
    let thing = || JsonLd { kind: Some(text()), headline: Some(text()), ..JsonLd::default() };
    CapturedPage {
        url: text(),
        canonical: Some(text()),
        alternate_urls: vec![text(), text()],
        title: Some(text()),
        description: Some(text()),
        language: Some(text()),
        hash: "00ff".to_owned(),
        tokens_o200k: 12,
        tokens_cl100k: 13,
        metadata: Metadata {
            author: Some(text()),
            article_tags: vec![text(), text()],
            json_ld: vec![thing(), thing()],
            ..Metadata::default()
        },
        confidence: 0.876,
        ..CapturedPage::default()
    }
}

/// Reads back the front matter of a page whose every text is this one.
fn check(text: &str) {
    let written = of(&full_page(text), true);
    let yaml = read(&written);
    for key in ["url", "canonical", "title", "description", "language"] {
        assert_eq!(yaml[key].as_str(), Some(text), "{key}");
    }
    for list in [&yaml["alternate_urls"], &yaml["metadata"]["article_tags"]] {
        assert_eq!(
            list.as_sequence().unwrap().iter().map(|each| each.as_str().unwrap()).collect::<Vec<_>>(),
            [text, text]
        );
    }
    assert_eq!(yaml["crawled"].as_str(), Some("1970-01-01T00:00:00.000Z"));
    assert_eq!((yaml["tokens"]["o200k"].as_integer(), yaml["tokens"]["cl100k"].as_integer()), (Some(12), Some(13)));
    assert_eq!(yaml["confidence"].as_floating_point(), Some(0.88));
    assert_eq!(yaml["metadata"]["author"].as_str(), Some(text));
    for thing in yaml["metadata"]["json_ld"].as_sequence().unwrap() {
        assert_eq!((thing["type"].as_str(), thing["headline"].as_str()), (Some(text), Some(text)));
    }
}

#[test]
fn texts_are_read_back_as_they_were() {
    let texts = [
        "",
        "plain",
        "---",
        "...",
        "a: b",
        "# c",
        "- d",
        "\"",
        "'",
        "\\",
        "\\n",
        "a\nb",
        "a\r\nb",
        "\t",
        "null",
        "~",
        "true",
        "no",
        "1e3",
        "0x10",
        "2024-01-01",
        "{a}",
        "[b]",
        "*x",
        "&y",
        "!tag",
        "!!binary x",
        "|",
        ">",
        "%YAML 1.2",
        "@",
        "`",
        " a ",
        "\0",
        "\u{7}\u{1b}[31m",
        "\u{7f}\u{80}\u{85}\u{9f}\u{a0}",
        "\u{2028}\u{2029}",
        "\u{202e}cod.exe",
        "\u{feff}x",
        "\u{fffe}\u{ffff}",
        "\u{10ffff}\u{1f40d}",
        "\u{e0001}",
        "田中さん",
        "<<",
    ];
    texts.iter().for_each(|text| check(text));
    check(&"long ".repeat(2_000));
}

#[test]
fn bidirectional_controls_are_escaped() {
    assert_eq!(quoted("a\u{202e}b\u{2066}\u{85}\u{e0001}"), "\"a\\u202Eb\\u2066\\u0085\\U000E0001\"");
}

#[test]
fn unknown_fields_are_omitted() {
    let page = CapturedPage { url: "https://a.example/".to_owned(), hash: "ff".to_owned(), ..CapturedPage::default() };
    let expected =
        "---\nurl: \"https://a.example/\"\ntokens:\n  o200k: 0\n  cl100k: 0\nhash: \"ff\"\nconfidence: 0\n---\n";
    assert_eq!(of(&page, false), expected);
}

#[test]
fn a_nan_confidence_is_omitted() {
    assert_eq!(confidence(&CapturedPage { confidence: f64::NAN, ..CapturedPage::default() }), 0.0);
}

proptest! {
    #[test]
    fn any_text_is_read_back(text in any::<String>()) {
        check(&text);
    }
}
