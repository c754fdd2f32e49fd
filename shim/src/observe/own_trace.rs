//! The recorder of the calling thread, for the price of two instructions: as
//! [`crate::model::own_slot`], for the same reason.
//!
//! # Safety
//! The word is null or a box that this thread has made and nobody else knows. It is given
//! up at the thread's end, by a thread-local's destructor, and never made again then.
#![allow(unsafe_code, reason = "a thread-local word in assembler")]

#[cfg(not(target_arch = "x86_64"))]
use std::cell::Cell;

use crate::observe::recorder::Recorder;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".p2align 3",
    ".hidden jvmpi_trace_own",
    ".globl jvmpi_trace_own",
    ".type jvmpi_trace_own,@object",
    ".size jvmpi_trace_own, 8",
    "jvmpi_trace_own:",
    ".zero 8",
    ".text",
);

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn get() -> *mut Recorder {
    let recorder: *mut Recorder;
    // SAFETY: reads eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "mov {recorder}, qword ptr [rip + jvmpi_trace_own@GOTTPOFF]",
            "mov {recorder}, qword ptr fs:[{recorder}]",
            recorder = out(reg) recorder,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    recorder
}

#[cfg(target_arch = "x86_64")]
fn set(recorder: *mut Recorder) {
    // SAFETY: writes eight bytes of this thread's own.
    unsafe {
        std::arch::asm!(
            "mov {place}, qword ptr [rip + jvmpi_trace_own@GOTTPOFF]",
            "mov qword ptr fs:[{place}], {recorder}",
            place = out(reg) _,
            recorder = in(reg) recorder,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
thread_local! {
    static OWN: Cell<*mut Recorder> = const { Cell::new(std::ptr::null_mut()) };
}

#[cfg(not(target_arch = "x86_64"))]
fn get() -> *mut Recorder {
    OWN.get()
}

#[cfg(not(target_arch = "x86_64"))]
fn set(recorder: *mut Recorder) {
    OWN.set(recorder);
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
    // SAFETY: this thread's own, and the body does not come here again.
    body(unsafe { &mut *recorder });
}

#[cold]
fn begin(make: impl FnOnce() -> Recorder) -> *mut Recorder {
    if AT_END.try_with(|_| {}).is_err() {
        return std::ptr::null_mut();
    }
    let recorder = Box::into_raw(Box::new(make()));
    set(recorder);
    recorder
}
