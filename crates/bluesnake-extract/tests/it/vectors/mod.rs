//! Vectors from published packages, in `target/vectors` or `$BLUESNAKE_VECTORS`; `tools/vectors` fetches them.

mod commonmark;
mod pages;

use std::path::{Path, PathBuf};

/// The folder of one set of vectors.
fn folder(set: &str) -> PathBuf {
    let in_target = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors");
    let folder = std::env::var_os("BLUESNAKE_VECTORS").map_or_else(in_target, PathBuf::from).join(set);
    assert!(folder.is_dir(), "{} is missing; run tools/vectors {set}", folder.display());
    folder
}
