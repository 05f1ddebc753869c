//! The port to transaction managers.
//!
//! The container begins a transaction once a message is in hand, calls the handler, and commits or rolls back before
//! it settles the delivery: receive → begin → handler → commit → acknowledge.

use crate::session::Session;
use crate::{BoxError, BoxFuture};
use std::sync::Arc;

/// A transaction could not begin, commit or roll back.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct TransactionError {
    message: String,
    source: Option<BoxError>,
}

impl TransactionError {
    /// An error with its text.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// An error with what caused it.
    pub fn caused_by(message: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self { message: message.into(), source: Some(source.into()) }
    }
}

/// What a manager may know of the call it begins a transaction for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransactionContext {
    /// The listener's id.
    pub listener: Arc<str>,
    /// The id of the message, where it has one.
    pub message_id: Option<String>,
    /// The session of the call, with what the handler publishes.
    pub session: Session,
}

impl TransactionContext {
    /// The context of one call.
    pub fn new(listener: Arc<str>, message_id: Option<String>, session: Session) -> Self {
        Self { listener, message_id, session }
    }
}

/// Begins transactions. Registered by name with the application, chosen by `transactionManager`.
pub trait TransactionManager: Send + Sync + 'static {
    /// Begins the transaction of one call.
    ///
    /// # Errors
    /// A failure here is a failed attempt of kind `transaction`; the handler is not called.
    fn begin(
        &self,
        context: TransactionContext,
    ) -> BoxFuture<'_, Result<Box<dyn Transaction>, TransactionError>>;
}

/// One running transaction. Dropping it without an end rolls it back.
pub trait Transaction: Send {
    /// Makes the effects of the call last. What is left in the call's session is published, with confirms, before
    /// this resolves.
    ///
    /// # Errors
    /// A failure here is a failed attempt of kind `transaction`: the message is redelivered by the policy.
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>>;

    /// Undoes the effects of the call.
    ///
    /// # Errors
    /// A failure here is reported and never hides why the transaction was rolled back.
    fn rollback(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>>;
}

/// The manager `session`, the default: publishes made through the call's [`Session`] leave when the call commits.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionTransactions;

impl TransactionManager for SessionTransactions {
    fn begin(
        &self,
        context: TransactionContext,
    ) -> BoxFuture<'_, Result<Box<dyn Transaction>, TransactionError>> {
        let transaction: Box<dyn Transaction> = Box::new(SessionTransaction(context.session));
        Box::pin(std::future::ready(Ok(transaction)))
    }
}

struct SessionTransaction(Session);

impl Transaction for SessionTransaction {
    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        Box::pin(async move {
            let buffered = self.0.close();
            let count = buffered.len();
            for (at, outgoing) in buffered.into_iter().enumerate() {
                self.0.publish_now(outgoing).await.map_err(|error| {
                    TransactionError::caused_by(
                        format!("publish {} of {count} buffered by the call failed", at + 1),
                        error,
                    )
                })?;
            }
            Ok(())
        })
    }

    fn rollback(self: Box<Self>) -> BoxFuture<'static, Result<(), TransactionError>> {
        self.0.close();
        Box::pin(std::future::ready(Ok(())))
    }
}
