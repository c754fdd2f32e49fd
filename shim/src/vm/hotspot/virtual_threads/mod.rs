//! Virtual threads as JVMTI does not tell of them: which one a carrier runs ([`mounts`]), and which methods make them
//! ([`makers`]).
//!
//! A line belongs here if it is about virtual threads or about carriers as such.

pub(crate) mod makers;
pub(crate) mod mounts;
