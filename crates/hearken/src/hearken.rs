use crate::adapters::ADAPTERS;
use crate::{Application, Builder, Error};

/// The way into an application: all listener containers, transports, transaction managers, shared state and
/// configuration.
///
/// ```no_run
/// use hearken::prelude::*;
///
/// #[tokio::main]
/// async fn main() -> hearken::Result<()> {
///     hearken::log::init();
///     Hearken::from_config()?.run().await
/// }
/// ```
#[derive(Debug)]
pub enum Hearken {}

impl Hearken {
    /// An application of all linked listeners, configured by `$HEARKEN_CONFIG`, otherwise by `hearken.toml` if there is
    /// one, and by the environment.
    ///
    /// # Errors
    /// As [`Builder::build`]: everything that is wrong, before anything is opened.
    pub fn from_config() -> Result<Application, Error> {
        Self::builder().registered().configured().build()
    }

    /// An application put together by hand: a fresh builder takes nothing from its surroundings.
    pub fn builder() -> Builder {
        Builder::new(ADAPTERS)
    }
}
