//! What is wrong with an agent, for programs: JSON and JUnit XML, and what of it is known already.
//!
//! | file | job |
//! |---|---|
//! | [`model`] | rules that were held against a run, and what was found |
//! | [`json()`] | as JSON (docs/findings.md) |
//! | [`junit()`] | as JUnit XML |
//! | [`suppress`] | a file of findings that are known, with reasons |
//!
//! Who finds something fills in a [`Suite`]; files are read and written by the caller.
#![forbid(unsafe_code)]

mod json;
mod junit;
mod model;
mod suppress;

pub use agent_check::Severity;
pub use json::json;
pub use junit::junit;
pub use model::{Ended, Finding, Place, Rule, Suite};
pub use suppress::Suppressions;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// [`json()`]
    Json,
    /// [`junit()`]
    Junit,
}

impl Format {
    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "junit" => Some(Self::Junit),
            _ => None,
        }
    }

    /// The one that a file's name asks for.
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "json" => Some(Self::Json),
            "xml" => Some(Self::Junit),
            _ => None,
        }
    }

    /// The text.
    #[must_use]
    pub fn text(self, suites: &[Suite]) -> String {
        match self {
            Self::Json => json(suites),
            Self::Junit => junit(suites),
        }
    }

    /// Whether a file that begins so is one of ours, of either format.
    #[must_use]
    pub fn is_one(head: &[u8]) -> bool {
        head.starts_with(json::BEGIN.as_bytes()) || head.starts_with(junit::BEGIN.as_bytes())
    }
}
