use futures_util::task::AtomicWaker;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

/// Ends a connection from our side whatever state lapin is in: its thread would otherwise wait on a silent broker.
#[derive(Default)]
pub(crate) struct Cut {
    done: AtomicBool,
    reader: AtomicWaker,
}

impl Cut {
    pub(crate) fn cut(&self) {
        self.done.store(true, Ordering::Release);
        self.reader.wake();
    }

    pub(super) fn check(&self, cx: &Context<'_>) -> io::Result<()> {
        self.reader.register(cx.waker());
        match self.done.load(Ordering::Acquire) {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }
}
