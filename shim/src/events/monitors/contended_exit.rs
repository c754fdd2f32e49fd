//! MONITOR_CONTENDED_EXIT: the owner leaves a monitor that another waits for.
//!
//! JVMTI tells of the waiter only, so the owner says it itself: rewritten code asks a
//! static field before it leaves a monitor, and the field is true while anybody waits for
//! anything ([`crate::events::monitors::waiters`]). JNI's MonitorExit and `Object.wait` come here too.
//!
//! Which owner has to say it, and when, is decided by [`protocols::contended_exit`].

use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::ObjectId;
use protocols::contended_exit::{Duty, Leaving};

use crate::base::patience;
use crate::events::monitors::telling::{self, here};
use crate::events::monitors::waiters;
use crate::model::ids;
use crate::model::thread::{Thread, current};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::hotspot::vm_monitors;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, ThreadRef};
use crate::vm::{stack, this_vm};

/// The thread is about to leave a monitor, once; an exception may be pending.
pub(crate) fn leaves(jni: Jni, object: ObjectRef<'_>) {
    if !waiters::any() {
        return;
    }
    // What somebody waits for has been named.
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    let Some(id) = ids::tagged(jvmti, object).flatten() else {
        return;
    };
    if !waiters::is_contended(id) {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some(own) = here(jvmti, jni, None) {
        leave(jvmti, jni, &own, (id, object), false);
    }
}

/// The same for the monitor of a class, of which a static synchronized method is told by
/// the stack alone: its class file is too old to name its class.
pub(crate) fn leaves_class(jni: Jni) {
    if !waiters::any() {
        return;
    }
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    let aside = ExceptionAside::put(jni);
    // Two methods of the hook class are on top.
    const ABOVE: usize = 2;
    let stack = stack::take(jvmti, ThreadRef::CURRENT, 1 + ABOVE, |frames| {
        frames.get(ABOVE).map(|frame| frame.method)
    });
    let method = stack.ok().flatten();
    let class = method.and_then(|method| jvmti.declaring_class(jni, method).ok());
    drop(aside);
    if let Some(class) = class {
        leaves(jni, class.get());
    }
}

/// The calling thread has entered a monitor by JNI.
pub(crate) fn note_jni_entry() {
    count_jni_entries(|count| count.saturating_add(1));
}

/// It has left one.
pub(crate) fn note_jni_exit() {
    count_jni_entries(|count| count.saturating_sub(1));
}

fn count_jni_entries(change: impl FnOnce(u32) -> u32) {
    current::with_own(|own| {
        let entries = &own.native().jni_entries;
        // Relaxed: the thread's own.
        entries.store(change(entries.load(Ordering::Relaxed)), Ordering::Relaxed);
    });
}

/// The calling thread ends: where it is a native one that detaches itself the VM takes it out of the monitors
/// that it has entered by JNI.
pub(crate) fn thread_ends(jvmti: Jvmti, jni: Jni, own: &Thread) {
    if own.native().jni_entries.load(Ordering::Relaxed) == 0 {
        return;
    }
    for id in waiters::all() {
        if let Some(object) = jvmti.object_with_tag(jni, id.raw())
            && vm_monitors::holds(jni, object.get())
        {
            leave(jvmti, jni, own, (id, object.get()), true);
        }
    }
}

/// MONITOR_CONTENDED_EXIT, if the calling thread has to tell of it; `wholly`, whatever the number
/// of its entries.
pub(super) fn leave(
    jvmti: Jvmti,
    jni: Jni,
    own: &Thread,
    monitor: (ObjectId, ObjectRef<'_>),
    wholly: bool,
) {
    if is_to_be_told(jvmti, jni, own, monitor, wholly) {
        telling::send(own, EventKind::MonitorContendedExit, Some(monitor.0), 0);
    }
}

/// The calling thread, which owns the monitor of `object`, is about to leave it; `wholly`,
/// whatever the number of its entries. Whether it has to tell of that.
fn is_to_be_told(
    jvmti: Jvmti,
    jni: Jni,
    own: &Thread,
    (id, object): (ObjectId, ObjectRef<'_>),
    wholly: bool,
) -> bool {
    let me = current::key();
    let duty = |patient: bool, asked: bool| {
        let leaving = Leaving {
            me,
            wholly,
            patient,
            asked,
        };
        let enters_again = |monitor| vm_monitors::recursions(monitor) > 0;
        waiters::leaves(id, leaving, enters_again)
    };
    let mut asked = false;
    let mut look = |patient| loop {
        match duty(patient, asked) {
            Duty::Nothing => return Some(false),
            Duty::Tell => return Some(true),
            Duty::Wait => return None,
            Duty::Ask => {
                match jvmti.monitor_usage(jni, object) {
                    Ok(usage) if usage.entry_count > 1 => return Some(false),
                    // Of a virtual owner it says nothing (from JDK 23 on), but counts what it has
                    // entered as soon as it enters once more. Who leaves what is another's gets no
                    // further than to be told so.
                    Ok(usage)
                        if usage.entry_count == 0
                            && vm_monitors::holds(jni, object)
                            && jni.enter_monitor(object) =>
                    {
                        jni.exit_monitor(object);
                    }
                    Ok(_) | Err(_) => {}
                }
                asked = true;
            }
        }
    };
    let told = match own.native().may_hold_a_lock() {
        true => None,
        false => patience::ENTER_BEFORE_EXIT.until_some(|| look(true)),
    };
    told.or_else(|| look(false)).unwrap_or_default()
}
