//! Virtual time stands still while a plain function runs on its thread.

use hearken_core::listener::{Handler, ListenerDescriptor};
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long virtual time waits for a plain function, in real time. After that it goes on, so that a time-out can end the
/// call.
const PATIENCE: Duration = Duration::from_secs(10);

/// The running calls of plain functions, by listener. tokio's clock does not advance by itself while a task of its
/// blocking pool runs, so each call has one that ends with it.
#[derive(Debug, Default)]
pub(super) struct Realtime {
    blocking: Vec<&'static str>,
    calls: Mutex<BTreeMap<Arc<str>, Vec<Sender<()>>>>,
}

impl Realtime {
    pub(super) fn new(listeners: &[&'static ListenerDescriptor]) -> Self {
        let blocking = listeners.iter().filter(|listener| matches!(listener.handler, Handler::Blocking(_)));
        Self { blocking: blocking.map(|listener| listener.id).collect(), calls: Mutex::default() }
    }

    pub(super) fn begin(&self, listener: &Arc<str>) {
        if self.blocking.contains(&&**listener) {
            let (end, ended) = channel::<()>();
            tokio::task::spawn_blocking(move || ended.recv_timeout(PATIENCE));
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.entry(Arc::clone(listener)).or_default().push(end);
        }
    }

    pub(super) fn end(&self, listener: &Arc<str>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(calls) = calls.get_mut(listener) {
            calls.pop();
        }
    }
}
