//! What ActiveMQ's own tests say of redelivery, on every transport, with equal answers.
//!
//! A number such as S4 is that of the scenario in our list of ActiveMQ's tests. Delays are ActiveMQ's too, in milliseconds;
//! on a real broker a [`Stage`] divides them. As in ActiveMQ's client redelivery blocks unless said otherwise, and a wait of
//! 0 is none.

pub mod broker;
pub mod counts;
pub mod dead_letters;
pub mod delays;
pub mod limits;
pub mod losses;
pub mod order;
mod stage;

pub use stage::{Scene, Stage};

/// One test for each scenario.
///
/// The first argument is an async expression that makes a [`Stage`]; what follows is the attribute that makes a function
/// a test, in brackets when names in between choose some rooms of the suite.
#[macro_export]
macro_rules! scenarios {
    ($stage:expr, $(#[$test:meta])+) => {
        $crate::scenarios! { $stage, [delays limits order losses broker dead_letters counts], [$(#[$test])+] }
    };
    ($stage:expr, [$($room:ident)+], $test:tt) => {
        $($crate::scenarios_of! { $room, $stage, $test })+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! scenarios_of {
    (delays, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ delays:
        waits_are_those_of_the_policy
        an_exponential_chain_stops_at_its_cap
        each_message_has_a_chain_of_its_own
        a_hundred_poison_messages_do_not_lengthen_the_waits_of_one_another
        a_handler_that_fails_at_once_is_called_at_the_pace_of_the_policy_over_one_channel
    } };
    (limits, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ limits:
        a_handler_sees_the_counters_of_jms
        after_the_last_attempt_the_next_message_follows_and_the_letter_tells_why
        without_a_limit_a_message_is_tried_until_it_succeeds
        without_redelivery_the_next_message_follows_at_once
        several_messages_reach_the_limit_together_and_none_is_tried_once_more
        a_message_that_was_given_up_leaves_no_trace_in_the_count_of_the_next
        the_letter_names_the_error_of_the_last_attempt
        what_a_failed_call_forwards_is_not_sent_and_does_not_change_its_count
    } };
    (order, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ order:
        what_failed_is_replayed_before_what_is_buffered
        some_of_a_batch_fail_and_keep_their_order_with_and_without_blocking
        only_the_failed_message_is_overtaken_and_only_without_blocking
        other_consumers_go_on_while_one_blocks
        what_failed_together_comes_again_in_the_same_order_after_all_newer_ones
        every_eleventh_that_fails_once_is_received_in_the_end
        all_that_fail_for_ever_are_tried_equally_often
    } };
    (losses, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ losses:
        a_consumer_that_closes_during_its_call_burns_no_attempt
        a_connection_that_is_cut_during_a_call_burns_no_attempt
        what_was_counted_before_a_cut_in_this_process_may_be_counted_again
        an_ordered_listener_hands_back_the_message_itself_and_counts_anew
    } };
    (broker, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ broker:
        the_broker_waits_as_the_policy_says_and_the_limit_ends_it
        the_broker_redelivers_without_end_and_counts
        what_expires_is_not_redelivered
        a_copy_that_a_redelivered_call_forwards_is_a_new_message
    } };
    (dead_letters, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ dead_letters:
        letters_are_in_the_order_of_their_messages_and_nothing_is_left_in_flight
        discarded_messages_leave_nothing_behind
        copies_of_one_message_become_letters_of_their_own_queues
        copies_of_one_message_all_stay_in_a_shared_dead_letter_queue
        many_messages_that_never_wait_are_tried_and_buried_in_order
        a_letter_that_is_moved_back_may_become_a_letter_again
    } };
    (counts, $($rest:tt)+) => { $crate::scenario_tests! { $($rest)+ counts:
        forged_and_absurd_counters_change_nothing
        the_count_is_kept_while_consumers_come_and_go
    } };
}

#[doc(hidden)]
#[macro_export]
macro_rules! scenario_tests {
    ($stage:expr, $test:tt $room:ident: $($scenario:ident)+) => {
        mod $room {
            #[allow(unused_imports)]
            use super::*;
            $($crate::scenario_test! { $stage, $test, $room, $scenario })+
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! scenario_test {
    ($stage:expr, [$(#[$test:meta])+], $room:ident, $scenario:ident) => {
        $(#[$test])+
        async fn $scenario() {
            $crate::scenarios::$room::$scenario($stage.await).await;
        }
    };
}
