use hearken_core::transport::PublishError;
use std::task::Waker;
use tokio::sync::oneshot;

pub(crate) type Answer = oneshot::Sender<Result<(), PublishError>>;

/// What is to be done once the lock is released: tasks to wake and publishes to answer. The first waker needs no
/// allocation, since most steps wake one task at most.
#[derive(Default)]
#[must_use = "a waker that is not fired is a task that never goes on"]
pub(crate) struct Effects {
    first: Option<Waker>,
    more: Vec<Waker>,
    answers: Vec<(Answer, Result<(), PublishError>)>,
}

impl Effects {
    pub(crate) fn wake(&mut self, waker: Option<Waker>) {
        if self.first.is_none() {
            self.first = waker;
        } else {
            self.more.extend(waker);
        }
    }

    pub(crate) fn answer(&mut self, answer: Answer, result: Result<(), PublishError>) {
        self.answers.push((answer, result));
    }

    pub(crate) fn fire(self) {
        for (answer, result) in self.answers {
            // A publisher that waits no more has said so by dropping its future.
            let _ = answer.send(result);
        }
        for waker in self.first.into_iter().chain(self.more) {
            waker.wake();
        }
    }
}
