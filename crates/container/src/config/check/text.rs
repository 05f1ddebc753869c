use super::{Checked, Fault};
use crate::config::names::{did_you_mean, quoted_list};

/// The longest short string of AMQP, in bytes.
const SHORT_STRING: usize = 255;

pub(super) fn text(text: &str, empty: bool, longest: usize) -> Result<Checked, Fault> {
    if text.is_empty() && !empty {
        return Err(Fault::new("must not be empty"));
    }
    if text.len() > longest {
        let (bytes, characters) = (text.len(), text.chars().count());
        let message =
            format!("must have at most {longest} bytes; given {bytes} bytes, {characters} characters");
        return Err(Fault::new(message));
    }
    if text.chars().any(char::is_control) {
        return Err(Fault::new("must not have control characters"));
    }
    Ok(Checked::Text(text.to_owned()))
}

pub(super) fn queue(name: &str) -> Result<Checked, Fault> {
    if name.starts_with("amq.") {
        let message = "must not start with `amq.`: the broker keeps these names for itself";
        return Err(Fault::new(message));
    }
    text(name, false, SHORT_STRING)
}

pub(super) fn pattern(pattern: &str) -> Result<Checked, Fault> {
    text(pattern, false, SHORT_STRING)?;
    let words: Vec<_> = pattern.split('.').collect();
    let replaced = |word: usize, by: &str| {
        let (before, after) = (&words[..word], &words[word + 1..]);
        Some(format!("did you mean \"{}\"?", [before, &[by], after].concat().join(".")))
    };
    for (at, word) in words.iter().enumerate() {
        let last = at + 1 == words.len();
        match *word {
            ">" if !last => {
                let message = "`>` stands for all that follows, so only at the end";
                return Err(Fault::new(message).help(replaced(at, "*")));
            }
            "#" => {
                let message = "`#` is a word of AMQP's topic exchanges; here `>` stands for all that follows";
                return Err(Fault::new(message).help(if last { replaced(at, ">") } else { None }));
            }
            "*" | ">" => {}
            word if word.contains(['*', '>']) => {
                let message =
                    format!("`*` and `>` stand for whole words between dots, and `{word}` has more");
                let stem = word.trim_end_matches(['*', '>']);
                let wild = if last { ">" } else { "*" };
                let meant = (!stem.contains(['*', '>'])).then(|| replaced(at, &format!("{stem}.{wild}")));
                return Err(Fault::new(message).help(meant.flatten()));
            }
            _ => {}
        }
    }
    Ok(Checked::Text(pattern.to_owned()))
}

pub(super) fn choice(text: &str, choices: &[&str]) -> Result<Checked, Fault> {
    if choices.contains(&text) {
        return Ok(Checked::Text(text.to_owned()));
    }
    let allowed = quoted_list(choices.iter().copied());
    let given = super::show::show(&super::Scalar::Text(text.to_owned()));
    let fault = Fault::new(format!("allowed: {allowed}; given {given}"));
    Err(fault.help(did_you_mean(text, choices.iter().copied())))
}

pub(super) fn boolean(text: &str) -> Result<Checked, Fault> {
    match text {
        "true" => Ok(Checked::Boolean(true)),
        "false" => Ok(Checked::Boolean(false)),
        _ => {
            let given = super::show::show(&super::Scalar::Text(text.to_owned()));
            let fault = Fault::new(format!("expected true or false, found {given}"));
            Err(fault.help(truth(text).map(|meant| format!("write {meant}"))))
        }
    }
}

/// The truth value that a word of another language stands for.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}
