//! What the user reads: what is wrong, then the accepted values or the exact replacement.

pub(crate) mod signature;

use crate::names;
use crate::options::concurrency;
use crate::options::table::{Availability, Hint, Kind, Row, Sheet};

pub(crate) const QUEUE_MISSING: &str =
    r#"the option `queue` is missing: write `#[listener(queue = "orders")]` with the queue to listen to"#;
pub(crate) const EXPECTED_OPTION: &str = "expected an option: `name = value`";
pub(crate) const COMMA_WITHOUT_OPTION: &str = "expected an option before this comma";
pub(crate) const PATH_KEY: &str = "the name of an option is one word, as in `prefetch = 50`";

pub(crate) const EMPTY_POLICY: &str =
    r#"a redelivery policy says something: write `redelivery(maximum = 3)`, or `redelivery = "default"`"#;

/// The accepted names, as a list for the end of a message.
fn available(sheet: &Sheet) -> String {
    let names: Vec<String> = sheet
        .rows
        .iter()
        .filter(|row| matches!(row.availability, Availability::Now(..)))
        .map(|row| format!("`{}`", row.name))
        .collect();
    format!("the {} are {}", sheet.plural, names.join(", "))
}

/// `prefetch = 50`, in backquotes.
pub(crate) fn write(name: &str, value: &str) -> String {
    format!("write `{name} = {value}`")
}

pub(crate) fn write_example(row: &Row) -> String {
    match row.availability {
        Availability::Now(_, example) => write(row.name, example),
        Availability::Later(_) => "remove it".to_owned(),
    }
}

pub(crate) fn unknown_option(sheet: &Sheet, name: &str) -> String {
    let wrong = format!("`{name}` is not {}", sheet.what);
    let snake = names::snake_case(name);
    if let Some((_, hint)) = sheet.hints.iter().find(|(names, _)| names.contains(&snake.as_str())) {
        return match hint {
            Hint::Advice(advice) => format!("{wrong}: {advice}"),
            Hint::Option(option) => match sheet.rows.iter().find(|row| row.name == *option) {
                Some(Row { availability: Availability::Later(reason), .. }) => format!("{wrong}: {reason}"),
                _ => format!("{wrong}: write `{option}`"),
            },
        };
    }
    match names::nearest(&snake, sheet.rows.iter().map(|row| row.name)) {
        Some(near) => format!("{wrong}: did you mean `{near}`? {}", available(sheet)),
        None => format!("{wrong}: {}", available(sheet)),
    }
}

pub(crate) fn not_yet(row: &Row, reason: &str) -> String {
    format!("`{}` is not available yet: {reason}", row.name)
}

pub(crate) fn spelling(written: &str, name: &str) -> String {
    format!("options are in snake_case: write `{name}` for `{written}`")
}

pub(crate) fn quoted_key(row: Option<&Row>) -> String {
    match row {
        Some(row) => format!("the name of an option is not quoted: {}", write_example(row)),
        None => "the name of an option is not quoted: write `name = value`".to_owned(),
    }
}

pub(crate) fn bare_string(sheet: &Sheet, text: &str) -> String {
    format!("every option has a name: {}", write(sheet.bare, &quoted(text)))
}

pub(crate) fn twice(name: &str) -> String {
    format!("`{name}` is given twice: remove one of them")
}

pub(crate) fn missing_comma(name: &str) -> String {
    format!("a comma is missing before `{name}`")
}

pub(crate) fn wrong_sign(row: &Row) -> String {
    format!("expected `=` after `{}`: {}", row.name, write_example(row))
}

pub(crate) fn no_value(row: &Row) -> String {
    match row.availability {
        Availability::Now(Kind::Boolean, _) => {
            format!("`{0}` needs a value: {1}", row.name, write(row.name, "true"))
        }
        _ => format!("`{}` needs a value: {}", row.name, write_example(row)),
    }
}

pub(crate) fn parenthesised(row: &Row) -> String {
    format!("`{}` takes its value after `=`: {}", row.name, write_example(row))
}

pub(crate) fn after_policy(row: &Row) -> String {
    format!("expected a comma after `{}(…)`", row.name)
}

pub(crate) fn suffix(row: &Row, plain: &str) -> String {
    format!("a number in an attribute has no suffix: {}", write(row.name, plain))
}

pub(crate) fn not_a_literal(row: &Row) -> String {
    let from_configuration = match row.availability {
        Availability::Now(Kind::Id | Kind::CratePath, _) => "",
        _ => r#", or a placeholder such as `"${orders.value}"` for a value from configuration"#,
    };
    format!("`{}` takes a literal: {}{from_configuration}", row.name, write_example(row))
}

pub(crate) fn unquoted_path(row: &Row, written: &str) -> String {
    let path: String = written.split_whitespace().collect();
    format!("`{}` takes its path as a string: {}", row.name, write(row.name, &quoted(&path)))
}

/// "is … : write …" for a value of the wrong type; `meant` is the same value in the right one.
pub(crate) fn wrong_type(row: &Row, kind: Kind, meant: Option<&str>) -> String {
    let write = meant.map_or_else(|| write_example(row), |meant| write(row.name, meant));
    format!("`{}` is {}: {write}", row.name, description(kind))
}

/// The values that a kind accepts.
pub(crate) fn description(kind: Kind) -> String {
    match kind {
        Kind::Id | Kind::CratePath | Kind::Queue | Kind::Text { .. } => "a string".to_owned(),
        Kind::Words(words) => words_list(words),
        Kind::Boolean => "`true` or `false`".to_owned(),
        Kind::Integer { min, max: i64::MAX } => format!("an integer from {min}"),
        Kind::Integer { min, max } => format!("an integer from {min} to {max}"),
        Kind::Percent => "an integer from 0 to 100".to_owned(),
        Kind::Concurrency { min, max } => {
            format!("an integer from {min} to {max}, or a range of them as a string, as in \"3-10\"")
        }
        Kind::Factor => "a number of at least 1".to_owned(),
        Kind::Positive => "a number above 0".to_owned(),
        Kind::Limit { .. } => "an integer from 1, or -1 for no limit".to_owned(),
        Kind::Duration { .. } => DURATION.to_owned(),
        Kind::DurationOrUnlimited => format!("{DURATION}, or -1 for no limit"),
    }
}

const DURATION: &str = "a duration, an integer of milliseconds or a string of whole numbers with the units `ms`, `s`, `m`, `h`, `d`, largest first, as in \"2m30s\"";

fn words_list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

pub(crate) fn wrong_word(row: &Row, words: &'static [&'static str], written: &str) -> String {
    let list = description(Kind::Words(words));
    match names::nearest(&written.to_lowercase(), words.iter().copied()) {
        Some(near) => format!("`{}` is {list}: {}", row.name, write(row.name, &quoted(near))),
        None => format!("`{}` is {list}, not {}", row.name, quoted(written)),
    }
}

pub(crate) fn out_of_range(row: &Row, kind: Kind, written: &str) -> String {
    format!("`{}` is {}, not {written}", row.name, description(kind))
}

pub(crate) fn range_of_concurrency(row: &Row) -> String {
    format!("a range of `{}` is a string: {}", row.name, write(row.name, "\"3-10\""))
}

pub(crate) fn wrong_concurrency(
    row: &Row,
    kind: Kind,
    fault: concurrency::Fault,
    written: &str,
    repaired: Option<&str>,
) -> String {
    match (fault, repaired) {
        (concurrency::Fault::Order, Some(repaired)) => {
            let write = write(row.name, &quoted(repaired));
            format!("the lower bound of `{}` is above the upper one: {write}", row.name)
        }
        (_, Some(repaired)) => wrong_type(row, kind, Some(&quoted(repaired))),
        (_, None) => out_of_range(row, kind, &quoted(written)),
    }
}

pub(crate) fn wrong_duration(row: &Row, kind: Kind, repaired: Option<&str>) -> String {
    wrong_type(row, kind, repaired.map(quoted).as_deref())
}

pub(crate) fn negative_duration(row: &Row) -> String {
    format!("`{}` must not be negative: {}", row.name, write_example(row))
}

/// A bare small integer was probably meant as seconds.
pub(crate) fn short_duration(row: &Row, min_ms: i64, bare_ms: Option<i64>) -> String {
    let least = format!("`{}` must be at least {min_ms} ms", row.name);
    match bare_ms {
        Some(ms) if ms > 0 => format!("{least}, and {ms} is {ms} ms: did you mean \"{ms}s\"?"),
        _ => format!("{least}: {}", write_example(row)),
    }
}

pub(crate) fn wrong_text(row: &Row, fault: &str) -> String {
    format!("`{}` {fault}: {}", row.name, write_example(row))
}

pub(crate) fn wrong_id(text: &str) -> String {
    let repaired = repaired_id(text);
    format!("an id is made of `a`-`z`, `0`-`9` and `_`: {}", write("id", &quoted(&repaired)))
}

/// For a function whose name cannot be an id.
pub(crate) fn id_needed(function: &str) -> String {
    let repaired = repaired_id(function);
    format!(
        "the id of a listener is the name of its function unless given, and an id is made of `a`-`z`, `0`-`9` and `_`: add `id = {}`",
        quoted(&repaired)
    )
}

fn repaired_id(text: &str) -> String {
    Some(names::snake_case(text))
        .filter(|repaired| names::is_id(repaired))
        .unwrap_or_else(|| "on_order".to_owned())
}

pub(crate) fn wrong_crate_path(row: &Row) -> String {
    format!("`{}` is the path of the crate `hearken`: {}", row.name, write_example(row))
}

pub(crate) fn no_placeholder(row: &Row) -> String {
    format!("`{}` is fixed at compile time and cannot be a placeholder: {}", row.name, write_example(row))
}

pub(crate) fn wrong_placeholder(row: &Row, fault: &str) -> String {
    format!(
        r#"{fault}: a placeholder is `{0} = "${{orders.value}}"` or, with a default, `{0} = "${{orders.value:default}}"`"#,
        row.name
    )
}

/// `text` as a Rust string literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("{text:?}")
}
