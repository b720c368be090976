//! HTML as a stream of tags, texts and comments, and what the standard says about each tag.
//!
//! The crawl and the extraction both read HTML through this crate, and neither depends on the other. It builds no tree:
//! each user keeps the open elements it needs. Start with [`Tokenizer::next`]; a [`Selector`] finds elements on the way.

mod attributes;
mod names;
mod script;
mod selector;
mod tag;
#[cfg(test)]
mod tests;
mod text;
mod tokenizer;

pub use crate::attributes::{Attribute, AttributeName, Attributes};
pub use crate::selector::{Matcher, Selector, SelectorProblem};
pub use crate::tag::{Tag, Tags};
pub use crate::text::{Text, TextKind, decode_text, decoded_parts, with_plain_line_breaks};
pub use crate::tokenizer::{EndTag, StartTag, Token, Tokenizer};
