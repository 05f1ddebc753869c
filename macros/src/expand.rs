//! The code beside the function: a type of the same name, its descriptor, and the registration.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, ReturnType};

use crate::options::Options;
use crate::paths::{Paths, at, generated_at};
use crate::signature::{Function, is_listener};

/// What stands beside a free function; without `fit` its call is left out, and the name still exists.
pub(crate) fn beside(function: &Function, options: &Options) -> TokenStream {
    let paths = Paths::new(options.root.as_ref());
    let (vis, name) = (&function.vis, &function.sig.ident);
    let forwarded: Vec<&Attribute> =
        function.attrs.iter().filter(|attribute| is_forwarded(attribute)).collect();
    let listener = paths.Listener();
    let descriptor_type = paths.ListenerDescriptor();
    let body =
        if function.fit { descriptor(function, options, &paths) } else { quote!(::core::unreachable!()) };
    let registration = if function.fit { registration(name, &paths) } else { TokenStream::new() };
    quote! {
        #(#forwarded)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, unreachable_pub)]
        #vis struct #name {}

        #(#forwarded)*
        #[allow(deprecated, elided_lifetimes_in_paths, unused_qualifications, clippy::all)]
        const _: () = {
            #[automatically_derived]
            impl #listener for #name {
                fn descriptor() -> &'static #descriptor_type {
                    #body
                }
            }
            #registration
        };
    }
}

/// The function as written, less what would expand it a second time.
pub(crate) fn original(item: TokenStream, function: &Function) -> TokenStream {
    if !function.attrs.iter().any(is_listener) {
        return item;
    }
    let attrs = function.attrs.iter().filter(|attribute| !is_listener(attribute));
    let Function { vis, sig, body, .. } = function;
    quote!(#(#attrs)* #vis #sig #body)
}

/// The item exists where the function does, and warns no louder.
fn is_forwarded(attribute: &Attribute) -> bool {
    let path = attribute.path();
    path.is_ident("cfg")
        || path.is_ident("allow")
        || (path.is_ident("cfg_attr") && is_conditional_cfg(attribute))
}

/// Of the conditional attributes only these fit a type as well as a function.
fn is_conditional_cfg(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.tokens
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Ident(ident) if ident == "cfg" || ident == "allow"))
}

fn registration(name: &Ident, paths: &Paths) -> TokenStream {
    let (inventory, registration, listener) = (paths.inventory(), paths.Registration(), paths.Listener());
    quote! {
        #inventory::submit! { #registration(<#name as #listener>::descriptor) }
    }
}

fn descriptor(function: &Function, options: &Options, paths: &Paths) -> TokenStream {
    let name = function.name();
    let id = options.id.as_ref().unwrap_or(&name);
    let description = description(&function.attrs);
    let option = paths.AttributeOption();
    let values = options.values.iter().map(|(key, value)| {
        let value = value.expand(paths);
        quote!(#option { key: #key, value: #value })
    });
    let call = Call::new(function, paths);
    let requirements = call.requirements();
    let (handler, kind) = call.handler();
    let (descriptor, handler_type, core_version) =
        (paths.ListenerDescriptor(), paths.Handler(), paths.CORE_VERSION());
    quote! {
        #requirements
        #handler
        static __HEARKEN_DESCRIPTOR: #descriptor = #descriptor {
            id: #id,
            function: #name,
            module_path: ::core::module_path!(),
            file: ::core::file!(),
            line: ::core::line!(),
            column: ::core::column!(),
            description: #description,
            core_version: #core_version,
            options: &[#(#values),*],
            requirements: __hearken_requirements,
            handler: #handler_type::#kind(__hearken_call),
        };
        &__HEARKEN_DESCRIPTOR
    }
}

/// The doc comment as plain text.
fn description(attrs: &[Attribute]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for attribute in attrs.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &doc.value else { continue };
        lines.extend(text.value().split('\n').map(|line| {
            let line = line.trim_end();
            line.strip_prefix(' ').unwrap_or(line).to_owned()
        }));
    }
    lines.join("\n").trim().to_owned()
}

/// The generated call of one function.
struct Call<'a> {
    function: &'a Function,
    paths: &'a Paths,
    /// Types without the function's own lifetimes, which exist nowhere else.
    types: Vec<TokenStream>,
    spans: Vec<Span>,
}

impl<'a> Call<'a> {
    fn new(function: &'a Function, paths: &'a Paths) -> Self {
        let own = own_lifetimes(function);
        let types = function.argument_types().map(|ty| without(&own, ty.to_token_stream())).collect();
        let spans = function.argument_types().map(|ty| generated_at(ty.span())).collect();
        Self { function, paths, types, spans }
    }

    fn requirements(&self) -> TokenStream {
        let requirements = self.paths.Requirements();
        let needs = format_ident!("__hearken_needs", span = Span::mixed_site());
        let calls = self.types.iter().zip(&self.spans).map(|(ty, span)| {
            let from_delivery = at(*span, self.paths.FromDelivery());
            quote_spanned!(*span=> <#ty as #from_delivery<'_>>::requirements(#needs);)
        });
        let unused = self.types.is_empty().then(|| quote!(let _ = #needs;));
        quote! {
            fn __hearken_requirements(#needs: &mut #requirements) {
                #unused
                #(#calls)*
            }
        }
    }

    /// The function that a container calls, and the variant of `Handler` that takes it.
    fn handler(&self) -> (TokenStream, TokenStream) {
        let (call_type, outcome, box_future) =
            (self.paths.Call(), self.paths.Outcome(), self.paths.BoxFuture());
        let name = &self.function.sig.ident;
        let call = format_ident!("__hearken_call", span = Span::mixed_site());
        let arguments: Vec<Ident> = (0..self.types.len())
            .map(|index| format_ident!("__hearken_arg{index}", span = Span::mixed_site()))
            .collect();
        let called = quote!(#name(#(#arguments),*));
        let (kind, result, rejected, tail) = match self.function.sig.asyncness {
            Some(keyword) => {
                let awaited = quote_spanned!(generated_at(keyword.span)=> .await);
                let value = self.outcome_of(&quote!(#called #awaited));
                (quote!(Async), outcome.clone(), quote!(__hearken_outcome), value)
            }
            None => (
                quote!(Blocking),
                self.blocking_result(),
                quote!(::core::result::Result::Err(__hearken_outcome)),
                self.blocking(&called),
            ),
        };
        let extracted = arguments.iter().zip(self.extractions(&call)).map(|(argument, extraction)| {
            quote! {
                let #argument = match #extraction {
                    ::core::result::Result::Ok(__hearken_value) => __hearken_value,
                    ::core::result::Result::Err(__hearken_reject) => {
                        let __hearken_outcome = ::core::convert::Into::<#outcome>::into(__hearken_reject);
                        return #rejected;
                    }
                };
            }
        });
        let unused = self.types.is_empty().then(|| quote!(let _ = #call;));
        let handler = quote! {
            fn __hearken_call<'__hearken>(#call: &'__hearken #call_type) -> #box_future<'__hearken, #result> {
                #unused
                ::std::boxed::Box::pin(async move {
                    #(#extracted)*
                    #tail
                })
            }
        };
        (handler, kind)
    }

    /// By `boxed`, not `from_delivery`: were the future of an argument named here, the compiler would check again that
    /// it is `Send`, with its lifetimes erased, and refuse extractors that are generic over others
    /// (rust-lang/rust#100013).
    fn extractions(&self, call: &Ident) -> impl Iterator<Item = TokenStream> {
        self.types.iter().zip(&self.spans).map(move |(ty, &span)| {
            let from_delivery = at(span, self.paths.FromDelivery());
            quote_spanned!(span=> <#ty as #from_delivery<'_>>::boxed(#call).await)
        })
    }

    fn blocking_result(&self) -> TokenStream {
        let (blocking, outcome) = (self.paths.BlockingCall(), self.paths.Outcome());
        quote!(::core::result::Result<#blocking, #outcome>)
    }

    fn blocking(&self, called: &TokenStream) -> TokenStream {
        let blocking = self.paths.BlockingCall();
        let outcome = self.outcome_of(called);
        quote! {{
            let __hearken_blocking: #blocking = ::std::boxed::Box::new(move || #outcome);
            ::core::result::Result::Ok(__hearken_blocking)
        }}
    }

    fn outcome_of(&self, value: &TokenStream) -> TokenStream {
        let (ty, span) = match &self.function.sig.output {
            ReturnType::Default => (quote!(()), self.function.sig.ident.span()),
            ReturnType::Type(_, ty) => {
                (without(&own_lifetimes(self.function), ty.to_token_stream()), ty.span())
            }
        };
        let span = generated_at(span);
        let into_outcome = at(span, self.paths.IntoOutcome());
        quote_spanned!(span=> <#ty as #into_outcome>::into_outcome(#value))
    }
}

fn own_lifetimes(function: &Function) -> BTreeSet<String> {
    function.sig.generics.lifetimes().map(|parameter| parameter.lifetime.ident.to_string()).collect()
}

/// `tokens` with `'_` for every lifetime of `own`.
fn without(own: &BTreeSet<String>, tokens: TokenStream) -> TokenStream {
    let mut after_tick = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                after_tick = false;
                let mut inner = Group::new(group.delimiter(), without(own, group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            TokenTree::Ident(ident)
                if std::mem::take(&mut after_tick) && own.contains(&ident.to_string()) =>
            {
                TokenTree::Ident(Ident::new("_", ident.span()))
            }
            token => {
                after_tick = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
                token
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
