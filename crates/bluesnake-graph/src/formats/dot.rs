//! DOT, the language of Graphviz: <https://graphviz.org/doc/info/lang.html>.

use std::fmt::{self, Display, Formatter, Write as _};
use std::io::{self, Write};

use super::buffered;
use crate::graph::Graph;
use crate::rank::Ranks;

/// Hosts are labels and descriptions are tooltips; ranks are named attributes, which Graphviz ignores.
pub fn write_dot(out: impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    buffered(out, |out| {
        out.write_all(b"digraph web {\n")?;
        for (id, node) in graph.nodes() {
            let (pagerank, harmonic) = (ranks.pagerank.value(id), ranks.harmonic.value(id));
            let (host, description) = (Escaped(node.host), Escaped(node.description));
            write!(out, "{} [label=\"{host}\", tooltip=\"{description}\", ", id.0)?;
            writeln!(out, "pagerank={pagerank}, harmonic={harmonic}];")?;
        }
        for edge in graph.edges() {
            writeln!(out, "{} -> {} [weight={}];", edge.from.0, edge.to.0, edge.weight)?;
        }
        out.write_all(b"}\n")
    })
}

/// Graphviz rejects strings longer than 16,384 bytes; no character takes more than five.
const MAX_LETTERS: usize = 1_000;

/// A quoted string. Graphviz interprets `\N` and entities like `&amp;` in labels, so `\` and `&` are escaped as well.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().take(MAX_LETTERS).try_for_each(|letter| match letter {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '&' => out.write_str("&amp;"),
            '\n' => out.write_str("\\n"),
            letter if letter.is_control() => out.write_char('\u{fffd}'),
            letter => out.write_char(letter),
        })?;
        if self.0.chars().nth(MAX_LETTERS).is_some() { out.write_char('…') } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_quotes_and_special_characters() {
        for (text, expected) in [
            ("plain 日本", "plain 日本"),
            ("a\" [x=1]; b", "a\\\" [x=1]; b"),
            ("\\N \\\"", "\\\\N \\\\\\\""),
            ("&lt;\n\0", "&amp;lt;\\n\u{fffd}"),
        ] {
            assert_eq!(Escaped(text).to_string(), expected);
        }
    }

    #[test]
    fn truncates_text_to_graphviz_limit() {
        for letter in ["&", "\\", "\u{1f40d}"] {
            assert_eq!(Escaped(&letter.repeat(MAX_LETTERS)).to_string().matches('…').count(), 0);
            let long = Escaped(&letter.repeat(MAX_LETTERS + 1)).to_string();
            assert!(long.ends_with('…') && long.len() < 16_384, "{}", long.len());
        }
    }
}
