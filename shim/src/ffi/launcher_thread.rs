//! Watches the main thread's JNI calls until the VM is live.
//!
//! Its `JNIEnv` points to the VM's function table; it gets a copy in which the
//! four functions a launcher calls on its way to `main` ask first whether it is
//! time to start. Then the pointer is put back: no trace remains.
#![allow(unsafe_code, reason = "the JNI function table of the main thread")]

use std::ffi::{c_char, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use jvmpi_headers::jni::{JNIEnv, JavaVM, jclass, jmethodID, jstring};

use crate::ffi::boundary::guarded;
use crate::ffi::java_vm;
use crate::jvmti::jni::Jni;
use crate::late;

static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The table of `watch`.
static COPY: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static STARTING: AtomicBool = AtomicBool::new(false);

/// Slots of the JNI function table (JNI specification, chapter 4).
const FIND_CLASS: usize = 6;
const GET_METHOD_ID: usize = 33;
const GET_STATIC_METHOD_ID: usize = 113;
const NEW_STRING_UTF: usize = 167;
const GET_VERSION: usize = 4;

/// How many slots the running VM's table has: never read past them.
fn slots(version: i32) -> usize {
    match version {
        0x0018_0000.. => 236,
        0x0013_0000.. => 235,
        0x0009_0000.. => 234,
        _ => 233,
    }
}

/// Puts the watching table in place on the current thread.
pub(crate) fn watch(jni: Jni) {
    let env = jni.env().cast::<*const *mut c_void>();
    // SAFETY: the current thread's JNIEnv; its first word is the table's address.
    let original = unsafe { *env };
    let slot = |index: usize| {
        // SAFETY: below the 233 slots every table has.
        unsafe { *original.wrapping_add(index) }
    };
    // SAFETY: GetVersion's type.
    let get_version: unsafe extern "system" fn(*mut JNIEnv) -> i32 =
        unsafe { mem::transmute(slot(GET_VERSION)) };
    // SAFETY: on its own thread.
    let version = unsafe { get_version(jni.env()) };
    // SAFETY: as many slots as this version has.
    let mut copy = unsafe { std::slice::from_raw_parts(original, slots(version)) }.to_vec();
    let replacements: [(usize, *mut c_void); 4] = [
        (FIND_CLASS, find_class as *mut c_void),
        (GET_METHOD_ID, get_method_id as *mut c_void),
        (GET_STATIC_METHOD_ID, get_static_method_id as *mut c_void),
        (NEW_STRING_UTF, new_string_utf as *mut c_void),
    ];
    for (index, replacement) in replacements {
        if let Some(place) = copy.get_mut(index) {
            *place = replacement;
        }
    }
    ORIGINAL.store(original.cast_mut().cast(), Ordering::Release);
    // Leaked: somebody may have copied the pointer meanwhile.
    let copy: &'static [*mut c_void] = copy.leak();
    COPY.store(copy.as_ptr().cast_mut().cast(), Ordering::Release);
    // SAFETY: the word is writable and only this thread uses it.
    unsafe { env.write(copy.as_ptr()) };
}

/// Starts if it is time, and hands out the VM's own function.
fn start_and_forward(env: *mut JNIEnv, slot: usize) -> *mut c_void {
    let original: *const *mut c_void = ORIGINAL.load(Ordering::Acquire).cast();
    guarded("the start on the main thread", (), || {
        let Some(vm) = java_vm::get() else { return };
        if !late::is_time(vm) || STARTING.swap(true, Ordering::AcqRel) {
            return;
        }
        let place = env.cast::<*const *mut c_void>();
        // SAFETY: the calling thread's own JNIEnv.
        let now = unsafe { place.read() };
        // Another agent may have put a table of its own in place of ours.
        if now.cast_mut().cast() == COPY.load(Ordering::Acquire) {
            // SAFETY: as above; the word `watch` wrote.
            unsafe { place.write(original) };
        }
        start(vm);
    });
    // SAFETY: one of the four slots, which every table has.
    unsafe { *original.wrapping_add(slot) }
}

fn start(vm: *mut JavaVM) {
    if !late::start(vm) {
        java_vm::uninstall();
        crate::log::warning!(
            "the VM refused a start without -agentpath; use -agentpath:libjvmpi.so or xrun"
        );
    }
}

unsafe extern "system" fn find_class(env: *mut JNIEnv, name: *const c_char) -> jclass {
    type Function = unsafe extern "system" fn(*mut JNIEnv, *const c_char) -> jclass;
    // SAFETY: the type of the slot.
    let function: Function = unsafe { mem::transmute(start_and_forward(env, FIND_CLASS)) };
    // SAFETY: the caller's arguments.
    unsafe { function(env, name) }
}

unsafe extern "system" fn get_method_id(
    env: *mut JNIEnv,
    class: jclass,
    name: *const c_char,
    signature: *const c_char,
) -> jmethodID {
    type Function =
        unsafe extern "system" fn(*mut JNIEnv, jclass, *const c_char, *const c_char) -> jmethodID;
    // SAFETY: the type of the slot.
    let function: Function = unsafe { mem::transmute(start_and_forward(env, GET_METHOD_ID)) };
    // SAFETY: the caller's arguments.
    unsafe { function(env, class, name, signature) }
}

unsafe extern "system" fn get_static_method_id(
    env: *mut JNIEnv,
    class: jclass,
    name: *const c_char,
    signature: *const c_char,
) -> jmethodID {
    type Function =
        unsafe extern "system" fn(*mut JNIEnv, jclass, *const c_char, *const c_char) -> jmethodID;
    // SAFETY: the type of the slot.
    let function: Function =
        unsafe { mem::transmute(start_and_forward(env, GET_STATIC_METHOD_ID)) };
    // SAFETY: the caller's arguments.
    unsafe { function(env, class, name, signature) }
}

unsafe extern "system" fn new_string_utf(env: *mut JNIEnv, text: *const c_char) -> jstring {
    type Function = unsafe extern "system" fn(*mut JNIEnv, *const c_char) -> jstring;
    // SAFETY: the type of the slot.
    let function: Function = unsafe { mem::transmute(start_and_forward(env, NEW_STRING_UTF)) };
    // SAFETY: the caller's arguments.
    unsafe { function(env, text) }
}
