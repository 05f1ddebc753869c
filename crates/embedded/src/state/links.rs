use super::State;
use super::effects::Effects;
use super::slab::ConsumerId;
use hearken_core::transport::{Notice, PublishError, TransportError, TransportErrorKind};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::task::{Poll, Waker};
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkId(u64);

/// The open links with their consumers. Ordered maps: what is woken first must not depend on a hash.
#[derive(Default)]
pub(crate) struct Links {
    open: BTreeMap<LinkId, OpenLink>,
    last: u64,
    refusing: bool,
}

#[derive(Default)]
struct OpenLink {
    consumers: BTreeSet<ConsumerId>,
    /// What it has not yet asked for.
    notices: VecDeque<Notice>,
    waker: Option<Waker>,
}

impl Links {
    /// The consumers of an open link.
    pub(crate) fn consumers(&mut self, link: LinkId) -> Result<&mut BTreeSet<ConsumerId>, TransportError> {
        self.open.get_mut(&link).map(|link| &mut link.consumers).ok_or_else(gone)
    }

    pub(crate) fn forget(&mut self, link: LinkId, consumer: ConsumerId) {
        if let Some(link) = self.open.get_mut(&link) {
            link.consumers.remove(&consumer);
        }
    }

    /// Tells every open link.
    pub(crate) fn tell(&mut self, notice: &Notice, effects: &mut Effects) {
        for link in self.open.values_mut() {
            link.notices.push_back(notice.clone());
            effects.wake(link.waker.take());
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
        let notices = self.first_notice().into_iter().collect();
        self.links.open.insert(id, OpenLink { notices, ..OpenLink::default() });
        Ok(id)
    }

    /// The next notice to a link; else its waker is kept. A link that is gone hears nothing.
    pub(crate) fn next_notice(&mut self, id: LinkId, waker: &Waker) -> Poll<Notice> {
        let Some(link) = self.links.open.get_mut(&id) else { return Poll::Pending };
        if let Some(notice) = link.notices.pop_front() {
            return Poll::Ready(notice);
        }
        link.waker = Some(waker.clone());
        Poll::Pending
    }

    /// Ends a link; its consumers, if it still has any, fail and give back what they had. Nothing happens if it was cut.
    pub(crate) fn close_link(&mut self, id: LinkId, now: Instant) {
        if let Some(link) = self.links.open.remove(&id) {
            self.end_consumers(link.consumers, gone, now);
            self.fail_waiting(Some(id));
        }
    }

    /// Loses every open link.
    pub(crate) fn cut_links(&mut self, now: Instant) {
        let links = std::mem::take(&mut self.links.open);
        self.end_consumers(links.into_values().flat_map(|link| link.consumers), gone, now);
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
