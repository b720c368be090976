//! Text in lines that fit the terminal; unbroken when redirected.

use std::io::IsTerminal;

use console::measure_text_width;

/// Longer lines are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// How long lines may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    width: Option<usize>,
}

impl Lines {
    /// For stdout.
    pub(crate) fn stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        Self { width: is_terminal.then(|| usize::from(console::Term::stdout().size().1).clamp(40, WIDEST)) }
    }

    /// Of this length.
    pub(crate) fn of(width: usize) -> Self {
        Self { width: Some(width) }
    }

    /// Text after a label; further lines are indented like the first one. URLs are never broken, so that they can be
    /// copied.
    pub(crate) fn paragraph(self, label: &str, text: &str) -> String {
        let indent = measure_text_width(label);
        let (mut lines, mut used) = (label.to_owned(), indent);
        for (at, word) in text.split_whitespace().enumerate() {
            let width = measure_text_width(word);
            let fits = self.width.is_none_or(|room| used + 1 + width <= room);
            match at {
                0 => {}
                _ if fits => {
                    lines.push(' ');
                    used += 1;
                }
                _ => {
                    lines = format!("{}\n{}", lines.trim_end(), " ".repeat(indent));
                    used = indent;
                }
            }
            lines.push_str(word);
            used += width;
        }
        format!("{}\n", lines.trim_end())
    }

    /// Two texts on one line, the second at its right end; on two lines if they do not fit.
    pub(crate) fn ends(self, left: &str, right: &str, indent: &str) -> String {
        let room = self.width.unwrap_or(0);
        let used = measure_text_width(left) + measure_text_width(right);
        match room.checked_sub(used).filter(|gap| *gap >= 2) {
            Some(gap) => format!("{left}{}{right}\n", " ".repeat(gap)),
            None if self.width.is_none() => format!("{left}  {right}\n"),
            None => {
                let (label, text) = left.split_at(left.len() - left.trim_start().len());
                format!("{}{indent}{right}\n", self.paragraph(label, text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_30: Lines = Lines { width: Some(30) };
    const PIPED: Lines = Lines { width: None };

    #[test]
    fn words_wrap_below_the_first_one() {
        let text = "Restore the page, or fix the links to it.";
        assert_eq!(AT_30.paragraph("  fix  ", text), "  fix  Restore the page, or\n       fix the links to it.\n");
        assert_eq!(PIPED.paragraph("  fix  ", text), format!("  fix  {text}\n"));
    }

    #[test]
    fn a_long_url_stays_whole() {
        let url = "https://example.com/a/very/long/path";
        assert_eq!(AT_30.paragraph("  ", &format!("404 {url}")), format!("  404\n  {url}\n"));
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(AT_30.ends("\x1b[1ma\x1b[0m", "b", "  "), format!("\x1b[1ma\x1b[0m{}b\n", " ".repeat(28)));
        assert_eq!(AT_30.ends(&"a".repeat(29), "b", "  "), format!("{}\n  b\n", "a".repeat(29)));
    }
}
