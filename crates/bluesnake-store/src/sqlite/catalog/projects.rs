//! Projects, their saved settings and favicons.

use rusqlite::params;

use super::Catalog;
use crate::error::DatabaseError;
use crate::sqlite::columns::{one, rows};
use crate::sqlite::now;

const COLUMNS: &str = "id, host, url, created_at";

rows! {
    /// A site.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProjectRow {
        /// Its number.
        pub id: i64,
        /// `host[:port]`.
        pub host: String,
        /// The URL entered when it was created, in canonical form.
        pub url: String,
        /// Unix time in seconds.
        pub created_at: i64,
    }

    /// The saved settings of a project.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ConfigRow {
        /// The settings that differ from the defaults, as JSON.
        pub settings: String,
        /// Whether a new start resumes a paused run.
        pub is_incremental: bool,
    }

    /// A favicon.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Favicon {
        /// The image; empty if the site has none.
        pub bytes: Vec<u8>,
        /// Its media type.
        pub media_type: String,
        /// Unix time in seconds.
        pub checked_at: i64,
    }
}

impl Catalog<'_> {
    /// The project of a host, created if it does not exist.
    pub async fn get_or_create_project(self, host: &str, url: &str) -> Result<ProjectRow, DatabaseError> {
        let (host, url) = (host.to_owned(), url.to_owned());
        self.write_durably("cannot store the project", move |transaction| {
            let insert = "INSERT INTO projects (host, url, created_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            transaction.execute(insert, params![host, url, now()])?;
            Ok(one(transaction, &format!("SELECT {COLUMNS} FROM projects WHERE host = ?1"), [host])?)
        })
        .await
    }

    /// The project of a host.
    pub async fn project_of_host(self, host: &str) -> Result<Option<ProjectRow>, DatabaseError> {
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE host = ?1");
        self.first("cannot read the project", sql, [host.to_owned()]).await
    }

    /// A project by its number.
    pub async fn project(self, id: i64) -> Result<ProjectRow, DatabaseError> {
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE id = ?1");
        let found = self.first("cannot read the project", sql, [id]).await?;
        found.ok_or_else(|| DatabaseError::not_found(format!("no project {id}")))
    }

    /// The saved settings of a project, if there are any.
    pub async fn config(self, project: i64) -> Result<Option<ConfigRow>, DatabaseError> {
        let sql = "SELECT settings, is_incremental FROM configs WHERE project = ?1";
        self.first("cannot read the settings of a project", sql, [project]).await
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

    /// The favicon of a project, if it was ever requested.
    pub async fn favicon(self, project: i64) -> Result<Option<Favicon>, DatabaseError> {
        let sql = "SELECT coalesce(favicon, x''), coalesce(favicon_type, ''), favicon_checked_at FROM projects
                   WHERE id = ?1 AND favicon_checked_at IS NOT NULL";
        self.first("cannot read the favicon", sql, [project]).await
    }

    /// Saves the favicon of a project, or that it has none.
    pub async fn save_favicon(self, project: i64, bytes: Vec<u8>, media_type: String) -> Result<(), DatabaseError> {
        self.write("cannot store the favicon", move |transaction| {
            let update = "UPDATE projects SET favicon = ?2, favicon_type = ?3, favicon_checked_at = ?4 WHERE id = ?1";
            transaction.execute(update, params![project, bytes, media_type, now()])?;
            Ok(())
        })
        .await
    }
}
