use expect_test::expect;
use hearken_cli::Status;
use hearken_core::listener::{AttributeOption, AttributeValue, Handler, ListenerDescriptor};
use hearken_core::outcome::Outcome;

use crate::Shop;

static ON_ORDER: ListenerDescriptor = ListenerDescriptor {
    id: "on_order",
    function: "on_order",
    module_path: "shop::orders",
    file: "src/orders.rs",
    line: 7,
    column: 1,
    description: "",
    core_version: hearken_core::VERSION,
    options: &[AttributeOption { key: "queue", value: AttributeValue::Text("${orders.queue:orders}") }],
    requirements: |_| {},
    handler: Handler::Async(|_| Box::pin(async { Outcome::Acknowledge })),
};

const TEXT: &str = "[application]\nname = \"shop\"\n[transport]\nurl = \"amqp://user:hunter2@host\"\n\
                    [listeners.on_order]\nprefetch = 5\n[values]\ndb.password = \"hunter2\"\nretries = 3\n";

#[test]
fn each_value_has_its_source_and_no_secret_is_shown() {
    let mut shop = Shop::new(TEXT);
    shop.environment = [("HEARKEN_CONTAINER__PREFETCH", "7")].into_iter().collect();
    shop.listeners = Some(vec![&ON_ORDER]);
    let said = shop.say("check");
    assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
    expect![[r#"
        [application]
        name = "shop"   # shop.toml:2:8

        [transport]
        url = "amqp://user:***@host"   # shop.toml:4:7
        topology = "declare"           # built in
        queueType = "quorum"           # built in
        maxMessageBytes = "16MiB"      # built in
        publishTimeout = "30s"         # built in
        maxQueueBytes = "256MiB"       # built in
        connectTimeout = "5s"          # built in
        callTimeout = "10s"            # built in
        heartbeat = "10s"              # built in
        consumerTimeout = "30m"        # built in

        [container]
        concurrency = 1                            # built in
        prefetch = 7                               # environment variable HEARKEN_CONTAINER__PREFETCH
        receiveTimeout = "1s"                      # built in
        recoveryInterval = "5s"                    # built in
        backOff = "fixed"                          # built in
        maxRecoveryAttempts = -1                   # built in
        redelivery = "default"                     # built in
        redeliveryMode = "auto"                    # built in
        nonBlockingRedelivery = true               # built in
        zeroDelay = "container"                    # built in
        transactionManager = "session"             # built in
        shutdownTimeout = "30s"                    # built in
        acceptMessagesWhileStopping = false        # built in
        deadLetter = "ActiveMQ.DLQ"                # built in
        deadLetterStrategy = "shared"              # built in
        deadLetterPrefix = "ActiveMQ.DLQ.Queue."   # built in
        holdLimit = "10m"                          # built in
        autoStartup = true                         # built in
        phase = 2147483647                         # built in
        missingQueue = "retry"                     # built in
        endProcess = true                          # built in

        [redelivery.default]
        maximumRedeliveries = 6          # built in
        initialRedeliveryDelay = "1s"    # built in
        redeliveryDelay = "1s"           # built in
        maximumRedeliveryDelay = -1      # built in
        useExponentialBackOff = false    # built in
        backOffMultiplier = 5            # built in
        useCollisionAvoidance = false    # built in
        collisionAvoidancePercent = 15   # built in
        formula = "5.5"                  # built in
        onExhausted = "dead-letter"      # built in
        preDispatchCheck = true          # built in

        [listeners.on_order]
        queue = "orders"                           # src/orders.rs:7:1 (attribute of on_order)
        queueType = "quorum"                       # built in
        autoDelete = false                         # built in
        temporary = false                          # built in
        exclusive = false                          # built in
        singleActiveConsumer = false               # built in
        concurrency = 1                            # built in
        prefetch = 5                               # shop.toml:6:12
        receiveTimeout = "1s"                      # built in
        recoveryInterval = "5s"                    # built in
        backOff = "fixed"                          # built in
        maxRecoveryAttempts = -1                   # built in
        redelivery = "default"                     # built in
        redeliveryMode = "auto"                    # built in
        nonBlockingRedelivery = true               # built in
        zeroDelay = "container"                    # built in
        transactionManager = "session"             # built in
        shutdownTimeout = "30s"                    # built in
        acceptMessagesWhileStopping = false        # built in
        deadLetter = "ActiveMQ.DLQ"                # built in
        deadLetterStrategy = "shared"              # built in
        deadLetterPrefix = "ActiveMQ.DLQ.Queue."   # built in
        holdLimit = "10m"                          # built in
        autoStartup = true                         # built in
        phase = 2147483647                         # built in
        missingQueue = "retry"                     # built in

        [values.db]
        password = "***"   # shop.toml:8:15

        [values]
        retries = 3   # shop.toml:9:11
    "#]]
    .assert_eq(&said.out);
}

/// Of all that a policy is made of, each with its source.
fn policies(text: &str) -> String {
    let said = Shop::new(text).say("check");
    assert_eq!((said.status, said.err.as_str()), (Status::Success, ""));
    let mut tables = said.out.split("\n\n");
    let named = |table: &&str| table.contains("redelivery.x");
    tables.by_ref().filter(named).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn rules_are_shown_with_their_sources() {
    let text = "[redelivery.x]\nonExhausted = \"discard\"\n[[redelivery.x.rules]]\ncode = \"busy\"\nthen = \"redeliver\"\n\
                redeliveryDelay = 500\n[[redelivery.x.rules]]\nkind = \"${kind:panic}\"\nthen = \"pause\"\nfor = \"1m\"\n";
    expect![[r#"
        [redelivery.x]
        maximumRedeliveries = 6          # built in
        initialRedeliveryDelay = "1s"    # built in
        redeliveryDelay = "1s"           # built in
        maximumRedeliveryDelay = -1      # built in
        useExponentialBackOff = false    # built in
        backOffMultiplier = 5            # built in
        useCollisionAvoidance = false    # built in
        collisionAvoidancePercent = 15   # built in
        formula = "5.5"                  # built in
        onExhausted = "discard"          # shop.toml:2:15
        preDispatchCheck = true          # built in

        [[redelivery.x.rules]]
        code = "busy"               # shop.toml:4:8
        then = "redeliver"          # shop.toml:5:8
        redeliveryDelay = "500ms"   # shop.toml:6:19

        [[redelivery.x.rules]]
        kind = "panic"   # shop.toml:8:8
        then = "pause"   # shop.toml:9:8
        for = "1m"       # shop.toml:10:7"#]]
    .assert_eq(&policies(text));
    let json = Shop::new(text).say("check --json").out;
    assert!(json.contains("\"path\": \"redelivery.x.rules[1].kind\""));
    let again = Shop::new(text).say("check").out;
    assert_eq!(policies(&again).lines().count(), policies(text).lines().count());
}

#[test]
fn a_policy_from_the_map_is_shown_with_its_place() {
    let text = "[redelivery.x]\n[[redeliveryMap]]\nqueue = \"orders.>\"\nredelivery = \"x\"\n";
    let mut shop = Shop::new(text);
    shop.listeners = Some(vec![&ON_ORDER]);
    let said = shop.say("check");
    let shown = |line: &&str| {
        line.contains("edelivery =") || line.contains("edeliveryMap") || line.contains("queue =")
    };
    expect![[r#"
        redelivery = "default"                     # built in
        nonBlockingRedelivery = true               # built in
        [[redeliveryMap]]
        queue = "orders.>"   # shop.toml:3:9
        redelivery = "x"     # shop.toml:4:14
        queue = "orders"                           # src/orders.rs:7:1 (attribute of on_order)
        redelivery = "x"                           # shop.toml:4:14
        nonBlockingRedelivery = true               # built in"#]]
    .assert_eq(&said.out.lines().filter(shown).collect::<Vec<_>>().join("\n"));
}

static ON_RETURN: ListenerDescriptor = ListenerDescriptor {
    id: "on_return",
    options: &[
        AttributeOption { key: "queue", value: AttributeValue::Text("returns") },
        AttributeOption {
            key: "redelivery",
            value: AttributeValue::Table(&[AttributeOption {
                key: "maximumRedeliveries",
                value: AttributeValue::Integer(3),
            }]),
        },
    ],
    ..ON_ORDER
};

#[test]
fn a_policy_of_an_attribute_is_shown_and_planned_by_its_name() {
    let text = "[redelivery.\"inline:on_return\"]\nredeliveryDelay = \"3s\"\n";
    let mut shop = Shop::new(text);
    shop.listeners = Some(vec![&ON_RETURN]);
    let said = shop.say("check");
    let shown = |line: &&str| {
        line.contains("inline") || line.contains("aximumRedeliveries") || line.contains("redeliveryDelay")
    };
    expect![[r#"
        maximumRedeliveries = 6          # built in
        redeliveryDelay = "1s"           # built in
        [redelivery."inline:on_return"]
        maximumRedeliveries = 3          # src/orders.rs:7:1 (attribute of on_return)
        redeliveryDelay = "3s"           # shop.toml:2:19
        redelivery = "inline:on_return"            # src/orders.rs:7:1 (attribute of on_return)"#]]
    .assert_eq(&said.out.lines().filter(shown).collect::<Vec<_>>().join("\n"));
    expect!["policy inline:on_return: 3 redeliveries"]
        .assert_eq(shop.say("plan inline:on_return").out.lines().next().unwrap());
    let mut again = Shop::new(&said.out);
    again.listeners = Some(vec![&ON_RETURN]);
    assert_eq!(again.say("check").status, Status::Success);
}

#[test]
fn of_a_uri_nothing_is_shown_but_what_it_says_of_redelivery() {
    let uri =
        "failover:(tcp://user:hunter2@a,tcp://b)?jms.redeliveryPolicy.maximumRedeliveries=2&user=hunter2";
    let text = format!(
        "[redelivery.x]\nuri = \"{uri}\"\nredeliveryDelay = 5\n[redelivery.y]\nuri = \"${{uri}}\"\n[values]\nuri = \"{uri}\"\n"
    );
    let table = policies(&text);
    expect![[r#"
        [redelivery.x]
        maximumRedeliveries = 2                                           # shop.toml:2:7
        redeliveryDelay = "5ms"                                           # shop.toml:3:19
        uri = "failover:***?jms.redeliveryPolicy.maximumRedeliveries=2"   # shop.toml:2:7"#]]
    .assert_eq(&table.lines().filter(|line| !line.ends_with("built in")).collect::<Vec<_>>().join("\n"));
    for arguments in ["check", "check --json"] {
        let said = Shop::new(&text).say(arguments);
        assert!(!said.out.contains("user:hunter2"), "{}", said.out);
    }
    let again = Shop::new(&Shop::new(&text).say("check").out).say("check");
    assert_eq!(again.status, Status::Success, "{}", again.err);
}

#[test]
fn alone_it_says_that_listeners_could_not_be_checked() {
    let said = Shop::new(TEXT).say("check");
    assert_eq!(said.status, Status::Success);
    expect![[r#"

        prefetch = 5   # shop.toml:6:12

        [values.db]
        password = "***"   # shop.toml:8:15

        [values]
        retries = 3   # shop.toml:9:11

        # no listeners are linked into this command: whether [listeners.*] fits those of the service could not be checked; the check of the service's own binary can
    "#]].assert_eq(said.out.split_once("[listeners.on_order]").unwrap().1);
}

#[test]
fn its_output_is_toml_again() {
    let text = Shop::new(TEXT).say("check").out;
    let said = Shop::new(&text.replace("***", "pw")).say("check");
    assert_eq!(said.status, Status::Success, "{}", said.err);
}

#[test]
fn programs_read_an_array_of_paths_values_and_sources() {
    let said = Shop::new(TEXT).say("check --json");
    let lines: Vec<serde_json::Value> = serde_json::from_str(&said.out).unwrap();
    let line = |path: &str| lines.iter().find(|line| line["path"] == path).unwrap().to_string();
    expect![[r#"{"path":"transport.url","source":"shop.toml:4:7","value":"amqp://user:***@host"}"#]]
        .assert_eq(&line("transport.url"));
    expect![[r#"{"path":"listeners.on_order.prefetch","source":"shop.toml:6:12","value":5}"#]]
        .assert_eq(&line("listeners.on_order.prefetch"));
    expect![[r#"{"path":"container.receiveTimeout","source":"built in","value":"1s"}"#]]
        .assert_eq(&line("container.receiveTimeout"));
    expect![[r#"{"path":"values.db.password","source":"shop.toml:8:15","value":"***"}"#]]
        .assert_eq(&line("values.db.password"));
    assert!(!said.out.contains("hunter2"));
    assert!(said.err.starts_with("no listeners are linked"), "{}", said.err);
}

#[test]
fn a_mistake_is_told_and_ends_with_2() {
    let said = Shop::new("[container]\nprefetch = 0\n").say("check --json");
    assert_eq!((said.status.code(), said.out.as_str()), (2, ""));
    expect![[r#"
        shop.toml:2:12: container.prefetch: allowed: 1 to 65535; given 0
            prefetch = 0
                       ^ 0 means unlimited in AMQP, which no listener is given
    "#]]
    .assert_eq(&said.err);
}

#[test]
fn a_warning_ends_with_0() {
    let said = Shop::new("[redelivery.x]\nmaximumRedeliveryDelay = 5\n").say("check");
    assert_eq!(said.status.code(), 0);
    expect![[r#"
        shop.toml:2:1: warning: redelivery.x.maximumRedeliveryDelay: maximumRedeliveryDelay = 5 ms has no effect without useExponentialBackOff = true
            maximumRedeliveryDelay = 5
            ^^^^^^^^^^^^^^^^^^^^^^
    "#]].assert_eq(&said.err);
}
