//! What the VM tells of threads and the monitors they are in; in [`locked`], how that is found out for a VM that does not
//! say it any more.
#![allow(
    unsafe_code,
    reason = "the JVMTI function table, and arrays it has filled in"
)]

pub(crate) mod locked;

use std::slice;

use jvmpi_headers::jvmti as sys;

use crate::vm::env::{Frame, Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};
use crate::vm::heap::private_tags::PrivateTags;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::memory::Array;
use crate::vm::refs::{Local, ObjectRef};

/// Who is in a monitor.
pub(crate) struct Usage {
    pub(crate) owner: Option<Local>,
    pub(crate) entry_count: u32,
    /// Who waits to enter, or to be notified; some VMs mix the two.
    pub(crate) waiters: Vec<Local>,
}

impl Jvmti {
    /// State and stack of each of these threads, at one moment: `use_stack` is called with
    /// their index. One that has ended has state 0.
    pub(crate) fn stacks(
        self,
        threads: &[ObjectRef<'_>],
        depth: i32,
        mut use_stack: impl FnMut(usize, i32, &[Frame]),
    ) -> Result<()> {
        let count = i32::try_from(threads.len()).unwrap_or(i32::MAX);
        let mut stacks = std::ptr::null_mut();
        invoke!(self.GetThreadListStackTraces(
            count,
            threads.as_ptr().cast(),
            depth,
            &raw mut stacks
        ))?;
        // The frames lie behind it in the same piece of memory.
        let stacks: Array<sys::jvmtiStackInfo> = Array::new(self, stacks, count);
        for (index, stack) in stacks.as_slice().iter().enumerate() {
            let count = usize::try_from(stack.frame_count).unwrap_or(0);
            let frames = if count == 0 {
                &[]
            } else {
                // SAFETY: the VM has filled in that many; `Frame` is its own type.
                unsafe { slice::from_raw_parts(stack.frame_buffer.cast::<Frame>(), count) }
            };
            use_stack(index, stack.state, frames);
        }
        Ok(())
    }

    /// The objects whose monitors the thread owns.
    pub(crate) fn owned_monitors(self, jni: Jni, thread: ObjectRef<'_>) -> Result<Vec<Local>> {
        let (mut count, mut objects) = (0, std::ptr::null_mut());
        invoke!(self.GetOwnedMonitorInfo(thread.to_jni(), &raw mut count, &raw mut objects))?;
        Ok(Local::adopt_all(jni, &Array::new(self, objects, count)))
    }

    /// Whether [`Jvmti::owned_monitors`] is not for virtual threads but the calling one: the VM makes
    /// the references for the carrier, as JDK 21 does.
    pub(crate) fn gives_monitors_to_carriers(self) -> bool {
        const MAKES_THEM_FOR_THE_CALLER: i32 = 25;
        self.feature_version() < MAKES_THEM_FOR_THE_CALLER
    }

    /// In place of it, of a thread that stands still: the carrier's references are gone as soon as
    /// it runs on.
    pub(crate) fn monitors_given_to_carrier(
        self,
        jni: Jni,
        thread: ObjectRef<'_>,
    ) -> Result<Vec<Local>> {
        let (mut count, mut objects) = (0, std::ptr::null_mut());
        invoke!(self.GetOwnedMonitorInfo(thread.to_jni(), &raw mut count, &raw mut objects))?;
        let foreign = Array::new(self, objects, count);
        if foreign.as_slice().is_empty() {
            return Ok(Vec::new());
        }
        let tags = PrivateTags::begin().ok_or(JvmtiError {
            call: "AddCapabilities",
            code: NOT_AVAILABLE,
        })?;
        tags.own_references(jni, &foreign)
    }

    /// The object whose monitor the thread waits to enter, or on.
    pub(crate) fn contended_monitor(
        self,
        jni: Jni,
        thread: ObjectRef<'_>,
    ) -> Result<Option<Local>> {
        let mut object = std::ptr::null_mut();
        invoke!(self.GetCurrentContendedMonitor(thread.to_jni(), &raw mut object))?;
        Ok(Local::adopt(jni, object))
    }

    /// The method's code as it runs.
    pub(crate) fn bytecodes(self, method: MethodId) -> Result<Array<u8>> {
        let (mut count, mut bytes) = (0, std::ptr::null_mut());
        invoke!(self.GetBytecodes(method.to_jni(), &raw mut count, &raw mut bytes))?;
        Ok(Array::new(self, bytes, count))
    }

    /// Who is in the monitor. Stops the program for a moment.
    pub(crate) fn monitor_usage(self, jni: Jni, object: ObjectRef<'_>) -> Result<Usage> {
        // SAFETY: plain data that the call fills in.
        let mut usage: sys::jvmtiMonitorUsage = unsafe { std::mem::zeroed() };
        invoke!(self.GetObjectMonitorUsage(object.to_jni(), &raw mut usage))?;
        let mut waiters =
            Local::adopt_all(jni, &Array::new(self, usage.waiters, usage.waiter_count));
        let notified = Array::new(self, usage.notify_waiters, usage.notify_waiter_count);
        waiters.extend(Local::adopt_all(jni, &notified));
        Ok(Usage {
            owner: Local::adopt(jni, usage.owner),
            entry_count: u32::try_from(usage.entry_count).unwrap_or(0),
            waiters,
        })
    }
}
