//! When others give classes new code. The VM tells of it only by ClassFileLoadHook, which has it read the files of
//! all classes that it loads, and which comes before the new code does, with no word of when that is there. So two functions
//! of ours stand in front of its own, in the one table that all environments share.
//!
//! # Safety
//! The table is as long as the VM lives, and its slots hold functions of the types that JVMTI gives them. What was in
//! them is kept before ours are there.
#![allow(unsafe_code, reason = "two slots of the VM's table of JVMTI functions")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use jvmpi_headers::jni::{JavaVM, jclass, jint};
use jvmpi_headers::jvmti::{jvmtiClassDefinition, jvmtiEnv, jvmtiError, jvmtiInterface_1_};
use once_cell::sync::OnceCell;

use crate::os::memory;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::found::{SOMETHING_ELSE, Why};

type Redefine =
    unsafe extern "C" fn(*mut jvmtiEnv, jint, *const jvmtiClassDefinition) -> jvmtiError;
type Retransform = unsafe extern "C" fn(*mut jvmtiEnv, jint, *const jclass) -> jvmtiError;

/// The two.
#[derive(Clone, Copy)]
pub(crate) struct Functions {
    pub(crate) redefine: Redefine,
    pub(crate) retransform: Retransform,
}

static OURS: OnceCell<Functions> = OnceCell::new();
static ORIGINAL: OnceCell<Functions> = OnceCell::new();
/// Ours have been called.
static CALLED: AtomicBool = AtomicBool::new(false);

/// What is to stand in front of the VM's own; put in at load.
pub(crate) fn set_functions(functions: Functions) {
    let _ = OURS.set(functions);
}

/// What ours pass each call on to; they are called once this is there.
pub(crate) fn original() -> Option<&'static Functions> {
    CALLED.store(true, Ordering::SeqCst);
    ORIGINAL.get()
}

pub(super) fn find(vm: *mut JavaVM, jvmti: Jvmti) -> Result<(), Why> {
    let table = table_of(jvmti);
    let other = Jvmti::create(vm).ok_or("the VM gives no second environment")?;
    let is_shared = table_of(other) == table;
    other.dispose();
    if !is_shared {
        return Err("environments have tables of their own");
    }
    // SAFETY: a slot of the VM's table.
    let redefine = unsafe { &raw mut (*table).RedefineClasses };
    // SAFETY: as above.
    let retransform = unsafe { &raw mut (*table).RetransformClasses };
    if !memory::writable(redefine, size_of::<usize>())
        || !memory::writable(retransform, size_of::<usize>())
    {
        return Err("the table cannot be written");
    }
    // SAFETY: as above; it can be read.
    let first = unsafe { redefine.read() };
    // SAFETY: as above.
    let second = unsafe { retransform.read() };
    let (Some(first), Some(second), Some(ours)) = (first, second, OURS.get()) else {
        return Err(SOMETHING_ELSE);
    };
    let before = Functions {
        redefine: first,
        retransform: second,
    };
    if ORIGINAL.set(before).is_err() {
        return Err("it was done before");
    }
    put(redefine.cast(), ours.redefine as *mut c_void);
    put(retransform.cast(), ours.retransform as *mut c_void);
    // Of no class: the VM says that it does nothing, whatever it says.
    let _ = jvmti.retransform(&[]);
    if CALLED.load(Ordering::SeqCst) {
        return Ok(());
    }
    put(redefine.cast(), first as *mut c_void);
    put(retransform.cast(), second as *mut c_void);
    Err(SOMETHING_ELSE)
}

fn table_of(jvmti: Jvmti) -> *mut jvmtiInterface_1_ {
    // SAFETY: an environment of the VM's begins with its table's address.
    unsafe { *jvmti.0.as_ptr() }.cast_mut()
}

fn put(slot: *mut *mut c_void, function: *mut c_void) {
    // SAFETY: a slot of the VM's table, which can be written.
    let slot = unsafe { AtomicPtr::from_ptr(slot) };
    slot.store(function, Ordering::Release);
}
