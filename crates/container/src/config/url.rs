use std::fmt;

use super::mask;

/// The address of a broker. Neither [`Debug`](fmt::Debug) nor [`Display`](fmt::Display) shows its password.
#[derive(Clone, PartialEq, Eq)]
pub struct TransportUrl(String);

impl TransportUrl {
    pub(crate) fn new(url: String) -> Self {
        Self(url)
    }

    /// What stands before the first colon: `amqp`.
    pub fn scheme(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }

    /// The address as configured, password and all.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TransportUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mask::address(&self.0))
    }
}

impl fmt::Debug for TransportUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TransportUrl({self})")
    }
}
