//! Connected components: weak ones ignore the direction of links, strong ones follow it.

use crate::graph::{Graph, NodeId};

const NONE: u32 = u32::MAX;

/// The component of each node. Components are numbered by size, largest first; ties go to the one whose first node
/// comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Components {
    pub fn of(&self, id: NodeId) -> u32 {
        self.of[id.index()]
    }

    /// Nodes per component.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Components connected by links in either direction.
    pub fn weak(graph: &Graph) -> Self {
        let mut parents: Vec<u32> = (0..graph.node_count() as u32).collect();
        for edge in graph.edges() {
            let (one, other) = (root(&mut parents, edge.from.0), root(&mut parents, edge.to.0));
            parents[one.max(other) as usize] = one.min(other);
        }
        let of = (0..graph.node_count() as u32).map(|node| root(&mut parents, node)).collect();
        Self::numbered(of)
    }

    /// Components in which every node reaches every other: Tarjan's algorithm, with an explicit stack instead of
    /// recursion.
    pub fn strong(graph: &Graph) -> Self {
        let mut search = Search::new(graph);
        for start in 0..graph.node_count() as u32 {
            if search.order[start as usize] == NONE {
                search.run(start);
            }
        }
        Self::numbered(search.component)
    }

    /// Components from arbitrary labels below the number of nodes.
    pub(crate) fn numbered(mut of: Vec<u32>) -> Self {
        let mut sizes = vec![0_u32; of.len()];
        let mut found = Vec::new();
        for label in &of {
            if sizes[*label as usize] == 0 {
                found.push(*label);
            }
            sizes[*label as usize] += 1;
        }
        // The sort is stable, so components of equal size stay in the order of their first nodes.
        found.sort_by_key(|label| std::cmp::Reverse(sizes[*label as usize]));
        let sizes_in_order = found.iter().map(|label| sizes[*label as usize]).collect();
        let mut numbers = sizes;
        for (number, label) in found.iter().enumerate() {
            numbers[*label as usize] = number as u32;
        }
        of.iter_mut().for_each(|label| *label = numbers[*label as usize]);
        Self { of, sizes: sizes_in_order }
    }
}

/// The representative of a node's component; shortens the path for later lookups.
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

/// Tarjan's search; see "Depth-first search and linear graph algorithms", 1972.
struct Search<'a> {
    graph: &'a Graph,
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    /// Nodes found whose component is not known yet.
    open: Vec<u32>,
    /// The path from the start to the current node; with each node, how many of its edges have been followed.
    path: Vec<(u32, usize)>,
    entered: u32,
    closed: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let unknown = vec![NONE; graph.node_count()];
        Self {
            graph,
            order: unknown.clone(),
            low: unknown.clone(),
            component: unknown,
            open: Vec::new(),
            path: Vec::new(),
            entered: 0,
            closed: 0,
        }
    }

    fn run(&mut self, start: u32) {
        self.enter(start);
        while let Some((node, followed)) = self.path.last_mut() {
            let node = *node;
            match self.graph.outgoing.row(node as usize).0.get(*followed) {
                Some(to) => {
                    *followed += 1;
                    self.follow(node, *to);
                }
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.entered;
        self.low[node as usize] = self.entered;
        self.entered += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn follow(&mut self, from: u32, to: u32) {
        if self.order[to as usize] == NONE {
            self.enter(to);
        } else if self.component[to as usize] == NONE {
            self.low[from as usize] = self.low[from as usize].min(self.order[to as usize]);
        }
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        if let Some((parent, _)) = self.path.last() {
            self.low[*parent as usize] = self.low[*parent as usize].min(self.low[node as usize]);
        }
        if self.low[node as usize] == self.order[node as usize] {
            let first = self.open.iter().rposition(|open| *open == node).expect("a node is open until it is left");
            for member in self.open.drain(first..) {
                self.component[member as usize] = self.closed;
            }
            self.closed += 1;
        }
    }
}
