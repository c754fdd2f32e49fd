//! Method events of native methods: thunks in front of them
//! ([`crate::ffi::native_thunks`]).
//!
//! The VM tells of every native method that it binds, in its earliest phase by numbers
//! only, which can be named later (JVMTI facts 18). So all are remembered, and get their
//! thunks when an agent wants method events.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmpi_headers::jni::{jmethodID, jobject};
use parking_lot::Mutex;

use crate::ffi::native_thunks::{self, Thunk};
use crate::ffi::{pending_exception, sleep};
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::{instrument, log, method_events};

/// Bound methods and what the VM bound to them, thunks of ours aside: id and address.
static BOUND: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
/// An agent wants method events.
static WANTED: AtomicBool = AtomicBool::new(false);
/// From now on each gets its thunk when it is bound.
static ON: AtomicBool = AtomicBool::new(false);

/// Native methods are to get thunks when the hook class's own code runs next. True if
/// that is still to be done.
pub(crate) fn want() -> bool {
    WANTED.store(true, Ordering::Release);
    !ON.load(Ordering::Acquire)
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
    if !ON.load(Ordering::Acquire) {
        return None;
    }
    let native = Native::of(jvmti, method)?;
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
}

impl Native {
    /// `None` if it cannot be named, or is not to be seen.
    fn of(jvmti: Jvmti, method: jmethodID) -> Option<Self> {
        let class = jvmti.declaring_class_signature(method)?;
        let class = class.bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
        if !instrument::takes(class) {
            return None;
        }
        let (name, descriptor) = jvmti.method_name(method).ok()?;
        Some(Self {
            name: name.bytes().to_vec(),
            descriptor: descriptor.bytes().to_vec(),
            is_static: jvmti.method_is_static(method)?,
        })
    }

    fn thunk(&self, method: jmethodID, address: usize) -> Option<*mut c_void> {
        let key = (method.expose_provenance(), address);
        let mut made = MADE.lock();
        let made = made.get_or_insert_default();
        if let Some(&thunk) = made.get(&key) {
            return Some(ptr::with_exposed_provenance_mut(thunk));
        }
        let number = method_events::reserve(1)?.base;
        let thunk = native_thunks::make(address, &self.descriptor, number, !self.is_static);
        match thunk {
            Some(thunk) => {
                made.insert(key, thunk.expose_provenance());
            }
            None => log::warn_once!("too many native methods: some have no method events"),
        }
        thunk
    }
}

/// Puts thunks in front of what was bound so far. Called from a native method of the
/// hook class's own code: elsewhere the VM would print warnings (JVMTI facts 18).
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni) {
    if !WANTED.load(Ordering::Acquire) || ON.swap(true, Ordering::AcqRel) {
        return;
    }
    let bound = BOUND.lock().clone();
    let count = bound.len();
    for (method, address) in bound {
        let method = ptr::with_exposed_provenance_mut(method);
        let Some(native) = Native::of(jvmti, method) else {
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
    log::info!("{count} native methods were bound before method events were wanted");
}

/// A native method begins on this thread. `second` is its `this`, or its class.
pub(crate) fn begins(thunk: &Thunk, second: jobject, stack: usize) {
    let receiver = if thunk.has_receiver {
        second
    } else {
        ptr::null_mut()
    };
    method_events::entered(thunk.number, Some(receiver), stack);
}

/// It ends; an exception may be pending.
pub(crate) fn ends(jni: Jni, thunk: &Thunk) {
    let pending = if pending_exception::is_there(jni) {
        jni.take_exception()
    } else {
        None
    };
    if !method_events::native_leaves(thunk.number) {
        method_events::left(thunk.number, false);
    }
    if pending_exception::is_there(jni) {
        // The agent's.
        drop(jni.take_exception());
    }
    jni.rethrow(pending);
}
