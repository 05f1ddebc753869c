//! Every path that an expansion names, in one place.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::quote;

/// Where the expansion finds `hearken`, and what it needs there.
pub(crate) struct Paths {
    private: TokenStream,
}

macro_rules! private {
    ($($name:ident),* $(,)?) => {
        $(
            #[allow(non_snake_case)]
            pub(crate) fn $name(&self) -> TokenStream {
                let private = &self.private;
                quote!(#private::$name)
            }
        )*
    };
}

impl Paths {
    pub(crate) fn new(root: Option<&syn::Path>) -> Self {
        let root = root.map_or_else(|| quote!(::hearken), |path| quote!(#path));
        Self { private: quote!(#root::__private) }
    }

    private! {
        AttributeOption, AttributeValue, BlockingCall, BoxFuture, CORE_VERSION, Call, FromDelivery, Handler,
        IntoOutcome, Listener, ListenerDescriptor, Outcome, Registration, Requirements, inventory,
    }
}

/// A span that shows `span` to the user but resolves and lints as generated code.
pub(crate) fn generated_at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// `tokens`, all of them at `span`, so that the compiler's own errors point there.
pub(crate) fn at(span: Span, tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                token = TokenTree::Group(Group::new(group.delimiter(), at(span, group.stream())));
            }
            token.set_span(span);
            token
        })
        .collect()
}
