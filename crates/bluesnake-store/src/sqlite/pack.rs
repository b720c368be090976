//! A visit in the form in which it is written, as one run of bytes: made by workers, long before its turn comes.
//!
//! Fields are in a fixed order, each preceded by its length. They exist only in memory, so the order may change at
//! any time.

use bluesnake_engine::Visit;
use bluesnake_engine::document::Section;
use bluesnake_engine::parse::facts::Page;
use bluesnake_engine::parse::signature::Signature;

use super::contents::bodies::{self, PackedBody};
use super::contents::documents;
use super::contents::kept_responses::KeptFields;
use super::{facts, packed};

/// Larger buffers are not kept for the next visit.
const KEPT_BUFFER: usize = 1 << 20;

/// Packs visits. Reused from visit to visit, because compressors are expensive to set up.
pub(super) struct Packer {
    contexts: packed::ContextPacker,
    bodies: bodies::BodyPacker,
    bytes: Vec<u8>,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self { contexts: packed::ContextPacker::new(), bodies: bodies::BodyPacker::new(), bytes: Vec::new() }
    }

    pub(super) fn pack(&mut self, visit: &Visit) -> Box<[u8]> {
        self.bytes.clear();
        let mut fields = Fields(&mut self.bytes);
        fields.put(visit.response.as_ref().map(|response| facts::kept_headers(&response.headers)).as_deref());
        fields.put_page(visit.page.as_deref());
        fields.put(visit.extracted.as_ref().map(|extracted| extracted.as_bytes()));
        fields.put(self.contexts.pack(visit.links.contexts()).as_deref());
        let text = visit.page.as_ref().and_then(|page| page.text.as_ref());
        let text = text.map(String::as_bytes);
        for body in [visit.html.as_deref(), text, visit.rendered.as_deref(), visit.screenshot.as_deref()] {
            fields.put_body(body.map(|body| self.bodies.pack(body)).as_ref());
        }
        let document = visit.document.as_ref().map(|document| document.content.as_bytes());
        fields.put_number(document.map_or(0, <[u8]>::len));
        fields.put(document.map(|document| self.bodies.compress(document)).as_deref());
        let sections = visit.document.as_ref().map(|document| sections(&document.sections));
        fields.put_number(sections.as_ref().map_or(0, Vec::len));
        fields.put(sections.map(|sections| self.bodies.compress(&sections)).as_deref());
        let kept = visit.response.as_ref().filter(|_| visit.document.is_some() && visit.html.is_some());
        fields.put_kept(kept.map(|response| KeptFields::of(&response.headers)).as_ref());
        let packed = self.bytes.as_slice().into();
        if self.bytes.capacity() > KEPT_BUFFER {
            self.bytes = Vec::new();
        }
        packed
    }
}

/// Sections as consecutive fields.
fn sections(sections: &[Section]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut fields = Fields(&mut bytes);
    for Section { level, heading, anchor, text } in sections {
        fields.put_number(usize::from(*level));
        fields.put(Some(heading.as_bytes()));
        fields.put(anchor.as_deref().map(str::as_bytes));
        fields.put(Some(text.as_bytes()));
    }
    bytes
}

/// Unpacks the result of [`sections`].
pub(super) fn unpacked_sections(bytes: &[u8]) -> Vec<Section> {
    let mut fields = Reader(bytes);
    let mut sections = Vec::new();
    while !fields.0.is_empty() {
        sections.push(Section {
            level: fields.take_number() as u8,
            heading: fields.take_text().unwrap_or_default().to_owned(),
            anchor: fields.take_text().map(str::to_owned),
            text: fields.take_text().unwrap_or_default().to_owned(),
        });
    }
    sections
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

/// The output of a [`Packer`].
#[derive(Debug)]
pub(super) struct Unpacked<'a> {
    pub(super) page: Option<UnpackedPage<'a>>,
    pub(super) extracted: Option<&'a str>,
    pub(super) contexts: Option<&'a [u8]>,
    pub(super) html: Option<PackedBody<'a>>,
    pub(super) text: Option<PackedBody<'a>>,
    pub(super) rendered: Option<PackedBody<'a>>,
    pub(super) screenshot: Option<PackedBody<'a>>,
    pub(super) document: Option<documents::PackedContent<'a>>,
    pub(super) kept: Option<KeptFields<'a>>,
}

/// A page's facts: those with their own columns, and the rest as JSON.
#[derive(Debug)]
pub(super) struct UnpackedPage<'a> {
    pub(super) facts: &'a str,
    pub(super) title: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) h1: Option<&'a str>,
    pub(super) h2: Option<&'a str>,
    pub(super) canonical: Option<&'a str>,
    pub(super) lang: Option<&'a str>,
    pub(super) content_hash: Option<&'a str>,
    pub(super) word_count: usize,
    pub(super) main_words: usize,
    pub(super) signature: Option<&'a [u8]>,
}

/// The kept header fields, in the form of [`facts::kept_headers`].
pub(super) fn headers(packed: &[u8]) -> Option<&[u8]> {
    Reader(packed).take()
}

impl<'a> Unpacked<'a> {
    pub(super) fn of(packed: &'a [u8]) -> Self {
        let mut fields = Reader(packed);
        fields.take();
        Self {
            page: fields.take_page(),
            extracted: fields.take_text(),
            contexts: fields.take(),
            html: fields.take_body(),
            text: fields.take_body(),
            rendered: fields.take_body(),
            screenshot: fields.take_body(),
            document: fields.take_document(),
            kept: fields.take_kept(),
        }
    }
}

/// Writes consecutive fields.
struct Fields<'a>(&'a mut Vec<u8>);

impl Fields<'_> {
    fn put_page(&mut self, page: Option<&Page>) {
        let Some(page) = page else { return self.put(None) };
        let heading = |level| page.headings.iter().find(|heading| heading.level == level).map(|h| h.text.as_str());
        let canonical = page.canonical();
        self.put(Some(facts::facts(page).as_bytes()));
        for text in [
            page.title.as_deref(),
            page.description.as_deref(),
            heading(1),
            heading(2),
            canonical.map(|canonical| canonical.as_str()),
            page.lang.as_deref(),
            page.content_hash.as_deref(),
        ] {
            self.put(text.map(str::as_bytes));
        }
        self.put_number(page.word_count);
        self.put_number(page.main_words);
        self.put(page.signature.as_ref().map(Signature::to_bytes).as_ref().map(<[u8; _]>::as_slice));
    }

    fn put_body(&mut self, body: Option<&PackedBody<'_>>) {
        self.put(body.map(|body| body.key.as_slice()));
        if let Some(body) = body {
            self.put_number(body.bytes);
            self.put(Some(&body.zstd));
        }
    }

    fn put_kept(&mut self, kept: Option<&KeptFields<'_>>) {
        let Some(kept) = kept else { return };
        for field in [kept.content_type, kept.etag, kept.last_modified, kept.cache_control] {
            self.put(field.map(str::as_bytes));
        }
    }

    /// One more than the length, so that `None` differs from an empty field.
    fn put(&mut self, field: Option<&[u8]>) {
        self.put_number(field.map_or(0, |field| field.len() + 1));
        self.0.extend_from_slice(field.unwrap_or_default());
    }

    fn put_number(&mut self, number: usize) {
        let mut rest = number;
        while rest >= 0x80 {
            self.0.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
    }
}

/// Reads what [`Fields`] wrote, in the same order.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take_page(&mut self) -> Option<UnpackedPage<'a>> {
        Some(UnpackedPage {
            facts: self.take_text()?,
            title: self.take_text(),
            description: self.take_text(),
            h1: self.take_text(),
            h2: self.take_text(),
            canonical: self.take_text(),
            lang: self.take_text(),
            content_hash: self.take_text(),
            word_count: self.take_number(),
            main_words: self.take_number(),
            signature: self.take(),
        })
    }

    fn take_body(&mut self) -> Option<PackedBody<'a>> {
        let key = self.take()?.try_into().expect("a key is a hash");
        Some(PackedBody { key, bytes: self.take_number(), zstd: self.take().expect("a body is there").into() })
    }

    fn take_document(&mut self) -> Option<documents::PackedContent<'a>> {
        let content = (self.take_number(), self.take());
        let sections = (self.take_number(), self.take());
        let (Some(zstd), Some(sections_zstd)) = (content.1, sections.1) else { return None };
        Some(documents::PackedContent { bytes: content.0, zstd, sections_bytes: sections.0, sections_zstd })
    }

    fn take_kept(&mut self) -> Option<KeptFields<'a>> {
        if self.0.is_empty() {
            return None;
        }
        Some(KeptFields {
            content_type: self.take_text(),
            etag: self.take_text(),
            last_modified: self.take_text(),
            cache_control: self.take_text(),
        })
    }

    fn take_text(&mut self) -> Option<&'a str> {
        self.take().map(|text| std::str::from_utf8(text).expect("texts were packed as texts"))
    }

    fn take(&mut self) -> Option<&'a [u8]> {
        let length = self.take_number().checked_sub(1)?;
        let (field, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(field)
    }

    fn take_number(&mut self) -> usize {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first().expect("what we packed is whole");
            self.0 = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return number;
            }
            shift += 7;
        }
    }
}
