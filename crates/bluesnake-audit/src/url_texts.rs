//! The URLs of a run by number, for details of findings.
//!
//! URLs found together are alike, so each is stored as what differs from the one before: about 20 bytes. To read one,
//! at most a block of them is decoded.

/// How many URLs build on each other.
const BLOCK: usize = 16;

/// All URLs, in number order.
#[derive(Debug, Default)]
pub(crate) struct UrlTexts {
    packed: Vec<u8>,
    /// Where each block begins.
    blocks: Vec<u64>,
    count: usize,
    last: String,
}

impl UrlTexts {
    /// Adds the URL of the next number.
    pub(crate) fn push(&mut self, url: &str) {
        let is_first = self.count.is_multiple_of(BLOCK);
        let shared = if is_first { 0 } else { common_prefix(&self.last, url) };
        if is_first {
            self.blocks.push(self.packed.len() as u64);
        }
        put(&mut self.packed, shared);
        put(&mut self.packed, url.len() - shared);
        self.packed.extend_from_slice(&url.as_bytes()[shared..]);
        self.last.truncate(shared);
        self.last.push_str(&url[shared..]);
        self.count += 1;
    }

    /// How many URLs there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Every URL with its number.
    pub(crate) fn each(&self, mut take_url: impl FnMut(u32, &[u8])) {
        let (mut rest, mut url) = (self.packed.as_slice(), Vec::new());
        for number in 1..=self.count as u32 {
            take_next(&mut rest, &mut url);
            take_url(number, &url);
        }
    }

    /// The URL of a number from 1; empty if there is none.
    pub(crate) fn text(&self, number: u32) -> String {
        let Some(at) = (number as usize).checked_sub(1).filter(|at| *at < self.count) else { return String::new() };
        let mut rest = &self.packed[self.blocks[at / BLOCK] as usize..];
        let mut url = Vec::new();
        for _ in 0..=at % BLOCK {
            take_next(&mut rest, &mut url);
        }
        String::from_utf8(url).expect("parts are cut between characters")
    }
}

/// Turns a URL into the one after it.
fn take_next(rest: &mut &[u8], url: &mut Vec<u8>) {
    let (shared, length) = (take(rest), take(rest));
    url.truncate(shared);
    url.extend_from_slice(&rest[..length]);
    *rest = &rest[length..];
}

/// The length of what both begin with, in bytes of whole characters.
fn common_prefix(one: &str, other: &str) -> usize {
    let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    (0..=shared).rev().find(|length| other.is_char_boundary(*length)).unwrap_or(0)
}

/// Writes seven bits a byte, the lowest first.
fn put(packed: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn take(rest: &mut &[u8]) -> usize {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, tail)) = rest.split_first() {
        *rest = tail;
        number |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if *byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn similar_urls_take_little_space() {
        let mut urls = UrlTexts::default();
        (0..1_600).for_each(|number| urls.push(&format!("https://www.example.org/catalogue/products/{number}")));
        assert!(urls.packed.len() < 1_600 * 10, "{}", urls.packed.len());
    }

    #[test]
    fn a_number_without_a_url_has_an_empty_text() {
        let mut urls = UrlTexts::default();
        urls.push("https://a/");
        assert_eq!((urls.text(0), urls.text(1), urls.text(2)), (String::new(), "https://a/".into(), String::new()));
    }

    proptest! {
        #[test]
        fn urls_are_read_back(all in prop::collection::vec("https://[aäß]{0,3}/[ab%é]{0,200}", 0..50)) {
            let mut urls = UrlTexts::default();
            all.iter().for_each(|url| urls.push(url));
            for (number, url) in (1..).zip(&all) {
                prop_assert_eq!(&urls.text(number), url);
            }
            let mut read = Vec::new();
            urls.each(|_, url| read.push(String::from_utf8(url.to_vec()).unwrap()));
            prop_assert_eq!(read, all);
        }
    }
}
