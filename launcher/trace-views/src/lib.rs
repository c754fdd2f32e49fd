//! What people see of a recording (`xrun trace`): its records as lines and as JSON, counts, and
//! where two recordings differ.
//!
//! Recordings come in as [`recording_format`] reads them, text goes out.
#![forbid(unsafe_code)]

mod comparable;
mod diff;
mod habits;
mod jvalue;
mod names;
mod scrubbed;
mod stats;
mod story;
mod tally;
mod text;
mod walk;

pub use diff::{Diff, Wish, diff};
pub use names::Names;
pub use scrubbed::scrubbed;
pub use stats::{stats, stats_json};
pub use text::{json, line, quoted};
pub use walk::is_in_the_jdk;
