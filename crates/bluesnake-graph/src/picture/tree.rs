//! A quadtree of bodies in the plane that treats distant bodies as one: Barnes and Hut, "A hierarchical O(N log N)
//! force-calculation algorithm", 1986.

pub(super) type Point = [f64; 2];

/// A cell counts as one body if its apparent size is below this.
const OPENING: f64 = 1.0;
/// Bodies that share a cell at this depth stay together.
const MAX_DEPTH: usize = 40;
const NOBODY: u32 = u32::MAX;

pub(super) struct Tree {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    middle: Point,
    side: f64,
    mass: f64,
    /// The sum of mass × position while bodies are added, then the centre of mass.
    centre: Point,
    /// 0 means none: the root is never a child.
    children: [u32; 4],
    /// The first body in this cell.
    body: u32,
    is_split: bool,
}

impl Cell {
    fn empty(middle: Point, side: f64) -> Self {
        let (mass, centre) = (0.0, [0.0; 2]);
        Self { middle, side, mass, centre, children: [0; 4], body: NOBODY, is_split: false }
    }

    fn add(&mut self, place: Point, mass: f64) {
        self.mass += mass;
        self.centre[0] += mass * place[0];
        self.centre[1] += mass * place[1];
    }

    fn quadrant(&self, place: Point) -> usize {
        usize::from(place[0] >= self.middle[0]) + 2 * usize::from(place[1] >= self.middle[1])
    }

    fn child(&self, quadrant: usize) -> Self {
        let quarter = self.side / 4.0;
        let x = if quadrant % 2 == 1 { quarter } else { -quarter };
        let y = if quadrant >= 2 { quarter } else { -quarter };
        Self::empty([self.middle[0] + x, self.middle[1] + y], self.side / 2.0)
    }
}

impl Tree {
    pub(super) fn of(places: &[Point], masses: &[f64]) -> Self {
        let (low, high) = bounds(places);
        let side = (high[0] - low[0]).max(high[1] - low[1]).max(f64::MIN_POSITIVE) * 1.001;
        let root = Cell::empty([(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0], side);
        let mut tree = Self { cells: Vec::with_capacity(2 * places.len()) };
        tree.cells.push(root);
        for body in 0..places.len() as u32 {
            tree.insert(body, places, masses);
        }
        for cell in &mut tree.cells {
            cell.centre = cell.centre.map(|sum| sum / cell.mass);
        }
        tree
    }

    fn insert(&mut self, body: u32, places: &[Point], masses: &[f64]) {
        let (place, mass) = (places[body as usize], masses[body as usize]);
        let mut at = 0;
        for depth in 0..MAX_DEPTH {
            self.cells[at].add(place, mass);
            let cell = self.cells[at];
            if cell.body == NOBODY {
                self.cells[at].body = body;
                return;
            }
            if depth + 1 == MAX_DEPTH {
                return;
            }
            if !cell.is_split {
                self.cells[at].is_split = true;
                let (place, mass) = (places[cell.body as usize], masses[cell.body as usize]);
                let child = self.child(at, place);
                self.cells[child].add(place, mass);
                self.cells[child].body = cell.body;
            }
            at = self.child(at, place);
        }
    }

    fn child(&mut self, at: usize, place: Point) -> usize {
        let quadrant = self.cells[at].quadrant(place);
        if self.cells[at].children[quadrant] == 0 {
            self.cells[at].children[quadrant] = self.cells.len() as u32;
            self.cells.push(self.cells[at].child(quadrant));
        }
        self.cells[at].children[quadrant] as usize
    }

    /// Calls `each` with the vector from every other body (or from many at once) to this one, and with their mass.
    pub(super) fn others(&self, body: u32, place: Point, stack: &mut Vec<u32>, mut each: impl FnMut(Point, f64)) {
        stack.clear();
        stack.push(0);
        while let Some(at) = stack.pop() {
            let cell = &self.cells[at as usize];
            let way = [place[0] - cell.centre[0], place[1] - cell.centre[1]];
            let is_far = cell.side * cell.side < OPENING * OPENING * (way[0] * way[0] + way[1] * way[1]);
            if cell.is_split && !is_far {
                stack.extend(cell.children.iter().filter(|child| **child != 0));
            } else if cell.body != body || cell.is_split {
                each(way, cell.mass);
            }
        }
    }
}

pub(super) fn bounds(places: &[Point]) -> (Point, Point) {
    let lowest = |axis: usize| places.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min);
    let highest = |axis: usize| places.iter().map(|place| place[axis]).fold(f64::NEG_INFINITY, f64::max);
    if places.is_empty() { ([0.0; 2], [0.0; 2]) } else { ([lowest(0), lowest(1)], [highest(0), highest(1)]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_other_body_once_even_at_one_position() {
        let row: Vec<Point> = (0..50_u32).map(|n| [f64::from(n * n % 17), f64::from(n)]).collect();
        for places in [row, vec![[1.0, 1.0]; 5], vec![[0.0, 0.0]]] {
            let tree = Tree::of(&places, &vec![1.0; places.len()]);
            for (body, place) in places.iter().enumerate() {
                let mut mass = 0.0;
                tree.others(body as u32, *place, &mut Vec::new(), |_, more| mass += more);
                let expected = places.len() as f64 - 1.0;
                // Bodies in the same last cell push it as one, itself included.
                assert!(mass == expected || places[0] == *place && mass <= expected + 1.0, "{mass} of {expected}");
            }
        }
    }
}
