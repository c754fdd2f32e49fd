//! Takes a thread's stack into a buffer of ours.
#![allow(unsafe_code, reason = "frames that others fill in")]

use std::mem::MaybeUninit;
use std::slice;

use jvmpi_headers::jvmpi::JVMPI_CallFrame;

use crate::vm::env::{Frame, Jvmti, Result};
use crate::vm::method_ids_twice;
use crate::vm::refs::ThreadRef;

/// Stacks up to this depth need no memory from the heap (2 KiB of stack).
const SHALLOW: usize = 128;

/// Takes at most `depth` frames of `thread` and hands them to `use_frames`, callee first; once more if ids
/// of their methods may be none ([`method_ids_twice`]).
pub(crate) fn take<T>(
    jvmti: Jvmti,
    thread: ThreadRef<'_>,
    depth: usize,
    use_frames: impl FnOnce(&[Frame]) -> T,
) -> Result<T> {
    filled(
        depth,
        |buffer| {
            if jvmti.feature_version() < method_ids_twice::RIGHT_SINCE {
                method_ids_twice::take(buffer, |buffer| jvmti.stack_trace(thread, buffer))
            } else {
                jvmti.stack_trace(thread, buffer)
            }
        },
        use_frames,
    )
}

/// Hands the frames that `fill` puts into a buffer for `depth` of them to `use_frames`; it fills
/// in as many as it says, from the front.
pub(crate) fn filled<T, E>(
    depth: usize,
    fill: impl FnOnce(&mut [MaybeUninit<Frame>]) -> std::result::Result<usize, E>,
    use_frames: impl FnOnce(&[Frame]) -> T,
) -> std::result::Result<T, E> {
    let mut shallow = [const { MaybeUninit::<Frame>::uninit() }; SHALLOW];
    let mut deep = Vec::new();
    let buffer = match shallow.get_mut(..depth) {
        Some(enough) => enough,
        None => {
            deep.reserve_exact(depth);
            deep.spare_capacity_mut()
        }
    };
    let count = fill(buffer)?;
    // SAFETY: the first `count` frames of the buffer are filled in.
    let frames = unsafe { Frame::first_of(buffer, count) };
    Ok(use_frames(frames))
}

/// As many frames as `fill` says it has written, from the front.
pub(crate) fn collect(
    room: usize,
    fill: impl FnOnce(&mut [MaybeUninit<JVMPI_CallFrame>]) -> usize,
) -> Vec<JVMPI_CallFrame> {
    let blank = JVMPI_CallFrame {
        lineno: 0,
        method_id: std::ptr::null_mut(),
    };
    let mut frames = vec![blank; room];
    // SAFETY: the same memory; whoever fills it writes whole frames.
    let out = unsafe { slice::from_raw_parts_mut(frames.as_mut_ptr().cast(), room) };
    let count = fill(out);
    frames.truncate(count);
    frames
}
