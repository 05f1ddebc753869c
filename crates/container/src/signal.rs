//! SIGTERM and Ctrl-C, on a thread of their own.
//!
//! A handler that blocks its worker can leave the application's runtime without anyone who polls its timers and
//! signals: tokio hands that duty to a worker that parks, and a worker that wakes for one task keeps it. So signals are
//! received elsewhere, and while the application stops this thread wakes the runtime again and again, and ends the
//! process if nothing helps.

use std::io;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

/// How often the application's runtime is woken while it stops.
const PULSE: Duration = Duration::from_millis(50);

/// How long a stop may take, asked when it begins.
pub(crate) type Patience = Box<dyn Fn() -> Duration + Send>;

/// Receives the signals that ask the process to stop. Dropping it ends the watch.
pub(crate) struct StopSignals {
    received: watch::Receiver<Option<&'static str>>,
    _watching: oneshot::Sender<()>,
}

impl StopSignals {
    /// Listens from now on; `asked` turns true when the application asks itself to stop, which counts as a signal. After
    /// the first a second one ends the process at once, and so does the end of `patience`, if there is one.
    ///
    /// # Errors
    /// When the system gives no thread, or refuses the handler of a signal.
    pub(crate) fn listen(patience: Option<Patience>, asked: watch::Receiver<bool>) -> io::Result<Self> {
        let application = Handle::current();
        let (first, received) = watch::channel(None);
        let (watching, ended) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = {
            let _inside = runtime.enter();
            Signals::new()
        };
        let signals = match signals {
            Ok(signals) => signals,
            Err(error) => {
                // Dropping it here would block the caller's worker, which tokio forbids.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let watch = Watch { signals, asked, first, patience, application };
        std::thread::Builder::new().name("hearken-signals".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = watch.run() => {}
                    _dropped = ended => {}
                }
            });
        })?;
        Ok(Self { received, _watching: watching })
    }

    /// Resolves with the name of the first signal.
    pub(crate) async fn first(&mut self) -> &'static str {
        let name = self.received.wait_for(Option::is_some).await.map(|name| name.unwrap_or_default());
        match name {
            Ok(name) => name,
            // The thread ends only with self.
            Err(_) => std::future::pending().await,
        }
    }
}

struct Watch {
    signals: Signals,
    asked: watch::Receiver<bool>,
    first: watch::Sender<Option<&'static str>>,
    patience: Option<Patience>,
    application: Handle,
}

impl Watch {
    async fn run(mut self) {
        let name = tokio::select! {
            name = self.signals.next() => name,
            Ok(_) = self.asked.wait_for(|asked| *asked) => "asked to shut down",
        };
        self.first.send_replace(Some(name));
        let deadline = self.patience.and_then(|patience| Instant::now().checked_add(patience()));
        let mut pulse = tokio::time::interval(PULSE);
        loop {
            tokio::select! {
                name = self.signals.next() => {
                    tracing::warn!("{name} again: ending at once");
                    std::process::exit(1);
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    tracing::error!("the stop does not come to its end: ending the process (endProcess = true)");
                    std::process::exit(1);
                }
                _ = pulse.tick() => drop(self.application.spawn(async {})),
            }
        }
    }
}

struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "Ctrl-C",
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "Ctrl-C"
    }
}
