//! Which virtual thread runs on the calling carrier: to the agent that one is the thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::thread::Thread;
use crate::model::threads;
use crate::model::threads::virtual_threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::virtual_threads::mounts::{self, ThreadIdentifier};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef};
use crate::vm::this_vm;

/// The VM tells of each change.
static FOLLOWED: AtomicBool = AtomicBool::new(false);

/// Whether virtual threads are told apart.
pub(crate) fn are_followed() -> bool {
    FOLLOWED.load(Ordering::Acquire)
}

/// From now on the VM is to tell; false if it does already.
pub(crate) fn begin() -> bool {
    !FOLLOWED.swap(true, Ordering::AcqRel)
}

/// The VM has begun, or goes on, to run this one on the calling thread.
pub(crate) fn mount(jni: Jni, thread: ObjectRef<'_>) {
    if let Some(identifier) = mounts::identifier(jni, thread) {
        mount_known(jni, identifier);
    }
}

/// The same of one whose number is at hand; false if the agent has not met it.
pub(crate) fn mount_known(jni: Jni, identifier: ThreadIdentifier) -> bool {
    if virtual_threads::is_mounted(identifier) {
        // Its start has been told.
        return true;
    }
    mounts::learn_callers(jni);
    unmount();
    threads::enter(jni, None).is_some_and(|carrier| virtual_threads::mount(&carrier, identifier))
}

/// The VM is about to take it off the calling thread.
pub(crate) fn unmount() {
    // A carrier that is older than us may not have met us. Behind our end nobody would forget its record.
    let is_unmet = !virtual_threads::unmount() && this_vm::jvmti().is_some();
    if is_unmet && threads::own().is_some() {
        virtual_threads::unmount();
    }
}

/// Makes those known that carriers have been running since before the VM was to tell: one that computes may
/// never come to an event, nor leave its carrier. They have had no THREAD_START.
pub(crate) fn find_older(jvmti: Jvmti, jni: Jni) -> Vec<Arc<Thread>> {
    if !are_followed() {
        return Vec::new();
    }
    let mut carriers = virtual_threads::carriers();
    carriers.retain(|carrier| !carrier.native().has_changed());
    let found = carriers.iter().filter_map(|carrier| {
        let thread = mounts::carried_by(jvmti, jni, carrier.object()?.get())?;
        let identifier = mounts::identifier(jni, thread.get())?;
        virtual_threads::meet_older(jvmti, jni, carrier, identifier, thread.get())
    });
    found.collect()
}

/// What the calling thread runs, if that is a virtual one that was mounted before anybody asked
/// for it. `thread`: as the VM names it, if it does.
pub(crate) fn look(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    thread: Option<ObjectRef<'_>>,
) -> Option<Arc<Thread>> {
    if !are_followed() || own.is_virtual() || own.native().has_changed() {
        return None;
    }
    let asked = match thread {
        None => Some(jvmti.current_thread(jni)?),
        Some(_) => None,
    };
    let thread = thread.or(asked.as_ref().map(Local::get))?;
    if jni.same(own.object()?.get(), thread) {
        return None;
    }
    mount(jni, thread);
    threads::enter(jni, Some(thread))
}
