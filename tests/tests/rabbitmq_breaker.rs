//! The circuit breaker on RabbitMQ: hand-backs of many pauses cost no message, no attempt, and suspect nobody.

use hearken::failure::Failure;
use hearken::prelude::*;
use hearken::redelivery::{Condition, RedeliveryPolicy, Response, Rule};
use hearken::{Application, EventKind, Events};
use hearken_testkit::Journal;
use hearken_tests::broker::{self, Guard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

const RULES: &[Rule] =
    &[Rule::new(Condition::code("down"), Response::Pause { pause: Duration::from_millis(200) })];
const CAUTIOUS: RedeliveryPolicy = RedeliveryPolicy::new("default").maximum_redeliveries(0).rules(RULES);

#[derive(Clone, Default)]
struct Service(Arc<AtomicBool>);

#[listener(queue = "given by the test", concurrency = 2)]
async fn needy(
    Text(body): Text,
    attempt: Attempt,
    State(service): State<Service>,
    State(journal): State<Journal>,
) -> Result<(), Failure> {
    if !service.0.load(Relaxed) {
        return Err(Failure::from("no answer").code("down"));
    }
    journal.write(format!("done {body} at attempt {attempt}"));
    Ok(())
}

struct Bench {
    _guard: Guard,
    application: String,
    queue: String,
    dead: String,
    journal: Journal,
    service: Service,
}

impl Bench {
    fn new() -> Self {
        let guard = Guard::new();
        let application = guard.application("breaker");
        guard.keep_queue(format!("hearken.v1.{application}.suspects.needy"));
        let (queue, dead) = (guard.queue("work"), guard.queue("dead"));
        let (journal, service) = (Journal::default(), Service::default());
        Self { _guard: guard, application, queue, dead, journal, service }
    }

    fn process(&self) -> Application {
        let builder = Hearken::builder()
            .listen::<needy>()
            .state(self.journal.clone())
            .state(self.service.clone())
            .policy(CAUTIOUS)
            .set("transport.url", broker::amqp_url())
            .set("application.name", self.application.as_str())
            .set("container.deadLetter", self.dead.as_str())
            .set("container.recoveryInterval", "1s")
            .set("listeners.needy.queue", self.queue.as_str());
        builder.build().unwrap()
    }

    fn assert_each_once(&self) {
        let mut done = self.journal.matching("done");
        done.sort();
        let mut expected: Vec<_> = (0..40).map(|n| format!("done {n} at attempt 1")).collect();
        expected.sort();
        assert_eq!(done, expected);
    }
}

async fn opened(events: &mut Events, times: usize) {
    let mut seen = 0;
    while seen < times {
        match events.next().await.unwrap().kind {
            EventKind::CircuitOpened { .. } => seen += 1,
            EventKind::Suspect { .. } => panic!("a pause is no death of the process"),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_of_many_pauses_costs_no_message_and_no_attempt() {
    let bench = Bench::new();
    let application = bench.process();
    let mut events = application.handle().events();
    let running = application.start().await.unwrap();
    for n in 0..40 {
        running.publisher().send(&*bench.queue, &*n.to_string()).await.unwrap();
    }
    opened(&mut events, 5).await;
    bench.service.0.store(true, Relaxed);
    bench.journal.wait_for("done", 40).await;
    running.stop().await;
    bench.assert_each_once();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_with_breakers_of_their_own_share_an_outage_unharmed() {
    let bench = Bench::new();
    let (one, other) = (bench.process(), bench.process());
    let mut trips = [one.handle().events(), other.handle().events()];
    let (one, other) = (one.start().await.unwrap(), other.start().await.unwrap());
    for n in 0..40 {
        one.publisher().send(&*bench.queue, &*n.to_string()).await.unwrap();
    }
    for events in &mut trips {
        let mut open = 0;
        while open < 4 {
            open += usize::from(matches!(events.next().await.unwrap().kind, EventKind::CircuitOpened { .. }));
        }
    }
    bench.service.0.store(true, Relaxed);
    bench.journal.wait_for("done", 40).await;
    one.stop().await;
    other.stop().await;
    bench.assert_each_once();
}
