//! The wall clock jumps or stands still while redeliveries wait: they come when they are due by the time that passes.

mod chaos_support;

use chaos_support::SOON;
use chaos_support::stage::Stage;
use hearken_embedded::{Broker, EmbeddedTransport, Settings};
use hearken_testkit::conformance::Rig;
use hearken_tests::broker::unique;
use hearken_tests::chaos::{eventually, pick};
use hearken_tests::ledger::Ledger;
use hearken_tests::load::Load;
use hearken_tests::scenarios;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const SHORT: Duration = Duration::from_secs(1);
/// The clock of the records has this resolution.
const TICK: Duration = Duration::from_millis(10);
/// How late a redelivery may be, on a machine that is busy with something else. Less than the difference of the waits:
/// none is held back by a longer one.
const LATE: Duration = Duration::from_secs(5);
/// One message in a step, so that short and long waits mix.
const STEP: Duration = Duration::from_millis(100);

/// Lies to a process about the wall clock, and to the monotonic one not.
struct Liar {
    library: PathBuf,
    clock: PathBuf,
}

impl Liar {
    /// `None` where the library is not installed.
    fn new(folder: &Path) -> Option<Self> {
        let places = std::fs::read_dir("/usr/lib").ok()?.flatten();
        let mut libraries = places.map(|place| place.path().join("faketime/libfaketimeMT.so.1"));
        let liar = Self { library: libraries.find(|library| library.exists())?, clock: folder.join("clock") };
        liar.say("+0");
        Some(liar)
    }

    /// An offset in seconds, or a moment at which the clock stands still.
    fn say(&self, clock: &str) {
        // In one step: a reader never sees half of it.
        let next = self.clock.with_extension("next");
        std::fs::write(&next, format!("{clock}\n")).unwrap();
        std::fs::rename(&next, &self.clock).unwrap();
    }

    fn environment(&self) -> [(&str, &str); 4] {
        [
            ("LD_PRELOAD", self.library.to_str().unwrap()),
            ("FAKETIME_TIMESTAMP_FILE", self.clock.to_str().unwrap()),
            ("FAKETIME_NO_CACHE", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
        ]
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wall_clock_that_jumps_or_stands_still_makes_no_redelivery_early_or_late() {
    let folder = tempfile::tempdir().unwrap();
    let Some(liar) = Liar::new(folder.path()) else {
        println!("B07: not done, there is no libfaketime here; apt-get install faketime");
        return;
    };
    let (count, long) = (pick(100, 200), Duration::from_secs(pick(10, 60)));
    let application = unique("app");
    let delay = long.as_millis().to_string();
    let settings = [
        ("application.name", &*application),
        ("redelivery.default.formula", "5.10"),
        ("redelivery.default.initialRedeliveryDelay", "1s"),
        ("redelivery.default.redeliveryDelay", &*delay),
        ("test.fails", "2"),
    ];
    let mut stage = Stage::new().await;
    let consumer = stage.consumer_in(&liar.environment(), Duration::ZERO, &settings);
    eventually(SOON, "the consumer", async || consumer.log().contains("listener is running")).await;
    let load = Load::new(&stage.url, &stage.queue, 100, stage.ledger.clone());
    let clocks = ["+3600", "-3600", "2020-01-01 00:00:00", "+0"];
    for sent in 0..count {
        if sent % (count / 8) == 0 {
            liar.say(clocks[(sent / (count / 8)) as usize % clocks.len()]);
        }
        load.send(1).await;
        tokio::time::sleep(STEP).await;
    }
    // The last of them wait while it goes on.
    for clock in clocks {
        liar.say(clock);
        tokio::time::sleep(long / 5).await;
    }
    stage.until("all to be completed", Ledger::is_done).await;
    let mut latest = Duration::ZERO;
    for id in 1..=count {
        assert_eq!(stage.ledger.attempts(id), [1, 2, 3], "message {id}");
        let tries = stage.ledger.tries(id);
        for (pair, wait) in tries.windows(2).zip([SHORT, long]) {
            let waited = pair[1].0 - pair[0].0;
            assert!(waited + TICK >= wait, "message {id} early: {waited:?} of {wait:?}");
            latest = latest.max(waited.saturating_sub(wait));
        }
    }
    let verdict = stage.ledger.verdict();
    println!("B07 {count} messages, waits of {SHORT:?} and {long:?}: at most {latest:?} late; {verdict}");
    assert!(latest <= LATE, "{latest:?}");
    assert_eq!((verdict.lost.len(), verdict.duplicates()), (0, 0), "{verdict}");
    // The log has the time of day: it was lied to.
    assert!(consumer.log().contains("2020-01-01T00:00:00"), "{}", consumer.log());
}

/// The same by a virtual clock, beside which the wall clock all but stands still.
#[tokio::test(start_paused = true)]
async fn redeliveries_wait_by_the_clock_of_the_runtime_and_not_by_the_wall_clock() {
    let (wall, virtual_time) = (SystemTime::now(), tokio::time::Instant::now());
    let transport = Arc::new(EmbeddedTransport::new(Broker::new(Settings::default())));
    let rig = Rig { transport, settings: Vec::new(), tolerance: Duration::ZERO };
    let stage = scenarios::Stage::new(rig, 1, || Box::pin(async {}));
    let stage = stage.mode("auto").non_blocking().delays(1_000, 60_000).maximum(2);
    let scene = stage.set("redelivery.default.formula", "5.10").start(|_| true).await;
    let bodies: Vec<_> = (1..=200).map(|number: u32| number.to_string()).collect();
    for body in &bodies {
        scene.send(&[body]).await;
        scene.sleep(100).await;
    }
    scene.sleep(70_000).await;
    for body in &bodies {
        scene.assert_waits(body, &[1_000, 60_000]);
    }
    assert_eq!(scene.letters().len(), 200);
    assert!(wall.elapsed().unwrap_or_default() < virtual_time.elapsed() / 2);
    scene.end().await;
}
