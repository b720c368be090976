//! Which crate may know which: every Cargo.toml is compared with the picture in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// For each crate of ours, the crates of ours that it may depend on; and then those it may use in its tests.
const PICTURE: &[(&str, &[&str], &[&str])] = &[
    ("bluesnake", &["bluesnake-app", "bluesnake-mcp", "bluesnake-server"], &["testsite"]),
    ("bluesnake-server", &["bluesnake-app", "bluesnake-mcp"], &["testsite"]),
    ("bluesnake-mcp", &["bluesnake-app"], &[]),
    (
        "bluesnake-app",
        &[
            "bluesnake-audit",
            "bluesnake-engine",
            "bluesnake-extract",
            "bluesnake-graph",
            "bluesnake-render",
            "bluesnake-store",
        ],
        &["testsite"],
    ),
    ("bluesnake-store", &["bluesnake-engine"], &["testsite"]),
    ("bluesnake-render", &["bluesnake-engine"], &["testsite"]),
    ("bluesnake-engine", &["bluesnake-html"], &["testsite"]),
    ("bluesnake-audit", &["bluesnake-engine"], &[]),
    ("bluesnake-extract", &["bluesnake-html"], &[]),
    ("bluesnake-html", &[], &[]),
    ("bluesnake-graph", &[], &[]),
    ("bluesnake-bench", &["bluesnake-app", "bluesnake-engine", "bluesnake-store"], &[]),
    ("bluesnake-fuzz", &["bluesnake-engine", "bluesnake-extract", "bluesnake-html"], &[]),
    ("testsite", &[], &[]),
];

/// What the engine must never learn about.
const NOT_IN_THE_ENGINE: &[&str] = &["rusqlite", "tokio-postgres", "axum", "clap", "indicatif", "anyhow"];

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifests = manifests(&root);
    let ours: BTreeSet<&str> = manifests.keys().map(String::as_str).collect();
    assert_eq!(ours, PICTURE.iter().map(|(name, ..)| *name).collect(), "the picture shows every crate");
    for (name, allowed, allowed_in_tests) in PICTURE {
        let manifest = &manifests[*name];
        let of_ours = |section: &str| -> BTreeSet<String> {
            dependencies(manifest, section).into_iter().filter(|name| ours.contains(name.as_str())).collect()
        };
        assert_eq!(of_ours("dependencies"), to_set(allowed), "{name}");
        assert_eq!(of_ours("dev-dependencies"), to_set(allowed_in_tests), "the tests of {name}");
    }
    let engine = dependencies(&manifests["bluesnake-engine"], "dependencies");
    for foreign in NOT_IN_THE_ENGINE {
        assert!(!engine.contains(*foreign), "the engine does not depend on {foreign}");
    }
}

/// A re-export of a whole crate would bypass the restrictions of the manifests.
#[test]
fn front_doors_use_only_app_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let surface = std::fs::read_to_string(root.join("bluesnake-app/src/lib.rs")).unwrap();
    for crate_below in
        ["bluesnake_audit", "bluesnake_engine", "bluesnake_store", "bluesnake_extract", "bluesnake_graph"]
    {
        for whole in
            [format!("pub use {crate_below};"), format!("pub use {crate_below} as"), format!("{crate_below}::*")]
        {
            assert!(!surface.contains(&whole), "the app re-exports all of {crate_below}");
        }
    }
}

fn to_set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn manifests(root: &Path) -> BTreeMap<String, String> {
    let mut folders = vec![root.join("bench")];
    folders.extend(std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()));
    let read = |folder: std::path::PathBuf| std::fs::read_to_string(folder.join("Cargo.toml")).ok();
    folders.into_iter().filter_map(read).map(|text| (package_name(&text), text)).collect()
}

fn package_name(manifest: &str) -> String {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("a package has a name");
    line.trim_matches('"').to_owned()
}

fn dependencies(manifest: &str, section: &str) -> BTreeSet<String> {
    let header = format!("[{section}]");
    let lines = manifest.lines().skip_while(|line| *line != header).skip(1).take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim().to_owned()).collect()
}
