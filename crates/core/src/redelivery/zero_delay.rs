use std::time::Duration;

/// What happens to a redelivery whose wait is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZeroDelay {
    /// `"container"`, the default: it goes back to the container, which takes it up after the shorter of
    /// `receiveTimeout` and `recoveryInterval`, so a wait of 0 never spins.
    ///
    /// That is what the article this container is modelled on observed for `initialRedeliveryDelay = 0`.
    #[default]
    Container,
    /// `"immediate"`: it is redelivered at once, as ActiveMQ's client does.
    Immediate,
}

impl ZeroDelay {
    /// The names [`from_name`](Self::from_name) knows.
    pub const NAMES: &'static [&'static str] = &["container", "immediate"];

    /// The choice a configuration calls `"container"` or `"immediate"`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "container" => Some(Self::Container),
            "immediate" => Some(Self::Immediate),
            _ => None,
        }
    }

    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Immediate => "immediate",
        }
    }
}

/// When a redelivery decided with this wait is really taken up.
///
/// Any wait of 0, the first or a later one, becomes the shorter of `receive_timeout` and `recovery_interval`
/// under [`ZeroDelay::Container`]; every other wait is unchanged. The policy knows nothing of the substitute:
/// the next wait still follows from 0.
pub fn take_up(
    zero: ZeroDelay,
    wait: Duration,
    receive_timeout: Duration,
    recovery_interval: Duration,
) -> Duration {
    match zero {
        ZeroDelay::Container if wait.is_zero() => receive_timeout.min(recovery_interval),
        ZeroDelay::Container | ZeroDelay::Immediate => wait,
    }
}
