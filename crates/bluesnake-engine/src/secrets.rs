//! Masks the values of secret-looking URL parameters in text that leaves the program: `?token=abc` becomes
//! `?token=***`.
//!
//! [`mask_url`] is for text that is a URL: a value ends only where its parameter ends. [`mask_secrets`] is for any
//! other text, because URLs appear inside HTML, scripts and error messages, and percent-encoded inside other URLs;
//! there a value also ends where the URL seems to end. Both take linear time. URLs are fetched, compared and stored
//! unmasked; see [`crate::CanonicalUrl`].

use std::borrow::Cow;

/// Replaces a masked value.
const MASK: &str = "***";
/// The longest parameter name to consider.
const NAME_BYTES: usize = 64;
/// The maximum nesting of URLs inside URLs.
const LEVELS: u8 = 4;

/// Parameter names that are secret, in lower case, without punctuation.
const NAMES: [&str; 14] = [
    "key",
    "sig",
    "auth",
    "authorization",
    "pass",
    "pwd",
    "passphrase",
    "jwt",
    "otp",
    "hmac",
    "sid",
    "sess",
    "session",
    "bearer",
];
/// Suffixes that make a name secret: `access_token`, `X-Amz-Signature`, `PHPSESSID`, `apiKey`.
const ENDINGS: [&str; 20] = [
    "token",
    "secret",
    "password",
    "passwd",
    "signature",
    "credential",
    "credentials",
    "sessionid",
    "sessid",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "accountkey",
    "subscriptionkey",
    "licensekey",
    "sessionkey",
    "signingkey",
    "oauth",
];

/// The text with the values of secret-looking parameters replaced by `***`.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    mask_text(text, Place::Text)
}

/// The same for text that is one URL. Brackets, quotes and backslashes are part of a value.
pub fn mask_url(url: &str) -> Cow<'_, str> {
    mask_text(url, Place::Url)
}

/// The same for text in any encoding that extends ASCII.
pub fn mask_secret_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    mask(bytes, Place::Text)
}

fn mask_text(text: &str, place: Place) -> Cow<'_, str> {
    match mask(text.as_bytes(), place) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).expect("values end at ASCII characters")),
    }
}

/// What is masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// One URL.
    Url,
    /// Text that contains URLs.
    Text,
}

fn mask(bytes: &[u8], place: Place) -> Cow<'_, [u8]> {
    if memchr::memchr3(b'=', b'%', b'\\', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let (mut masked, mut done, mut at) = (Vec::new(), 0, 0);
    // For each encoding level, whether the URL at that level is past its path.
    let mut past_path = [false; LEVELS as usize + 1];
    while at < bytes.len() {
        if !matches!(bytes[at], b'?' | b'&' | b'#' | b';' | b'%' | b'\\') {
            at += 1;
            continue;
        }
        let character = Character::read(bytes, at, place);
        let is_past_path = &mut past_path[usize::from(character.level)];
        *is_past_path |= matches!(character.byte, b'?' | b'#');
        let separator = Separator::of(bytes, at, character, place, *is_past_path);
        at += character.bytes;
        if let Some((start, end)) = separator.and_then(|separator| separator.secret_value(bytes, at)) {
            masked.extend_from_slice(&bytes[done..start]);
            masked.extend_from_slice(MASK.as_bytes());
            (done, at) = (end, end);
        }
    }
    if done == 0 {
        return Cow::Borrowed(bytes);
    }
    masked.extend_from_slice(&bytes[done..]);
    Cow::Owned(masked)
}

/// The separator before a parameter, which decides where its value ends.
#[derive(Clone, Copy)]
struct Separator {
    place: Place,
    /// How many times it is encoded.
    level: u8,
    /// The parameter is part of a path: `/a;jsessionid=1/b?c=d`.
    is_in_path: bool,
    /// Only session ids are expected here.
    is_for_sessions: bool,
}

impl Separator {
    fn of(bytes: &[u8], at: usize, character: Character, place: Place, is_past_path: bool) -> Option<Self> {
        let in_query = Self { place, level: character.level, is_in_path: false, is_for_sessions: false };
        match (place, character.byte) {
            // Scripts contain `a&&key=1`.
            (Place::Text, b'&') if bytes[..at].ends_with(b"&") => None,
            (_, b'?' | b'&' | b'#') => Some(in_query),
            (Place::Url, b';') => Some(Self { is_in_path: !is_past_path, ..in_query }),
            (Place::Text, b';') if ends_with_ampersand(&bytes[..at]) => Some(in_query),
            // Scripts contain `a=1;key=2`.
            (Place::Text, b';') => Some(Self { is_in_path: true, is_for_sessions: true, ..in_query }),
            _ => None,
        }
    }

    /// The range of the value of the parameter whose name starts here, if it is secret.
    fn secret_value(self, bytes: &[u8], name_start: usize) -> Option<(usize, usize)> {
        let (mut name, mut at) = (String::new(), name_start);
        loop {
            let character = Character::read_checked(bytes, at, self.place)?;
            at += character.bytes;
            match character.byte {
                b'=' => break,
                byte if byte.is_ascii_alphanumeric() => name.push(char::from(byte.to_ascii_lowercase())),
                // Markdown escapes it: `my\\_token`.
                b'_' | b'-' | b'.' | b'[' | b']' | b'$' | b':' | b'\\' => {}
                _ => return None,
            }
            if at - name_start > NAME_BYTES {
                return None;
            }
        }
        let is_secret = if self.is_for_sessions { is_session(&name) } else { is_secret(&name) };
        // Read to the end of a value only if it is masked, so that no byte is read twice.
        if !is_secret || self.is_template(bytes, at) {
            return None;
        }
        let end = self.value_end(bytes, at);
        (end > at).then_some((at, end))
    }

    /// Whether the whole value is a template such as `{token}`, which contains no secret.
    fn is_template(self, bytes: &[u8], start: usize) -> bool {
        let Some(inside) = bytes[start..].strip_prefix(b"{") else { return false };
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let letters = inside.iter().take(NAME_BYTES).take_while(|byte| is_name(byte)).count();
        let end = start + 1 + letters + 1;
        inside.get(letters) == Some(&b'}')
            && Character::read_checked(bytes, end, self.place).is_none_or(|next| self.ends_at(bytes, end, next, 0))
    }

    /// Where a value ends: with its parameter, its URL, or the quotes or brackets around it.
    fn value_end(self, bytes: &[u8], start: usize) -> usize {
        let (mut at, mut open) = (start, 0_u32);
        while let Some(character) = Character::read_checked(bytes, at, self.place) {
            if self.ends_at(bytes, at, character, open) {
                return at;
            }
            match character.byte {
                b'(' | b'[' => open += 1,
                b')' | b']' => open = open.saturating_sub(1),
                b'\\' if is_markdown_escape(bytes, at) => at += 1,
                _ => {}
            }
            at += character.bytes;
        }
        bytes.len()
    }

    /// Whether a value ends before this character at the given bracket depth.
    fn ends_at(self, bytes: &[u8], at: usize, character: Character, open: u32) -> bool {
        // A word character follows, so it is part of the value.
        let is_inside = || bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        match character.byte {
            // Anything encoded more deeply than the separator is part of the value.
            _ if character.level > self.level => false,
            b'&' | b'#' => true,
            b';' | b'/' | b'?' => self.is_in_path,
            // The text around a URL is not encoded.
            _ if self.place == Place::Url || character.level > 0 => false,
            b'\\' => !is_markdown_escape(bytes, at),
            b'"' | b'\'' | b'<' | b'>' | 0..=b' ' | 0x7f => true,
            b'`' => !is_inside(),
            b')' | b']' => open == 0 && !is_inside(),
            _ => false,
        }
    }
}

/// Whether the text ends with a reference to `&` whose semicolon follows.
fn ends_with_ampersand(bytes: &[u8]) -> bool {
    [&b"&amp"[..], b"&AMP", b"&#38", b"&#038", b"&#x26", b"&#X26"].iter().any(|reference| bytes.ends_with(reference))
}

/// Whether the backslash is a Markdown escape rather than a JSON one.
fn is_markdown_escape(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(|next| b"_*~[]()<>#+-.!|{}$=^:".contains(next))
}

/// Whether a parameter of this name holds a secret.
fn is_secret(name: &str) -> bool {
    NAMES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a parameter of this name holds a session id.
fn is_session(name: &str) -> bool {
    name == "sid" || name.ends_with("sessionid") || name.ends_with("sessid")
}

/// A character as a URL means it, percent-encoded any number of times.
#[derive(Clone, Copy)]
struct Character {
    byte: u8,
    /// How many times it is encoded.
    level: u8,
    /// Its length as written.
    bytes: usize,
}

impl Character {
    fn read_checked(bytes: &[u8], at: usize, place: Place) -> Option<Self> {
        (at < bytes.len()).then(|| Self::read(bytes, at, place))
    }

    fn read(bytes: &[u8], at: usize, place: Place) -> Self {
        let plain = Self { byte: bytes[at], level: 0, bytes: 1 };
        match (place, plain.byte) {
            (_, b'%') => Self::percent_encoded(bytes, at).unwrap_or(plain),
            (Place::Text, b'\\') => Self::escaped(bytes, at).unwrap_or(plain),
            _ => plain,
        }
    }

    fn percent_encoded(bytes: &[u8], at: usize) -> Option<Self> {
        let (mut end, mut level) = (at + 1, 1);
        // A percent sign that is itself encoded, as in `%253D`.
        while level < LEVELS && bytes.get(end..end + 2) == Some(b"25") && hex(bytes, end + 2).is_some() {
            (end, level) = (end + 2, level + 1);
        }
        hex(bytes, end).map(|byte| Self { byte, level, bytes: end + 2 - at })
    }

    /// JSON escapes of HTML characters in scripts: `\u0026`.
    fn escaped(bytes: &[u8], at: usize) -> Option<Self> {
        let digits = bytes.get(at + 1..)?.strip_prefix(b"u")?;
        let byte = match (hex(digits, 0)?, hex(digits, 2)?) {
            (0, ascii @ 0..0x80) => ascii,
            // For other characters it is enough to know that they are not ASCII.
            _ => 0x80,
        };
        Some(Self { byte, level: 0, bytes: r"\u0026".len() })
    }
}

fn hex(bytes: &[u8], at: usize) -> Option<u8> {
    let digits = std::str::from_utf8(bytes.get(at..at + 2)?).ok()?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_of_secret_looking_parameters_are_masked() {
        let check = |text: &str, expected: &str| assert_eq!(mask_secrets(text), expected);
        check("http://a/x?q=1&access_token=abc&page=2", "http://a/x?q=1&access_token=***&page=2");
        check("http://a/x?SIG=abc#top", "http://a/x?SIG=***#top");
        check("http://a/?X-Amz-Signature=a%20b%26c&b=1", "http://a/?X-Amz-Signature=***&b=1");
        check("http://a/?apiKey=1&user[password]=2", "http://a/?apiKey=***&user[password]=***");
        check("http://a/b;jsessionid=1F2E/c?d=e", "http://a/b;jsessionid=***/c?d=e");
        check("http://a/cb#access_token=abc&state=1", "http://a/cb#access_token=***&state=1");
        check("/p?key=a/b+c==", "/p?key=***");
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in [
            "http://a/x?keyboard=qwerty&monkey=1&page=2&q=token",
            "token=abc",
            "http://a/?token=&x=1",
            "http://a/?token",
            "http://a/?token={token}",
            "http://a/?token={token}&user={user}",
            "a & b; key = value",
            // Scripts that are not URLs.
            "a=1;token=f();",
            "x&&key=1",
            "let a=1;key=2;session=3",
            "100 % ? & # ;",
            "%",
            "?%3",
            "",
        ] {
            assert!(matches!(mask_secrets(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn urls_are_found_in_json_html_and_other_urls() {
        let check = |text: &str, expected: &str| assert_eq!(mask_secrets(text), expected);
        check(r#"{"url":"http://a/?token=x","n":1}"#, r#"{"url":"http://a/?token=***","n":1}"#);
        check("<a href='/?b=1&amp;token=x'>y</a>", "<a href='/?b=1&amp;token=***'>y</a>");
        check(r"see /?my\_token=a\_b\*c and", r"see /?my\_token=*** and");
        check(r#"{"u":"?token=x\n\"y"}"#, r#"{"u":"?token=***\n\"y"}"#);
        check("[b](http://a/?token=x) and [c](/d)", "[b](http://a/?token=***) and [c](/d)");
        check("/login?next=%2Fa%3Ftoken%3Dx%26b%3D1&c=2", "/login?next=%2Fa%3Ftoken%3D***%26b%3D1&c=2");
        check("/l?n=%2Fa%253Ftoken%253Dx%2526b&c=2", "/l?n=%2Fa%253Ftoken%253D***%2526b&c=2");
        assert_eq!(mask_secret_bytes(b"\xff?token=\xfe\xfd \xff").as_ref(), b"\xff?token=*** \xff");
    }

    #[test]
    fn html_and_json_write_ampersands_in_many_ways() {
        let check = |text: &str, expected: &str| assert_eq!(mask_secrets(text), expected);
        check(r#"{"u":"/?a=1\u0026token=x\u0026b=2"}"#, r#"{"u":"/?a=1\u0026token=***\u0026b=2"}"#);
        check(r#"{"u":"/?token\u003dx\u00fcy\u0022"}"#, r#"{"u":"/?token\u003d***\u0022"}"#);
        check("<a href='/?a=1&#38;token=x/y&#x26;b=2'>", "<a href='/?a=1&#38;token=***&#x26;b=2'>");
        check("<a href='/b;jsessionid=1/c'>", "<a href='/b;jsessionid=***/c'>");
        check("location='/?a=1';token='x'", "location='/?a=1';token='x'");
    }

    #[test]
    fn no_tail_of_a_secret_is_left() {
        let check = |text: &str, expected: &str| assert_eq!(mask_secrets(text), expected);
        check("see (http://a/?password=Pa)ss1) now", "see (http://a/?password=***) now");
        check("http://a/?password=Pa]ss`1 now", "http://a/?password=*** now");
        check("http://a/?token={real}x&b=1", "http://a/?token=***&b=1");
        check("http://a/?token={{real}}&b=1", "http://a/?token=***&b=1");
        let check = |url: &str, expected: &str| assert_eq!(mask_url(url), expected);
        check("http://a/?password=a)b]c`d\\e\\u0026f(g'h&b=1", "http://a/?password=***&b=1");
        check("http://a/?a=1&&token=x)", "http://a/?a=1&&token=***");
        check("http://a/b;token=1/c;d?e=f;token=g/h;i#j", "http://a/b;token=***/c;d?e=f;token=***#j");
        check("http://a/?n=%2Fb%3Ftoken%3Dx%29%20y%26c&d=)", "http://a/?n=%2Fb%3Ftoken%3D***%26c&d=)");
        check("http://a/?token={token}", "http://a/?token={token}");
        check("http://a/?token={token}x", "http://a/?token=***");
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        for part in ["?a=", "?key={", "?key={a}", "&key=(", "%253F", "\\u0026key", ";sid", "?token={a}&"] {
            let text = part.repeat(10_000_000 / part.len());
            // Quadratic time would take hours.
            let masked = mask_secrets(&text).into_owned();
            assert_eq!(mask_secrets(&masked), masked, "{part}");
            assert!(!mask_url(&text).is_empty(), "{part}");
        }
    }

    proptest! {
        #[test]
        fn masking_twice_changes_nothing(text in "[a-z?&=%#;\"()25D3ü ]{0,40}[?&;](token|key)=[a-z%25(]{0,9}.{0,20}") {
            let once = mask_secrets(&text).into_owned();
            prop_assert_eq!(mask_secrets(&once), once.as_str());
        }

        #[test]
        fn no_secret_survives(secret in "[a-zA-Z0-9._~+/=-]{4,30}", after in "(&[ -~]{0,20}|)") {
            let masked = mask_secrets(&format!("http://a.test/?token={secret}{after}")).into_owned();
            let rest = masked.strip_prefix("http://a.test/?token=***").unwrap();
            prop_assert!(rest.is_empty() || rest.starts_with('&'), "{}", masked);
        }

        #[test]
        fn a_url_keeps_no_part_of_a_secret(secret in "[!$'()*+,./0-9:;=?@A-Z\\[\\]^_`a-z{|}~\\\\-]{4,30}", after in "([&#][ -~]{0,20}|)") {
            prop_assume!(!secret.starts_with('{'));
            let masked = mask_url(&format!("http://a.test/?token={secret}{after}")).into_owned();
            let rest = masked.strip_prefix("http://a.test/?token=***").unwrap();
            prop_assert!(rest.is_empty() || rest.starts_with(['&', '#']), "{}", masked);
        }
    }
}
