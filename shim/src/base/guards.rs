//! State that undoes itself: set while a guard lives, also when a panic passes or a path
//! returns early.
//!
//! A panic is contained at the boundary to C. What it has left set would stay so for the rest
//! of the run: a thread that is silent for ever, a queue that nobody sends from.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::LocalKey;

/// A flag that one thread has at a time.
pub(crate) struct Turn<'a>(&'a AtomicBool);

impl<'a> Turn<'a> {
    /// `None` if somebody has it.
    pub(crate) fn take(flag: &'a AtomicBool) -> Option<Self> {
        // Made only then: one that is dropped gives it back.
        (!flag.swap(true, Ordering::SeqCst)).then(|| Self(flag))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// A flag of the calling thread, set.
pub(crate) struct Inside {
    flag: &'static LocalKey<Cell<bool>>,
    before: bool,
}

impl Inside {
    pub(crate) fn set(flag: &'static LocalKey<Cell<bool>>) -> Self {
        Self {
            flag,
            before: flag.replace(true),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // At the thread's end it may be gone.
        let _ = self.flag.try_with(|flag| flag.set(self.before));
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicBool;

    use super::{Inside, Turn};

    fn panics(body: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(body)).is_err());
    }

    #[test]
    fn a_panic_leaves_no_turn() {
        let flag = AtomicBool::new(false);
        panics(|| {
            let _turn = Turn::take(&flag);
            assert!(Turn::take(&flag).is_none());
            assert!(Turn::take(&flag).is_none());
            panic!("inside");
        });
        assert!(Turn::take(&flag).is_some());
    }

    #[test]
    fn a_panic_leaves_no_thread_inside() {
        thread_local! {
            static FLAG: Cell<bool> = const { Cell::new(false) };
        }
        panics(|| {
            let _inside = Inside::set(&FLAG);
            panic!("inside");
        });
        assert!(!FLAG.get());
    }
}
