//! JSON with the usual mistakes of hand-written JSON-LD, repaired.
//!
//! Search engines read some of it anyway: raw line breaks in strings, commas before a closing bracket, comments, a
//! semicolon at the end, and the markers that once hid scripts from old browsers.

/// The JSON that was probably meant; whether it is JSON now is for a parser to find out.
pub(super) fn repaired(json: &str) -> String {
    let mut repaired = String::with_capacity(json.len());
    let mut rest = unwrapped(json);
    while let Some(c) = rest.chars().next() {
        let (here, after) = rest.split_at(c.len_utf8());
        rest = match c {
            '"' => put_string(&mut repaired, rest),
            '/' if after.starts_with('/') => after.split_once('\n').map_or("", |(_, rest)| rest),
            '/' if after.starts_with('*') => after.split_once("*/").map_or("", |(_, rest)| rest),
            '}' | ']' => {
                let kept = repaired.trim_ascii_end();
                repaired.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
                repaired.push(c);
                after
            }
            _ => {
                repaired.push_str(here);
                after
            }
        };
    }
    let is_leftover = |c: char| c.is_ascii_whitespace() || matches!(c, ';' | ',');
    let end = repaired.trim_end_matches(is_leftover).len();
    repaired.truncate(end);
    repaired
}

/// Without the markers around it.
fn unwrapped(json: &str) -> &str {
    let mut json = json.trim_ascii().trim_start_matches('\u{FEFF}');
    for (start, end) in [("/*<![CDATA[*/", "/*]]>*/"), ("//<![CDATA[", "//]]>"), ("<![CDATA[", "]]>"), ("<!--", "-->")]
    {
        if let Some(inner) = json.strip_prefix(start) {
            json = inner.trim_ascii();
            json = json.strip_suffix(end).unwrap_or(json).trim_ascii();
        }
    }
    json.strip_suffix("//").unwrap_or(json)
}

/// Copies the string at the start of a text, with its control characters escaped; returns what follows it.
fn put_string<'a>(repaired: &mut String, text: &'a str) -> &'a str {
    repaired.push('"');
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                repaired.push('"');
                return &text[at + 1..];
            }
            '\\' => {
                repaired.push('\\');
                repaired.extend(chars.next().map(|(_, c)| c));
            }
            '\n' => repaired.push_str("\\n"),
            '\r' => repaired.push_str("\\r"),
            '\t' => repaired.push_str("\\t"),
            '\0'..=' ' => repaired.push(' '),
            c => repaired.push(c),
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_mistakes_are_repaired() {
        for (json, expected) in [
            (r#"{"a": [1, 2, ], "b": {"c": 1 , } , }"#, r#"{"a": [1, 2], "b": {"c": 1 } }"#),
            ("{\"a\": \"one\ntwo\tthree\"}", r#"{"a": "one\ntwo\tthree"}"#),
            (r#"{"a": "x,}"} ;"#, r#"{"a": "x,}"}"#),
            (r#"{"a": "\",}"},"#, r#"{"a": "\",}"}"#),
            ("<!-- {\"a\": 1} -->", r#"{"a": 1}"#),
            ("//<![CDATA[\n{\"a\": 1}\n//]]>", r#"{"a": 1}"#),
            ("/*<![CDATA[*/ {\"a\": 1} /*]]>*/", r#"{"a": 1}"#),
            ("{\"a\": 1, // one\n \"b\": /* two */ 2}", "{\"a\": 1,  \"b\":  2}"),
            (r#"{"a": "http://x"}"#, r#"{"a": "http://x"}"#),
            ("\u{FEFF}{}", "{}"),
            ("{\"a\": \"unclosed", "{\"a\": \"unclosed"),
            ("", ""),
        ] {
            assert_eq!(repaired(json), expected, "{json}");
        }
    }
}
