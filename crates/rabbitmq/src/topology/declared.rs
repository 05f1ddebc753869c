use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Mutex;

/// Whether something of hearken's own was declared on a link. Asking costs an atomic load.
#[derive(Default)]
pub(crate) struct Declared {
    done: AtomicBool,
    turn: Mutex<()>,
}

impl Declared {
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Runs `declaring` unless it was done before; one caller at a time, and the next one tries again what failed.
    pub(crate) async fn ensure<E>(&self, declaring: impl Future<Output = Result<(), E>>) -> Result<(), E> {
        if self.is_done() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        if !self.is_done() {
            declaring.await?;
            self.done.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Somebody has deleted it: it is to be declared again.
    pub(crate) fn forget(&self) {
        self.done.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[tokio::test]
    async fn it_is_done_once_and_again_when_it_failed_or_is_gone() {
        let declared = Declared::default();
        assert_eq!(declared.ensure(async { Err("no") }).await, Err("no"));
        let mut times = 0;
        let mut declare = async || {
            let declaring = async {
                times += 1;
                Ok::<_, Infallible>(())
            };
            declared.ensure(declaring).await
        };
        declare().await.unwrap();
        declare().await.unwrap();
        declared.forget();
        assert!(!declared.is_done());
        declare().await.unwrap();
        assert_eq!(times, 2);
    }
}
