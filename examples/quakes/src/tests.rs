use super::*;
use hearken::Builder;

fn one_week(ledger: &Arc<Ledger>) -> Builder {
    Hearken::builder()
        .listen::<listeners::record_event>()
        .listen::<listeners::count_dead_letter>()
        .config_file(concat!(env!("CARGO_MANIFEST_DIR"), "/quakes.toml"))
        .state(Arc::clone(ledger))
}

async fn is_accounted_for(ledger: Arc<Ledger>, builder: Builder) {
    let (builder, events, dead) = for_one_run(builder);
    let application = builder.build().unwrap();
    let summary = match run(application, &ledger, &events, &dead, true).await {
        Ok(summary) => summary,
        Err(failed) => panic!("{}", failed.text),
    };
    assert_eq!((summary.published, summary.completed, summary.dead_letters), (1707, 1635, 72));
    assert_eq!((summary.calls, summary.lost, summary.duplicates), (2009, 0, 0));
    assert_eq!((summary.reasons["permanent"], summary.reasons["exhausted"]), (28, 44));
}

#[tokio::test]
async fn the_week_is_accounted_for_on_the_embedded_broker() {
    let ledger = Arc::new(Ledger::default());
    let builder = one_week(&ledger).set("transport.url", "embedded:");
    is_accounted_for(ledger, builder).await;
}

async fn on_rabbitmq(queue_type: &str, mode: &str) {
    let url = std::env::var("HEARKEN_TEST_AMQP_URL").expect("no RabbitMQ: run scripts/test");
    let ledger = Arc::new(Ledger::default());
    let builder = one_week(&ledger)
        .set("transport.url", url)
        .set("transport.queueType", queue_type)
        .set("container.redeliveryMode", mode);
    is_accounted_for(ledger, builder).await;
}

#[tokio::test]
async fn the_week_is_accounted_for_on_quorum_queues_in_client_mode() {
    on_rabbitmq("quorum", "client").await;
}

#[tokio::test]
async fn the_week_is_accounted_for_on_quorum_queues_in_broker_mode() {
    on_rabbitmq("quorum", "broker").await;
}

#[tokio::test]
async fn the_week_is_accounted_for_on_classic_queues_in_client_mode() {
    on_rabbitmq("classic", "client").await;
}

#[tokio::test]
async fn the_week_is_accounted_for_on_classic_queues_in_broker_mode() {
    on_rabbitmq("classic", "broker").await;
}
