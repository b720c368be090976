//! Links packed per document: a list of targets and anchors, and the text around them.
//!
//! A list is a byte with the size of one link, then each link: target and anchor, half of the bytes each, big-endian.
//! Contexts are the engine's, compressed.

use bluesnake_engine::links::{Context, contexts};

/// Nearly the fastest level; contexts are short, and a higher one gains two percent for twice the time.
const LEVEL: i32 = 2;
/// Numbers up to this fit the small size.
const SMALL: u32 = 0xff_ffff;

/// Packs targets with their anchors.
pub(super) fn list(links: &[(u32, u32)]) -> Vec<u8> {
    let is_small = links.iter().all(|(target, anchor)| *target <= SMALL && *anchor <= SMALL);
    if is_small { list_by::<3>(links) } else { list_by::<4>(links) }
}

/// The same with this many bytes per number.
fn list_by<const BYTES: usize>(links: &[(u32, u32)]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(1 + links.len() * 2 * BYTES);
    packed.push(2 * BYTES as u8);
    for number in links.iter().flat_map(|(target, anchor)| [target, anchor]) {
        packed.extend_from_slice(&number.to_be_bytes()[4 - BYTES..]);
    }
    packed
}

/// The targets and anchors of a list, in document order; empty if it is not a list.
pub(super) fn links(list: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let (size, rest) = list.split_first().map_or((8, list), |(size, rest)| (usize::from(*size), rest));
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte));
    let links = if matches!(size, 6 | 8) { rest } else { &[] };
    links.chunks_exact(size.max(2)).map(move |link| (number(&link[..size / 2]), number(&link[size / 2..])))
}

/// Compresses the text around links. Reused from page to page, because a compressor is expensive to set up.
pub(super) struct ContextPacker {
    compressor: zstd::bulk::Compressor<'static>,
}

impl ContextPacker {
    pub(super) fn new() -> Self {
        let mut compressor = zstd::bulk::Compressor::new(LEVEL).expect("the level exists");
        // The size already precedes the frame.
        compressor.include_contentsize(false).expect("a frame may be without its size");
        Self { compressor }
    }

    /// The packed form of [`Links::contexts`](bluesnake_engine::Links::contexts); `None` if there is no text.
    pub(super) fn pack(&mut self, contexts: &[u8]) -> Option<Vec<u8>> {
        if contexts.is_empty() {
            return None;
        }
        let mut packed = (contexts.len() as u32).to_be_bytes().to_vec();
        packed.extend(self.compressor.compress(contexts).expect("memory can be compressed into memory"));
        Some(packed)
    }
}

impl std::fmt::Debug for ContextPacker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContextPacker").finish_non_exhaustive()
    }
}

/// Unpacks the output of a [`ContextPacker`]; `None` if it is corrupt.
pub(super) fn unpack_contexts(packed: &[u8]) -> Option<Vec<Context>> {
    let (size, frame) = packed.split_first_chunk::<4>()?;
    contexts(&zstd::bulk::decompress(frame, u32::from_be_bytes(*size) as usize).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_engine::{CanonicalUrl, Link, LinkKind, Links};

    #[test]
    fn lists_of_any_size_round_trip() {
        for list_of in
            [vec![], vec![(1, 2)], vec![(1, 2), (SMALL, 7)], vec![(1, 2), (SMALL + 1, 7), (u32::MAX, u32::MAX)]]
        {
            assert_eq!(links(&list(&list_of)).collect::<Vec<_>>(), list_of);
        }
        assert_eq!(links(b"").count(), 0);
        assert_eq!(links(b"\x05abcde").count(), 0);
    }

    #[test]
    fn contexts_round_trip_with_the_text_of_their_links() {
        let link = |text: &str, context: &str| {
            let mut link = Link::bare(CanonicalUrl::parse("http://a/").unwrap(), LinkKind::Anchor);
            (link.text, link.context) = (text.into(), context.into());
            link
        };
        let long = "wörter ".repeat(100);
        let all = [link("b", "a b c"), link("", "x"), link("y", ""), link("gone", "other"), link("ö", &long)];
        let mut packer = ContextPacker::new();
        let packed = packer.pack(Links::of(&all).contexts()).unwrap();
        let back: Vec<String> = unpack_contexts(&packed)
            .unwrap()
            .iter()
            .zip(&all)
            .map(|(context, link)| context.with(&link.text))
            .collect();
        assert_eq!(back, ["a b c", "x", "", "other", long.as_str()]);
        assert_eq!(packer.pack(Links::of(&[link("a", "")]).contexts()), None);
        assert_eq!(unpack_contexts(&packed[..packed.len() - 1]), None);
    }
}
