//! What stands in the way inside the types of a signature.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{GenericArgument, Lifetime, Path, PathArguments, ReturnType, Type, TypeParamBound};

pub(crate) enum Finding {
    /// `&`, `'_` or a named lifetime.
    Borrow,
    ImplTrait,
    SelfType,
    Never,
}

/// Every finding in `ty` with the tokens to point at, in the order written.
pub(crate) fn findings(ty: &Type) -> Vec<(Finding, TokenStream)> {
    let mut walk = Walk(Vec::new());
    walk.ty(ty);
    walk.0
}

struct Walk(Vec<(Finding, TokenStream)>);

impl Walk {
    fn found(&mut self, finding: Finding, tokens: impl ToTokens) {
        self.0.push((finding, tokens.to_token_stream()));
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Reference(reference) => {
                if reference.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident != "static") {
                    let (and, lifetime) = (reference.and_token, &reference.lifetime);
                    self.found(Finding::Borrow, quote!(#and #lifetime));
                }
                self.ty(&reference.elem);
            }
            Type::Path(path) => {
                if let Some(qself) = &path.qself {
                    self.ty(&qself.ty);
                }
                self.path(&path.path);
            }
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| self.ty(elem)),
            Type::Array(array) => self.ty(&array.elem),
            Type::Slice(slice) => self.ty(&slice.elem),
            Type::Group(group) => self.ty(&group.elem),
            Type::Paren(paren) => self.ty(&paren.elem),
            Type::Ptr(pointer) => self.ty(&pointer.elem),
            Type::ImplTrait(_) => self.found(Finding::ImplTrait, ty),
            Type::TraitObject(object) => self.bounds(&object.bounds),
            Type::Never(_) => self.found(Finding::Never, ty),
            // Lifetimes inside a function pointer are its own.
            _ => {}
        }
    }

    fn path(&mut self, path: &Path) {
        if let Some(first) = path.segments.first()
            && first.ident == "Self"
        {
            self.found(Finding::SelfType, &first.ident);
        }
        for segment in &path.segments {
            // `Fn(&str)` borrows per call.
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else { continue };
            for argument in &arguments.args {
                match argument {
                    GenericArgument::Lifetime(lifetime) => self.lifetime(lifetime),
                    GenericArgument::Type(ty) => self.ty(ty),
                    GenericArgument::AssocType(associated) => self.ty(&associated.ty),
                    _ => {}
                }
            }
        }
    }

    fn bounds(&mut self, bounds: &Punctuated<TypeParamBound, syn::Token![+]>) {
        for bound in bounds {
            match bound {
                TypeParamBound::Trait(bound) => self.path(&bound.path),
                TypeParamBound::Lifetime(lifetime) => self.lifetime(lifetime),
                _ => {}
            }
        }
    }

    fn lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident != "static" {
            self.found(Finding::Borrow, lifetime);
        }
    }
}

/// `Tx` of `Tx<'_, Db>` or `hearken::Tx<'_, Db>`; nothing for a type that is named by another path.
pub(crate) fn our_name(ty: &Type) -> Option<&syn::Ident> {
    let Type::Path(syn::TypePath { qself: None, path }) = unwrapped(ty) else { return None };
    let last = path.segments.last()?;
    let ours =
        path.segments.len() == 1 || path.segments.first().is_some_and(|first| first.ident == "hearken");
    (ours && matches!(last.arguments, PathArguments::AngleBracketed(_))).then_some(&last.ident)
}

/// The types a returned value may carry: the type itself and what a `Result` or an `Option` holds.
pub(crate) fn returned(output: &ReturnType) -> Vec<&Type> {
    let ReturnType::Type(_, ty) = output else { return Vec::new() };
    let mut types = vec![&**ty];
    if let Type::Path(path) = unwrapped(ty)
        && let Some(last) = path.path.segments.last()
        && (last.ident == "Result" || last.ident == "Option")
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
    {
        types.push(inner);
    }
    types
}

fn unwrapped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => unwrapped(&group.elem),
        Type::Paren(paren) => unwrapped(&paren.elem),
        other => other,
    }
}
