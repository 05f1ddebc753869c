//! An alarm as brokers raise it: what links publish is not taken in for now, and consuming goes on.

use super::State;
use super::effects::Answer;
use super::links::LinkId;
use super::publish::{Attempt, Offer, Turn};
use super::waiting::Ticket;
use hearken_core::message::Message;
use hearken_core::transport::{Notice, Outgoing, PublishError};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Whether there is an alarm, and what waits for its end, in order.
#[derive(Default)]
pub(crate) struct Alarm {
    reason: Option<String>,
    held: BTreeMap<u64, Held>,
}

struct Held {
    work: Work,
    link: LinkId,
    answer: Answer,
}

/// What a link asked for.
pub(super) enum Work {
    Publish(Box<Outgoing>),
    Redeliver { queue: String, copy: Box<Message>, after: Duration },
}

impl State {
    /// Raises an alarm, or ends it by `None`. Links are told of a change only.
    pub(crate) fn set_alarm(&mut self, reason: Option<String>, now: Instant) {
        let was_on = self.alarm.reason.is_some();
        self.alarm.reason = reason;
        if was_on == self.alarm.reason.is_some() {
            return;
        }
        let notice = self.alarm_notice();
        self.links.tell(&notice, &mut self.effects);
        if self.alarm.reason.is_none() {
            for (key, held) in std::mem::take(&mut self.alarm.held) {
                self.let_in(key, held, now);
            }
        }
    }

    /// What a link is told first: of an alarm that goes on already, if there is one.
    pub(super) fn first_notice(&self) -> Option<Notice> {
        self.alarm.reason.is_some().then(|| self.alarm_notice())
    }

    fn alarm_notice(&self) -> Notice {
        match &self.alarm.reason {
            Some(reason) => Notice::Blocked { reason: reason.clone() },
            None => Notice::Unblocked,
        }
    }

    /// The link whose messages are held; `None` is the broker's own interface, which no alarm concerns.
    pub(super) fn held(&self, link: Option<LinkId>) -> Option<LinkId> {
        link.filter(|_| self.alarm.reason.is_some())
    }

    pub(super) fn hold(&mut self, link: LinkId, work: Work) -> Attempt {
        let (sender, answer) = oneshot::channel();
        let key = self.waiting.next_key();
        self.alarm.held.insert(key, Held { work, link, answer: sender });
        Attempt::Waiting(Ticket { key, answer })
    }

    fn let_in(&mut self, key: u64, held: Held, now: Instant) {
        let Held { work, link, answer } = held;
        let result = match work {
            Work::Redeliver { queue, copy, after } => self.put_copy(&queue, *copy, after, now),
            Work::Publish(outgoing) => match self.offer(*outgoing, Turn::New, now) {
                Offer::Settled(result) => result,
                Offer::Full(outgoing, queue) => {
                    self.wait_for_room(key, Some(link), outgoing, queue, answer);
                    return;
                }
            },
        };
        self.effects.answer(answer, result);
    }

    /// Ends something held: the refusal to answer with, or nothing if it is not held.
    pub(super) fn give_up_held(&mut self, key: u64) -> Option<PublishError> {
        self.alarm.held.remove(&key)?;
        let reason = self.alarm.reason.as_deref().unwrap_or_default();
        Some(PublishError::Refused { reason: format!("the broker takes no messages: {reason}") })
    }

    /// Fails what is held for one link, or for any.
    pub(super) fn fail_held(&mut self, link: Option<LinkId>) {
        let ended: Vec<_> = self
            .alarm
            .held
            .extract_if(.., |_, held| link.is_none_or(|link| held.link == link))
            .map(|(_, held)| held.answer)
            .collect();
        for answer in ended {
            let error = PublishError::unknown("the connection to the embedded broker was lost");
            self.effects.answer(answer, Err(error));
        }
    }
}
