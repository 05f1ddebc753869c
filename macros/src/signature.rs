//! The annotated item: read up to its body, which stays as it is, and checked.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, FnArg, GenericParam, Ident, ReturnType, Signature, Token, Type, Visibility};

use crate::messages::signature as messages;
use crate::mistakes::Mistakes;
use crate::types::{self, Finding};

/// A free function, as far as can be seen.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: TokenStream,
    /// Its call can be generated.
    pub(crate) fit: bool,
}

impl Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
            fit: true,
        })
    }

    /// The name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.sig.ident.unraw().to_string()
    }

    pub(crate) fn argument_types(&self) -> impl Iterator<Item = &Type> {
        self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(&*typed.ty),
            FnArg::Receiver(_) => None,
        })
    }
}

/// `None` where nothing can be added beside the item.
pub(crate) fn parse(item: TokenStream, mistakes: &mut Mistakes) -> Option<Function> {
    if let Err((keyword, kind)) = is_function(item.clone()) {
        mistakes.at(keyword, messages::not_a_function(&kind));
        return None;
    }
    match Function::parse.parse2(item) {
        Ok(function) => check(function, mistakes),
        Err(error) => {
            mistakes.add(error);
            None
        }
    }
}

/// Whether the first keyword after the attributes and the visibility leads to `fn`; else that keyword.
fn is_function(item: TokenStream) -> Result<(), (TokenTree, String)> {
    let keywords = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<TokenStream>()
    };
    let mut first = None;
    for token in keywords.parse2(item).unwrap_or_default() {
        let text = token.to_string();
        let first = first.get_or_insert_with(|| token.clone());
        match (&token, text.as_str()) {
            (TokenTree::Ident(_), "fn") => return Ok(()),
            (TokenTree::Ident(_), "const" | "async" | "unsafe" | "extern" | "safe" | "gen" | "default") => {}
            (TokenTree::Literal(_), _) => {}
            (TokenTree::Ident(_), "impl" | "trait" | "mod") => return Err((first.clone(), text)),
            _ => {
                let kind = first.to_string();
                return Err((first.clone(), kind));
            }
        }
    }
    // Nothing that rustc would take for an item.
    Err((TokenTree::Ident(Ident::new("_", Span::call_site())), "item".to_owned()))
}

fn check(mut function: Function, mistakes: &mut Mistakes) -> Option<Function> {
    let mut checks = Checks { mistakes, fit: true, free: true };
    checks.attributes(&function);
    checks.qualifiers(&function.sig);
    checks.generics(&function.sig);
    checks.arguments(&function.sig);
    checks.output(&function.sig);
    if function.body.to_string() == ";" {
        checks.unfit(&function.body, messages::NO_BODY);
        checks.free = false;
    }
    let Checks { fit, free, .. } = checks;
    function.fit = fit;
    free.then_some(function)
}

struct Checks<'a> {
    mistakes: &'a mut Mistakes,
    /// The call can be generated.
    fit: bool,
    /// The function stands in a module or in a body, as far as can be seen.
    free: bool,
}

impl Checks<'_> {
    fn unfit(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.mistakes.at(tokens, message);
        self.fit = false;
    }

    fn attributes(&mut self, function: &Function) {
        for attribute in function.attrs.iter().filter(|attribute| is_listener(attribute)) {
            self.mistakes.at(attribute.path(), messages::SECOND_ATTRIBUTE);
        }
    }

    fn qualifiers(&mut self, sig: &Signature) {
        if let Some(keyword) = &sig.constness {
            self.unfit(keyword, messages::CONST);
        }
        if let Some(keyword) = &sig.unsafety {
            self.unfit(keyword, messages::UNSAFE);
        }
        if let Some(abi) = &sig.abi {
            self.unfit(abi, messages::EXTERN);
        }
        if let Some(variadic) = &sig.variadic {
            self.unfit(variadic.dots, messages::VARIADIC);
        }
    }

    fn generics(&mut self, sig: &Signature) {
        for parameter in &sig.generics.params {
            match parameter {
                GenericParam::Type(parameter) => {
                    self.unfit(&parameter.ident, messages::generic_type(&parameter.ident));
                }
                GenericParam::Const(parameter) => {
                    self.unfit(&parameter.ident, messages::generic_const(&parameter.ident));
                }
                GenericParam::Lifetime(_) => {}
            }
        }
    }

    fn arguments(&mut self, sig: &Signature) {
        let mut transaction = false;
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    self.unfit(receiver.self_token, messages::RECEIVER);
                    self.free = false;
                }
                FnArg::Typed(argument) => {
                    if let Some(cfg) = argument
                        .attrs
                        .iter()
                        .find(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr"))
                    {
                        self.unfit(cfg.path(), messages::CFG_ARGUMENT);
                    }
                    self.argument(&argument.ty, sig.asyncness, &mut transaction);
                }
            }
        }
    }

    fn argument(&mut self, ty: &Type, asyncness: Option<Token![async]>, transaction: &mut bool) {
        match types::our_name(ty) {
            Some(name) if name == "Tx" && *transaction => self.unfit(name, messages::SECOND_TX),
            Some(name) if name == "Tx" => {
                *transaction = true;
                self.unfit(name, messages::TX);
            }
            Some(name) if name == "Many" => self.unfit(name, messages::MANY),
            _ => self.argument_findings(ty, asyncness),
        }
    }

    fn argument_findings(&mut self, ty: &Type, asyncness: Option<Token![async]>) {
        let mut borrowed = false;
        for (finding, tokens) in types::findings(ty) {
            match finding {
                Finding::Borrow if asyncness.is_none() && !borrowed => {
                    self.unfit(tokens, messages::BORROW_IN_SYNC);
                    borrowed = true;
                }
                Finding::ImplTrait => self.unfit(tokens, messages::IMPL_ARGUMENT),
                Finding::SelfType => {
                    self.unfit(tokens, messages::SELF_TYPE);
                    self.free = false;
                }
                Finding::Borrow | Finding::Never => {}
            }
        }
    }

    fn output(&mut self, sig: &Signature) {
        let replies = types::returned(&sig.output).into_iter().filter_map(types::our_name);
        for name in replies.filter(|name| *name == "Reply") {
            self.unfit(name, messages::REPLY);
        }
        let ReturnType::Type(_, ty) = &sig.output else { return };
        for (finding, tokens) in types::findings(ty) {
            match finding {
                Finding::ImplTrait if sig.asyncness.is_none() && is_future(&tokens) => {
                    self.unfit(tokens, messages::IMPL_FUTURE);
                }
                Finding::ImplTrait => self.unfit(tokens, messages::IMPL_OUTPUT),
                Finding::Never => self.unfit(tokens, messages::NEVER),
                Finding::SelfType => {
                    self.unfit(tokens, messages::SELF_TYPE);
                    self.free = false;
                }
                Finding::Borrow => {}
            }
        }
    }
}

/// `#[listener]` once more; a second expansion would name everything twice.
pub(crate) fn is_listener(attribute: &Attribute) -> bool {
    let segments = &attribute.path().segments;
    segments.last().is_some_and(|last| last.ident == "listener")
        && (segments.len() == 1
            || segments.first().is_some_and(|first| first.ident.to_string().starts_with("hearken")))
}

fn is_future(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(ident) if ident == "Future"))
}

#[cfg(test)]
mod tests;
