use crate::delay::fnv_1a;
use std::sync::Arc;

/// What AMQP carries as a name, in bytes.
const LONGEST: usize = 255;

/// The names of hearken's own objects. Another number of levels or other arguments would need another version.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    prefix: Arc<str>,
    deliver: Arc<str>,
}

impl Names {
    pub(crate) fn new(application: &str) -> Self {
        let prefix = format!("hearken.v1.{application}");
        Self { deliver: format!("{prefix}.deliver").into(), prefix: prefix.into() }
    }

    /// The exchange that every copy arrives through; who may write to it is trusted.
    pub(crate) fn deliver(&self) -> &Arc<str> {
        &self.deliver
    }

    /// Whether a message that arrived by this exchange came through the deliver exchange. A broker names the exchange a
    /// message was (re)published to, not those it was routed on to: a copy that leaves a level arrives under the name
    /// of the next level's exchange.
    pub(crate) fn is_own(&self, exchange: &str) -> bool {
        exchange == &*self.deliver
            || exchange
                .strip_prefix(&*self.prefix)
                .and_then(|rest| rest.strip_prefix(".l"))
                .is_some_and(|level| level.len() == 2 && level.bytes().all(|digit| digit.is_ascii_digit()))
    }

    /// Exchange and queue of copies whose queue is gone.
    pub(crate) fn orphans(&self) -> String {
        format!("{}.orphans", self.prefix)
    }

    /// The queue of a listener's deliveries that may have ended a process.
    pub(crate) fn suspects(&self, listener: &str) -> String {
        let name = format!("{}.suspects.{listener}", self.prefix);
        match name.len() <= LONGEST {
            true => name,
            false => format!("{}.suspects.{:016x}", self.prefix, fnv_1a(listener.as_bytes())),
        }
    }

    /// Exchange and queue of a delay level.
    pub(crate) fn level(&self, level: u32) -> String {
        format!("{}.l{level:02}", self.prefix)
    }

    /// The exchange a message with this highest level, or none, is published to.
    pub(crate) fn entrance(&self, level: Option<u32>) -> Arc<str> {
        level.map_or_else(|| self.deliver.clone(), |level| self.level(level).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listener_has_a_suspect_queue_of_its_own_with_a_name_that_amqp_carries() {
        let names = Names::new("shop");
        assert_eq!(names.suspects("on_order"), "hearken.v1.shop.suspects.on_order");
        let names = Names::new(&"a".repeat(200));
        let (one, two) = (names.suspects(&"l".repeat(100)), names.suspects(&"l".repeat(101)));
        assert!(one.len() <= LONGEST && two.len() <= LONGEST && one != two);
    }

    #[test]
    fn the_exchanges_of_the_levels_are_own_and_no_others() {
        let names = Names::new("shop");
        assert!(
            names.is_own(names.deliver()) && names.is_own(&names.level(0)) && names.is_own(&names.level(13))
        );
        for other in [
            "",
            "amq.topic",
            "hearken.v1.shop",
            "hearken.v1.shop.l1",
            "hearken.v1.shop.l001",
            "hearken.v1.shops.l01",
        ] {
            assert!(!names.is_own(other), "{other}");
        }
    }
}
