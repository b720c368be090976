//! Projects, their saved settings and favicons.

use rusqlite::{OptionalExtension, Row, params};

use super::Catalog;
use crate::error::DatabaseError;
use crate::rows::{ConfigRow, Favicon, ProjectRow};
use crate::sqlite::now;

const COLUMNS: &str = "id, host, url, created_at";

impl Catalog<'_> {
    /// The project of a host, made when it is not there.
    pub async fn get_or_create_project(self, host: &str, url: &str) -> Result<ProjectRow, DatabaseError> {
        let (host, url) = (host.to_owned(), url.to_owned());
        self.write_durably("cannot store the project", move |transaction| {
            let insert = "INSERT INTO projects (host, url, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            transaction.execute(insert, params![host, url, now()])?;
            let select = format!("SELECT {COLUMNS} FROM projects WHERE host = ?1");
            Ok(transaction.query_row(&select, [host], project)?)
        })
        .await
    }

    /// The project of a host.
    pub async fn project_of_host(self, host: &str) -> Result<Option<ProjectRow>, DatabaseError> {
        let host = host.to_owned();
        self.read("cannot read the project", move |connection| {
            let select = format!("SELECT {COLUMNS} FROM projects WHERE host = ?1");
            Ok(connection.query_row(&select, [host], project).optional()?)
        })
        .await
    }

    /// A project by its number.
    pub async fn project(self, id: i64) -> Result<ProjectRow, DatabaseError> {
        self.read("cannot read the project", move |connection| {
            let select = format!("SELECT {COLUMNS} FROM projects WHERE id = ?1");
            let found = connection.query_row(&select, [id], project).optional()?;
            Ok(found.ok_or_else(|| DatabaseError::not_found(format!("no project {id}")))?)
        })
        .await
    }

    /// The saved settings of a project; none when nothing was saved.
    pub async fn config(self, project: i64) -> Result<Option<ConfigRow>, DatabaseError> {
        self.read("cannot read the settings of a project", move |connection| {
            let select = "SELECT settings, is_incremental FROM configs WHERE project = ?1";
            let read = |row: &Row<'_>| Ok(ConfigRow { settings: row.get(0)?, is_incremental: row.get(1)? });
            Ok(connection.query_row(select, [project], read).optional()?)
        })
        .await
    }

    /// Saves the settings of a project.
    pub async fn save_config(self, project: i64, config: ConfigRow) -> Result<(), DatabaseError> {
        self.write_durably("cannot store the settings of a project", move |transaction| {
            let upsert = "INSERT INTO configs (project, settings, is_incremental, created_at, updated_at)
                          VALUES (?1, ?2, ?3, ?4, ?4)
                          ON CONFLICT (project) DO UPDATE SET settings = ?2, is_incremental = ?3, updated_at = ?4";
            transaction.execute(upsert, params![project, config.settings, config.is_incremental, now()])?;
            Ok(())
        })
        .await
    }

    /// The favicon of a project, if it was ever asked for.
    pub async fn favicon(self, project: i64) -> Result<Option<Favicon>, DatabaseError> {
        self.read("cannot read the favicon", move |connection| {
            let select = "SELECT favicon, favicon_type, favicon_checked_at FROM projects
                          WHERE id = ?1 AND favicon_checked_at IS NOT NULL";
            let read = |row: &Row<'_>| {
                Ok(Favicon {
                    bytes: row.get::<_, Option<_>>(0)?.unwrap_or_default(),
                    media_type: row.get::<_, Option<_>>(1)?.unwrap_or_default(),
                    checked_at: row.get(2)?,
                })
            };
            Ok(connection.query_row(select, [project], read).optional()?)
        })
        .await
    }

    /// Keeps the favicon of a project, or that it has none.
    pub async fn save_favicon(self, project: i64, bytes: Vec<u8>, media_type: String) -> Result<(), DatabaseError> {
        self.write("cannot store the favicon", move |transaction| {
            let update = "UPDATE projects SET favicon = ?2, favicon_type = ?3, favicon_checked_at = ?4 WHERE id = ?1";
            transaction.execute(update, params![project, bytes, media_type, now()])?;
            Ok(())
        })
        .await
    }
}

fn project(row: &Row<'_>) -> rusqlite::Result<ProjectRow> {
    Ok(ProjectRow { id: row.get(0)?, host: row.get(1)?, url: row.get(2)?, created_at: row.get(3)? })
}
