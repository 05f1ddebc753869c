//! Policies written as connection URIs of ActiveMQ. No message shows a password.

use expect_test::expect;
use hearken_core::listener::AttributeValue::{Boolean, Text};
use hearken_core::redelivery::RedeliveryPolicy;

use crate::fixture::{Fixture, file};

const POLICY: &str = "jms.redeliveryPolicy.";

/// A policy `x` with this URI.
fn uri(uri: &str) -> Fixture {
    file(format!("[redelivery.x]\nuri = \"{uri}\"\n"))
}

/// What is said of each of these options of `tcp://u:hunter2@h`.
fn said(options: &[&str]) -> String {
    let said = |option: &&str| {
        let problems = uri(&format!("tcp://u:hunter2@h?jms.password=hunter2&{option}")).load();
        let alone = uri(&format!("tcp://u:hunter2@h?{option}")).load();
        let shown = format!("{:?}{:?}", problems.map_err(|problems| problems.to_string()), alone);
        assert!(!shown.contains("hunter2"), "{shown}");
        let problems = alone.unwrap_err();
        let problem = problems.iter().next().unwrap();
        let text = format!("{}: {}", problem.path(), problem.message());
        [Some(text.as_str()), problem.suggestion()].into_iter().flatten().collect::<Vec<_>>().join("\n    ")
    };
    options.iter().map(said).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_problem_shows_its_place_and_no_address() {
    uri("tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveries=-2").refused(&expect![[r#"
        shop.toml:2:7: redelivery.x.uri: `jms.redeliveryPolicy.maximumRedeliveries`: allowed: -1 and more; given "-2"
            uri = ***
                  ^"#]]);
}

#[test]
fn options_that_are_not_about_redelivery_are_refused_by_name() {
    expect![[r#"
        redelivery.x.uri: `jms.prefetchPolicy.all` is no option of redelivery
            write `prefetch` under [container] or [listeners.ID]
        redelivery.x.uri: `jms.userName` is no option of redelivery
            the login belongs to `url` under [transport]
        redelivery.x.uri: `jms.useAsyncSend` is no option of redelivery
            only jms.redeliveryPolicy.* and jms.nonBlockingRedelivery are read here: remove it
        redelivery.x.uri: `jms.redeliveryPolicyMap.x` is no option of redelivery
            write [[redeliveryMap]]
        redelivery.x.uri: `jms.��[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` is no option of redelivery
            only jms.redeliveryPolicy.* and jms.nonBlockingRedelivery are read here: remove it
        redelivery.x.uri: `jms.nonBlockingRedeliveri` is no option of redelivery
            did you mean `nonBlockingRedelivery`?
        redelivery.x.uri: `redeliveryPolicy.maximumRedeliveries` is no option of redelivery
            did you mean `jms.redeliveryPolicy.maximumRedeliveries`?
        redelivery.x.uri: `nonBlockingRedelivery` is no option of redelivery
            did you mean `jms.nonBlockingRedelivery`?
        redelivery.x.uri: `jsm.redeliveryPolicy.maximumRedeliverie` is no option of redelivery
            did you mean `jms.redeliveryPolicy.maximumRedeliveries`?"#]].assert_eq(&said(&[
        "jms.prefetchPolicy.all=1",
        "jms.userName=u",
        "jms.useAsyncSend=true",
        "jms.redeliveryPolicyMap.x=1",
        "jms.%0A%1b[31mxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx=1",
        "jms.nonBlockingRedeliveri=true",
        "redeliveryPolicy.maximumRedeliveries=2",
        "nonBlockingRedelivery=true",
        "jsm.redeliveryPolicy.maximumRedeliverie=2",
    ]));
}

#[test]
fn properties_are_those_of_activemq_with_values_that_fit() {
    let options = [
        "maximumRedelivery=2",
        "wibble=1",
        "collisionAvoidanceFactor=0.2",
        "onExhausted=discard",
        "queue=a",
        "maximumRedeliveries=many",
        "maximumRedeliveries=",
        "useExponentialBackOff=yes",
        "collisionAvoidancePercent=0.15",
        "backOffMultiplier=0",
        "initialRedeliveryDelay=-1",
        "maximumRedeliveries=1&jms.redeliveryPolicy.maximumRedeliveries=2",
    ];
    let options: Vec<_> = options.iter().map(|option| format!("{POLICY}{option}")).collect();
    expect![[r#"
        redelivery.x.uri: `jms.redeliveryPolicy.maximumRedelivery` is no property of ActiveMQ's RedeliveryPolicy
            did you mean `maximumRedeliveries`?
        redelivery.x.uri: `jms.redeliveryPolicy.wibble` is no property of ActiveMQ's RedeliveryPolicy
            properties: maximumRedeliveries, initialRedeliveryDelay, redeliveryDelay, maximumRedeliveryDelay, useExponentialBackOff, backOffMultiplier, useCollisionAvoidance, collisionAvoidancePercent, preDispatchCheck
        redelivery.x.uri: `jms.redeliveryPolicy.collisionAvoidanceFactor` cannot be set by a URI
            write jms.redeliveryPolicy.collisionAvoidancePercent=20
        redelivery.x.uri: `jms.redeliveryPolicy.onExhausted` is no property of ActiveMQ's RedeliveryPolicy
            write `onExhausted` beside `uri`
        redelivery.x.uri: `jms.redeliveryPolicy.queue` is no property of ActiveMQ's RedeliveryPolicy
            [[redeliveryMap]] gives queues their policies
        redelivery.x.uri: `jms.redeliveryPolicy.maximumRedeliveries`: expected an integer from -1, found the text "many"
        redelivery.x.uri: `jms.redeliveryPolicy.maximumRedeliveries`: expected an integer from -1, found the text ""
        redelivery.x.uri: `jms.redeliveryPolicy.useExponentialBackOff`: expected true or false, found "yes"
            write true
        redelivery.x.uri: `jms.redeliveryPolicy.collisionAvoidancePercent`: "0.15" looks like a fraction, and this key is a percent
            for 15 % write 15
        redelivery.x.uri: `jms.redeliveryPolicy.backOffMultiplier`: must be a number above 0; given "0"
        redelivery.x.uri: `jms.redeliveryPolicy.initialRedeliveryDelay`: must not be negative; given -1 (milliseconds)
        redelivery.x.uri: `jms.redeliveryPolicy.maximumRedeliveries` is given twice"#]].assert_eq(&said(&options.iter().map(String::as_str).collect::<Vec<_>>()));
}

#[test]
fn what_is_no_uri_or_says_nothing_is_refused() {
    let said = |text: &str| {
        let problems = uri(text).load().unwrap_err();
        assert!(!problems.to_string().contains("hunter2"), "{problems}");
        problems.to_string().replace('\n', " ").split_once("redelivery.x.uri: ").unwrap().1.to_owned()
    };
    let texts = [
        "",
        "hunter2",
        "tcp://u:hunter2@h",
        "tcp://u:hunter2@h?randomize=false",
        "failover:(tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveries=2)",
        "failover:(tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveries=2",
        "tcp://u:hunter2@h ?jms.redeliveryPolicy.maximumRedeliveries=2",
    ];
    expect![[r#"
        is no connection URI of ActiveMQ     uri = ***           ^ write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2
        is no connection URI of ActiveMQ     uri = ***           ^ write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2
        the URI says nothing of redelivery     uri = ***           ^ write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2, or remove it
        the URI says nothing of redelivery     uri = ***           ^ write tcp://host:61616?jms.redeliveryPolicy.maximumRedeliveries=2, or remove it
        `jms.` options stand behind the parentheses     uri = ***           ^ write failover:(tcp://a,tcp://b)?jms.redeliveryPolicy.maximumRedeliveries=2
        the parentheses do not match     uri = ***           ^
        must not have spaces or control characters     uri = ***           ^"#]].assert_eq(&texts.map(said).join("\n"));
    file("[redelivery.x]\nuri = 7\n").refused(&expect![[r#"
        shop.toml:2:7: redelivery.x.uri: expected a connection URI of ActiveMQ, found a number
            uri = ***
                  ^"#]]);
}

#[test]
fn a_uri_contradicts_a_preset_and_is_warned_of_like_a_table() {
    file("[redelivery.x]\npreset = \"aliyun\"\nuri = \"tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveries=2\"\n")
        .refused(&expect![[r#"
            shop.toml:3:7: redelivery.x.maximumRedeliveries: `maximumRedeliveries` contradicts the preset given at shop.toml:2:1
                uri = ***
                      ^ the limit of a preset is maxReconsumeTimes"#]]);
    uri("tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveryDelay=5").warned(&expect![[r#"
        shop.toml:2:7: warning: redelivery.x.maximumRedeliveryDelay: maximumRedeliveryDelay = 5 ms has no effect without useExponentialBackOff = true
            uri = ***
                  ^"#]]);
}

#[test]
fn a_key_beside_it_stands_above_the_uri() {
    let policy = |fixture: Fixture| {
        let policy = fixture.accepted().policies()["x"].clone();
        (policy.maximum_redeliveries, policy.initial_redelivery_delay)
    };
    let text =
        "tcp://h?jms.redeliveryPolicy.maximumRedeliveries=2&jms.redeliveryPolicy.initialRedeliveryDelay=5";
    assert_eq!(policy(uri(text)), (2, 5));
    assert_eq!(policy(uri(text).variable("HEARKEN_REDELIVERY__X__MAXIMUM_REDELIVERIES", "3")), (3, 5));
    let another = "failover:(tcp://h)?jms.redeliveryPolicy.maximumRedeliveries=9";
    assert_eq!(policy(uri(text).variable("HEARKEN_REDELIVERY__X__URI", another)), (9, 1000));
    let read = format!("[redelivery.x]\nuri = \"${{broker.uri}}\"\n[values]\nbroker.uri = \"{another}\"\n");
    assert_eq!(policy(file(read)), (9, 1000));
}

/// ActiveMQ sets it for the connection; here it is a listener's, so it goes with the policy.
#[test]
fn non_blocking_redelivery_is_that_of_the_listeners_with_the_policy() {
    let text = "tcp://h?jms.nonBlockingRedelivery=false";
    let load = |more: &str| {
        let text = format!("[redelivery.x]\nuri = \"{text}\"\n{more}");
        let fixture = file(text)
            .listener("plain", &[("queue", Text("a"))])
            .listener("ordered", &[("queue", Text("b")), ("redelivery", Text("x"))])
            .listener(
                "own",
                &[("queue", Text("c")), ("redelivery", Text("x")), ("nonBlockingRedelivery", Boolean(true))],
            );
        let configuration = fixture.accepted();
        ["plain", "ordered", "own"].map(|id| configuration.listeners()[id].non_blocking)
    };
    assert_eq!(load(""), [true, false, true]);
    assert_eq!(load("[container]\nnonBlockingRedelivery = true\n"), [true, false, true]);
    let replaced = uri(text).policy(RedeliveryPolicy::new("x"));
    let listener = &[("queue", Text("b")), ("redelivery", Text("x"))];
    assert!(replaced.listener("ordered", listener).accepted().listeners()["ordered"].non_blocking);
    assert_eq!(load("[listeners.ordered]\nnonBlockingRedelivery = true\n"), [true, true, true]);
}

#[test]
fn no_placeholder_reads_what_may_hold_a_password() {
    let text = "tcp://u:hunter2@h?jms.redeliveryPolicy.maximumRedeliveries=2";
    let text =
        format!("[redelivery.x]\nuri = \"{text}\"\n[container]\ndeadLetter = \"${{redelivery.x.uri}}\"\n");
    file(text).refused(&expect![[r#"
        shop.toml:4:14: container.deadLetter: `redelivery.x.uri` may hold a password: no placeholder reads it
            deadLetter = "${redelivery.x.uri}"
                         ^^^^^^^^^^^^^^^^^^^^^"#]]);
}
