//! What matters about the anchors of links, in four bytes each.

use bluesnake_engine::LinkKind;
use bluesnake_engine::link::{PathType, Position, Rel};
use bluesnake_engine::plan::AuditSettings;
use hashbrown::HashMap;

use crate::input::Anchor;
use crate::language;

/// What matters about the anchor of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnchorDigest {
    pub(crate) kind: LinkKind,
    marks: u8,
    /// The language code of a version.
    pub(crate) code: CodeId,
}

/// An entry of [`Codes`].
pub(crate) type CodeId = u16;

impl AnchorDigest {
    /// It has `rel=nofollow`.
    pub(crate) const IS_NOFOLLOW: u8 = 1;
    /// It opens a window that can control this one.
    pub(crate) const OPENS_UNSAFELY: u8 = 2;
    /// It has no text.
    pub(crate) const IS_WORDLESS: u8 = 4;
    /// Its text does not describe its target.
    pub(crate) const IS_VAGUE: u8 = 8;
    /// Its text is longer than an alternative text should be.
    pub(crate) const IS_LONG: u8 = 16;
    /// It begins with `//`.
    pub(crate) const IS_PROTOCOL_RELATIVE: u8 = 32;
    /// It is in the head, or in a header field.
    pub(crate) const IS_IN_HEAD: u8 = 64;

    /// It is an `<img>` without `alt`. Marks of images share their bits with marks that only hyperlinks have.
    pub(crate) const LACKS_ALT: u8 = 1;
    /// It is an `<img>` with an empty `alt`.
    pub(crate) const HAS_EMPTY_ALT: u8 = 2;
    /// It is an `<img>` without `width` or `height`.
    pub(crate) const LACKS_SIZE: u8 = 4;

    /// An anchor that nothing is known about.
    const UNKNOWN: Self = Self { kind: LinkKind::Hint, marks: 0, code: 0 };

    pub(crate) fn has(self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    pub(crate) fn is_hyperlink(self) -> bool {
        matches!(self.kind, LinkKind::Anchor | LinkKind::Area)
    }

    /// Whether it embeds its target in the page.
    pub(crate) fn is_resource(self) -> bool {
        use LinkKind::*;
        matches!(
            self.kind,
            Image | Script | Stylesheet | Font | Video | Audio | Track | Icon | Manifest | CssUrl | Frame | Embed
        )
    }

    /// Whether a crawl follows such a link.
    pub(crate) fn is_followed(self, page_says_nofollow: bool) -> bool {
        let rel =
            if self.has(Self::IS_NOFOLLOW) && self.kind != LinkKind::Image { Rel::NOFOLLOW } else { Rel::default() };
        self.kind.is_followed(rel, page_says_nofollow)
    }
}

/// All anchors by id, and the language codes among their texts.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    digests: Vec<AnchorDigest>,
    pub(crate) codes: Codes,
    vague_texts: Vec<String>,
    longest_vague: usize,
    alt_max: usize,
}

impl Anchors {
    pub(crate) fn new(settings: &AuditSettings) -> Self {
        let vague_texts: Vec<String> = settings.vague_texts.iter().map(|text| words_of(text).to_lowercase()).collect();
        let longest_vague = vague_texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        Self { vague_texts, longest_vague, alt_max: settings.alt_max, ..Self::default() }
    }

    pub(crate) fn push(&mut self, id: u32, anchor: &Anchor<'_>) {
        let digest = self.digest(anchor);
        let at = id as usize;
        if self.digests.len() <= at {
            self.digests.resize(at + 1, AnchorDigest::UNKNOWN);
        }
        self.digests[at] = digest;
    }

    pub(crate) fn get(&self, id: u32) -> AnchorDigest {
        self.digests.get(id as usize).copied().unwrap_or(AnchorDigest::UNKNOWN)
    }

    fn digest(&mut self, anchor: &Anchor<'_>) -> AnchorDigest {
        let text = anchor.text.trim();
        let is_closed = anchor.rel.has(Rel::NOOPENER) || anchor.rel.has(Rel::NOREFERRER);
        let own = match anchor.kind {
            LinkKind::Image => [
                (AnchorDigest::LACKS_ALT, anchor.rel.has(Rel::NO_ALT)),
                (AnchorDigest::HAS_EMPTY_ALT, anchor.rel.has(Rel::EMPTY_ALT)),
                (AnchorDigest::LACKS_SIZE, anchor.rel.has(Rel::NO_SIZE)),
                (AnchorDigest::IS_LONG, text.chars().count() > self.alt_max),
            ],
            _ => [
                (AnchorDigest::IS_NOFOLLOW, anchor.rel.has(Rel::NOFOLLOW)),
                (AnchorDigest::OPENS_UNSAFELY, anchor.rel.has(Rel::NEW_WINDOW) && !is_closed),
                (AnchorDigest::IS_WORDLESS, text.is_empty()),
                (AnchorDigest::IS_VAGUE, self.is_vague(text)),
            ],
        };
        let common = [
            (AnchorDigest::IS_PROTOCOL_RELATIVE, anchor.path_type == PathType::ProtocolRelative),
            (AnchorDigest::IS_IN_HEAD, anchor.position == Position::Unknown),
        ];
        let marks = own.iter().chain(&common).filter(|(_, is_set)| *is_set).fold(0, |marks, (mark, _)| marks | mark);
        let code = if anchor.kind == LinkKind::Hreflang { self.codes.intern(cut(text)) } else { 0 };
        AnchorDigest { kind: anchor.kind, marks, code }
    }

    fn is_vague(&self, text: &str) -> bool {
        let text = words_of(text);
        let is_short = text.chars().nth(self.longest_vague).is_none();
        is_short && self.vague_texts.iter().any(|vague| *vague == text.to_lowercase())
    }
}

/// A text without arrows and other signs around it.
fn words_of(text: &str) -> &str {
    text.trim_matches(|letter: char| !letter.is_alphanumeric())
}

/// A language code, or the beginning of something that is none.
fn cut(code: &str) -> &str {
    code.char_indices().nth(Codes::MOST_CHARS).map_or(code, |(end, _)| &code[..end])
}

/// The language codes of a run, each once.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    codes: Vec<Code>,
    ids: HashMap<String, CodeId>,
}

/// A language code.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) is_default: bool,
    /// Whether search engines know its language and region.
    pub(crate) is_correct: bool,
}

impl Codes {
    /// Longer ones are cut; no code is that long.
    const MOST_CHARS: usize = 100;

    /// The id of a code as written. A run with more codes than ids is nonsense; the last id stands for the rest.
    fn intern(&mut self, written: &str) -> CodeId {
        let text = written.to_lowercase();
        if let Some(id) = self.ids.get(&text) {
            return *id;
        }
        let id = self.codes.len().min(usize::from(CodeId::MAX)) as CodeId;
        if usize::from(id) == self.codes.len() {
            let is_default = text == "x-default";
            let is_correct = is_default || language::is_hreflang(&text);
            self.codes.push(Code { text: text.clone(), is_default, is_correct });
            self.ids.insert(text, id);
        }
        id
    }

    pub(crate) fn get(&self, id: CodeId) -> &Code {
        &self.codes[usize::from(id)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str, rel: Rel) -> AnchorDigest {
        let mut anchors = Anchors::new(&AuditSettings::default());
        let (position, path_type) = (Position::Content, PathType::Absolute);
        anchors.push(3, &Anchor { kind: LinkKind::Anchor, rel, position, path_type, text });
        anchors.get(3)
    }

    #[test]
    fn a_digest_is_small() {
        assert_eq!(size_of::<AnchorDigest>(), 4);
    }

    #[test]
    fn vague_texts_count_in_any_case() {
        for text in ["Click here", "MORE", " here ", "Read more →", "» more »", "here."] {
            assert!(digest(text, Rel::default()).has(AnchorDigest::IS_VAGUE), "{text}");
        }
        for text in ["Click here for prices", "Moreover", "", "→"] {
            assert!(!digest(text, Rel::default()).has(AnchorDigest::IS_VAGUE), "{text}");
        }
    }

    #[test]
    fn a_new_window_is_safe_with_noopener_or_noreferrer() {
        let is_unsafe = |rel| digest("a", rel).has(AnchorDigest::OPENS_UNSAFELY);
        assert!(is_unsafe(Rel::NEW_WINDOW));
        assert!(!is_unsafe(Rel::NEW_WINDOW.and(Rel::NOOPENER)));
        assert!(!is_unsafe(Rel::NEW_WINDOW.and(Rel::NOREFERRER)));
        assert!(!is_unsafe(Rel::NOFOLLOW));
    }

    #[test]
    fn an_unknown_anchor_means_nothing() {
        let anchor = Anchors::default().get(7);
        assert!(!anchor.is_hyperlink() && !anchor.is_resource() && !anchor.is_followed(false));
    }
}
