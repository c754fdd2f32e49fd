//! A thread's status as agents are shown it.

use std::sync::atomic::Ordering;

use event_translate::thread_status;

use crate::base::config;
use crate::model::thread::Thread;

impl Thread {
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
