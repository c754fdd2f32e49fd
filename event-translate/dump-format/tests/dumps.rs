//! Dumps byte for byte, there and back, and broken.
//!
//! The golden bytes are written by hand from the specification's "JVMPI Dump
//! Formats" and facts D; nothing of them comes from the writer.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the exceptions for tests do not reach what a test calls"
)]

mod dumps {
    mod broken;
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    mod golden;
    mod model;
    mod random;
    mod round_trip;
}
