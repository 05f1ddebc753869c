//! What values come down to in the settings of a listener.

use std::time::Duration;

use hearken_container::config::{DeadLetterTarget, ListenerSettings, MissingQueue, RedeliveryMode};
use hearken_container::{BackOff, Concurrency};
use hearken_core::listener::AttributeValue::{Boolean, Decimal, Integer, Text};
use hearken_core::redelivery::{RedeliveryPolicy, ZeroDelay};
use hearken_core::transport::{Binding, BindingKind, QueueLifetime, QueueType};

use crate::fixture::{Fixture, file};

fn listener(fixture: &Fixture) -> ListenerSettings {
    fixture.accepted().listeners()["a"].clone()
}

#[test]
fn a_listener_with_a_queue_only_has_the_defaults() {
    let settings = listener(&Fixture::new().listener("a", &[("queue", Text("orders"))]));
    assert_eq!(settings.queue, "orders");
    assert_eq!(settings.queue_type, QueueType::Quorum);
    assert_eq!(settings.lifetime, QueueLifetime::Durable);
    assert!(!settings.exclusive && !settings.single_active_consumer);
    assert_eq!(settings.consumer_priority, None);
    assert_eq!(settings.binding, None);
    assert_eq!((settings.concurrency, settings.prefetch), (Concurrency::ONE, 50));
    assert_eq!((settings.idle_consumer_limit, settings.idle_receives_per_task_limit), (1, 10));
    assert_eq!((settings.phase, settings.missing_queue), (i32::MAX, MissingQueue::Retry));
    assert!(!settings.accept_messages_while_stopping);
    assert_eq!(settings.receive_timeout, Duration::from_secs(1));
    assert_eq!(settings.recovery_interval, Duration::from_secs(5));
    assert_eq!(settings.back_off, BackOff::fixed(Duration::from_secs(5)));
    assert_eq!(*settings.policy, RedeliveryPolicy::default());
    assert_eq!(settings.redelivery_mode, RedeliveryMode::Auto);
    assert!(settings.non_blocking && settings.auto_startup);
    assert_eq!(settings.zero_delay, ZeroDelay::Container);
    assert_eq!(settings.transaction_manager, "session");
    assert_eq!((settings.error_handler, settings.exception_listener), (None, None));
    assert_eq!(settings.shutdown_timeout, Duration::from_secs(30));
    assert_eq!(settings.handler_timeout, None);
    assert_eq!(settings.dead_letter, DeadLetterTarget::Queue("ActiveMQ.DLQ".to_owned()));
    assert_eq!(settings.hold_limit, Duration::from_secs(600));
}

#[test]
fn attribute_values_of_every_type_are_read() {
    let settings = listener(&Fixture::new().listener(
        "a",
        &[
            ("queue", Text("orders")),
            ("concurrency", Integer(4)),
            ("handlerTimeout", Text("1m30s")),
            ("shutdownTimeout", Text("2m")),
            ("holdLimit", Integer(250)),
            ("nonBlockingRedelivery", Boolean(false)),
            ("zeroDelay", Text("immediate")),
        ],
    ));
    assert_eq!(settings.concurrency, Concurrency::fixed(4).unwrap());
    assert_eq!(settings.handler_timeout, Some(Duration::from_secs(90)));
    assert_eq!(settings.hold_limit, Duration::from_millis(250));
    assert!(!settings.non_blocking);
    assert_eq!(settings.zero_delay, ZeroDelay::Immediate);
}

/// Unlike in Spring, where "10" is 1 to 10.
#[test]
fn a_number_of_invokers_is_fixed_as_a_text_too_and_a_range_is_elastic() {
    let concurrency = |value: &str| {
        let fixture = file(format!("[container]\nconcurrency = {value}\n"));
        listener(&fixture.listener("a", &[("queue", Text("q"))])).concurrency
    };
    assert_eq!(concurrency("10"), Concurrency::fixed(10).unwrap());
    assert_eq!(concurrency("\"10\""), Concurrency::fixed(10).unwrap());
    assert_eq!(concurrency("\"3-10\""), Concurrency::new(3, 10).unwrap());
    let fixture = Fixture::new().variable("HEARKEN_CONTAINER__CONCURRENCY", " 3-10 ");
    let fixture = fixture.listener("a", &[("queue", Text("q"))]);
    assert_eq!(listener(&fixture).concurrency, Concurrency::new(3, 10).unwrap());
    let mut fixture = Fixture::new().listener("a", &[("queue", Text("q")), ("concurrency", Text("2-8"))]);
    assert_eq!(listener(&fixture).concurrency, Concurrency::new(2, 8).unwrap());
    fixture.overrides.set("listeners.a.concurrency", Concurrency::new(1, 4).unwrap());
    assert_eq!(listener(&fixture).concurrency, Concurrency::new(1, 4).unwrap());
}

#[test]
fn recovery_is_paced_for_the_connection_and_for_each_listener() {
    let seconds = Duration::from_secs;
    let configuration = file(
        "[container]\nbackOff = \"exponential\"\nrecoveryInterval = \"2s\"\n[listeners.a]\nback_off = \"fixed\"\n\
         maxRecoveryAttempts = 3\n[listeners.b]\nmaxRecoveryInterval = \"1m\"\nmaxRecoveryAttempts = -1\n",
    )
    .listener("a", &[("queue", Text("a"))])
    .listener("b", &[("queue", Text("b")), ("recoveryMultiplier", Decimal(2.5)), ("maxRecoveryAttempts", Integer(2))])
    .accepted();
    let back_off = |id: &str| configuration.listeners()[id].back_off;
    assert_eq!(configuration.container().back_off, BackOff::exponential(seconds(2), 1.5, seconds(30)));
    assert_eq!(back_off("a"), BackOff::fixed(seconds(2)).max_attempts(3));
    assert_eq!(back_off("b"), BackOff::exponential(seconds(2), 2.5, seconds(60)));
    assert_eq!(configuration.listeners()["b"].recovery_interval, seconds(2));
}

#[test]
fn start_stop_and_scaling_have_settings() {
    let fixture = file(
        "[container]\nphase = -2147483648\nidleConsumerLimit = 3\n[listeners.a]\nconcurrency = \"2-8\"\n\
         acceptMessagesWhileStopping = true\nmissing_queue = \"fail\"\nidleReceivesPerTaskLimit = 4\n",
    );
    let settings = listener(&fixture.listener("a", &[("queue", Text("q"))]));
    assert_eq!((settings.idle_consumer_limit, settings.idle_receives_per_task_limit), (3, 4));
    assert_eq!((settings.phase, settings.missing_queue), (i32::MIN, MissingQueue::Fail));
    assert!(settings.accept_messages_while_stopping);
}

#[test]
fn a_handler_timeout_of_0_takes_back_an_inherited_one() {
    let fixture = file("[container]\nhandlerTimeout = \"1m\"\n[listeners.a]\nhandlerTimeout = 0\n");
    assert_eq!(listener(&fixture.listener("a", &[("queue", Text("q"))])).handler_timeout, None);
}

#[test]
fn an_exchange_fills_the_queue_by_key_by_pattern_or_wholly() {
    let binding = |text: &str| {
        let fixture = file(format!("[listeners.a]\n{text}")).listener("a", &[("queue", Text("q"))]);
        listener(&fixture).binding
    };
    let expected = |kind, key: &str| Some(Binding { exchange: "shop".to_owned(), kind, key: key.to_owned() });
    assert_eq!(binding("exchange = \"shop\"\n"), expected(BindingKind::Fanout, ""));
    assert_eq!(binding("exchange = \"shop\"\nroutingKey = \"k\"\n"), expected(BindingKind::Direct, "k"));
    assert_eq!(binding("exchange = \"shop\"\nrouting_key = \"\"\n"), expected(BindingKind::Direct, ""));
    assert_eq!(binding("exchange = \"shop\"\nbinding = \"o.*\"\n"), expected(BindingKind::Topic, "o.*"));
}

#[test]
fn the_type_of_a_queue_is_that_of_the_transport_unless_the_listener_has_its_own() {
    let kind = |text: &str| listener(&file(text).listener("a", &[("queue", Text("q"))])).queue_type;
    assert_eq!(kind("[transport]\nqueueType = \"classic\"\n"), QueueType::Classic);
    assert_eq!(
        kind("[transport]\nqueueType = \"classic\"\n[listeners.a]\nqueueType = \"quorum\"\n"),
        QueueType::Quorum
    );
}

#[test]
fn a_queue_that_goes_by_itself_is_classic_and_a_temporary_one_has_no_name() {
    let auto_delete = file("[listeners.a]\nautoDelete = true\nexclusive = true\nconsumerPriority = -5\n");
    let settings = listener(&auto_delete.listener("a", &[("queue", Text("q"))]));
    assert_eq!((settings.lifetime, settings.queue_type), (QueueLifetime::AutoDelete, QueueType::Classic));
    assert_eq!((&*settings.queue, settings.exclusive, settings.consumer_priority), ("q", true, Some(-5)));
    let temporary = Fixture::new().listener(
        "a",
        &[("temporary", Boolean(true)), ("exchange", Text("news")), ("queueType", Text("classic"))],
    );
    let settings = listener(&temporary);
    assert_eq!((settings.lifetime, settings.queue_type), (QueueLifetime::Temporary, QueueType::Classic));
    assert_eq!(settings.queue, "");
    let durable = file("[listeners.a]\ntemporary = false\nsingle_active_consumer = true\n");
    let settings = listener(&durable.listener("a", &[("queue", Text("q")), ("autoDelete", Boolean(false))]));
    assert_eq!((settings.lifetime, settings.queue_type), (QueueLifetime::Durable, QueueType::Quorum));
    assert!(settings.single_active_consumer);
}

#[test]
fn dead_letters_go_where_the_more_specific_setting_says() {
    let target = |text: &str| listener(&file(text).listener("a", &[("queue", Text("orders"))])).dead_letter;
    let queue = |name: &str| DeadLetterTarget::Queue(name.to_owned());
    let individual = "[container]\ndeadLetterStrategy = \"individual\"\n";
    assert_eq!(target(individual), queue("ActiveMQ.DLQ.Queue.orders"));
    assert_eq!(target(&format!("{individual}deadLetterPrefix = \"dead.\"\n")), queue("dead.orders"));
    assert_eq!(target(&format!("{individual}[listeners.a]\ndeadLetter = \"mine\"\n")), queue("mine"));
    assert_eq!(
        target("[container]\ndeadLetter = \"ours\"\n[listeners.a]\ndeadLetterStrategy = \"discarding\"\n"),
        DeadLetterTarget::Discard
    );
    assert_eq!(target("[container]\ndeadLetter = \"ours\"\n"), queue("ours"));
}

#[test]
fn policies_are_read_in_full() {
    let configuration = file(
        "[redelivery.patient]\nmaximumRedeliveries = -1\ninitialRedeliveryDelay = 0\nredeliveryDelay = \"2s\"\n\
         maximumRedeliveryDelay = \"1m\"\nuse_exponential_back_off = true\nbackOffMultiplier = 2\n\
         useCollisionAvoidance = true\ncollisionAvoidancePercent = 20\nformula = \"5.10\"\n\
         [redelivery.aliyun]\npreset = \"aliyun\"\n[redelivery.short]\npreset = \"aliyun\"\nmaxReconsumeTimes = 3\n",
    )
    .accepted();
    let expected = RedeliveryPolicy::new("patient")
        .maximum_redeliveries(-1)
        .initial_redelivery_delay(0)
        .redelivery_delay(2000)
        .maximum_redelivery_delay(60_000)
        .use_exponential_back_off(true)
        .back_off_multiplier(2.0)
        .use_collision_avoidance(true)
        .collision_avoidance_percent(20)
        .formula(hearken_core::redelivery::Formula::V5_10);
    assert_eq!(*configuration.policies()["patient"], expected);
    assert_eq!(*configuration.policies()["aliyun"], RedeliveryPolicy::aliyun("aliyun"));
    assert_eq!(configuration.policies()["short"].limit(), Some(3));
}
