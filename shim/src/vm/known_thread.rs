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

/// What is to be done, for whoever asks.
pub(crate) struct Act {
    name: &'static str,
    run: fn(Jvmti, Jni),
    /// Somebody has asked one of our threads for it, which has not begun.
    asked: AtomicBool,
}

impl Act {
    pub(crate) const fn new(name: &'static str, run: fn(Jvmti, Jni)) -> Self {
        Self {
            name,
            run,
            asked: AtomicBool::new(false),
        }
    }
}

/// Does it on the calling thread; where the VM does not know that, on one of ours, which it knows for so long. The
/// caller waits for that one, but not for ever, and not at all if an earlier one has not begun yet and will do for this
/// caller, too: its THREAD_START may want what the caller holds.
///
/// # Phase
/// From the VM's start to its end; else nothing is done.
pub(crate) fn on_one(act: &'static Act) {
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    if let Some(jni) = Jni::of_this_thread() {
        (act.run)(jvmti, jni);
        return;
    }
    if act.asked.swap(true, Ordering::SeqCst) {
        return;
    }
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let begun = thread::Builder::new().spawn(move || {
        while_known(act);
        done.store(true, Ordering::Release);
    });
    if begun.is_err() {
        act.asked.store(false, Ordering::Release);
        log::warn_once!(
            "no thread to switch events on or off on, for one that is not attached to the VM"
        );
    } else if !patience::UNKNOWN_CALLER.until(|| is_done.load(Ordering::Acquire)) {
        log::info!("events are still being switched on or off, for a thread that is not attached");
    }
}

fn while_known(act: &'static Act) {
    // One without a name would take the next of the program's.
    let arguments = JavaVMAttachArgs {
        version: JNI_VERSION_1_2,
        name: c"JVMPI requests".as_ptr().cast_mut(),
        group: ptr::null_mut(),
    };
    // SAFETY: a text and null.
    let is_known = unsafe { java_vm::attach_with(true, Some(&arguments)) }.is_ok();
    // What is asked for from here on is another's to see to. Who found the request open has changed something before
    // that, and by the exchange it is seen. Partner: `wanted`.
    act.asked.swap(false, Ordering::SeqCst);
    if !is_known {
        return;
    }
    unlogged(act.name, || {
        if let (Some(jvmti), Some(jni)) = (this_vm::jvmti(), Jni::of_this_thread()) {
            (act.run)(jvmti, jni);
        }
    });
    java_vm::detach();
}
