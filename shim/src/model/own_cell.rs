//! Data in a thread's record that only the thread itself touches.
#![allow(unsafe_code, reason = "a cell without a lock, on the hottest path")]

use std::cell::UnsafeCell;

use crate::model::current::{self, Mine};
use crate::model::thread::Thread;

/// A value that only its owner, the thread of the record it is part of, may reach.
#[derive(Debug, Default)]
pub(crate) struct OwnCell<T>(UnsafeCell<T>);

// SAFETY: `with` gives access to one thread only.
unsafe impl<T: Send> Sync for OwnCell<T> {}

impl<T> OwnCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }
}

/// Calls `body` with the cell that `place` finds in the record, if that is the calling
/// thread's own. The body must neither call an agent nor come here again.
#[inline]
pub(crate) fn with<T, O>(
    own: &Thread,
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> Option<O> {
    if !current::is(own) {
        return None;
    }
    // SAFETY: no other thread gets here with this record, and the body does not come
    // here again: there is no second reference.
    let value = unsafe { &mut *place(own).0.get() };
    Some(body(value))
}

/// The same for a record that is known to be the calling thread's.
#[inline(always)]
pub(crate) fn with_mine<T, O>(
    own: Mine<'_>,
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> O {
    // SAFETY: as above; `Mine` is proof.
    let value = unsafe { &mut *place(own.thread()).0.get() };
    body(value)
}
