//! The graph of a run with its ranks, in memory.

use std::cell::RefCell;
use std::ops::ControlFlow;

use bluesnake_graph::{Edge, Graph, GraphBuilder, GraphError, Node, NodeId, RankOptions, Ranks, Selection};
use bluesnake_store::{Database, NodeRecord};

use crate::error::AppError;
use crate::export::Cell;

/// The columns of the table of nodes that are computed from the whole graph.
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
    /// Reads the graph of a run, takes the part that is selected, and ranks that.
    pub(crate) fn read(database: &Database, run: i64, selection: &Selection) -> Result<Self, AppError> {
        let graph = selected(database, run, selection)?;
        let ranks = Ranks::of(&graph, &RankOptions::default());
        Ok(Self { graph, ranks })
    }

    /// The value of one of [`RANK_COLUMNS`] for the host at this place.
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

/// The part of the graph of a run that is selected.
pub(super) fn selected(database: &Database, run: i64, selection: &Selection) -> Result<Graph, AppError> {
    let graph = read(database, run)?;
    if *selection == Selection::default() { Ok(graph) } else { selection.of(&graph).map_err(told) }
}

/// A graph while it is read. Hosts are numbered without gaps and come first, so a number is a place.
#[derive(Default)]
struct Reading {
    builder: GraphBuilder,
    ids: Vec<NodeId>,
    failed: Option<AppError>,
}

impl Reading {
    fn node(&mut self, row: &NodeRecord) -> Result<(), AppError> {
        let node = Node {
            host: &row.host,
            domain: &row.domain,
            description: &row.description,
            depth: Some(row.depth),
            crawl_count: row.crawl_count,
        };
        self.ids.push(self.builder.node(node).map_err(told)?);
        Ok(())
    }

    fn edge(&mut self, source: u32, target: u32, weight: u32) -> Result<(), AppError> {
        let id = |number: u32| self.ids.get((number as usize).wrapping_sub(1)).copied();
        let (Some(from), Some(to)) = (id(source), id(target)) else {
            return Err(AppError::Invalid("the graph has a link to an unknown host".to_owned()));
        };
        self.builder.edge(Edge { from, to, weight }).map_err(told)
    }

    fn goes_on(&mut self, result: Result<(), AppError>) -> ControlFlow<()> {
        self.failed = result.err();
        if self.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Reads the whole graph of a run.
fn read(database: &Database, run: i64) -> Result<Graph, AppError> {
    let reading = RefCell::new(Reading::default());
    let node = |row: NodeRecord| {
        let mut reading = reading.borrow_mut();
        let result = reading.node(&row);
        reading.goes_on(result)
    };
    let edge = |source, target, weight| {
        let mut reading = reading.borrow_mut();
        let result = reading.edge(source, target, weight);
        reading.goes_on(result)
    };
    database.contents().scan_graph(run, node, edge)?;
    let Reading { builder, failed, .. } = reading.into_inner();
    match failed {
        Some(error) => Err(error),
        None => builder.build().map_err(told),
    }
}

fn told(error: GraphError) -> AppError {
    match error {
        GraphError::NoSuchHost { .. } => AppError::Rejected {
            message: error.to_string(),
            hint: "name a host as `bluesnake export RUN --table nodes` lists it".to_owned(),
        },
        error => AppError::Invalid(error.to_string()),
    }
}
