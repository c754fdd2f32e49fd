//! Outputs that HPROF never had, for tools and browsers of today.
//!
//! | `format=` | module | what it is |
//! |---|---|---|
//! | `collapsed` | [`collapsed`] | a line per stack with its weight |
//! | `flame` | [`flame`] | a page with flame graphs |
//! | `json` | [`json`] | the whole profile |
//!
//! `charts` finds in a profile what can be drawn, `tree` makes one tree of many stacks.

mod charts;
pub mod collapsed;
pub mod flame;
pub mod json;
#[cfg(test)]
mod sample;
mod tree;
