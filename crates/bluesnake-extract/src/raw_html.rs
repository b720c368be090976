//! HTML inside Markdown: its text, the positions of its URLs, and how it ends.
//!
//! It is copied to the result unchanged, so nothing here converts it to Markdown.

use std::ops::Range;

use crate::metadata::on_one_line;
use crate::tree::{ROOT, Step, Tag, Tree, is_block};

/// The text of a block of HTML, on one line.
pub(crate) fn text(html: &str) -> String {
    let tree = Tree::parse(html);
    let mut text = String::new();
    tree.walk(ROOT, |step| {
        let (Step::Enter(id) | Step::Leave(id)) = step;
        match (tree.tag(id), tree.text(id)) {
            (_, Some(words)) if step == Step::Enter(id) => text.push_str(words),
            (Some(tag), _) if is_block(tag) || tag == Tag::Br => text.push(' '),
            _ => {}
        }
        tree.is(id, Tag::Script)
    });
    on_one_line(&text)
}

/// The positions of the URLs of links and images.
pub(crate) fn addresses(html: &str) -> Vec<Range<usize>> {
    let mut addresses = Vec::new();
    let mut at = 0;
    while let Some(found) = html[at..].find('<') {
        at = after_markup(html, at + found, &mut addresses);
    }
    addresses
}

/// Scans the tag or comment that begins here and returns its end.
fn after_markup(html: &str, start: usize, addresses: &mut Vec<Range<usize>>) -> usize {
    let behind = &html[start + 1..];
    if behind.starts_with("!--") {
        return behind.find("-->").map_or(html.len(), |end| start + 1 + end);
    }
    let name = behind.bytes().take_while(u8::is_ascii_alphanumeric).count();
    if !behind.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return start + 1;
    }
    let end = after_attributes(html, start + 1 + name, addresses);
    let name = &behind[..name];
    if ["script", "style", "textarea"].iter().any(|silent| name.eq_ignore_ascii_case(silent)) {
        let closes =
            |at: &usize| html.get(at + 2..at + 2 + name.len()).is_some_and(|closed| closed.eq_ignore_ascii_case(name));
        return html[end..].match_indices("</").map(|(at, _)| end + at).find(closes).unwrap_or(html.len());
    }
    end
}

fn after_attributes(html: &str, start: usize, addresses: &mut Vec<Range<usize>>) -> usize {
    let bytes = html.as_bytes();
    let skip = |from: usize, is_skipped: fn(&u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| is_skipped(byte)).count()
    };
    let mut at = start;
    loop {
        at = skip(at, |byte| byte.is_ascii_whitespace() || *byte == b'/');
        if at >= bytes.len() || bytes[at] == b'>' {
            return at;
        }
        // An equals sign at the start of a name is part of it.
        let name_end = skip(at + 1, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'/'));
        let name = &bytes[at..name_end];
        at = skip(name_end, u8::is_ascii_whitespace);
        if bytes.get(at) != Some(&b'=') {
            continue;
        }
        at = skip(at + 1, u8::is_ascii_whitespace);
        let value = match bytes.get(at) {
            Some(b'"') => at + 1..skip(at + 1, |byte| *byte != b'"'),
            Some(b'\'') => at + 1..skip(at + 1, |byte| *byte != b'\''),
            _ => at..skip(at, |byte| !byte.is_ascii_whitespace() && *byte != b'>'),
        };
        at = (value.end + usize::from(value.start > at)).min(bytes.len());
        // Braces contain template placeholders.
        let is_address = name.eq_ignore_ascii_case(b"href") || name.eq_ignore_ascii_case(b"src");
        if is_address && !value.is_empty() && !bytes[value.clone()].contains(&b'{') {
            addresses.push(value);
        }
    }
}

/// Blocks of HTML that only these end markers close; others end with an empty line.
const ENDS: &[(&str, &str)] = &[
    ("<!--", "-->"),
    ("<![CDATA[", "]]>"),
    ("<!", ">"),
    ("<?", "?>"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
];

/// What the last block of HTML of a page lacks, so that it does not extend beyond the page.
pub(crate) fn missing_end(html: &str) -> Option<&'static str> {
    let html = html.trim_start();
    let begins_with = |start: &str| {
        html.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
            && !(start.ends_with(|letter: char| letter.is_ascii_lowercase())
                && html[start.len()..].starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '-'))
    };
    let (_, end) = ENDS.iter().find(|(start, _)| begins_with(start))?;
    (!html.to_ascii_lowercase().contains(&end.to_ascii_lowercase())).then_some(end)
}
