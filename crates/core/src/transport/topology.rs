/// What is done about the queues and exchanges that listeners need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// What is missing is declared; what exists with other arguments is refused.
    #[default]
    Declare,
    /// Nothing is declared; the queues must exist, and that is checked.
    Check,
    /// Nothing is declared and nothing asked.
    Assume,
}

impl Topology {
    /// The names in configuration.
    pub const NAMES: &'static [&'static str] = &["declare", "check", "assume"];

    /// The setting of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "declare" => Some(Self::Declare),
            "check" => Some(Self::Check),
            "assume" => Some(Self::Assume),
            _ => None,
        }
    }
}
