//! Virtual threads: each has a record and a JNIEnv of its own from the first event that concerns it
//! to its end. While one is mounted it is the calling thread, and its carrier lends it what belongs
//! to the thread of the operating system ([`crate::model::native_thread`]).
//!
//! # Threads
//! Mounting and unmounting happen on the carrier, in the VM's callbacks.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::model::current;
use crate::model::tables::{VIRTUAL_THREADS, VIRTUAL_THREADS_BY_ENV};
use crate::model::thread::Thread;
use crate::model::threads;
use crate::vm::hotspot::mounts::ThreadIdentifier;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// The calling thread carries this virtual thread from now on.
pub(crate) fn mount(jni: Jni, identifier: ThreadIdentifier) {
    if current::carrier().is_some_and(|carrier| carrier.native().carries(identifier)) {
        // Its start has been told.
        return;
    }
    unmount();
    let Some(carrier) = threads::enter(jni, None) else {
        return;
    };
    let native = carrier.native();
    native.note_change(identifier.0);
    let known = VIRTUAL_THREADS.get(identifier.0);
    current::carry(&carrier, known.as_ref());
    if let Some(known) = known {
        known.is_mounted_on(native);
    }
}

/// The calling thread carries none any more.
pub(crate) fn unmount() {
    let Some(carrier) = current::carrier() else {
        // It was mounted before anybody asked.
        current::with_own(|own| own.native().note_change(0));
        return;
    };
    let native = carrier.native();
    current::with_own(|own| own.is_unmounted_from(native));
    native.note_change(0);
    current::carry_no_more();
}

/// The record of the virtual thread that the calling thread carries and that has had none yet:
/// something of it is about to be told. `thread`: as the VM names it, if it does.
pub(super) fn meet(
    jni: Jni,
    carrier: &Thread,
    thread: Option<ObjectRef<'_>>,
) -> Option<Arc<Thread>> {
    let asked = match thread {
        None => Some(this_vm::jvmti()?.current_thread(jni)?),
        Some(_) => None,
    };
    let thread = thread.or(asked.as_ref().map(|asked| asked.get()))?;
    let native = carrier.native();
    let fresh = Thread::of_virtual();
    fresh.set_object(jni, thread);
    fresh.started.store(true, Ordering::Release);
    let identifier = native.mounted.load(Ordering::Relaxed);
    let fresh = Arc::new(fresh);
    VIRTUAL_THREADS_BY_ENV.replace(fresh.env as u64, Arc::clone(&fresh));
    VIRTUAL_THREADS.replace(identifier, Arc::clone(&fresh));
    current::set(&fresh);
    fresh.is_mounted_on(native);
    Some(fresh)
}

/// The thread has ended, after its THREAD_END; on its carrier, where it is mounted.
pub(crate) fn ended(identifier: ThreadIdentifier, record: &Arc<Thread>) {
    VIRTUAL_THREADS.remove(identifier.0);
    VIRTUAL_THREADS_BY_ENV.remove(record.env as u64);
    threads::forget_id(record);
    unmount();
}

/// Whether anybody has met this one.
pub(crate) fn is_known(identifier: ThreadIdentifier) -> bool {
    VIRTUAL_THREADS.get(identifier.0).is_some()
}
