//! Formulas, as their original TeX.

use super::{Below, Place, Writer};
use crate::corpus::BlockKind;
use crate::marks::Shape;
use crate::tree::{Attr, NodeId, Tag};

impl Writer<'_> {
    /// `None` if the element contains no TeX.
    pub(super) fn enter_math(&mut self, id: NodeId) -> Option<Below> {
        let (tex, is_display) = match self.classified.shape(id) {
            Shape::Math => self.delimited(id)?,
            shape => (self.annotation(id)?, shape == Shape::KatexDisplay),
        };
        self.formula(&tex, is_display);
        Some(Below::Skip)
    }

    /// MathJax 2 keeps the formula in a script.
    pub(super) fn math_script(&mut self, id: NodeId) -> Below {
        let kind = self.tree.attr(id, Attr::Type).unwrap_or_default();
        if kind.starts_with("math/tex") {
            let tex = crate::metadata::child_text(self.tree, id);
            self.formula(tex.trim(), kind.contains("mode=display"));
        }
        Below::Skip
    }

    fn annotation(&self, id: NodeId) -> Option<String> {
        let is_tex = |below: &NodeId| {
            self.tree.is(*below, Tag::Annotation)
                && self.tree.attr(*below, Attr::Encoding).is_some_and(|encoding| encoding.contains("tex"))
        };
        let annotation = self.tree.subtree(id).find(is_tex)?;
        let tex = self.tree.all_text(annotation);
        (!tex.trim().is_empty()).then(|| tex.trim().to_owned())
    }

    /// `\(` and `\)` delimit inline formulas, `\[` and `\]` display formulas.
    fn delimited(&self, id: NodeId) -> Option<(String, bool)> {
        let text = self.tree.all_text(id);
        let text = text.trim();
        let between = |start: &str, end: &str| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        let inline = between("\\(", "\\)").map(|tex| (tex.trim().to_owned(), false));
        inline.or_else(|| between("\\[", "\\]").map(|tex| (tex.trim().to_owned(), true)))
    }

    fn formula(&mut self, tex: &str, is_display: bool) {
        let lines: Vec<&str> = tex.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if is_display && self.inline.place == Place::Paragraph {
            self.flush();
            self.output.verbatim(BlockKind::Code, &format!("$$\n{}\n$$", lines.join("\n")), tex);
        } else {
            let tex = lines.join(" ");
            let tex = if self.inline.place == Place::Cell { tex.replace('|', "\\|") } else { tex };
            self.inline.push_raw(&format!("${tex}$"), &tex);
        }
    }
}
