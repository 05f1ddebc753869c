use expect_test::expect;

use crate::Shop;

const TEXT: &str = "[redelivery.patient]\nuseExponentialBackOff = true\nmaximumRedeliveryDelay = \"1m\"\n\
                    useCollisionAvoidance = true\n[redelivery.eager]\ninitialRedeliveryDelay = 0\nmaximumRedeliveries = 2\n\
                    [redelivery.endless]\nmaximumRedeliveries = -1\n";

#[test]
fn a_policy_is_shown_as_a_table_up_to_the_dead_letter() {
    expect![[r#"
        policy patient: 6 redeliveries
        attempt  wait     at       min       max
              1     -     0s         -         -
              2    1s     1s        1s        1s
              3    5s     6s   4s250ms   5s750ms
              4   25s    31s  21s250ms  28s750ms
              5    1m  1m31s       51s      1m9s
              6    1m  2m31s       51s      1m9s
              7    1m  3m31s       51s      1m9s
        dead letter
    "#]]
    .assert_eq(&Shop::new(TEXT).say("plan patient").out);
}

#[test]
fn a_wait_of_0_says_when_it_is_taken_up() {
    expect![[r#"
        policy eager: 2 redeliveries
        attempt  wait  at  min  max
              1     -  0s    -    -
              2    0s  0s   0s   0s   taken up after 1s (zeroDelay)
              3    1s  1s   1s   1s
        dead letter
    "#]]
    .assert_eq(&Shop::new(TEXT).say("plan eager").out);
    let immediate = format!("{TEXT}[container]\nzeroDelay = \"immediate\"\n");
    assert!(!Shop::new(&immediate).say("plan eager").out.contains("taken up"));
}

#[test]
fn a_count_cuts_the_table() {
    expect![[r#"
        policy patient: 6 redeliveries
        attempt  wait  at      min      max
              1     -  0s        -        -
              2    1s  1s       1s       1s
              3    5s  6s  4s250ms  5s750ms
        … 4 more
        dead letter
    "#]]
    .assert_eq(&Shop::new(TEXT).say("plan patient --count 2").out);
    expect![[r#"
        policy endless: redelivers without end
        attempt  wait  at  min  max
              1     -  0s    -    -
              2    1s  1s   1s   1s
              3    1s  2s   1s   1s
        …
    "#]]
    .assert_eq(&Shop::new(TEXT).say("plan endless --count 2").out);
}

#[test]
fn a_seed_draws_the_same_waits_each_time() {
    let shop = Shop::new(TEXT);
    assert_eq!(shop.say("plan patient --seed 7").out, shop.say("plan patient --seed 7").out);
    assert_ne!(shop.say("plan patient --seed 7").out, shop.say("plan patient").out);
}

#[test]
fn programs_read_an_array_of_milliseconds() {
    let said = Shop::new(TEXT).say("plan eager --json");
    expect![[r#"
        [
          {
            "redelivery": 1,
            "delay_ms": 0,
            "min_ms": 0,
            "max_ms": 0,
            "at_ms": 0,
            "first_take_up_ms": 1000
          },
          {
            "redelivery": 2,
            "delay_ms": 1000,
            "min_ms": 1000,
            "max_ms": 1000,
            "at_ms": 1000
          }
        ]
    "#]]
    .assert_eq(&said.out);
}

#[test]
fn an_unknown_policy_is_answered_with_the_nearest_and_all() {
    let said = Shop::new(TEXT).say("plan pateint");
    assert_eq!((said.status.code(), said.out.as_str()), (2, ""));
    expect![[r#"
        there is no policy `pateint`
            did you mean `patient`?
            policies: default, eager, endless, patient
    "#]]
    .assert_eq(&said.err);
}

#[test]
fn a_policy_that_drops_says_so() {
    let said =
        Shop::new("[redelivery.x]\nmaximumRedeliveries = 1\nonExhausted = \"discard\"\n").say("plan x");
    assert_eq!(said.out.lines().last(), Some("discarded"));
}
