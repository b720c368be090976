//! Where the vectors of others lie: `$BLUESNAKE_TESTDATA`, else `../shared/testdata` beside the project.
//!
//! Where that folder is missing, each test says that it was skipped, and fails if `CI=true`.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder with the vectors, if it is there.
pub(crate) fn testdata() -> Option<PathBuf> {
    let beside_the_project = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("BLUESNAKE_TESTDATA").map_or_else(beside_the_project, PathBuf::from);
    is_there(&folder, "BLUESNAKE_TESTDATA may name another").then_some(folder)
}

/// Says that a test is skipped for want of a folder; in CI that is a failure.
pub(crate) fn is_there(folder: &Path, hint: &str) -> bool {
    let is_there = folder.is_dir();
    if !is_there {
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!is_ci, "{} is no folder; {hint}", folder.display());
        println!("skipped: {} is no folder; {hint}", folder.display());
    }
    is_there
}

pub(crate) fn json(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{} is no JSON: {error}", path.display()))
}
