/// Links crates whose listeners are found by themselves only if something refers to the crate.
///
/// A dependency that nothing refers to is left out of the binary, listeners and all, without a word from the compiler.
/// This macro refers to each crate named, and start-up fails if one of them registered no listener.
///
/// ```
/// # mod billing {}
/// # mod outer {
/// hearken::link!();
/// # }
/// ```
/// In a service: `hearken::link!(billing, shipping);`
#[macro_export]
macro_rules! link {
    ($($name:ident),* $(,)?) => {$(
        #[allow(unused_imports)]
        use ::$name as _;
        $crate::__private::inventory::submit! {
            $crate::__private::Linked {
                name: ::core::stringify!($name),
                file: ::core::file!(),
                line: ::core::line!(),
            }
        }
    )*};
}
