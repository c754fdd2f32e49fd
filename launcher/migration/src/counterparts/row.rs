//! What one row says.

/// How much work a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// Another name.
    Direct,
    /// Other arguments, a look-up more: lines.
    Small,
    /// Another way to the same result: a module.
    Medium,
    /// The agent's design has to change.
    Large,
    /// It cannot be had.
    Missing,
}

impl Effort {
    /// The word in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Direct => "none",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
            Self::Missing => "no counterpart",
        }
    }

    /// What it weighs in the rating.
    #[must_use]
    pub const fn weight(self) -> u32 {
        match self {
            Self::Direct => 0,
            Self::Small => 1,
            Self::Medium => 3,
            Self::Large => 8,
            Self::Missing => 5,
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// What to use now.
    pub instead: &'static str,
    /// JVMTI capabilities it takes.
    pub capabilities: &'static [&'static str],
    /// What is different, and what goes wrong if nobody thinks of it.
    pub differences: &'static str,
    /// How much work it is.
    pub effort: Effort,
}

pub(super) const fn row(
    instead: &'static str,
    capabilities: &'static [&'static str],
    effort: Effort,
    differences: &'static str,
) -> Counterpart {
    Counterpart {
        instead,
        capabilities,
        differences,
        effort,
    }
}
