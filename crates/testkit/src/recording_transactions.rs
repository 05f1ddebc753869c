use crate::Journal;
use hearken_core::BoxFuture;
use hearken_core::transaction::{
    SessionTransactions, Transaction, TransactionContext, TransactionError, TransactionManager,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The manager `session` that writes down `begin`, `commit` and `rollback`, and fails on demand.
#[derive(Clone, Debug, Default)]
pub struct RecordingTransactions {
    journal: Journal,
    failing_begins: Arc<AtomicU64>,
    failing_commits: Arc<AtomicU64>,
}

impl RecordingTransactions {
    /// Writes into this journal.
    pub fn new(journal: Journal) -> Self {
        Self { journal, ..Self::default() }
    }

    /// The next `count` transactions cannot begin.
    pub fn fail_begins(&self, count: u64) {
        self.failing_begins.store(count, Ordering::SeqCst);
    }

    /// The next `count` commits fail.
    pub fn fail_commits(&self, count: u64) {
        self.failing_commits.store(count, Ordering::SeqCst);
    }
}

fn take(counter: &AtomicU64) -> bool {
    counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

impl TransactionManager for RecordingTransactions {
    fn begin(
        &self,
        context: TransactionContext,
    ) -> BoxFuture<'_, Result<Box<dyn Transaction>, TransactionError>> {
        Box::pin(async move {
            self.journal.write("begin");
            if take(&self.failing_begins) {
                return Err(TransactionError::new("begin was told to fail"));
            }
            let inner = SessionTransactions.begin(context).await?;
            let recorded = Recorded {
                journal: self.journal.clone(),
                failing_commits: Arc::clone(&self.failing_commits),
                inner,
            };
            Ok(Box::new(recorded) as Box<dyn Transaction>)
        })
    }
}

struct Recorded {
    journal: Journal,
    failing_commits: Arc<AtomicU64>,
    inner: Box<dyn Transaction>,
}

impl Transaction for Recorded {
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        Box::pin(async move {
            if take(&self.failing_commits) {
                self.journal.write("commit failed");
                self.inner.rollback().await?;
                return Err(TransactionError::new("commit was told to fail"));
            }
            self.inner.commit().await?;
            self.journal.write("commit");
            Ok(())
        })
    }

    fn rollback(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        self.journal.write("rollback");
        self.inner.rollback()
    }
}
