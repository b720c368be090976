//! The columns that every format has for a node.

use std::fmt::{self, Display, Formatter};

use super::xml::Escaped;
use crate::graph::{Graph, NodeId};
use crate::rank::{HarmonicMethod, Ranks};

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Integer,
    Real,
}

impl Kind {
    /// Its name in GEXF and GraphML.
    pub(super) fn xml_name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "long",
            Self::Real => "double",
        }
    }
}

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

pub(super) const COLUMNS: [(&str, Kind); 13] = [
    ("host", Kind::Text),
    ("domain", Kind::Text),
    ("description", Kind::Text),
    ("depth", Kind::Integer),
    ("crawl_count", Kind::Integer),
    ("in_degree", Kind::Integer),
    ("out_degree", Kind::Integer),
    ("in_weight", Kind::Integer),
    ("out_weight", Kind::Integer),
    ("pagerank", Kind::Real),
    ("harmonic", Kind::Real),
    ("weak_component", Kind::Integer),
    ("strong_component", Kind::Integer),
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
