//! URLs in stylesheets: `@import`, `url()` and font sources.
//!
//! One walk over the tokens of CSS Syntax that can contain or hide a URL: comments, strings, `url(…)`, at-rules and
//! blocks. [`urls`] reads a piece of CSS, [`read`] a whole stylesheet. URLs that CSS builds otherwise
//! (`image-set("…")`, `src()`, `attr()`) are not found.

use std::borrow::Cow;

use crate::link::{Link, LinkKind, PathType, Position, Rel};
use crate::parse::links::{Links, Place, Resolver};
use crate::url::CanonicalUrl;

/// One reference in a stylesheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CssUrl<'a> {
    /// The reference with its escapes replaced; never a `data:` URL.
    pub reference: Cow<'a, str>,
    /// [`LinkKind::Stylesheet`], [`LinkKind::Font`] or [`LinkKind::CssUrl`].
    pub kind: LinkKind,
}

/// The links of a stylesheet, at most `limit` of them (0: all), and how many exceeded the limit.
pub fn read(url: &CanonicalUrl, css: &str, limit: usize) -> (Vec<Link>, usize) {
    let mut links = Links::new(Resolver::of(url), limit, css.len());
    for CssUrl { reference, kind } in urls(css) {
        if let Some(target) = links.resolve(&reference) {
            let place = Place { kind, rel: Rel::default(), position: Position::Unknown, text: Box::default() };
            links.add(target, PathType::of(&reference), place, Default::default());
        }
    }
    (links.found, links.cut)
}

/// The references of a piece of CSS, in order: a stylesheet, or the declarations of a `style` attribute.
pub fn urls(css: &str) -> impl Iterator<Item = CssUrl<'_>> {
    let mut scanner = Scanner { css, at: 0, depth: 0, rule: Rule::Other };
    std::iter::from_fn(move || scanner.next_url())
}

/// The at-rule that decides what a URL means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Other,
    /// Between `@import` and its URL.
    Import,
    /// Up to the end of `@namespace`, whose URL cannot be fetched.
    Namespace,
    /// Before the block of `@font-face`.
    FontFace,
    /// In that block, which is at this depth.
    Font {
        depth: usize,
    },
}

struct Scanner<'a> {
    css: &'a str,
    at: usize,
    depth: usize,
    rule: Rule,
}

impl<'a> Scanner<'a> {
    fn next_url(&mut self) -> Option<CssUrl<'a>> {
        while let Some(&byte) = self.css.as_bytes().get(self.at) {
            let reference = match byte {
                b'"' | b'\'' => self.string_as_import(),
                b'u' | b'U' if self.begins_url() => self.url(),
                b'@' => self.at_rule(),
                b'/' => self.slash(),
                _ => self.other(byte),
            };
            if let Some(found) = reference.and_then(|reference| self.classify(reference)) {
                return Some(found);
            }
        }
        None
    }

    fn classify(&mut self, reference: Cow<'a, str>) -> Option<CssUrl<'a>> {
        let kind = match self.rule {
            Rule::Namespace => return None,
            Rule::Import => {
                self.rule = Rule::Other;
                LinkKind::Stylesheet
            }
            Rule::Font { .. } => LinkKind::Font,
            Rule::Other | Rule::FontFace => LinkKind::CssUrl,
        };
        let is_data = reference.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
        (!reference.is_empty() && !reference.starts_with('#') && !is_data).then_some(CssUrl { reference, kind })
    }

    /// A string is a URL only after `@import`.
    fn string_as_import(&mut self) -> Option<Cow<'a, str>> {
        let string = self.string();
        if self.rule == Rule::Import { string } else { None }
    }

    /// The string that begins here; `None` if a line break cuts it off.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let bytes = self.css.as_bytes();
        let quote = bytes[self.at];
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'\n' => break,
                _ if byte == quote => break,
                _ => end += 1,
            }
        }
        // A backslash escapes a whole character, of which only the first byte was seen.
        let end = self.css.ceil_char_boundary(end);
        let is_cut_off = bytes.get(end) == Some(&b'\n');
        self.at = (end + 1).min(bytes.len());
        (!is_cut_off).then(|| unescape(&self.css[start.min(end)..end]))
    }

    fn begins_url(&self) -> bool {
        let bytes = self.css.as_bytes();
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\\') || !byte.is_ascii();
        let follows_word = self.at > 0 && is_word(&bytes[self.at - 1]);
        !follows_word && bytes.get(self.at..self.at + 4).is_some_and(|start| start.eq_ignore_ascii_case(b"url("))
    }

    fn url(&mut self) -> Option<Cow<'a, str>> {
        self.at += "url(".len();
        self.skip_space();
        match self.css.as_bytes().get(self.at) {
            Some(b'"' | b'\'') => self.string(),
            _ => self.unquoted_url(),
        }
    }

    /// Up to the closing parenthesis; a quote, a parenthesis or inner white space makes it invalid, and it is
    /// skipped.
    fn unquoted_url(&mut self) -> Option<Cow<'a, str>> {
        let bytes = self.css.as_bytes();
        let start = self.at;
        let (mut end, mut is_bad, mut has_ended) = (start, false, false);
        while let Some(&byte) = bytes.get(end).filter(|&&byte| byte != b')') {
            is_bad |= has_ended && !byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'(');
            has_ended |= byte.is_ascii_whitespace();
            end += if byte == b'\\' { escape_length(&bytes[end..]) } else { 1 };
        }
        let end = self.css.ceil_char_boundary(end);
        self.at = (end + 1).min(bytes.len());
        let text = self.css[start..end].trim_end_matches(|c: char| c.is_ascii_whitespace());
        (!is_bad).then(|| unescape(text))
    }

    fn at_rule(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at + 1;
        let name = &self.css.as_bytes()[start..];
        let length =
            name.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'-')).unwrap_or(name.len());
        let name = &self.css[start..start + length];
        self.at = start + length;
        for (word, rule) in [("import", Rule::Import), ("namespace", Rule::Namespace), ("font-face", Rule::FontFace)] {
            if name.eq_ignore_ascii_case(word) {
                self.rule = rule;
            }
        }
        None
    }

    fn slash(&mut self) -> Option<Cow<'a, str>> {
        let rest = &self.css[self.at..];
        if rest.starts_with("/*") {
            let end = memchr::memmem::find(&rest.as_bytes()[2..], b"*/").map_or(rest.len(), |end| end + 4);
            self.at += end;
        } else {
            self.at += 1;
        }
        None
    }

    fn other(&mut self, byte: u8) -> Option<Cow<'a, str>> {
        match byte {
            b'\\' => self.at = self.css.ceil_char_boundary(self.at + 2),
            b';' => self.end_statement(),
            b'{' => self.open_block(),
            b'}' => self.close_block(),
            _ => self.at += 1,
        }
        None
    }

    fn end_statement(&mut self) {
        if matches!(self.rule, Rule::Import | Rule::Namespace | Rule::FontFace) {
            self.rule = Rule::Other;
        }
        self.at += 1;
    }

    fn open_block(&mut self) {
        self.depth += 1;
        self.rule = match self.rule {
            Rule::FontFace => Rule::Font { depth: self.depth },
            Rule::Font { depth } => Rule::Font { depth },
            _ => Rule::Other,
        };
        self.at += 1;
    }

    fn close_block(&mut self) {
        if matches!(self.rule, Rule::Font { depth } if depth >= self.depth) {
            self.rule = Rule::Other;
        }
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
    }

    fn skip_space(&mut self) {
        let rest = &self.css[self.at..];
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
    }
}

/// The length of the escape that begins here, including white space after hexadecimal digits.
fn escape_length(text: &[u8]) -> usize {
    let digits = text[1..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    match text.get(1 + digits) {
        Some(byte) if digits > 0 && byte.is_ascii_whitespace() => digits + 2,
        _ => 1 + digits.max(1),
    }
}

/// Replaces CSS escapes: `\26 `, `\(`, and escaped line breaks, which are removed.
fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        rest = unescape_one(escape, &mut plain);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Adds the escaped character and returns the rest.
fn unescape_one<'a>(escape: &'a str, plain: &mut String) -> &'a str {
    let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(&escape[..digits], 16).unwrap_or(0);
        plain.push(char::from_u32(code).filter(|&c| c != '\0').unwrap_or('\u{FFFD}'));
        let rest = &escape[digits..];
        return rest.strip_prefix(|c: char| c.is_ascii_whitespace()).unwrap_or(rest);
    }
    let mut characters = escape.chars();
    match characters.next() {
        Some('\n') | None => {}
        Some(character) => plain.push(character),
    }
    characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(css: &str, expected: &[(&str, LinkKind)]) {
        let found: Vec<(String, LinkKind)> = urls(css).map(|url| (url.reference.into_owned(), url.kind)).collect();
        let expected: Vec<(String, LinkKind)> = expected.iter().map(|(url, kind)| ((*url).to_owned(), *kind)).collect();
        assert_eq!(found, expected, "{css:?}");
    }

    use LinkKind::{CssUrl as Other, Font, Stylesheet};

    #[test]
    fn imports_are_stylesheets_in_every_spelling() {
        check("@import 'a.css';@import \"b.css\" screen;", &[("a.css", Stylesheet), ("b.css", Stylesheet)]);
        check("@IMPORT url(a.css) layer(x);@import url( 'b.css' );", &[("a.css", Stylesheet), ("b.css", Stylesheet)]);
        check("@import/**/url(a.css)", &[("a.css", Stylesheet)]);
        check("@import url(a.css) supports(background: url(b.png))", &[("a.css", Stylesheet), ("b.png", Other)]);
    }

    #[test]
    fn sources_of_fonts_are_fonts() {
        check(
            "@font-face{font-family:x;src:url(a.woff2) format('woff2'),url('b.woff')} p{background:url(c)}",
            &[("a.woff2", Font), ("b.woff", Font), ("c", Other)],
        );
    }

    #[test]
    fn other_urls_keep_their_escapes_replaced() {
        check("background: URL(  a\\29 .png )", &[("a).png", Other)]);
        check("background:url('a\\\nb\\'c')", &[("ab'c", Other)]);
        check("background:url(\"\\e9\")", &[("é", Other)]);
    }

    #[test]
    fn comments_strings_namespaces_and_data_contain_no_urls() {
        check("/* url(a) */ content: 'url(b)'; @namespace url(http://c); @namespace x 'd';", &[]);
        check("a{background:url(data:image/png;base64,AA)} b{fill:url(#x)} c{background:url()}", &[]);
        check("myurl(a) url-prefix(b) \\url(c)", &[]);
    }

    #[test]
    fn broken_urls_are_skipped_and_the_next_is_found() {
        check("a{background:url(a b)} b{background:url(c\"d)} e{background:url(f)}", &[("f", Other)]);
        check("a{background:url('a\n)} b{background:url(c)}", &[("c", Other)]);
        check("url(", &[]);
        check("url('", &[]);
        check("url(\\", &[]);
        check("'\\é", &[]);
        check("@", &[]);
        check("/*", &[]);
    }

    #[test]
    fn a_stylesheet_gives_links() {
        let url = CanonicalUrl::parse("https://a.example/css/main.css").unwrap();
        let (links, cut) = read(&url, "@import 'b.css'; p{background:url(/c.png)} q{background:url(d)}", 2);
        let targets: Vec<&str> = links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!((targets, cut), (vec!["https://a.example/css/b.css", "https://a.example/c.png"], 1));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn any_text_is_parsed(css in "(url\\(|@import|@font-face|[ \"'()\\\\{};/*é\\na]|\\PC)*") {
                urls(&css).for_each(drop);
            }
        }
    }
}
