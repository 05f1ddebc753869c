// How many invokers a text asks for. No imports and no inner docs, so that a test of another package can read this
// file as a module of its own and compare it with configuration.

/// Why a text is neither a number of invokers nor a range of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    Form,
    Bounds,
    Order,
}

/// `"4"` or `"3-10"`, within the bounds.
pub(crate) fn check(text: &str, least: i64, most: i64) -> Result<(), Fault> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let (low, high) = (bound(low)?, bound(high)?);
    if low < least || high > most {
        Err(Fault::Bounds)
    } else if low > high {
        Err(Fault::Order)
    } else {
        Ok(())
    }
}

fn bound(text: &str) -> Result<i64, Fault> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // What does not fit is out of bounds in any case.
    if digits { Ok(text.parse().unwrap_or(i64::MAX)) } else { Err(Fault::Form) }
}

/// What was probably meant: `" 3 - 10 "` and `"3..10"` are `"3-10"`, and so is `"10-3"`.
pub(crate) fn repaired(text: &str, least: i64, most: i64) -> Option<String> {
    let mut compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for sign in ["..=", "..", "–", ":", ","] {
        compact = compact.replace(sign, "-");
    }
    if check(&compact, least, most) == Err(Fault::Order) {
        let (high, low) = compact.split_once('-')?;
        compact = format!("{low}-{high}");
    }
    (compact != text && check(&compact, least, most).is_ok()).then_some(compact)
}
