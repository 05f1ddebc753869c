//! Values of the wrong type, or out of range.

use expect_test::expect;

use crate::fixture::file;

#[test]
fn e04_a_delay_is_not_negative() {
    file("[redelivery.x]\ninitialRedeliveryDelay = \"-1s\"\nredeliveryDelay = -1000\nmaximumRedeliveryDelay = -2\nmaximumRedeliveries = -2\n")
        .refused(&expect![[r#"
            shop.toml:2:26: redelivery.x.initialRedeliveryDelay: must not be negative; given "-1s"
                initialRedeliveryDelay = "-1s"
                                         ^^^^^
            shop.toml:3:19: redelivery.x.redeliveryDelay: must not be negative; given -1000 (milliseconds)
                redeliveryDelay = -1000
                                  ^^^^^
            shop.toml:4:26: redelivery.x.maximumRedeliveryDelay: must not be negative, except -1 for no cap; given -2 (milliseconds)
                maximumRedeliveryDelay = -2
                                         ^^
            shop.toml:5:23: redelivery.x.maximumRedeliveries: allowed: -1 and more; given -2
                maximumRedeliveries = -2
                                      ^^"#]]);
}

#[test]
fn e05_a_percent_is_0_to_100() {
    file("[redelivery.x]\ncollisionAvoidancePercent = 150\n[redelivery.y]\ncollisionAvoidancePercent = -1\n")
        .refused(&expect![[r#"
            shop.toml:2:29: redelivery.x.collisionAvoidancePercent: allowed: 0 to 100; given 150
                collisionAvoidancePercent = 150
                                            ^^^
            shop.toml:4:29: redelivery.y.collisionAvoidancePercent: allowed: 0 to 100; given -1
                collisionAvoidancePercent = -1
                                            ^^"#]]);
}

#[test]
fn e06_a_fraction_is_no_percent() {
    file("[redelivery.x]\ncollision_avoidance_percent = 0.15\n[redelivery.y]\ncollisionAvoidancePercent = 15.5\n")
        .refused(&expect![[r#"
            shop.toml:2:31: redelivery.x.collisionAvoidancePercent: 0.15 looks like a fraction, and this key is a percent
                collision_avoidance_percent = 0.15
                                              ^^^^ for 15 % write 15
            shop.toml:4:29: redelivery.y.collisionAvoidancePercent: expected an integer from 0 to 100, found 15.5
                collisionAvoidancePercent = 15.5
                                            ^^^^ write 15"#]]);
}

#[test]
fn e10_a_duration_without_a_known_unit_is_answered_with_one() {
    file(
        "[container]\nrecoveryInterval = 5\nreceiveTimeout = \"5 sec\"\nshutdownTimeout = \"30\"\nhandlerTimeout = \"soon\"\n\
         holdLimit = 1.5\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:20: container.recoveryInterval: must be at least 100ms; given 5 (milliseconds)
            recoveryInterval = 5
                               ^ did you mean "5s"?
        shop.toml:3:18: container.receiveTimeout: is no duration; given "5 sec"
            receiveTimeout = "5 sec"
                             ^^^^^^^ write "5s"; units are d, h, m, s, ms
        shop.toml:4:19: container.shutdownTimeout: the unit is missing; given "30"
            shutdownTimeout = "30"
                              ^^^^ write "30s" or "30ms"; units are d, h, m, s, ms
        shop.toml:5:18: container.handlerTimeout: expected milliseconds, or a text with a unit ("1s", "2m30s"), found the text "soon"
            handlerTimeout = "soon"
                             ^^^^^^ units are d, h, m, s, ms
        shop.toml:6:13: container.holdLimit: expected milliseconds, or a text with a unit ("1s", "2m30s"), found 1.5
            holdLimit = 1.5
                        ^^^ write 1"#]]);
}

#[test]
fn e11_recovery_does_not_spin() {
    file("[container]\nrecoveryInterval = \"0s\"\n[listeners.a]\nrecoveryInterval = \"99ms\"\n").refused(
        &expect![[r#"
        shop.toml:2:20: container.recoveryInterval: must be at least 100ms; given "0s"
            recoveryInterval = "0s"
                               ^^^^
        shop.toml:4:20: listeners.a.recoveryInterval: must be at least 100ms; given "99ms"
            recoveryInterval = "99ms"
                               ^^^^^^"#]],
    );
}

#[test]
fn e12_a_receive_timeout_of_0_is_not_for_ever() {
    file("[container]\nreceiveTimeout = \"0s\"\n[listeners.a]\nreceiveTimeout = -1\n").refused(&expect![[
        r#"
        shop.toml:2:18: container.receiveTimeout: must be at least 1ms; given "0s"
            receiveTimeout = "0s"
                             ^^^^ 0 does not mean "for ever" here; it is the pace of idle work
        shop.toml:4:18: listeners.a.receiveTimeout: must not be negative; given -1 (milliseconds)
            receiveTimeout = -1
                             ^^"#
    ]]);
}

#[test]
fn e13_a_prefetch_has_a_range() {
    file("[container]\nprefetch = 0\n[listeners.a]\nprefetch = 70000\n[listeners.b]\nprefetch = 99999999999999999999\n")
        .refused(&expect![[r#"
            shop.toml:2:12: container.prefetch: allowed: 1 to 65535; given 0
                prefetch = 0
                           ^ 0 means unlimited in AMQP, which no listener is given
            shop.toml:4:12: listeners.a.prefetch: allowed: 1 to 65535; given 70000
                prefetch = 70000
                           ^^^^^
            shop.toml:6:12: listeners.b.prefetch: allowed: 1 to 65535; given 99999999999999999999
                prefetch = 99999999999999999999
                           ^^^^^^^^^^^^^^^^^^^^"#]]);
}

#[test]
fn e14_concurrency_is_a_number_of_invokers_or_a_range() {
    let wrong = [
        "\"10-3\"",
        "0",
        "\"0\"",
        "\"0-5\"",
        "\"\"",
        "\"3-\"",
        "\"-5\"",
        "\"3-5-7\"",
        "1.5",
        "1001",
        "\"1-1001\"",
        "\" 3 - 10 \"",
        "\"many\"",
        "true",
    ];
    let tables =
        wrong.iter().enumerate().map(|(n, value)| format!("[listeners.a{n}]\nconcurrency = {value}\n"));
    file(tables.collect::<String>()).refused(&expect![[r#"
        shop.toml:2:15: listeners.a0.concurrency: the lower bound is above the upper one; given "10-3"
            concurrency = "10-3"
                          ^^^^^^ write "3-10"
        shop.toml:4:15: listeners.a1.concurrency: allowed: 1 to 1000, or a range within; given 0
            concurrency = 0
                          ^ write a number such as 4, or a range such as "3-10"
        shop.toml:6:15: listeners.a2.concurrency: allowed: 1 to 1000, or a range within; given "0"
            concurrency = "0"
                          ^^^ write a number such as 4, or a range such as "3-10"
        shop.toml:8:15: listeners.a3.concurrency: allowed: 1 to 1000, or a range within; given "0-5"
            concurrency = "0-5"
                          ^^^^^ write a number such as 4, or a range such as "3-10"
        shop.toml:10:15: listeners.a4.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text ""
            concurrency = ""
                          ^^
        shop.toml:12:15: listeners.a5.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text "3-"
            concurrency = "3-"
                          ^^^^
        shop.toml:14:15: listeners.a6.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text "-5"
            concurrency = "-5"
                          ^^^^
        shop.toml:16:15: listeners.a7.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text "3-5-7"
            concurrency = "3-5-7"
                          ^^^^^^^
        shop.toml:18:15: listeners.a8.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found 1.5
            concurrency = 1.5
                          ^^^ write 1
        shop.toml:20:15: listeners.a9.concurrency: allowed: 1 to 1000, or a range within; given 1001
            concurrency = 1001
                          ^^^^ write a number such as 4, or a range such as "3-10"
        shop.toml:22:15: listeners.a10.concurrency: allowed: 1 to 1000, or a range within; given "1-1001"
            concurrency = "1-1001"
                          ^^^^^^^^ write a number such as 4, or a range such as "3-10"
        shop.toml:24:15: listeners.a11.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text " 3 - 10 "
            concurrency = " 3 - 10 "
                          ^^^^^^^^^^ write "3-10"
        shop.toml:26:15: listeners.a12.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found the text "many"
            concurrency = "many"
                          ^^^^^^
        shop.toml:28:15: listeners.a13.concurrency: expected an integer from 1 to 1000, or a range of them ("3-10"), found true
            concurrency = true
                          ^^^^"#]]);
}

#[test]
fn e15_a_queue_has_a_name_that_a_broker_takes() {
    let long = "ä".repeat(128);
    file(format!(
        "[listeners.a]\nqueue = \"\"\n[listeners.b]\nqueue = \"{long}\"\n[listeners.c]\nqueue = \"amq.x\"\n\
         [listeners.d]\nqueue = \"a\\nb\"\n"
    ))
    .refused(&expect![[r#"
        shop.toml:2:9: listeners.a.queue: must not be empty
            queue = ""
                    ^^
        shop.toml:4:9: listeners.b.queue: must have at most 255 bytes; given 256 bytes, 128 characters
            queue = "äääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää…
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        shop.toml:6:9: listeners.c.queue: must not start with `amq.`: the broker keeps these names for itself
            queue = "amq.x"
                    ^^^^^^^
        shop.toml:8:9: listeners.d.queue: must not have control characters
            queue = "a\nb"
                    ^^^^^^"#]]);
}

#[test]
fn e18_a_value_of_another_type_is_answered_with_the_right_one() {
    file(
        "[redelivery.x]\nmaximumRedeliveries = \"6\"\nbackOffMultiplier = \"2\"\nuseExponentialBackOff = \"yes\"\nformula = 5.10\n\
         [redelivery.y]\nmaximumRedeliveries = 6.5\nuseExponentialBackOff = 1\n\
         [container]\nautoStartup = \"yes\"\ndeadLetter = 5\nredelivery = [\"a\"]\ntransactionManager = { a = 1 }\n\
         receiveTimeout = 2020-01-01\n[transport]\nurl = 5\nmaxMessageBytes = \"16 mb\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:2:23: redelivery.x.maximumRedeliveries: expected an integer from -1, found the text "6"
            maximumRedeliveries = "6"
                                  ^^^ write 6
        shop.toml:3:21: redelivery.x.backOffMultiplier: expected a number above 0, found the text "2"
            backOffMultiplier = "2"
                                ^^^ write 2
        shop.toml:4:25: redelivery.x.useExponentialBackOff: expected true or false, found the text "yes"
            useExponentialBackOff = "yes"
                                    ^^^^^ write true
        shop.toml:5:11: redelivery.x.formula: expected one of "5.5", "5.10", found 5.10
            formula = 5.10
                      ^^^^ write "5.10"
        shop.toml:7:23: redelivery.y.maximumRedeliveries: expected an integer from -1, found 6.5
            maximumRedeliveries = 6.5
                                  ^^^ write 6
        shop.toml:8:25: redelivery.y.useExponentialBackOff: expected true or false, found 1
            useExponentialBackOff = 1
                                    ^ write true
        shop.toml:10:15: container.autoStartup: expected true or false, found the text "yes"
            autoStartup = "yes"
                          ^^^^^ write true
        shop.toml:11:14: container.deadLetter: expected the name of a queue, found 5
            deadLetter = 5
                         ^ write "5"
        shop.toml:12:14: container.redelivery: expected a text, found an array
            redelivery = ["a"]
                         ^^^^^
        shop.toml:13:22: container.transactionManager: expected a text, found a table
            transactionManager = { a = 1 }
                                 ^^^^^^^^^
        shop.toml:14:18: container.receiveTimeout: expected milliseconds, or a text with a unit ("1s", "2m30s"), found a date
            receiveTimeout = 2020-01-01
                             ^^^^^^^^^^
        shop.toml:16:7: transport.url: expected the address of a broker, found a number
            url = ***
                  ^
        shop.toml:17:19: transport.maxMessageBytes: expected a number of bytes, or a text with a unit ("16MiB"), found the text "16 mb"
            maxMessageBytes = "16 mb"
                              ^^^^^^^ write "16MiB""#]]);
}

#[test]
fn a_choice_lists_what_is_allowed() {
    file("[container]\nredeliveryMode = \"brokr\"\nzeroDelay = \"never\"\n[transport]\ntopology = \"\"\n[redelivery.x]\npreset = \"aliyn\"\n")
        .refused(&expect![[r#"
            shop.toml:2:18: container.redeliveryMode: allowed: "auto", "client", "broker", "native"; given "brokr"
                redeliveryMode = "brokr"
                                 ^^^^^^^ did you mean `broker`?
            shop.toml:3:13: container.zeroDelay: allowed: "container", "immediate"; given "never"
                zeroDelay = "never"
                            ^^^^^^^
            shop.toml:5:12: transport.topology: allowed: "declare", "check", "assume"; given ""
                topology = ""
                           ^^
            shop.toml:7:10: redelivery.x.preset: allowed: "aliyun"; given "aliyn"
                preset = "aliyn"
                         ^^^^^^^ did you mean `aliyun`?"#]]);
}

#[test]
fn a_placeholder_that_leads_nowhere_is_told_at_its_place() {
    file(
        "[values]\norders.queue = \"orders\"\na = \"${b}\"\nb = \"${a}\"\nmany = \"lots\"\n\
         [listeners.a]\nqueue = \"${orders.queu}\"\nprefetch = \"${many}\"\ndeadLetter = \"${dead.letters}\"\n\
         [listeners.b]\nqueue = \"${transport.url}\"\nexchange = \"x${orders.queue}\"\n",
    )
    .refused(&expect![[r#"
        shop.toml:3:5: values.a: placeholders go round: values.b → values.a → values.b
            a = "${b}"
                ^^^^^^
        shop.toml:4:5: values.b: placeholders go round: values.a → values.b → values.a
            b = "${a}"
                ^^^^^^
        shop.toml:7:9: listeners.a.queue: `orders.queu` is not in the configuration
            queue = "${orders.queu}"
                    ^^^^^^^^^^^^^^^^ did you mean `orders.queue`?
        shop.toml:8:12: listeners.a.prefetch: expected an integer from 1 to 65535, found the text "lots" (from ${many})
            prefetch = "${many}"
                       ^^^^^^^^^
        shop.toml:9:14: listeners.a.deadLetter: `dead.letters` is not in the configuration
            deadLetter = "${dead.letters}"
                         ^^^^^^^^^^^^^^^^^ give it under [values], or a default: ${dead.letters:default}
        shop.toml:11:9: listeners.b.queue: `transport.url` may hold a password: no placeholder reads it
            queue = "${transport.url}"
                    ^^^^^^^^^^^^^^^^^^
        shop.toml:12:12: listeners.b.exchange: the placeholder must be the whole value
            exchange = "x${orders.queue}"
                       ^^^^^^^^^^^^^^^^^^ write ${path} or ${path:default}"#]]);
}
