use super::State;
use super::slab::ConsumerId;
use hearken_core::transport::{PublishError, TransportError, TransportErrorKind};
use std::collections::{BTreeMap, BTreeSet};
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkId(u64);

/// The open links with their consumers. Ordered maps: what is woken first must not depend on a hash.
#[derive(Default)]
pub(crate) struct Links {
    open: BTreeMap<LinkId, BTreeSet<ConsumerId>>,
    last: u64,
    refusing: bool,
}

impl Links {
    /// The consumers of an open link.
    pub(crate) fn consumers(&mut self, link: LinkId) -> Result<&mut BTreeSet<ConsumerId>, TransportError> {
        self.open.get_mut(&link).ok_or_else(gone)
    }

    pub(crate) fn forget(&mut self, link: LinkId, consumer: ConsumerId) {
        if let Some(consumers) = self.open.get_mut(&link) {
            consumers.remove(&consumer);
        }
    }
}

/// The error of whatever was tried on a link that is no longer open.
pub(crate) fn gone() -> TransportError {
    TransportError::new(
        TransportErrorKind::ConnectionLost,
        "the connection to the embedded broker is gone: a new one is needed",
    )
}

impl State {
    /// Opens a link.
    pub(crate) fn open_link(&mut self) -> Result<LinkId, TransportError> {
        if self.links.refusing {
            let text = "the embedded broker refuses connections, as it was told to";
            return Err(TransportError::new(TransportErrorKind::Unreachable, text));
        }
        self.links.last += 1;
        let id = LinkId(self.links.last);
        self.links.open.insert(id, BTreeSet::new());
        Ok(id)
    }

    /// Ends a link; its consumers, if it still has any, fail and give back what they had. Nothing happens if it was cut.
    pub(crate) fn close_link(&mut self, id: LinkId, now: Instant) {
        if let Some(consumers) = self.links.open.remove(&id) {
            self.end_consumers(consumers, gone, now);
            self.fail_waiting(Some(id));
        }
    }

    /// Loses every open link.
    pub(crate) fn cut_links(&mut self, now: Instant) {
        let links = std::mem::take(&mut self.links.open);
        self.end_consumers(links.into_values().flatten(), gone, now);
        self.fail_waiting(None);
    }

    pub(crate) fn refuse_connections(&mut self, refuse: bool) {
        self.links.refusing = refuse;
    }

    /// Refuses a link that is no longer open.
    pub(crate) fn check_open(&self, link: LinkId) -> Result<(), TransportError> {
        if self.links.open.contains_key(&link) { Ok(()) } else { Err(gone()) }
    }

    /// Whether something may still be published through this link; `None` is the broker's own interface.
    pub(crate) fn check_link(&self, link: Option<LinkId>) -> Result<(), PublishError> {
        if link.is_none_or(|link| self.links.open.contains_key(&link)) {
            return Ok(());
        }
        Err(PublishError::unknown("the connection to the embedded broker is gone"))
    }
}
