//! Masks the values of secret-looking URL parameters in text that leaves the program: `?token=abc` becomes `?token=***`.
//!
//! Works on any text or bytes, because URLs appear inside of JSON, HTML and error messages, and percent-encoded inside of
//! other URLs. Start with [`mask_secrets`]. URLs are fetched, compared and stored whole; see [`crate::CanonicalUrl`].

use std::borrow::Cow;

/// What a masked value is replaced by.
const MASK: &str = "***";
/// The longest parameter name that is looked at.
const NAME_BYTES: usize = 64;
/// The deepest level of URLs inside of URLs.
const LEVELS: u8 = 4;

/// Names that are secret as a whole, in lower case, without punctuation.
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
/// Names that are secret when they end like this: `access_token`, `X-Amz-Signature`, `PHPSESSID`, `apiKey`.
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
    match mask_secret_bytes(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).expect("values end at ASCII characters")),
    }
}

/// The same for text in any encoding that extends ASCII.
pub fn mask_secret_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr2(b'=', b'%', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let (mut masked, mut done, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        if !matches!(bytes[at], b'?' | b'&' | b'#' | b';' | b'%') {
            at += 1;
            continue;
        }
        let separator = Character::read(bytes, at);
        at += separator.bytes;
        if let Some((start, end)) = secret_value(bytes, at, separator) {
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

/// Where the value of the parameter is whose name starts here, if it is a secret.
fn secret_value(bytes: &[u8], name_start: usize, separator: Character) -> Option<(usize, usize)> {
    if !matches!(separator.byte, b'?' | b'&' | b'#' | b';') {
        return None;
    }
    let (mut name, mut at) = (String::new(), name_start);
    loop {
        let character = Character::read_checked(bytes, at)?;
        at += character.bytes;
        match character.byte {
            b'=' => break,
            byte if byte.is_ascii_alphanumeric() => name.push(char::from(byte.to_ascii_lowercase())),
            // A backslash is there in Markdown: `my\\_token`.
            b'_' | b'-' | b'.' | b'[' | b']' | b'$' | b':' | b'\\' => {}
            _ => return None,
        }
        if at - name_start > NAME_BYTES {
            return None;
        }
    }
    let end = value_end(bytes, at, separator);
    // A template such as `token={token}` holds no secret.
    (is_secret(&name) && end > at && bytes[at] != b'{').then_some((at, end))
}

/// Where a value ends: with its parameter, its URL, or the quotes or brackets around it.
fn value_end(bytes: &[u8], start: usize, separator: Character) -> usize {
    let (mut at, mut open) = (start, 0_u32);
    while let Some(character) = Character::read_checked(bytes, at) {
        let is_end = match character.byte {
            // What is encoded once more than the separator belongs to the value.
            _ if character.level > separator.level => false,
            // An escape of Markdown, none of JSON.
            b'\\' if bytes.get(at + 1).is_some_and(|next| b"_*~[]()<>#+-.!|{}$=^:".contains(next)) => {
                at += 1;
                false
            }
            b'&' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=b' ' | 0x7f => true,
            // A parameter of a path: `/a;jsessionid=1/b?c=d`.
            b';' | b'/' | b'?' => separator.byte == b';',
            b'(' | b'[' => {
                open += 1;
                false
            }
            b')' | b']' if open == 0 => true,
            b')' | b']' => {
                open -= 1;
                false
            }
            _ => false,
        };
        if is_end {
            return at;
        }
        at += character.bytes;
    }
    bytes.len()
}

/// Whether a parameter of this name holds a secret.
fn is_secret(name: &str) -> bool {
    NAMES.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A character as a URL means it, percent-encoded any number of times.
#[derive(Clone, Copy)]
struct Character {
    byte: u8,
    /// How often it is encoded.
    level: u8,
    /// How long it is as written.
    bytes: usize,
}

impl Character {
    fn read_checked(bytes: &[u8], at: usize) -> Option<Self> {
        (at < bytes.len()).then(|| Self::read(bytes, at))
    }

    fn read(bytes: &[u8], at: usize) -> Self {
        let plain = Self { byte: bytes[at], level: 0, bytes: 1 };
        if plain.byte != b'%' {
            return plain;
        }
        let (mut end, mut level) = (at + 1, 1);
        // A percent sign that is encoded itself, as in `%253D`.
        while level < LEVELS && bytes.get(end..end + 2) == Some(b"25") && hex(bytes, end + 2).is_some() {
            (end, level) = (end + 2, level + 1);
        }
        hex(bytes, end).map_or(plain, |byte| Self { byte, level, bytes: end + 2 - at })
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
            "a & b; key = value",
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
    }
}
