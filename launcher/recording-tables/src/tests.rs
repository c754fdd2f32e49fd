//! Recordings that are made here, exported, and read again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "tests fail by panicking"
)]

mod calls;
mod exported;
mod files;
mod made;
mod names;
