//! Reads RabbitMQ's complaint about an object that exists with other arguments.

/// Argument, our value and theirs, from a text such as `PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for
/// queue 'q' in vhost '/': received the value '5' of type 'long' but current is none`.
pub(crate) fn parse(text: &str) -> Option<(String, String, String)> {
    let (_, rest) = text.split_once("inequivalent arg '")?;
    let (argument, rest) = rest.split_once("' for ")?;
    // From the end: names of queues may contain anything.
    let (rest, theirs) = rest.rsplit_once(" but current is ")?;
    let (_, ours) = rest.rsplit_once(": received ")?;
    Some((argument.to_owned(), value(ours), value(theirs)))
}

fn value(text: &str) -> String {
    let text = text.strip_prefix("the value ").unwrap_or(text);
    let text = text.split_once(" of type ").map_or(text, |(value, _)| value);
    text.trim_matches('\'').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(complaint: &str) -> Option<(String, String, String)> {
        parse(&format!("PRECONDITION_FAILED - inequivalent arg {complaint}"))
    }

    fn three(a: &str, b: &str, c: &str) -> Option<(String, String, String)> {
        Some((a.into(), b.into(), c.into()))
    }

    #[test]
    fn every_form_of_a_value_is_understood() {
        assert_eq!(
            parsed(
                "'x-message-ttl' for queue 'q' in vhost '/': received the value '2000' of type 'long' but current is the value '1000' of type 'long'"
            ),
            three("x-message-ttl", "2000", "1000")
        );
        assert_eq!(
            parsed(
                "'x-queue-type' for queue 'q' in vhost '/': received the value 'quorum' of type 'longstr' but current is none"
            ),
            three("x-queue-type", "quorum", "none")
        );
        assert_eq!(
            parsed("'type' for exchange 'e' in vhost '/': received 'topic' but current is 'direct'"),
            three("type", "topic", "direct")
        );
    }

    #[test]
    fn a_queue_with_a_confusing_name_confuses_nothing() {
        assert_eq!(
            parsed(
                "'durable' for queue ': received 'x' but current is y' in vhost '/': received 'true' but current is 'false'"
            ),
            three("durable", "true", "false")
        );
    }

    #[test]
    fn other_texts_are_no_mismatch() {
        assert_eq!(parse("PRECONDITION_FAILED - unknown delivery tag 7"), None);
        assert_eq!(parse("inequivalent arg 'x' for nothing"), None);
    }
}
