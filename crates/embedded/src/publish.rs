use crate::shared::Shared;
use crate::state::{Attempt, LinkId, Ticket};
use hearken_core::transport::{Outgoing, PublishError};
use std::sync::Arc;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

/// Publishes, waiting for room where a queue is full and for the end of an alarm. Nothing is published once the future was dropped, unless it was
/// answered just then.
pub(crate) async fn publish(
    shared: Arc<Shared>,
    link: Option<LinkId>,
    outgoing: Outgoing,
) -> Result<(), PublishError> {
    // Never pending by itself, a publisher in a loop would keep its thread from everyone else.
    consume_budget().await;
    let attempt = shared.step(|state, now| state.publish(link, outgoing, now));
    answered(shared, attempt).await
}

/// The answer to an attempt that perhaps waits: for room, or for the end of an alarm.
pub(crate) async fn answered(shared: Arc<Shared>, attempt: Attempt) -> Result<(), PublishError> {
    let Ticket { key, mut answer } = match attempt {
        Attempt::Settled(result) => return result,
        Attempt::Waiting(ticket) => ticket,
    };
    let place = Place { shared, key };
    let lost = || PublishError::unknown("the embedded broker is gone");
    if let Ok(answer) = timeout(place.shared.publish_timeout(), &mut answer).await {
        return answer.unwrap_or_else(|_| Err(lost()));
    }
    match place.give_up() {
        Some(refusal) => Err(refusal),
        // Answered between the two.
        None => answer.await.unwrap_or_else(|_| Err(lost())),
    }
}

/// The place of a publish that waits. Left when dropped.
struct Place {
    shared: Arc<Shared>,
    key: u64,
}

impl Place {
    fn give_up(&self) -> Option<PublishError> {
        self.shared.step(|state, _| state.give_up(self.key))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.give_up();
    }
}
