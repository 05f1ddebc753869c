//! The runtime that lapin, the ackers and all time-outs live on, so that handlers which block the application's own
//! workers stop neither heartbeats nor acknowledgements.

use hearken_core::transport::{TransportError, TransportErrorKind};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

const WORKERS: usize = 2;

/// A small runtime of its own. Everything that needs it holds an `Arc` of it; the last one shuts it down.
pub(crate) struct Io {
    // `None` only while it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Io {
    pub(crate) fn start() -> std::io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("hearken-rabbitmq")
            .enable_all()
            .build()?;
        let handle = runtime.handle().clone();
        Ok(Self { runtime: Some(runtime), handle })
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.handle.spawn(task);
    }

    /// Runs `work` on this runtime and waits for it from any other. Goes on when the caller stops waiting.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, TransportError>> + Send + 'static,
    ) -> Result<T, TransportError> {
        match self.handle.spawn(work).await {
            Ok(result) => result,
            Err(_) => {
                Err(TransportError::new(TransportErrorKind::Other, "the RabbitMQ transport was shut down"))
            }
        }
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        // The plain drop of a runtime waits, which tokio forbids inside an asynchronous task.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// `work`, or an error naming it when it takes longer than `limit`. To be called on the transport's own runtime.
pub(crate) async fn within<T>(
    limit: Duration,
    what: &str,
    work: impl Future<Output = lapin::Result<T>>,
) -> Result<T, TransportError> {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(crate::error::transport_error(what, &error)),
        Err(_) => Err(timed_out(what, limit)),
    }
}

pub(crate) fn timed_out(what: &str, limit: Duration) -> TransportError {
    TransportError::new(TransportErrorKind::Timeout, format!("{what}: no answer within {limit:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_may_be_dropped_inside_an_asynchronous_task() {
        let io = Io::start().unwrap();
        assert_eq!(io.run(async { Ok(1) }).await.unwrap(), 1);
        drop(io);
    }

    #[tokio::test]
    async fn a_panic_inside_is_an_error_outside() {
        let io = Io::start().unwrap();
        let work = async {
            assert!(std::hint::black_box(false), "on purpose");
            Ok(())
        };
        assert!(io.run(work).await.is_err());
    }
}
