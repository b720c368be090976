//! Characters as XML 1.0 wants them; shared by XLSX and sitemaps.

/// Whether a reader gets this character back. Carriage returns are allowed but read as line feeds.
pub(super) fn survives(character: char) -> bool {
    matches!(character, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..)
}

pub(super) fn append(xml: &mut String, character: char) {
    match character {
        '&' => xml.push_str("&amp;"),
        '<' => xml.push_str("&lt;"),
        '>' => xml.push_str("&gt;"),
        '"' => xml.push_str("&quot;"),
        '\'' => xml.push_str("&apos;"),
        other => xml.push(other),
    }
}
