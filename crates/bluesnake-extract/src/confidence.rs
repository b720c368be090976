//! How reliable a result is: much text, some structure, and not mostly links.

use crate::classify::visible_chars;
use crate::write::Written;

pub(crate) fn of(written: &Written) -> f32 {
    let chars = visible_chars(&written.text) as usize;
    let counts = written.counts;
    let has_structure = counts.headings > 0 && counts.lists + counts.code_blocks > 0;
    let points = 85
        - points(30, chars < 200)
        - points(20, counts.links * 100 > chars * 3)
        - points(10, counts.second_headings > 20)
        + points(5, chars > 1000)
        + points(10, has_structure)
        + points(5, counts.tables > 0);
    points.clamp(0, 100) as f32 / 100.0
}

fn points(points: i32, applies: bool) -> i32 {
    if applies { points } else { 0 }
}
