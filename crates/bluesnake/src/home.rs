//! Where the database is.

use std::path::{Path, PathBuf};

pub(crate) use bluesnake_app::Access;
use bluesnake_app::{App, AppOptions};

use crate::report::Usage;

/// Opens the database named on the command line or in the environment.
pub(crate) async fn open(db: Option<&Path>, access: Access, max_concurrent_sessions: usize) -> anyhow::Result<App> {
    let options = AppOptions { access, max_concurrent_sessions, ..AppOptions::new(database_path(db)?) };
    Ok(App::open(options).await?)
}

/// The database file named on the command line or in the environment.
pub(crate) fn database_path(db: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = db {
        if path.to_str().is_some_and(|text| text.contains("://")) {
            return Err(Usage("--db must be a file path; remote databases are not supported yet".to_owned()).into());
        }
        return Ok(path.to_owned());
    }
    let home = std::env::var_os("BLUESNAKE_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".bluesnake"))).filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| Usage("no home folder for the database; choose a file with --db".to_owned()))?;
    Ok(home.join("bluesnake.db"))
}
