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

use crate::base::boundary::guarded;
use crate::base::log;
use crate::entry::late;
use crate::os::memory;
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The table of `watch`.
static COPY: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static STARTING: AtomicBool = AtomicBool::new(false);

/// Slots of the JNI function table (JNI specification, chapter 4).
const FIND_CLASS: usize = 6;
const GET_METHOD_ID: usize = 33;
const GET_STATIC_METHOD_ID: usize = 113;
const NEW_STRING_UTF: usize = 167;

/// What every version has.
const LEAST: usize = 233;
/// More than any version will have. No version says how many slots its table has, and JDK 24
/// has three more than JDK 8: what lies behind the table is copied along, and nobody looks at it.
const MOST: usize = 1024;

/// Arranges for [`late::start`] to run before `main`. True if it will, or need not.
pub(crate) fn arrange(vm: *mut JavaVM) -> bool {
    if this_vm::jvmti().is_some() {
        // -agentpath named us too: VMInit does everything.
        return true;
    }
    if late::is_time(vm) {
        // JDK 8 calls -Xrun libraries late enough.
        return late::start(vm);
    }
    let Some(jni) = Jni::of_this_thread() else {
        log::warning!("JVM_OnLoad: no JNI on this thread; JVMPI cannot be provided");
        return false;
    };
    watch(jni);
    true
}

/// Puts the watching table in place on the current thread.
fn watch(jni: Jni) {
    let env = jni.env().cast::<*const *mut c_void>();
    // SAFETY: the current thread's JNIEnv; its first word is the table's address.
    let original = unsafe { *env };
    // SAFETY: the table has as many slots.
    let mut copy = unsafe { memory::table(original, LEAST, MOST) };
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
        log::warning!(
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a VM that is still to come.
    #[test]
    fn all_slots_are_copied() {
        const SLOTS: usize = 300;
        unsafe extern "system" fn version(_: *mut JNIEnv) -> i32 {
            0x0030_0000
        }
        let number = |slot: usize| ptr::without_provenance_mut::<c_void>(0x1_0000 + slot);
        let mut table: Vec<_> = (0..SLOTS).map(number).collect();
        // GetVersion.
        table[4] = version as *mut c_void;
        let mut env = table.as_ptr();
        // SAFETY: all that `watch` uses of an environment.
        let jni = unsafe { Jni::from_raw((&raw mut env).cast()) }.expect("not null");
        watch(jni);
        assert_ne!(env, table.as_ptr());
        let ours = [
            (FIND_CLASS, find_class as *mut c_void),
            (GET_METHOD_ID, get_method_id as *mut c_void),
            (GET_STATIC_METHOD_ID, get_static_method_id as *mut c_void),
            (NEW_STRING_UTF, new_string_utf as *mut c_void),
        ];
        for (slot, &theirs) in table.iter().enumerate() {
            // SAFETY: as many slots as the table has.
            let copied = unsafe { *env.wrapping_add(slot) };
            let replaced = ours.iter().find(|(index, _)| *index == slot);
            assert_eq!(
                copied,
                replaced.map_or(theirs, |(_, ours)| *ours),
                "slot {slot}"
            );
        }
    }
}
