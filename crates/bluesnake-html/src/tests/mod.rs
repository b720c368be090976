//! The tokenizer beside the standard's own test cases and beside another implementation of it.

mod html5lib;

use std::borrow::Cow;

use crate::attributes::OTHER_ATTRIBUTES;
use crate::text::without_nul;
use crate::*;

/// What a test compares: names in lower case, everything decoded, neighbouring texts joined.
#[derive(Debug, PartialEq)]
enum Piece {
    Start { name: String, attributes: Vec<(String, String)>, is_self_closing: bool },
    End(String),
    Text(String),
    Comment(String),
    Doctype,
}

fn lower(name: &str) -> String {
    without_nul(Cow::Borrowed(name)).to_ascii_lowercase()
}

fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (_, Piece::Text(text)) if text.is_empty() => {}
        (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
        (_, piece) => pieces.push(piece),
    }
}

fn ours(html: &str) -> Vec<Piece> {
    pieces(Tokenizer::new(html), |_| {})
}

/// Reads everything; `after_start` may change how the tokenizer goes on after a start tag.
fn pieces(mut tokenizer: Tokenizer<'_>, after_start: impl Fn(&mut Tokenizer<'_>)) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while let Some(token) = tokenizer.next() {
        let piece = match token {
            Token::Start(start) => {
                let mut attributes: Vec<(String, String)> = Vec::new();
                for attribute in tokenizer.attributes().iter() {
                    let name = lower(attribute.name);
                    if !attributes.iter().any(|(earlier, _)| *earlier == name) {
                        attributes.push((name, attribute.value().into_owned()));
                    }
                }
                attributes.sort();
                after_start(&mut tokenizer);
                Piece::Start { name: lower(start.name), attributes, is_self_closing: start.is_self_closing }
            }
            Token::End(end) => Piece::End(lower(end.name)),
            Token::Text(text) => Piece::Text(text.decoded().into_owned()),
            Token::Comment(comment) => Piece::Comment(without_nul(Cow::Borrowed(comment)).into_owned()),
            Token::Doctype => Piece::Doctype,
        };
        push(&mut pieces, piece);
    }
    pieces
}

/// The same by another implementation of the standard, which switches states where we do.
fn theirs(html: &str) -> Vec<Piece> {
    use html5gum::{State, Token as Gum, Tokenizer as Gums};
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("valid text stays valid");
    let mut tokenizer = Gums::new(html);
    let mut pieces = Vec::new();
    while let Some(Ok(token)) = tokenizer.next() {
        let piece = match token {
            Gum::StartTag(start) => {
                match Tag::named(&text(&start.name)) {
                    Tag::Title | Tag::Textarea => tokenizer.set_state(State::RcData),
                    Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => {
                        tokenizer.set_state(State::RawText)
                    }
                    Tag::Script => tokenizer.set_state(State::ScriptData),
                    Tag::Plaintext => tokenizer.set_state(State::PlainText),
                    _ => {}
                }
                let attributes = start.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                Piece::Start { name: text(&start.name), attributes, is_self_closing: start.self_closing }
            }
            Gum::EndTag(end) => Piece::End(text(&end.name)),
            Gum::String(string) => Piece::Text(text(&string)),
            Gum::Comment(comment) => Piece::Comment(text(&comment)),
            Gum::Doctype(_) => Piece::Doctype,
            Gum::Error(_) => continue,
        };
        push(&mut pieces, piece);
    }
    pieces
}

fn agree(html: &str) {
    assert_eq!(ours(html), theirs(html), "{html:?}");
}

#[test]
fn handpicked_markup_is_read_by_the_standard() {
    for html in HANDPICKED {
        agree(html);
    }
}

const HANDPICKED: &[&str] = &[
    "",
    "<",
    "</",
    "<!",
    "<?",
    "</>x",
    "a<b c",
    "a < b <c>",
    "1 <2> 3",
    "</ x>y",
    "</3>",
    "<?php echo '<a>' ?>",
    "<!x><!>",
    "<!doctype html PUBLIC \">\">x",
    "<!DOCTYPE",
    "<![CDATA[x]]>",
    "<!---->a",
    "<!-->a",
    "<!--->a",
    "<!--a--!>b",
    "<!----!>b",
    "<!--a--!-->b",
    "<!--a-->b-->",
    "<!--a---",
    "<!---",
    "<!--a--!",
    "<!--a--",
    "<!-- <!-- -->x",
    "<!-- <!-->x",
    "<!--a-!>-->",
    "<a/>",
    "<a / b>",
    "<a /b/c/>",
    "<a b=/>",
    "<a b=c/>",
    "<a b='/'/>",
    "<a b=\"c\"d='e'>",
    "<a b = c d= \"e\" f ='g'>",
    "<a =b=c ==>",
    "<a b=>",
    "<a b= >x",
    "<a b=\"c>d\">",
    "<a b='c",
    "<a b",
    "<a b=",
    "<a B=1 b=2 B='3'>",
    "<a \"b\"='c' <d>",
    "<a b=\"&amp;&lt&notit;&not=&copy\" c=&amp d='&#65;&#x42;&#0;&#x80;'>",
    "<A HREF=X>Y</A HREF=Z>",
    "</a b=\">\" c>x",
    "<a\u{0}b c\u{0}d=\u{0}>\u{0}",
    "<title>a<b>&amp;</titlex></title >c",
    "<title></title>",
    "<title>a</title",
    "<title>a</title ",
    "<textarea><!--</textarea>-->",
    "<style>a<b>&amp;</style/>c",
    "<style></STYLE>",
    "<xmp><a></xmp><iframe><a></iframe><noembed><a></noembed><noframes><a></noframes>",
    "<noscript><a href=x></noscript>",
    "<plaintext><a></plaintext>",
    "<script>a<b></script>c",
    "<script><!-- <script> </script> --></script>x",
    "<script><!-- <script> --> </script>x",
    "<script><!--<script></script></script>x",
    "<script><!--></script>x",
    "<script><!---></script>x",
    "<script><!-- </script>x",
    "<script><!-- <scripty> </script>x",
    "<script><!-- <script/ </script> </script>x",
    "<script>--></script>",
    "<script><!-",
    "<script></script",
    "<script></scriptx></script\n>",
    "&lt;&amp&notit;&#x110000;&#xD800;&#;&#x;&unknown;&",
    "é<é>ü</é>",
    "<é>",
    "<aé é=ü>",
];

#[test]
fn cdata_is_text_in_foreign_content_only() {
    let mut tokenizer = Tokenizer::new("<![CDATA[a<b>&amp;]]>c<title><d>");
    tokenizer.set_foreign(true);
    let mut seen = Vec::new();
    for token in tokenizer {
        seen.push(match token {
            Token::Text(text) => text.decoded().into_owned(),
            Token::Start(start) => format!("<{}>", start.name),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(seen, ["a<b>&amp;", "c", "<title>", "<d>"]);
}

/// Where we differ from the standard on purpose.
mod deliberate_differences {
    use super::*;

    #[test]
    fn carriage_returns_are_left_to_the_caller() {
        assert_eq!(ours("a\r\nb"), [Piece::Text("a\r\nb".to_owned())]);
        assert_eq!(theirs("a\r\nb"), [Piece::Text("a\nb".to_owned())]);
    }

    #[test]
    fn unknown_attributes_beyond_a_thousand_are_dropped() {
        let many: String = (0..2_000).map(|i| format!(" x{i}")).collect();
        let html = format!("<a{many} href=y>");
        let mut tokenizer = Tokenizer::new(&html);
        tokenizer.next();
        assert_eq!(tokenizer.attributes().iter().count(), OTHER_ATTRIBUTES + 1);
        assert_eq!(tokenizer.attributes().value(AttributeName::Href).as_deref(), Some("y"));
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Pieces of markup that are nasty next to each other.
    fn fragment() -> impl Strategy<Value = String> {
        let parts: &[&str] = &[
            "<",
            ">",
            "/",
            "!",
            "-",
            "--",
            "<!--",
            "-->",
            "--!>",
            "<!",
            "?",
            "=",
            "\"",
            "'",
            " ",
            "\n",
            "\t",
            "&",
            ";",
            "#",
            "x",
            "a",
            "B",
            "é",
            "\0",
            "</",
            "/>",
            "<a",
            "<a ",
            "<A b=",
            "<script>",
            "</script>",
            "<script",
            "</script",
            "<style>",
            "</style>",
            "<title>",
            "</title>",
            "<textarea>",
            "</textarea ",
            "<noscript>",
            "<iframe>",
            "</iframe>",
            "<xmp>",
            "</xmp>",
            "<plaintext>",
            "<![CDATA[",
            "]]>",
            "<!doctype",
            "<!DOCTYPE html>",
            "&amp;",
            "&lt",
            "&notit;",
            "&#65;",
            "&#x",
            "&#0;",
            "&#128;",
            "&#xD800;",
            "&copy",
            "&copy=",
            " href='",
            " href=\"x\"",
            " class=a",
            "</p>",
            "<br/>",
        ];
        proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_markup_is_read_by_the_standard(html in fragment()) {
            prop_assert_eq!(ours(&html), theirs(&html), "{:?}", html);
        }

        #[test]
        fn decoded_parts_join_to_the_decoded_text(text in "(&(amp|lt|notit|copy|#39|#x42|[a-zA-Z0-9#]{0,8});?|[&;# a]|\\PC)*") {
            let parts: String = decoded_parts(&text).collect();
            prop_assert_eq!(parts, decode_text(&text));
        }

        #[test]
        fn any_text_is_read_to_its_end(html in "\\PC*") {
            ours(&html);
        }
    }
}
