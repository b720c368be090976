//! Turns salvaged rows into a database again: related rows are complete, figures match the rows, and a run that lost
//! rows cannot be resumed, because its results would differ.

use std::collections::BTreeSet;

use bluesnake_engine::{CanonicalUrl, LinkKind, Reason};
use rusqlite::{Connection, params};

use super::{Repaired, RepairedTable};
use crate::sqlite::columns::{first, list};
use crate::sqlite::contents::DERIVED;

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
    for table in ["urls", "nodes", "node_pages"] {
        damaged.extend(drop_unknown_reasons(saved, table)?);
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
    drop_audits(saved, repaired)?;
    saved.execute_batch("COMMIT")
}

/// An audit of a run that lost rows is wrong, and one that lost rows of its own is incomplete: it is made again on
/// demand. The other tables of an audit count only while its own row is there.
fn drop_audits(saved: &Connection, repaired: &mut Repaired) -> rusqlite::Result<()> {
    let mut dropped = 0;
    let is_damaged = |table: &RepairedTable| table.damaged_places > 0 && DERIVED.contains(&table.name.as_str());
    if repaired.tables.iter().any(is_damaged) {
        dropped += saved.execute("DELETE FROM audits", [])?;
    }
    let mut delete = saved.prepare("DELETE FROM audits WHERE run = ?1")?;
    for run in &repaired.damaged_runs {
        dropped += delete.execute([run])?;
    }
    dropped += saved.execute("DELETE FROM audits WHERE run NOT IN (SELECT id FROM runs)", [])?;
    if dropped > 0 {
        note_lost(repaired, "audits", dropped as i64);
    }
    Ok(())
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

/// A row with a reason that nothing can have stored is as damaged as one that cannot be read. Returns its runs.
fn drop_unknown_reasons(saved: &Connection, table: &str) -> rusqlite::Result<Vec<i64>> {
    let stored: Vec<(String, String)> = list(saved, &format!("SELECT DISTINCT disposition, reason FROM {table}"), [])?;
    let unknown = stored.into_iter().filter(|(disposition, reason)| Reason::from_words(disposition, reason).is_none());
    let delete = format!("DELETE FROM {table} WHERE disposition = ?1 AND reason = ?2 RETURNING run");
    let runs: rusqlite::Result<Vec<Vec<i64>>> = unknown.map(|words| list(saved, &delete, words)).collect();
    Ok(runs?.concat())
}

/// Runs whose own rows are lost but whose results exist.
fn restore_runs(saved: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut lost = Vec::new();
    for (table, kind) in [("urls", "crawl"), ("nodes", "weave")] {
        let runs = format!("SELECT DISTINCT run FROM {table} WHERE run NOT IN (SELECT id FROM runs)");
        for run in list::<i64>(saved, &runs, [])? {
            let first = match table {
                "urls" => "SELECT url FROM urls WHERE run = ?1 ORDER BY number LIMIT 1",
                _ => "SELECT 'https://' || host || '/' FROM nodes WHERE run = ?1 ORDER BY number LIMIT 1",
            };
            let seeds = serde_json::to_string(&list::<String>(saved, first, [run])?).expect("a list of texts is JSON");
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
    let runs = "SELECT id, project, seeds FROM runs WHERE project NOT IN (SELECT id FROM projects)";
    for (run, project, seeds) in list::<(i64, i64, String)>(saved, runs, [])? {
        let seeds: Vec<String> = serde_json::from_str(&seeds).unwrap_or_default();
        let seed = seeds.first().and_then(|seed| CanonicalUrl::parse(seed).ok());
        let host = seed.as_ref().map_or(UNKNOWN_HOST, |seed| seed.authority());
        let url = seed.as_ref().map_or(format!("https://{UNKNOWN_HOST}/"), |seed| format!("{}/", seed.origin()));
        let id = match first(saved, "SELECT id FROM projects WHERE host = ?1", [host])? {
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
    list(saved, &format!("SELECT run, max(number) - count(*) FROM {table} GROUP BY run"), [])
}

/// Sessions count their visits.
fn lost_visits(saved: &Connection) -> rusqlite::Result<Vec<(i64, i64)>> {
    let sql = "SELECT r.id, (SELECT coalesce(sum(c.visits + c.guides), 0) FROM sessions AS c WHERE c.run = r.id)
                      - (SELECT count(*) FROM visits AS v WHERE v.run = r.id) AS lost
         FROM runs AS r WHERE lost > 0 AND NOT EXISTS (SELECT 1 FROM sessions AS c WHERE c.run = r.id AND c.reason = 'damaged')
            AND EXISTS (SELECT 1 FROM urls AS u WHERE u.run = r.id)";
    list(saved, sql, [])
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
