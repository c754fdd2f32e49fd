//! What depends on the order of memory, on this machine's processor, as fast as it goes, and a report:
//!
//! ```text
//! cargo run --release -p protocols --example ordering [SECONDS]
//! ```
//!
//! Each round is a race of two threads, which are alone in it. The first line has no fences at all: if
//! rounds of that go wrong the machine does reorder, and the other lines say something.
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
