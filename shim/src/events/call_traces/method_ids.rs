//! Ids of methods for the walk by signal, which makes none: a frame of a method without one has no name.
//!
//! CLASS_LOAD makes them, since it names the methods of each class. For an agent that asks for stacks
//! of running threads (`xrun_ext.h`) and does without it, they are made here as the classes are
//! prepared, before any of their code runs; that is a small part of what telling of a class costs.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::needs::VmEvent;
use event_translate::table::EventKind;

use crate::base::log;
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// From now on each class that is prepared gets them.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Those that were prepared before have them, too.
static MADE: AtomicBool = AtomicBool::new(false);

/// Whether all methods that can run have ids.
pub(super) fn are_made() -> bool {
    MADE.load(Ordering::Acquire) || wanted::wants(EventKind::ClassLoad)
}

/// Whether ClassPrepare is on for this.
pub(crate) fn are_wanted() -> bool {
    WANTED.load(Ordering::Acquire)
}

/// An agent asks for stacks of running threads: sees to it that they are made, once.
pub(super) fn make(jvmti: Jvmti, jni: Jni) {
    if are_made() || WANTED.swap(true, Ordering::AcqRel) {
        return;
    }
    let made = jvmti
        .set_event(VmEvent::ClassPrepare, true)
        .and_then(|()| jvmti.each_loaded_class(jni, |class| of_class(jvmti, class)));
    match made {
        Ok(()) => MADE.store(true, Ordering::Release),
        Err(error) => log::warning!("{error}; samples are taken where threads stop"),
    }
}

/// ClassPrepare: none of its code has run.
pub(crate) fn prepared(jvmti: Jvmti, class: ObjectRef<'_>) {
    if are_wanted() {
        of_class(jvmti, class);
    }
}

/// Those of a class that is not prepared yet are made when it is.
fn of_class(jvmti: Jvmti, class: ObjectRef<'_>) {
    drop(jvmti.methods(class));
}
