use hearken_core::transport::{TransportError, TransportErrorKind};

/// The longest name AMQP can carry, in bytes.
pub(crate) const MAX_NAME: usize = 255;

/// How the names begin that only the broker gives.
pub(crate) const RESERVED: &str = "amq.";

/// Checks the name of a queue or exchange that is to be declared or consumed from.
pub(crate) fn check(what: &str, name: &str) -> Result<(), TransportError> {
    check_known(what, name)?;
    if name.starts_with(RESERVED) {
        return invalid(format!("the {what} `{name}`: names that begin with `amq.` belong to the broker"));
    }
    Ok(())
}

/// Checks a name that need not be declared.
pub(crate) fn check_known(what: &str, name: &str) -> Result<(), TransportError> {
    if name.is_empty() {
        return invalid(format!("the {what} has an empty name"));
    }
    check_length(&format!("name of the {what}"), name)
}

/// Checks anything AMQP carries as a short string.
pub(crate) fn check_length(what: &str, text: &str) -> Result<(), TransportError> {
    if text.len() <= MAX_NAME {
        return Ok(());
    }
    let length = text.len();
    let start: String = text.chars().take(40).collect();
    invalid(format!("the {what} is {length} bytes long, at most {MAX_NAME} are possible: `{start}…`"))
}

pub(crate) fn invalid(text: String) -> Result<(), TransportError> {
    Err(TransportError::new(TransportErrorKind::InvalidName, text))
}

pub(crate) fn queue_missing(name: &str) -> TransportError {
    TransportError::new(TransportErrorKind::QueueMissing, format!("no queue `{name}`"))
}

pub(crate) fn exchange_missing(name: &str) -> TransportError {
    TransportError::new(TransportErrorKind::Other, format!("no exchange `{name}`"))
}
