//! Outputs that HPROF never had, for tools and browsers of today.
//!
//! | `format=` | module | what it is |
//! |---|---|---|
//! | `collapsed` | [`collapsed`] | a line per stack with its weight |
//! | `flame` | [`flame`] | a page with flame graphs |
//! | `json` | [`json`] | the whole profile |
//! | `pprof` | [`pprof`] | the whole profile, for tools that read profile.proto |
//!
//! `charts` finds in a profile what can be drawn.

mod charts;
pub mod collapsed;
pub mod flame;
pub mod json;
pub mod pprof;
#[cfg(test)]
pub(crate) mod sample;
