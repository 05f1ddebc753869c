//! How fast redelivery through the levels is, and what it asks of the broker. Prints figures, and is run by hand:
//! `scripts/test -p hearken-tests --test rabbitmq_delay -- --ignored --nocapture figures`.

use crate::rabbitmq_support::{link_for, subscribe};
use crate::{LONG, millis};
use hearken::prelude::*;
use hearken_rabbitmq::Settings;
use hearken_tests::broker::unique;
use hearken_tests::chaos::eventually;
use hearken_tests::inspect::Inspector;
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::vhost::VirtualHost;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How many messages fail.
const MESSAGES: u64 = 3_000;
/// Of how many copies the hops are counted.
const COPIES: u64 = 200;

/// When first and second attempts began, by message.
type Attempts = Arc<[Mutex<Vec<Option<Instant>>>; 2]>;

#[listener(queue = "given by the test")]
async fn fails_once(message: Message, attempt: Attempt, State(at): State<Attempts>) -> Result<(), BoxError> {
    let id: usize = message.id().ok_or("no id")?.parse()?;
    let number = usize::try_from(attempt.number())?;
    at[number - 1].lock().unwrap()[id] = Some(Instant::now());
    if number == 1 { Err("as it was told".into()) } else { Ok(()) }
}

/// The times of one attempt, by message.
fn times(at: &Attempts, attempt: usize) -> Vec<Instant> {
    at[attempt - 1].lock().unwrap().iter().flatten().copied().collect()
}

fn per_second(times: &[Instant]) -> f64 {
    let (first, last) = (times.iter().min().unwrap(), times.iter().max().unwrap());
    times.len() as f64 / last.duration_since(*first).as_secs_f64()
}

async fn rates(seconds: u64) -> String {
    let host = VirtualHost::create().await;
    let (queue, ledger) = (unique("figures"), Ledger::default());
    let at: Attempts = Arc::new([(); 2].map(|()| Mutex::new(vec![None; MESSAGES as usize + 1])));
    let running = Hearken::builder()
        .listen::<fails_once>()
        .state(at.clone())
        .set("application.name", unique("app"))
        .set("transport.url", host.url())
        .set("container.concurrency", 4)
        .set("listeners.fails_once.queue", queue.as_str())
        .set("listeners.fails_once.redeliveryMode", "broker")
        .set("redelivery.default.initialRedeliveryDelay", format!("{seconds}s").as_str())
        .build()
        .unwrap()
        .start()
        .await
        .unwrap();
    running.handle().pause("fails_once").await.unwrap();
    Load::new(&host.url(), &queue, 1_024, ledger).send(MESSAGES).await;
    // The levels are declared meanwhile.
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.handle().resume("fails_once").await.unwrap();
    let limit = Duration::from_secs(seconds + 120);
    eventually(limit, "the second attempts", async || times(&at, 2).len() == MESSAGES as usize).await;
    running.stop().await;
    let (first, second) = (times(&at, 1), times(&at, 2));
    let mut late: Vec<_> =
        first.iter().zip(&second).map(|(one, two)| *two - *one - Duration::from_secs(seconds)).collect();
    late.sort_unstable();
    format!(
        "{:.0} moves/s, {:.0} redeliveries/s, late {:.0?} (median) {:.0?} (99 %)",
        per_second(&first),
        per_second(&second),
        late[late.len() / 2],
        late[late.len() * 99 / 100]
    )
}

/// The mean number of queues that a copy passes, its own included, with 15 % collision avoidance.
async fn hops(seconds: u64) -> f64 {
    let host = VirtualHost::create().await;
    let (queue, longest) = (unique("hops"), Duration::from_secs(seconds).mul_f64(1.15));
    let link = link_for(Settings::new(host.url().parse().unwrap(), unique("app")), LONG).await;
    subscribe(&link, &queue).await.close().await.unwrap();
    for _ in 0..COPIES {
        let wait = millis(fastrand::u64(seconds * 850..=seconds * 1_150));
        link.redeliver(&queue, Message::new("x"), wait).await.unwrap();
    }
    let inspector = Inspector::connect(&host.url()).await;
    let all = async || u64::from(inspector.depth(&queue).await.ready) == COPIES;
    eventually(longest + Duration::from_secs(30), "the copies", all).await;
    let mut passed = COPIES;
    while let Some(copy) = inspector.get(&queue).await {
        let deaths =
            copy.properties.headers().as_ref().and_then(|headers| headers.inner().get("x-death").cloned());
        let deaths = deaths.and_then(|deaths| deaths.as_array().map(|deaths| deaths.as_slice().len()));
        passed += deaths.unwrap_or(0) as u64;
    }
    inspector.close().await;
    link.close().await;
    passed as f64 / COPIES as f64
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "prints figures"]
async fn figures_of_the_failure_path() {
    for seconds in [1_u32, 10, 60] {
        let exact = u64::from(seconds.count_ones()) + 1;
        let (rates, hops) = (rates(u64::from(seconds)).await, hops(u64::from(seconds)).await);
        println!("{seconds:>2} s: {rates}; hops {exact} exactly that long, {hops:.1} with 15 % more or less");
    }
}
