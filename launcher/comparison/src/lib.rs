//! `xrun compare`: whether a port to JVMTI has seen what the agent that speaks JVMPI saw.
//!
//! Recordings come in as [`recording_format`] reads them, verdicts go out: one for each noun.
//!
//! | module | its one job |
//! |---|---|
//! | [`rules`] | what is compared, and how exactly: one row for each noun |
//! | [`document`] | the same for people: docs/compare.md |
//! | `observed` | one pass over a recording: what each side was told, counted by name |
//! | `old`, `new` | what counts in records of JVMPI, and of JVMTI |
//! | `listening` | which events a port listens to, and when it has stopped to |
//! | `again` | an event that several environments of a port are told of |
//! | `ends` | ends of threads that wait to be counted |
//! | `births` | what is born to a port and what dies |
//! | `taken` | stacks that a port takes |
//! | `turns` | methods on carriers of virtual threads |
//! | `tags` | what a port's tags stand for |
//! | `said` | what a port says itself |
//! | `objects` | the classes and arenas of the old side's objects |
//! | `dumped` | what is in a dump of JVMPI's |
//! | `ones` | each one by itself, where both sides are in one recording |
//! | `place` | where a record stands |
//! | `known` | what ids name, normalised |
//! | `side` | the counts of one side, and how it was set up |
//! | `course` | how often something was found, from the beginning to the end |
//! | `samples` | stacks, as shares with intervals of confidence |
//! | `judge` | a verdict from two counts |
//! | `causes` | the most probable reasons of a difference |
//! | `program` | whether two recordings are of the same program |
//! | `verdict`, `shown` | what comes out, as text, JSON, Markdown and findings |
#![forbid(unsafe_code)]

mod again;
mod births;
mod causes;
mod comparison;
mod course;
pub mod document;
mod dumped;
mod ends;
mod judge;
mod known;
mod listening;
mod new;
mod objects;
mod observed;
mod old;
mod ones;
mod place;
mod program;
pub mod rules;
mod said;
mod samples;
mod shown;
mod side;
mod tags;
mod taken;
mod turns;
mod verdict;

pub use comparison::{Comparison, Wish, Wrong, compare};
pub use observed::Observed;
pub use shown::{json, markdown, suite, text};
pub use verdict::{Difference, Outcome, Verdict};

#[cfg(test)]
mod tests;
