//! The import direction of `docs/ARCHITECTURE.md`.

use cargo_metadata::{DependencyKind, MetadataCommand, Package};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each package may import of the others; tests inside a package may import more.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("hearken-macros", &[]),
    ("hearken-core", &[]),
    ("hearken-container", &["hearken-core"]),
    ("hearken-embedded", &["hearken-core"]),
    ("hearken-rabbitmq", &["hearken-core"]),
    ("hearken-testkit", &["hearken-core", "hearken-container", "hearken-embedded"]),
    (
        "hearken",
        &["hearken-core", "hearken-container", "hearken-embedded", "hearken-rabbitmq", "hearken-macros"],
    ),
    ("hearken-cli", &["hearken", "hearken-core", "hearken-container"]),
];

/// What `hearken-core` must not know, directly: runtimes, clients, clocks.
const NOT_IN_CORE: &[&str] = &["tokio", "lapin", "sqlx", "async-rs", "chrono", "time"];

fn packages() -> BTreeMap<String, Package> {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    metadata.packages.into_iter().map(|package| (package.name.to_string(), package)).collect()
}

fn imports(package: &Package) -> Vec<&str> {
    let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
    normal.map(|dependency| dependency.name.as_str()).collect()
}

#[test]
fn imports_run_one_way() {
    let packages = packages();
    for (name, allowed) in MAY_IMPORT {
        let package = packages.get(*name).unwrap_or_else(|| panic!("no package {name}"));
        for import in imports(package).into_iter().filter(|import| packages.contains_key(*import)) {
            assert!(allowed.contains(&import), "{name} must not import {import}");
        }
    }
}

#[test]
fn every_library_has_a_place_in_the_order() {
    for (name, package) in packages() {
        let library = package.manifest_path.as_str().contains("/crates/") || name == "hearken-macros";
        let placed = MAY_IMPORT.iter().any(|(placed, _)| *placed == name);
        assert!(!library || placed, "{name} has no place in the import order");
    }
}

#[test]
fn the_core_knows_no_runtime_and_no_client() {
    let packages = packages();
    for import in imports(&packages["hearken-core"]) {
        assert!(!NOT_IN_CORE.contains(&import), "hearken-core must not import {import}");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["crates", "macros", "examples", "tests"] {
        sources(&root.join(folder), &mut found);
    }
    assert!(found.len() > 50, "found only {} files", found.len());
    for path in found {
        let lines = std::fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}

#[test]
fn the_tree_holds_one_copy_of_the_core() {
    let metadata = MetadataCommand::new().exec().expect("cargo metadata");
    let copies = metadata.packages.iter().filter(|package| package.name.as_str() == "hearken-core").count();
    assert_eq!(copies, 1);
}
