//! The store port of a weave: hosts, links, and unnumbered mentions.

use std::collections::VecDeque;

use bluesnake_engine::store::BoxFuture;
use bluesnake_engine::weave::Host;
use bluesnake_engine::weave::store::{
    ANSWERED, Again, Edge, Growth, Known, MAY_PASS, Mention, NodePage, NodeRow, NodeVisit, Standing, StoredMention,
    TOO_MANY_REQUESTS, WeaveStore, is_unreachable,
};
use bluesnake_engine::{Number, Reason, Refusal, StoreError};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::catalog::owners;
use super::columns::{Columns, FromColumns, first, from_row, list, one};
use super::contents::receipt;
use super::{Failure, RunStore};

impl WeaveStore for RunStore {
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>> {
        self.read_graph(standing)
    }

    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>> {
        let sql = "SELECT number, host, depth, disposition, reason FROM nodes INDEXED BY nodes_pending
                   WHERE run = ?1 AND disposition = 'pending' AND depth = ?2 AND number > ?3 ORDER BY number LIMIT ?4";
        self.read_graph(move |connection, run| Ok(list(connection, sql, params![run, depth, after.0, limit])?))
    }

    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>> {
        let (run, session, elapsed_ms) = (self.run, self.session, self.elapsed_ms());
        let change = move |transaction: &Transaction<'_>| {
            let mut stored = Vec::new();
            for visit in &visits {
                if commit(transaction, run, session, visit)? {
                    stored.push(visit);
                }
            }
            count(transaction, session, elapsed_ms, &stored)
        };
        Box::pin(self.change_graph(change))
    }

    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>> {
        // CROSS JOIN: read in mention order, so that only as many are read as requested.
        let sql = "SELECT m.node, m.position, m.host, m.pages, m.is_excluded FROM mentions AS m
                   CROSS JOIN nodes AS n ON n.run = ?1 AND n.number = m.node
                   WHERE m.run = ?1 AND n.depth = ?2 ORDER BY m.node, m.position LIMIT ?3";
        self.read_graph(move |connection, run| Ok(list(connection, sql, params![run, depth, limit])?))
    }

    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>> {
        self.read_graph(move |connection, run| known(connection, run, hosts))
    }

    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>> {
        let run = self.run;
        Box::pin(self.change_graph(move |transaction| grow(transaction, run, &growth)))
    }

    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>> {
        let run = self.run;
        Box::pin(self.change_graph(move |transaction| visit_again(transaction, run, again)))
    }

    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>> {
        let run = self.run;
        Box::pin(self.change_graph(move |transaction| settle_depths(transaction, run, max_depth)))
    }
}

impl RunStore {
    fn read_graph<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection, i64) -> Result<T, Failure> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, StoreError>> {
        let run = self.run;
        let job = move |connection: &Connection| job(connection, run);
        Box::pin(async move { Ok(self.database.read("cannot read the graph", job).await?) })
    }

    /// Changes the graph in one transaction, provided this session owns it and the file is still in place.
    async fn change_graph(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<(), StoreError> {
        let (session, token) = (self.session, self.token);
        let job = move |transaction: &Transaction<'_>| {
            owners::check(transaction, session, token)?;
            change(transaction)
        };
        self.database.write("cannot store the graph", job).await?;
        Ok(self.database.check_in_place()?)
    }
}

fn standing(connection: &Connection, run: i64) -> Result<Standing, Failure> {
    let pending = "SELECT min(depth) FROM nodes INDEXED BY nodes_pending WHERE run = ?1 AND disposition = 'pending'";
    let mentions = "SELECT min(n.depth) FROM (SELECT DISTINCT node FROM mentions WHERE run = ?1) AS m
                    JOIN nodes AS n ON n.run = ?1 AND n.number = m.node";
    let responded = "SELECT host FROM nodes WHERE run = ?1 AND disposition = 'fetched' ORDER BY number LIMIT ?2";
    Ok(Standing {
        nodes: one(connection, "SELECT coalesce(max(number), 0) FROM nodes WHERE run = ?1", [run])?,
        pending_depth: one(connection, pending, [run])?,
        mentions_depth: one(connection, mentions, [run])?,
        receipt: receipt(connection, run)?,
        responded: list(connection, responded, params![run, ANSWERED])?,
    })
}

impl FromColumns for NodeRow {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let (number, host, depth) = columns.read()?;
        Ok(Self { number, host, depth, reason: columns.read()? })
    }
}

impl FromColumns for StoredMention {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let ((from, position), (host, pages, is_excluded)) = columns.read()?;
        Ok(Self { from, position, mention: Mention { host, pages, is_excluded } })
    }
}

/// Stores a visit unless its host is not pending; returns whether it was stored.
fn commit(transaction: &Transaction<'_>, run: i64, session: i64, visit: &NodeVisit) -> Result<bool, Failure> {
    let earlier = earlier(transaction, run, visit.number)?;
    if let Some((reason, status, pages_read)) = earlier
        && visit.falls_short(!is_unreachable(reason, status), pages_read)
    {
        let sql = "UPDATE nodes SET disposition = ?3, reason = ?4, pages_limit = ?5, mentions_limit = ?6, is_kept = 1
                   WHERE run = ?1 AND number = ?2 AND disposition = 'pending'";
        let (pages, mentions) = (visit.pages_limit, visit.mentions_limit);
        let (disposition, reason) = (reason.disposition().as_str(), reason.as_str());
        let restored = params![run, visit.number.0, disposition, reason, pages, mentions];
        return Ok(transaction.prepare_cached(sql)?.execute(restored)? > 0);
    }
    let sql = "UPDATE nodes SET disposition = ?3, reason = ?4, description = ?5, crawl_count = ?6, pages_cut = ?7,
                   mentions_cut = ?8, mentions_limit = ?9, partial_pages = ?10,
                   pages_limit = ?11, is_kept = 0
               WHERE run = ?1 AND number = ?2 AND disposition = 'pending'";
    let changed = transaction.prepare_cached(sql)?.execute(params![
        run,
        visit.number.0,
        visit.reason.disposition().as_str(),
        visit.reason.as_str(),
        visit.description,
        visit.crawl_count(),
        visit.pages_cut,
        visit.mentions_cut,
        visit.mentions_limit,
        visit.partial_pages,
        visit.pages_limit,
    ])?;
    if changed == 0 {
        return Ok(false);
    }
    if earlier.is_some() {
        for forget in [
            "DELETE FROM node_pages WHERE run = ?1 AND node = ?2",
            "DELETE FROM mentions WHERE run = ?1 AND node = ?2",
            "DELETE FROM edges WHERE run = ?1 AND source = ?2",
        ] {
            transaction.prepare_cached(forget)?.execute(params![run, visit.number.0])?;
        }
    }
    let mut insert = transaction
        .prepare_cached("INSERT INTO node_pages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?;
    for (page, ordinal) in visit.pages.iter().zip(0..) {
        let NodePage { url, reason, detail, status, attempts, elapsed, bytes } = page;
        insert.execute(params![
            run,
            visit.number.0,
            ordinal,
            session,
            url.as_str(),
            reason.disposition().as_str(),
            reason.as_str(),
            detail.as_deref(),
            status,
            attempts,
            elapsed.as_micros() as i64,
            *bytes as i64,
        ])?;
    }
    let mut insert = transaction.prepare_cached("INSERT INTO mentions VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for (mention, position) in visit.mentions.iter().zip(0..) {
        let Mention { host, pages, is_excluded } = mention;
        insert.execute(params![run, visit.number.0, position, host.as_str(), pages, is_excluded])?;
    }
    Ok(true)
}

/// The earlier visit of a host: the result and status of its front page, and how many pages were read.
fn earlier(
    transaction: &Transaction<'_>,
    run: i64,
    number: Number,
) -> rusqlite::Result<Option<(Reason, Option<u16>, usize)>> {
    let sql = "SELECT disposition, reason, status,
                   (SELECT count(*) FROM node_pages WHERE run = ?1 AND node = ?2 AND disposition = 'fetched' AND reason = 'page')
               FROM node_pages WHERE run = ?1 AND node = ?2 AND ordinal = 0";
    first(transaction, sql, params![run, number.0])
}

/// Updates the session's figures.
fn count(transaction: &Transaction<'_>, session: i64, elapsed_ms: i64, visits: &[&NodeVisit]) -> Result<(), Failure> {
    let pages = || visits.iter().flat_map(|visit| &visit.pages).filter(|page| page.was_requested());
    let requested = pages().count() as i64;
    let read = pages().filter(|page| page.is_page()).count() as i64;
    let bytes = pages().map(|page| page.bytes).sum::<u64>() as i64;
    let sql = "UPDATE sessions SET visits = visits + ?2, fetched = fetched + ?2, pages = pages + ?3, html = html + ?3,
                   failed = failed + ?4, bytes = bytes + ?5, duration_ms = ?6 WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute(params![session, requested, read, requested - read, bytes, elapsed_ms])?;
    Ok(())
}

fn known(connection: &Connection, run: i64, hosts: Vec<Host>) -> Result<Known, Failure> {
    let mut find = connection
        .prepare_cached("SELECT number, depth FROM nodes INDEXED BY nodes_by_host WHERE run = ?1 AND host = ?2")?;
    let mut count = connection.prepare_cached(
        "SELECT count(*) FROM nodes INDEXED BY nodes_by_domain WHERE run = ?1 AND domain = ?2 AND is_subdomain = 1",
    )?;
    let mut known = Known::default();
    for host in hosts {
        if !known.subdomains.contains_key(host.domain()) {
            let there = count.query_row(params![run, host.domain()], |row| row.get(0))?;
            known.subdomains.insert(host.domain().to_owned(), there);
        }
        if let Some(node) = find.query_row(params![run, host.as_str()], from_row).optional()? {
            known.nodes.insert(host, node);
        }
    }
    Ok(known)
}

fn grow(transaction: &Transaction<'_>, run: i64, growth: &Growth) -> Result<(), Failure> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO nodes (run, number, host, domain, is_subdomain, depth, disposition, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut accept = transaction.prepare_cached("DELETE FROM refused_hosts WHERE run = ?1 AND host = ?2")?;
    for NodeRow { number, host, depth, reason } in &growth.nodes {
        accept.execute(params![run, host.as_str()])?;
        let (domain, is_subdomain) = (host.domain(), host.is_subdomain());
        insert.execute(params![
            run,
            number.0,
            host.as_str(),
            domain,
            is_subdomain,
            depth,
            reason.disposition().as_str(),
            reason.as_str(),
        ])?;
    }
    let mut insert = transaction.prepare_cached("INSERT INTO edges VALUES (?1, ?2, ?3, ?4)")?;
    for Edge { from, to, weight } in &growth.edges {
        insert.execute(params![run, from.0, to.0, weight])?;
    }
    let mut insert =
        transaction.prepare_cached("INSERT INTO refused_hosts VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    for (host, refusal) in &growth.refused {
        insert.execute(params![run, host.as_str(), refusal.as_str()])?;
    }
    let mut delete =
        transaction.prepare_cached("DELETE FROM mentions WHERE run = ?1 AND node = ?2 AND position = ?3")?;
    for (number, position) in &growth.taken {
        delete.execute(params![run, number.0, position])?;
    }
    come_nearer(transaction, run, growth.nearer.clone())
}

/// Reduces the depths of these hosts, and of those reached through them.
fn come_nearer(transaction: &Transaction<'_>, run: i64, nearer: Vec<(Number, u32)>) -> Result<(), Failure> {
    let mut update =
        transaction.prepare_cached("UPDATE nodes SET depth = ?3 WHERE run = ?1 AND number = ?2 AND depth > ?3")?;
    let mut select = transaction.prepare_cached("SELECT target FROM edges WHERE run = ?1 AND source = ?2")?;
    let mut nearer = VecDeque::from(nearer);
    while let Some((number, depth)) = nearer.pop_front() {
        if update.execute(params![run, number.0, depth])? == 0 {
            continue;
        }
        for target in select.query_map(params![run, number.0], from_row)? {
            nearer.push_back((target?, depth + 1));
        }
    }
    Ok(())
}

fn visit_again(transaction: &Transaction<'_>, run: i64, again: Again) -> Result<(), Failure> {
    let Again { failed, pages, mentions, depth } = again;
    let [sick, closed] = MAY_PASS.map(Reason::as_str);
    let sql = "UPDATE nodes SET disposition = 'pending', reason = 'queued'
               WHERE run = ?1 AND depth <= ?2 AND disposition <> 'pending' AND (
                   (pages_cut > 0 AND pages_limit < ?3)
                   OR (mentions_cut > 0 AND mentions_limit > 0 AND (?4 = 0 OR mentions_limit < ?4))
                   OR (?5 AND (is_kept OR disposition = 'failed' OR reason IN (?6, ?7) OR EXISTS (
                       SELECT 1 FROM node_pages AS p WHERE p.run = ?1 AND p.node = number AND p.status = ?8))))";
    let requested = params![run, depth, pages, mentions, failed, sick, closed, TOO_MANY_REQUESTS];
    transaction.prepare_cached(sql)?.execute(requested)?;
    Ok(())
}

fn settle_depths(transaction: &Transaction<'_>, run: i64, max_depth: u32) -> Result<(), Failure> {
    let wake = "UPDATE nodes SET disposition = 'pending', reason = 'queued'
                WHERE run = ?1 AND disposition = ?2 AND reason = ?3 AND depth <= ?4";
    let front = "SELECT {} FROM node_pages AS p WHERE p.run = ?1 AND p.node = number AND p.ordinal = 0";
    let [disposition, reason] = ["p.disposition", "p.reason"].map(|column| front.replace("{}", column));
    let leave = format!(
        "UPDATE nodes SET disposition = coalesce(({disposition}), ?2), reason = coalesce(({reason}), ?3)
         WHERE run = ?1 AND disposition = 'pending' AND depth > ?4"
    );
    let (refused, too_deep) = (Refusal::TooDeep.disposition().as_str(), Refusal::TooDeep.as_str());
    for change in [wake, &leave] {
        transaction.execute(change, params![run, refused, too_deep, max_depth])?;
    }
    Ok(())
}
