//! Plays a recording into an agent: a JVMPI host without a JVM.
//!
//! | file | job |
//! |---|---|
//! | [`script`] | a recording as what each thread has to do |
//! | [`player`] | who may go on; the record's answers to calls |
//! | [`play`] | one run: threads, events, the agent's functions |
//! | [`ffi`] | the tables that agents get, and events as they see them |
//!
//! # Order
//! The records of a recording are played one after the other, on as many threads as
//! there were: a thread waits before each event, each call and each end of one until all
//! before it have been played. An agent that does what it did gets the same answers in
//! the same order, every time. The same questions in another order get the same answers, too.
//! One that does something else gets the nearest answer that
//! there is, or JVMPI's failure value, and the difference is counted.
//!
//! A thread that waits for something else than its turn (a lock of the agent's own)
//! stops the others for half a second; then they go on without it.

mod ffi;
mod play;
mod player;
mod script;

pub use play::{Outcome, replay};

/// Ends the process as its `main` would: the agent's exit handlers run.
pub fn exit(code: i32) -> ! {
    ffi::process::exit(code)
}
