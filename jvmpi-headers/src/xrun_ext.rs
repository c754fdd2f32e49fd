//! `include/xrun_ext.h` as Rust sees it: what xrun offers agents beside JVMPI.
#![allow(non_camel_case_types, reason = "the names are the C header's")]

use std::ffi::c_char;
use std::mem::{offset_of, size_of};

use jni_sys::{JNIEnv, jint, jlong, jmethodID};

use crate::jvmpi::{JVMPI_CallTrace, jobjectID};

/// For GetEnv.
pub const XRUN_EXT_VERSION_1: jint = 0x5852_0001;

/// Nothing can be said of what a thread does.
pub const XRUN_UNKNOWN: jint = 0;
/// It waits, is parked or asleep, or the VM has stopped it.
pub const XRUN_RESTS: jint = 1;
/// It runs Java code, or could if it had a processor.
pub const XRUN_RUNS_JAVA: jint = 2;

/// A thread was parked: its JNIEnv, its blocker's class or NULL, for how long in nanoseconds.
pub type XRun_ParkHandler =
    unsafe extern "C" fn(env: *mut JNIEnv, blocker_class: jobjectID, nanos: jlong);

/// What GetEnv gives. All of it stays for ever, and never changes.
#[repr(C)]
#[derive(Debug)]
pub struct XRun_Extension {
    /// Of this structure, in bytes.
    pub size: jint,
    /// The version it is of, or a later one.
    pub version: jint,
    /// Sets an option of the host's, before the first EnableEvent.
    pub set_option: unsafe extern "C" fn(name: *const c_char, value: *const c_char) -> jint,
    /// What it is set to; how many bytes that takes, its NUL included.
    pub get_option:
        unsafe extern "C" fn(name: *const c_char, buffer: *mut c_char, length: jint) -> jint,
    /// Whether the object's own allocation was told of; 0 or 1.
    pub is_sampled: unsafe extern "C" fn(object: jobjectID) -> jint,
    /// The VM's own dumper writes the heap into a new file; NULL asks whether there is one.
    pub dump_heap: unsafe extern "C" fn(path: *const c_char) -> jint,
    /// A line for whoever attaches the agent or detaches it at this moment.
    pub tell: unsafe extern "C" fn(line: *const c_char),
    /// A method that has no events any more, by its index; how often it was called until then.
    pub get_left_out:
        unsafe extern "C" fn(index: jint, method: *mut jmethodID, calls: *mut jlong) -> jint,
    /// From now on this is called of each thread that was parked; NULL: no more.
    pub watch_parks: unsafe extern "C" fn(parked: Option<XRun_ParkHandler>) -> jint,
    /// Calls this for each thread that is parked now and watched; how many there are.
    pub list_parked: unsafe extern "C" fn(still: Option<XRun_ParkHandler>) -> jint,
    /// The kernel's number of a thread; 0 if there is none to be had.
    pub get_kernel_thread: unsafe extern "C" fn(env: *mut JNIEnv) -> jint,
    /// Stacks of threads that run Java code, taken by signals; -1 frames where that cannot be.
    pub get_running_traces:
        unsafe extern "C" fn(count: jint, traces: *mut JVMPI_CallTrace, depth: jint) -> jint,
    /// The virtual threads that carriers run now; how many there are.
    pub get_mounted: unsafe extern "C" fn(count: jint, envs: *mut *mut JNIEnv) -> jint,
    /// What each of these threads does at this moment: one of `XRUN_UNKNOWN`, `XRUN_RESTS`, `XRUN_RUNS_JAVA`.
    pub get_activities:
        unsafe extern "C" fn(count: jint, envs: *const *mut JNIEnv, activities: *mut jint) -> jint,
}

const WORD: usize = size_of::<usize>();
const _: () = {
    assert!(size_of::<XRun_Extension>() == 8 + 12 * WORD);
    assert!(offset_of!(XRun_Extension, set_option) == 8);
    assert!(offset_of!(XRun_Extension, get_option) == 8 + WORD);
    assert!(offset_of!(XRun_Extension, is_sampled) == 8 + 2 * WORD);
    assert!(offset_of!(XRun_Extension, dump_heap) == 8 + 3 * WORD);
    assert!(offset_of!(XRun_Extension, tell) == 8 + 4 * WORD);
    assert!(offset_of!(XRun_Extension, get_left_out) == 8 + 5 * WORD);
    assert!(offset_of!(XRun_Extension, watch_parks) == 8 + 6 * WORD);
    assert!(offset_of!(XRun_Extension, list_parked) == 8 + 7 * WORD);
    assert!(offset_of!(XRun_Extension, get_kernel_thread) == 8 + 8 * WORD);
    assert!(offset_of!(XRun_Extension, get_running_traces) == 8 + 9 * WORD);
    assert!(offset_of!(XRun_Extension, get_mounted) == 8 + 10 * WORD);
    assert!(offset_of!(XRun_Extension, get_activities) == 8 + 11 * WORD);
};
