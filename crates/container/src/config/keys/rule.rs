use crate::config::key::{Kind, Row, Table};

const fn row(key: &'static str, kind: Kind, doc: &'static str) -> Row {
    Row::new(Table::Rule, key, kind, doc).owner("hearken-core")
}

const fn refused(key: &'static str, reason: &'static str) -> Row {
    Row::refused(Table::Rule, key, reason)
}

/// The kinds of failures that rules hear of. The death of the process is none: nobody is left to ask.
const KINDS: &[&str] = &["error", "permanent", "undecodable", "panic", "timeout", "transaction"];

/// What a rule can do about a failure.
const RESPONSES: &[&str] = &["redeliver", "dead-letter", "discard", "defer", "pause"];

const OWN: &str = "Only with then = \"redeliver\". Default: that of the policy.";

/// `[[redelivery.NAME.rules]]`.
pub(super) const ROWS: &[Row] = &[
    row(
        "kind",
        Kind::Choice(KINDS),
        "The rule is for failures of this kind. A rule has one condition: this, code, errorContains or predicate.",
    ),
    row("code", Kind::NAME, "The rule is for failures with this code, given by `Failure::code`."),
    row(
        "errorContains",
        Kind::Text { empty: false, longest: 1024 },
        "The rule is for failures where the text of the error or of one of its causes contains this, case and all.",
    ),
    row(
        "predicate",
        Kind::NAME,
        "The rule is for failures that this function accepts, registered by `Builder::failure_predicate`.",
    ),
    row(
        "then",
        Kind::Choice(RESPONSES),
        "What is done. redeliver: again, with limits or delays of the rule's own; dead-letter and discard: at once; defer: \
         again after `for`, without burning an attempt, so without a limit; pause: the listener pauses for the time of `for` \
         and then tries one message, all others stay with the broker, no attempt is burned. Needed.",
    ),
    row(
        "for",
        Kind::duration(1),
        "How long: the wait of defer, the pause of pause. Needed there, and only there.",
    ),
    row("maximumRedeliveries", Kind::Integer { min: -1, max: i64::MAX }, OWN),
    row("initialRedeliveryDelay", Kind::DELAY, OWN),
    row("redeliveryDelay", Kind::DELAY, OWN),
    row("maximumRedeliveryDelay", Kind::DELAY_OR_UNLIMITED, OWN),
    row("useExponentialBackOff", Kind::Boolean, OWN),
    row("backOffMultiplier", Kind::Decimal, OWN),
    row("useCollisionAvoidance", Kind::Boolean, OWN),
    row("collisionAvoidancePercent", Kind::Percent, OWN),
];

const POLICY: &str = "belongs to the policy: a rule changes limits and delays";

/// Keys of a policy that no rule has.
pub(super) const REFUSED: &[Row] = &[
    refused("formula", POLICY),
    refused("preset", POLICY),
    refused(
        "maxReconsumeTimes",
        "is no key of a rule: write maximumRedeliveries, which cuts or extends a preset too",
    ),
    refused("onExhausted", POLICY),
    refused("preDispatchCheck", POLICY),
    refused("rules", "is no key of a rule"),
];

#[cfg(test)]
mod tests {
    use hearken_core::failure::FailureKind;

    #[test]
    fn every_kind_is_one_of_failures() {
        assert!(super::KINDS.iter().all(|kind| FailureKind::from_name(kind).is_some()));
    }
}
