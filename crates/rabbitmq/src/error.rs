//! What lapin says, as the container understands it. Brokers' texts name objects and users, never a password.

use crate::mismatch;
use hearken_core::transport::{TransportError, TransportErrorKind as Kind};
use lapin::{Error, ErrorKind};

pub(crate) const ACCESS_REFUSED: u16 = 403;
pub(crate) const NOT_FOUND: u16 = 404;
const RESOURCE_LOCKED: u16 = 405;
pub(crate) const PRECONDITION_FAILED: u16 = 406;
pub(crate) const NOT_ALLOWED: u16 = 530;

/// Code and text of the broker's own word, if the error is one.
pub(crate) fn broker_word(error: &Error) -> Option<(u16, &str)> {
    match error.kind() {
        ErrorKind::ProtocolError(error) => Some((error.get_id(), error.get_message().as_str())),
        _ => None,
    }
}

/// `error`, which happened while doing `what`.
pub(crate) fn transport_error(what: &str, error: &Error) -> TransportError {
    let kind = match (error.kind(), broker_word(error)) {
        (_, Some((code, text))) => broker_kind(code, text),
        (ErrorKind::InvalidChannelState(..) | ErrorKind::InvalidChannel(_), _) => Kind::ChannelClosed,
        (
            ErrorKind::InvalidConnectionState(_)
            | ErrorKind::IOError(_)
            | ErrorKind::RuntimeShutdownError(_)
            | ErrorKind::ParsingError(_)
            | ErrorKind::MissingHeartbeatError,
            _,
        ) => Kind::ConnectionLost,
        _ => Kind::Other,
    };
    TransportError::new(kind, format!("{what}: {}", say(error)))
}

fn broker_kind(code: u16, text: &str) -> Kind {
    match code {
        ACCESS_REFUSED if text.ends_with("in exclusive use") => Kind::QueueInUse,
        ACCESS_REFUSED => Kind::AccessRefused,
        RESOURCE_LOCKED if text.contains("locked queue '") => Kind::QueueInUse,
        NOT_FOUND if text.contains("no queue '") => Kind::QueueMissing,
        PRECONDITION_FAILED => match mismatch::parse(text) {
            Some((argument, ours, theirs)) => Kind::ArgumentMismatch { argument, ours, theirs },
            None if text.contains("delivery acknowledgement on channel") => Kind::ConsumerTimeout,
            None => Kind::ChannelClosed,
        },
        // The classes of AMQP 0-9-1: these close the connection.
        320 | 402 | 501..=505 | 530 | 540 | 541 => Kind::ConnectionLost,
        311 | 313 | NOT_FOUND | RESOURCE_LOCKED => Kind::ChannelClosed,
        _ => Kind::Other,
    }
}

/// What happened, without lapin's decoration.
pub(crate) fn say(error: &Error) -> String {
    match (error.kind(), broker_word(error)) {
        (_, Some((code, text))) => format!("the broker says {code} {text}"),
        (ErrorKind::MissingHeartbeatError, _) => "no heartbeat from the broker".into(),
        (ErrorKind::IOError(error), _) if error.kind() == std::io::ErrorKind::ConnectionAborted => {
            "the connection was cut".into()
        }
        (ErrorKind::IOError(error), _) => error.to_string(),
        (ErrorKind::InvalidChannelState(..), _) => "the channel is closed".into(),
        (ErrorKind::InvalidConnectionState(_), _) => "the connection is closed".into(),
        (ErrorKind::ParsingError(_), _) => "the broker sent what the AMQP client cannot parse".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lapin::protocol::AMQPError;

    fn kind(code: u16, text: &str) -> Kind {
        let error = AMQPError::from_id(code, text.into()).unwrap();
        transport_error("declaring", &ErrorKind::ProtocolError(error).into()).kind().clone()
    }

    #[test]
    fn the_brokers_codes_have_their_kind() {
        assert_eq!(kind(403, "ACCESS_REFUSED - access to queue 'q' …"), Kind::AccessRefused);
        assert_eq!(kind(404, "NOT_FOUND - no queue 'q' in vhost '/'"), Kind::QueueMissing);
        assert_eq!(kind(404, "NOT_FOUND - no exchange 'e' in vhost '/'"), Kind::ChannelClosed);
        assert_eq!(kind(320, "CONNECTION_FORCED - broker forced connection closure"), Kind::ConnectionLost);
        assert_eq!(kind(406, "PRECONDITION_FAILED - unknown delivery tag 7"), Kind::ChannelClosed);
        assert_eq!(
            kind(
                406,
                "PRECONDITION_FAILED - delivery acknowledgement on channel 2 timed out. Timeout value used: 3000 ms. …"
            ),
            Kind::ConsumerTimeout
        );
        assert_eq!(kind(403, "ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use"), Kind::QueueInUse);
        assert_eq!(
            kind(
                405,
                "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'q' in vhost '/'. It …"
            ),
            Kind::QueueInUse
        );
        assert!(matches!(
            kind(
                406,
                "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'q' in vhost '/': received 'true' but \
                 current is 'false'"
            ),
            Kind::ArgumentMismatch { .. }
        ));
    }
}
