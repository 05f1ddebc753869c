use std::collections::BTreeMap;

use super::key::Table;
use super::node::Scalar;
use super::spot::Spot;

/// The path of a key: the words of its tables and the key in its own spelling.
pub(crate) type KeyPath = Vec<String>;

/// A value as given, with the places of its key and of itself.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) scalar: Scalar,
    /// Texts of environment variables, and what a placeholder stands for, may spell a value of any type.
    pub(crate) lenient: bool,
    pub(crate) key: Spot,
    pub(crate) value: Spot,
}

impl Given {
    pub(crate) fn is_placeholder(&self) -> bool {
        matches!(&self.scalar, Scalar::Text(text) if text.contains("${"))
    }
}

/// A list of tables of one sort.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) table: Table,
    pub(crate) key: Spot,
    pub(crate) items: Vec<Item>,
}

/// One table of a list: its keys in their own spelling.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) spot: Spot,
    /// Whether all of it was understood: what is missing otherwise may only be misspelt.
    pub(crate) clear: bool,
    pub(crate) values: BTreeMap<String, Given>,
}

/// What one source says: a file, the environment, the application's code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer {
    pub(crate) values: BTreeMap<KeyPath, Given>,
    /// The lists of tables. One list takes the place of another as a whole.
    pub(crate) lists: BTreeMap<KeyPath, List>,
    /// The tables that the source names, also empty ones.
    pub(crate) tables: BTreeMap<KeyPath, Spot>,
}
