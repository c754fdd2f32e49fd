//! Memory that JVMTI allocated for us, given back when dropped.
#![allow(unsafe_code, reason = "memory owned by JVMTI's allocator")]

use std::ffi::{CStr, c_char};
use std::ptr::NonNull;
use std::slice;

use crate::vm::jvmti::Jvmti;

/// A C string in modified UTF-8.
pub(crate) struct Text {
    jvmti: Jvmti,
    start: NonNull<c_char>,
}

impl Text {
    pub(crate) fn new(jvmti: Jvmti, start: *mut c_char) -> Option<Self> {
        Some(Self {
            jvmti,
            start: NonNull::new(start)?,
        })
    }

    /// For an event's field; valid while the text lives.
    pub(crate) fn as_ptr(&self) -> *mut c_char {
        self.start.as_ptr()
    }

    pub(crate) fn as_c_str(&self) -> &CStr {
        // SAFETY: JVMTI ends its strings with NUL and they are ours until dropped.
        unsafe { CStr::from_ptr(self.start.as_ptr()) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.as_c_str().to_bytes()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.jvmti.deallocate(self.start.as_ptr().cast());
    }
}

/// An array of plain values.
pub(crate) struct Array<T> {
    jvmti: Jvmti,
    start: *mut T,
    len: usize,
}

impl<T> Array<T> {
    pub(crate) fn new(jvmti: Jvmti, start: *mut T, count: i32) -> Self {
        let len = if start.is_null() {
            0
        } else {
            usize::try_from(count).unwrap_or(0)
        };
        Self { jvmti, start, len }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: JVMTI allocated and filled `len` values, ours until dropped.
        unsafe { slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        if !self.start.is_null() {
            self.jvmti.deallocate(self.start.cast());
        }
    }
}
