//! Takes a thread's stack into a buffer of ours.
#![allow(unsafe_code, reason = "frames that GetStackTrace has filled in")]

use std::mem::MaybeUninit;
use std::slice;

use jvmpi_headers::jni::jobject;

use crate::jvmti::env::{Frame, Jvmti, Result};

/// Stacks up to this depth need no memory from the heap (2 KiB of stack).
const SHALLOW: usize = 128;

/// Takes at most `depth` frames of `thread` (null: the current one) and hands
/// them to `use_frames`, callee first.
pub(crate) fn take<T>(
    jvmti: Jvmti,
    thread: jobject,
    depth: usize,
    use_frames: impl FnOnce(&[Frame]) -> T,
) -> Result<T> {
    let mut shallow = [const { MaybeUninit::<Frame>::uninit() }; SHALLOW];
    let mut deep = Vec::new();
    let buffer = match shallow.get_mut(..depth) {
        Some(enough) => enough,
        None => {
            deep.reserve_exact(depth);
            deep.spare_capacity_mut()
        }
    };
    let count = jvmti.stack_trace(thread, buffer)?;
    // SAFETY: the VM has filled in the first `count` frames of the buffer.
    let frames = unsafe { slice::from_raw_parts(buffer.as_ptr().cast::<Frame>(), count) };
    Ok(use_frames(frames))
}
