//! Deletes runs and projects in small steps, so that sessions continue meanwhile.

use rusqlite::params;

use super::Catalog;
use crate::error::DatabaseError;
use crate::sqlite::Failure;
use crate::sqlite::contents::sections;

/// How many rows to delete per transaction, times the weight of the table: a few milliseconds.
const AT_ONCE: i64 = 500;
/// The tables of a run, the column to count their rows by, and their weight.
const TABLES: &[(&str, &str, i64)] = &[
    ("link_lists", "source", 10),
    ("visits", "number", 4),
    ("urls", "number", 20),
    ("anchors", "id", 40),
    ("places", "id", 40),
    ("headers", "id", 40),
    ("deferred", "number", 1),
    ("documents", "number", 1),
    ("mentions", "node", 4),
    ("node_pages", "node", 10),
    ("edges", "source", 4),
    ("nodes", "number", 20),
];

impl Catalog<'_> {
    /// Deletes a run and its results. Fails while it is being crawled.
    pub async fn delete_run(self, run: i64) -> Result<(), DatabaseError> {
        let project = self.run(run).await?.project;
        let _claim = self.claim(project).await?;
        self.hide(vec![run]).await?;
        self.remove(run).await
    }

    /// Deletes a project with all its runs. Fails while it is being crawled.
    pub async fn delete_project(self, project: i64) -> Result<(), DatabaseError> {
        self.project(project).await?;
        let _claim = self.claim(project).await?;
        let runs: Vec<i64> = self.runs(Some(project)).await?.iter().map(|run| run.id).collect();
        self.hide(runs).await?;
        self.remove_hidden(Some(project)).await?;
        self.write_durably("cannot delete the project", move |transaction| {
            transaction.execute("DELETE FROM owners WHERE project = ?1", [project])?;
            transaction.execute("DELETE FROM projects WHERE id = ?1", [project])?;
            Ok(())
        })
        .await
    }

    /// Deletes the rest of runs whose deletion was interrupted.
    pub async fn remove_hidden(self, project: Option<i64>) -> Result<(), DatabaseError> {
        let hidden = self
            .read("cannot read removed runs", move |connection| {
                let sql = "SELECT id FROM runs WHERE is_deleted = 1 AND (?1 IS NULL OR project = ?1)";
                let mut select = connection.prepare(sql)?;
                let rows = select.query_map([project], |row| row.get(0))?;
                Ok(rows.collect::<rusqlite::Result<Vec<i64>>>()?)
            })
            .await?;
        for run in hidden {
            self.remove(run).await?;
        }
        Ok(())
    }

    /// Makes the runs invisible from now on.
    async fn hide(self, runs: Vec<i64>) -> Result<(), DatabaseError> {
        self.write_durably("cannot delete the run", move |transaction| {
            for run in runs {
                transaction.execute("UPDATE runs SET is_deleted = 1 WHERE id = ?1", [run])?;
                transaction.execute("DELETE FROM owners WHERE run = ?1", [run])?;
            }
            Ok(())
        })
        .await
    }

    async fn remove(self, run: i64) -> Result<(), DatabaseError> {
        for (table, column, weight) in TABLES {
            self.remove_from(table, column, AT_ONCE * weight, run).await?;
        }
        while self.remove_bodies(run).await? > 0 {}
        while self.remove_contexts(run).await? > 0 {}
        while self.remove_sections(run).await? > 0 {}
        while self.remove_refused_hosts(run).await? > 0 {}
        self.write_durably("cannot delete the run", move |transaction| {
            transaction.execute("DELETE FROM sessions WHERE run = ?1", [run])?;
            transaction.execute("DELETE FROM runs WHERE id = ?1", [run])?;
            Ok(())
        })
        .await
    }

    async fn remove_from(self, table: &str, column: &str, at_once: i64, run: i64) -> Result<(), DatabaseError> {
        let delete = format!("DELETE FROM {table} WHERE run = ?1 AND {column} >= ?2 AND {column} < ?2 + ?3");
        let first = format!("SELECT min({column}) FROM {table} WHERE run = ?1");
        loop {
            let (delete, first) = (delete.clone(), first.clone());
            let job = move |transaction: &rusqlite::Transaction<'_>| -> Result<bool, Failure> {
                let from: Option<i64> = transaction.query_row(&first, [run], |row| row.get(0))?;
                let Some(from) = from else { return Ok(false) };
                transaction.execute(&delete, params![run, from, at_once])?;
                Ok(true)
            };
            if !self.write("cannot delete rows of a run", job).await? {
                return Ok(());
            }
        }
    }

    async fn remove_contexts(self, run: i64) -> Result<usize, DatabaseError> {
        self.write("cannot delete texts of a run", move |transaction| {
            let delete = "DELETE FROM contexts WHERE id IN (
                              SELECT id FROM contexts WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32 LIMIT ?2)";
            Ok(transaction.execute(delete, params![run, 4 * AT_ONCE])?)
        })
        .await
    }

    async fn remove_sections(self, run: i64) -> Result<usize, DatabaseError> {
        let (first, last) = sections::of_run(run).into_inner();
        self.write("cannot delete documents of a run", move |transaction| {
            transaction.execute("DELETE FROM kept_responses WHERE run = ?1", [run])?;
            let delete = "DELETE FROM sections WHERE rowid IN (
                              SELECT rowid FROM sections WHERE rowid BETWEEN ?1 AND ?2 LIMIT ?3)";
            Ok(transaction.execute(delete, params![first, last, AT_ONCE])?)
        })
        .await
    }

    async fn remove_refused_hosts(self, run: i64) -> Result<usize, DatabaseError> {
        self.write("cannot delete hosts of a run", move |transaction| {
            let delete = "DELETE FROM refused_hosts WHERE run = ?1 AND host IN (
                              SELECT host FROM refused_hosts WHERE run = ?1 LIMIT ?2)";
            Ok(transaction.execute(delete, params![run, 4 * AT_ONCE])?)
        })
        .await
    }

    async fn remove_bodies(self, run: i64) -> Result<usize, DatabaseError> {
        self.write("cannot delete documents of a run", move |transaction| {
            let delete = "DELETE FROM bodies WHERE rowid IN (SELECT rowid FROM bodies WHERE run = ?1 LIMIT ?2)";
            Ok(transaction.execute(delete, params![run, AT_ONCE])?)
        })
        .await
    }
}
