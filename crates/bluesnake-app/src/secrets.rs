//! Whether values of secret-looking URL parameters are shown.

use std::borrow::Cow;

use bluesnake_engine::secrets::{mask_secret_bytes, mask_secrets, mask_url};

/// The key in our JSON whose value is settings: they are shown exactly, because patterns look like URLs and are sent
/// back. Real secrets are never stored in them.
const SETTINGS: &[u8] = b"plan";

/// What happens to the values of secret-looking URL parameters (`token`, `key`, `password` …) in output. The database
/// stores URLs unmasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// They become `***`. URLs that differ only in a secret look equal; their numbers differ.
    #[default]
    Masked,
    /// They are shown.
    Shown,
}

impl Secrets {
    /// The text with secrets masked as configured. A text that is one URL is masked as one, so that no part of a
    /// value remains.
    pub fn show(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Masked if is_url(text.as_bytes()) => mask_url(text),
            Self::Masked => mask_secrets(text),
            Self::Shown => Cow::Borrowed(text),
        }
    }

    /// Our own JSON with secrets masked as configured: each string separately, and the plans of runs exactly.
    pub fn show_json(self, json: &str) -> Cow<'_, str> {
        match self {
            Self::Masked => mask_json(json),
            Self::Shown => Cow::Borrowed(json),
        }
    }

    /// The same for text in any encoding that extends ASCII.
    pub fn show_bytes(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Masked => mask_secret_bytes(text),
            Self::Shown => Cow::Borrowed(text),
        }
    }

    /// Masks the text in place.
    pub(crate) fn apply(self, text: &mut String) {
        if let Cow::Owned(masked) = self.show(text) {
            *text = masked;
        }
    }
}

/// Whether a text is one URL as we store them: these have no spaces, quotes or angle brackets.
fn is_url(text: &[u8]) -> bool {
    let is_foreign = |byte: &u8| matches!(byte, 0..=b' ' | b'"' | b'<' | b'>' | 0x7f);
    (text.starts_with(b"http://") || text.starts_with(b"https://")) && !text.iter().any(is_foreign)
}

fn mask_json(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut masked, mut done, mut at) = (String::new(), 0, 0);
    while let Some(start) = bytes[at..].iter().position(|byte| *byte == b'"').map(|quote| at + quote + 1) {
        let end = end_of_string(bytes, start);
        at = (end + 1).min(bytes.len());
        if &bytes[start..end] == SETTINGS
            && let Some(object) = object_after_colon(bytes, at)
        {
            at = end_of_object(bytes, object);
        } else if let Cow::Owned(shown) = Secrets::Masked.show(&json[start..end]) {
            masked.push_str(&json[done..start]);
            masked.push_str(&shown);
            done = end;
        }
    }
    if done == 0 {
        return Cow::Borrowed(json);
    }
    masked.push_str(&json[done..]);
    Cow::Owned(masked)
}

/// The position of the quote that ends the string starting here.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at = (at + 2).min(bytes.len());
    }
    bytes.len()
}

/// The start of the object that is the value of the key ending here, if it is one.
fn object_after_colon(bytes: &[u8], at: usize) -> Option<usize> {
    let skip_blanks = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let colon = skip_blanks(at);
    let value = skip_blanks((bytes.get(colon) == Some(&b':')).then_some(colon + 1)?);
    (bytes.get(value) == Some(&b'{')).then_some(value)
}

fn end_of_object(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut open) = (start, 0_u32);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at = (end_of_string(bytes, at) + 1).min(bytes.len()),
            b'{' => open += 1,
            b'}' if open == 1 => break,
            b'}' => open -= 1,
            _ => {}
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_cell_that_is_a_url_keeps_no_tail_of_a_secret() {
        let check = |text: &str, expected: &str| assert_eq!(Secrets::Masked.show(text), expected);
        check("http://a.test/?password=Pa)ss1", "http://a.test/?password=***");
        check(r"https://a.test/?token=a\u0026b&c=1", "https://a.test/?token=***&c=1");
        check("(http://a.test/?token=x) and more", "(http://a.test/?token=***) and more");
    }

    #[test]
    fn json_is_masked_string_by_string_and_plans_stay_exact() {
        let check = |value: Value, expected: Value| {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let shown: Value = serde_json::from_str(&Secrets::Masked.show_json(&text)).unwrap();
                assert_eq!(shown, expected);
                assert_eq!(Secrets::Shown.show_json(&text), text);
            }
        };
        let plan = json!({"scope": {"exclude": ["[?&]session=[^&]*", "}\"?token=x"]}, "fetch": {}});
        check(
            json!({"url": "http://a.test/?password=Pa)s\\s1", "plan": plan, "n": 1, "text": "a \"?key=b\" c"}),
            json!({"url": "http://a.test/?password=***", "plan": plan, "n": 1, "text": "a \"?key=***\" c"}),
        );
        check(json!([{"plan": "?token=x"}]), json!([{"plan": "?token=***"}]));
        assert!(matches!(Secrets::Masked.show_json(r#"{"a":"b\\"}"#), Cow::Borrowed(_)));
        // Invalid JSON does not break it.
        for broken in ["\"", "\"?token=x", "{\"plan\":{\"a\":\"", "\"plan\"", "\"plan\" :", "\"a\\"] {
            Secrets::Masked.show_json(broken);
        }
    }
}
