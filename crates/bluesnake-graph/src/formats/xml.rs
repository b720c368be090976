//! Text in XML 1.0.

use std::fmt::{self, Display, Formatter, Write};

/// Text for an attribute or between tags.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let mut plain = 0;
        for (place, letter) in self.0.char_indices() {
            let Some(replacement) = replacement(letter) else { continue };
            out.write_str(&self.0[plain..place])?;
            out.write_str(replacement)?;
            plain = place + letter.len_utf8();
        }
        out.write_str(&self.0[plain..])
    }
}

fn replacement(letter: char) -> Option<&'static str> {
    Some(match letter {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        // A parser would turn them into spaces in an attribute.
        '\t' => "&#9;",
        '\n' => "&#10;",
        '\r' => "&#13;",
        // XML 1.0 §2.2 cannot represent these.
        '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
        _ => return None,
    })
}

/// A number with at most this many decimals and no trailing zeros.
pub(crate) struct Short(pub(crate) f64, pub(crate) usize);

impl Display for Short {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let text = format!("{:.*}", self.1, self.0);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        match text {
            "-0" => out.write_char('0'),
            _ => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_markup_and_replaces_forbidden_characters() {
        for (text, expected) in [
            ("", ""),
            ("plain ünïcode 日本", "plain ünïcode 日本"),
            ("<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&apos;"),
            ("]]>", "]]&gt;"),
            ("a\tb\r\n", "a&#9;b&#13;&#10;"),
            ("\0\x1b[31m\u{ffff}", "\u{fffd}\u{fffd}[31m\u{fffd}"),
        ] {
            assert_eq!(Escaped(text).to_string(), expected);
        }
    }

    #[test]
    fn strips_trailing_zeros() {
        for (number, expected) in [(1.0, "1"), (0.126, "0.13"), (100.0, "100"), (-0.001, "0"), (2.5, "2.5")] {
            assert_eq!(Short(number, 2).to_string(), expected);
        }
        assert_eq!(Short(100.0, 0).to_string(), "100");
    }
}
