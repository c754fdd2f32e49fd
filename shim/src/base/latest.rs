//! A value of the whole process that is read all the time and replaced hardly ever.
//!
//! What was replaced stays in memory for ever, because others may still be reading it: so
//! a reader needs no lock. It is for values that change a few times in a process's life.
#![allow(unsafe_code, reason = "a pointer that several threads exchange")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The value that was put last.
pub(crate) struct Latest<T: 'static>(AtomicPtr<T>);

impl<T: Sync> Latest<T> {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        let place = self.0.load(Ordering::Acquire);
        // SAFETY: null, or a box of `put`'s that is leaked and that nobody writes to.
        unsafe { place.as_ref() }
    }

    /// Puts a value in, or takes it out.
    pub(crate) fn put(&self, value: Option<T>) {
        let place = value.map_or(ptr::null_mut(), |value| Box::into_raw(Box::new(value)));
        self.0.store(place, Ordering::Release);
    }
}
