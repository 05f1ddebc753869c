//! Everything that is wrong before anything is opened, in one report.

use hearken::prelude::*;

#[listener(queue = "a", redelivery = "patiend", transaction_manager = "ledger")]
async fn first(State(_): State<u32>) {}

#[listener(id = "first", queue = "b")]
async fn second(State(_): State<String>) {}

#[listener(queue = "c", redelivery_mode = "broker", non_blocking_redelivery = false)]
async fn third() {}

fn report(builder: hearken::Builder) -> String {
    match builder.build() {
        Ok(_) => panic!("expected problems"),
        Err(error) => {
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        }
    }
}

#[test]
fn all_problems_are_told_together() {
    let report = report(
        Hearken::builder()
            .listen::<first>()
            .listen::<second>()
            .set("listeners.thrid.queue", "d")
            .set("redelivery.patient.maximumRedeliveries", 3),
    );
    for expected in [
        "no value of that type was given",
        "State<u32>",
        "State<alloc::string::String>",
        "two listeners have the id `first`",
        "patiend",
        "did you mean `patient`",
        "ledger",
        "`thrid` is configured here, and no listener of this binary has that id",
        "tests/tests/preflight.rs:5:",
        "tests/tests/preflight.rs:8:",
    ] {
        assert!(report.contains(expected), "`{expected}` is not in:\n{report}");
    }
}

#[test]
fn an_application_without_listeners_is_refused() {
    assert!(report(Hearken::builder()).contains("there is no listener in this application"));
}

#[test]
fn an_order_that_cannot_be_kept_is_refused() {
    let report = report(Hearken::builder().listen::<third>());
    assert!(report.contains("cannot keep the order"), "{report}");
}

#[test]
fn an_address_without_a_transport_is_refused() {
    #[listener(queue = "d")]
    async fn fourth() {}
    let report = report(Hearken::builder().listen::<fourth>().set("transport.url", "ampq://guest:s3cr3t@h"));
    assert!(report.contains("amqp") && !report.contains("s3cr3t"), "{report}");
}
