//! How the record of a thread holds its `java.lang.Thread`.
//!
//! # Threads
//! Any. The lock is held for a few instructions, never across a call of JNI.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::vm::refs::{Global, ObjectRef, Weak};

/// That of a platform thread, which can be let go of while others use it: when the agent is
/// detached, the program keeps its threads, and nothing of ours may keep them any longer.
#[derive(Debug)]
pub(super) struct StrongObject {
    /// It was, or is not to be any more.
    is_set: AtomicBool,
    held: Mutex<Option<Arc<Global>>>,
}

impl StrongObject {
    pub(super) const fn new() -> Self {
        Self {
            is_set: AtomicBool::new(false),
            held: Mutex::new(None),
        }
    }

    /// Sets it to what `make` makes, unless it is or was.
    pub(super) fn set(&self, make: impl FnOnce() -> Option<Global>) {
        if self.is_set.load(Ordering::Acquire) {
            return;
        }
        let Some(made) = make().map(Arc::new) else {
            return;
        };
        let mut held = self.held.lock();
        let late = if self.is_set.swap(true, Ordering::AcqRel) {
            Some(made)
        } else {
            held.replace(made)
        };
        // The reference is deleted by JNI.
        drop(held);
        drop(late);
    }

    pub(super) fn get(&self) -> Option<Arc<Global>> {
        self.held.lock().clone()
    }

    /// Nobody gets it any more. The reference goes with whoever has it still.
    pub(super) fn let_go(&self) {
        let mut held = self.held.lock();
        self.is_set.store(true, Ordering::Release);
        let last = held.take();
        // The reference is deleted by JNI.
        drop(held);
        drop(last);
    }
}

/// A thread's object, which is there as long as this is; of a virtual thread, if it was not
/// collected.
pub(crate) enum HeldObject<'a> {
    Strong(Arc<Global>),
    /// One that is parked and that nobody can reach may be collected.
    Weak(&'a Weak),
}

impl HeldObject<'_> {
    pub(crate) fn get(&self) -> ObjectRef<'_> {
        match self {
            Self::Strong(global) => global.get(),
            Self::Weak(weak) => weak.get(),
        }
    }
}
