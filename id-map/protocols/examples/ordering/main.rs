//! What depends on the order of memory, on this machine's processor, as fast as it goes, and a report:
//!
//! ```text
//! cargo run --release -p protocols --example ordering [SECONDS]
//! ```
//!
//! Each round is a race of two threads, which are alone in it. The first two lines are faults that are
//! set: what goes wrong there is what this machine does, and what the other lines would find.
#![allow(clippy::print_stdout, reason = "it reports")]

#[cfg(not(loom))]
#[path = "../../../../shim/src/os/asymmetric_fence.rs"]
mod asymmetric_fence;
#[cfg(not(loom))]
mod races;

#[cfg(not(loom))]
fn main() -> std::process::ExitCode {
    races::run()
}

// Loom has tests of its own.
#[cfg(loom)]
fn main() {}
