//! The value of one option: read from its tokens, checked by the kind of the option.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::Lit;

use super::table::{Kind, Row};
use super::{concurrency, duration, placeholder};
use crate::paths::Paths;
use crate::{messages, names};

/// A checked value, as the descriptor carries it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Decimal(f64),
    Boolean(bool),
    /// Keys of a redelivery policy as in TOML, in the order written.
    Table(Vec<(&'static str, Value)>),
}

impl Value {
    pub(crate) fn expand(&self, paths: &Paths) -> TokenStream {
        let value = paths.AttributeValue();
        match self {
            Self::Text(text) => quote!(#value::Text(#text)),
            Self::Integer(integer) => quote!(#value::Integer(#integer)),
            Self::Decimal(decimal) => quote!(#value::Decimal(#decimal)),
            Self::Boolean(boolean) => quote!(#value::Boolean(#boolean)),
            Self::Table(values) => {
                let option = paths.AttributeOption();
                let values = values.iter().map(|(key, value)| {
                    let value = value.expand(paths);
                    quote!(#option { key: #key, value: #value })
                });
                quote!(#value::Table(&[#(#values),*]))
            }
        }
    }
}

/// What stands after the `=`.
pub(super) enum Written {
    Text(String),
    /// `value` is `None` beyond 64 bits; `plain` is the number without a suffix.
    Integer {
        value: Option<i64>,
        plain: String,
        suffixed: bool,
    },
    Decimal {
        value: f64,
        plain: String,
        suffixed: bool,
    },
    Boolean(bool),
    /// A literal that no option takes: a character, bytes.
    OtherLiteral,
    Range,
    /// Anything else, as text.
    Expression(String),
}

pub(super) fn read(tokens: &[TokenTree]) -> Written {
    match tokens {
        // What a `macro_rules` fragment was replaced by.
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            read(&group.stream().into_iter().collect::<Vec<_>>())
        }
        [TokenTree::Punct(minus), number @ TokenTree::Literal(_)] if minus.as_char() == '-' => {
            match literal(number) {
                Written::Integer { plain, suffixed, .. } => {
                    let plain = format!("-{plain}");
                    Written::Integer { value: plain.parse().ok(), plain, suffixed }
                }
                Written::Decimal { value, plain, suffixed } => {
                    Written::Decimal { value: -value, plain: format!("-{plain}"), suffixed }
                }
                other => other,
            }
        }
        [one] => literal(one),
        _ if is_range(tokens) => Written::Range,
        _ => Written::Expression(Tokens(tokens).to_token_stream().to_string()),
    }
}

fn literal(token: &TokenTree) -> Written {
    match syn::parse2::<Lit>(token.to_token_stream()) {
        Ok(Lit::Str(text)) if text.suffix().is_empty() => Written::Text(text.value()),
        Ok(Lit::Bool(boolean)) => Written::Boolean(boolean.value),
        Ok(Lit::Int(integer)) => Written::Integer {
            value: integer.base10_parse().ok(),
            plain: integer.base10_digits().to_owned(),
            suffixed: !integer.suffix().is_empty(),
        },
        Ok(Lit::Float(decimal)) => match decimal.base10_parse() {
            Ok(value) => Written::Decimal {
                value,
                plain: decimal.base10_digits().to_owned(),
                suffixed: !decimal.suffix().is_empty(),
            },
            Err(_) => Written::OtherLiteral,
        },
        Ok(_) => Written::OtherLiteral,
        Err(_) => Written::Expression(token.to_string()),
    }
}

fn is_range(tokens: &[TokenTree]) -> bool {
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(dot) if dot.as_char() == '.');
    tokens.windows(2).any(|pair| pair.iter().all(is_dot))
}

/// The value for the descriptor, or the message for the literal.
pub(super) fn check(row: &Row, kind: Kind, written: Written) -> Result<Value, String> {
    match written {
        Written::Expression(path) if kind == Kind::CratePath => Err(messages::unquoted_path(row, &path)),
        Written::Expression(_) => Err(messages::not_a_literal(row)),
        Written::Text(text) => check_text(row, kind, text),
        Written::Integer { value, plain, suffixed } => check_integer(row, kind, value, &plain, suffixed),
        Written::Decimal { value, plain, suffixed } => match kind {
            Kind::Factor if !value.is_finite() || value < 1.0 => {
                Err(messages::out_of_range(row, kind, &plain))
            }
            Kind::Positive if !value.is_finite() || value <= 0.0 => {
                Err(messages::out_of_range(row, kind, &plain))
            }
            Kind::Factor | Kind::Positive if suffixed => Err(messages::suffix(row, &plain)),
            Kind::Factor | Kind::Positive => Ok(Value::Decimal(value)),
            Kind::Percent if value > 0.0 && value < 1.0 => {
                let percent = (value * 100.0).round().to_string();
                Err(messages::wrong_type(row, kind, Some(&percent)))
            }
            _ => Err(messages::wrong_type(row, kind, None)),
        },
        Written::Boolean(boolean) => match kind {
            Kind::Boolean => Ok(Value::Boolean(boolean)),
            _ => Err(messages::wrong_type(row, kind, None)),
        },
        Written::Range if matches!(kind, Kind::Concurrency { .. }) => {
            Err(messages::range_of_concurrency(row))
        }
        Written::Range | Written::OtherLiteral => Err(messages::wrong_type(row, kind, None)),
    }
}

fn check_text(row: &Row, kind: Kind, text: String) -> Result<Value, String> {
    match placeholder::is_placeholder(&text) {
        Err(_) | Ok(true) if matches!(kind, Kind::Id | Kind::CratePath) => {
            return Err(messages::no_placeholder(row));
        }
        Err(fault) => return Err(messages::wrong_placeholder(row, fault)),
        Ok(true) => return Ok(Value::Text(text)),
        Ok(false) => {}
    }
    let fault = match kind {
        Kind::Id => (!names::is_id(&text)).then(|| messages::wrong_id(&text)),
        Kind::CratePath => None,
        Kind::Queue => names::queue_fault(&text).map(|fault| messages::wrong_text(row, &fault)),
        Kind::Text { may_be_empty } => {
            names::text_fault(&text, may_be_empty).map(|fault| messages::wrong_text(row, &fault))
        }
        Kind::Words(words) => {
            (!words.contains(&text.as_str())).then(|| messages::wrong_word(row, words, &text))
        }
        Kind::Boolean => {
            let meant = match text.to_lowercase().as_str() {
                "true" | "yes" | "on" => Some("true"),
                "false" | "no" | "off" => Some("false"),
                _ => None,
            };
            Some(messages::wrong_type(row, kind, meant))
        }
        Kind::Concurrency { min, max } => concurrency::check(&text, min, max).err().map(|fault| {
            messages::wrong_concurrency(
                row,
                kind,
                fault,
                &text,
                concurrency::repaired(&text, min, max).as_deref(),
            )
        }),
        Kind::Integer { min, max } => {
            let meant = text.trim().parse::<i64>().ok().filter(|number| (min..=max).contains(number));
            Some(messages::wrong_type(row, kind, meant.map(|number| number.to_string()).as_deref()))
        }
        Kind::Limit { max } => {
            let meant = text.trim().parse::<i64>().ok().filter(|number| is_limit(*number, max));
            Some(messages::wrong_type(row, kind, meant.map(|number| number.to_string()).as_deref()))
        }
        Kind::Factor => {
            let meant = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 1.0);
            Some(messages::wrong_type(row, kind, meant.map(|number| number.to_string()).as_deref()))
        }
        Kind::Positive => {
            let meant = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
            Some(messages::wrong_type(row, kind, meant.map(|number| number.to_string()).as_deref()))
        }
        Kind::Percent => {
            let meant = text.trim().parse::<i64>().ok().filter(|number| (0..=100).contains(number));
            Some(messages::wrong_type(row, kind, meant.map(|number| number.to_string()).as_deref()))
        }
        Kind::DurationOrUnlimited => duration::milliseconds(&text).is_none().then(|| {
            let minus_one = (text.trim() == "-1").then(|| "-1".to_owned());
            let meant = minus_one.or_else(|| duration::repaired(&text).map(|text| messages::quoted(&text)));
            messages::wrong_type(row, kind, meant.as_deref())
        }),
        Kind::Duration { min_ms } => match duration::milliseconds(&text) {
            Some(ms) if ms < min_ms => Some(messages::short_duration(row, min_ms, None)),
            Some(_) => None,
            None => Some(messages::wrong_duration(row, kind, duration::repaired(&text).as_deref())),
        },
    };
    fault.map_or(Ok(Value::Text(text)), Err)
}

fn check_integer(
    row: &Row,
    kind: Kind,
    value: Option<i64>,
    plain: &str,
    suffixed: bool,
) -> Result<Value, String> {
    match (kind, value) {
        (Kind::CratePath, _) => Err(messages::wrong_type(row, kind, None)),
        (Kind::Id | Kind::Queue | Kind::Text { .. }, _) => {
            Err(messages::wrong_type(row, kind, Some(&messages::quoted(plain))))
        }
        (Kind::Boolean, _) => {
            let meant = match value {
                Some(0) => Some("false"),
                Some(1) => Some("true"),
                _ => None,
            };
            Err(messages::wrong_type(row, kind, meant))
        }
        (Kind::Words(_), _) => Err(messages::wrong_type(row, kind, None)),
        (Kind::Integer { min, max } | Kind::Concurrency { min, max }, Some(value))
            if value < min || value > max =>
        {
            Err(messages::out_of_range(row, kind, plain))
        }
        (Kind::Limit { max }, Some(value)) if !is_limit(value, max) => {
            Err(messages::out_of_range(row, kind, plain))
        }
        (Kind::Factor | Kind::Positive, Some(value)) if value < 1 => {
            Err(messages::out_of_range(row, kind, plain))
        }
        (Kind::Percent, Some(value)) if !(0..=100).contains(&value) => {
            Err(messages::out_of_range(row, kind, plain))
        }
        (Kind::DurationOrUnlimited, Some(value)) if value < -1 => {
            Err(messages::out_of_range(row, kind, plain))
        }
        (Kind::Duration { .. }, Some(value)) if value < 0 => Err(messages::negative_duration(row)),
        (Kind::Duration { min_ms }, Some(value)) if value < min_ms => {
            Err(messages::short_duration(row, min_ms, Some(value)))
        }
        (_, None) => Err(messages::out_of_range(row, kind, plain)),
        (_, Some(_)) if suffixed => Err(messages::suffix(row, plain)),
        (_, Some(value)) => Ok(Value::Integer(value)),
    }
}

fn is_limit(value: i64, max: i64) -> bool {
    value == -1 || (1..=max).contains(&value)
}

/// Only for the span of a mistake.
pub(super) struct Tokens<'a>(pub(super) &'a [TokenTree]);

impl ToTokens for Tokens<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.0);
    }
}
