//! What one row of the events says.

use super::jvmti::Event;
use super::parts::Part;

/// How many the skeleton counts, beside the recording of the same run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// As many.
    Equal,
    /// As many of these.
    EqualFor(&'static str),
    /// Another number, for this reason.
    Differs(&'static str),
    /// JVMTI has no such event.
    Gap,
}

impl Count {
    pub(super) fn words(self) -> String {
        match self {
            Self::Equal => "equal".to_owned(),
            Self::EqualFor(what) => format!("equal for {what}"),
            Self::Differs(why) => format!("differs: {why}"),
            Self::Gap => "none: GAP".to_owned(),
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The events of JVMTI that it takes.
    pub(super) jvmti: &'static [Event],
    /// What else it rests on.
    pub(super) parts: &'static [Part],
    /// Capabilities besides those of the events and parts.
    pub(super) capabilities: &'static [&'static str],
    /// Fields of the JVMPI event, and where they come from now.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// How its count compares.
    pub(super) count: Count,
}

/// An event that JVMTI does not have.
pub(super) const NONE: Row = Row {
    jvmti: &[],
    parts: &[],
    capabilities: &[],
    fields: &[],
    count: Count::Gap,
};
