//! Functions of the VM's extensions: an agent has their addresses from GetExtensionFunctions, and gets
//! ours in their places.
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "tables of C functions")]

use std::ffi::{CStr, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering, fence};

use jvmpi_headers::jvmti::{jvmtiEnv, jvmtiError, jvmtiExtensionFunctionInfo};
use recording_format::jvmti::FunctionKind;

use crate::base::log;
use crate::observe::jvmti::call_records::recorded;
use crate::observe::jvmti::environments::{self, INVALID_ENVIRONMENT, WORDS};

/// Those that are known.
const IDS: [&CStr; 3] = [
    c"com.sun.hotspot.functions.IsClassUnloadingEnabled",
    c"com.sun.hotspot.functions.GetVirtualThread",
    c"com.sun.hotspot.functions.GetCarrierThread",
];
const CLASS_UNLOADING: u8 = FunctionKind::IsClassUnloadingEnabled.number();
const VIRTUAL: u8 = FunctionKind::GetVirtualThread.number();
const CARRIER: u8 = FunctionKind::GetCarrierThread.number();

type Extension = unsafe extern "C" fn(*mut jvmtiEnv, ...) -> jvmtiError;

/// The VM's own: the same for all environments.
static VMS_OWN: [AtomicPtr<c_void>; IDS.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; IDS.len()];

fn thunk(place: usize) -> Option<*mut c_void> {
    match place {
        0 => Some(called::<0, CLASS_UNLOADING> as *mut c_void),
        1 => Some(called::<1, VIRTUAL> as *mut c_void),
        2 => Some(called::<2, CARRIER> as *mut c_void),
        _ => None,
    }
}

/// GetExtensionFunctions has succeeded: puts ours in the places of those that are known.
///
/// # Safety
/// The words are that function's.
pub(super) unsafe fn put(words: [usize; WORDS]) {
    let [count, list, ..] = words;
    let count: *const i32 = ptr::with_exposed_provenance(count);
    // SAFETY: the VM has just written there.
    let count = usize::try_from(unsafe { count.read_unaligned() }).unwrap_or(0);
    let list: *const *mut jvmtiExtensionFunctionInfo = ptr::with_exposed_provenance(list);
    // SAFETY: likewise.
    let first = unsafe { list.read_unaligned() };
    for place in 0..count {
        // SAFETY: so many are there, the caller's own from now on.
        let function = unsafe { &mut *first.wrapping_add(place) };
        if !function.id.is_null() {
            replace(function);
        }
    }
}

fn replace(function: &mut jvmtiExtensionFunctionInfo) {
    // SAFETY: a C string of the VM's.
    let id = unsafe { CStr::from_ptr(function.id) };
    let place = IDS.iter().position(|known| *known == id);
    let place = place.and_then(|place| VMS_OWN.get(place).zip(thunk(place)));
    let (Some((vms_own, thunk)), Some(func)) = (place, function.func) else {
        log::info!("trace: calls of {} are not recorded", id.to_string_lossy());
        return;
    };
    vms_own.store(func as *mut c_void, Ordering::Release);
    // SAFETY: a function of extensions takes words behind its environment, as ours does.
    let ours = unsafe { mem::transmute::<*mut c_void, Extension>(thunk) };
    function.func = Some(ours);
}

unsafe extern "C" fn called<const PLACE: usize, const NUMBER: u8>(
    env: *mut c_void,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) -> i32 {
    type Own = unsafe extern "C" fn(*mut c_void, ...) -> i32;
    // Who is here has got this function without order.
    fence(Ordering::Acquire);
    let vms_own = VMS_OWN
        .get(PLACE)
        .map_or(ptr::null_mut(), |kept| kept.load(Ordering::Acquire));
    if vms_own.is_null() {
        return INVALID_ENVIRONMENT;
    }
    // SAFETY: the type of all functions of extensions.
    let vms_own: Own = unsafe { mem::transmute(vms_own) };
    // SAFETY: what the caller has passed; what the function does not take it does not look at.
    let call = || unsafe { vms_own(env, first, second, third, fourth, fifth) };
    if environments::of(env).is_none() {
        // An environment that is not recorded.
        return call();
    }
    recorded(env, NUMBER, &[first, second, third, fourth, fifth], |_| {
        call()
    })
}
