//! The JVMTI functions the shim uses, one method each.
//!
//! Phase and thread rules are JVMTI's: a call at the wrong time gives an error. What HotSpot
//! follows without a look: method ids that are none (up to JDK 25), and classes that another
//! thread is linking, in RetransformClasses (21). What it tells of classes is in [`super::classes`], of monitors in
//! [`super::monitors`].
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use event_translate::needs::VmEvent;
use jvmpi_headers::jvmti as sys;

use crate::vm::event_numbers::number;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::memory::{Array, Text};
use crate::vm::refs::{Local, ObjectRef, ThreadRef};
use crate::vm::sizes;

pub(crate) use crate::vm::jvmti::{Jvmti, JvmtiError, NOT_AVAILABLE, Result, invoke};

/// A function of one of the VM's extensions; what it takes behind the environment it says itself.
pub(crate) type ExtensionFunction =
    unsafe extern "C" fn(*mut sys::jvmtiEnv, ...) -> sys::jvmtiError;

/// One frame as the VM gives it: method and bytecode index (-1 in native code).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) method: MethodId,
    pub(crate) location: i64,
}

impl Frame {
    /// The first `count` frames of a buffer.
    ///
    /// # Safety
    /// They are filled in.
    pub(super) unsafe fn first_of(buffer: &[std::mem::MaybeUninit<Self>], count: usize) -> &[Self] {
        let count = count.min(buffer.len());
        // SAFETY: in the buffer, and the caller's word.
        unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<Self>(), count) }
    }
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
    /// Switches one of the VM's events on or off for all threads.
    pub(crate) fn set_event(self, event: VmEvent, on: bool) -> Result<()> {
        self.set_event_number(number(event), on)
    }

    /// The same by JVMTI's number of it.
    pub(crate) fn set_event_number(self, event: u32, on: bool) -> Result<()> {
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
        match unsafe { function(self.0.as_ptr(), mode, event, ptr::null_mut()) } {
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

    /// The index of an extension's event.
    pub(crate) fn extension_event(self, id: &CStr) -> Option<i32> {
        let (mut count, mut all) = (0, ptr::null_mut());
        invoke!(self.GetExtensionEvents(&raw mut count, &raw mut all)).ok()?;
        let all: Array<sys::jvmtiExtensionEventInfo> = Array::new(self, all, count);
        let mut found = None;
        for event in all.as_slice() {
            // SAFETY: a text of the VM's, ended with NUL.
            if unsafe { CStr::from_ptr(event.id) } == id {
                found = Some(event.extension_event_index);
            }
            // As the specification of GetExtensionEvents has it.
            let parameters = Array::new(self, event.params, event.param_count);
            for parameter in parameters.as_slice() {
                self.deallocate(parameter.name.cast());
            }
            self.deallocate(event.short_description.cast());
            self.deallocate(event.id.cast());
        }
        found
    }

    /// A function of an extension.
    pub(crate) fn extension_function(self, id: &CStr) -> Option<ExtensionFunction> {
        let (mut count, mut all) = (0, ptr::null_mut());
        invoke!(self.GetExtensionFunctions(&raw mut count, &raw mut all)).ok()?;
        let all: Array<sys::jvmtiExtensionFunctionInfo> = Array::new(self, all, count);
        let mut found = None;
        for function in all.as_slice() {
            // SAFETY: a text of the VM's, ended with NUL.
            if unsafe { CStr::from_ptr(function.id) } == id {
                found = function.func;
            }
            // As the specification of GetExtensionFunctions has it.
            let parameters = Array::new(self, function.params, function.param_count);
            for parameter in parameters.as_slice() {
                self.deallocate(parameter.name.cast());
            }
            self.deallocate(function.errors.cast());
            self.deallocate(function.short_description.cast());
            self.deallocate(function.id.cast());
        }
        found
    }

    pub(crate) fn set_callbacks(self, callbacks: &sys::jvmtiEventCallbacks) -> Result<()> {
        let size = i32::try_from(size_of::<sys::jvmtiEventCallbacks>()).unwrap_or(0);
        invoke!(self.SetEventCallbacks(ptr::from_ref(callbacks), size))
    }

    pub(crate) fn system_property(self, name: &CStr) -> Option<Text> {
        let mut value: *mut c_char = ptr::null_mut();
        invoke!(self.GetSystemProperty(name.as_ptr(), &raw mut value)).ok()?;
        Text::new(self, value)
    }

    // ---- objects and tags -------------------------------------------------

    pub(crate) fn tag(self, object: ObjectRef<'_>) -> Result<u64> {
        let mut tag = 0;
        invoke!(self.GetTag(object.to_jni(), &raw mut tag))?;
        Ok(tag.cast_unsigned())
    }

    pub(crate) fn set_tag(self, object: ObjectRef<'_>, tag: u64) -> Result<()> {
        invoke!(self.SetTag(object.to_jni(), tag.cast_signed()))
    }

    pub(crate) fn hash_code(self, object: ObjectRef<'_>) -> Result<i32> {
        let mut hash = 0;
        invoke!(self.GetObjectHashCode(object.to_jni(), &raw mut hash))?;
        Ok(hash)
    }

    /// Bytes, header included, as JVMPI has them.
    pub(crate) fn object_size(self, object: ObjectRef<'_>) -> Result<u32> {
        let mut size = 0;
        invoke!(self.GetObjectSize(object.to_jni(), &raw mut size))?;
        Ok(sizes::bytes(size))
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
        let found = Local::adopt_all(jni, &Array::new(self, objects, count));
        // One that bears its tag twice is found twice.
        found.into_iter().next()
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

    pub(crate) fn all_threads(self, jni: Jni) -> Result<Vec<Local>> {
        let (mut count, mut threads) = (0, ptr::null_mut());
        invoke!(self.GetAllThreads(&raw mut count, &raw mut threads))?;
        Ok(Local::adopt_all(jni, &Array::new(self, threads, count)))
    }

    /// The thread's name, and its group (`None` once it ended).
    pub(crate) fn thread_info(
        self,
        jni: Jni,
        thread: ObjectRef<'_>,
    ) -> Result<(Option<Text>, Option<Local>)> {
        // SAFETY: plain data that the call fills in.
        let mut info: sys::jvmtiThreadInfo = unsafe { std::mem::zeroed() };
        invoke!(self.GetThreadInfo(thread.to_jni(), &raw mut info))?;
        drop(Local::adopt(jni, info.context_class_loader));
        Ok((
            Text::new(self, info.name),
            Local::adopt(jni, info.thread_group),
        ))
    }

    /// The group's parent and its name.
    pub(crate) fn group_info(
        self,
        jni: Jni,
        group: ObjectRef<'_>,
    ) -> Result<(Option<Local>, Option<Text>)> {
        // SAFETY: plain data that the call fills in.
        let mut info: sys::jvmtiThreadGroupInfo = unsafe { std::mem::zeroed() };
        invoke!(self.GetThreadGroupInfo(group.to_jni(), &raw mut info))?;
        Ok((Local::adopt(jni, info.parent), Text::new(self, info.name)))
    }

    pub(crate) fn top_thread_groups(self, jni: Jni) -> Result<Vec<Local>> {
        let (mut count, mut groups) = (0, ptr::null_mut());
        invoke!(self.GetTopThreadGroups(&raw mut count, &raw mut groups))?;
        Ok(Local::adopt_all(jni, &Array::new(self, groups, count)))
    }

    pub(crate) fn thread_state(self, thread: ThreadRef<'_>) -> Result<i32> {
        let mut state = 0;
        invoke!(self.GetThreadState(thread.to_jni(), &raw mut state))?;
        Ok(state)
    }

    pub(crate) fn thread_cpu_time(self, thread: ObjectRef<'_>) -> Result<i64> {
        let mut nanos = 0;
        invoke!(self.GetThreadCpuTime(thread.to_jni(), &raw mut nanos))?;
        Ok(nanos)
    }

    pub(crate) fn suspend(self, thread: ObjectRef<'_>) -> Result<()> {
        invoke!(self.SuspendThread(thread.to_jni()))
    }

    pub(crate) fn resume(self, thread: ObjectRef<'_>) -> Result<()> {
        invoke!(self.ResumeThread(thread.to_jni()))
    }

    /// Suspends many at once; the codes are per thread, in order.
    pub(crate) fn suspend_list(self, threads: &[ObjectRef<'_>]) -> Result<Vec<i32>> {
        let mut results = vec![0; threads.len()];
        let count = i32::try_from(threads.len()).unwrap_or(0);
        invoke!(self.SuspendThreadList(count, threads.as_ptr().cast(), results.as_mut_ptr()))?;
        Ok(results.into_iter().map(|code| code as i32).collect())
    }

    /// Resumes many at once; the codes are per thread, in order.
    pub(crate) fn resume_list(self, threads: &[ObjectRef<'_>]) -> Result<Vec<i32>> {
        let mut results = vec![0; threads.len()];
        let count = i32::try_from(threads.len()).unwrap_or(0);
        invoke!(self.ResumeThreadList(count, threads.as_ptr().cast(), results.as_mut_ptr()))?;
        Ok(results.into_iter().map(|code| code as i32).collect())
    }

    /// The current thread's object.
    pub(crate) fn current_thread(self, jni: Jni) -> Option<Local> {
        let mut thread = ptr::null_mut();
        invoke!(self.GetCurrentThread(&raw mut thread)).ok()?;
        Local::adopt(jni, thread)
    }

    /// Whether the VM, at its end and before VMDeath, begins no event of its own any more and waits a minute
    /// for the callbacks that are under way (JVMTI facts 20).
    pub(crate) fn is_silent_before_death(self) -> bool {
        const FIRST_JDK: i32 = 26;
        self.feature_version() >= FIRST_JDK
    }

    /// Whether each class that is retransformed stops the program by itself, for milliseconds among
    /// thousands of classes, where later VMs stop it once for all that are named together: JDK 11.
    pub(crate) fn retransforms_one_by_one(self) -> bool {
        const RIGHT_SINCE: i32 = 17;
        self.feature_version() < RIGHT_SINCE
    }

    /// Whether ObjectFree comes within the collection's pause, where later VMs have a thread of
    /// theirs tell of deaths behind it.
    pub(crate) fn tells_of_deaths_in_the_pause(self) -> bool {
        const LATER_SINCE: i32 = 16;
        self.feature_version() < LATER_SINCE
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
        thread: ThreadRef<'_>,
        frames: &mut [std::mem::MaybeUninit<Frame>],
    ) -> Result<usize> {
        let mut count = 0;
        let depth = i32::try_from(frames.len()).unwrap_or(i32::MAX);
        invoke!(self.GetStackTrace(
            thread.to_jni(),
            0,
            depth,
            frames.as_mut_ptr().cast(),
            &raw mut count
        ))?;
        Ok(usize::try_from(count).unwrap_or(0).min(frames.len()))
    }

    /// `this` of the thread's method at this depth; `None` if it is static, or not used any more.
    ///
    /// Native methods on the stacks of unmounted virtual threads are not to be asked for: HotSpot
    /// follows a null pointer there (JVMTI facts 12).
    pub(crate) fn receiver(self, jni: Jni, thread: ThreadRef<'_>, depth: i32) -> Option<Local> {
        let mut object = ptr::null_mut();
        invoke!(self.GetLocalInstance(thread.to_jni(), depth, &raw mut object)).ok()?;
        Local::adopt(jni, object)
    }

    pub(crate) fn frame_count(self, thread: ThreadRef<'_>) -> Result<i32> {
        let mut count = 0;
        invoke!(self.GetFrameCount(thread.to_jni(), &raw mut count))?;
        Ok(count)
    }

    pub(crate) fn run_agent_thread(
        self,
        thread: ObjectRef<'_>,
        entry: sys::jvmtiStartFunction,
        argument: *const c_void,
        priority: i32,
    ) -> Result<()> {
        invoke!(self.RunAgentThread(thread.to_jni(), entry, argument, priority))
    }
}
