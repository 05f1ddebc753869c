use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hearken_container::config::{
    ConfigFile, Configuration, Environment, KeyTable, Kind, Overrides, Sources, Table, markdown,
};
use hearken_core::listener::AttributeValue::Text;

use crate::fixture::{descriptor, file};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn configs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("configs")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What a service with the listener `on_order` reads in a file, without a warning.
fn read(file: &Path) -> Configuration {
    let (environment, keys) = (Environment::default(), KeyTable::standard());
    let mut sources = Sources::new(&environment, &keys);
    sources.file = ConfigFile::Named(file.to_owned());
    let listeners = [descriptor("on_order", &[("queue", Text("orders"))])];
    let loaded = Configuration::load(&sources, Some(&listeners), &Overrides::new());
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(loaded.warnings, [], "{}", file.display());
    loaded.configuration
}

#[test]
fn every_file_of_configs_loads_without_a_warning() {
    let files = configs();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        read(&file);
    }
}

#[test]
fn the_file_about_scaling_scales_and_backs_off() {
    let configuration = read(&root().join("configs/scaling.toml"));
    let listener = &configuration.listeners()["on_order"];
    assert_eq!(listener.concurrency.to_string(), "2-8");
    let waits: Vec<_> = (1..=10).map(|failures| listener.back_off.wait(failures).unwrap()).collect();
    assert!(waits.is_sorted() && waits[0] < waits[1], "{waits:?}");
    assert_eq!((waits[0].as_secs(), waits[9].as_secs()), (1, 30));
    assert_eq!(listener.back_off, configuration.container().back_off);
}

/// A complete commented file is where people look for a key: each is in one of them, if only as a comment.
#[test]
fn every_key_is_in_a_file_of_configs() {
    let texts: String = configs().iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let written = |key: &str| {
        texts.lines().any(|line| line.trim_start_matches(['#', ' ']).starts_with(&format!("{key} =")))
    };
    let keys = KeyTable::standard();
    for table in Table::ALL {
        for row in keys.rows(table) {
            // A listener's own queue type is that of [transport] for one listener.
            let list = |key| texts.lines().any(|line| line.ends_with(&format!("{key}]]")));
            let found = if matches!(row.kind, Kind::Tables(_)) { list(row.key) } else { written(row.key) };
            assert!(found, "{} {}", table.title(), row.key);
        }
    }
}

/// Written values are those that count anyway, unless a comment says so: a default that changes must change there too.
#[test]
fn the_policy_catalogue_writes_out_the_built_in_policy() {
    let (environment, keys) = (Environment::default(), KeyTable::standard());
    let mut sources = Sources::new(&environment, &keys);
    sources.file = ConfigFile::Named(root().join("configs/policies.toml"));
    let written = Configuration::load(&sources, None, &Overrides::new()).unwrap().configuration;
    assert_eq!(written.policies()["default"], Configuration::built_in().policies()["default"]);
}

/// `UPDATE_DOCS=1 cargo test -p hearken-tests --test configs` writes it.
#[test]
fn the_page_of_all_keys_is_the_key_table() {
    const MARK: &str = "<!-- From here on generated from the key table by `UPDATE_DOCS=1 cargo test -p hearken-tests --test configs`. -->\n\n";
    let path = root().join("docs/configuration.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once(MARK).expect("the page has the mark");
    let expected = format!("{head}{MARK}{}", markdown(&KeyTable::standard()));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    } else {
        assert!(page == expected, "docs/configuration.md is not up to date: run with UPDATE_DOCS=1");
    }
}

#[test]
fn a_valid_file_of_200_listeners_takes_no_more_than_its_share() {
    let (few, many) = (best_of_loading(20), best_of_loading(200));
    // Ten times the listeners: a hundred times the work would be a loop within a loop.
    assert!(many < few * 40, "{few:?} {many:?}");
}

fn best_of_loading(count: usize) -> Duration {
    let ids: Vec<&'static str> = (0..count).map(|n| &*format!("listener_{n}").leak()).collect();
    let text: String = ids
        .iter()
        .map(|id| format!("[listeners.{id}]\nqueue = \"{id}\"\nprefetch = 10\nredelivery = \"patient\"\nhandlerTimeout = \"20s\"\n"))
        .collect();
    let fixture = ids.iter().fold(file(format!("[redelivery.patient]\n{text}")), |fixture, id| {
        fixture.listener(id, &[("queue", Text("orders"))])
    });
    let took = |_| {
        let start = Instant::now();
        let configuration = fixture.accepted();
        let took = start.elapsed();
        let queues: BTreeSet<_> =
            configuration.listeners().values().map(|listener| &listener.queue).collect();
        assert_eq!(queues.len(), count);
        took
    };
    // The best of some: other tests run beside this one.
    (0..10).map(took).min().unwrap()
}
