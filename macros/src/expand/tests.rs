use proc_macro2::TokenStream;

use crate::expand_listener;

fn expand(attribute: &str, item: &str) -> String {
    let tokens = expand_listener(attribute.parse().unwrap(), item.parse().unwrap());
    syn::parse2::<syn::File>(tokens.clone()).unwrap_or_else(|error| panic!("{error}: {tokens}"));
    tokens.to_string()
}

fn text(tokens: &str) -> String {
    tokens.parse::<TokenStream>().unwrap().to_string()
}

fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

#[track_caller]
fn has(expansion: &str, part: &str) {
    assert!(solid(expansion).contains(&solid(part)), "{part} is not in {expansion}");
}

const GOOD: &str = r#"queue = "orders""#;

#[test]
fn the_function_comes_first_and_unchanged() {
    let item = text("#[doc = \" Books.\"] pub async fn f(Json(x): Json<X>) -> Action { let y = x; y }");
    assert!(expand(GOOD, &item).starts_with(&item));
    for attribute in ["", "queue = 5", "wibble"] {
        let expansion = expand(attribute, &item);
        assert!(expansion.starts_with(&item));
        has(&expansion, "pub struct f {}");
        has(&expansion, "::core::compile_error!");
    }
}

#[test]
fn an_unfit_function_keeps_its_name_and_registers_nothing() {
    let expansion = expand(GOOD, "async fn f<T>(x: Json<T>) {}");
    has(&expansion, "struct f {}");
    has(&expansion, "::core::unreachable!()");
    assert!(!expansion.contains("submit"));
}

#[test]
fn nothing_is_added_beside_what_is_no_free_function() {
    for item in ["struct S { x : u8 }", "async fn f(&self) {}"] {
        let expansion = expand(GOOD, item);
        assert!(!expansion.contains("Listener"));
        assert_eq!(expansion.matches("compile_error").count(), 1);
    }
}

#[test]
fn the_functions_own_lifetimes_become_anonymous() {
    let expansion = expand(
        GOOD,
        "async fn f<'a>(x: &'a [u8], y: Tag<'a, 'static>, z: State<for<'b> fn(&'b str)>) -> R<'a> {}",
    );
    has(&expansion, "<&'_ [u8] as ::hearken::__private::FromDelivery<'_>>::requirements");
    has(&expansion, "<Tag<'_, 'static> as");
    has(&expansion, "<State<for<'b> fn(&'b str)> as");
    has(&expansion, "<R<'_> as ::hearken::__private::IntoOutcome>::into_outcome");
}

#[test]
fn every_path_starts_at_the_given_crate() {
    let expansion = expand(r#"queue = "q", prefetch = 5, crate = "shop::hk""#, "fn f(x: X) -> Y {}");
    has(&expansion, "shop::hk::__private::Listener");
    assert!(!expansion.contains(":: hearken"), "{expansion}");
}

#[test]
fn a_second_attribute_is_not_expanded_again() {
    let expansion = expand(GOOD, "#[listener(queue = \"b\")] #[inline] async fn f() { body }");
    assert!(expansion.starts_with(&text("#[inline] async fn f() { body }")));
    assert_eq!(expansion.matches("submit").count(), 1);
}

#[test]
fn conditions_and_allowances_are_forwarded_and_other_attributes_not() {
    let expansion = expand(
        GOOD,
        "#[cfg(unix)] #[allow(x)] #[inline] #[must_use] #[cfg_attr(a, inline)] #[cfg_attr(a, allow(y))] fn f() {}",
    );
    for (part, count) in
        [("#[cfg(unix)]", 3), ("#[allow(x)]", 3), ("#[inline]", 1), ("#[cfg_attr(a, allow(y))]", 3)]
    {
        assert_eq!(expansion.matches(&text(part)).count(), count, "{part} in {expansion}");
    }
    assert_eq!(expansion.matches(&text("#[cfg_attr(a, inline)]")).count(), 1);
}

#[test]
fn doc_comments_become_the_description() {
    let expansion = expand(GOOD, "/// Books an order.\n///\n///   - twice\n#[doc(hidden)] fn f() {}");
    assert!(expansion.contains(r#"description : "Books an order.\n\n  - twice""#), "{expansion}");
    let expansion = expand(GOOD, "/** Books\n an order. */ fn f() {}");
    assert!(expansion.contains(r#"description : "Books\nan order.""#), "{expansion}");
}

#[test]
fn a_raw_name_is_plain_in_the_id() {
    let expansion = expand(GOOD, "fn r#type() {}");
    has(&expansion, "struct r#type {}");
    has(&expansion, r#"id: "type", function: "type""#);
}

#[test]
fn a_name_that_is_no_id_needs_one() {
    assert!(expand(GOOD, "fn onOrder() {}").contains("add `id = \\\"on_order\\\"`"));
    assert!(!expand(r#"queue = "q", id = "on_order""#, "fn onOrder() {}").contains("compile_error"));
}
