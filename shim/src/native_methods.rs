//! Method events of native methods, and what synchronized ones do at their end: thunks in
//! front of them ([`crate::ffi::native_thunks`]).
//!
//! The VM tells of every native method that it binds, in its earliest phase by numbers
//! only, which can be named later (JVMTI facts 18). So all are remembered, and get their
//! thunks when an agent wants such events.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use event_translate::native_arguments;
use jvmpi_headers::jni::{jmethodID, jobject};
use parking_lot::Mutex;

use crate::ffi::native_thunks::{self, Thunk};
use crate::ffi::sleep;
use crate::guards::ExceptionAside;
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::{instrument, log, method_events, method_numbers, method_short_way, monitor_events};

/// Bound methods and what the VM bound to them, thunks of ours aside: id and address.
static BOUND: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
/// The methods that the agent may hear of.
pub(crate) const METHODS: u32 = 1;
/// The synchronized ones.
pub(crate) const SYNCHRONIZED: u32 = 2;

/// Which of the two an agent wants.
static WANTED: AtomicU32 = AtomicU32::new(0);
/// From now on each of these gets its thunk when it is bound.
static ON: AtomicU32 = AtomicU32::new(0);

/// Native methods of these kinds are to get thunks when the hook class's own code runs
/// next. True if that is still to be done.
pub(crate) fn want(kinds: u32) -> bool {
    WANTED.fetch_or(kinds, Ordering::AcqRel);
    kinds & !ON.load(Ordering::Acquire) != 0
}

/// What the VM bound to a native method, our wrapper aside.
pub(crate) fn address_of(method: jmethodID) -> Option<usize> {
    let bound = BOUND.lock();
    let of_this =
        |(id, address): &&(usize, usize)| *id == method.addr() && !sleep::is_wrapper(*address);
    bound.iter().rfind(of_this).map(|&(_, address)| address)
}

/// NativeMethodBind: what the VM shall call, or `None` for `address` itself. In the
/// primordial phase nothing of the VM may be called.
pub(crate) fn bound(jvmti: Jvmti, method: jmethodID, address: usize) -> Option<*mut c_void> {
    if native_thunks::is_thunk(address) {
        return None;
    }
    BOUND.lock().push((method.expose_provenance(), address));
    let on = ON.load(Ordering::Acquire);
    if on == 0 {
        return None;
    }
    let native = Native::of(jvmti, method, on)?;
    native.thunk(method, address)
}

/// The thunk of each method and address that has one: programs register the same natives
/// again and again.
static MADE: Mutex<Option<HashMap<(usize, usize), usize>>> = Mutex::new(None);

/// A native method with all that a thunk needs.
struct Native {
    name: Vec<u8>,
    descriptor: Vec<u8>,
    is_static: bool,
    is_synchronized: bool,
    /// The agent may hear of it.
    is_taken: bool,
}

impl Native {
    /// `None` if it cannot be named, or is of none of these kinds.
    fn of(jvmti: Jvmti, method: jmethodID, kinds: u32) -> Option<Self> {
        const ACC_STATIC: i32 = 0x8;
        const ACC_SYNCHRONIZED: i32 = 0x20;
        let class = jvmti.declaring_class_signature(method)?;
        let class = class.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
        let modifiers = jvmti.method_modifiers(method)?;
        let is_synchronized = modifiers & ACC_SYNCHRONIZED != 0;
        let is_taken = instrument::takes(class);
        if !(is_taken && kinds & METHODS != 0 || is_synchronized && kinds & SYNCHRONIZED != 0) {
            return None;
        }
        let (name, descriptor) = jvmti.method_name(method).ok()?;
        Some(Self {
            name: name.bytes().to_vec(),
            descriptor: descriptor.bytes().to_vec(),
            is_static: modifiers & ACC_STATIC != 0,
            is_synchronized,
            is_taken,
        })
    }

    fn thunk(&self, method: jmethodID, address: usize) -> Option<*mut c_void> {
        let key = (method.expose_provenance(), address);
        let mut locked = MADE.lock();
        let made = locked.get_or_insert_default();
        if let Some(&thunk) = made.get(&key) {
            return Some(ptr::with_exposed_provenance_mut(thunk));
        }
        let number = method_numbers::reserve(1)?.base;
        let thunk = Thunk {
            address,
            stack_words: native_arguments::stack_words(&self.descriptor)?,
            number,
            is_taken: self.is_taken,
            has_receiver: !self.is_static,
            is_synchronized: self.is_synchronized,
        };
        let thunk = native_thunks::make(thunk);
        match thunk {
            Some(thunk) => {
                made.insert(key, thunk.expose_provenance());
            }
            None => {
                drop(locked);
                log::warn_once!("too many native methods: some have no events");
            }
        }
        thunk
    }
}

/// Puts thunks in front of what was bound so far. Called from a native method of the
/// hook class's own code: elsewhere the VM would print warnings (JVMTI facts 18).
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni) {
    let wanted = WANTED.load(Ordering::Acquire);
    if wanted & !ON.fetch_or(wanted, Ordering::AcqRel) == 0 {
        return;
    }
    let bound = BOUND.lock().clone();
    let count = bound.len();
    for (method, address) in bound {
        let method = ptr::with_exposed_provenance_mut(method);
        let Some(native) = Native::of(jvmti, method, wanted) else {
            continue;
        };
        let Ok(class) = jvmti.declaring_class(jni, method) else {
            continue;
        };
        if let Some(thunk) = native.thunk(method, address) {
            let done = jni.register_native(class.get(), &native.name, &native.descriptor, thunk);
            if !done {
                drop(jni.take_exception());
            }
        }
    }
    log::info!("{count} native methods were bound before their events were wanted");
}

/// A native method begins on this thread. `second` is its `this`, or its class.
pub(crate) fn begins(thunk: &Thunk, second: jobject, stack: usize) {
    if !thunk.is_taken {
        return;
    }
    let receiver = if thunk.has_receiver {
        second
    } else {
        ptr::null_mut()
    };
    method_events::entered(thunk.number, Some(receiver), stack);
}

/// It ends; an exception may be pending.
pub(crate) fn ends(jni: Jni, thunk: &Thunk, second: jobject) {
    if thunk.is_taken {
        tell_of_end(jni, thunk);
    }
    if thunk.is_synchronized {
        // The VM unlocks it when this returns.
        monitor_events::leaves(jni, second);
    }
}

fn tell_of_end(jni: Jni, thunk: &Thunk) {
    // What is pending afterwards is the agent's.
    let _aside = ExceptionAside::put(jni);
    if !method_short_way::native_leaves(thunk.number) {
        method_events::left(thunk.number, false);
    }
}
