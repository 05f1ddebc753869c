//! Any number of arguments in any order; an `async fn` may borrow from the message.

use std::sync::Arc;

use bytes::Bytes;
use hearken::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    id: u64,
}

struct Tenant(String);

impl FromHeader for Tenant {
    const NAME: &'static str = "tenant";

    fn from_header(value: &HeaderValue) -> Result<Self, BoxError> {
        Ok(Self(value.as_text().ok_or("expected text")?.to_owned()))
    }
}

#[listener(queue = "orders")]
async fn none() {}

#[listener(queue = "orders")]
async fn payload_first(Json(order): Json<Order>, attempt: Attempt) -> Result<(), BoxError> {
    let _ = (order.id, attempt.number());
    Ok(())
}

#[listener(queue = "orders")]
async fn payload_last(
    attempt: Attempt,
    State(names): State<Arc<Vec<String>>>,
    Payload(order): Payload<Order>,
) {
    let _ = (attempt, names, order.id);
}

#[listener(queue = "orders")]
fn sync(Header(tenant): Header<Tenant>, State(limit): State<u64>, Json(mut order): Json<Order>, _: Text) {
    order.id += limit + tenant.0.len() as u64;
    let _ = order.id;
}

#[listener(queue = "orders")]
#[allow(clippy::too_many_arguments)]
async fn many(
    _1: Message,
    _2: Headers,
    _3: Bytes,
    _4: Session,
    _5: Attempt,
    _6: RedeliveryInfo,
    _7: Text,
    _8: Json<serde_json::Value>,
    _9: Payload<Order>,
    _10: Header<Tenant>,
    _11: Option<Header<Tenant>>,
    _12: State<u64>,
    _13: State<fn(&str) -> bool>,
    _14: Result<Json<Order>, Reject>,
    _18: Result<&[u8], Reject>,
    _15: &Message,
    _16: &'_ Headers,
    _17: &[u8],
) {
}

#[listener(queue = "orders")]
async fn borrowed(body: &[u8], headers: &Headers) -> Result<(), BoxError> {
    tokio::task::yield_now().await;
    let _ = (body.len(), headers.len());
    Ok(())
}

#[listener(queue = "orders")]
async fn named_lifetimes<'x, 'y>(
    body: &'x [u8],
    headers: &'y Headers,
    checks: State<for<'z> fn(&'z str) -> &'z str>,
) where
    'x: 'y,
{
    tokio::task::yield_now().await;
    let _ = (body, headers, checks);
}

struct Line<'a>(&'a [u8]);

impl<'a> FromDelivery<'a> for Line<'a> {
    async fn from_delivery(call: &'a hearken::call::Call) -> Result<Self, Reject> {
        Ok(Self(call.message.body()))
    }
}

#[listener(queue = "orders")]
async fn own_type(Line(line): Line<'_>, again: Line<'_>) {
    let _ = (line, again.0);
}

/// A wrapper of any other argument.
struct Checked<T>(T);

impl<'a, T: FromDelivery<'a>> FromDelivery<'a> for Checked<T> {
    async fn from_delivery(call: &'a hearken::call::Call) -> Result<Self, Reject> {
        T::from_delivery(call).await.map(Self)
    }
}

#[listener(queue = "orders")]
async fn own_wrapper(
    Checked(line): Checked<Line<'_>>,
    json: Checked<Json<Order>>,
    attempt: Checked<Attempt>,
) {
    tokio::task::yield_now().await;
    let _ = (line.0, json.0, attempt.0);
}

#[listener(queue = "orders")]
fn own_wrapper_sync(_: Checked<Result<Json<Order>, Reject>>) {}

#[listener(queue = "orders")]
async fn attributes_on_arguments(#[allow(unused_variables)] attempt: Attempt) {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    payload_first(Json(Order { id: 1 }), Attempt::first()).await.unwrap();
    payload_last(Attempt::new(2), State(Arc::new(Vec::new())), Payload(Order { id: 1 })).await;
    sync(Header(Tenant("acme".to_owned())), State(1), Json(Order { id: 1 }), Text(String::new()));
    named_lifetimes(b"x", &Headers::default(), State(|text| text)).await;
    own_type(Line(b"x"), Line(b"y")).await;
}
