use std::time::Duration;

use super::super::{Amendment, Condition, OnExhausted, RedeliveryPolicy, Response, Rule, Still};
use crate::failure::{Failure, FailureKind};
use crate::history::FailureRecord;
use crate::outcome::Outcome;
use crate::verdict::Verdict;

const TWICE: Response = Response::Redeliver(Amendment::new().maximum_redeliveries(2));

fn judge(policy: &RedeliveryPolicy, failure: Failure, attempt: u64) -> Verdict {
    let odd = |name: &str, failure: &Failure| name == "is_odd" && failure.text().contains("odd");
    Verdict::new(failure.into(), attempt, policy, &odd, &mut Still)
}

fn policy(rules: &[Rule]) -> RedeliveryPolicy {
    RedeliveryPolicy::new("test").maximum_redeliveries(5).ruled(rules.to_vec())
}

fn record(kind: FailureKind, text: &str) -> FailureRecord {
    FailureRecord { kind, code: None, text: text.to_owned() }
}

#[test]
fn the_first_rule_that_holds_decides() {
    let policy = policy(&[
        Rule::new(Condition::code("busy"), Response::Defer { after: Duration::from_secs(9) }),
        Rule::new(Condition::Kind(FailureKind::Error), Response::Discard),
        Rule::new(Condition::error_contains("busy"), Response::DeadLetter),
    ]);
    let verdict = judge(&policy, Failure::from("busy").code("busy"), 1);
    assert!(matches!(verdict, Verdict::Defer { failure: Some(_), after } if after.as_secs() == 9));
    let verdict = judge(&policy, Failure::from("busy"), 1);
    assert!(matches!(verdict, Verdict::Abandon { exhausted: false, .. }));
    let verdict = judge(&policy, Failure::new(FailureKind::Timeout, "busy"), 1);
    assert!(matches!(verdict, Verdict::DeadLetter { exhausted: false, .. }));
    let verdict = judge(&policy, Failure::new(FailureKind::Timeout, "slow"), 1);
    assert!(matches!(verdict, Verdict::Redeliver { after, .. } if after.as_secs() == 1));
}

#[test]
fn a_predicate_is_asked_by_its_name() {
    let policy = policy(&[
        Rule::new(Condition::predicate("is_unknown"), Response::Discard),
        Rule::new(Condition::predicate("is_odd"), Response::DeadLetter),
    ]);
    assert!(matches!(judge(&policy, Failure::from("odd"), 1), Verdict::DeadLetter { .. }));
    assert!(matches!(judge(&policy, Failure::from("even"), 1), Verdict::Redeliver { .. }));
}

#[test]
fn a_cause_deep_in_the_chain_is_found() {
    #[derive(Debug, thiserror::Error)]
    #[error("cannot book")]
    struct Booking(#[source] std::num::ParseIntError);
    let policy = policy(&[Rule::new(Condition::error_contains("invalid digit"), Response::Discard)]);
    let failure = Failure::from(Booking("x".parse::<u8>().unwrap_err()));
    assert!(matches!(judge(&policy, failure, 1), Verdict::Abandon { .. }));
}

#[test]
fn a_rule_redelivers_what_would_be_final_and_ends_what_would_come_again() {
    let policy = policy(&[Rule::new(Condition::Kind(FailureKind::Permanent), TWICE)]);
    let verdicts = [1, 2, 3].map(|attempt| judge(&policy, Failure::permanent("gone"), attempt));
    assert!(matches!(
        verdicts,
        [Verdict::Redeliver { .. }, Verdict::Redeliver { .. }, Verdict::DeadLetter { exhausted: true, .. }]
    ));
}

#[test]
fn what_is_exhausted_is_discarded_if_the_policy_says_so_also_under_a_rule() {
    let policy = policy(&[Rule::new(Condition::code("busy"), TWICE)]).on_exhausted(OnExhausted::Discard);
    let verdict = judge(&policy, Failure::from("x").code("busy"), 3);
    assert!(matches!(verdict, Verdict::Abandon { exhausted: true, .. }));
    assert!(matches!(judge(&policy, Failure::from("x"), 6), Verdict::Abandon { exhausted: true, .. }));
}

#[test]
fn a_handlers_wait_replaces_the_wait_of_a_rule_but_not_its_limit() {
    let policy = policy(&[Rule::new(Condition::Kind(FailureKind::Error), TWICE)]);
    let asked = || Outcome::Redeliver { failure: "later".into(), after: Some(Duration::from_secs(77)) };
    let judge = |attempt| Verdict::new(asked(), attempt, &policy, &|_, _| false, &mut Still);
    assert!(matches!(judge(2), Verdict::Redeliver { after, .. } if after.as_secs() == 77));
    assert!(matches!(judge(3), Verdict::DeadLetter { exhausted: true, .. }));
}

#[test]
fn an_amendment_of_the_limit_keeps_the_ladder_and_one_of_a_wait_replaces_it() {
    let aliyun = RedeliveryPolicy::aliyun("aliyun");
    let cut = Amendment::new().maximum_redeliveries(3).apply(&aliyun);
    assert_eq!((cut.limit(), cut.wait(3, &mut Still)), (Some(3), 60_000));
    let endless = Amendment::new().maximum_redeliveries(-1).apply(&aliyun);
    assert_eq!(endless.limit(), Some(i64::MAX.unsigned_abs()));
    let flat = Amendment::new().initial_redelivery_delay(50).apply(&aliyun);
    assert_eq!((flat.limit(), flat.wait(3, &mut Still)), (Some(16), 50));
}

#[test]
fn the_limit_of_a_message_that_comes_back_is_that_of_the_rule_for_its_last_failure() {
    let policy = policy(&[
        Rule::new(Condition::Kind(FailureKind::Timeout), TWICE),
        Rule::new(
            Condition::predicate("is_odd"),
            Response::Redeliver(Amendment::new().maximum_redeliveries(9)),
        ),
        Rule::new(
            Condition::error_contains("never"),
            Response::Redeliver(Amendment::new().maximum_redeliveries(-1)),
        ),
    ]);
    assert_eq!(policy.limit_after(&record(FailureKind::Timeout, "")), Some(2));
    assert_eq!(policy.limit_after(&record(FailureKind::Error, "x")), Some(9), "the predicate may have held");
    assert_eq!(policy.limit_after(&record(FailureKind::Error, "never")), None);
}
