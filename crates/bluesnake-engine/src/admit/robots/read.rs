//! The lines and groups of a robots.txt.
//!
//! One pass over the bytes. A group is a run of `User-agent` lines and the rules below it; all groups that name us
//! are merged, and those of `*` apply only if none names us. Other lines never end a group. Where the RFC leaves
//! details open (missing colons, misspellings, very long lines), we do what Google does.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use super::{BYTES_READ, Robots, Rules};

/// How much of a line to read: eight times the longest URL that old browsers accept, as Google does.
const LINE_BYTES_READ: usize = 2083 * 8 - 1;

/// The longest `Crawl-delay` we respect.
const LONGEST_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn read(bytes: &[u8], token: &str) -> Robots {
    let (head, is_cut) = cut(bytes);
    let text = without_byte_order_mark(head);
    let mut reader = Reader::default();
    for (line, number) in lines(&text).zip(1..) {
        if let Some((key, value)) = key_and_value(line) {
            reader.take(number, key, value, token);
        }
    }
    reader.finish(is_cut)
}

/// The part to parse, ending with a complete line, and whether something was cut off.
fn cut(bytes: &[u8]) -> (&[u8], bool) {
    let Some(head) = bytes.get(..BYTES_READ) else {
        return (bytes, false);
    };
    if head.len() == bytes.len() {
        return (bytes, false);
    }
    let line_end = memchr::memrchr2(b'\n', b'\r', head).map_or(head.len(), |at| at + 1);
    (&head[..line_end], true)
}

/// The text without its byte order mark; a UTF-8 mark may be incomplete, and UTF-16 is converted to UTF-8.
fn without_byte_order_mark(bytes: &[u8]) -> Cow<'_, [u8]> {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, length)) if encoding != encoding_rs::UTF_8 => {
            let (text, _) = encoding.decode_without_bom_handling(&bytes[length..]);
            Cow::Owned(text.into_owned().into_bytes())
        }
        _ => {
            let mark = b"\xEF\xBB\xBF".iter().zip(bytes).take_while(|(mark, byte)| mark == byte).count();
            Cow::Borrowed(&bytes[mark..])
        }
    }
}

/// Lines that end with LF, CR or CRLF, each cut to the line limit.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (line, after) = match memchr::memchr2(b'\n', b'\r', text) {
            Some(end) if text[end..].starts_with(b"\r\n") => (&text[..end], Some(&text[end + 2..])),
            Some(end) => (&text[..end], Some(&text[end + 1..])),
            None => (text, None),
        };
        rest = after;
        Some(&line[..line.len().min(LINE_BYTES_READ)])
    })
}

/// `key: value` without comment and white space; the colon may be missing where that is unambiguous.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let comment = memchr::memchr(b'#', line).unwrap_or(line.len());
    let line = line[..comment].trim_ascii();
    if let Some(colon) = memchr::memchr(b':', line) {
        return Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()));
    }
    let gap = memchr::memchr2(b' ', b'\t', line)?;
    let value = line[gap..].trim_ascii();
    let is_one_word = memchr::memchr2(b' ', b'\t', value).is_none();
    is_one_word.then_some((&line[..gap], value))
}

#[derive(Clone, Copy)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

/// How lines begin, including common misspellings.
const KEYS: [(Key, &[&str]); 5] = [
    (Key::UserAgent, &["user-agent", "useragent", "user agent"]),
    (Key::Allow, &["allow"]),
    (Key::Disallow, &["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]),
    (Key::CrawlDelay, &["crawl-delay", "crawldelay", "crawl delay"]),
    (Key::Sitemap, &["sitemap", "site-map"]),
];

fn key(text: &[u8]) -> Option<Key> {
    let begins_with =
        |word: &&str| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()));
    KEYS.iter().find(|(_, words)| words.iter().any(begins_with)).map(|(key, _)| *key)
}

/// The merged groups of one name.
#[derive(Default)]
struct Group {
    /// Whether the current lines belong to it.
    is_open: bool,
    is_named: bool,
    rules: Rules,
    crawl_delay: Option<Duration>,
}

#[derive(Default)]
struct Reader {
    ours: Group,
    everyones: Group,
    /// Whether the open groups have had a rule, so that the next user agent starts a new group.
    has_rule: bool,
    sitemaps: Vec<String>,
}

impl Reader {
    fn take(&mut self, number: u32, key_text: &[u8], value: &[u8], token: &str) {
        match key(key_text) {
            Some(Key::UserAgent) => self.take_user_agent(value, token),
            Some(Key::Allow) => self.take_rule(number, true, value),
            Some(Key::Disallow) => self.take_rule(number, false, value),
            Some(Key::CrawlDelay) => self.take_delay(value),
            Some(Key::Sitemap) => self.take_sitemap(value),
            None => {}
        }
    }

    fn take_user_agent(&mut self, value: &[u8], token: &str) {
        if self.has_rule {
            self.has_rule = false;
            self.ours.is_open = false;
            self.everyones.is_open = false;
        }
        if is_star(value) {
            self.everyones.open();
        } else if !token.is_empty() && product_token(value).eq_ignore_ascii_case(token.as_bytes()) {
            self.ours.open();
        }
    }

    fn take_rule(&mut self, number: u32, is_allow: bool, path: &[u8]) {
        self.has_rule = true;
        for group in self.open_groups() {
            group.rules.push(number, is_allow, path);
        }
    }

    fn take_delay(&mut self, value: &[u8]) {
        let delay = delay(value);
        for group in self.open_groups() {
            group.crawl_delay = group.crawl_delay.max(delay);
        }
    }

    fn take_sitemap(&mut self, value: &[u8]) {
        let sitemap = String::from_utf8_lossy(value);
        if !sitemap.is_empty() {
            self.sitemaps.push(sitemap.into_owned());
        }
    }

    fn open_groups(&mut self) -> impl Iterator<Item = &mut Group> {
        [&mut self.ours, &mut self.everyones].into_iter().filter(|group| group.is_open)
    }

    fn finish(mut self, is_cut: bool) -> Robots {
        let mut group = if self.ours.is_named { self.ours } else { self.everyones };
        group.rules.put_in_order();
        let mut seen = HashSet::new();
        self.sitemaps.retain(|sitemap| seen.insert(sitemap.clone()));
        Robots {
            is_unreachable: false,
            is_cut,
            rules: group.rules,
            crawl_delay: group.crawl_delay,
            sitemaps: self.sitemaps,
        }
    }
}

impl Group {
    fn open(&mut self) {
        self.is_open = true;
        self.is_named = true;
    }
}

/// `*`, possibly followed by words.
fn is_star(value: &[u8]) -> bool {
    value.strip_prefix(b"*").is_some_and(|after| after.first().is_none_or(u8::is_ascii_whitespace))
}

/// The product token that a user agent begins with: `FooBot` of `FooBot/2.1 (new)`.
fn product_token(value: &[u8]) -> &[u8] {
    let is_of_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    let end = value.iter().position(|byte| !is_of_token(byte)).unwrap_or(value.len());
    &value[..end]
}

/// The seconds that a value begins with.
fn delay(value: &[u8]) -> Option<Duration> {
    let end = value.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').unwrap_or(value.len());
    let seconds: f64 = str::from_utf8(&value[..end]).ok()?.parse().ok()?;
    Some(Duration::from_secs_f64(seconds.min(LONGEST_DELAY.as_secs_f64())))
}
