use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Lines in the order in which things happened. Clones share it.
#[derive(Clone, Debug)]
pub struct Journal {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    lines: Mutex<Vec<(Duration, String)>>,
    changed: Notify,
    start: Instant,
}

impl Default for Journal {
    fn default() -> Self {
        Self {
            inner: Arc::new(Inner { lines: Mutex::default(), changed: Notify::new(), start: Instant::now() }),
        }
    }
}

impl Journal {
    fn lock(&self) -> MutexGuard<'_, Vec<(Duration, String)>> {
        self.inner.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line.
    pub fn write(&self, line: impl Into<String>) {
        self.lock().push((self.inner.start.elapsed(), line.into()));
        self.inner.changed.notify_waiters();
    }

    /// All lines.
    pub fn lines(&self) -> Vec<String> {
        self.lock().iter().map(|(_, line)| line.clone()).collect()
    }

    /// The lines that begin with `prefix`.
    pub fn matching(&self, prefix: &str) -> Vec<String> {
        self.lock()
            .iter()
            .filter(|(_, line)| line.starts_with(prefix))
            .map(|(_, line)| line.clone())
            .collect()
    }

    /// When each line that begins with `prefix` was written, since the journal was made.
    pub fn times(&self, prefix: &str) -> Vec<Duration> {
        self.lock().iter().filter(|(_, line)| line.starts_with(prefix)).map(|(at, _)| *at).collect()
    }

    /// Resolves when `enough` lines begin with `prefix`.
    ///
    /// # Panics
    /// When that does not happen within a minute of tokio's time, telling what was written.
    pub async fn wait_for(&self, prefix: &str, enough: usize) {
        let waiting = async {
            loop {
                let changed = self.inner.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if self.times(prefix).len() >= enough {
                    return;
                }
                changed.await;
            }
        };
        let arrived = tokio::time::timeout(Duration::from_secs(60), waiting).await.is_ok();
        assert!(arrived, "waited for {enough} × `{prefix}`; the journal has {:#?}", self.lines());
    }
}
