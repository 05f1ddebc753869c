//! One suite for every transport, with equal answers.
//!
//! A transport's tests make a [`Rig`] and call [`conformance!`](macro@crate::conformance); each scenario becomes one test.
//! On the embedded broker the suite runs in virtual time; on a real broker its waits are short.

mod bench;
pub mod consumers;
pub mod dead_letters;
pub mod delays;
pub mod expiry;
pub mod order;
pub mod redelivery;
pub mod settlement;
pub mod transactions;

pub use bench::{Bench, Rig, Step};

/// One test for each scenario of the suite.
///
/// The first argument is an async expression that makes a [`Rig`](crate::conformance::Rig); what follows is the
/// attribute that makes a function a test.
#[macro_export]
macro_rules! conformance {
    ($rig:expr, $(#[$test:meta])+) => {
        $crate::conformance_tests! { $rig, [$(#[$test])+]
            settlement: {
                success_is_acknowledged_once,
                a_failure_comes_again_and_is_then_acknowledged,
                actions_do_what_they_say,
                a_deferred_message_burns_no_attempt,
                what_is_buffered_at_a_stop_is_handed_back_in_order,
            }
            redelivery: {
                a_limit_of_n_means_n_plus_one_calls,
                no_redelivery_means_one_call,
                a_handler_sees_its_attempt_and_earlier_failure,
                permanent_and_undecodable_messages_are_not_tried_again,
                panics_and_timeouts_are_tried_again,
                the_count_survives_a_restart_in_broker_mode,
                a_forged_count_changes_nothing,
            }
            order: {
                an_ordered_listener_is_never_overtaken,
                a_non_blocking_listener_is_overtaken,
            }
            delays: {
                waits_follow_the_policy_in_client_mode,
                waits_follow_the_policy_in_broker_mode,
                short_waits_in_broker_mode_are_exact_below_a_second,
                a_zero_wait_is_paced_by_the_container,
                an_immediate_zero_wait_is_immediate,
            }
            dead_letters: {
                a_dead_letter_tells_its_story,
                body_id_and_headers_survive,
                an_individual_dead_letter_queue_is_used,
                discarding_drops_the_message,
            }
            expiry: {
                a_message_that_expired_is_never_handled_and_becomes_a_dead_letter,
            }
            consumers: {
                a_single_active_consumer_hands_over_in_order,
                consumers_of_higher_priority_are_served_first,
                an_exclusive_consumer_is_alone,
                an_auto_delete_queue_lives_with_its_consumers,
                a_temporary_queue_is_named_by_the_broker_and_filled_by_its_exchange,
            }
            transactions: {
                success_commits_before_it_acknowledges,
                an_error_rolls_back_before_it_redelivers,
                a_panic_rolls_back,
                a_timeout_rolls_back,
                a_failing_begin_is_a_failed_attempt_without_a_call,
                a_failing_commit_is_a_failed_attempt,
                publishes_of_a_failed_call_are_never_sent,
                publishes_of_a_successful_call_are_confirmed_before_the_acknowledgement,
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($rig:expr, $test:tt $($module:ident: { $($scenario:ident,)+ })+) => {
        $(mod $module {
            #[allow(unused_imports)]
            use super::*;
            $($crate::conformance_test! { $rig, $test, $module, $scenario })+
        })+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! conformance_test {
    ($rig:expr, [$(#[$test:meta])+], $module:ident, $scenario:ident) => {
        $(#[$test])+
        async fn $scenario() {
            $crate::conformance::$module::$scenario($rig.await).await;
        }
    };
}
