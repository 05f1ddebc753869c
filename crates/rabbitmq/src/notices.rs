//! What the broker says about a link that goes on living.

use hearken_core::transport::Notice;
use lapin::Event;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// Notices that nobody asks for are forgotten in pairs: what is left says the same in the end.
const MOST: usize = 16;

/// The notices of a link, kept until they are asked for.
#[derive(Default)]
pub(crate) struct Notices {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    // Connections of the link that the broker blocks.
    blocked: usize,
    waiting: VecDeque<Notice>,
}

impl Notices {
    /// The next notice. For one caller at a time, which may give up without loss.
    pub(crate) async fn next(&self) -> Notice {
        loop {
            let next = self.state().waiting.pop_front();
            match next {
                Some(notice) => return notice,
                None => self.news.notified().await,
            }
        }
    }

    fn block(&self, reason: &str) {
        let mut state = self.state();
        state.blocked += 1;
        if state.blocked == 1 {
            state.push(Notice::Blocked { reason: reason.to_owned() });
            self.news.notify_one();
        }
    }

    fn unblock(&self) {
        let mut state = self.state();
        state.blocked = state.blocked.saturating_sub(1);
        if state.blocked == 0 {
            state.push(Notice::Unblocked);
            self.news.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, notice: Notice) {
        if self.waiting.len() == MOST {
            self.waiting.drain(..2);
        }
        self.waiting.push_back(notice);
    }
}

/// Whether the broker takes messages of a connection, and why not. An error when nobody watches the connection any more.
pub(crate) type Blocked = watch::Receiver<Option<Arc<str>>>;

/// Passes on what one connection is told. Dropped at its end, which ends a block too.
pub(crate) struct Ear {
    role: &'static str,
    notices: Arc<Notices>,
    blocked: watch::Sender<Option<Arc<str>>>,
}

impl Ear {
    /// `role` is what the connection is for, as the log names it.
    pub(crate) fn new(role: &'static str, notices: Arc<Notices>) -> (Self, Blocked) {
        let (blocked, receiver) = watch::channel(None);
        (Self { role, notices, blocked }, receiver)
    }

    pub(crate) fn hear(&self, event: &Event) {
        let role = self.role;
        match event {
            Event::ConnectionBlocked(reason) => {
                tracing::warn!(target: "hearken::rabbitmq", role, reason, "the broker blocks the connection");
                if self.blocked.send_replace(Some(reason.as_str().into())).is_none() {
                    self.notices.block(reason);
                }
            }
            Event::ConnectionUnblocked => {
                tracing::info!(target: "hearken::rabbitmq", role, "no longer blocked");
                self.unblock();
            }
            Event::Error(error) => {
                let error = crate::error::say(error);
                tracing::debug!(target: "hearken::rabbitmq", role, error, "closed by the broker or the network");
            }
            _ => {}
        }
    }

    fn unblock(&self) {
        if self.blocked.send_replace(None).is_some() {
            self.notices.unblock();
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.unblock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn blocked(reason: &str) -> Event {
        Event::ConnectionBlocked(reason.into())
    }

    fn waiting(notices: &Notices) -> Vec<Notice> {
        std::iter::from_fn(|| notices.next().now_or_never()).collect()
    }

    #[test]
    fn a_link_is_blocked_while_one_of_its_connections_is() {
        let notices = Arc::new(Notices::default());
        let (one, of_one) = Ear::new("consume", notices.clone());
        let (two, _) = Ear::new("publish", notices.clone());
        one.hear(&blocked("low on memory"));
        one.hear(&blocked("low on disk"));
        two.hear(&blocked("low on memory"));
        assert_eq!(waiting(&notices), [Notice::Blocked { reason: "low on memory".into() }]);
        assert_eq!(of_one.borrow().as_deref(), Some("low on disk"));
        one.hear(&Event::ConnectionUnblocked);
        assert_eq!(waiting(&notices), []);
        drop(two);
        assert_eq!(waiting(&notices), [Notice::Unblocked]);
    }

    #[test]
    fn what_nobody_asks_for_is_kept_up_to_a_bound_and_ends_with_the_truth() {
        let notices = Arc::new(Notices::default());
        let (ear, _) = Ear::new("publish", notices.clone());
        for _ in 0..100 {
            ear.hear(&blocked("low on memory"));
            ear.hear(&Event::ConnectionUnblocked);
        }
        ear.hear(&blocked("low on disk"));
        let kept = waiting(&notices);
        assert!(kept.len() <= MOST, "{}", kept.len());
        assert!(matches!(kept.first(), Some(Notice::Blocked { .. })), "the first one is news");
        assert_eq!(kept.last(), Some(&Notice::Blocked { reason: "low on disk".into() }));
    }

    #[tokio::test]
    async fn who_waits_is_told() {
        let notices = Arc::new(Notices::default());
        let asking = tokio::spawn({
            let notices = notices.clone();
            async move { notices.next().await }
        });
        tokio::task::yield_now().await;
        Ear::new("publish", notices.clone()).0.hear(&blocked("low on disk"));
        assert_eq!(asking.await.unwrap(), Notice::Blocked { reason: "low on disk".into() });
    }
}
