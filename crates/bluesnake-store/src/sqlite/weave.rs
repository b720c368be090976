//! The port of a weave: hosts, links, and what is still to be numbered.

use std::collections::VecDeque;

use bluesnake_engine::receipt::reason_from_word;
use bluesnake_engine::store::BoxFuture;
use bluesnake_engine::weave::Host;
use bluesnake_engine::weave::store::{
    Again, Edge, Growth, Known, MAY_PASS, Mention, NodePage, NodeRow, NodeVisit, Standing, StoredMention,
    TOO_MANY_REQUESTS, WeaveStore,
};
use bluesnake_engine::{Disposition, Number, Refusal, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::queue::word;
use super::read::receipt;
use super::{Failure, RunStore, owners};

impl WeaveStore for RunStore {
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>> {
        let run = self.run;
        let standing = async move {
            let job = move |connection: &Connection| standing(connection, run);
            Ok(self.database.read("the graph cannot be read", job).await?)
        };
        Box::pin(standing)
    }

    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>> {
        let run = self.run;
        let nodes = async move {
            let job = move |connection: &Connection| pending(connection, run, depth, after, limit);
            Ok(self.database.read("the graph cannot be read", job).await?)
        };
        Box::pin(nodes)
    }

    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>> {
        let (run, crawl, token, elapsed_ms) = (self.run, self.crawl, self.token, self.elapsed_ms());
        let done = async move {
            let job = move |transaction: &Transaction<'_>| {
                owners::check(transaction, crawl, token)?;
                let mut stored = Vec::new();
                for visit in &visits {
                    if commit(transaction, run, crawl, visit)? {
                        stored.push(visit);
                    }
                }
                count(transaction, crawl, elapsed_ms, &stored)
            };
            self.database.write("what hosts brought cannot be stored", job).await?;
            Ok(self.database.check_in_place()?)
        };
        Box::pin(done)
    }

    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>> {
        let run = self.run;
        let mentions = async move {
            let job = move |connection: &Connection| mentions(connection, run, depth, limit);
            Ok(self.database.read("the graph cannot be read", job).await?)
        };
        Box::pin(mentions)
    }

    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>> {
        let run = self.run;
        let known = async move {
            let job = move |connection: &Connection| known(connection, run, hosts);
            Ok(self.database.read("the graph cannot be read", job).await?)
        };
        Box::pin(known)
    }

    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>> {
        let (run, crawl, token) = (self.run, self.crawl, self.token);
        let done = async move {
            let job = move |transaction: &Transaction<'_>| {
                owners::check(transaction, crawl, token)?;
                grow(transaction, run, &growth)
            };
            self.database.write("the graph cannot be stored", job).await?;
            Ok(self.database.check_in_place()?)
        };
        Box::pin(done)
    }

    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>> {
        let (run, crawl, token) = (self.run, self.crawl, self.token);
        let done = async move {
            let job = move |transaction: &Transaction<'_>| {
                owners::check(transaction, crawl, token)?;
                visit_again(transaction, run, again)
            };
            Ok(self.database.write("the graph cannot be stored", job).await?)
        };
        Box::pin(done)
    }

    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>> {
        let (run, crawl, token) = (self.run, self.crawl, self.token);
        let done = async move {
            let job = move |transaction: &Transaction<'_>| {
                owners::check(transaction, crawl, token)?;
                settle_depths(transaction, run, max_depth)
            };
            Ok(self.database.write("the graph cannot be stored", job).await?)
        };
        Box::pin(done)
    }
}

fn standing(connection: &Connection, run: i64) -> Result<Standing, Failure> {
    let sql = "SELECT coalesce(max(number), 0) FROM nodes WHERE run = ?1";
    let nodes = connection.prepare_cached(sql)?.query_row([run], |row| row.get(0))?;
    let sql = "SELECT min(depth) FROM nodes INDEXED BY nodes_pending WHERE run = ?1 AND disposition = 'pending'";
    let pending_depth = connection.prepare_cached(sql)?.query_row([run], |row| row.get(0))?;
    let sql = "SELECT min(n.depth) FROM (SELECT DISTINCT node FROM mentions WHERE run = ?1) AS m
               JOIN nodes AS n ON n.run = ?1 AND n.number = m.node";
    let mentions_depth = connection.prepare_cached(sql)?.query_row([run], |row| row.get(0))?;
    Ok(Standing { nodes, pending_depth, mentions_depth, receipt: receipt(connection, run)? })
}

fn pending(
    connection: &Connection,
    run: i64,
    depth: u32,
    after: Number,
    limit: usize,
) -> Result<Vec<NodeRow>, Failure> {
    let sql = "SELECT number, host, depth, disposition, reason FROM nodes INDEXED BY nodes_pending
               WHERE run = ?1 AND disposition = 'pending' AND depth = ?2 AND number > ?3 ORDER BY number LIMIT ?4";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map(params![run, depth, after.0, limit], node_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn node_row(row: &Row<'_>) -> rusqlite::Result<NodeRow> {
    Ok(NodeRow {
        number: Number(row.get(0)?),
        host: Host::from_stored(row.get(1)?),
        depth: row.get(2)?,
        disposition: word(row, 3, Disposition::from_word)?,
        reason: word(row, 4, reason_from_word)?,
    })
}

/// Stores a visit, unless its host has one; returns whether it did.
fn commit(transaction: &Transaction<'_>, run: i64, crawl: i64, visit: &NodeVisit) -> Result<bool, Failure> {
    let sql = "UPDATE nodes SET disposition = ?3, reason = ?4, description = ?5, crawl_count = ?6, pages_cut = ?7,
                   mentions_cut = ?8, mentions_limit = ?9
               WHERE run = ?1 AND number = ?2 AND disposition = 'pending'";
    let changed = transaction.prepare_cached(sql)?.execute(params![
        run,
        visit.number.0,
        visit.disposition.as_str(),
        visit.reason,
        visit.description,
        visit.crawl_count(),
        visit.pages_cut,
        visit.mentions_cut,
        visit.mentions_limit,
    ])?;
    if changed == 0 {
        return Ok(false);
    }
    let mut insert = transaction
        .prepare_cached("INSERT INTO node_pages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?;
    for (page, ordinal) in visit.pages.iter().zip(0..) {
        let NodePage { url, disposition, reason, detail, status, attempts, elapsed, bytes } = page;
        insert.execute(params![
            run,
            visit.number.0,
            ordinal,
            crawl,
            url.as_str(),
            disposition.as_str(),
            reason,
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

/// The figures of the session.
fn count(transaction: &Transaction<'_>, crawl: i64, elapsed_ms: i64, visits: &[&NodeVisit]) -> Result<(), Failure> {
    let pages = || visits.iter().flat_map(|visit| &visit.pages).filter(|page| page.was_asked());
    let asked = pages().count() as i64;
    let read = pages().filter(|page| page.is_page()).count() as i64;
    let bytes = pages().map(|page| page.bytes).sum::<u64>() as i64;
    let sql = "UPDATE crawls SET visits = visits + ?2, fetched = fetched + ?2, pages = pages + ?3, html = html + ?3,
                   failed = failed + ?4, bytes = bytes + ?5, duration_ms = ?6 WHERE id = ?1";
    transaction.prepare_cached(sql)?.execute(params![crawl, asked, read, asked - read, bytes, elapsed_ms])?;
    Ok(())
}

fn mentions(connection: &Connection, run: i64, depth: u32, limit: usize) -> Result<Vec<StoredMention>, Failure> {
    // CROSS JOIN: in the order of mentions, so that as few are read as are asked for.
    let sql = "SELECT m.node, m.position, m.host, m.pages, m.is_excluded FROM mentions AS m
               CROSS JOIN nodes AS n ON n.run = ?1 AND n.number = m.node
               WHERE m.run = ?1 AND n.depth = ?2 ORDER BY m.node, m.position LIMIT ?3";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map(params![run, depth, limit], |row| {
        let host = Host::from_stored(row.get(2)?);
        let mention = Mention { host, pages: row.get(3)?, is_excluded: row.get(4)? };
        Ok(StoredMention { from: Number(row.get(0)?), position: row.get(1)?, mention })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
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
        let found = |row: &Row<'_>| Ok((Number(row.get(0)?), row.get(1)?));
        if let Some(node) = find.query_row(params![run, host.as_str()], found).optional()? {
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
    for NodeRow { number, host, depth, disposition, reason } in &growth.nodes {
        accept.execute(params![run, host.as_str()])?;
        let (domain, is_subdomain) = (host.domain(), host.is_subdomain());
        insert.execute(params![
            run,
            number.0,
            host.as_str(),
            domain,
            is_subdomain,
            depth,
            disposition.as_str(),
            reason
        ])?;
    }
    let mut insert = transaction.prepare_cached("INSERT INTO edges VALUES (?1, ?2, ?3, ?4)")?;
    for Edge { from, to, weight } in &growth.edges {
        insert.execute(params![run, from.0, to.0, weight])?;
    }
    let mut insert =
        transaction.prepare_cached("INSERT INTO refused_hosts VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    for (host, reason) in &growth.refused {
        insert.execute(params![run, host.as_str(), reason])?;
    }
    let mut delete =
        transaction.prepare_cached("DELETE FROM mentions WHERE run = ?1 AND node = ?2 AND position = ?3")?;
    for (number, position) in &growth.taken {
        delete.execute(params![run, number.0, position])?;
    }
    come_nearer(transaction, run, growth.nearer.clone())
}

/// Shortens the ways to these hosts, and those that lead on from them.
fn come_nearer(transaction: &Transaction<'_>, run: i64, nearer: Vec<(Number, u32)>) -> Result<(), Failure> {
    let mut update =
        transaction.prepare_cached("UPDATE nodes SET depth = ?3 WHERE run = ?1 AND number = ?2 AND depth > ?3")?;
    let mut select = transaction.prepare_cached("SELECT target FROM edges WHERE run = ?1 AND source = ?2")?;
    let mut nearer = VecDeque::from(nearer);
    while let Some((number, depth)) = nearer.pop_front() {
        if update.execute(params![run, number.0, depth])? == 0 {
            continue;
        }
        let linked = select.query_map(params![run, number.0], |row| row.get(0))?;
        for target in linked {
            nearer.push_back((Number(target?), depth + 1));
        }
    }
    Ok(())
}

fn visit_again(transaction: &Transaction<'_>, run: i64, again: Again) -> Result<(), Failure> {
    let [sick, closed] = MAY_PASS;
    let sql = "SELECT number FROM nodes WHERE run = ?1 AND (
                   (pages_cut > 0 AND crawl_count < ?2)
                   OR (mentions_cut > 0 AND (?3 = 0 OR mentions_limit < ?3))
                   OR (?4 AND (disposition = 'failed' OR reason IN (?5, ?6)
                       OR ?7 = (SELECT status FROM node_pages WHERE run = ?1 AND node = number AND ordinal = 0))))";
    let mut select = transaction.prepare_cached(sql)?;
    let Again { failed, pages, mentions } = again;
    let asked = params![run, pages, mentions, failed, sick, closed, TOO_MANY_REQUESTS];
    let numbers: Vec<u32> = select.query_map(asked, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let changes = [
        "UPDATE nodes SET disposition = 'pending', reason = 'queued', description = '', crawl_count = 0, pages_cut = 0,
             mentions_cut = 0, mentions_limit = 0
         WHERE run = ?1 AND number = ?2",
        "DELETE FROM node_pages WHERE run = ?1 AND node = ?2",
        "DELETE FROM mentions WHERE run = ?1 AND node = ?2",
        "DELETE FROM edges WHERE run = ?1 AND source = ?2",
    ];
    for change in changes {
        let mut change = transaction.prepare_cached(change)?;
        for number in &numbers {
            change.execute(params![run, number])?;
        }
    }
    Ok(())
}

fn settle_depths(transaction: &Transaction<'_>, run: i64, max_depth: u32) -> Result<(), Failure> {
    let wake = "UPDATE nodes SET disposition = 'pending', reason = 'queued'
                WHERE run = ?1 AND disposition = ?2 AND reason = ?3 AND depth <= ?4";
    let leave =
        "UPDATE nodes SET disposition = ?2, reason = ?3 WHERE run = ?1 AND disposition = 'pending' AND depth > ?4";
    let (refused, too_deep) = (Refusal::TooDeep.disposition().as_str(), Refusal::TooDeep.as_str());
    for change in [wake, leave] {
        transaction.execute(change, params![run, refused, too_deep, max_depth])?;
    }
    Ok(())
}
