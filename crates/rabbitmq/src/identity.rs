use hearken_core::message::Message;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// How much of a body counts: enough to tell messages apart whose sender uses an id twice.
const BODY: usize = 1_024;

/// Names attempts across deliveries, for as long as the process lives.
#[derive(Clone, Default)]
pub(crate) struct Identities(RandomState);

impl Identities {
    /// What identifies this attempt at this message; `None` for a message without an id, since two equal messages are
    /// two messages.
    pub(crate) fn of(&self, queue: &str, attempts: u64, message: &Message) -> Option<u64> {
        let id = message.id()?;
        let mut hasher = self.0.build_hasher();
        let body = message.body();
        (queue, id, attempts, body.len(), &body[..body.len().min(BODY)]).hash(&mut hasher);
        message.properties().correlation_id.hash(&mut hasher);
        message.properties().timestamp.hash(&mut hasher);
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_known_again_and_told_from_every_other() {
        let identities = Identities::default();
        let message = Message::new("body").with_id("1");
        let of = |queue, attempts, message: &Message| identities.of(queue, attempts, message);
        let identity = of("q", 0, &message);
        assert_eq!(identity, identities.clone().of("q", 0, &message));
        let other_body = Message::new("other").with_id("1");
        let others = [of("r", 0, &message), of("q", 1, &message), of("q", 0, &other_body)];
        assert!(others.iter().all(|other| other.is_some() && *other != identity));
        assert_eq!(of("q", 0, &Message::new("body")), None);
    }
}
