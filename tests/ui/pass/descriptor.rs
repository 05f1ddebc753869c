//! What the descriptor says.

use hearken::listener::{AttributeValue, Handler, Listener};
use hearken::prelude::*;

mod shop {
    use hearken::prelude::*;

    /// Books an order.
    ///
    /// Twice is once.
    #[listener(
        queue = "${orders.queue:orders}",
        exchange = "shop",
        routing_key = "",
        binding = "order.#",
        queue_type = "classic",
        auto_delete = true,
        temporary = "${orders.temporary}",
        exclusive = true,
        single_active_consumer = false,
        consumer_priority = -5,
        concurrency = 4,
        idle_consumer_limit = 2,
        idle_receives_per_task_limit = 5,
        prefetch = 1_000,
        auto_startup = false,
        phase = -1,
        missing_queue = "fail",
        receive_timeout = 500,
        recovery_interval = "100ms",
        back_off = "exponential",
        recovery_multiplier = 2.5,
        max_recovery_interval = "1m",
        max_recovery_attempts = -1,
        handler_timeout = "2m30s",
        shutdown_timeout = 0,
        accept_messages_while_stopping = true,
        transaction_manager = "none",
        error_handler = "alert",
        exception_listener = "${orders.watch}",
        redelivery = "patient",
        redelivery_mode = "broker",
        non_blocking_redelivery = "${orders.keep_order}",
        hold_limit = "10m",
        zero_delay = "immediate",
        dead_letter = "orders.dead",
        dead_letter_strategy = "individual",
        dead_letter_prefix = "DLQ."
    )]
    pub async fn on_order(_: State<u64>, _: Json<u8>, _: State<String>) {}
}

#[listener(temporary = true, exchange = "news")]
fn unnamed() {}

#[listener(queue = "plain")]
fn plain() {}

#[listener(
    queue = "own",
    redelivery(
        maximum = 3,
        initial = "200ms",
        redelivery_delay = 500,
        maximum_delay = -1,
        exponential = true,
        multiplier = 1.5,
        pre_dispatch_check = "${orders.check:true}",
    ),
    prefetch = 1,
)]
fn own() {}

fn main() {
    let order = shop::on_order::descriptor();
    assert_eq!(order.id, "on_order");
    assert_eq!(order.function, "on_order");
    assert!(order.module_path.ends_with("::shop"), "{}", order.module_path);
    assert!(order.file.ends_with("descriptor.rs"), "{}", order.file);
    assert_eq!((order.line, order.column), (12, 5));
    assert_eq!(order.description, "Books an order.\n\nTwice is once.");
    assert_eq!(order.core_version, hearken::__private::CORE_VERSION);
    assert!(matches!(order.handler, Handler::Async(_)));

    let options: Vec<_> = order.options.iter().map(|option| (option.key, option.value)).collect();
    use AttributeValue::{Boolean, Decimal, Integer, Text};
    assert_eq!(
        options,
        [
            ("queue", Text("${orders.queue:orders}")),
            ("exchange", Text("shop")),
            ("routingKey", Text("")),
            ("binding", Text("order.#")),
            ("queueType", Text("classic")),
            ("autoDelete", Boolean(true)),
            ("temporary", Text("${orders.temporary}")),
            ("exclusive", Boolean(true)),
            ("singleActiveConsumer", Boolean(false)),
            ("consumerPriority", Integer(-5)),
            ("concurrency", Integer(4)),
            ("idleConsumerLimit", Integer(2)),
            ("idleReceivesPerTaskLimit", Integer(5)),
            ("prefetch", Integer(1000)),
            ("autoStartup", Boolean(false)),
            ("phase", Integer(-1)),
            ("missingQueue", Text("fail")),
            ("receiveTimeout", Integer(500)),
            ("recoveryInterval", Text("100ms")),
            ("backOff", Text("exponential")),
            ("recoveryMultiplier", Decimal(2.5)),
            ("maxRecoveryInterval", Text("1m")),
            ("maxRecoveryAttempts", Integer(-1)),
            ("handlerTimeout", Text("2m30s")),
            ("shutdownTimeout", Integer(0)),
            ("acceptMessagesWhileStopping", Boolean(true)),
            ("transactionManager", Text("none")),
            ("errorHandler", Text("alert")),
            ("exceptionListener", Text("${orders.watch}")),
            ("redelivery", Text("patient")),
            ("redeliveryMode", Text("broker")),
            ("nonBlockingRedelivery", Text("${orders.keep_order}")),
            ("holdLimit", Text("10m")),
            ("zeroDelay", Text("immediate")),
            ("deadLetter", Text("orders.dead")),
            ("deadLetterStrategy", Text("individual")),
            ("deadLetterPrefix", Text("DLQ.")),
        ]
    );

    let [_queue, redelivery, _prefetch] = own::descriptor().options else { panic!("three options") };
    let AttributeValue::Table(policy) = redelivery.value else { panic!("{redelivery:?}") };
    let policy: Vec<_> = policy.iter().map(|property| (property.key, property.value)).collect();
    assert_eq!(redelivery.key, "redelivery");
    assert_eq!(
        policy,
        [
            ("maximumRedeliveries", Integer(3)),
            ("initialRedeliveryDelay", Text("200ms")),
            ("redeliveryDelay", Integer(500)),
            ("maximumRedeliveryDelay", Integer(-1)),
            ("useExponentialBackOff", Boolean(true)),
            ("backOffMultiplier", Decimal(1.5)),
            ("preDispatchCheck", Text("${orders.check:true}")),
        ]
    );

    let mut needs = Default::default();
    (order.requirements)(&mut needs);
    let states: Vec<&str> = needs.states().iter().map(|state| state.name).collect();
    assert_eq!(states, ["u64", "alloc::string::String"]);

    let plain = plain::descriptor();
    assert_eq!(plain.description, "");
    assert!(matches!(plain.handler, Handler::Blocking(_)));
}
