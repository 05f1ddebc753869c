//! A ledger's entries in a file: what a process wrote there outlives it.

use crate::ledger::Ledger;
use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::path::Path;

/// Appends entries. Each is one write, so that a kill loses none and cuts none in two, and processes may share a file.
pub struct Records(File);

impl Records {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// Those of the file.
    pub fn open(path: &Path) -> Result<Self> {
        OpenOptions::new().create(true).append(true).open(path).map(Self)
    }

    /// A handler was called with it.
    ///
    /// # Errors
    /// Those of the file.
    pub fn started(&self, id: u64) -> Result<()> {
        (&self.0).write_all(format!("started {id}\n").as_bytes())
    }

    /// A handler call for it succeeded.
    ///
    /// # Errors
    /// Those of the file.
    pub fn completed(&self, id: u64) -> Result<()> {
        (&self.0).write_all(format!("completed {id}\n").as_bytes())
    }
}

/// Follows a file of records.
pub struct Reader {
    ledger: Ledger,
    file: File,
    rest: String,
}

impl Reader {
    /// Will enter into the ledger what is in the file.
    ///
    /// # Errors
    /// Those of the file.
    pub fn new(path: &Path, ledger: Ledger) -> Result<Self> {
        Records::open(path)?;
        Ok(Self { ledger, file: File::open(path)?, rest: String::new() })
    }

    /// Enters what was appended since the last time.
    ///
    /// # Errors
    /// Those of the file.
    pub fn read(&mut self) -> Result<()> {
        std::io::Read::read_to_string(&mut self.file, &mut self.rest)?;
        while let Some((line, rest)) = self.rest.split_once('\n') {
            match line.split_once(' ').and_then(|(word, id)| Some((word, id.parse().ok()?))) {
                Some(("started", id)) => self.ledger.started(id),
                Some(("completed", id)) => self.ledger.completed(id),
                _ => return Err(std::io::Error::other(format!("no record: {line}"))),
            }
            self.rest = rest.to_owned();
        }
        Ok(())
    }
}
