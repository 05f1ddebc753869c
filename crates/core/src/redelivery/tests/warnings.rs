use super::super::human::about;
use super::super::{PolicyWarning, RedeliveryPolicy};
use super::{flat, growing};

#[track_caller]
fn warns(policy: &RedeliveryPolicy, expected: &[(&str, &str)]) {
    let warnings = policy.warnings();
    let texts: Vec<String> = warnings.iter().map(PolicyWarning::to_string).collect();
    let told: Vec<(&str, &str)> =
        warnings.iter().map(PolicyWarning::key).zip(texts.iter().map(String::as_str)).collect();
    assert_eq!(told, expected);
}

#[test]
fn ordinary_policies_are_not_warned_of() {
    warns(&RedeliveryPolicy::default(), &[]);
    warns(&RedeliveryPolicy::default().maximum_redeliveries(-1), &[]);
    warns(&growing(1000, 1000, 5.0), &[]);
    warns(&growing(1000, 1000, 5.0).maximum_redeliveries(-1).maximum_redelivery_delay(60_000), &[]);
    warns(&RedeliveryPolicy::aliyun("a").maximum_redelivery_delay(5), &[]);
}

#[test]
fn a_multiplier_of_one_or_less_is_without_effect() {
    for (multiplier, shown) in [(1.0, "1"), (0.5, "0.5"), (f64::NAN, "NaN")] {
        let text =
            format!("backOffMultiplier = {shown} has no effect, it must be above 1; the waits do not change");
        warns(&growing(1000, 1000, multiplier), &[("backOffMultiplier", &text)]);
    }
}

#[test]
fn unbounded_growth_names_a_wait_in_human_words() {
    let text = "the waits grow without bound: redelivery 20 would wait about 600,000 years; \
                set maximumRedeliveryDelay";
    warns(&growing(1000, 1000, 5.0).maximum_redeliveries(-1), &[("maximumRedeliveryDelay", text)]);
}

#[test]
fn a_multiplier_that_grows_nothing_is_not_unbounded() {
    warns(&growing(1, 1, 1.1).maximum_redeliveries(-1), &[]);
    warns(&growing(0, 0, 2.0).maximum_redeliveries(-1), &[]);
}

#[test]
fn a_first_product_beyond_every_bound_is_unbounded() {
    let policy = growing(1000, 1000, f64::INFINITY).maximum_redeliveries(-1);
    assert_eq!(policy.warnings(), [PolicyWarning::UnboundedGrowth { redelivery: 20, wait_ms: i64::MAX }]);
}

#[test]
fn a_cap_below_a_delay_tells_what_happens_instead() {
    let key = "maximumRedeliveryDelay";
    let floor =
        "maximumRedeliveryDelay = 500 ms is below redeliveryDelay = 1000 ms; the waits end at 1000 ms";
    let first = "maximumRedeliveryDelay = 500 ms is below initialRedeliveryDelay = 800 ms; \
                 the first wait is never capped";
    warns(&growing(10, 1000, 2.0).maximum_redelivery_delay(500), &[(key, floor)]);
    warns(&growing(800, 100, 2.0).maximum_redelivery_delay(500), &[(key, first)]);
    warns(&growing(800, 1000, 2.0).maximum_redelivery_delay(500), &[(key, floor), (key, first)]);
}

#[test]
fn a_cap_without_back_off_is_without_effect() {
    let text = "maximumRedeliveryDelay = 500 ms has no effect without useExponentialBackOff = true";
    warns(&flat(1000, 1000).maximum_redelivery_delay(500), &[("maximumRedeliveryDelay", text)]);
}

#[test]
fn human_words_have_two_figures_and_one_unit() {
    let table = [
        (-1, "about 0 milliseconds"),
        (1, "about 1 millisecond"),
        (999, "about 1,000 milliseconds"),
        (1_000, "about 1 second"),
        (90_000, "about 2 minutes"),
        (7_200_000, "about 2 hours"),
        (86_400_000, "about 1 day"),
        (40_000_000_000_000, "about 1,300 years"),
        (i64::MAX, "about 290,000,000 years"),
    ];
    for (ms, words) in table {
        assert_eq!(about(ms), words);
    }
}
