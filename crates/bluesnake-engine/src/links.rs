//! The links of one document, packed: a few bytes each and four allocations for all of them.
//!
//! A visit may have to wait for its turn behind thousands of others, so its links are not kept as [`Link`]s. The ledger
//! reads keys, kinds and flags in document order and builds a URL only for what is new. Start with [`Links::of`].

use std::sync::Arc;

use crate::link::{Link, LinkKind, LinkOrigin, PathType, Position, Rel};
use crate::url::{CanonicalUrl, UrlKey};

/// How many recent origins and DOM paths to compare with the next one. A document that alternates between more of
/// them repeats some, which costs bytes but no time.
const REMEMBERED: usize = 16;

/// The links of one document, in document order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The identity of each target.
    keys: Box<[UrlKey]>,
    /// Kind, flags and lengths of each link.
    records: Box<[u8]>,
    /// The strings the lengths refer to, concatenated: origins, paths, texts and DOM paths.
    texts: Box<str>,
    /// The text around each link, as [`contexts`] reads it; empty when there is none or a store has it.
    contexts: Box<[u8]>,
}

/// One link of a document.
#[derive(Clone, Copy, Debug)]
pub struct PackedLink<'a> {
    /// The identity of the target.
    pub key: UrlKey,
    /// How it is named.
    pub kind: LinkKind,
    /// `rel` and `target` flags.
    pub rel: Rel,
    /// How the reference was written.
    pub path_type: PathType,
    /// Where on the page it is.
    pub position: Position,
    /// Which form of the page has it.
    pub origin: LinkOrigin,
    /// Its text.
    pub text: &'a str,
    /// The elements it is in.
    pub dom_path: &'a str,
    /// An index for its DOM path; links of one document with the same index have the same path.
    pub place: usize,
    site: &'a str,
    path: &'a str,
}

impl Links {
    /// Packs links.
    pub fn of(links: &[Link]) -> Self {
        let mut packer = Packer::with_room_for(links);
        links.iter().for_each(|link| packer.put(link));
        Self {
            keys: links.iter().map(|link| link.target.key()).collect(),
            records: packer.records.into(),
            texts: packer.texts.into(),
            contexts: pack_contexts(links).into(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The identities of their targets.
    pub fn keys(&self) -> &[UrlKey] {
        &self.keys
    }

    /// The links, without the text around them.
    pub fn iter(&self) -> Iter<'_> {
        let (keys, records, texts) = (&*self.keys, &*self.records, &*self.texts);
        Iter { keys, records, texts, origins: Vec::new(), places: Vec::new() }
    }

    /// The links with everything known about them.
    pub fn to_vec(&self) -> Vec<Link> {
        let mut dom_path: Arc<str> = Arc::default();
        let mut contexts = contexts(&self.contexts).expect("what we packed is whole").into_iter();
        let links = self.iter().map(|link| {
            if *dom_path != *link.dom_path {
                dom_path = link.dom_path.into();
            }
            let context = contexts.next().map(|context| context.with(link.text)).unwrap_or_default();
            link.unpacked(Arc::clone(&dom_path), context.into())
        });
        links.collect()
    }

    /// The text around the links, to be read by [`contexts`].
    pub fn contexts(&self) -> &[u8] {
        &self.contexts
    }

    /// Drops the text around the links.
    pub(crate) fn drop_contexts(&mut self) {
        self.contexts = Box::default();
    }

    /// Heap memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        size_of_val(&*self.keys) + self.records.len() + self.texts.len() + self.contexts.len()
    }
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.to_vec()).finish()
    }
}

impl PackedLink<'_> {
    /// The URL, resolved.
    pub fn target(&self) -> CanonicalUrl {
        CanonicalUrl::with_key([self.site, self.path].concat(), self.key)
    }

    /// Whether search engines are asked not to follow it.
    pub fn is_nofollow(&self) -> bool {
        self.rel.has(Rel::NOFOLLOW)
    }

    /// See [`LinkKind::is_followed`].
    pub fn is_followed(&self, page_says_nofollow: bool) -> bool {
        self.kind.is_followed(self.rel, page_says_nofollow)
    }

    fn unpacked(&self, dom_path: Arc<str>, context: Box<str>) -> Link {
        Link {
            target: self.target(),
            kind: self.kind,
            rel: self.rel,
            path_type: self.path_type,
            position: self.position,
            origin: self.origin,
            text: self.text.into(),
            context,
            dom_path,
        }
    }
}

/// Writes links one by one.
struct Packer<'a> {
    records: Vec<u8>,
    texts: String,
    origins: Vec<&'a str>,
    places: Vec<&'a Arc<str>>,
}

impl<'a> Packer<'a> {
    fn with_room_for(links: &[Link]) -> Self {
        let text = |link: &Link| link.target.as_str().len() + link.text.len();
        Self {
            records: Vec::with_capacity(links.len() * 8),
            texts: String::with_capacity(links.iter().map(text).sum()),
            origins: Vec::new(),
            places: Vec::new(),
        }
    }

    fn put(&mut self, link: &'a Link) {
        let where_and_how = (link.origin as u8) << 5 | (link.position as u8) << 2 | link.path_type as u8;
        self.records.extend_from_slice(&[link.kind as u8, link.rel.bits(), where_and_how]);
        let target = link.target.as_str();
        // The origin matches only if a path follows it.
        let rest = |origin: &str| target.strip_prefix(origin).filter(|rest| rest.starts_with('/'));
        let known = position_of(&self.origins, |origin| rest(origin).is_some());
        if self.put_index(known, self.origins.len()) {
            self.origins.push(link.target.origin());
            self.put_text(link.target.origin());
        }
        self.put_text(&target[self.origins[known.unwrap_or(self.origins.len() - 1)].len()..]);
        self.put_text(&link.text);
        let known = position_of(&self.places, |known| Arc::ptr_eq(known, &link.dom_path));
        if self.put_index(known, self.places.len()) {
            self.places.push(&link.dom_path);
            self.put_text(&link.dom_path);
        }
    }

    /// Writes the index of a known entry or the next free one. Returns whether it is new.
    fn put_index(&mut self, known: Option<usize>, next: usize) -> bool {
        put_number(&mut self.records, known.unwrap_or(next));
        known.is_none()
    }

    fn put_text(&mut self, text: &str) {
        put_number(&mut self.records, text.len());
        self.texts.push_str(text);
    }
}

/// The position of a recent entry that matches.
fn position_of<T>(things: &[T], is_it: impl Fn(&T) -> bool) -> Option<usize> {
    let first = things.len().saturating_sub(REMEMBERED);
    things[first..].iter().rposition(is_it).map(|at| first + at)
}

/// Iterates over the links of a document.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    keys: &'a [UrlKey],
    records: &'a [u8],
    texts: &'a str,
    origins: Vec<&'a str>,
    places: Vec<&'a str>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = PackedLink<'a>;

    fn next(&mut self) -> Option<PackedLink<'a>> {
        let (key, keys) = self.keys.split_first()?;
        let (head, records) = self.records.split_first_chunk::<3>().expect("what we packed is whole");
        (self.keys, self.records) = (keys, records);
        let site = self.number();
        if site == self.origins.len() {
            let new = self.text();
            self.origins.push(new);
        }
        let (path, text) = (self.text(), self.text());
        let place = self.number();
        if place == self.places.len() {
            let new = self.text();
            self.places.push(new);
        }
        Some(PackedLink {
            key: *key,
            kind: LinkKind::ALL[usize::from(head[0])],
            rel: Rel::from_bits(head[1]),
            path_type: PathType::ALL[usize::from(head[2] & 3)],
            position: Position::ALL[usize::from(head[2] >> 2 & 7)],
            origin: LinkOrigin::ALL[usize::from(head[2] >> 5)],
            text,
            dom_path: self.places[place],
            place,
            site: self.origins[site],
            path,
        })
    }
}

impl<'a> Iter<'a> {
    #[inline]
    fn number(&mut self) -> usize {
        take_number(&mut self.records).expect("what we packed is whole")
    }

    #[inline]
    fn text(&mut self) -> &'a str {
        let length = self.number();
        let (text, rest) = self.texts.split_at(length);
        self.texts = rest;
        text
    }
}

/// The text around one link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// No text.
    Nothing,
    /// All of it.
    Whole(Box<str>),
    /// The text before and after the link's own text, which is inside nearly every context.
    Around(Box<str>, Box<str>),
}

impl Context {
    /// The context with the link's own text inserted.
    pub fn with(&self, text: &str) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Whole(context) => context.to_string(),
            Self::Around(before, behind) => [&**before, text, &**behind].concat(),
        }
    }
}

const NOTHING: u8 = 0;
const WHOLE: u8 = 1;
const AROUND: u8 = 2;

/// The text around each link; `None` if the bytes are corrupt.
pub fn contexts(mut bytes: &[u8]) -> Option<Vec<Context>> {
    let mut contexts = Vec::new();
    while let Some((tag, rest)) = bytes.split_first() {
        bytes = rest;
        contexts.push(match *tag {
            NOTHING => Context::Nothing,
            WHOLE => Context::Whole(take_text(&mut bytes)?),
            _ => Context::Around(take_text(&mut bytes)?, take_text(&mut bytes)?),
        });
    }
    Some(contexts)
}

fn pack_contexts(links: &[Link]) -> Vec<u8> {
    if links.iter().all(|link| link.context.is_empty()) {
        return Vec::new();
    }
    let mut bytes = Vec::with_capacity(links.iter().map(|link| link.context.len() + 3).sum());
    links.iter().for_each(|link| put_context(&mut bytes, &link.context, &link.text));
    bytes
}

fn put_context(bytes: &mut Vec<u8>, context: &str, text: &str) {
    match find(context, text) {
        _ if context.is_empty() => bytes.push(NOTHING),
        None => {
            bytes.push(WHOLE);
            put_text(bytes, context);
        }
        Some(at) => {
            bytes.push(AROUND);
            put_text(bytes, &context[..at]);
            put_text(bytes, &context[at + text.len()..]);
        }
    }
}

/// Where a text begins in a context. Both are short; setting up a faster search would take longer than this loop.
fn find(context: &str, text: &str) -> Option<usize> {
    let last = context.len().checked_sub(text.len())?;
    let mut starts = memchr::memchr_iter(*text.as_bytes().first()?, &context.as_bytes()[..=last]);
    starts.find(|at| context.as_bytes()[*at..].starts_with(text.as_bytes()))
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn take_text(bytes: &mut &[u8]) -> Option<Box<str>> {
    let length = take_number(bytes)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok().map(Into::into)
}

/// LEB128: seven bits per byte, lowest first.
fn put_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let (byte, rest) = bytes.split_first()?;
    if *byte < 0x80 {
        *bytes = rest;
        return Some(usize::from(*byte));
    }
    take_long_number(bytes)
}

fn take_long_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(target: &str, text: &str, context: &str, dom_path: &Arc<str>) -> Link {
        let bare = Link::bare(CanonicalUrl::parse(target).unwrap(), LinkKind::Anchor);
        Link { text: text.into(), context: context.into(), dom_path: Arc::clone(dom_path), ..bare }
    }

    fn parts(link: &Link) -> impl PartialEq + std::fmt::Debug {
        let Link { target, kind, rel, path_type, position, origin, text, context, dom_path } = link.clone();
        (target.as_str().to_owned(), target.key(), kind, rel, path_type, (position, origin), text, context, dom_path)
    }

    fn check(links: &[Link]) {
        let packed = Links::of(links);
        let back = packed.to_vec();
        assert_eq!(packed.len(), links.len());
        assert_eq!(back.iter().map(parts).collect::<Vec<_>>(), links.iter().map(parts).collect::<Vec<_>>());
        let targets: Vec<CanonicalUrl> = packed.iter().map(|link| link.target()).collect();
        assert!(targets.iter().eq(links.iter().map(|link| &link.target)));
    }

    #[test]
    fn links_come_back_as_they_were() {
        let (menu, text): (Arc<str>, Arc<str>) = ("body > nav > a".into(), "body > p > a".into());
        let long = "wörter ".repeat(100);
        check(&[]);
        check(&[
            link("http://a.test/", "", "", &menu),
            link("http://a.test/b?c=d", "b", "a b c", &menu),
            link("https://other.test:8080/%C3%A9", "gone", "other", &text),
            link("http://a.test/b", "ö", &long, &menu),
            link("http://a.test/b", &long, "ö", &text),
        ]);
    }

    #[test]
    fn every_kind_position_and_flag_round_trips() {
        let place: Arc<str> = "body > a".into();
        let mut links = Vec::new();
        for (at, kind) in LinkKind::ALL.into_iter().enumerate() {
            let bare = link("http://a.test/x", "x", "", &place);
            links.push(Link {
                kind,
                rel: Rel::from_bits((at * 2) as u8),
                position: Position::ALL[at % Position::ALL.len()],
                path_type: PathType::ALL[at % PathType::ALL.len()],
                origin: LinkOrigin::ALL[at % LinkOrigin::ALL.len()],
                ..bare
            });
        }
        check(&links);
    }

    #[test]
    fn many_origins_and_places_come_back() {
        let links = (0..500).map(|number| {
            let place: Arc<str> = format!("body > div:{} > a", number % 40).into();
            link(&format!("http://h{}.test/{number}", number % 50), "text", "some text around", &place)
        });
        check(&links.collect::<Vec<_>>());
    }

    #[test]
    fn links_that_wait_take_few_bytes() {
        let place: Arc<str> = "html > body > div > main > article > p > a".into();
        let words = "a sentence of some length with a word in its middle and more behind it";
        let links: Vec<Link> =
            (0..60).map(|number| link(&format!("https://www.example.com/{number}"), "word", words, &place)).collect();
        let mut packed = Links::of(&links);
        packed.drop_contexts();
        assert!(packed.weight() < 40 * links.len(), "{} bytes for {} links", packed.weight(), links.len());
    }

    #[test]
    fn damaged_contexts_are_none() {
        let place = Arc::default();
        let packed =
            Links::of(&[link("http://a.test/", "b", "a b c", &place), link("http://a.test/", "", "d", &place)]);
        let bytes = packed.contexts();
        assert_eq!(contexts(bytes).map(|contexts| contexts.len()), Some(2));
        assert_eq!(contexts(&bytes[..bytes.len() - 1]), None);
    }
}
