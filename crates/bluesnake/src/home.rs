//! Where the database is.

use std::path::{Path, PathBuf};

use bluesnake_app::{App, AppOptions};

use crate::report::Usage;

/// What a command needs of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// It makes one when there is none.
    Any,
    /// There must be one.
    Existing,
}

/// Opens the database that the command line or the environment name.
pub(crate) async fn open(db: Option<&Path>, need: Need, max_concurrent_crawls: usize) -> anyhow::Result<App> {
    let options =
        AppOptions { must_exist: need == Need::Existing, max_concurrent_crawls, ..AppOptions::new(database_path(db)?) };
    Ok(App::open(options).await?)
}

/// The file that the command line or the environment name.
pub(crate) fn database_path(db: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(path) = db {
        if path.to_str().is_some_and(|text| text.contains("://")) {
            return Err(Usage(
                "--db takes the path of a file; databases on other machines cannot be used yet".to_owned(),
            )
            .into());
        }
        return Ok(path.to_owned());
    }
    let home = std::env::var_os("BLUESNAKE_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".bluesnake"))).filter(|home| !home.as_os_str().is_empty());
    let home =
        home.ok_or_else(|| Usage("there is no home folder to keep the database in; name a file with --db".to_owned()))?;
    Ok(home.join("bluesnake.db"))
}
