//! The columns that every format has for a node.

use std::fmt::{self, Display, Formatter};

use super::xml::Escaped;
use crate::graph::{Graph, NodeId};
use crate::rank::{HarmonicMethod, Ranks};

pub(super) enum Value<'a> {
    Nothing,
    Text(&'a str),
    Integer(u64),
    Real(f64),
}

/// The value as XML text.
impl Display for Value<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Text(text) => Escaped(text).fmt(out),
            Self::Integer(value) => value.fmt(out),
            Self::Real(value) => value.fmt(out),
        }
    }
}

/// The name of each column, and its type in GEXF and GraphML.
pub(super) const COLUMNS: [(&str, &str); 13] = [
    ("host", "string"),
    ("domain", "string"),
    ("description", "string"),
    ("depth", "long"),
    ("crawl_count", "long"),
    ("in_degree", "long"),
    ("out_degree", "long"),
    ("in_weight", "long"),
    ("out_weight", "long"),
    ("pagerank", "double"),
    ("harmonic", "double"),
    ("weak_component", "long"),
    ("strong_component", "long"),
];

/// The values of [`COLUMNS`].
pub(super) fn values<'a>(graph: &'a Graph, ranks: &Ranks, id: NodeId) -> [Value<'a>; COLUMNS.len()] {
    let node = graph.node(id);
    [
        Value::Text(node.host),
        Value::Text(node.domain),
        Value::Text(node.description),
        node.depth.map_or(Value::Nothing, |depth| Value::Integer(depth.into())),
        Value::Integer(node.crawl_count.into()),
        Value::Integer(graph.in_degree(id) as u64),
        Value::Integer(graph.out_degree(id) as u64),
        Value::Integer(graph.in_weight(id)),
        Value::Integer(graph.out_weight(id)),
        Value::Real(ranks.pagerank.value(id)),
        Value::Real(ranks.harmonic.value(id)),
        Value::Integer(ranks.weak.of(id).into()),
        Value::Integer(ranks.strong.of(id).into()),
    ]
}

/// The method used for harmonic centrality, in one word.
pub(super) fn method(ranks: &Ranks) -> &'static str {
    match ranks.harmonic.method {
        HarmonicMethod::Exact => "exact",
        HarmonicMethod::HyperBall { .. } => "hyperball",
    }
}
