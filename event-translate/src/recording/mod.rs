//! Recordings: every event and every call of an agent, as `trace=FILE` writes them.
//!
//! # The file
//! [`HEADER_LEN`] bytes of [`Header`], then blocks ([`BlockHead`]), each at a multiple of
//! [`PAGE`] and each by one thread. A thread's blocks are numbered. Zeros between blocks are room
//! that nobody used.
//!
//! # Records
//! A tag, the clock's ticks since the thread's record before, and the values of
//! [`event_fields`], [`call_arguments`] or [`run_fields`]. What an event's handler or a
//! call has to show for it ([`event_results`], [`call_results`], [`run_results`]) follows
//! at once if nothing was recorded in between, and comes with a record of its own
//! otherwise. So records nest: calls in handlers, events in calls.
//!
//! # Order
//! Within a thread, that of the records; between threads, that of the clock. What a call
//! waits for has its own time at both ends.
//!
//! # Reading
//! ```no_run
//! # fn show(bytes: &[u8]) -> Result<(), event_translate::recording::Error> {
//! use event_translate::recording::{Recording, What};
//! let recording = Recording::read(bytes)?;
//! for item in recording.items() {
//!     if let What::Event { number, values, .. } = &item.what {
//!         println!("{} ns, thread {}: {number} {values:?}", item.nanos, item.thread);
//!     }
//! }
//! # Ok(()) }
//! ```

mod block;
mod bytes;
mod codec;
mod diff;
mod encoder;
mod fields;
mod habits;
mod header;
mod names;
mod other_arenas;
mod reader;
mod record;
mod stats;
mod text;
mod writer;

use std::fmt;

pub use block::{BLOCK_HEAD, BlockHead, seal};
pub use diff::{Diff, diff};
pub use encoder::{Encoder, Line, Open, Subject, block_for};
pub use fields::{
    Field, GET_ENV, Space, Type, Value, call_arguments, call_results, event_fields, event_results,
    run_fields, run_results,
};
pub use header::Header;
pub use names::Names;
pub use other_arenas::{HasArenas, at_arenas};
pub use reader::{Items, Recording, Records, Thread};
pub use record::{Item, What};
pub use stats::stats;
pub use text::{json, line};
pub use writer::Writer;

/// The first bytes of a recording.
pub const MAGIC: [u8; 16] = *b"\x89xrun trace\r\n\x1a\n\0";

/// Whether a file with these first bytes is a recording, also one that ended before it had a
/// header: its room is made first, of zeros.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    let head = head.get(..MAGIC.len()).unwrap_or_default();
    head == MAGIC || head == [0; MAGIC.len()]
}

/// The version of the format. Older ones are read:
///
/// | version | new in it |
/// |---|---|
/// | 1 | |
/// | 2 | the code of COMPILED_METHOD_LOAD |
pub const VERSION: u32 = 2;

/// Blocks begin at multiples of this, and are as long.
pub const PAGE: usize = 4096;

/// Bytes before the first block.
pub const HEADER_LEN: usize = 4 * PAGE;

/// The bit of requested events.
const REQUESTED: i32 = 0x1000_0000;

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It ends within its header.
    Empty,
    /// It is something else.
    Foreign,
    /// It was written by another version of the format.
    Version(u32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the file ends before its header does: nothing was recorded")
            }
            Self::Foreign => f.write_str("not a recording of xrun (trace=FILE)"),
            Self::Version(version) => write!(
                f,
                "a recording of format {version}; this xrun reads formats up to {VERSION}"
            ),
        }
    }
}

impl std::error::Error for Error {}
