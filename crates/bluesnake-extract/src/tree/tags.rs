//! What tags mean for Markdown, beyond the HTML standard.

use bluesnake_html::{Tag, Tags};

/// Starts on a line of its own.
pub(crate) fn is_block(tag: Tag) -> bool {
    tag.closes_paragraph() || BLOCKS.has(tag)
}

/// Those that do not end a paragraph.
#[rustfmt::skip]
const BLOCKS: Tags = Tags::of(&[
    Tag::Body, Tag::Caption, Tag::Html, Tag::Legend, Tag::Tbody, Tag::Td, Tag::Tfoot, Tag::Th, Tag::Thead, Tag::Tr,
]);

pub(crate) fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir)
}

pub(crate) fn is_cell(tag: Tag) -> bool {
    matches!(tag, Tag::Td | Tag::Th)
}
