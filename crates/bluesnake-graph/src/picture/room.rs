//! Separates overlapping nodes by moving them apart in small steps.

use super::tree::{Point, bounds};

const ROUNDS: usize = 60;
const GAP: f64 = 7.0;
/// Above this many nodes, overlaps are too small to matter.
const MAX_NODES: usize = 50_000;

pub(super) fn make_room(places: &mut [Point], radii: &[f64]) {
    let widest = radii.iter().copied().fold(0.0, f64::max);
    if places.len() > MAX_NODES || widest <= 0.0 {
        return;
    }
    for _ in 0..ROUNDS {
        let mut has_moved = false;
        for (one, other) in neighbours(places, 2.0 * widest + GAP) {
            has_moved |= part(places, radii, one, other);
        }
        if !has_moved {
            return;
        }
    }
}

/// Moves two nodes apart if they overlap; returns whether they did.
fn part(places: &mut [Point], radii: &[f64], one: usize, other: usize) -> bool {
    let way = [places[other][0] - places[one][0], places[other][1] - places[one][1]];
    let distance = (way[0] * way[0] + way[1] * way[1]).sqrt();
    let missing = radii[one] + radii[other] + GAP - distance;
    if missing <= 1e-6 {
        return false;
    }
    let direction = if distance > 1e-9 { [way[0] / distance, way[1] / distance] } else { [1.0, 0.0] };
    // The larger one moves less.
    let (weight, other_weight) = (radii[one] * radii[one], radii[other] * radii[other]);
    let (step, other_step) =
        (missing * other_weight / (weight + other_weight), missing * weight / (weight + other_weight));
    for axis in 0..2 {
        places[one][axis] -= direction[axis] * step;
        places[other][axis] += direction[axis] * other_step;
    }
    true
}

/// All pairs of nodes at most `reach` apart, and some further ones, in a fixed order.
fn neighbours(places: &[Point], reach: f64) -> Vec<(usize, usize)> {
    let (low, _) = bounds(places);
    let square = |place: &Point| (((place[1] - low[1]) / reach) as i64, ((place[0] - low[0]) / reach) as i64);
    let mut squares: Vec<((i64, i64), usize)> =
        places.iter().enumerate().map(|(index, place)| (square(place), index)).collect();
    squares.sort_unstable();
    let mut pairs = Vec::new();
    for (position, ((row, column), one)) in squares.iter().enumerate() {
        let mut near = |others: &[((i64, i64), usize)]| {
            for (_, other) in others {
                let way = [places[*other][0] - places[*one][0], places[*other][1] - places[*one][1]];
                if way[0] * way[0] + way[1] * way[1] <= reach * reach {
                    pairs.push((*one, *other));
                }
            }
        };
        let rest = &squares[position + 1..];
        near(&rest[..rest.partition_point(|(square, _)| *square <= (*row, column + 1))]);
        let below = rest.partition_point(|(square, _)| *square < (row + 1, column - 1));
        let below_end = rest.partition_point(|(square, _)| *square <= (row + 1, column + 1));
        near(&rest[below..below_end]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_overlapping_nodes_apart() {
        let mut places = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.5], [0.0, 0.0], [50.0, 50.0]];
        let radii = [4.0, 2.0, 3.0, 1.0, 5.0];

        make_room(&mut places, &radii);

        for one in 0..places.len() {
            for other in 0..one {
                let way = [places[one][0] - places[other][0], places[one][1] - places[other][1]];
                assert!(way[0].hypot(way[1]) > radii[one] + radii[other], "{one} {other}: {places:?}");
            }
        }
        assert_eq!(places[4], [50.0, 50.0]);
    }
}
