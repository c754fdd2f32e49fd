//! When others give classes new code. The VM tells of it only by ClassFileLoadHook, which has it read the files of
//! all classes that it loads, and which comes before the new code does, with no word of when that is there. So two functions
//! of ours stand in front of its own, in the one table that all environments share.
//!
//! # Safety
//! The table is as long as the VM lives, and its slots hold functions of the types that JVMTI gives them. What was in
//! them is kept before ours are there.
#![allow(unsafe_code, reason = "two slots of the VM's table of JVMTI functions")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use jvmpi_headers::jni::{JavaVM, jclass, jint};
use jvmpi_headers::jvmti::{jvmtiClassDefinition, jvmtiEnv, jvmtiError, jvmtiInterface_1_};
use once_cell::sync::OnceCell;

use crate::os::memory;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::found::{HOTSPOT, SOMETHING_ELSE, Why};

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
/// Which of ours have been called.
static CALLED: AtomicU8 = AtomicU8::new(0);

/// One of the two.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    Redefine = 1,
    Retransform = 2,
}

/// What is to stand in front of the VM's own; put in at load.
pub(crate) fn set_functions(functions: Functions) {
    let _ = OURS.set(functions);
}

/// What ours, of which this one is called, pass each call on to; they are called once this is there.
pub(crate) fn original(which: Which) -> Option<&'static Functions> {
    // Relaxed: what `find` reads on the thread that has written it.
    CALLED.fetch_or(which as u8, Ordering::Relaxed);
    ORIGINAL.get()
}

/// The VM's own again, unless somebody has built on ours; false if one stays.
pub(crate) fn step_aside(jvmti: Jvmti) -> bool {
    let (Some(()), Some(vms_own), Some(ours)) =
        (HOTSPOT.redefinition.get(), ORIGINAL.get(), OURS.get())
    else {
        return true;
    };
    let table = table_of(jvmti);
    // SAFETY: a slot of the VM's table.
    let redefine = unsafe { &raw mut (*table).RedefineClasses };
    // SAFETY: as above.
    let retransform = unsafe { &raw mut (*table).RetransformClasses };
    let first = take_out(
        redefine.cast(),
        ours.redefine as *mut c_void,
        vms_own.redefine as *mut c_void,
    );
    let second = take_out(
        retransform.cast(),
        ours.retransform as *mut c_void,
        vms_own.retransform as *mut c_void,
    );
    first && second
}

fn take_out(slot: *mut *mut c_void, ours: *mut c_void, vms_own: *mut c_void) -> bool {
    // SAFETY: a slot of the VM's table, which can be written.
    let slot = unsafe { AtomicPtr::from_ptr(slot) };
    slot.compare_exchange(ours, vms_own, Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
}

pub(in crate::vm::hotspot) fn find(vm: *mut JavaVM, jvmti: Jvmti) -> Result<(), Why> {
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
    // Of no class: the VM does nothing, whatever it says.
    let _ = jvmti.retransform(&[]);
    let _ = jvmti.redefine_none();
    // Relaxed: this thread's own.
    if CALLED.load(Ordering::Relaxed) == Which::Redefine as u8 | Which::Retransform as u8 {
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
