//! Transaction managers that misbehave.

use super::*;
use hearken::transaction::{Transaction, TransactionContext, TransactionError, TransactionManager};
use hearken_core::BoxFuture;

struct Panicking;

impl TransactionManager for Panicking {
    fn begin(&self, _: TransactionContext) -> BoxFuture<'_, Result<Box<dyn Transaction>, TransactionError>> {
        Box::pin(async { Ok(Box::new(Panicking) as Box<dyn Transaction>) })
    }
}

impl Transaction for Panicking {
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        Box::pin(async { panic!("the manager panics") })
    }

    fn rollback(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_manager_that_panics_fails_the_attempt_and_not_the_listener() {
    let (broker, journal) = (broker(), Journal::default());
    let builder = on(&broker)
        .listen::<steady>()
        .state(journal.clone())
        .transaction_manager("panicking", Panicking)
        .set("listeners.steady.transactionManager", "panicking")
        .set("redelivery.default.maximumRedeliveries", 1);
    let running = start(builder).await;
    running.publisher().send("work", "good").await.unwrap();
    journal.wait_for("call good 2", 1).await;
    running.stop().await;
    let letters = broker.peek("ActiveMQ.DLQ");
    assert_eq!(letters[0].headers().text("hearken-error-text"), Some("the manager panics"));
    assert_eq!(letters[0].headers().text("hearken-error-kind"), Some("panic"));
}
