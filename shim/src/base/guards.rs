//! State that undoes itself: set while a guard lives, also when a panic passes or a path
//! returns early.
//!
//! A panic is contained at the boundary to C. What it has left set would stay so for the rest
//! of the run: a thread that is silent for ever, a queue that nobody sends from.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::LocalKey;

use crate::model::current;
use crate::model::thread::Thread;
use crate::vm::hotspot::pending_exception;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;

/// Bits of [`crate::model::thread::attention`] that are set on a thread.
pub(crate) struct Attention<'a> {
    thread: &'a Thread,
    /// Those that were not set before.
    bits: u32,
}

impl<'a> Attention<'a> {
    /// On the calling thread, whose record is `own`.
    pub(crate) fn set(own: &'a Thread, bits: u32) -> Self {
        let before = own.set_attention(bits);
        Self {
            thread: own,
            bits: bits & !before,
        }
    }
}

impl Drop for Attention<'_> {
    fn drop(&mut self) {
        self.thread.clear_attention(self.bits);
    }
}

/// Runs `body` while these bits of [`crate::model::thread::attention`] are set on the calling thread.
pub(crate) fn with_attention<T>(bits: u32, body: impl FnOnce() -> T) -> T {
    let own: Option<Arc<Thread>> = current::own();
    let _set = own.as_deref().map(|own| Attention::set(own, bits));
    body()
}

/// The pending exception of the calling thread, put aside: the program's. What is pending when
/// this is dropped is ours or an agent's, and dropped first.
pub(crate) struct ExceptionAside {
    jni: Jni,
    thrown: Option<Local>,
}

impl ExceptionAside {
    pub(crate) fn put(jni: Jni) -> Self {
        Self {
            jni,
            thrown: take(jni),
        }
    }
}

impl Drop for ExceptionAside {
    fn drop(&mut self) {
        drop(take(self.jni));
        self.jni.rethrow(self.thrown.take());
    }
}

fn take(jni: Jni) -> Option<Local> {
    pending_exception::is_there(jni)
        .then(|| jni.take_exception())
        .flatten()
}

/// A flag that one thread has at a time.
pub(crate) struct Turn<'a>(&'a AtomicBool);

impl<'a> Turn<'a> {
    /// `None` if somebody has it.
    pub(crate) fn take(flag: &'a AtomicBool) -> Option<Self> {
        (!flag.swap(true, Ordering::SeqCst)).then_some(Self(flag))
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

    use super::{Attention, ExceptionAside, Inside, Turn};
    use crate::model::thread::{Thread, attention};
    use crate::vm::fake_jni;

    fn panics(body: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(body)).is_err());
    }

    #[test]
    fn a_panic_leaves_no_attention() {
        let thread = Thread::new(16);
        thread.set_attention(attention::REWRITING);
        let before = thread.attention();
        panics(|| {
            let _set = Attention::set(&thread, attention::SILENT | attention::REWRITING);
            assert_eq!(thread.attention(), before | attention::SILENT);
            panic!("inside");
        });
        // What somebody further out has set stays his.
        assert_eq!(thread.attention(), before);
    }

    #[test]
    fn a_panic_leaves_no_turn() {
        let flag = AtomicBool::new(false);
        panics(|| {
            let _turn = Turn::take(&flag);
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

    #[test]
    fn the_programs_exception_comes_back() {
        const PROGRAMS: usize = 1;
        const AGENTS: usize = 2;
        fake_jni::with(|jni| {
            fake_jni::throw(PROGRAMS);
            panics(|| {
                let _aside = ExceptionAside::put(jni);
                assert_eq!(fake_jni::pending(), 0);
                fake_jni::throw(AGENTS);
                panic!("inside");
            });
            assert_eq!(fake_jni::pending(), PROGRAMS);
            fake_jni::throw(0);
            let aside = ExceptionAside::put(jni);
            fake_jni::throw(AGENTS);
            drop(aside);
            assert_eq!(fake_jni::pending(), 0);
        });
    }
}
