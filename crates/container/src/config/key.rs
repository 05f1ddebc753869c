/// A table of the configuration, as far as its keys are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// `[application]`.
    Application,
    /// `[transport]`.
    Transport,
    /// `[container]`: the defaults of every listener, and what concerns the application as a whole.
    Container,
    /// `[redelivery.NAME]`.
    Redelivery,
    /// `[[redelivery.NAME.rules]]`: one rule of a policy.
    Rule,
    /// `[[redeliveryMap]]`: the policy of queues with such names.
    Map,
    /// `[listeners.ID]`: its own keys, and every key of `[container]` that has an attribute option.
    Listener,
}

impl Table {
    /// All tables, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Application,
        Self::Transport,
        Self::Container,
        Self::Redelivery,
        Self::Rule,
        Self::Map,
        Self::Listener,
    ];

    /// The table as a reader finds it: `[listeners.ID]`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Application => "[application]",
            Self::Transport => "[transport]",
            Self::Container => "[container]",
            Self::Redelivery => "[redelivery.NAME]",
            Self::Rule => "[[redelivery.NAME.rules]]",
            Self::Map => "[[redeliveryMap]]",
            Self::Listener => "[listeners.ID]",
        }
    }

    /// The word that stands for it in a path: `listeners`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Transport => "transport",
            Self::Container => "container",
            Self::Redelivery => "redelivery",
            Self::Rule => "rules",
            Self::Map => "redeliveryMap",
            Self::Listener => "listeners",
        }
    }

    /// Whether the user names tables of this sort: a policy's name, a listener's id.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Redelivery | Self::Listener)
    }

    /// Whether there are any number of tables of this sort, in an order that counts.
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Rule | Self::Map)
    }

    /// The tables whose keys have one value each, which every source can give: all but lists.
    pub(crate) fn single() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|table| !table.is_list())
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::single().find(|table| table.word() == word)
    }
}

/// What values a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// A text without control characters, of at most `longest` bytes.
    Text {
        /// Whether it may be empty.
        empty: bool,
        /// Its longest length in bytes.
        longest: usize,
    },
    /// The name of a queue, by AMQP's rules.
    Queue,
    /// A pattern for the names of queues: `*` stands for one word, `>` at the end for all that follows.
    Pattern,
    /// A whole number.
    Integer {
        /// The smallest allowed.
        min: i64,
        /// The largest allowed.
        max: i64,
    },
    /// The number of invokers: a whole number, or a range (`"3-10"`).
    Concurrency,
    /// A number of bytes: whole, or a text with a unit (`"16MiB"`).
    Size {
        /// The smallest allowed.
        min: i64,
    },
    /// Milliseconds, or a text with units (`"2m30s"`).
    Duration {
        /// The shortest allowed, in milliseconds.
        min_ms: i64,
        /// The longest allowed, in milliseconds.
        max_ms: i64,
        /// Whether 0 is allowed though it is below the minimum.
        zero: bool,
        /// Whether -1 is allowed, for no limit.
        unlimited: bool,
    },
    /// `true` or `false`.
    Boolean,
    /// A whole number from 0 to 100.
    Percent,
    /// A number above 0.
    Decimal,
    /// A number of at least 1.
    Factor,
    /// A whole number from 1, or -1 for no limit.
    Limit,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// The address of a broker, with a password in it: never shown.
    Url {
        /// The beginnings allowed: `embedded:`, `amqp://`.
        schemes: &'static [&'static str],
    },
    /// A connection URI of ActiveMQ, which may hold a password: of its address nothing is shown.
    ConnectionUri,
    /// The path of a PEM file with certificates, relative to the file that names it.
    Certificate,
    /// A list of tables of this sort.
    Tables(Table),
    /// Refused by name, with the reason.
    Refused(&'static str),
}

/// Ten years: beyond it a duration is a mistake, and clocks begin to overflow.
pub(crate) const LONGEST_MS: i64 = 3_650 * 24 * 3_600_000;

impl Kind {
    /// A text of at most 255 bytes, AMQP's longest short string; not empty.
    pub const NAME: Self = Self::Text { empty: false, longest: 255 };

    /// A duration of at least `min_ms`.
    pub const fn duration(min_ms: i64) -> Self {
        Self::Duration { min_ms, max_ms: LONGEST_MS, zero: false, unlimited: false }
    }

    /// A duration of at least `min_ms`, or 0.
    pub const fn duration_or_zero(min_ms: i64) -> Self {
        Self::Duration { min_ms, max_ms: LONGEST_MS, zero: true, unlimited: false }
    }

    /// A delay of a redelivery policy: as long as 64 bits allow.
    pub const DELAY: Self = Self::Duration { min_ms: 0, max_ms: i64::MAX, zero: true, unlimited: false };

    /// The same, or -1.
    pub const DELAY_OR_UNLIMITED: Self =
        Self::Duration { min_ms: 0, max_ms: i64::MAX, zero: true, unlimited: true };

    pub(crate) const fn is_refused(self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// One key: everything that validation, `check`, nearest names and the documentation know of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The table it stands in.
    pub table: Table,
    /// The key in its own spelling: `receiveTimeout`.
    pub key: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The value of a configuration that does not name it, as an environment variable would spell it.
    pub default: Option<&'static str>,
    /// What it does, in one line.
    pub doc: &'static str,
    /// The crate that reads it.
    pub owner: &'static str,
    /// The option of `#[listener]` that sets it; for a key of `[container]`: it may stand in `[listeners.ID]` too; for one
    /// of `[redelivery.NAME]`: its name in `redelivery(…)`.
    pub attribute: Option<&'static str>,
}

impl Row {
    /// A key without default and option, read by `hearken-container`.
    pub const fn new(table: Table, key: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { table, key, kind, default: None, doc, owner: "hearken-container", attribute: None }
    }

    /// A key that is refused, and why.
    pub const fn refused(table: Table, key: &'static str, reason: &'static str) -> Self {
        Self::new(table, key, Kind::Refused(reason), "")
    }

    /// With this default.
    #[must_use]
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// With this option of the attribute.
    #[must_use]
    pub const fn attribute(mut self, attribute: &'static str) -> Self {
        self.attribute = Some(attribute);
        self
    }

    /// Read by this crate.
    #[must_use]
    pub const fn owner(mut self, owner: &'static str) -> Self {
        self.owner = owner;
        self
    }
}
