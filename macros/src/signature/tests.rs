use proc_macro2::TokenStream;

use super::parse;
use crate::messages::signature as messages;
use crate::mistakes::Mistakes;

/// The mistakes of `item`, and what may be generated: `Some(fit)` for a free function.
fn check(item: &str) -> (Vec<String>, Option<bool>) {
    let mut mistakes = Mistakes::default();
    let function = parse(item.parse::<TokenStream>().unwrap(), &mut mistakes);
    let fit = function.map(|function| function.fit);
    (mistakes.texts(), fit)
}

#[test]
fn these_are_listeners() {
    for item in [
        "async fn f() {}",
        "pub(crate) fn f(Json(order): Json<Order>, attempt: Attempt) -> Result<(), BoxError> { todo!() }",
        "/// Docs.\n#[allow(unused)] pub async fn r#type(#[allow(unused)] a: u8) -> Action { a }",
        "async fn f(text: &str, tag: Tag<'_>) {}",
        "async fn f<'a>(text: &'a str, tag: Tag<'a>) -> Result<(), E<'a>> where 'a: 'a {}",
        "fn f(text: &'static str, tag: Tag<'static>) {}",
        "fn f(call: State<fn(&str) -> bool>, other: State<Box<dyn Fn(&str) -> bool + Send>>) {}",
        "fn f(db: sqlx::Tx<Db>, many: db::Many<u8>) {}",
        "fn f() { not rust at all }",
    ] {
        assert_eq!(check(item), (Vec::new(), Some(true)), "{item}");
    }
}

#[test]
fn other_items_are_named() {
    for (item, keyword) in [
        ("struct S;", "struct"),
        ("pub enum E {}", "enum"),
        ("#[derive(Debug)] pub(crate) union U {}", "union"),
        ("const X: u8 = 1;", "const"),
        ("static X: u8 = 1;", "static"),
        ("mod m {}", "mod"),
        ("unsafe impl T for S {}", "impl"),
        ("impl S { fn f(&self) {} }", "impl"),
        ("trait T { fn f(); }", "trait"),
        ("extern crate std;", "extern"),
        (r#"extern "C" { fn f(); }"#, "extern"),
        ("use a::b;", "use"),
        ("type T = u8;", "type"),
        ("macro_rules! m { () => {} }", "macro_rules"),
    ] {
        let (messages, fit) = check(item);
        assert_eq!(messages, [format!("#[listener] goes on a free function, not on `{keyword}`")], "{item}");
        assert_eq!(fit, None);
    }
}

#[test]
fn each_mistake_has_its_message() {
    for (item, message, fit) in [
        ("async fn f(&self) {}", messages::RECEIVER, None),
        ("async fn f(self: Box<Self>) {}", messages::RECEIVER, None),
        ("async fn f(x: Json<Self>) {}", messages::SELF_TYPE, None),
        ("async fn f() -> Result<(), Self::Error> {}", messages::SELF_TYPE, None),
        ("async fn f();", messages::NO_BODY, None),
        ("const fn f() {}", messages::CONST, Some(false)),
        ("unsafe fn f() {}", messages::UNSAFE, Some(false)),
        (r#"extern "C" fn f() {}"#, messages::EXTERN, Some(false)),
        ("fn f(x: ...) {}", messages::VARIADIC, Some(false)),
        ("async fn f(x: impl Into<String>) {}", messages::IMPL_ARGUMENT, Some(false)),
        ("async fn f(x: State<Box<impl Fn()>>) {}", messages::IMPL_ARGUMENT, Some(false)),
        ("fn f(x: &str) {}", messages::BORROW_IN_SYNC, Some(false)),
        ("fn f(x: (u8, &'_ [&str])) {}", messages::BORROW_IN_SYNC, Some(false)),
        ("fn f<'a>(x: Tag<'a>) {}", messages::BORROW_IN_SYNC, Some(false)),
        ("fn f(x: State<Box<dyn Fn() + '_>>) {}", messages::BORROW_IN_SYNC, Some(false)),
        ("fn f() -> impl Future<Output = ()> {}", messages::IMPL_FUTURE, Some(false)),
        ("async fn f() -> impl Sized {}", messages::IMPL_OUTPUT, Some(false)),
        ("async fn f() -> ! {}", messages::NEVER, Some(false)),
        ("async fn f(x: Tx<'_, Db>) {}", messages::TX, Some(false)),
        ("async fn f(x: hearken::Many<u8>) {}", messages::MANY, Some(false)),
        ("async fn f() -> Reply<u8> {}", messages::REPLY, Some(false)),
        ("async fn f() -> Result<Reply<u8>, E> {}", messages::REPLY, Some(false)),
        ("async fn f(#[cfg(unix)] x: u8) {}", messages::CFG_ARGUMENT, Some(false)),
        ("#[hearken::listener] async fn f() {}", messages::SECOND_ATTRIBUTE, Some(true)),
    ] {
        assert_eq!(check(item), (vec![message.to_owned()], fit), "{item}");
    }
}

#[test]
fn all_mistakes_are_reported() {
    let (messages, fit) =
        check(r#"const unsafe extern "C" fn f<T, const N: usize>(a: Tx<'_, D>, b: Tx<'_, D>, c: &T) {}"#);
    assert_eq!(
        messages,
        [
            messages::CONST,
            messages::UNSAFE,
            messages::EXTERN,
            &messages::generic_type(&"T"),
            &messages::generic_const(&"N"),
            messages::TX,
            messages::SECOND_TX,
            messages::BORROW_IN_SYNC,
        ]
    );
    assert_eq!(fit, Some(false));
}
