//! Documentation sites as clean Markdown.

pub mod output;
