use super::slab::QueueId;
use std::collections::HashMap;

/// The bindings of a topic exchange: a trie of words, walked as a set of states.
///
/// A walk costs (words of the key) × (states alive), whatever the patterns: backtracking over several `#` would cost
/// a power of the key's length, and keys come from senders.
pub(crate) struct Topics {
    bindings: Vec<(String, QueueId)>,
    nodes: Vec<Node>,
    alive: Vec<usize>,
    next: Vec<usize>,
    round: u64,
}

#[derive(Default)]
struct Node {
    words: HashMap<Box<str>, usize>,
    star: Option<usize>,
    hash: Option<usize>,
    /// Reached by `#`: stays alive over any word.
    stays: bool,
    queues: Vec<QueueId>,
    seen: u64,
}

impl Topics {
    pub(crate) fn new() -> Self {
        Self {
            bindings: Vec::new(),
            nodes: vec![Node::default()],
            alive: Vec::new(),
            next: Vec::new(),
            round: 0,
        }
    }

    pub(crate) fn bind(&mut self, pattern: &str, queue: QueueId) {
        if !self.bindings.iter().any(|(known, to)| *to == queue && known == pattern) {
            self.bindings.push((pattern.to_owned(), queue));
            self.plant(pattern, queue);
        }
    }

    pub(crate) fn unbind_all(&mut self, queue: QueueId) {
        self.bindings.retain(|(_, to)| *to != queue);
        self.nodes = vec![Node::default()];
        for (pattern, queue) in std::mem::take(&mut self.bindings) {
            self.plant(&pattern, queue);
            self.bindings.push((pattern, queue));
        }
    }

    /// Adds the queues bound for `key`, a queue perhaps more than once.
    pub(crate) fn route(&mut self, key: &str, queues: &mut Vec<QueueId>) {
        self.alive.clear();
        self.round += 1;
        enter(&mut self.nodes, &mut self.alive, self.round, 0);
        for word in words(key) {
            self.next.clear();
            self.round += 1;
            for &at in &self.alive {
                let node = &self.nodes[at];
                let stays = node.stays.then_some(at);
                let steps = [node.words.get(word).copied(), node.star, stays];
                for to in steps.into_iter().flatten() {
                    enter(&mut self.nodes, &mut self.next, self.round, to);
                }
            }
            std::mem::swap(&mut self.alive, &mut self.next);
        }
        for &at in &self.alive {
            queues.extend_from_slice(&self.nodes[at].queues);
        }
    }

    fn plant(&mut self, pattern: &str, queue: QueueId) {
        let mut at = 0;
        for word in words(pattern) {
            let fresh = self.nodes.len();
            let node = &mut self.nodes[at];
            at = match word {
                "*" => *node.star.get_or_insert(fresh),
                "#" => *node.hash.get_or_insert(fresh),
                word => *node.words.entry(word.into()).or_insert(fresh),
            };
            if at == fresh {
                self.nodes.push(Node { stays: word == "#", ..Node::default() });
            }
        }
        self.nodes[at].queues.push(queue);
    }
}

/// Makes a state alive, and with it the state behind a `#`, which may match no word at all.
fn enter(nodes: &mut [Node], alive: &mut Vec<usize>, round: u64, at: usize) {
    let mut next = Some(at);
    while let Some(at) = next {
        let node = &mut nodes[at];
        if std::mem::replace(&mut node.seen, round) == round {
            return;
        }
        alive.push(at);
        next = node.hash;
    }
}

/// The words of a key or pattern. As in RabbitMQ an empty key has none, and every dot separates two.
fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split('.').filter(move |_| !key.is_empty())
}
