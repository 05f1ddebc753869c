use super::slab::QueueId;
use super::topic::Topics;
use hearken_core::transport::BindingKind;
use std::collections::HashMap;
use std::sync::Arc;

/// An exchange and what is bound to it.
pub(crate) struct Exchange {
    pub(crate) name: Arc<str>,
    bindings: Bindings,
}

enum Bindings {
    Direct(HashMap<String, Vec<QueueId>>),
    Topic(Topics),
    Fanout(Vec<QueueId>),
}

impl Exchange {
    pub(crate) fn new(name: &str, kind: BindingKind) -> Self {
        let bindings = match kind {
            BindingKind::Direct => Bindings::Direct(HashMap::new()),
            BindingKind::Topic => Bindings::Topic(Topics::new()),
            BindingKind::Fanout => Bindings::Fanout(Vec::new()),
        };
        Self { name: name.into(), bindings }
    }

    pub(crate) fn kind(&self) -> BindingKind {
        match self.bindings {
            Bindings::Direct(_) => BindingKind::Direct,
            Bindings::Topic(_) => BindingKind::Topic,
            Bindings::Fanout(_) => BindingKind::Fanout,
        }
    }

    /// Binds a queue; a second time changes nothing.
    pub(crate) fn bind(&mut self, key: &str, queue: QueueId) {
        match &mut self.bindings {
            Bindings::Direct(keys) => add(keys.entry(key.to_owned()).or_default(), queue),
            Bindings::Topic(topics) => topics.bind(key, queue),
            Bindings::Fanout(queues) => add(queues, queue),
        }
    }

    /// Removes every binding of a queue.
    pub(crate) fn unbind_all(&mut self, queue: QueueId) {
        match &mut self.bindings {
            Bindings::Direct(keys) => keys.retain(|_, queues| {
                queues.retain(|bound| *bound != queue);
                !queues.is_empty()
            }),
            Bindings::Topic(topics) => topics.unbind_all(queue),
            Bindings::Fanout(queues) => queues.retain(|bound| *bound != queue),
        }
    }

    /// Adds the queues bound for `key`, each once.
    pub(crate) fn route(&mut self, key: &str, into: &mut Vec<QueueId>) {
        match &mut self.bindings {
            Bindings::Direct(keys) => into.extend(keys.get(key).into_iter().flatten()),
            Bindings::Topic(topics) => {
                topics.route(key, into);
                into.sort_unstable();
                into.dedup();
            }
            Bindings::Fanout(queues) => into.extend_from_slice(queues),
        }
    }
}

fn add(queues: &mut Vec<QueueId>, queue: QueueId) {
    if !queues.contains(&queue) {
        queues.push(queue);
    }
}
