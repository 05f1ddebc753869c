use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The exchanges that have answered a message: they exist, and this user may publish to them.
///
/// As many as the broker has had, at most: one that is missing never gets in.
#[derive(Default)]
pub(super) struct Proven(Mutex<HashSet<Arc<str>>>);

impl Proven {
    pub(super) fn has(&self, exchange: &str) -> bool {
        self.exchanges().contains(exchange)
    }

    /// Takes in how the last messages to an exchange went: each answered, or not.
    pub(super) fn learn(&self, exchange: &Arc<str>, answered: bool) {
        let mut exchanges = self.exchanges();
        if !answered {
            exchanges.remove(exchange);
        } else if !exchanges.contains(exchange) {
            exchanges.insert(exchange.clone());
        }
    }

    fn exchanges(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_proven_from_its_first_answer_until_one_is_missing() {
        let (proven, orders) = (Proven::default(), Arc::from("orders"));
        assert!(!proven.has("orders"));
        proven.learn(&orders, true);
        assert!(proven.has("orders") && !proven.has("bills"));
        proven.learn(&orders, false);
        assert!(!proven.has("orders"));
    }
}
