//! `check=on`: what an agent does, held against the specification.
//!
//! | module | its one job |
//! |---|---|
//! | [`rules`] | the rules as data; CHECKS.md and the log's words come from here |
//! | [`subject`] | which kind of id a function takes |
//! | [`mode`] | the modes of the specification; what one thread is in the middle of |
//! | [`state`] | the rules at work |
//! | [`findings`] | what was found, as lines |
//! | [`report`] | the same as a file |
//! | [`jni_functions`] | their names |
//! | [`durations`] | how long handlers take |
//! | [`watched`] | functions of other libraries that are watched |
//! | [`catalogue`] | CHECKS.md |
//!
//! All of it is pure: the shim says what happened and what a number names.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod durations;
pub mod findings;
pub mod jni_functions;
mod locks;
pub mod mode;
pub mod report;
pub mod rules;
pub mod state;
pub mod subject;
mod watched;

#[cfg(test)]
mod tests;

pub use durations::Durations;
pub use findings::Findings;
pub use mode::{Mode, Own};
pub use report::{CodePlace, Found, Report};
pub use rules::{RULES, Rule, RuleSet, Severity};
pub use state::{Call, State};
pub use subject::{Named, POISON, POISONED};
pub use watched::{ALLOCATING, BLOCKING};
