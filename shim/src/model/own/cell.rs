//! Data in a thread's record that only the thread itself touches
//! ([`with_cell`](crate::model::thread::current::with_cell)).
#![allow(unsafe_code, reason = "a cell without a lock, on the hottest path")]

use std::cell::{Cell, UnsafeCell};

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

    /// Calls `body` with it; `None` if the thread has it already.
    ///
    /// # Safety
    /// The calling thread is the owner.
    #[inline]
    pub(in crate::model) unsafe fn lend<O>(&self, body: impl FnOnce(&mut T) -> O) -> Option<O> {
        let _lent = Lent::take(&self.lent)?;
        // SAFETY: only the owner gets here, and not before it has given it back.
        Some(body(unsafe { &mut *self.value.get() }))
    }

    /// The same where not even a look whether it is lent can be afforded.
    ///
    /// # Safety
    /// The calling thread is the owner. The body calls nobody who might come to the same cell, and
    /// the caller is called by no body.
    #[inline(always)]
    pub(in crate::model) unsafe fn lend_unseen<O>(&self, body: impl FnOnce(&mut T) -> O) -> O {
        debug_assert!(!self.lent.get());
        // SAFETY: the caller's promise.
        body(unsafe { &mut *self.value.get() })
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

#[cfg(test)]
mod tests {
    use super::OwnCell;

    fn lend<T, O>(cell: &OwnCell<T>, body: impl FnOnce(&mut T) -> O) -> Option<O> {
        // SAFETY: each test has a cell of its own.
        unsafe { cell.lend(body) }
    }

    #[test]
    fn nobody_has_it_twice() {
        let cell = OwnCell::new(1);
        let inner = lend(&cell, |value| {
            *value = 2;
            lend(&cell, |_| ())
        });
        assert_eq!(inner, Some(None));
        assert_eq!(lend(&cell, |value| *value), Some(2));
    }

    #[test]
    fn a_panic_gives_it_back() {
        let cell = OwnCell::new(());
        let body = || lend(&cell, |()| panic!("inside"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err());
        assert!(lend(&cell, |()| ()).is_some());
    }
}
