//! Names that are no keys, and keys in the wrong place.

use expect_test::expect;
use hearken_container::config::{KeyTable, Table};

use crate::fixture::{Fixture, file};

#[test]
fn e01_a_misspelt_key_is_answered_with_the_nearest_one() {
    file("[redelivery.patient]\nmaximum_redelivieries = 3\nwibble = 1\n[container]\npre-fetch = 5\n").refused(&expect![[r#"
        shop.toml:2:1: redelivery.patient: unknown key `maximum_redelivieries`
            maximum_redelivieries = 3
            ^^^^^^^^^^^^^^^^^^^^^ did you mean `maximumRedeliveries`?
        shop.toml:3:1: redelivery.patient: unknown key `wibble`
            wibble = 1
            ^^^^^^ keys here: maximumRedeliveries, initialRedeliveryDelay, redeliveryDelay, maximumRedeliveryDelay, useExponentialBackOff, backOffMultiplier, useCollisionAvoidance, collisionAvoidancePercent, formula, preset, maxReconsumeTimes, onExhausted, preDispatchCheck, uri, rules
        shop.toml:5:1: container: unknown key `pre-fetch`
            pre-fetch = 5
            ^^^^^^^^^ did you mean `prefetch`?"#]]);
}

#[test]
fn e02_a_misspelt_table_is_not_a_missing_queue() {
    file("[lisener.orders]\nqueue = \"orders\"\n[wibble]\na = 1\n[redeliverie.x]\n").refused(&expect![[r#"
        shop.toml:1:2: unknown table `lisener`
            [lisener.orders]
             ^^^^^^^ did you mean `listeners`?
        shop.toml:3:2: unknown table `wibble`
            [wibble]
             ^^^^^^ tables are application, transport, container, redelivery.NAME, redeliveryMap, listeners.ID and values
        shop.toml:5:2: unknown table `redeliverie`
            [redeliverie.x]
             ^^^^^^^^^^^ did you mean `redelivery`?"#]]);
}

#[test]
fn e03_a_key_in_the_wrong_table_says_where_it_belongs() {
    file(
        "prefetch = 5\n[redelivery.patient]\nprefetch = 10\n[container]\nqueue = \"a\"\nmaximumRedeliveries = 1\n\
         [listeners.on_order]\nendProcess = false\n",
    )
    .refused(&expect![[r#"
        shop.toml:1:1: `prefetch` stands outside of every table
            prefetch = 5
            ^^^^^^^^ it belongs to [container] or [listeners.ID]
        shop.toml:3:1: redelivery.patient: `prefetch` is no key of [redelivery.NAME]
            prefetch = 10
            ^^^^^^^^ it belongs to [container] or [listeners.ID]
        shop.toml:5:1: container: `queue` is no key of [container]
            queue = "a"
            ^^^^^ it belongs to [listeners.ID]
        shop.toml:6:1: container: `maximumRedeliveries` is no key of [container]
            maximumRedeliveries = 1
            ^^^^^^^^^^^^^^^^^^^ it belongs to [redelivery.NAME]
        shop.toml:8:1: listeners.on_order: `endProcess` stands under [container] only: it concerns the process
            endProcess = false
            ^^^^^^^^^^"#]]);
}

#[test]
fn keys_of_a_named_table_need_the_name() {
    file("[redelivery]\nmaximumRedeliveries = 3\n[listeners]\nprefetch = 3\nwibble = 3\n").refused(&expect![
        [r#"
        shop.toml:2:1: redelivery: `maximumRedeliveries` stands outside of the table of a policy
            maximumRedeliveries = 3
            ^^^^^^^^^^^^^^^^^^^ write [redelivery.default] for the policy of every listener that names none
        shop.toml:4:1: listeners: `prefetch` stands outside of the table of a listener
            prefetch = 3
            ^^^^^^^^ write [listeners.ID] for one listener, [container] for all
        shop.toml:5:1: listeners.wibble: expected a table [listeners.wibble], found a value
            wibble = 3
            ^^^^^^"#]
    ]);
}

#[test]
fn what_is_not_built_yet_is_refused_by_name() {
    file(
        "[container]\nordered = true\nbatch = 2\n[listeners.on_order]\nack = \"auto\"\ngroup = \"g\"\n\
         tags = \"a\"\n[redelivery.x]\nladder = \"a\"\n\
         [admin]\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:1: container: `ordered` is not available yet: it comes with a later version
            ordered = true
            ^^^^^^^
        shop.toml:3:1: container: `batch` is not available yet: batches come with a later version
            batch = 2
            ^^^^^
        shop.toml:5:1: listeners.on_order: `ack` is not available yet: the other acknowledge modes come with a later version
            ack = "auto"
            ^^^
        shop.toml:6:1: listeners.on_order: `group` is not available yet: consumer groups come with a later version
            group = "g"
            ^^^^^
        shop.toml:7:1: listeners.on_order: `tags` is not available yet: filters by tag come with a later version
            tags = "a"
            ^^^^
        shop.toml:9:1: redelivery.x: `ladder` is not available yet: it comes with a later version
            ladder = "a"
            ^^^^^^
        shop.toml:10:2: `admin` is not available yet
            [admin]
             ^^^^^ the operators' page comes with a later version"#]]);
}

#[test]
fn properties_of_spring_without_a_meaning_here_say_why() {
    file("[container]\ncacheLevel = 3\nmaxMessagesPerTask = 10\nsessionTransacted = true\nconcurrentConsumers = 2\nmissingQueuesFatal = true\ndestinationName = \"a\"\nidleTaskExecutionLimit = 5\n")
        .refused(&expect![[r#"
            shop.toml:2:1: container: `cacheLevel` has no meaning here: connections, channels and consumers are always kept
                cacheLevel = 3
                ^^^^^^^^^^
            shop.toml:3:1: container: `maxMessagesPerTask` has no meaning here: invokers are not rescheduled; `prefetch` is the broker's
                maxMessagesPerTask = 10
                ^^^^^^^^^^^^^^^^^^
            shop.toml:4:1: container: `sessionTransacted` has no meaning here: every call is a transaction of `transactionManager`
                sessionTransacted = true
                ^^^^^^^^^^^^^^^^^
            shop.toml:5:1: container: `concurrentConsumers` is no key: write `concurrency = 4`, or a range as in `concurrency = "3-10"`
                concurrentConsumers = 2
                ^^^^^^^^^^^^^^^^^^^
            shop.toml:6:1: container: `missingQueuesFatal` is no key: write `missingQueue = "fail"`, or `"retry"`
                missingQueuesFatal = true
                ^^^^^^^^^^^^^^^^^^
            shop.toml:7:1: container: unknown key `destinationName`
                destinationName = "a"
                ^^^^^^^^^^^^^^^ did you mean `queue` of [listeners.ID]?
            shop.toml:8:1: container: `idleTaskExecutionLimit` has no meaning here: invokers are not rescheduled; write `idleReceivesPerTaskLimit`
                idleTaskExecutionLimit = 5
                ^^^^^^^^^^^^^^^^^^^^^^"#]]);
}

/// The properties of Spring's `DefaultMessageListenerContainer` and its base classes, and of its two AMQP containers.
const SPRING: &str = "connectionFactory destination destinationName pubSubDomain messageSelector subscriptionDurable \
    subscriptionShared subscriptionName pubSubNoLocal clientId sessionTransacted sessionAcknowledgeMode \
    acknowledgeAfterListener transactionManager transactionName transactionTimeout receiveTimeout recoveryInterval backOff \
    cacheLevel concurrentConsumers maxConcurrentConsumers concurrency maxMessagesPerTask idleConsumerLimit \
    idleTaskExecutionLimit idleReceivesPerTaskLimit taskExecutor virtualThreads autoStartup phase \
    acceptMessagesWhileStopping exposeListenerSession exceptionListener errorHandler replyPubSubDomain replyQosSettings \
    messageConverter destinationResolver observationRegistry acknowledgeMode prefetchCount globalQos batchSize \
    consumerBatchEnabled batchReceiveTimeout deBatchingEnabled batchingStrategy messagesPerAck ackTimeout consumersPerQueue \
    consecutiveActiveTrigger consecutiveIdleTrigger startConsumerMinInterval stopConsumerMinInterval immediateScaleDown \
    consumerStartTimeout declarationRetries failedDeclarationRetryInterval retryDeclarationInterval missingQueuesFatal \
    mismatchedQueuesFatal possibleAuthenticationFailureFatal autoDeclare recoveryBackOff monitorInterval \
    defaultRequeueRejected alwaysRequeueWithTxManagerRollback channelTransacted transactionAttribute exposeListenerChannel \
    adviceChain afterReceivePostProcessors exclusive noLocal consumerPriority consumerTagStrategy consumerArguments \
    consumeDelay shutdownTimeout forceCloseChannel forceStop idleEventInterval statefulRetryFatalWithNullMessageId \
    javaLangErrorHandler messageAckListener enforceImmediateAckForManual lookupKeyQualifier taskScheduler \
    micrometerEnabled observationEnabled micrometerTags queueNames initialInterval multiplier maxInterval";

#[test]
fn every_property_of_spring_is_a_key_or_told_of() {
    let keys = KeyTable::standard();
    for property in SPRING.split_whitespace().filter(|name| keys.row(Table::Listener, name).is_none()) {
        for table in ["container", "listeners.a"] {
            let problems = file(format!("[{table}]\n{property} = 1\n")).load().unwrap_err();
            let problem = problems.iter().next().unwrap();
            let reason = ["has no meaning here: ", "is not available", "is no key: "];
            let refused = reason.iter().any(|reason| problem.message().contains(reason));
            let hinted = problem.suggestion().is_some_and(|hint| hint.contains("did you mean `"));
            assert!(refused || hinted, "{problem}");
        }
    }
}

/// A reason must not send the reader to a key that is none.
#[test]
fn what_is_written_in_place_of_a_refused_property_is_a_key() {
    let keys = KeyTable::standard();
    let known = |name: &str| Table::ALL.into_iter().any(|table| keys.row(table, name).is_some());
    for property in SPRING.split_whitespace() {
        let Err(problems) = file(format!("[listeners.a]\n{property} = 1\n")).load() else { continue };
        let text = problems.iter().next().unwrap().message().to_owned();
        // Its own name comes first; what else is quoted begins with a key.
        for quoted in text
            .split('`')
            .skip(3)
            .step_by(2)
            .filter(|quoted| !["Session", "tracing", "\"retry\""].contains(quoted))
        {
            let name = quoted.split(' ').next().unwrap();
            assert!(known(name), "{property}: {name}");
        }
    }
}

#[test]
fn names_of_other_libraries_lead_to_ours() {
    file("[redelivery.x]\nmaxAttempts = 3\njitter = true\n[container]\ndlq = \"d\"\n[transport]\npassword = \"hunter2\"\n")
        .refused(&expect![[r#"
            shop.toml:2:1: redelivery.x: unknown key `maxAttempts`
                maxAttempts = 3
                ^^^^^^^^^^^ did you mean `maximumRedeliveries`?
            shop.toml:3:1: redelivery.x: unknown key `jitter`
                jitter = true
                ^^^^^^ did you mean `useCollisionAvoidance`?
            shop.toml:5:1: container: unknown key `dlq`
                dlq = "d"
                ^^^ did you mean `deadLetter`?
            shop.toml:7:1: transport: unknown key `password`
                password = ***
                ^^^^^^^^ did you mean `url`?"#]]);
}

#[test]
fn activemq_has_a_factor_where_we_have_a_percent() {
    file(
        "[redelivery.x]\ncollisionAvoidanceFactor = 0.15\n[redelivery.y]\ncollision_avoidance_factor = 0.3\n",
    )
    .refused(&expect![[r#"
            shop.toml:2:1: redelivery.x: `collisionAvoidanceFactor` is no key
                collisionAvoidanceFactor = 0.15
                ^^^^^^^^^^^^^^^^^^^^^^^^ write collisionAvoidancePercent = 15
            shop.toml:4:1: redelivery.y: `collision_avoidance_factor` is no key
                collision_avoidance_factor = 0.3
                ^^^^^^^^^^^^^^^^^^^^^^^^^^ write collisionAvoidancePercent = 30"#]]);
}

#[test]
fn e21_a_key_given_twice_names_both_places() {
    file("[container]\nprefetch = 1\nreceiveTimeout = \"1s\"\nreceive_timeout = \"2s\"\nprefetch = 2\n[values]\na = 1\n[container]\n")
        .refused(&expect![[r#"
            shop.toml:4:1: container.receiveTimeout: `receive_timeout` is given twice, in two spellings
                receive_timeout = "2s"
                ^^^^^^^^^^^^^^^ first given at shop.toml:3:1
            shop.toml:5:1: container.prefetch: `prefetch` is given twice
                prefetch = 2
                ^^^^^^^^ first given at shop.toml:2:1
            shop.toml:8:2: container: `container` is given twice
                [container]
                 ^^^^^^^^^ first given at shop.toml:1:2"#]]);
}

#[test]
fn e21_a_table_given_twice_names_both_places() {
    file("[redelivery.a]\n[listeners.a]\nqueue = \"q\"\n[redelivery.a]\n").refused(&expect![[r#"
        shop.toml:4:13: redelivery.a: `a` is given twice
            [redelivery.a]
                        ^ first given at shop.toml:1:2"#]]);
}

#[test]
fn tables_must_be_tables() {
    file("container = 5\n[[transport]]\nurl = \"embedded:\"\n[listeners]\non_order = \"orders\"\n").refused(
        &expect![[r#"
        shop.toml:1:1: container: expected a table [container], found a value
            container = 5
            ^^^^^^^^^
        shop.toml:2:3: transport: expected one table [transport], found an array of tables
            [[transport]]
              ^^^^^^^^^
        shop.toml:5:1: listeners.on_order: expected a table [listeners.on_order], found a value
            on_order = "orders"
            ^^^^^^^^"#]],
    );
}

#[test]
fn names_chosen_by_users_are_never_respelled() {
    let fixture =
        file("[redelivery.very_patient]\n[redelivery.veryPatient]\n[redelivery.\"Very Patient\"]\n");
    let names: Vec<_> = fixture.accepted().policies().keys().cloned().collect();
    assert_eq!(names, ["Very Patient", "default", "veryPatient", "very_patient"]);
}

#[test]
fn ids_are_lower_case_words() {
    file("[listeners.on-order]\nqueue = \"orders\"\n[listeners.onOrder]\nqueue = \"orders\"\n").refused(
        &expect![[r#"
        shop.toml:1:12: listeners.on-order: the id of a listener is lower-case letters, digits and `_`
            [listeners.on-order]
                       ^^^^^^^^ did you mean `on_order`?
        shop.toml:3:12: listeners.onOrder: the id of a listener is lower-case letters, digits and `_`
            [listeners.onOrder]
                       ^^^^^^^ did you mean `on_order`?"#]],
    );
}

#[test]
fn an_override_in_code_is_checked_like_a_file() {
    Fixture::new()
        .set("container.prefetch", "0")
        .set("container.prefetsch", "1")
        .set("containr.prefetch", "1")
        .set("redelivery.prefetch", "1")
        .refused(&expect![[r#"
            builder: container: unknown key `prefetsch`
                did you mean `prefetch`?
            builder: containr.prefetch: unknown table `containr`
                did you mean `container`?
            builder: redelivery.prefetch: is no path of a key of [redelivery.NAME]
            builder: container.prefetch: allowed: 1 to 65535; given 0
                0 means unlimited in AMQP, which no listener is given"#]]);
}
