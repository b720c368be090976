//! Headings of the first and second level.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/headings/h1-missing", &["h1-missing"], &[("[h1]", "")]),
    page("/headings/h1-empty", &["h1-missing"], &[("[h1]", "<h1> </h1>")]),
    page("/headings/h1-twin", &["h1-duplicate=The same heading"], &[("[h1]", "<h1>The same heading</h1>")]),
    page("/headings/h1-other-twin", &["h1-duplicate=The same heading"], &[("[h1]", "<h1>The same heading</h1>")]),
    page("/headings/h1-long", &["h1-too-long=76"], &[("[h1]", "<h1>A heading that goes on and on and would not end at the seventieth character.</h1>")]),
    page("/headings/h1-twice", &["h1-multiple=2"], &[("[h1]", "[h1]<h1>Another heading</h1>")]),
    page("/headings/h1-after-h2", &["h1-non-sequential", "h2-non-sequential"], &[("[h1]", ""), ("[h2]", "<h2>A part before its heading</h2><h1>A heading that comes late</h1>")]),
    page("/headings/h1-image", &["h1-alt-text=The logo"], &[("[h1]", "<h1><img src=\"{self}/media/logo.png\" width=1 height=1 alt=\"The logo\"></h1>")]),
    page("/headings/h2-missing", &["h2-missing"], &[("[h2]", "")]),
    page("/headings/h2-twin", &["h2-duplicate=The same part"], &[("[h2]", "<h2>The same part</h2>")]),
    page("/headings/h2-other-twin", &["h2-duplicate=The same part"], &[("[h2]", "<h2>The same part</h2>")]),
    page("/headings/h2-long", &["h2-too-long=76"], &[("[h2]", "<h2>A heading that goes on and on and would not end at the seventieth character.</h2>")]),
    page("/headings/h2-twice", &["h2-multiple=2"], &[("[h2]", "[h2]<h2>Another part</h2>")]),
    page("/headings/h2-late", &["h2-non-sequential"], &[("[h2]", "<h3>A level too deep</h3>[h2]")]),
];
