const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

const ALIYUN: [i64; 16] = [
    10 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    3 * MINUTE,
    4 * MINUTE,
    5 * MINUTE,
    6 * MINUTE,
    7 * MINUTE,
    8 * MINUTE,
    9 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
];

/// Waits read from a table, one per retry; retries beyond the table take its last wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    name: &'static str,
    steps: &'static [i64],
    /// How many retries follow the first delivery. Default -1, which means as many as the table has steps.
    ///
    /// Up to the table's length it takes a prefix of the table; beyond it each further retry takes the last
    /// wait. 0 is none, and so is anything below -1, as in RocketMQ.
    pub max_reconsume_times: i64,
}

impl Ladder {
    /// The names [`from_name`](Self::from_name) knows.
    pub const NAMES: &'static [&'static str] = &["aliyun"];

    /// The retry table of Aliyun's message queue and of RocketMQ: 10 s, 30 s, 1 to 10 min by the minute, 20
    /// min, 30 min, 1 h, 2 h; each further retry 2 h. All 16 together last 4 h 45 min 40 s.
    pub const ALIYUN: Self = Self { name: "aliyun", steps: &ALIYUN, max_reconsume_times: -1 };

    /// The ladder a configuration calls `preset = "aliyun"`.
    pub fn from_name(name: &str) -> Option<Self> {
        (name == Self::ALIYUN.name).then_some(Self::ALIYUN)
    }

    /// Sets [`max_reconsume_times`](#structfield.max_reconsume_times).
    #[must_use]
    pub const fn max_reconsume_times(mut self, max_reconsume_times: i64) -> Self {
        self.max_reconsume_times = max_reconsume_times;
        self
    }

    /// The name in a configuration.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The table, in milliseconds.
    pub const fn steps(&self) -> &'static [i64] {
        self.steps
    }

    /// The number of retries granted; one more is the number of handler calls.
    pub fn limit(&self) -> u64 {
        match self.max_reconsume_times {
            -1 => self.steps.len() as u64,
            times => u64::try_from(times).unwrap_or(0),
        }
    }

    /// The wait before retry number `redelivery` (first = 1; 0 counts as 1), in milliseconds, whatever the
    /// limit.
    pub fn wait(&self, redelivery: u64) -> i64 {
        let step = usize::try_from(redelivery.saturating_sub(1)).unwrap_or(usize::MAX);
        self.steps.get(step).or_else(|| self.steps.last()).copied().unwrap_or(0)
    }
}
