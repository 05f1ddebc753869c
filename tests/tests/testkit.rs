//! The test kit for users: their listeners on the embedded broker, in virtual time.

use hearken::Builder;
use hearken::prelude::*;
use hearken_testkit::TestHearken;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
struct Order {
    id: u64,
    cents: u64,
}

/// What the handler needs of the world.
trait Warehouse: Send + Sync {
    fn reserve(&self, order: &Order) -> Result<(), BoxError>;
}

type SharedWarehouse = Arc<dyn Warehouse>;

/// The one of production: out of reach of a test.
struct RemoteWarehouse;

impl Warehouse for RemoteWarehouse {
    fn reserve(&self, _: &Order) -> Result<(), BoxError> {
        panic!("a test must not come here")
    }
}

/// A double, open or closed as a test wants it.
#[derive(Default)]
struct FakeWarehouse {
    open: AtomicBool,
}

impl Warehouse for FakeWarehouse {
    fn reserve(&self, _: &Order) -> Result<(), BoxError> {
        if self.open.load(Relaxed) { Ok(()) } else { Err("the warehouse is closed".into()) }
    }
}

#[listener(queue = "orders", redelivery = "ladder")]
async fn on_order(
    Json(order): Json<Order>,
    State(warehouse): State<SharedWarehouse>,
    session: Session,
) -> Result<(), BoxError> {
    if order.cents == 0 {
        Err("an order of nothing").permanent()?;
    }
    let _ = session.send("invoices", &Json(order.clone())).await?;
    warehouse.reserve(&order)?;
    Ok(())
}

/// As a service has it.
fn service() -> Builder {
    let warehouse: SharedWarehouse = Arc::new(RemoteWarehouse);
    Hearken::builder().listen::<on_order>().state(warehouse).config_text(
        r#"
        [redelivery.ladder]
        preset = "aliyun"        # 10 s, 30 s, 1 min … 2 h
        maxReconsumeTimes = 16
        "#,
    )
}

const ORDER: Order = Order { id: 7, cents: 120 };

async fn with(warehouse: &Arc<FakeWarehouse>) -> TestHearken {
    let warehouse: SharedWarehouse = Arc::<FakeWarehouse>::clone(warehouse);
    TestHearken::start(service().state(warehouse)).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_ladder_of_hours_is_climbed_in_no_time() {
    let app = with(&Arc::default()).await;
    let order = app.send("orders", &Json(ORDER)).await;
    app.until_idle().await;
    let minutes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 60, 120].map(|minutes| minutes * 60);
    let ladder = [10, 30].into_iter().chain(minutes).map(Duration::from_secs);
    order.assert_attempts(17).assert_waits(ladder);
    assert!(app.published().is_empty(), "what a failed call sent is never published");
    let letter = order.assert_dead_letter();
    assert_eq!(letter.routing_key(), "ActiveMQ.DLQ");
    assert_eq!(letter.json::<Order>(), ORDER);
    assert_eq!(letter.integer("hearken-attempts"), 17);
    assert_eq!(letter.header("hearken-error-text"), "the warehouse is closed");
    assert_eq!(letter.header("hearken-queue"), "orders");
    assert_eq!(letter.header("hearken-listener"), "on_order");
    assert_eq!(letter.header("hearken-reason"), "exhausted");
    let lasted = letter.integer("hearken-last-failure-ms") - letter.integer("hearken-first-failure-ms");
    assert_eq!(lasted / 60_000, 285, "the times of the headers are virtual too");
}

#[tokio::test(start_paused = true)]
async fn a_double_takes_the_place_of_state_and_what_is_published_can_be_asserted() {
    let warehouse = Arc::new(FakeWarehouse::default());
    let app = with(&warehouse).await;
    let order = app.send("orders", &Json(ORDER)).await;
    app.run_for(Duration::from_secs(60)).await;
    order.assert_attempts(3);
    warehouse.open.store(true, Relaxed);
    app.until_idle().await;
    order.assert_attempts(4).assert_acknowledged();
    let invoices = app.published_to("invoices");
    assert_eq!(invoices.len(), 1, "once, by the call that succeeded");
    assert_eq!(invoices[0].json::<Order>(), ORDER);
    assert_eq!(invoices[0].at().as_secs(), 100);
    assert!(app.dead_letters().is_empty());
}

#[tokio::test]
async fn the_annotated_function_stays_callable_by_itself() {
    let warehouse: SharedWarehouse = Arc::new(FakeWarehouse { open: true.into() });
    let session = Session::direct(Arc::new(hearken_embedded::Broker::default()));
    let error = on_order(Json(Order { id: 1, cents: 0 }), State(warehouse), session).await.unwrap_err();
    assert_eq!(error.to_string(), "an order of nothing");
}
