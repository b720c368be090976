//! Deletes runs and projects in small steps, so that sessions continue meanwhile.

use rusqlite::params;

use super::Catalog;
use crate::error::DatabaseError;
use crate::sqlite::Failure;
use crate::sqlite::columns::one;
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
        let sql = "SELECT id FROM runs WHERE is_deleted = 1 AND (?1 IS NULL OR project = ?1)";
        for run in self.list("cannot read removed runs", sql, [project]).await? {
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
        self.contents().remove_audit(run).await?;
        for (table, column, weight) in TABLES {
            self.remove_from(table, column, AT_ONCE * weight, run).await?;
        }
        let (sections, many) = (sections::of_run(run), 4 * AT_ONCE);
        for delete in [
            format!("DELETE FROM bodies WHERE rowid IN (SELECT rowid FROM bodies WHERE run = {run} LIMIT {AT_ONCE})"),
            format!(
                "DELETE FROM contexts WHERE id IN (
                     SELECT id FROM contexts WHERE id >= {run} << 32 AND id < ({run} + 1) << 32 LIMIT {many})"
            ),
            format!(
                "DELETE FROM sections WHERE rowid IN (
                     SELECT rowid FROM sections WHERE rowid BETWEEN {} AND {} LIMIT {AT_ONCE})",
                sections.start(),
                sections.end()
            ),
            format!(
                "DELETE FROM refused_hosts WHERE run = {run} AND host IN (
                     SELECT host FROM refused_hosts WHERE run = {run} LIMIT {many})"
            ),
        ] {
            while self.remove_some(delete.clone()).await? > 0 {}
        }
        self.write_durably("cannot delete the run", move |transaction| {
            transaction.execute("DELETE FROM kept_responses WHERE run = ?1", [run])?;
            transaction.execute("DELETE FROM sessions WHERE run = ?1", [run])?;
            transaction.execute("DELETE FROM runs WHERE id = ?1", [run])?;
            Ok(())
        })
        .await
    }

    async fn remove_some(self, delete: String) -> Result<usize, DatabaseError> {
        self.write("cannot delete rows of a run", move |transaction| Ok(transaction.execute(&delete, [])?)).await
    }

    /// Deletes the rows of a run from a table, by ranges of a column.
    async fn remove_from(self, table: &str, column: &str, at_once: i64, run: i64) -> Result<(), DatabaseError> {
        let delete = format!("DELETE FROM {table} WHERE run = ?1 AND {column} >= ?2 AND {column} < ?2 + ?3");
        let first = format!("SELECT min({column}) FROM {table} WHERE run = ?1");
        loop {
            let (delete, first) = (delete.clone(), first.clone());
            let job = move |transaction: &rusqlite::Transaction<'_>| -> Result<bool, Failure> {
                let Some(from) = one::<Option<i64>>(transaction, &first, [run])? else { return Ok(false) };
                transaction.execute(&delete, params![run, from, at_once])?;
                Ok(true)
            };
            if !self.write("cannot delete rows of a run", job).await? {
                return Ok(());
            }
        }
    }
}
