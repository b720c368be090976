//! A damaged database: what can be read of it, in a new file.

use std::path::PathBuf;

use bluesnake_store::Repaired;

use crate::error::AppError;
use crate::results::off_the_runtime;

/// Copies what can be read of a database into a new file and tells what was lost. The original is not touched.
pub async fn repair(from: PathBuf, to: PathBuf) -> Result<Repaired, AppError> {
    off_the_runtime(move || Ok(bluesnake_store::repair(&from, &to)?)).await
}
