//! Labels beside nodes: highest ranks first, and only where there is room.

use super::Picture;
use super::tree::Point;
use crate::graph::NodeId;

const MAX_LETTERS: usize = 40;
/// Labels avoid covering this many of the highest-ranked nodes.
const LARGE: usize = 40;

pub(super) struct Label {
    pub(super) text: String,
    /// The start of the text's baseline.
    pub(super) at: Point,
    pub(super) size: f64,
}

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Area([f64; 4]);

impl Area {
    fn of_node(picture: &Picture<'_>, id: NodeId) -> Self {
        let ([x, y], radius) = (picture.places[id.index()], picture.radii[id.index()]);
        Self([x - radius, y - radius, x + radius, y + radius])
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ([left, top, right, bottom], other) = (self.0, other.0);
        left < other[2] && other[0] < right && top < other[3] && other[1] < bottom
    }

    fn is_within(&self, side: f64, margin: f64) -> bool {
        let [left, top, right, bottom] = self.0;
        left >= -margin && top >= -margin && right <= side + margin && bottom <= side + margin
    }
}

/// The labels that fit; `margin` is how far they may extend beyond the square of the nodes.
pub(super) fn labels(picture: &Picture<'_>, margin: f64) -> Vec<Label> {
    let (mut labels, mut taken): (Vec<Label>, Vec<Area>) = (Vec::new(), Vec::new());
    let candidates = &picture.order[..picture.order.len().min(picture.max_labels)];
    let large: Vec<Area> = candidates.iter().take(LARGE).map(|id| Area::of_node(picture, *id)).collect();
    for (place, id) in candidates.iter().enumerate() {
        let text = shown(picture.graph.node(*id).host);
        let size = (picture.radii[id.index()] * 0.9).clamp(13.0, 28.0);
        let own = Area::of_node(picture, *id);
        let is_free =
            |area: &Area| area.is_within(picture.side, margin) && !taken.iter().any(|other| area.overlaps(other));
        let hides_none = |area: &Area| !large.iter().any(|node| node.0 != own.0 && area.overlaps(node));
        let places = around(own, width(&text) * size, size);
        let best = places.iter().find(|area| is_free(area) && hides_none(area));
        // The highest ranks are labelled even if the label covers part of another node.
        let best = best.or_else(|| places.iter().find(|area| place < LARGE && is_free(area)));
        if let Some(area) = best {
            labels.push(Label { text, at: [area.0[0], area.0[3] - 0.25 * size], size });
            taken.push(*area);
        }
    }
    labels
}

/// Candidate positions of a label, best first: right, left, below, above, and the corners.
fn around(node: Area, width: f64, size: f64) -> [Area; 8] {
    let [left, top, right, bottom] = node.0;
    let (x, y, height, gap) = ((left + right) / 2.0, (top + bottom) / 2.0, 1.15 * size, 3.0);
    let at = |left: f64, top: f64| Area([left, top, left + width, top + height]);
    [
        at(right + gap, y - height / 2.0),
        at(left - gap - width, y - height / 2.0),
        at(x - width / 2.0, bottom + gap),
        at(x - width / 2.0, top - gap - height),
        at(right, bottom - height / 4.0),
        at(right, top - height * 0.75),
        at(left - width, bottom - height / 4.0),
        at(left - width, top - height * 0.75),
    ]
}

/// A host as displayed: shortened, and without characters that change the text direction.
pub(super) fn shown(host: &str) -> String {
    let is_unseen = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let to_seen = |letter: char| if is_unseen(letter) { '\u{fffd}' } else { letter };
    let mut text: String = host.chars().take(MAX_LETTERS).map(to_seen).collect();
    if host.chars().nth(MAX_LETTERS).is_some() {
        text.push('…');
    }
    text
}

/// The approximate width of a text, in multiples of its height.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|letter| if letter.is_ascii() { 0.57 } else { 1.0 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_hosts_and_strips_direction_marks() {
        assert_eq!(shown("a.example"), "a.example");
        assert_eq!(shown("moc\u{202e}.evil\u{7}"), "moc\u{fffd}.evil\u{fffd}");
        assert_eq!(shown(&"ü".repeat(41)), format!("{}…", "ü".repeat(40)));
        assert_eq!(shown(&"ü".repeat(40)), "ü".repeat(40));
    }
}
