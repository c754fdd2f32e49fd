//! What comes out for one noun.

use crate::rules::Rule;

/// How the two sides compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// To the last one.
    Equal,
    /// But for what may differ.
    EqualBut,
    /// The port sees less.
    Misses,
    /// The port sees more.
    More,
    /// Less of some and more of others.
    Differs,
    /// One side has nothing to compare.
    NotCompared,
}

impl Outcome {
    /// Its word in the output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::EqualBut => "equal but",
            Self::Misses => "misses",
            Self::More => "sees more",
            Self::Differs => "differs",
            Self::NotCompared => "not compared",
        }
    }

    /// Whether the port is no faithful one.
    #[must_use]
    pub const fn is_difference(self) -> bool {
        matches!(self, Self::Misses | Self::More | Self::Differs)
    }
}

/// A name that the two sides do not agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is counted: empty for how often.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// What the old agent was told.
    pub old: String,
    /// What the port was told.
    pub new: String,
}

/// What comes out for one noun.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Its rule.
    pub rule: &'static Rule,
    /// How the two compare.
    pub outcome: Outcome,
    /// The same in words.
    pub sentence: String,
    /// Nothing can be compared, for the port has nothing where the old agent has something.
    pub unseen: bool,
    /// How often the old agent was told, and the port.
    pub all: [u64; 2],
    /// The largest differences.
    pub differences: Vec<Difference>,
    /// How many more there are.
    pub left_out: usize,
    /// The most probable reasons.
    pub causes: Vec<String>,
}
