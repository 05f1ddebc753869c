//! Every message of `#[listener]`, word for word, and what must compile beside it. Renew with `TRYBUILD=overwrite`.

#[test]
fn messages_of_the_attribute() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*.rs");
    cases.pass("ui/pass/*.rs");
}
