//! SVG and MathML: their elements, where they end, and which of them contain URLs.

use bluesnake_html::{AttributeName as Name, Attributes, StartTag, Tag};

use super::Reader;
use super::stack::Surroundings;
use crate::link::LinkKind;
use crate::parse::links::trim;

/// Whether a start tag ends the surrounding SVG or MathML.
pub(super) fn is_left_by(start: StartTag<'_>, attributes: &Attributes<'_>) -> bool {
    match start.tag {
        Tag::Font => ["color", "face", "size"].iter().any(|name| attributes.named(name).is_some()),
        tag => tag.leaves_foreign(),
    }
}

/// Whether HTML begins again inside this SVG or MathML element.
fn is_integration_point(start: StartTag<'_>, attributes: &Attributes<'_>, is_math: bool) -> bool {
    let is_one_of = |names: &[&str]| names.iter().any(|name| start.name.eq_ignore_ascii_case(name));
    match start.tag {
        Tag::Desc | Tag::Title => !is_math,
        Tag::Other if !is_math => is_one_of(&["foreignobject"]),
        Tag::Other if is_one_of(&["annotation-xml"]) => {
            let encoding = attributes.value(Name::Encoding).unwrap_or_default();
            ["text/html", "application/xhtml+xml"].iter().any(|html| encoding.eq_ignore_ascii_case(html))
        }
        Tag::Other => is_one_of(&["mi", "mo", "mn", "ms", "mtext"]),
        _ => false,
    }
}

impl<'a> Reader<'a> {
    /// An SVG or MathML element: it implies no ends, and only a few SVG elements contain URLs.
    pub(super) fn foreign_element(&mut self, start: StartTag<'a>, attributes: &Attributes<'a>) {
        let outer = self.open.surroundings();
        let is_math = outer.is_math && !self.begins_svg(start.tag);
        let mut inner = Surroundings { is_math, ..outer };
        if is_integration_point(start, attributes, outer.is_math) {
            (inner.is_foreign, inner.is_math) = (false, false);
        }
        inner.is_hidden |= matches!(start.tag, Tag::Title | Tag::Desc);
        inner.counted = self.counted_in(outer, start);
        let is_pushed = self.push(start.tag, start.name, inner);
        if !is_math {
            self.read_svg(start.tag, attributes);
        }
        self.generic_references(attributes);
        self.match_element(start.name, attributes, self.open.len() - usize::from(is_pushed));
        if start.is_self_closing {
            self.close_empty(start, is_pushed);
        }
    }

    /// SVG may appear in a formula's annotation, whatever type the annotation declares.
    fn begins_svg(&self, tag: Tag) -> bool {
        tag == Tag::Svg && self.open.top().name.eq_ignore_ascii_case("annotation-xml")
    }

    fn read_svg(&mut self, tag: Tag, attributes: &Attributes<'a>) {
        match tag {
            Tag::A => self.anchor(tag, attributes),
            Tag::Image | Tag::Use | Tag::FeImage => self.svg_image(attributes),
            Tag::Script => {
                self.reference(LinkKind::Script, attributes, Name::Href);
                self.reference(LinkKind::Script, attributes, Name::XlinkHref);
                self.is_json_ld = false;
            }
            _ => {}
        }
    }

    fn svg_image(&mut self, attributes: &Attributes<'a>) {
        let href = attributes.value(Name::Href).or_else(|| attributes.value(Name::XlinkHref));
        if let Some(href) = href.filter(|href| !trim(href).starts_with('#')) {
            self.refer(LinkKind::Image, &href);
        }
    }
}
