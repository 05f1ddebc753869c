use hearken_core::BoxFuture;
use hearken_core::call::Call;
use hearken_core::failure::Failure;
use hearken_core::outcome::Outcome;
use hearken_core::transport::Transport;
use hearken_testkit::conformance::{Bench, Rig};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

type Cut = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// tokio's timer rounds up to the next millisecond, at each of the few timers on a way.
pub(super) const ROUNDING: Duration = Duration::from_millis(4);

/// A transport, and the settings of the scenario to come.
pub struct Stage {
    rig: Rig,
    pace: u64,
    cut: Cut,
    settings: Vec<(String, String)>,
}

impl Stage {
    /// A scenario on this transport, with delays divided by `pace`; `cut` cuts all connections.
    pub fn new(
        rig: Rig,
        pace: u64,
        cut: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        let stage = Self { rig, pace, cut: Arc::new(cut), settings: Vec::new() };
        stage.set("zeroDelay", "immediate").set("nonBlockingRedelivery", "false")
    }

    /// With this setting of the listener, or of another table by its full path.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl ToString) -> Self {
        self.settings.retain(|(known, _)| known != key);
        self.settings.push((key.to_owned(), value.to_string()));
        self
    }

    fn policy(self, key: &str, value: impl ToString) -> Self {
        self.set(&format!("redelivery.default.{key}"), value)
    }

    /// `initialRedeliveryDelay` and `redeliveryDelay`.
    #[must_use]
    pub fn delays(self, initial: u64, redelivery: u64) -> Self {
        let pace = self.pace;
        self.policy("initialRedeliveryDelay", initial / pace).policy("redeliveryDelay", redelivery / pace)
    }

    /// `backOffMultiplier = 2`.
    #[must_use]
    pub fn doubling(self) -> Self {
        self.policy("useExponentialBackOff", true).policy("backOffMultiplier", 2)
    }

    /// `maximumRedeliveryDelay`.
    #[must_use]
    pub fn cap(self, cap: u64) -> Self {
        let pace = self.pace;
        self.policy("maximumRedeliveryDelay", cap / pace)
    }

    /// `maximumRedeliveries`.
    #[must_use]
    pub fn maximum(self, redeliveries: i64) -> Self {
        self.policy("maximumRedeliveries", redeliveries)
    }

    /// Redelivery that does not block.
    #[must_use]
    pub fn non_blocking(self) -> Self {
        self.set("nonBlockingRedelivery", true)
    }

    /// `redeliveryMode`: `client` is ActiveMQ's consumer, `broker` its redelivery plugin.
    #[must_use]
    pub fn mode(self, mode: &str) -> Self {
        let plugin = mode == "broker";
        self.set("redeliveryMode", mode).set("nonBlockingRedelivery", plugin)
    }

    /// Another scenario beside this one, on the same transport.
    #[must_use]
    pub fn beside(&self) -> Self {
        let rig = Rig {
            transport: Arc::clone(&self.rig.transport),
            settings: self.rig.settings.clone(),
            tolerance: self.rig.tolerance,
        };
        Self { rig, pace: self.pace, cut: Arc::clone(&self.cut), settings: self.settings.clone() }
    }

    /// What delays are divided by.
    pub fn pace(&self) -> u64 {
        self.pace
    }

    /// The transport.
    pub fn transport(&self) -> &dyn Transport {
        &*self.rig.transport
    }

    /// Starts it; the call of a message fails when `fails` says so.
    pub async fn start(self, fails: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Scene {
        self.start_with(move |call| {
            let failed = fails(call);
            Box::pin(
                async move { if failed { Failure::from("as told").into() } else { Outcome::Acknowledge } },
            )
        })
        .await
    }

    /// Starts it with this handler.
    pub async fn start_with(
        self,
        step: impl for<'a> Fn(&'a Call) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
    ) -> Scene {
        let Self { rig, pace, cut, settings } = self;
        let settings: Vec<_> = settings.iter().map(|(key, value)| (&**key, &**value)).collect();
        Scene { bench: Bench::start(rig, &settings, step).await, pace, cut }
    }
}

/// A scenario that runs.
pub struct Scene {
    bench: Bench,
    pace: u64,
    cut: Cut,
}

impl Scene {
    /// What delays are divided by.
    pub fn pace(&self) -> u64 {
        self.pace
    }

    /// Cuts all connections to the broker.
    pub async fn cut(&self) {
        (self.cut)().await;
    }

    /// Lets the broker hand out none of these before all are there.
    pub async fn send_together(&self, bodies: &[&str]) {
        let handle = self.running().handle();
        handle.pause("probe").await.unwrap_or_else(|error| panic!("{error}"));
        self.send(bodies).await;
        handle.resume("probe").await.unwrap_or_else(|error| panic!("{error}"));
    }

    /// The calls so far, each as the body and the number of the attempt.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.journal.matching("call ");
        calls.iter().map(|line| line["call ".len()..].to_owned()).collect()
    }

    /// The numbers of the attempts at one message so far.
    pub fn attempts(&self, body: &str) -> Vec<u64> {
        let calls = self.journal.matching(&format!("call {body} "));
        calls.iter().filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect()
    }

    /// Waits for so many calls in all, and for nothing more after that.
    pub async fn settles_at(&self, calls: usize) {
        self.journal.wait_for("call ", calls).await;
        self.sleep(1_500).await;
        assert_eq!(self.calls().len(), calls, "{:?}", self.calls());
    }

    /// A sleep at the pace of the delays.
    pub async fn sleep(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis / self.pace)).await;
    }

    /// Asserts that the calls of a message were these times apart: never less, and no more than this transport needs.
    pub fn assert_waits(&self, body: &str, expected: &[u64]) {
        let times = self.journal.times(&format!("call {body} "));
        let gaps: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(gaps.len(), expected.len(), "{body}: {gaps:?}");
        for (gap, expected) in gaps.iter().zip(expected) {
            let expected = Duration::from_millis(expected / self.pace);
            let latest = expected + self.tolerance() + ROUNDING;
            assert!((expected..=latest).contains(gap), "{body}: {gap:?} instead of {expected:?} in {gaps:?}");
        }
    }

    /// Ends it.
    pub async fn end(self) {
        self.bench.end().await;
    }
}

impl Deref for Scene {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        &self.bench
    }
}

impl DerefMut for Scene {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.bench
    }
}

/// `1 …` up to this number.
pub(super) fn numbers(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

/// As [`Bench::send`] wants them.
pub(super) fn bodies(numbers: &[String]) -> Vec<&str> {
    numbers.iter().map(String::as_str).collect()
}
