//! Stores an audit in bounded transactions; it becomes visible with the last one.

use rusqlite::{Connection, Transaction, params};

use super::issues::PER_PART;
use super::{SharedFinding, numbers};
use crate::error::DatabaseError;
use crate::sqlite::contents::Contents;
use crate::sqlite::contents::grid::{Derived, Folder, Grid};
use crate::sqlite::writer::Response;
use crate::sqlite::{Database, Failure};

const WHAT: &str = "cannot store the audit";
/// How much to write per transaction: tens of milliseconds.
const BYTES_AT_ONCE: usize = 1 << 20;
const ROWS_AT_ONCE: usize = 20_000;
/// What a row takes besides its list.
const ROW_BYTES: usize = 32;
/// How many findings are shown with the counts of a check.
const EXAMPLES: u64 = 3;
/// An audit to store.
#[derive(Clone, Debug)]
pub struct NewAudit {
    /// How many URLs it knows.
    pub urls: u32,
    /// Internal HTML pages that responded with success.
    pub pages: u32,
    /// The settings it was made with: JSON.
    pub settings: String,
    /// Whether the run is completed.
    pub is_completed: bool,
}

/// The result of one check, without its findings.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The id of the check.
    pub id: &'static str,
    /// Its name, with its threshold.
    pub name: String,
    /// issue, warning or opportunity.
    pub kind: &'static str,
    /// high, medium or low.
    pub priority: &'static str,
    /// Why it was not checked; `None` if it was.
    pub not_checked: Option<&'static str>,
    /// Findings that a template causes.
    pub shared: Vec<SharedFinding>,
}

/// What is derived for one URL.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FigureRow {
    /// The smallest number of followed links from a seed.
    pub depth: Option<u32>,
    /// Links to it, from other documents.
    pub inlinks: u32,
    /// Documents that link to it.
    pub unique_inlinks: u32,
    /// Hyperlinks on it.
    pub outlinks: u32,
    /// Different URLs its hyperlinks lead to.
    pub unique_outlinks: u32,
    /// Hyperlinks that leave the site.
    pub external_outlinks: u32,
    /// Link score, 0 to 100.
    pub link_score: Option<f32>,
    /// The first page of its group of near duplicates.
    pub near_duplicate_of: Option<u32>,
    /// How similar it is to that page, in percent.
    pub similarity: Option<u8>,
}

/// Stores an audit step by step. Nothing is visible before [`AuditWriter::finish`]; what an unfinished one leaves is
/// replaced by the next.
#[derive(Debug)]
pub struct AuditWriter {
    database: Database,
    run: i64,
    /// How many checks are stored.
    checks: u32,
    /// The last transaction, which is written while the next one is prepared.
    last: Option<Response<()>>,
}

impl Contents<'_> {
    /// Begins to store an audit; from now on the run has none. The caller owns the project.
    pub async fn begin_audit(self, run: i64) -> Result<AuditWriter, DatabaseError> {
        self.remove_audit(run).await?;
        Ok(AuditWriter { database: self.0.clone(), run, checks: 0, last: None })
    }
}

impl AuditWriter {
    /// The result of a check, in the order of the catalogue; findings in number order.
    pub async fn check<'a>(
        &mut self,
        check: CheckResult,
        findings: impl Iterator<Item = (u32, Option<&'a str>)> + Send,
    ) -> Result<(), DatabaseError> {
        let mut parts = Parts::default();
        for (number, detail) in findings {
            parts.add(number, detail);
            if parts.bytes >= BYTES_AT_ONCE {
                self.put_parts(check.id, parts.take_full()).await?;
            }
        }
        self.put_parts(check.id, parts.take_all()).await?;
        let (run, position) = (self.run, self.checks);
        self.checks += 1;
        self.put(move |transaction| {
            let shared = serde_json::to_string(&check.shared).expect("findings are JSON");
            let insert = "INSERT INTO issue_counts (run, check_id, position, name, type, priority, findings, urls,
                              not_checked, shared, examples, numbers)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
            transaction.prepare_cached(insert)?.execute(params![
                run,
                check.id,
                position,
                check.name,
                check.kind,
                check.priority,
                parts.findings,
                parts.numbers.len(),
                check.not_checked,
                shared,
                if parts.findings == 0 { "[]".to_owned() } else { parts.examples + "]" },
                numbers::pack(parts.numbers.iter().copied()),
            ])?;
            Ok(())
        })
        .await
    }

    async fn put_parts(&mut self, check: &'static str, parts: Vec<Part>) -> Result<(), DatabaseError> {
        let run = self.run;
        self.put(move |transaction| {
            let insert = "INSERT INTO issue_lists (run, check_id, part, first_number, findings)
                          VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = transaction.prepare_cached(insert)?;
            for Part { part, first_number, json } in parts {
                insert.execute(params![run, check, part, first_number, json])?;
            }
            Ok(())
        })
        .await
    }

    /// For URLs in number order the documents that refer to them.
    pub async fn inlinks<'a>(
        &mut self,
        lists: impl Iterator<Item = (u32, &'a [u32])> + Send,
    ) -> Result<(), DatabaseError> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        for (target, sources) in lists.filter(|(_, sources)| !sources.is_empty()) {
            let list = numbers::pack(sources.iter().copied());
            bytes += list.len() + ROW_BYTES;
            chunk.push((target, list));
            if bytes >= BYTES_AT_ONCE {
                bytes = 0;
                self.put_inlinks(std::mem::take(&mut chunk)).await?;
            }
        }
        self.put_inlinks(chunk).await
    }

    async fn put_inlinks(&mut self, lists: Vec<(u32, Vec<u8>)>) -> Result<(), DatabaseError> {
        let run = self.run;
        self.put(move |transaction| {
            let insert = "INSERT INTO inlink_lists (run, target, list) VALUES (?1, ?2, ?3)";
            let mut insert = transaction.prepare_cached(insert)?;
            for (target, list) in lists {
                insert.execute(params![run, target, list])?;
            }
            Ok(())
        })
        .await
    }

    /// What is derived for every URL, by number: the first one belongs to number 1. Makes depths exact, and writes what
    /// lists are filtered and sorted by.
    pub async fn figures(&mut self, figures: impl Iterator<Item = FigureRow> + Send) -> Result<(), DatabaseError> {
        let mut derived = Derived::default();
        let mut chunk = Vec::with_capacity(ROWS_AT_ONCE);
        for (number, figure) in (1..).zip(figures) {
            derived.depth.push(figure.depth);
            derived.inlinks.push(figure.inlinks);
            derived.score.push(figure.link_score.unwrap_or(f32::NAN));
            if (FigureRow { depth: None, ..figure }) != FigureRow::default() {
                chunk.push((number, figure));
            }
            if chunk.len() == ROWS_AT_ONCE {
                self.put_figures(std::mem::replace(&mut chunk, Vec::with_capacity(ROWS_AT_ONCE))).await?;
            }
        }
        self.put_figures(chunk).await?;
        self.put_grid(derived).await
    }

    async fn put_figures(&mut self, figures: Vec<(u32, FigureRow)>) -> Result<(), DatabaseError> {
        let run = self.run;
        self.put(move |transaction| {
            let insert = "INSERT INTO figures (run, number, inlinks, unique_inlinks, outlinks, unique_outlinks,
                              external_outlinks, link_score, near_duplicate_of, similarity)
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            let mut insert = transaction.prepare_cached(insert)?;
            for (number, figure) in figures {
                insert.execute(params![
                    run,
                    number,
                    figure.inlinks,
                    figure.unique_inlinks,
                    figure.outlinks,
                    figure.unique_outlinks,
                    figure.external_outlinks,
                    figure.link_score.map(to_tenths),
                    figure.near_duplicate_of,
                    figure.similarity,
                ])?;
            }
            Ok(())
        })
        .await
    }

    /// Stores the columns of the grid, its folders, and depths that have changed.
    async fn put_grid(&mut self, derived: Derived) -> Result<(), DatabaseError> {
        let run = self.run;
        let read = move |connection: &Connection| Ok(Grid::to_store(connection, run, derived)?);
        let (mut grid, depths) = self.database.read(WHAT, read).await?;
        for depths in depths.chunks(ROWS_AT_ONCE / 4) {
            let depths = depths.to_vec();
            self.put(move |transaction| {
                let update = "UPDATE urls SET depth = ?3 WHERE run = ?1 AND number = ?2";
                let mut update = transaction.prepare_cached(update)?;
                for (number, depth) in depths {
                    update.execute(params![run, number, depth])?;
                }
                Ok(())
            })
            .await?;
        }
        let folders = grid.take_folders();
        for folders in folders.chunks(ROWS_AT_ONCE / 4) {
            let folders = folders.to_vec();
            self.put(move |transaction| put_folders(transaction, run, &folders)).await?;
        }
        for (name, to_bytes) in Grid::stored() {
            let bytes = to_bytes(&grid);
            self.put(move |transaction| {
                let insert = "INSERT INTO run_columns (run, name, bytes) VALUES (?1, ?2, ?3)";
                transaction.prepare_cached(insert)?.execute(params![run, name, bytes])?;
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Makes it visible.
    pub async fn finish(mut self, audit: NewAudit) -> Result<(), DatabaseError> {
        self.wait().await?;
        let run = self.run;
        self.database
            .write_durably(WHAT, move |transaction| {
                let insert =
                    "INSERT INTO audits (run, urls, pages, settings, is_completed) VALUES (?1, ?2, ?3, ?4, ?5)";
                let NewAudit { urls, pages, settings, is_completed } = audit;
                transaction.execute(insert, params![run, urls, pages, settings, is_completed])?;
                Ok(())
            })
            .await
    }

    /// Queues a transaction and waits for the one before.
    async fn put(
        &mut self,
        job: impl FnOnce(&Transaction<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<(), DatabaseError> {
        let next = self.database.begin_write(WHAT, job).await?;
        self.wait().await?;
        self.last = Some(next);
        Ok(())
    }

    async fn wait(&mut self) -> Result<(), DatabaseError> {
        match self.last.take() {
            Some(last) => last.wait().await,
            None => Ok(()),
        }
    }
}

/// A score as people read it, with one decimal.
fn to_tenths(score: f32) -> f64 {
    (f64::from(score) * 10.0).round() / 10.0
}

fn put_folders(transaction: &Transaction<'_>, run: i64, folders: &[Folder]) -> Result<(), Failure> {
    let insert = "INSERT INTO folders (run, parent, name, urls, indexable, errors, folders)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let mut insert = transaction.prepare_cached(insert)?;
    for Folder { parent, name, counts } in folders {
        insert.execute(params![run, parent, name, counts.urls, counts.indexable, counts.errors, counts.folders])?;
    }
    Ok(())
}

/// Findings of a check, cut into parts.
#[derive(Debug, Default)]
struct Parts {
    full: Vec<Part>,
    open: Part,
    in_open: u64,
    /// The size of the full parts.
    bytes: usize,
    findings: u64,
    /// The URLs, each once.
    numbers: Vec<u32>,
    /// The first findings: JSON without its end.
    examples: String,
}

/// A row of `issue_lists`.
#[derive(Clone, Debug, Default)]
struct Part {
    part: u32,
    first_number: u32,
    json: String,
}

impl Parts {
    fn add(&mut self, number: u32, detail: Option<&str>) {
        if self.in_open == PER_PART {
            self.close();
        }
        if self.in_open == 0 {
            self.open.first_number = number;
        }
        push(&mut self.open.json, number, detail);
        if self.findings < EXAMPLES {
            push(&mut self.examples, number, detail);
        }
        if self.numbers.last() != Some(&number) {
            self.numbers.push(number);
        }
        self.in_open += 1;
        self.findings += 1;
    }

    fn close(&mut self) {
        self.open.json.push(']');
        self.bytes += self.open.json.len();
        let next = Part { part: self.open.part + 1, ..Part::default() };
        self.full.push(std::mem::replace(&mut self.open, next));
        self.in_open = 0;
    }

    fn take_full(&mut self) -> Vec<Part> {
        self.bytes = 0;
        std::mem::take(&mut self.full)
    }

    fn take_all(&mut self) -> Vec<Part> {
        if self.in_open > 0 {
            self.close();
        }
        self.take_full()
    }
}

/// Adds a finding to a JSON list that is not closed yet.
fn push(json: &mut String, number: u32, detail: Option<&str>) {
    json.push(if json.is_empty() { '[' } else { ',' });
    let finding = match detail {
        Some(detail) => serde_json::to_string(&(number, detail)),
        None => serde_json::to_string(&[number]),
    };
    json.push_str(&finding.expect("findings are JSON"));
}
