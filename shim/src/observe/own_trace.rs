//! The recorder of the calling thread, for the price of two instructions
//! ([`crate::os::own_words`]).
//!
//! # Safety
//! The word is null or a box that this thread has made and nobody else knows. It is given
//! up at the thread's end, by a thread-local's destructor, and never made again then.
#![allow(unsafe_code, reason = "a box that a word of the thread holds")]

use std::sync::Once;

use crate::base::log;
use crate::observe::recorder::Recorder;
use crate::os::children;
use crate::os::own_words::{self, RECORDER};

#[inline(always)]
fn get() -> *mut Recorder {
    own_words::get::<RECORDER>().cast()
}

fn set(recorder: *mut Recorder) {
    own_words::set::<RECORDER>(recorder.cast());
}

/// Ends the recorder with its thread.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        let recorder = get();
        set(std::ptr::null_mut());
        if !recorder.is_null() {
            // SAFETY: made by `begin` on this thread, and taken out just now.
            drop(unsafe { Box::from_raw(recorder) });
        }
    }
}

thread_local! {
    static AT_END: AtEnd = const { AtEnd };
}

/// Lets children that are forked begin without the recorder of their one thread: its block is the
/// parent's. It is never freed there, for the thread may have been at work with it.
fn forget_in_children() {
    extern "C" fn forget() {
        set(std::ptr::null_mut());
    }
    if !children::at_fork(forget) {
        log::warning!("no memory: a child that the agent forks may disturb the recording");
    }
}

/// Calls `body` with the calling thread's recorder, which `make` makes; not if the thread
/// is at its very end. The body does not come here again.
#[inline]
pub(crate) fn with(make: impl FnOnce() -> Recorder, body: impl FnOnce(&mut Recorder)) {
    let mut recorder = get();
    if recorder.is_null() {
        recorder = begin(make);
        if recorder.is_null() {
            return;
        }
    }
    // SAFETY: this thread's own.
    let busy = unsafe { &raw mut (*recorder).busy };
    // SAFETY: as above.
    if unsafe { busy.replace(true) } {
        // A signal handler of an agent's calls while this thread is at work here.
        return;
    }
    let _rest = Rest(busy);
    // SAFETY: as above, and nobody else is at work with it.
    body(unsafe { &mut *recorder });
}

/// Nobody is at work with the recorder any more, after a panic either.
struct Rest(*mut bool);

impl Drop for Rest {
    fn drop(&mut self) {
        // SAFETY: the calling thread's, which `with` has made it from.
        unsafe { self.0.write(false) };
    }
}

#[cold]
fn begin(make: impl FnOnce() -> Recorder) -> *mut Recorder {
    if AT_END.try_with(|_| {}).is_err() {
        return std::ptr::null_mut();
    }
    static ASKED: Once = Once::new();
    ASKED.call_once(forget_in_children);
    let recorder = Box::into_raw(Box::new(make()));
    set(recorder);
    recorder
}
