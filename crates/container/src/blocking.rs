//! Threads for handlers that are plain functions.
//!
//! Not `spawn_blocking`: a runtime that ends waits for its blocking threads, so one handler that never returns would
//! keep the process alive. These threads are detached and end with the process.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;

/// How long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(10);

type Job = Box<dyn FnOnce() + Send>;

/// Grows with the number of calls at the same time, which the concurrency of the listeners bounds.
#[derive(Clone, Default)]
pub(crate) struct BlockingThreads {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BlockingThreads {
    /// Runs `job` on one of the threads, inside the context of the current runtime.
    ///
    /// # Errors
    /// When the system gives no further thread.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let runtime = Handle::current();
        let mut state = self.shared.lock();
        state.jobs.push_back(Box::new(move || {
            let _inside = runtime.enter();
            job();
        }));
        if state.jobs.len() <= state.idle {
            drop(state);
            self.shared.work.notify_one();
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        match thread::Builder::new().name("hearken-handler".into()).spawn(move || work(&shared)) {
            Ok(_detached) => Ok(()),
            Err(error) => {
                state.jobs.pop_back();
                Err(error)
            }
        }
    }
}

fn work(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            // The job catches the panics of the handler; a panic of a destructor costs this thread only.
            job();
            state = shared.lock();
            continue;
        }
        state.idle += 1;
        let (woken, timeout) = shared.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
        state = woken;
        state.idle -= 1;
        if timeout.timed_out() && state.jobs.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn as_many_jobs_run_at_once_as_there_are_and_threads_are_used_again() {
        let threads = BlockingThreads::default();
        for _ in 0..3 {
            let (arrived, here) = mpsc::channel();
            let gate = Arc::new(std::sync::Barrier::new(5));
            for _ in 0..4 {
                let (arrived, gate) = (arrived.clone(), gate.clone());
                threads
                    .run(move || {
                        gate.wait();
                        let _ = arrived.send(());
                    })
                    .unwrap();
            }
            gate.wait();
            assert_eq!(here.iter().take(4).count(), 4);
        }
    }
}
