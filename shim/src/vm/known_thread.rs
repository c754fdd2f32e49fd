//! What needs a thread that the VM knows, for agents that call us on one of their own.
//!
//! An agent that listens to a socket, say, switches events on and off on a thread that it has made itself
//! and never attached. Its call has to do what it says, and the thread is not ours to attach: it may hold
//! locks that handlers of THREAD_START want.
#![allow(unsafe_code, reason = "arguments of the VM's invoke interface")]

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use jvmpi_headers::jni::{JNI_VERSION_1_2, JavaVMAttachArgs};

use crate::base::boundary::unlogged;
use crate::base::{log, patience};
use crate::vm::env::Jvmti;
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::this_vm;

/// Does it on the calling thread; where the VM does not know that, on one of ours, which it knows for so long. The
/// caller waits for that one, but not for ever: its THREAD_START may want what the caller holds.
///
/// # Phase
/// Live; in others nothing is done.
pub(crate) fn on_one(act: impl FnOnce(Jvmti, Jni) + Send + 'static) {
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    if let Some(jni) = Jni::of_this_thread() {
        act(jvmti, jni);
        return;
    }
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let begun = thread::Builder::new().spawn(move || {
        unlogged("a call of an unknown thread", || act_known(act));
        done.store(true, Ordering::Release);
    });
    if begun.is_err() {
        log::warn_once!(
            "no thread to switch events on or off on, for one that is not attached to the VM"
        );
    } else if !patience::UNKNOWN_CALLER.until(|| is_done.load(Ordering::Acquire)) {
        log::info!("events are still being switched on or off, for a thread that is not attached");
    }
}

fn act_known(act: impl FnOnce(Jvmti, Jni)) {
    // One without a name would take the next of the program's.
    let arguments = JavaVMAttachArgs {
        version: JNI_VERSION_1_2,
        name: c"JVMPI requests".as_ptr().cast_mut(),
        group: ptr::null_mut(),
    };
    // SAFETY: a text and null.
    if unsafe { java_vm::attach_with(true, Some(&arguments)) }.is_err() {
        return;
    }
    if let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) {
        act(jvmti, jni);
    }
    java_vm::detach();
}
