//! Sitemaps: XML, sitemap indexes, plain text, RSS and Atom, compressed or not.
//!
//! [`read`] scans a body once and keeps what it finds until an error or a limit, which it reports. The type is
//! detected from the content, because servers seldom label it right. Entities are never expanded and nothing is
//! fetched. Which of the URLs are crawled is decided in [`crate::admit`].

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::charset;
use crate::parse::links::target_bytes;
use crate::url::{Base, CanonicalUrl};

/// Maximum nesting of elements; a sitemap needs four levels.
const DEPTH: usize = 64;

/// How many attributes of an element to read.
const ATTRIBUTES: usize = 256;

/// How many alternates and images to keep per allowed URL.
const EXTRAS_PER_URL: usize = 10;

/// How much of a sitemap is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SitemapLimits {
    /// At most this many entries.
    pub urls: usize,
    /// At most this many bytes, counted after decompression.
    pub decoded_bytes: usize,
}

/// What a sitemap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapKind {
    /// `<urlset>`: its entries are pages.
    UrlSet,
    /// `<sitemapindex>`: its entries are sitemaps.
    Index,
    /// One URL per line.
    Text,
    /// `<rss>` or RSS 1.0: its entries are pages.
    Rss,
    /// `<feed>`: its entries are pages.
    Atom,
}

/// Which limit was reached. Its `Display` text is shown to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapCut {
    /// [`SitemapLimits::urls`].
    Urls,
    /// [`SitemapLimits::decoded_bytes`].
    Bytes,
    /// More than ten alternates and images per allowed URL.
    Extras,
}

impl fmt::Display for SitemapCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Urls => "it names more URLs than are read",
            Self::Bytes => "it is longer than is read",
            Self::Extras => "it names more alternates and images than are kept",
        })
    }
}

/// The contents of a sitemap.
#[derive(Clone, Debug)]
pub struct Sitemap {
    /// Its type, or the apparent type if there is a problem.
    pub kind: SitemapKind,
    /// Its entries in document order, including duplicates.
    pub entries: Vec<SitemapEntry>,
    /// Which limit was reached, if any.
    pub cut: Option<SitemapCut>,
    /// What is wrong with it, for users: `the XML is broken at byte 120`.
    pub problem: Option<String>,
}

/// One URL of a sitemap.
#[derive(Clone, Debug)]
pub struct SitemapEntry {
    /// The URL of a page, or of a sitemap in an index.
    pub url: CanonicalUrl,
    /// When it changed, as written.
    pub last_modified: Option<String>,
    /// The same page in other languages: code and URL.
    pub alternates: Vec<(String, CanonicalUrl)>,
    /// Images on the page.
    pub images: Vec<CanonicalUrl>,
}

/// Parses a sitemap found at `url`. Keeps what comes before an error or a limit.
pub fn read(url: &CanonicalUrl, content_type: Option<&str>, body: &[u8], limits: SitemapLimits) -> Sitemap {
    let Unpacked { bytes, cut, problem } = unpack(body, limits.decoded_bytes);
    let text = charset::decode(&bytes, content_type, true).text;
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let reading = Reading::new(url, limits.urls, text.len());
    let is_xml = text.starts_with('<');
    let mut sitemap = if is_xml { reading.xml(text, cut.is_some()) } else { reading.lines(text, cut.is_some()) };
    sitemap.cut = sitemap.cut.or(cut);
    sitemap.problem = problem.or(sitemap.problem);
    sitemap
}

/// A decompressed body.
struct Unpacked<'a> {
    bytes: Cow<'a, [u8]>,
    cut: Option<SitemapCut>,
    problem: Option<String>,
}

fn unpack(body: &[u8], limit: usize) -> Unpacked<'_> {
    if !body.starts_with(b"\x1F\x8B") {
        let cut = (body.len() > limit).then_some(SitemapCut::Bytes);
        return Unpacked { bytes: Cow::Borrowed(&body[..body.len().min(limit)]), cut, problem: None };
    }
    let mut bytes = Vec::new();
    let outcome = MultiGzDecoder::new(body).take((limit as u64).saturating_add(1)).read_to_end(&mut bytes);
    let problem = outcome.err().map(|_| "its gzip data is broken".to_owned());
    let cut = (bytes.len() > limit).then_some(SitemapCut::Bytes);
    bytes.truncate(limit);
    Unpacked { bytes: Cow::Owned(bytes), cut, problem }
}

/// What an element means to us.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    /// One entry: `<url>`, `<sitemap>`, `<item>`, `<entry>`.
    Entry,
    /// The entry's URL as text.
    Address,
    /// Text that may be the entry's URL.
    Guid,
    /// When it changed.
    Date,
    /// Contains the URL of an image.
    Image,
    /// A URL in an attribute.
    Link,
    Other,
}

impl Tag {
    /// By local name only: prefixes and namespaces are as often wrong as right.
    fn of(kind: SitemapKind, name: &str) -> Self {
        let names: &[(&str, Self)] = match kind {
            SitemapKind::Rss => &[
                ("item", Self::Entry),
                ("link", Self::Address),
                ("guid", Self::Guid),
                ("pubDate", Self::Date),
                ("date", Self::Date),
            ],
            SitemapKind::Atom => &[("entry", Self::Entry), ("link", Self::Link), ("updated", Self::Date)],
            _ => &[
                ("loc", Self::Address),
                ("url", Self::Entry),
                ("lastmod", Self::Date),
                ("sitemap", Self::Entry),
                ("image", Self::Image),
                ("link", Self::Link),
            ],
        };
        names.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or(Self::Other, |(_, tag)| *tag)
    }
}

/// An entry that is being read.
#[derive(Default)]
struct Draft {
    address: Option<CanonicalUrl>,
    /// A fallback URL: a feed's guid, or text directly in the entry.
    other_address: Option<CanonicalUrl>,
    last_modified: Option<String>,
    alternates: Vec<(String, CanonicalUrl)>,
    images: Vec<CanonicalUrl>,
}

/// A sitemap that is being read.
struct Reading {
    base: Base,
    /// How many more bytes of URLs may be resolved.
    bytes_left: usize,
    urls_left: usize,
    extras_left: usize,
    sitemap: Sitemap,
    draft: Draft,
    /// The element whose text is being collected.
    open: Option<Tag>,
    text: String,
    depth: usize,
    /// The depth of the current entry; 0 outside of entries.
    entry_depth: usize,
    is_in_image: bool,
    root: String,
    is_root_closed: bool,
    unusable: usize,
    first_unusable: String,
}

impl Reading {
    fn new(url: &CanonicalUrl, urls: usize, text_bytes: usize) -> Self {
        Self {
            base: Base::of(url),
            bytes_left: target_bytes(text_bytes),
            urls_left: urls,
            extras_left: urls.saturating_mul(EXTRAS_PER_URL),
            sitemap: Sitemap { kind: SitemapKind::UrlSet, entries: Vec::new(), cut: None, problem: None },
            draft: Draft::default(),
            open: None,
            text: String::new(),
            depth: 0,
            entry_depth: 0,
            is_in_image: false,
            root: String::new(),
            is_root_closed: false,
            unusable: 0,
            first_unusable: String::new(),
        }
    }

    /// One URL per line. The last line of a truncated text may be half a URL.
    fn lines(mut self, text: &str, is_cut: bool) -> Sitemap {
        self.sitemap.kind = SitemapKind::Text;
        let end = if is_cut { text.rfind(['\n', '\r']).unwrap_or(0) } else { text.len() };
        for line in text[..end].split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
            match CanonicalUrl::parse(line) {
                Ok(url) => self.draft.address = Some(url),
                Err(_) => self.note_unusable(line),
            }
            self.finish_entry();
            if self.is_full() {
                break;
            }
        }
        if self.sitemap.entries.is_empty() && self.unusable > 0 {
            self.sitemap.problem = Some("it is not a sitemap".to_owned());
        }
        self.finish()
    }

    fn xml(mut self, text: &str, is_cut: bool) -> Sitemap {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.allow_unmatched_ends = true;
        config.check_end_names = false;
        config.expand_empty_elements = true;
        while self.sitemap.problem.is_none() && !self.is_full() {
            match reader.read_event() {
                Ok(Event::Eof) => {
                    self.end_of_text(is_cut);
                    break;
                }
                Ok(event) => self.take(event),
                Err(_) => {
                    // The tag after it is broken, but the text before it is complete.
                    self.finish_text();
                    self.sitemap.problem = Some(format!("the XML is broken at byte {}", reader.error_position()));
                }
            }
        }
        self.finish_entry();
        self.finish()
    }

    fn is_full(&self) -> bool {
        self.sitemap.cut == Some(SitemapCut::Urls)
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(element) => self.start(&element),
            Event::End(element) => self.end(element.local_name().as_ref()),
            Event::Text(text) => self.push(&text),
            Event::CData(text) => self.push(&text),
            Event::GeneralRef(reference) => self.push(&resolve(&reference)),
            Event::DocType(declaration) if declaration.to_ascii_lowercase().contains("<!entity") => {
                self.sitemap.problem = Some("it declares entities, which are never expanded".to_owned());
            }
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        self.depth += 1;
        if self.depth > DEPTH {
            self.sitemap.problem = Some(format!("its elements are nested deeper than {DEPTH}"));
        } else if self.root.is_empty() {
            self.start_root(name.as_ref());
        } else {
            self.start_inner(Tag::of(self.sitemap.kind, name.as_ref()), element);
        }
    }

    fn start_root(&mut self, name: &str) {
        name.clone_into(&mut self.root);
        let kinds = [
            ("urlset", SitemapKind::UrlSet),
            ("sitemapindex", SitemapKind::Index),
            ("rss", SitemapKind::Rss),
            ("RDF", SitemapKind::Rss),
            ("feed", SitemapKind::Atom),
        ];
        match kinds.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, kind)) => self.sitemap.kind = *kind,
            None => self.sitemap.problem = Some(format!("it is not a sitemap: its root element is `{name}`")),
        }
    }

    fn start_inner(&mut self, tag: Tag, element: &BytesStart<'_>) {
        let is_inside_text = self.open.is_some() && self.text.trim().is_empty();
        if tag == Tag::Other || (tag == Tag::Entry && is_inside_text) {
            return;
        }
        self.finish_text();
        let is_in_entry = self.entry_depth > 0 || !self.is_feed();
        match tag {
            Tag::Entry => {
                self.finish_entry();
                // An unclosed entry must not add to the depth of all that follow.
                if self.entry_depth > 0 {
                    self.depth = self.entry_depth;
                }
                self.entry_depth = self.depth;
            }
            Tag::Link if is_in_entry => self.take_link(element),
            Tag::Image => self.is_in_image = true,
            Tag::Address | Tag::Guid | Tag::Date if is_in_entry => self.open = Some(tag),
            _ => {}
        }
    }

    fn is_feed(&self) -> bool {
        matches!(self.sitemap.kind, SitemapKind::Rss | SitemapKind::Atom)
    }

    fn end(&mut self, name: &str) {
        match Tag::of(self.sitemap.kind, name) {
            Tag::Entry => {
                self.finish_text();
                self.finish_entry();
                self.entry_depth = 0;
            }
            Tag::Image => {
                self.finish_text();
                self.is_in_image = false;
            }
            Tag::Address | Tag::Guid | Tag::Date => self.finish_text(),
            Tag::Link | Tag::Other => {}
        }
        self.depth = self.depth.saturating_sub(1);
        self.is_root_closed |= name == self.root;
    }

    /// Text counts in a collected element, and in an entry whose URL is plain text.
    fn push(&mut self, text: &str) {
        let is_bare = self.depth == self.entry_depth && self.draft.address.is_none() && !self.is_feed();
        if self.open.is_some() || (is_bare && !(self.text.is_empty() && text.trim().is_empty())) {
            self.text.push_str(text);
        }
    }

    /// Processes the text of the open element, or of the entry itself.
    fn finish_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (open, text) = (self.open.take(), text.trim());
        match open {
            _ if text.is_empty() => {}
            Some(Tag::Address) if self.is_in_image => self.take_image(text),
            Some(Tag::Address) => self.take_address(text),
            Some(Tag::Date) => _ = self.draft.last_modified.get_or_insert_with(|| text.to_owned()),
            _ => self.draft.other_address = CanonicalUrl::parse(text).ok(),
        }
    }

    /// A second URL in one sitemap entry means that the entry was not closed; in a feed it is ignored.
    fn take_address(&mut self, text: &str) {
        if self.draft.address.is_some() {
            if self.is_feed() {
                return;
            }
            self.finish_entry();
        }
        self.draft.address = self.join(text);
        if self.draft.address.is_none() {
            self.note_unusable(text);
        }
    }

    fn take_image(&mut self, text: &str) {
        if let Some(image) = self.join(text)
            && self.may_keep_extra()
        {
            self.draft.images.push(image);
        }
    }

    /// An alternate of a sitemap entry, or the URL of a feed entry.
    fn take_link(&mut self, element: &BytesStart<'_>) {
        let [rel, hreflang, href] = attributes(element, ["rel", "hreflang", "href"]);
        let is_alternate = rel.as_deref().is_none_or(|rel| rel.eq_ignore_ascii_case("alternate"));
        let Some(target) = href.filter(|_| is_alternate).and_then(|href| self.join(href.trim())) else {
            return;
        };
        if self.is_feed() {
            self.draft.address.get_or_insert(target);
        } else if let Some(language) = hreflang
            && self.may_keep_extra()
        {
            self.draft.alternates.push((language.trim().to_owned(), target));
        }
    }

    /// Resolves a reference, within the byte limit for all URLs of the sitemap.
    fn join(&mut self, reference: &str) -> Option<CanonicalUrl> {
        if self.bytes_left == 0 {
            return None;
        }
        let url = self.base.join(reference).ok()?;
        match self.bytes_left.checked_sub(url.as_str().len()) {
            Some(left) => {
                self.bytes_left = left;
                Some(url)
            }
            None => {
                self.bytes_left = 0;
                self.sitemap.cut.get_or_insert(SitemapCut::Urls);
                None
            }
        }
    }

    fn may_keep_extra(&mut self) -> bool {
        if self.extras_left == 0 {
            self.sitemap.cut.get_or_insert(SitemapCut::Extras);
            return false;
        }
        self.extras_left -= 1;
        true
    }

    fn finish_entry(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        let Some(url) = draft.address.or(draft.other_address) else {
            return;
        };
        if self.urls_left == 0 {
            self.sitemap.cut = Some(SitemapCut::Urls);
            return;
        }
        self.urls_left -= 1;
        self.sitemap.entries.push(SitemapEntry {
            url,
            last_modified: draft.last_modified,
            alternates: draft.alternates,
            images: draft.images,
        });
    }

    /// Text being read when the input was cut may be half a URL, so it is dropped.
    fn end_of_text(&mut self, is_cut: bool) {
        self.text.clear();
        if self.root.is_empty() {
            self.sitemap.problem = Some("it is not a sitemap: it has no element".to_owned());
        } else if !self.is_root_closed && !is_cut {
            self.sitemap.problem = Some(format!("it ends before `</{}>`", self.root));
        }
    }

    fn note_unusable(&mut self, text: &str) {
        if self.unusable == 0 {
            self.first_unusable = text.chars().take(200).collect();
        }
        self.unusable += 1;
    }

    fn finish(mut self) -> Sitemap {
        if self.unusable > 0 {
            let first = self.first_unusable;
            let problem = format!("{} of its URLs cannot be crawled; the first is `{first}`", self.unusable);
            self.sitemap.problem.get_or_insert(problem);
        }
        self.sitemap
    }
}

/// The character of a reference, or the reference itself if unknown: then it is a bare `&`.
fn resolve(reference: &BytesRef<'_>) -> String {
    let name: &str = reference;
    let character = reference.resolve_char_ref().ok().flatten();
    character
        .map(String::from)
        .or_else(|| quick_xml::escape::resolve_xml_entity(name).map(str::to_owned))
        .unwrap_or_else(|| format!("&{name};"))
}

/// The values of some attributes, by name without prefix.
fn attributes<const N: usize>(element: &BytesStart<'_>, names: [&str; N]) -> [Option<String>; N] {
    let mut values = [const { None }; N];
    // Checking for duplicates would compare each name with all others.
    for attribute in element.html_attributes().with_checks(false).flatten().take(ATTRIBUTES) {
        let name = attribute.key.local_name();
        if let Some(at) = names.iter().position(|known| known.eq_ignore_ascii_case(name.as_ref())) {
            let value = quick_xml::escape::unescape(&attribute.value).unwrap_or(Cow::Borrowed(&attribute.value));
            values[at] = Some(value.into_owned());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::Duration;

    use proptest::prelude::*;
    use testsite::cpu_time;

    use super::*;

    const LIMITS: SitemapLimits = SitemapLimits { urls: 50_000, decoded_bytes: 50 << 20 };

    fn at() -> CanonicalUrl {
        CanonicalUrl::parse("https://a.example/maps/sitemap.xml").unwrap()
    }

    fn parse(body: impl AsRef<[u8]>) -> Sitemap {
        read(&at(), Some("text/xml"), body.as_ref(), LIMITS)
    }

    fn urls(sitemap: &Sitemap) -> Vec<&str> {
        sitemap.entries.iter().map(|entry| entry.url.as_str()).collect()
    }

    fn check(body: &str, kind: SitemapKind, expected: &[&str]) -> Sitemap {
        let sitemap = parse(body);
        assert_eq!((sitemap.kind, urls(&sitemap).as_slice()), (kind, expected), "{body}");
        sitemap
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_kind_of_sitemap_is_known_by_its_content() {
        check("<urlset><url><loc>https://a/1</loc></url></urlset>", SitemapKind::UrlSet, &["https://a/1"]);
        check(
            "<sitemapindex><sitemap><loc>2.xml</loc></sitemap></sitemapindex>",
            SitemapKind::Index,
            &["https://a.example/maps/2.xml"],
        );
        check(
            "https://a/1\r\n\n https://a/2 \nhttps://a/3",
            SitemapKind::Text,
            &["https://a/1", "https://a/2", "https://a/3"],
        );
        let rss = "<rss><channel><link>/home</link><item><link>/1</link><guid>x</guid></item><item><guid>https://a/2</guid></item></channel></rss>";
        check(rss, SitemapKind::Rss, &["https://a.example/1", "https://a/2"]);
        let atom = "<feed><link href='/'/><entry><link rel='edit' href='/e'/><link href='/1'/><link rel='alternate' href='/2'/></entry></feed>";
        check(atom, SitemapKind::Atom, &["https://a.example/1"]);
    }

    #[test]
    fn an_entry_has_a_date_alternates_and_images() {
        let sitemap = parse(
            "<s:urlset xmlns:s='wrong' xmlns:i='x'><s:url><s:loc>https://a/1</s:loc><s:lastmod> 2024-01-02 </s:lastmod>\
             <x:link rel='alternate' hreflang='de' href='/de?a=1&amp;b=2'/><x:link rel='alternate' media='m' href='/m'/>\
             <i:image><i:loc>/i.png</i:loc><i:title>t</i:title></i:image></s:url></s:urlset>",
        );
        let entry = &sitemap.entries[0];
        assert_eq!(entry.last_modified.as_deref(), Some("2024-01-02"));
        assert_eq!(entry.alternates, [("de".to_owned(), CanonicalUrl::parse("https://a.example/de?a=1&b=2").unwrap())]);
        assert_eq!(entry.images, [CanonicalUrl::parse("https://a.example/i.png").unwrap()]);
        assert_eq!((sitemap.entries.len(), &sitemap.problem), (1, &None));
    }

    #[test]
    fn sloppy_xml_is_read_as_it_was_meant() {
        let check = |inner: &str, expected: &[&str]| {
            check(&format!("\u{feff}\n<urlset>{inner}</urlset>"), SitemapKind::UrlSet, expected)
        };
        check("<url><loc><![CDATA[ https://a/?b&c ]]></loc></url>", &["https://a/?b&c"]);
        check("<url><loc>https://a/?b&c=1&amp;d&#38;e&foo;</loc></url>", &["https://a/?b&c=1&d&e&foo;"]);
        check("<url><loc>https://a/1</loc><loc>https://a/2</loc></url>", &["https://a/1", "https://a/2"]);
        check("<url><loc>https://a/1</loc><url><loc>https://a/2</loc>", &["https://a/1", "https://a/2"]);
        check(
            "<url><loc>https://a/1<lastmod>x</lastmod></url><url><loc>https://a/2</url>",
            &["https://a/1", "https://a/2"],
        );
        check("<url><loc><url>https://a/1</url></loc></url></url>", &["https://a/1"]);
        check("<url> https://a/?b&amp;c </url>", &["https://a/?b&c"]);
        check("<URL><Loc>\u{a0}https://a/1\u{2000}</Loc></URL>", &["https://a/1"]);
        check("<url><loc></loc></url><url/>", &[]);
    }

    #[test]
    fn an_entry_that_is_never_closed_does_not_count_as_nesting() {
        let body = format!("<urlset>{}</urlset>", "<url><loc>https://a/1</loc>".repeat(1000));
        assert_eq!(parse(body).entries.len(), 1000);
    }

    #[test]
    fn entries_before_an_error_are_kept() {
        let check = |body: &str, expected: &[&str], problem: &str| {
            assert_eq!(check(body, SitemapKind::UrlSet, expected).problem.as_deref(), Some(problem));
        };
        let whole = "<urlset><url><loc>https://a/1</loc></url>";
        check(whole, &["https://a/1"], "it ends before `</urlset>`");
        check(
            &format!("{whole}<url><loc>https://a/2</lo"),
            &["https://a/1", "https://a/2"],
            "the XML is broken at byte 62",
        );
        check(&format!("{whole}<url><loc>https://a/ha"), &["https://a/1"], "it ends before `</urlset>`");
        check(
            &format!("{whole}<url><loc>tel:1</loc></url></urlset>"),
            &["https://a/1"],
            "1 of its URLs cannot be crawled; the first is `tel:1`",
        );
    }

    #[test]
    fn other_documents_are_not_sitemaps() {
        let check = |body: &str, problem: &str| {
            let sitemap = parse(body);
            assert_eq!((sitemap.entries.len(), sitemap.problem.as_deref()), (0, Some(problem)), "{body}");
        };
        check("<!doctype html><html><body><loc>https://a/</loc>", "it is not a sitemap: its root element is `html`");
        check("this is\nbogus", "it is not a sitemap");
        check("<!-- nothing -->", "it is not a sitemap: it has no element");
        assert_eq!(parse("").problem, None);
    }

    #[test]
    fn entities_are_never_expanded() {
        let laughs: String =
            (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
        let body =
            format!("<!DOCTYPE x [<!ENTITY l0 \"lol\">{laughs}]><urlset><url><loc>https://a/&l9;</loc></url></urlset>");
        let sitemap = parse(body);
        assert_eq!(
            (sitemap.entries.len(), sitemap.problem.as_deref()),
            (0, Some("it declares entities, which are never expanded"))
        );
    }

    #[test]
    fn many_attributes_and_deep_nesting_do_no_harm() {
        let many: String = (0..80_000).map(|n| format!(" a{n}='x'")).collect();
        let body =
            format!("<urlset{many}><url><loc>https://a/1</loc><x:link{many} hreflang='de' href='/'/></url></urlset>");
        let start = cpu_time();
        assert_eq!(urls(&parse(body)), ["https://a/1"]);
        // Comparing all pairs of attributes would take minutes.
        assert!(cpu_time() - start < Duration::from_secs(20));
        let deep = parse(format!("<urlset>{}", "<a>".repeat(100_000)));
        assert_eq!(deep.problem.as_deref(), Some("its elements are nested deeper than 64"));
    }

    #[test]
    fn compressed_sitemaps_are_unpacked_up_to_the_limit() {
        let body = b"<urlset><url><loc>https://a/1</loc></url></urlset>";
        assert_eq!(urls(&parse(gzip(body))), ["https://a/1"]);
        let (first, second) = body.split_at(20);
        assert_eq!(urls(&parse([gzip(first), gzip(second)].concat())), ["https://a/1"], "two members");
        let broken = parse(&gzip(body)[..40]);
        assert_eq!(broken.problem.as_deref(), Some("its gzip data is broken"));
        let bomb = gzip(&vec![b' '; 60 << 20]);
        assert_eq!(parse(bomb).cut, Some(SitemapCut::Bytes));
    }

    /// The URL of a sitemap may be long, and each relative reference repeats it.
    #[test]
    fn a_long_url_does_not_multiply_a_sitemap_of_relative_references() {
        let url = CanonicalUrl::parse(&format!("https://a.example/{}/", "b".repeat(60_000))).unwrap();
        let body = format!("<urlset>{}</urlset>", "<url><loc>x</loc></url>".repeat(2_000));
        let limits = SitemapLimits { urls: usize::MAX, decoded_bytes: usize::MAX };
        let sitemap = read(&url, None, body.as_bytes(), limits);
        assert!((50..80).contains(&sitemap.entries.len()), "{}", sitemap.entries.len());
        assert_eq!(sitemap.cut, Some(SitemapCut::Urls));
    }

    #[test]
    fn exceeded_limits_are_reported() {
        let body = "<urlset><url><loc>https://a/1</loc></url><url><loc>https://a/2</loc></url></urlset>";
        let cut = |urls, decoded_bytes| {
            let sitemap = read(&at(), None, body.as_bytes(), SitemapLimits { urls, decoded_bytes });
            (sitemap.entries.len(), sitemap.cut, sitemap.problem)
        };
        assert_eq!(cut(2, body.len()), (2, None, None));
        assert_eq!(cut(1, body.len()), (1, Some(SitemapCut::Urls), None));
        assert_eq!(cut(2, 60), (1, Some(SitemapCut::Bytes), None), "half an address is none");
        let lines = read(&at(), None, b"https://a/1\nhttps://a/22", SitemapLimits { urls: 9, decoded_bytes: 23 });
        assert_eq!(urls(&lines), ["https://a/1"]);
        let extras = "<x:link hreflang='de' href='/'/>".repeat(20);
        let body = format!("<urlset><url><loc>https://a/1</loc>{extras}</url></urlset>");
        let sitemap = read(&at(), None, body.as_bytes(), SitemapLimits { urls: 1, decoded_bytes: 10_000 });
        assert_eq!((sitemap.entries[0].alternates.len(), sitemap.cut), (10, Some(SitemapCut::Extras)));
    }

    #[test]
    fn other_encodings_are_read() {
        let text = "<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>https://a/ü</loc></url></urlset>";
        let utf16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(urls(&parse(utf16)), ["https://a/%C3%BC"]);
        let latin1 =
            b"<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>https://a/\xFC</loc></url></urlset>";
        assert_eq!(urls(&parse(latin1)), ["https://a/%C3%BC"]);
    }

    #[test]
    fn a_million_urls_are_read_in_seconds() {
        let mut body = b"<urlset>".to_vec();
        for number in 0..1_000_000 {
            write!(body, "<url><loc>https://a.example/{number}</loc></url>").unwrap();
        }
        let start = cpu_time();
        let sitemap = read(&at(), None, &body, SitemapLimits { urls: 2_000_000, decoded_bytes: 1 << 30 });
        assert_eq!(sitemap.entries.len(), 1_000_000);
        assert!(cpu_time() - start < Duration::from_secs(60), "{:?}", cpu_time() - start);
        assert_eq!(parse(&body).cut, Some(SitemapCut::Urls));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, header: String) {
            read(&at(), Some(&header), &bytes, LIMITS);
            read(&at(), Some(&header), &[b"\x1F\x8B\x08\0", bytes.as_slice()].concat(), LIMITS);
        }

        #[test]
        fn no_markup_makes_it_panic(root in "<(urlset|sitemapindex|rss|feed)>", inner in "(<url>|</url>|<loc>|</loc>|<item>|<link href='é'>|<link>|<!\\[CDATA\\[|\\]\\]>|&amp;|&#x;|&|<|>|é|<image>|</image>|https://a/|<!--|<\\?){0,40}") {
            parse(format!("{root}{inner}"));
        }
    }
}
