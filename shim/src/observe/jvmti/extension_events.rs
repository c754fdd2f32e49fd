//! Events of the VM's extensions: each environment gives a callback for each, by an index that the VM
//! has chosen.
//!
//! # Safety
//! As in [`super::callbacks`].
#![allow(unsafe_code, reason = "callbacks from C")]

use std::ffi::{CStr, c_void};
use std::mem;
use std::ptr;
use std::sync::atomic::Ordering;

use recording_format::jvmti::EventKind;

use crate::observe::call::int;
use crate::observe::jvmti::callbacks::{Few, around};
use crate::observe::jvmti::environments::{self, EXTENSIONS, Environment, WORDS};
use crate::vm::this_vm;

/// By their place.
const IDS: [&CStr; EXTENSIONS] = [
    c"com.sun.hotspot.events.ClassUnload",
    c"com.sun.hotspot.events.VirtualThreadMount",
    c"com.sun.hotspot.events.VirtualThreadUnmount",
];
const CLASS_UNLOAD: u8 = EventKind::ClassUnload.number();
const MOUNT: u8 = EventKind::VirtualThreadMount.number();
const UNMOUNT: u8 = EventKind::VirtualThreadUnmount.number();

/// SetExtensionEventCallback: our callback for those that are known; `set` asks the VM.
pub(super) fn set(
    environment: &Environment,
    words: [usize; WORDS],
    set: impl Fn([usize; WORDS]) -> i32,
) -> i32 {
    let [index, given, rest @ ..] = words;
    let known = this_vm::jvmti_to_the_end().and_then(|jvmti| {
        let mut ids = IDS.iter();
        ids.position(|id| jvmti.extension_event(id) == Some(int(index)))
    });
    let thunk = match known {
        Some(0) => called::<0, CLASS_UNLOAD> as *mut c_void,
        Some(1) => called::<1, MOUNT> as *mut c_void,
        Some(2) => called::<2, UNMOUNT> as *mut c_void,
        Some(_) | None => return set(words),
    };
    let Some(kept) = known.and_then(|place| environment.extension(place)) else {
        return set(words);
    };
    if given == 0 {
        return set(words);
    }
    let before = kept.swap(ptr::with_exposed_provenance_mut(given), Ordering::AcqRel);
    let [third, fourth, fifth] = rest;
    let result = set([index, thunk.expose_provenance(), third, fourth, fifth]);
    if result != 0 {
        kept.store(before, Ordering::Release);
    }
    result
}

unsafe extern "C" fn called<const PLACE: usize, const NUMBER: u8>(
    env: *mut c_void,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) {
    let Some(environment) = environments::of(env) else {
        return;
    };
    let kept = environment.extension(PLACE);
    let callback = kept.map_or(ptr::null_mut(), |kept| kept.load(Ordering::Acquire));
    let words = [env.addr(), first, second, third, fourth, fifth, 0, 0, 0, 0];
    around::<NUMBER>(environment, &words, callback, |callback| {
        // SAFETY: the agent's callback for this event, which takes no more words.
        let callback: Few = unsafe { mem::transmute(callback) };
        // SAFETY: what the VM has passed.
        unsafe { callback(env, first, second, third, fourth, fifth) };
    });
}
