use std::fmt;
use std::sync::OnceLock;

/// `connection.start`: class 10, method 10.
const CONNECTION_START: [u8; 4] = [0, 10, 0, 10];
/// The name of the server property, as a table spells it, and the type of a long string.
const VERSION: &[u8] = b"\x07versionS";

/// The release of RabbitMQ that a connection leads to: what the broker calls itself in its first words.
#[derive(Default)]
pub(crate) struct Release(OnceLock<(u32, u32)>);

impl Release {
    /// Reads a method frame, and remembers what it says of the release.
    pub(super) fn read(&self, method: &[u8]) {
        if let Some(release) = release(method) {
            let _ = self.0.set(release);
        }
    }

    /// Whether it is this one or a later one. An unknown release is none.
    pub(crate) fn is_at_least(&self, major: u32, minor: u32) -> bool {
        self.0.get().is_some_and(|release| *release >= (major, minor))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            Some((major, minor)) => write!(f, "RabbitMQ {major}.{minor}"),
            None => f.write_str("a broker of unknown release"),
        }
    }
}

fn release(method: &[u8]) -> Option<(u32, u32)> {
    let properties = method.strip_prefix(&CONNECTION_START)?;
    let at = properties.windows(VERSION.len()).position(|window| window == VERSION)? + VERSION.len();
    let (length, rest) = properties.get(at..)?.split_first_chunk::<4>()?;
    let text = rest.get(..usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    let mut parts = std::str::from_utf8(text).ok()?.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn start(version: &str) -> Vec<u8> {
        let length = u32::try_from(version.len()).unwrap().to_be_bytes();
        let table =
            [&b"\x07productS\0\0\0\x08RabbitMQ\x07versionS"[..], &length, version.as_bytes()].concat();
        [&CONNECTION_START[..], &[0, 9], &u32::try_from(table.len()).unwrap().to_be_bytes(), &table].concat()
    }

    #[test]
    fn the_release_is_read_from_the_first_words() {
        assert_eq!(release(&start("4.3.6")), Some((4, 3)));
        assert_eq!(release(&start("3.13.0-rc.1")), Some((3, 13)));
        assert_eq!(release(&start("5.0")), Some((5, 0)));
        for odd in ["", "4", "four.three", "4."] {
            assert_eq!(release(&start(odd)), None, "{odd}");
        }
        let known = Release::default();
        assert!(!known.is_at_least(0, 0));
        known.read(&start("4.0.5"));
        assert!(known.is_at_least(3, 13) && known.is_at_least(4, 0) && !known.is_at_least(4, 3));
        assert_eq!(known.to_string(), "RabbitMQ 4.0");
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(cut in 0usize..60, bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let start = start("4.3.6");
            release(&start[..cut.min(start.len())]);
            release(&[&CONNECTION_START[..], &bytes].concat());
        }
    }
}
