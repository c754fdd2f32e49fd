//! Data in a thread's record that only the thread itself touches.
#![allow(unsafe_code, reason = "a cell without a lock, on the hottest path")]

use std::cell::{Cell, UnsafeCell};

use crate::model::current::{self, Mine};
use crate::model::thread::Thread;

/// A value that only its owner, the thread of the record it is part of, may reach.
#[derive(Debug, Default)]
pub(crate) struct OwnCell<T> {
    value: UnsafeCell<T>,
    /// Somebody has it: the owner itself, further up its stack.
    lent: Cell<bool>,
}

// SAFETY: access is given to one thread only.
unsafe impl<T: Send> Sync for OwnCell<T> {}

impl<T> OwnCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            value: UnsafeCell::new(value),
            lent: Cell::new(false),
        }
    }

    /// For the owner.
    #[inline]
    fn lend<O>(&self, body: impl FnOnce(&mut T) -> O) -> Option<O> {
        let _lent = Lent::take(&self.lent)?;
        // SAFETY: only the owner gets here, and not before it has given it back.
        Some(body(unsafe { &mut *self.value.get() }))
    }
}

/// Until it is dropped.
struct Lent<'a>(&'a Cell<bool>);

impl<'a> Lent<'a> {
    #[inline]
    fn take(lent: &'a Cell<bool>) -> Option<Self> {
        (!lent.replace(true)).then(|| Self(lent))
    }
}

impl Drop for Lent<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Calls `body` with the cell that `place` finds in the record, if that is the calling thread's
/// own; `None` also if the thread has the cell already.
#[inline]
pub(crate) fn with<T, O>(
    own: &Thread,
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> Option<O> {
    current::is(own).then(|| place(own).lend(body)).flatten()
}

/// The same for the calling thread's record, whichever it is.
#[inline]
pub(crate) fn with_own<T, O>(
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> Option<O> {
    current::with_own(|own| place(own).lend(body)).flatten()
}

/// The same where not even a look whether it is lent can be afforded.
///
/// # Safety
/// The body calls nobody who might come to the same cell: no agent, no VM. And the caller is called
/// by no body of these functions.
#[inline(always)]
pub(crate) unsafe fn with_mine<T, O>(
    own: Mine<'_>,
    place: impl FnOnce(&Thread) -> &OwnCell<T>,
    body: impl FnOnce(&mut T) -> O,
) -> O {
    let cell = place(own.thread());
    debug_assert!(!cell.lent.get());
    // SAFETY: the caller's promise; `Mine` is proof that it is the owner.
    body(unsafe { &mut *cell.value.get() })
}

#[cfg(test)]
mod tests {
    use super::OwnCell;

    #[test]
    fn nobody_has_it_twice() {
        let cell = OwnCell::new(1);
        let inner = cell.lend(|value| {
            *value = 2;
            cell.lend(|_| ())
        });
        assert_eq!(inner, Some(None));
        assert_eq!(cell.lend(|value| *value), Some(2));
    }

    #[test]
    fn a_panic_gives_it_back() {
        let cell = OwnCell::new(());
        let body = || cell.lend(|()| panic!("inside"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err());
        assert!(cell.lend(|()| ()).is_some());
    }
}
