//! What people see of a recording (`xrun trace`): its records as lines and as JSON, counts, and
//! where two recordings differ.
//!
//! Recordings come in as [`recording_format`] reads them, text goes out.
#![forbid(unsafe_code)]

mod comparable;
mod diff;
mod habits;
mod names;
mod stats;
mod text;

pub use comparable::scrubbed;
pub use diff::{Diff, diff};
pub use names::Names;
pub use stats::{stats, stats_json};
pub use text::{json, line, quoted};
