//! Reads the graph of a weave: hosts and links in number order.

use std::ops::ControlFlow;

use bluesnake_engine::Reason;
use rusqlite::params;

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::catalog::find_head;
use crate::sqlite::columns::{first, from_row, list, one, rows};

rows! {
    /// A host of a graph.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NodeRecord {
        /// Its number among all hosts of the graph, from 1.
        pub number: u32,
        /// Host and port.
        pub host: String,
        /// Its registrable domain.
        pub domain: String,
        /// Its title or description.
        pub description: String,
        /// Distance from the nearest seed in links.
        pub depth: u32,
        /// Number of pages requested.
        pub crawl_count: u32,
        /// Where it ended up, and why.
        pub reason: Reason,
        /// Known pages that were not requested.
        pub pages_cut: u32,
        /// Linked hosts beyond the limit per page.
        pub mentions_cut: u32,
        /// Pages read in part.
        pub partial_pages: u32,
    }

    /// A link of a graph.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct EdgeRecord {
        /// The number of the host that links.
        pub source: u32,
        /// The number of the host it links to.
        pub target: u32,
        /// The host that links.
        pub from: String,
        /// The host it links to.
        pub to: String,
        /// Number of linking pages.
        pub weight: u32,
    }

    /// The figures of a graph.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct GraphFigures {
        /// Hosts in the graph.
        pub nodes: i64,
        /// Hosts with at least one page read.
        pub crawled: i64,
        /// Pending hosts.
        pub pending: i64,
        /// The greatest depth of a node.
        pub depth: i64,
        /// Links.
        pub edges: i64,
        /// Pages read.
        pub pages_fetched: i64,
        /// Failed pages.
        pub pages_failed: i64,
        /// Total response time in milliseconds.
        pub fetch_ms: i64,
        /// Hosts with more pages than the limit.
        pub with_pages_cut: i64,
        /// Hosts with a page that links to more hosts than the limit.
        pub with_mentions_cut: i64,
        /// Pages read in part.
        pub partial_pages: i64,
        /// Hosts whose revisit failed and whose earlier results were kept.
        pub kept: i64,
    }
}

/// The columns of a [`NodeRecord`].
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
            find_head(connection, run)?;
            let sql = format!(
                "SELECT {NODE_COLUMNS} FROM nodes AS n WHERE n.run = ?1 AND n.number > ?2
                     AND (?4 IS NULL OR instr(n.host, lower(?4)) OR instr(lower(n.description), lower(?4)))
                 ORDER BY n.number LIMIT ?3"
            );
            Ok(list(connection, &sql, params![run, after, limit, search])?)
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
            find_head(connection, run)?;
            let find = |host| first(connection, "SELECT number FROM nodes WHERE run = ?1 AND host = ?2", (run, host));
            // A host that is not a node gets a number that no node has.
            let number: Option<u32> = host.map(find).transpose()?.map(Option::unwrap_or_default);
            let sql = format!(
                "SELECT e.source, e.target, s.host, t.host, e.weight FROM {FROM_EDGES}
                 WHERE e.run = ?1 AND (e.source, e.target) > (?2, ?3)
                     AND (?5 IS NULL OR e.source = ?5 OR e.target = ?5)
                 ORDER BY e.source, e.target LIMIT ?4"
            );
            Ok(list(connection, &sql, params![run, after.0, after.1, limit, number])?)
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
            find_head(&moment, run)?;
            let sql = format!("SELECT {NODE_COLUMNS} FROM nodes AS n WHERE n.run = ?1 ORDER BY n.number");
            let mut select = moment.prepare(&sql)?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                if node(from_row(row)?).is_break() {
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
            find_head(&moment, run)?;
            let sql = "SELECT n.nodes, n.crawled, n.pending, n.depth, n.edges, p.fetched, p.failed, p.fetch_ms,
                              n.with_pages_cut, n.with_mentions_cut, n.partial_pages, n.kept
                       FROM (SELECT count(*) AS nodes, coalesce(sum(disposition = 'pending'), 0) AS pending,
                                 coalesce(max(depth), 0) AS depth,
                                 (SELECT count(*) FROM edges WHERE run = ?1) AS edges,
                                 (SELECT count(DISTINCT node) FROM node_pages WHERE run = ?1 AND reason = 'page')
                                     AS crawled,
                                 coalesce(sum(pages_cut > 0), 0) AS with_pages_cut,
                                 coalesce(sum(mentions_cut > 0), 0) AS with_mentions_cut,
                                 coalesce(sum(partial_pages), 0) AS partial_pages, coalesce(sum(is_kept), 0) AS kept
                             FROM nodes WHERE run = ?1) AS n,
                            (SELECT coalesce(sum(reason = 'page'), 0) AS fetched,
                                 coalesce(sum(reason <> 'page'), 0) AS failed,
                                 coalesce(sum(elapsed_us), 0) / 1000 AS fetch_ms
                             FROM node_pages WHERE run = ?1 AND attempts > 0) AS p";
            Ok(one(&moment, sql, [run])?)
        })
        .await
    }
}
