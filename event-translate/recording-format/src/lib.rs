//! Recordings: every event and every call of an agent, as `trace=FILE` writes them.
//!
//! # The file
//! [`HEADER_LEN`] bytes of [`Header`], then blocks ([`BlockHead`]), each at a multiple of
//! [`PAGE`] and each by one thread. A thread's blocks are numbered. Zeros between blocks are room
//! that nobody used.
//!
//! # Records
//! A tag and the values of [`event_fields`], [`call_arguments`] or [`run_fields`]; the clock's ticks
//! since the thread's record before lie apart. What an event's handler or a
//! call has to show for it ([`event_results`], [`call_results`], [`run_results`]) follows
//! at once if nothing was recorded in between, and comes with a record of its own
//! otherwise. So records nest: calls in handlers, events in calls.
//!
//! # Order
//! Within a thread, that of the records; between threads, that of the clock. What a call
//! waits for has its own time at both ends. Methods and objects, which come by the million, have
//! theirs in steps of some ticks ([`BlockHead::step`]), never later than they were.
//!
//! # Reading
//! ```no_run
//! # fn show(bytes: &[u8]) -> Result<(), recording_format::Error> {
//! use recording_format::{Recording, What};
//! let recording = Recording::read(bytes)?;
//! for item in recording.items() {
//!     if let What::Event { number, values, .. } = &item.what {
//!         println!("{} ns, thread {}: {number} {values:?}", item.nanos, item.thread);
//!     }
//! }
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod block;
mod bytes;
mod codec;
pub mod command_line;
mod encoder;
mod fields;
mod header;
pub mod jvmti;
mod layout;
mod packed;
mod reader;
mod recent;
mod record;
mod subject;
mod times;
mod writer;

pub use block::{BLOCK_HEAD, BlockHead};
pub use bytes::checksum;
pub use codec::{read_values, write_values};
pub use encoder::{Encoder, Line, Open, block_for};
pub use fields::{
    Field, GET_ENV, Space, Type, Value, call_arguments, call_results, event_fields, event_results,
    run_fields, run_results,
};
pub use header::Header;
pub use layout::{Error, HEADER_LEN, MAGIC, PAGE, VERSION, is_one};
pub use reader::{Items, NO_END, Recording, Records, Source, Thread};
pub use record::{Item, What};
pub use subject::Subject;
pub use writer::Writer;
