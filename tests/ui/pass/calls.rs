//! What the generated handlers do: arguments taken, the function called, the outcome given.

use std::sync::Arc;

use hearken::__private::BoxFuture;
use hearken::call::{Call, States};
use hearken::delivery::Origin;
use hearken::listener::{Handler, Listener};
use hearken::outcome::Outcome;
use hearken::prelude::*;
use hearken::session::Publish;
use hearken::transport::{Outgoing, PublishError};

#[listener(queue = "orders")]
async fn asynchronous(
    State(limit): State<u64>,
    Json(order): Json<u64>,
    body: &[u8],
) -> Result<Action, BoxError> {
    tokio::task::yield_now().await;
    assert_eq!(body, order.to_string().as_bytes());
    if order > limit { Err("over the limit".into()) } else { Ok(Action::discard("seen")) }
}

#[listener(queue = "orders")]
fn blocking(Json(order): Json<u64>, State(limit): State<u64>) -> Option<Action> {
    (order <= limit).then_some(Action::Commit)
}

#[listener(queue = "orders")]
async fn decides_itself(order: Result<Json<u64>, Reject>, attempt: Attempt) -> Action {
    match order {
        Ok(_) => Action::Commit,
        Err(_) => Action::dead_letter(format!("attempt {attempt}")),
    }
}

struct Nowhere;

impl Publish for Nowhere {
    fn publish(&self, _: Outgoing) -> BoxFuture<'_, Result<(), PublishError>> {
        Box::pin(async { Ok(()) })
    }
}

fn call(body: &'static str) -> Call {
    let mut states = States::default();
    states.insert(10_u64);
    Call {
        listener: "test".into(),
        message: Message::new(body),
        origin: Origin { queue: "orders".into(), exchange: "".into(), routing_key: "orders".into() },
        attempt: 3,
        history: None,
        redelivered: false,
        maximum_redeliveries: None,
        session: Session::direct(Arc::new(Nowhere)),
        states: Arc::new(states),
    }
}

async fn outcome<L: Listener>(body: &'static str) -> String {
    let call = call(body);
    let outcome = match L::descriptor().handler {
        Handler::Async(handler) => handler(&call).await,
        Handler::Blocking(handler) => match handler(&call).await {
            Ok(blocking) => tokio::task::spawn_blocking(blocking).await.unwrap(),
            Err(outcome) => outcome,
        },
    };
    match outcome {
        Outcome::Acknowledge => "acknowledge".to_owned(),
        Outcome::Redeliver { failure, .. } => format!("redeliver: {failure}"),
        Outcome::DeadLetter { failure } => format!("dead letter: {failure}"),
        Outcome::Discard { reason } => format!("discard: {reason}"),
        other => format!("{other:?}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(outcome::<asynchronous>("7").await, "discard: seen");
    assert_eq!(outcome::<asynchronous>("11").await, "redeliver: error: over the limit");
    let undecodable = "dead letter: undecodable: the body is not the expected JSON";
    assert!(outcome::<asynchronous>("x").await.starts_with(undecodable));
    assert_eq!(outcome::<blocking>("7").await, "acknowledge");
    assert!(outcome::<blocking>("11").await.starts_with("redeliver: "));
    assert!(outcome::<blocking>("x").await.starts_with(undecodable));
    assert_eq!(outcome::<decides_itself>("7").await, "acknowledge");
    assert!(outcome::<decides_itself>("x").await.ends_with("attempt 3"));
}
