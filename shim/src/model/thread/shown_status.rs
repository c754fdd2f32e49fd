//! A thread's status as agents are shown it, and what it waits for that is ours.

use std::sync::atomic::{AtomicI32, Ordering};

use event_translate::thread_status;

use crate::base::config;
use crate::model::thread::Thread;

impl Thread {
    /// On the thread itself: waits for something of ours. To the VM it is in native code, and
    /// samplers would see it run.
    pub(crate) fn resting<T>(&self, rest: impl FnOnce() -> T) -> T {
        self.with_raw_wait(thread_status::CONDVAR_WAIT, rest)
    }

    /// The same with JVMPI's status for a raw monitor.
    pub(crate) fn with_raw_wait<T>(&self, status: i32, rest: impl FnOnce() -> T) -> T {
        struct Waits<'a>(&'a AtomicI32);
        impl Drop for Waits<'_> {
            fn drop(&mut self) {
                // Relaxed: a status that says nothing of other words.
                self.0.store(0, Ordering::Relaxed);
            }
        }
        self.raw_wait.store(status, Ordering::Relaxed);
        let _waits = Waits(&self.raw_wait);
        rest()
    }

    /// The status the thread has because of a raw monitor.
    pub(crate) fn raw_wait(&self) -> Option<i32> {
        Some(self.raw_wait.load(Ordering::Relaxed)).filter(|&status| status != 0)
    }

    /// Its status, if to the VM it runs Java code (`state`: JVMTI's bits) but may wait inside
    /// the VM: only the kernel tells of that. One that has just been stopped and has not come
    /// to run again yet does not wait. Of a virtual thread, whose number in the kernel agents cannot
    /// know, the kernel is asked in native code, too.
    pub(crate) fn status_in_vm(&self, state: i32, status: i32) -> i32 {
        let carrier = self.carrier();
        let runs = carrier.as_deref().unwrap_or(self).native();
        let waits = || runs.waits() == Some(true);
        let again = || {
            std::thread::yield_now();
            waits()
        };
        let may_wait = thread_status::may_wait_in_vm(state)
            || carrier.is_some() && thread_status::may_wait_in_native(state);
        if may_wait && waits() && again() {
            thread_status::waiting_in_vm(status)
        } else {
            status
        }
    }

    /// Its status for the agent, which may believe to have suspended it.
    pub(crate) fn shown_status(&self, status: i32) -> i32 {
        let status = if self.is_unmounted() {
            thread_status::unmounted(status)
        } else {
            status
        };
        let status = if self.stopped_in_name.load(Ordering::Acquire) {
            status | thread_status::SUSPENDED
        } else {
            status
        };
        status & !config::options().host.row().missing_status
    }
}
