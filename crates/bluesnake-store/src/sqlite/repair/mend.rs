//! Turns salvaged rows into a database again: related rows are complete, figures match the rows, and a run that lost
//! rows cannot be resumed, because its results would differ.

use std::collections::BTreeSet;

use bluesnake_engine::{CanonicalUrl, LinkKind};
use rusqlite::{Connection, OptionalExtension, params};

use super::Repaired;

/// Why a run that lost rows is completed.
const DAMAGED: &str = "damaged";
/// A project whose URL is lost as well.
const UNKNOWN_HOST: &str = "unknown.invalid";

pub(super) fn mend(saved: &Connection, repaired: &mut Repaired) -> rusqlite::Result<()> {
    saved.execute_batch("BEGIN")?;
    let mut damaged: BTreeSet<i64> = repaired.damaged_runs.iter().copied().collect();
    let is_damaged = |name: &str| {
        let table = repaired.tables.iter().find(|table| table.name == name);
        table.is_some_and(|table| table.damaged_places > 0)
    };
    if is_damaged("link_kinds") {
        restore_link_kinds(saved)?;
    }
    damaged.extend(restore_runs(saved)?);
    restore_projects(saved)?;
    restore_sessions(saved)?;
    for table in
        ["configs WHERE project NOT IN (SELECT id FROM projects)", "sessions WHERE run NOT IN (SELECT id FROM runs)"]
    {
        saved.execute(&format!("DELETE FROM {table}"), [])?;
    }
    for (table, lost) in [("urls", lost_numbers(saved, "urls")?), ("nodes", lost_numbers(saved, "nodes")?)] {
        damaged.extend(lost.iter().filter(|(_, lost)| *lost > 0).map(|(run, _)| *run));
        note_lost(repaired, table, lost.iter().map(|(_, lost)| lost).sum());
    }
    let visits = lost_visits(saved)?;
    damaged.extend(visits.iter().map(|(run, _)| *run));
    note_lost(repaired, "visits", visits.iter().map(|(_, lost)| lost).sum());
    for run in &damaged {
        close(saved, *run)?;
    }
    repaired.damaged_runs = damaged.into_iter().collect();
    saved.execute_batch("COMMIT")
}

fn note_lost(repaired: &mut Repaired, name: &str, lost: i64) {
    if let Some(table) = repaired.tables.iter_mut().find(|table| table.name == name) {
        table.lost = Some(lost.max(0) as u64);
    }
}

/// Codes are assigned in list order, so lost ones are known.
fn restore_link_kinds(saved: &Connection) -> rusqlite::Result<()> {
    let mut insert = saved.prepare("INSERT OR IGNORE INTO link_kinds (id, word) VALUES (?1, ?2)")?;
    for (at, kind) in LinkKind::ALL.iter().enumerate() {
        insert.execute(params![at as i64 + 1, kind.as_str()])?;
    }
    Ok(())
}

/// Runs whose own rows are lost but whose results exist.
fn restore_runs(saved: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut lost = Vec::new();
    for (table, kind) in [("urls", "crawl"), ("nodes", "weave")] {
        let mut select =
            saved.prepare(&format!("SELECT DISTINCT run FROM {table} WHERE run NOT IN (SELECT id FROM runs)"))?;
        let runs: Vec<i64> = select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        for run in runs {
            let first = match table {
                "urls" => "SELECT url FROM urls WHERE run = ?1 ORDER BY number LIMIT 1",
                _ => "SELECT 'https://' || host || '/' FROM nodes WHERE run = ?1 ORDER BY number LIMIT 1",
            };
            let seed: Option<String> = saved.query_row(first, [run], |row| row.get(0)).optional()?;
            let seeds = serde_json::to_string(&seed.into_iter().collect::<Vec<_>>()).expect("a list of texts is JSON");
            let insert =
                "INSERT INTO runs (id, project, state, seeds, plan, is_incremental, created_at, updated_at, kind)
                          VALUES (?1, 0, 'completed', ?2, '{}', 0, 0, 0, ?3)";
            saved.execute(insert, params![run, seeds, kind])?;
            lost.push(run);
        }
    }
    Ok(lost)
}

/// Projects whose own rows are lost but which have runs: the runs contain their URLs.
fn restore_projects(saved: &Connection) -> rusqlite::Result<()> {
    let mut select =
        saved.prepare("SELECT id, project, seeds FROM runs WHERE project NOT IN (SELECT id FROM projects)")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let runs: Vec<(i64, i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    for (run, project, seeds) in runs {
        let seeds: Vec<String> = serde_json::from_str(&seeds).unwrap_or_default();
        let seed = seeds.first().and_then(|seed| CanonicalUrl::parse(seed).ok());
        let host = seed.as_ref().map_or(UNKNOWN_HOST, |seed| seed.authority());
        let url = seed.as_ref().map_or(format!("https://{UNKNOWN_HOST}/"), |seed| format!("{}/", seed.origin()));
        let known = "SELECT id FROM projects WHERE host = ?1";
        let id = match saved.query_row(known, [host], |row| row.get(0)).optional()? {
            Some(id) => id,
            None => {
                let insert = "INSERT INTO projects (id, host, url, created_at) VALUES (?1, ?2, ?3, 0)";
                saved.execute(insert, params![(project > 0).then_some(project), host, url])?;
                saved.last_insert_rowid()
            }
        };
        saved.execute("UPDATE runs SET project = ?2 WHERE id = ?1", [run, id])?;
    }
    Ok(())
}

/// Sessions whose own rows are lost but which made visits, with figures computed from the visits.
fn restore_sessions(saved: &Connection) -> rusqlite::Result<()> {
    saved.execute_batch(
        "INSERT OR IGNORE INTO sessions (id, run, state, reason, started_at, visits, pages, failed, bytes, fetched, html,
                                       first_number, last_number)
         SELECT v.session, v.run, 'failed', 'damaged', min(v.visited_at) / 1000, count(*), sum(v.facts IS NOT NULL),
                sum(v.error IS NOT NULL), sum(coalesce(v.wire_bytes, 0)), sum(v.was_fetched),
                sum(v.content_type IN ('text/html', 'application/xhtml+xml')), min(v.number), max(v.number)
         FROM visits AS v WHERE v.session NOT IN (SELECT id FROM sessions) AND v.run IN (SELECT id FROM runs)
         GROUP BY v.session",
    )
}

/// Numbers have no gaps, so the number of missing rows below the highest is known.
fn lost_numbers(saved: &Connection, table: &str) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut select = saved.prepare(&format!("SELECT run, max(number) - count(*) FROM {table} GROUP BY run"))?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Sessions count their visits.
fn lost_visits(saved: &Connection) -> rusqlite::Result<Vec<(i64, i64)>> {
    let sql = "SELECT r.id, (SELECT coalesce(sum(c.visits + c.guides), 0) FROM sessions AS c WHERE c.run = r.id)
                      - (SELECT count(*) FROM visits AS v WHERE v.run = r.id) AS lost
         FROM runs AS r WHERE lost > 0 AND NOT EXISTS (SELECT 1 FROM sessions AS c WHERE c.run = r.id AND c.reason = 'damaged')
            AND EXISTS (SELECT 1 FROM urls AS u WHERE u.run = r.id)";
    let mut select = saved.prepare(sql)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// The rest of the run stays, but it can no longer be resumed.
fn close(saved: &Connection, run: i64) -> rusqlite::Result<()> {
    saved.execute(
        "UPDATE sessions SET state = 'failed', reason = 'damaged' WHERE run = ?1 AND state = 'in_progress'",
        [run],
    )?;
    let detail = "the database was damaged, and rows of this run were lost";
    let update = "UPDATE runs SET state = 'completed', reason = ?2, detail = ?3 WHERE id = ?1";
    saved.execute(update, params![run, DAMAGED, detail])?;
    let left = "UPDATE runs SET left_pending = (SELECT count(*) FROM urls WHERE run = ?1 AND disposition = 'pending')
                + (SELECT count(*) FROM nodes WHERE run = ?1 AND disposition = 'pending') WHERE id = ?1";
    saved.execute(left, [run])?;
    Ok(())
}
