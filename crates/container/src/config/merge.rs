//! Layers one over the other. Figment merges, and remembers for every value which layer it is from.

use std::collections::BTreeMap;

use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};

use super::layer::{Given, KeyPath, Layer, List};
use super::node::Scalar;
use super::spot::Spot;

/// The layers, later over earlier, and which of them each value is from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    layers: Vec<Layer>,
    winners: BTreeMap<KeyPath, usize>,
}

struct Numbered<'a> {
    number: usize,
    layer: &'a Layer,
}

impl Provider for Numbered<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.number.to_string())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let mut root = Dict::new();
        for (path, given) in &self.layer.values {
            insert(&mut root, path, leaf(&given.scalar));
        }
        Ok(Profile::Default.collect(root))
    }
}

fn insert(dict: &mut Dict, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            dict.insert(key.clone(), value);
        }
        [word, rest @ ..] => {
            let entry = dict.entry(word.clone()).or_insert_with(|| Value::from(Dict::new()));
            if !matches!(entry, Value::Dict(..)) {
                *entry = Value::from(Dict::new());
            }
            if let Value::Dict(_, inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}

fn leaf(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Text(text) => Value::from(text.as_str()),
        Scalar::Integer { written, .. } | Scalar::Float { written, .. } => Value::from(written.as_str()),
        Scalar::Boolean(value) => Value::from(*value),
        Scalar::Other(what) => Value::from(*what),
    }
}

impl Merged {
    pub(crate) fn new(layers: Vec<Layer>) -> Self {
        let figment = layers
            .iter()
            .enumerate()
            .fold(Figment::new(), |figment, (number, layer)| figment.merge(Numbered { number, layer }));
        let mut winners = BTreeMap::new();
        if let Ok(Value::Dict(_, root)) = figment.find_value("") {
            collect(&figment, &root, &mut Vec::new(), &mut winners);
        }
        Self { layers, winners }
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The value at a path, from the last layer that has it.
    pub(crate) fn get<T: AsRef<str>>(&self, path: &[T]) -> Option<&Given> {
        let path: KeyPath = path.iter().map(|word| word.as_ref().to_owned()).collect();
        self.layers.get(*self.winners.get(&path)?)?.values.get(&path)
    }

    /// The list at a path, from the last layer that has it.
    pub(crate) fn list<T: AsRef<str>>(&self, path: &[T]) -> Option<&List> {
        let path: KeyPath = path.iter().map(|word| word.as_ref().to_owned()).collect();
        self.layers.iter().rev().find_map(|layer| layer.lists.get(&path))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &KeyPath> {
        self.winners.keys()
    }

    /// The names of the tables below `word` in any layer, with the first place of each.
    pub(crate) fn named(&self, word: &str) -> BTreeMap<&str, &Spot> {
        let mut names = BTreeMap::new();
        for (path, spot) in self.layers.iter().flat_map(|layer| &layer.tables) {
            if let [first, name] = path.as_slice()
                && first == word
            {
                names.entry(name.as_str()).or_insert(spot);
            }
        }
        names
    }
}

fn collect(figment: &Figment, dict: &Dict, path: &mut KeyPath, winners: &mut BTreeMap<KeyPath, usize>) {
    for (key, value) in dict {
        path.push(key.clone());
        match value {
            Value::Dict(_, inner) => collect(figment, inner, path, winners),
            leaf => {
                let metadata = figment.get_metadata(leaf.tag());
                if let Some(number) = metadata.and_then(|metadata| metadata.name.parse().ok()) {
                    winners.insert(path.clone(), number);
                }
            }
        }
        path.pop();
    }
}
