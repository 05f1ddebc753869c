//! A ledger's entries in a file: what a process wrote there outlives it.

use crate::ledger::Ledger;
use std::fs::{File, OpenOptions};
use std::io::{Error, Result, Write};
use std::path::Path;
use std::time::Duration;

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

    /// A handler was called with it, as this attempt.
    ///
    /// # Errors
    /// Those of the file.
    pub fn started(&self, id: u64, attempt: u64) -> Result<()> {
        let uptime = uptime()?.as_millis();
        (&self.0).write_all(format!("started {id} {attempt} {uptime}\n").as_bytes())
    }

    /// A handler call for it succeeded.
    ///
    /// # Errors
    /// Those of the file.
    pub fn completed(&self, id: u64) -> Result<()> {
        (&self.0).write_all(format!("completed {id}\n").as_bytes())
    }
}

/// How long the machine has run, to 10 ms: the same for all processes, and out of reach of whoever lies to one of them
/// about its clocks.
fn uptime() -> Result<Duration> {
    let text = std::fs::read_to_string("/proc/uptime")?;
    let seconds = text.split(' ').next().and_then(|seconds| seconds.parse().ok());
    seconds.map(Duration::from_secs_f64).ok_or_else(|| Error::other(text))
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
            let mut words = line.split(' ');
            let word = words.next();
            let numbers: Vec<u64> = words.filter_map(|number| number.parse().ok()).collect();
            match (word, &numbers[..]) {
                (Some("started"), [id, attempt, uptime]) => {
                    self.ledger.tried(*id, *attempt, Duration::from_millis(*uptime));
                }
                (Some("completed"), [id]) => self.ledger.completed(*id),
                _ => return Err(Error::other(format!("no record: {line}"))),
            }
            self.rest = rest.to_owned();
        }
        Ok(())
    }
}
