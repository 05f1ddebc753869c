use std::io::{self, Write};

use hearken_container::config::{Entry, Literal};
use serde::Serialize;

use crate::surroundings::tell;
use crate::{CheckArguments, Status, Surroundings};

const NOT_LINKED: &str = "no listeners are linked into this command: whether [listeners.*] fits those of the service \
                          could not be checked; the check of the service's own binary can";

/// One value for a program to read.
#[derive(Serialize)]
struct Line<'a> {
    path: String,
    value: &'a Literal,
    source: String,
}

pub(crate) fn check(
    arguments: &CheckArguments,
    surroundings: &Surroundings<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Status> {
    let loaded = match surroundings.load(arguments.config.as_deref()) {
        Ok(loaded) => loaded,
        Err(problems) => {
            tell(&problems, err)?;
            return Ok(Status::Mistake);
        }
    };
    tell(&loaded.warnings, err)?;
    let entries = loaded.configuration.entries();
    let unlinked = !surroundings.knows_listeners();
    if arguments.json {
        write_json(&entries, out)?;
        if unlinked {
            writeln!(err, "{NOT_LINKED}")?;
        }
    } else {
        write_tables(&entries, out)?;
        if unlinked {
            writeln!(out, "\n# {NOT_LINKED}")?;
        }
    }
    Ok(Status::Success)
}

fn write_json(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| Line { path: entry.path(), value: &entry.value, source: entry.source.to_string() })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &lines)?;
    writeln!(out)
}

/// TOML again, with the sources as comments.
fn write_tables(entries: &[Entry], out: &mut dyn Write) -> io::Result<()> {
    let mut tables: Vec<(&Entry, Vec<(String, String)>)> = Vec::new();
    for entry in entries {
        let line = (format!("{} = {}", entry.key, entry.text), entry.source.to_string());
        let same = |first: &Entry| (&first.table, first.item) == (&entry.table, entry.item);
        match tables.iter_mut().find(|(first, _)| same(first)) {
            Some((_, lines)) => lines.push(line),
            None => tables.push((entry, vec![line])),
        }
    }
    for (index, (first, lines)) in tables.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{}", first.header())?;
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
        for (line, source) in lines {
            writeln!(out, "{line:width$}   # {source}")?;
        }
    }
    Ok(())
}
