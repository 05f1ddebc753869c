//! The options of one `#[listener(…)]`: read in full, every mistake reported where it stands.

pub(crate) mod concurrency;
mod duration;
mod placeholder;
pub(crate) mod table;
mod value;

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::LitStr;

use self::table::{Availability, Hint, Kind, LISTENER, POLICY, Row, Sheet};
use self::value::Tokens;
pub(crate) use self::value::Value;
use crate::mistakes::Mistakes;
use crate::{messages, names};

/// The option that takes a policy in the place of a literal.
const REDELIVERY: &str = "redelivery";

/// What the attribute says, without what was wrong in it.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) id: Option<String>,
    pub(crate) root: Option<syn::Path>,
    /// Keys as in TOML, in the order written.
    pub(crate) values: Vec<(&'static str, Value)>,
    /// The attribute tried to give an id, well or badly.
    pub(crate) id_was_given: bool,
}

impl Options {
    pub(crate) fn parse(attribute: TokenStream, mistakes: &mut Mistakes) -> Self {
        let tokens: Vec<TokenTree> = attribute.into_iter().collect();
        let (mut options, seen) = Reader::read(&LISTENER, &tokens, mistakes);
        options.id_was_given = seen.contains("id");
        // What is no literal `false` may say that the broker names the queue.
        let named_by_broker =
            seen.contains("temporary") && !options.values.contains(&("temporary", Value::Boolean(false)));
        if !seen.contains("queue") && !named_by_broker {
            mistakes.at_span(Span::call_site(), messages::QUEUE_MISSING);
        }
        options
    }
}

struct Reader<'a> {
    sheet: &'static Sheet,
    rest: &'a [TokenTree],
    options: Options,
    /// Names given so far, also where the value was wrong.
    seen: BTreeSet<&'static str>,
    mistakes: &'a mut Mistakes,
}

/// Where the next option begins.
#[derive(PartialEq)]
enum Next {
    AfterComma,
    /// The comma is missing.
    Here,
}

impl<'a> Reader<'a> {
    /// What all of the tokens say, and the names given, also where the value was wrong.
    fn read(
        sheet: &'static Sheet,
        tokens: &'a [TokenTree],
        mistakes: &'a mut Mistakes,
    ) -> (Options, BTreeSet<&'static str>) {
        let (options, seen) = (Options::default(), BTreeSet::new());
        let mut reader = Self { sheet, rest: tokens, options, seen, mistakes };
        while !reader.rest.is_empty() {
            reader.option();
        }
        (reader.options, reader.seen)
    }

    /// Reads one option and the comma after it.
    fn option(&mut self) {
        match self.rest {
            [comma, rest @ ..] if is_punct(comma, ',') => {
                self.mistakes.at(comma, messages::COMMA_WITHOUT_OPTION);
                self.rest = rest;
                return;
            }
            [TokenTree::Literal(literal), rest @ ..] => {
                let quoted = syn::parse2::<LitStr>(TokenTree::from(literal.clone()).into());
                match (quoted, rest) {
                    (Ok(name), [sign, ..]) if is_punct(sign, '=') => {
                        let row = self.sheet.find(&names::snake_case(&name.value()));
                        self.mistakes.at(literal, messages::quoted_key(row));
                        self.seen.extend(row.map(|row| row.name));
                    }
                    (Ok(text), _) => {
                        self.mistakes.at(literal, messages::bare_string(self.sheet, &text.value()));
                        self.seen.insert(self.sheet.bare);
                    }
                    (Err(_), _) => self.mistakes.at(literal, messages::EXPECTED_OPTION),
                }
            }
            [TokenTree::Ident(_), ..] => {
                let (key, written) = self.key();
                if let Some((row, kind)) = self.resolve(key, &written)
                    && self.value(row, kind, key) == Next::Here
                {
                    return;
                }
            }
            [other, ..] => self.mistakes.at(other, messages::EXPECTED_OPTION),
            [] => {}
        }
        let (_, rest) = split_at_comma(self.rest);
        self.rest = rest;
    }

    /// The tokens of a name, and how it is written: `handler-timeout` is several tokens and one name.
    fn key(&mut self) -> (&'a [TokenTree], String) {
        let tokens = self.rest;
        let mut length = 1;
        while let [joint, TokenTree::Ident(_), ..] = &tokens[length..]
            && is_punct(joint, '-')
        {
            length += 2;
        }
        let (key, rest) = tokens.split_at(length);
        self.rest = rest;
        let written: String = key.iter().map(ToString::to_string).collect();
        (key, written.trim_start_matches("r#").to_owned())
    }

    /// The row of a name whose value is to be checked; reports the names that are wrong.
    fn resolve(&mut self, key: &[TokenTree], written: &str) -> Option<(&'static Row, Kind)> {
        if let [first, second, ..] = self.rest
            && is_punct(first, ':')
            && is_punct(second, ':')
        {
            self.mistakes.at(Tokens(key), messages::PATH_KEY);
            return None;
        }
        let snake = names::snake_case(written);
        let Some(row) = self.sheet.find(&snake) else {
            self.mistakes.at(Tokens(key), messages::unknown_option(self.sheet, written));
            self.seen.extend(self.sheet.meant(&snake));
            return None;
        };
        if !self.seen.insert(row.name) {
            self.mistakes.at(Tokens(key), messages::twice(row.name));
            return None;
        }
        match row.availability {
            Availability::Later(reason) => {
                self.mistakes.at(Tokens(key), messages::not_yet(row, reason));
                None
            }
            Availability::Now(kind, _) => {
                if written != row.name && self.sheet.alias(row).as_deref() != Some(written) {
                    self.mistakes.at(Tokens(key), messages::spelling(written, row.name));
                }
                Some((row, kind))
            }
        }
    }

    fn value(&mut self, row: &'static Row, kind: Kind, key: &[TokenTree]) -> Next {
        match self.rest {
            [sign, wrong, ..] if is_punct(sign, '=') && (is_punct(wrong, '=') || is_punct(wrong, '>')) => {
                self.mistakes.at(Tokens(&self.rest[..2]), messages::wrong_sign(row));
            }
            [sign, rest @ ..] if is_punct(sign, '=') => {
                self.rest = rest;
                return self.literal(row, kind, sign);
            }
            [sign, rest @ ..] if is_punct(sign, ':') => {
                self.mistakes.at(sign, messages::wrong_sign(row));
                self.rest = rest;
                return self.literal(row, kind, sign);
            }
            [TokenTree::Group(group), rest @ ..] if group.delimiter() == Delimiter::Parenthesis => {
                if row.key != Some(REDELIVERY) {
                    self.mistakes.at(Tokens(key), messages::parenthesised(row));
                    return Next::AfterComma;
                }
                self.policy(group);
                self.rest = rest;
                return self.comma(row);
            }
            [] => self.mistakes.at(Tokens(key), messages::no_value(row)),
            [comma, ..] if is_punct(comma, ',') => self.mistakes.at(Tokens(key), messages::no_value(row)),
            [other, ..] => self.mistakes.at(other, messages::wrong_sign(row)),
        }
        Next::AfterComma
    }

    /// A redelivery policy in place of the name of one.
    fn policy(&mut self, group: &Group) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        if tokens.is_empty() {
            self.mistakes.at(TokenTree::from(group.clone()), messages::EMPTY_POLICY);
        }
        let (policy, _) = Reader::read(&POLICY, &tokens, self.mistakes);
        self.options.values.push((REDELIVERY, Value::Table(policy.values)));
    }

    /// What follows an option in parentheses.
    fn comma(&mut self, row: &'static Row) -> Next {
        match self.rest {
            [name @ TokenTree::Ident(_), ..] => {
                self.mistakes.at(name, messages::missing_comma(&name.to_string()));
                Next::Here
            }
            [other, ..] if !is_punct(other, ',') => {
                self.mistakes.at(other, messages::after_policy(row));
                Next::AfterComma
            }
            _ => Next::AfterComma,
        }
    }

    fn literal(&mut self, row: &'static Row, kind: Kind, sign: &TokenTree) -> Next {
        let (mut tokens, _) = split_at_comma(self.rest);
        let mut next = Next::AfterComma;
        let length = literal_length(tokens);
        if let [name @ TokenTree::Ident(_), after, ..] = &tokens[length..]
            && length > 0
            && is_punct(after, '=')
        {
            self.mistakes.at(name, messages::missing_comma(&name.to_string()));
            tokens = &tokens[..length];
            next = Next::Here;
        }
        self.rest = &self.rest[tokens.len()..];
        if tokens.is_empty() {
            self.mistakes.at(sign, messages::no_value(row));
            return next;
        }
        match value::check(row, kind, value::read(tokens)) {
            Ok(value) => self.keep(row, value, tokens),
            Err(message) => self.mistakes.at(Tokens(tokens), message),
        }
        next
    }

    fn keep(&mut self, row: &'static Row, value: Value, tokens: &[TokenTree]) {
        match (row.key, value) {
            (Some(key), value) => self.options.values.push((key, value)),
            (None, Value::Text(text)) if row.name == "id" => self.options.id = Some(text),
            (None, Value::Text(_)) => {
                let path = syn::parse2::<LitStr>(tokens.iter().cloned().collect())
                    .and_then(|literal| literal.parse_with(syn::Path::parse_mod_style));
                match path {
                    Ok(path) => self.options.root = Some(path),
                    Err(_) => self.mistakes.at(Tokens(tokens), messages::wrong_crate_path(row)),
                }
            }
            (None, _) => {}
        }
    }
}

impl Sheet {
    fn find(&self, name: &str) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.name == name || self.alias(row).as_deref() == Some(name))
    }

    /// The key of TOML, which stands for its short name.
    fn alias(&self, row: &Row) -> Option<String> {
        row.key.filter(|_| self.aliases).map(names::snake_case)
    }

    /// The option that a wrong name probably stood for, so that it is not also reported as missing.
    fn meant(&self, snake: &str) -> Option<&'static str> {
        match self.hints.iter().find(|(names, _)| names.contains(&snake)) {
            Some((_, Hint::Option(option))) => Some(option),
            Some((names, Hint::Advice(_))) => names
                .iter()
                .any(|name| name.starts_with("topic") || name.starts_with("queue"))
                .then_some("queue"),
            None => names::nearest(snake, self.rows.iter().map(|row| row.name)),
        }
    }
}

fn split_at_comma(tokens: &[TokenTree]) -> (&[TokenTree], &[TokenTree]) {
    match tokens.iter().position(|token| is_punct(token, ',')) {
        Some(at) => (&tokens[..at], &tokens[at + 1..]),
        None => (tokens, &[]),
    }
}

/// How many tokens at the start are one literal.
fn literal_length(tokens: &[TokenTree]) -> usize {
    match tokens {
        [minus, TokenTree::Literal(_), ..] if is_punct(minus, '-') => 2,
        [TokenTree::Literal(_), ..] => 1,
        [TokenTree::Ident(word), ..] if word == "true" || word == "false" => 1,
        [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::None => 1,
        _ => 0,
    }
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

#[cfg(test)]
mod tests;
