//! The graph of a run with its ranks, in memory.

use std::cell::RefCell;
use std::ops::ControlFlow;

use bluesnake_graph::{Edge, Graph, GraphBuilder, GraphError, Node, NodeId, RankOptions, Ranks, Selection};
use bluesnake_store::{Database, NodeRecord};

use crate::error::AppError;
use crate::export::Cell;

/// Columns of the nodes table that are computed from the whole graph.
pub(crate) const RANK_COLUMNS: [&str; 8] = [
    "in_degree",
    "out_degree",
    "in_weight",
    "out_weight",
    "pagerank",
    "harmonic",
    "weak_component",
    "strong_component",
];

/// A graph and the rank of each of its hosts.
#[derive(Debug)]
pub(crate) struct RankedGraph {
    pub(crate) graph: Graph,
    pub(crate) ranks: Ranks,
}

impl RankedGraph {
    /// Reads the selected part of the graph of a run, and ranks it.
    pub(crate) fn read(database: &Database, run: i64, selection: &Selection) -> Result<Self, AppError> {
        let graph = selected(database, run, selection)?;
        let ranks = Ranks::of(&graph, &RankOptions::default());
        Ok(Self { graph, ranks })
    }

    /// The value of one of [`RANK_COLUMNS`] for the host with this index.
    pub(crate) fn cell(&self, place: usize, column: &str) -> Option<Cell<'static>> {
        let id = self.graph.id_at(place)?;
        Some(match column {
            "in_degree" => Cell::Integer(self.graph.in_degree(id) as i64),
            "out_degree" => Cell::Integer(self.graph.out_degree(id) as i64),
            "in_weight" => Cell::Integer(self.graph.in_weight(id) as i64),
            "out_weight" => Cell::Integer(self.graph.out_weight(id) as i64),
            "pagerank" => Cell::Real(self.ranks.pagerank.value(id)),
            "harmonic" => Cell::Real(self.ranks.harmonic.value(id)),
            "weak_component" => Cell::Integer(i64::from(self.ranks.weak.of(id))),
            "strong_component" => Cell::Integer(i64::from(self.ranks.strong.of(id))),
            _ => return None,
        })
    }
}

/// The selected part of the graph of a run.
pub(super) fn selected(database: &Database, run: i64, selection: &Selection) -> Result<Graph, AppError> {
    let graph = read(database, run)?;
    if *selection == Selection::default() { Ok(graph) } else { selection.of(&graph).map_err(app_error) }
}

/// Reads the whole graph of a run.
fn read(database: &Database, run: i64) -> Result<Graph, AppError> {
    // Hosts are numbered without gaps and come first, so a number is an index in the ids, plus one.
    let reading = RefCell::new((GraphBuilder::default(), Vec::<NodeId>::new()));
    let failed = RefCell::new(None);
    let go_on = |result: Result<(), AppError>| match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed.replace(Some(error));
            ControlFlow::Break(())
        }
    };
    let node = |row: NodeRecord| {
        let (builder, ids) = &mut *reading.borrow_mut();
        let NodeRecord { host, domain, description, depth, crawl_count, .. } = &row;
        let added = builder.node(Node { host, domain, description, depth: Some(*depth), crawl_count: *crawl_count });
        go_on(added.map(|id| ids.push(id)).map_err(app_error))
    };
    let edge = |source: u32, target: u32, weight| {
        let (builder, ids) = &mut *reading.borrow_mut();
        let id = |number: u32| ids.get((number as usize).wrapping_sub(1)).copied();
        let unknown = || AppError::Invalid("the graph has a link to an unknown host".to_owned());
        let ends = id(source).zip(id(target)).ok_or_else(unknown);
        go_on(ends.and_then(|(from, to)| builder.edge(Edge { from, to, weight }).map_err(app_error)))
    };
    database.contents().scan_graph(run, node, edge)?;
    match failed.into_inner() {
        Some(error) => Err(error),
        None => reading.into_inner().0.build().map_err(app_error),
    }
}

pub(super) fn app_error(error: GraphError) -> AppError {
    match error {
        GraphError::NoSuchHost { .. } => AppError::Rejected {
            message: error.to_string(),
            hint: "use a host that `bluesnake export RUN --table nodes` lists".to_owned(),
        },
        error => AppError::Invalid(error.to_string()),
    }
}
