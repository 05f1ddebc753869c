//! Whatever is ordered and whatever breaks, in whatever order: nothing is lost, nothing hangs, and the state is true.

use super::*;
use hearken::failure::FailureExt;
use hearken::redelivery::{Condition, RedeliveryPolicy, Response, Rule};
use hearken::{Concurrency, Handle};
use hearken_tests::chaos::within;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Clone, Copy, Debug)]
enum Step {
    Send(u8),
    Wait(u16),
    Cut,
    Refuse(bool),
    Alarm(bool),
    CancelConsumers,
    TimeOutConsumers,
    /// What the handler needs is down, or back: the breaker opens, and closes.
    Outage(bool),
    Pause,
    Resume,
    Stop,
    Start,
    Scale(u32, u32),
    NewProcess {
        in_order: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1u8..20).prop_map(Step::Send),
        4 => (1u16..3_000).prop_map(Step::Wait),
        2 => Just(Step::Cut),
        1 => any::<bool>().prop_map(Step::Refuse),
        1 => any::<bool>().prop_map(Step::Alarm),
        1 => Just(Step::CancelConsumers),
        1 => Just(Step::TimeOutConsumers),
        2 => any::<bool>().prop_map(Step::Outage),
        1 => Just(Step::Pause),
        1 => Just(Step::Resume),
        1 => Just(Step::Stop),
        1 => Just(Step::Start),
        1 => (1u32..4, 0u32..4).prop_map(|(min, more)| Step::Scale(min, min + more)),
        1 => any::<bool>().prop_map(|in_order| Step::NewProcess { in_order }),
    ]
}

#[derive(Clone, Default)]
struct Completed(Arc<Mutex<BTreeMap<String, u32>>>);

/// Whether what the handler needs is down.
#[derive(Clone, Default)]
struct Outage(Arc<AtomicBool>);

const RULES: &[Rule] =
    &[Rule::new(Condition::code("down"), Response::Pause { pause: Duration::from_millis(700) })];

/// Works for as many milliseconds as the message says; every seventh message fails at its first attempt.
#[listener(queue = "work", concurrency = "1-3", prefetch = 4)]
async fn anything(
    Text(body): Text,
    attempt: Attempt,
    State(completed): State<Completed>,
    State(outage): State<Outage>,
) -> Result<(), BoxError> {
    let number: u64 = body.parse()?;
    tokio::time::sleep(Duration::from_millis(number * 37 % 400)).await;
    if outage.0.load(Relaxed) {
        return Err(Err::<(), _>("no answer").code("down").unwrap_err().into());
    }
    if number.is_multiple_of(7) && attempt.is_first() {
        return Err("at first".into());
    }
    *completed.0.lock().unwrap().entry(body).or_default() += 1;
    Ok(())
}

async fn process(broker: &Broker, completed: &Completed, outage: &Outage) -> Running {
    let builder = on(broker)
        .listen::<anything>()
        .state(completed.clone())
        .state(outage.clone())
        .policy(RedeliveryPolicy::new("default").rules(RULES))
        .set("container.recoveryInterval", "500ms")
        .set("container.shutdownTimeout", "5s")
        .set("container.deadLetterStrategy", "discarding");
    start(builder).await
}

async fn bounded<T>(what: &str, work: impl Future<Output = T>) -> T {
    within(Duration::from_secs(30), what, work).await
}

fn check(handle: &Handle) {
    let status = handle.listener("anything").unwrap();
    assert!(!status.state.is_consuming() || status.consumers > 0, "{status:?}");
    assert!(status.busy <= 8, "{status:?}");
}

async fn run(steps: Vec<Step>) {
    let (broker, completed, outage) = (broker(), Completed::default(), Outage::default());
    // Declares the queue, and publishes throughout.
    let publishing = on(&broker).listen::<idle>().build().unwrap().start().await.unwrap();
    let mut running = process(&broker, &completed, &outage).await;
    let mut sent = 0;
    for step in steps {
        let handle = running.handle();
        match step {
            Step::Send(count) => {
                for _ in 0..count {
                    // During a cut a publish may fail: it is not counted then, and may arrive all the same.
                    if publishing.publisher().send("work", (sent + 1).to_string().as_str()).await.is_ok() {
                        sent += 1;
                    }
                }
            }
            Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis.into())).await,
            Step::Cut => broker.cut_links(),
            Step::Refuse(refuse) => broker.refuse_connections(refuse),
            Step::Alarm(on) => broker.alarm(on.then_some("low on memory")),
            Step::CancelConsumers => broker.cancel_consumers("work"),
            Step::Outage(down) => outage.0.store(down, Relaxed),
            Step::TimeOutConsumers => broker.time_out_consumers("work"),
            Step::Pause => drop(bounded("pause", handle.pause("anything")).await),
            Step::Resume => drop(bounded("resume", handle.resume("anything")).await),
            Step::Stop => drop(bounded("stop", handle.stop("anything")).await),
            Step::Start => drop(bounded("start", handle.start("anything")).await),
            Step::Scale(min, max) => {
                let concurrency = Concurrency::new(min, max).unwrap();
                bounded("scale", handle.scale("anything", concurrency)).await.unwrap();
            }
            Step::NewProcess { in_order } => {
                drop(handle);
                if in_order {
                    bounded("the stop of the process", running.stop()).await;
                } else {
                    drop(running);
                }
                running = process(&broker, &completed, &outage).await;
            }
        }
        check(&running.handle());
    }
    outage.0.store(false, Relaxed);
    broker.refuse_connections(false);
    broker.alarm(None);
    let handle = running.handle();
    let _ = bounded("resume", handle.resume("anything")).await;
    bounded("start", handle.start("anything")).await.unwrap();
    bounded("consuming", running.wait_for_state("anything", ListenerState::is_consuming)).await;
    let all = async {
        while completed.0.lock().unwrap().len() < sent {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let done = tokio::time::timeout(Duration::from_secs(600), all).await;
    let status = handle.listener("anything");
    assert!(done.is_ok(), "{} of {sent} completed; {status:?}", completed.0.lock().unwrap().len());
    bounded("settled", async {
        while broker.queue_depth("work").unwrap().unacknowledged > 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    drop(handle);
    bounded("the last stop", running.stop()).await;
    bounded("the publisher's stop", publishing.stop()).await;
    assert_eq!(broker.queue_depth("work").unwrap().ready, 0);
}

#[listener(queue = "idle")]
async fn idle() {}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn nothing_is_lost_and_nothing_hangs(steps in proptest::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(run(steps));
    }
}
