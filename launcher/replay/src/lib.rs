//! Plays a recording into an agent: a JVMPI host without a JVM.
//!
//! | file | job |
//! |---|---|
//! | [`script`] | what is known of a recording before it is played |
//! | [`lane`] | the records of one thread, as they are needed |
//! | [`turns`] | whose turn it is, and when that is not waited for |
//! | [`place`] | where the calling thread is |
//! | [`player`] | who may go on; events; the record's answers to calls |
//! | [`answers`] | answers from another place of the recording |
//! | [`at_arenas`] | the records as another collector would have made them |
//! | [`other_arenas`] | the recording of these, as a file |
//! | [`aside`] | a terminal, for what the agent writes and for lines of ours |
//! | [`play`] | one run: threads, events, the agent's functions |
//! | [`ffi`] | what is asked of the system |
//!
//! # Order
//! The records of a recording are played one after the other, on as many threads as
//! there were: a thread waits before each event, each call and each end of one until all
//! before it have been played. An agent that does what it did gets the same answers in
//! the same order, every time. The same questions in another order get the same answers, too.
//! One that does something else gets the nearest answer that
//! there is, or JVMPI's failure value, and the difference is counted.
//!
//! A thread that waits for something else than its turn stops the others. If that is another
//! thread (a lock of the agent's own) and none goes on by itself, they go on without it at
//! once. If it is anything else (it computes, sleeps, reads), they wait as long as it took in
//! the recording, and twice as long, and ten seconds more.
//!
//! Between two records of a thread lies the agent's own code, which may take a lock that nobody records. What it does
//! with an answer it does before the records behind that answer are played, if it needs no longer for it than
//! the recording has between them, or some ms of its own time.
//!
//! # Memory
//! The recording is mapped, walked over once, and then read record by record. What is kept is
//! for each thread what lies between the record that it plays and the last that it looked at.

mod answers;
mod aside;
mod at_arenas;
mod ffi;
mod lane;
mod other_arenas;
mod place;
mod play;
mod player;
mod script;
mod turns;

pub use aside::Terminal;
pub use play::{DIFFERENCES, Difference, NOT_REACHED, Outcome, replay};

use recording_file::RecordingFile;
use recording_format::Recording;

/// The recording in a file; it stays for as long as the process lives.
///
/// # Errors
/// One line, if the file cannot be read, or is no recording.
pub fn open(file: std::fs::File) -> Result<Recording<'static>, String> {
    let file = RecordingFile::new(file).map_err(|error| error.to_string())?;
    // Threads of an agent may outlive everything.
    let file: &'static RecordingFile = Box::leak(Box::new(file));
    file.recording().map_err(|error| error.to_string())
}

/// Ends the process as its `main` would: the agent's exit handlers run.
pub fn exit(code: i32) -> ! {
    ffi::process::exit(code)
}
