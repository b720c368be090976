//! Reads the graph of a weave: hosts and links in number order.

use std::ops::ControlFlow;

use rusqlite::{OptionalExtension, Row, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::rows::{EdgeRecord, GraphFigures, NodeRecord};
use crate::sqlite::catalog::find_run;

const NODE_COLUMNS: &str =
    "n.number, n.host, n.domain, n.description, n.depth, n.crawl_count, n.disposition, n.reason, n.pages_cut,
    n.mentions_cut, n.partial_pages";
/// Every link `e` with its source (`s`) and target (`t`) hosts.
pub(in crate::sqlite) const FROM_EDGES: &str = "edges AS e
    JOIN nodes AS s ON s.run = e.run AND s.number = e.source
    JOIN nodes AS t ON t.run = e.run AND t.number = e.target";

impl Contents<'_> {
    /// Hosts with numbers above `after`, at most `limit`; with `search`, those whose host or description contains it.
    pub async fn nodes(
        self,
        run: i64,
        after: u32,
        limit: usize,
        search: Option<String>,
    ) -> Result<Vec<NodeRecord>, DatabaseError> {
        self.read_in_time("cannot read the graph", move |connection| {
            find_run(connection, run)?;
            let sql = format!(
                "SELECT {NODE_COLUMNS} FROM nodes AS n WHERE n.run = ?1 AND n.number > ?2
                     AND (?4 IS NULL OR instr(n.host, lower(?4)) OR instr(lower(n.description), lower(?4)))
                 ORDER BY n.number LIMIT ?3"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map(params![run, after, limit, search], node_record)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Links after the one from `after.0` to `after.1`, at most `limit`; of one host or all.
    pub async fn edges(
        self,
        run: i64,
        after: (u32, u32),
        limit: usize,
        host: Option<String>,
    ) -> Result<Vec<EdgeRecord>, DatabaseError> {
        self.read_in_time("cannot read the graph", move |connection| {
            find_run(connection, run)?;
            let find = "SELECT number FROM nodes WHERE run = ?1 AND host = ?2";
            let number: Option<u32> = match host {
                None => None,
                // A host that is not a node gets a number that no node has.
                Some(host) => {
                    Some(connection.query_row(find, params![run, host], |row| row.get(0)).optional()?.unwrap_or(0))
                }
            };
            let sql = format!(
                "SELECT e.source, e.target, s.host, t.host, e.weight FROM {FROM_EDGES}
                 WHERE e.run = ?1 AND (e.source, e.target) > (?2, ?3)
                     AND (?5 IS NULL OR e.source = ?5 OR e.target = ?5)
                 ORDER BY e.source, e.target LIMIT ?4"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map(params![run, after.0, after.1, limit, number], |row| {
                Ok(EdgeRecord {
                    source: row.get(0)?,
                    target: row.get(1)?,
                    from: row.get(2)?,
                    to: row.get(3)?,
                    weight: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Reads a whole graph on this thread, in one snapshot: first the hosts, then the links (source, target, weight).
    pub fn scan_graph(
        self,
        run: i64,
        mut node: impl FnMut(NodeRecord) -> ControlFlow<()>,
        mut edge: impl FnMut(u32, u32, u32) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        self.read_here("cannot read the graph", |connection| {
            let moment = connection.unchecked_transaction()?;
            find_run(&moment, run)?;
            let sql = format!("SELECT {NODE_COLUMNS} FROM nodes AS n WHERE n.run = ?1 ORDER BY n.number");
            let mut select = moment.prepare(&sql)?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                if node(node_record(row)?).is_break() {
                    return Ok(());
                }
            }
            let sql = "SELECT source, target, weight FROM edges WHERE run = ?1 ORDER BY source, target";
            let mut select = moment.prepare(sql)?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                if edge(row.get(0)?, row.get(1)?, row.get(2)?).is_break() {
                    return Ok(());
                }
            }
            Ok(())
        })
    }

    /// The figures of a graph.
    pub async fn graph_figures(self, run: i64) -> Result<GraphFigures, DatabaseError> {
        self.read("cannot read the figures of the graph", move |connection| {
            let moment = connection.unchecked_transaction()?;
            find_run(&moment, run)?;
            let sql = "SELECT count(*), coalesce(sum(disposition = 'pending'), 0), coalesce(max(depth), 0),
                              (SELECT count(*) FROM edges WHERE run = ?1),
                              (SELECT count(DISTINCT node) FROM node_pages WHERE run = ?1 AND reason = 'page'),
                              coalesce(sum(pages_cut > 0), 0), coalesce(sum(mentions_cut > 0), 0),
                              coalesce(sum(partial_pages), 0), coalesce(sum(is_kept), 0)
                       FROM nodes WHERE run = ?1";
            let figures = moment.query_row(sql, [run], |row| {
                Ok(GraphFigures {
                    nodes: row.get(0)?,
                    pending: row.get(1)?,
                    depth: row.get(2)?,
                    edges: row.get(3)?,
                    crawled: row.get(4)?,
                    with_pages_cut: row.get(5)?,
                    with_mentions_cut: row.get(6)?,
                    partial_pages: row.get(7)?,
                    kept: row.get(8)?,
                    ..GraphFigures::default()
                })
            })?;
            let sql = "SELECT coalesce(sum(reason = 'page'), 0), coalesce(sum(reason <> 'page'), 0),
                              coalesce(sum(elapsed_us), 0) / 1000
                       FROM node_pages WHERE run = ?1 AND attempts > 0";
            Ok(moment.query_row(sql, [run], |row| {
                Ok(GraphFigures {
                    pages_fetched: row.get(0)?,
                    pages_failed: row.get(1)?,
                    fetch_ms: row.get(2)?,
                    ..figures
                })
            })?)
        })
        .await
    }
}

fn node_record(row: &Row<'_>) -> rusqlite::Result<NodeRecord> {
    Ok(NodeRecord {
        number: row.get(0)?,
        host: row.get(1)?,
        domain: row.get(2)?,
        description: row.get(3)?,
        depth: row.get(4)?,
        crawl_count: row.get(5)?,
        disposition: row.get(6)?,
        reason: row.get(7)?,
        pages_cut: row.get(8)?,
        mentions_cut: row.get(9)?,
        partial_pages: row.get(10)?,
    })
}
