//! The JVMTI functions the shim uses, one method each.
//!
//! Phase and thread rules are JVMTI's: a call at the wrong time gives an error. What HotSpot
//! follows without a look: method ids that are none (up to JDK 25), and classes that another
//! thread is linking, in RetransformClasses (21). What it tells of classes is in [`super::classes`], of monitors in
//! [`super::monitors`].
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::ffi::{c_char, c_void};
use std::ptr::{self, NonNull};

use event_translate::needs::VmEvent;
use jvmpi_headers::jni::{JavaVM, jobject};
use jvmpi_headers::jvmti as sys;

use crate::vm::event_numbers::number;
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::memory::{Array, Text};
use crate::vm::refs::Local;
use crate::vm::this_vm::{self, Phase};

/// A JVMTI call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JvmtiError {
    pub(crate) call: &'static str,
    pub(crate) code: i32,
}

impl std::fmt::Display for JvmtiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JVMTI {} gave error {}", self.call, self.code)
    }
}

impl JvmtiError {
    /// The VM ends: nothing will come any more, and nobody has to be told.
    pub(crate) fn is_too_late(self) -> bool {
        const WRONG_PHASE: i32 = 112;
        self.code == WRONG_PHASE && this_vm::phase() != Phase::Loading
    }

    /// The thread or the class has ended meanwhile: no reason for a warning.
    pub(crate) fn is_gone(self) -> bool {
        const THREAD_NOT_ALIVE: i32 = 15;
        const INVALID_THREAD: i32 = 10;
        const WRONG_PHASE: i32 = 112;
        // The VM may be ending under a call that we have begun before VMDeath.
        let ended = self.code == WRONG_PHASE && this_vm::phase() > Phase::Loading;
        ended || matches!(self.code, THREAD_NOT_ALIVE | INVALID_THREAD)
    }

    pub(crate) const CLASS_NOT_PREPARED: i32 = 22;
    pub(crate) const THREAD_SUSPENDED: i32 = 14;
    pub(crate) const THREAD_NOT_SUSPENDED: i32 = 13;
}

pub(crate) type Result<T> = std::result::Result<T, JvmtiError>;

/// Our JVMTI environment.
#[derive(Clone, Copy)]
pub(crate) struct Jvmti(pub(crate) NonNull<sys::jvmtiEnv>);

// SAFETY: JVMTI environments are usable from every thread (specification, "Environments").
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

macro_rules! invoke {
    ($self:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the environment is valid while the VM lives (module doc).
        let table = unsafe { *$self.0.as_ptr() };
        // SAFETY: as above.
        match unsafe { (*table).$name } {
            // SAFETY: JVMTI checks its arguments; ours are as the module doc says.
            Some(function) => match unsafe { function($self.0.as_ptr(), $($argument),*) } {
                0 => Ok(()),
                code => Err(JvmtiError { call: stringify!($name), code: code as i32 }),
            },
            None => Err(JvmtiError { call: stringify!($name), code: NOT_AVAILABLE }),
        }
    }};
}
pub(crate) use invoke;

pub(crate) const NOT_AVAILABLE: i32 = 98;

/// One frame as the VM gives it: method and bytecode index (-1 in native code).
///
/// The method is a number here: it is compared, never dereferenced (on JDK 26 it
/// is a small integer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) method: usize,
    pub(crate) location: i64,
}

// The VM fills these in as its own type.
const _: () = {
    assert!(size_of::<Frame>() == size_of::<sys::jvmtiFrameInfo>());
    assert!(
        std::mem::offset_of!(Frame, location)
            == std::mem::offset_of!(sys::jvmtiFrameInfo, location)
    );
};

impl Jvmti {
    pub(crate) const VERSION: i32 = 0x3001_0200;

    /// Asks the VM for an environment of our own; `None` when the phase forbids it.
    pub(crate) fn create(vm: *mut JavaVM) -> Option<Self> {
        let environment = java_vm::vms_own_get_env(vm, Self::VERSION)?;
        Some(Self(environment.cast()))
    }

    /// Gives the environment back, with its capabilities and events. Nobody may use it any more.
    pub(crate) fn dispose(self) {
        // There is nothing to do if the VM refuses.
        let _ = invoke!(self.DisposeEnvironment());
    }

    pub(crate) fn phase(self) -> Result<u32> {
        let mut phase = 0;
        invoke!(self.GetPhase(&raw mut phase))?;
        Ok(phase)
    }

    /// Switches one of the VM's events on or off for all threads.
    pub(crate) fn set_event(self, event: VmEvent, on: bool) -> Result<()> {
        let mode = if on {
            sys::JVMTI_ENABLE
        } else {
            sys::JVMTI_DISABLE
        };
        // SAFETY: see the module doc; the variadic part is unused.
        let table = unsafe { *self.0.as_ptr() };
        // SAFETY: as above.
        let Some(function) = (unsafe { (*table).SetEventNotificationMode }) else {
            return Err(JvmtiError {
                call: "SetEventNotificationMode",
                code: NOT_AVAILABLE,
            });
        };
        // SAFETY: as above; a null thread means all threads.
        match unsafe { function(self.0.as_ptr(), mode, number(event), ptr::null_mut()) } {
            0 => Ok(()),
            code => Err(JvmtiError {
                call: "SetEventNotificationMode",
                code: code as i32,
            }),
        }
    }

    /// Has the VM send the event for what is there already, on this thread.
    pub(crate) fn generate_events(self, event: VmEvent) -> Result<()> {
        invoke!(self.GenerateEvents(number(event)))
    }

    pub(crate) fn set_callbacks(self, callbacks: &sys::jvmtiEventCallbacks) -> Result<()> {
        let size = i32::try_from(size_of::<sys::jvmtiEventCallbacks>()).unwrap_or(0);
        invoke!(self.SetEventCallbacks(ptr::from_ref(callbacks), size))
    }

    pub(crate) fn allocate(self, bytes: usize) -> Result<NonNull<u8>> {
        let mut memory = ptr::null_mut();
        invoke!(self.Allocate(i64::try_from(bytes).unwrap_or(i64::MAX), &raw mut memory))?;
        NonNull::new(memory).ok_or(JvmtiError {
            call: "Allocate",
            code: 110,
        })
    }

    pub(crate) fn deallocate(self, memory: *mut u8) {
        // Freeing cannot usefully fail.
        let _ = invoke!(self.Deallocate(memory));
    }

    pub(crate) fn system_property(self, name: &std::ffi::CStr) -> Option<Text> {
        let mut value: *mut c_char = ptr::null_mut();
        invoke!(self.GetSystemProperty(name.as_ptr(), &raw mut value)).ok()?;
        Text::new(self, value)
    }

    // ---- objects and tags -------------------------------------------------

    pub(crate) fn tag(self, object: jobject) -> Result<u64> {
        let mut tag = 0;
        invoke!(self.GetTag(object, &raw mut tag))?;
        Ok(tag.cast_unsigned())
    }

    pub(crate) fn set_tag(self, object: jobject, tag: u64) -> Result<()> {
        invoke!(self.SetTag(object, tag.cast_signed()))
    }

    pub(crate) fn hash_code(self, object: jobject) -> Result<i32> {
        let mut hash = 0;
        invoke!(self.GetObjectHashCode(object, &raw mut hash))?;
        Ok(hash)
    }

    /// Bytes, header included.
    pub(crate) fn object_size(self, object: jobject) -> Result<u32> {
        let mut size = 0;
        invoke!(self.GetObjectSize(object, &raw mut size))?;
        Ok(u32::try_from(size).unwrap_or(u32::MAX >> 1))
    }

    /// The object with this tag. Looks at every tagged object: the last resort.
    pub(crate) fn object_with_tag(self, jni: Jni, tag: u64) -> Option<Local> {
        let tags = [tag.cast_signed()];
        let (mut count, mut objects) = (0, ptr::null_mut());
        invoke!(self.GetObjectsWithTags(
            1,
            tags.as_ptr(),
            &raw mut count,
            &raw mut objects,
            ptr::null_mut()
        ))
        .ok()?;
        let found = Array::new(self, objects, count);
        // One that bears its tag twice is found twice.
        let mut found = found
            .as_slice()
            .iter()
            .filter_map(|&object| Local::adopt(jni, object));
        let first = found.next();
        found.for_each(drop);
        first
    }

    /// The objects with these tags, each with its tag. Looks at every tagged object.
    pub(crate) fn objects_with_tags(self, jni: Jni, tags: &[u64]) -> Result<Vec<(Local, u64)>> {
        let asked: Vec<i64> = tags.iter().map(|tag| tag.cast_signed()).collect();
        let count = i32::try_from(asked.len()).unwrap_or(0);
        let (mut found, mut objects, mut their_tags) = (0, ptr::null_mut(), ptr::null_mut());
        invoke!(self.GetObjectsWithTags(
            count,
            asked.as_ptr(),
            &raw mut found,
            &raw mut objects,
            &raw mut their_tags
        ))?;
        let objects = Array::new(self, objects, found);
        let their_tags: Array<i64> = Array::new(self, their_tags, found);
        let pairs = objects.as_slice().iter().zip(their_tags.as_slice());
        Ok(pairs
            .filter_map(|(&object, tag)| Some((Local::adopt(jni, object)?, tag.cast_unsigned())))
            .collect())
    }

    /// How many bytes lie between two sampled allocations: with 0 each is reported.
    pub(crate) fn set_sampling_interval(self, bytes: i32) -> Result<()> {
        invoke!(self.SetHeapSamplingInterval(bytes))
    }

    // ---- threads ----------------------------------------------------------

    pub(crate) fn all_threads(self) -> Result<Array<jobject>> {
        let (mut count, mut threads) = (0, ptr::null_mut());
        invoke!(self.GetAllThreads(&raw mut count, &raw mut threads))?;
        Ok(Array::new(self, threads, count))
    }

    /// The thread's name and its group (a local reference, null once it ended).
    pub(crate) fn thread_info(self, thread: jobject) -> Result<(Option<Text>, jobject, jobject)> {
        // SAFETY: plain data that the call fills in.
        let mut info: sys::jvmtiThreadInfo = unsafe { std::mem::zeroed() };
        invoke!(self.GetThreadInfo(thread, &raw mut info))?;
        Ok((
            Text::new(self, info.name),
            info.thread_group,
            info.context_class_loader,
        ))
    }

    /// The group's parent (a local reference or null) and its name.
    pub(crate) fn group_info(self, group: jobject) -> Result<(jobject, Option<Text>)> {
        // SAFETY: plain data that the call fills in.
        let mut info: sys::jvmtiThreadGroupInfo = unsafe { std::mem::zeroed() };
        invoke!(self.GetThreadGroupInfo(group, &raw mut info))?;
        Ok((info.parent, Text::new(self, info.name)))
    }

    pub(crate) fn top_thread_groups(self) -> Result<Array<jobject>> {
        let (mut count, mut groups) = (0, ptr::null_mut());
        invoke!(self.GetTopThreadGroups(&raw mut count, &raw mut groups))?;
        Ok(Array::new(self, groups, count))
    }

    pub(crate) fn thread_state(self, thread: jobject) -> Result<i32> {
        let mut state = 0;
        invoke!(self.GetThreadState(thread, &raw mut state))?;
        Ok(state)
    }

    pub(crate) fn thread_cpu_time(self, thread: jobject) -> Result<i64> {
        let mut nanos = 0;
        invoke!(self.GetThreadCpuTime(thread, &raw mut nanos))?;
        Ok(nanos)
    }

    pub(crate) fn suspend(self, thread: jobject) -> Result<()> {
        invoke!(self.SuspendThread(thread))
    }

    pub(crate) fn resume(self, thread: jobject) -> Result<()> {
        invoke!(self.ResumeThread(thread))
    }

    /// Suspends many at once; the codes are per thread, in order.
    pub(crate) fn suspend_list(self, threads: &[jobject]) -> Result<Vec<i32>> {
        let mut results = vec![0; threads.len()];
        let count = i32::try_from(threads.len()).unwrap_or(0);
        invoke!(self.SuspendThreadList(count, threads.as_ptr(), results.as_mut_ptr()))?;
        Ok(results.into_iter().map(|code| code as i32).collect())
    }

    /// Resumes many at once; the codes are per thread, in order.
    pub(crate) fn resume_list(self, threads: &[jobject]) -> Result<Vec<i32>> {
        let mut results = vec![0; threads.len()];
        let count = i32::try_from(threads.len()).unwrap_or(0);
        invoke!(self.ResumeThreadList(count, threads.as_ptr(), results.as_mut_ptr()))?;
        Ok(results.into_iter().map(|code| code as i32).collect())
    }

    /// The current thread's object.
    pub(crate) fn current_thread(self, jni: Jni) -> Option<Local> {
        let mut thread = ptr::null_mut();
        invoke!(self.GetCurrentThread(&raw mut thread)).ok()?;
        Local::adopt(jni, thread)
    }

    /// The JDK's feature version (17, 25, …).
    pub(crate) fn feature_version(self) -> i32 {
        let mut version = 0;
        let asked = invoke!(self.GetVersionNumber(&raw mut version));
        if asked.is_ok() {
            (version >> 16) & 0xFFF
        } else {
            0
        }
    }

    // ---- collections ------------------------------------------------------

    pub(crate) fn force_collection(self) -> Result<()> {
        invoke!(self.ForceGarbageCollection())
    }

    pub(crate) fn stack_trace(
        self,
        thread: jobject,
        frames: &mut [std::mem::MaybeUninit<Frame>],
    ) -> Result<usize> {
        let mut count = 0;
        let depth = i32::try_from(frames.len()).unwrap_or(i32::MAX);
        invoke!(self.GetStackTrace(thread, 0, depth, frames.as_mut_ptr().cast(), &raw mut count))?;
        Ok(usize::try_from(count).unwrap_or(0).min(frames.len()))
    }

    /// `this` of the thread's (null: the current one's) method on top; `None` if it is static.
    pub(crate) fn receiver(self, jni: Jni, thread: jobject) -> Option<Local> {
        let mut object = ptr::null_mut();
        invoke!(self.GetLocalInstance(thread, 0, &raw mut object)).ok()?;
        Local::adopt(jni, object)
    }

    pub(crate) fn frame_count(self, thread: jobject) -> Result<i32> {
        let mut count = 0;
        invoke!(self.GetFrameCount(thread, &raw mut count))?;
        Ok(count)
    }

    pub(crate) fn run_agent_thread(
        self,
        thread: jobject,
        entry: sys::jvmtiStartFunction,
        argument: *const c_void,
        priority: i32,
    ) -> Result<()> {
        invoke!(self.RunAgentThread(thread, entry, argument, priority))
    }
}
