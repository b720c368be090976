//! Which characters XML 1.0 allows; shared by XLSX and sitemaps.

/// Whether a reader gets this character back. Carriage returns are allowed but read as line feeds.
pub(super) fn survives(character: char) -> bool {
    matches!(character, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..)
}
