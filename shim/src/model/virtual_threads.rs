//! Virtual threads: each has a record and a JNIEnv of its own from the first event that concerns it
//! to its end. While one is mounted it is the calling thread, and its carrier lends it what belongs
//! to the thread of the operating system ([`crate::model::native_thread`]).
//!
//! # Threads
//! Mounting and unmounting happen on the carrier, in the VM's callbacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

use id_map::{Kind, ObjectId};

use crate::model::method_stack::MethodStack;
use crate::model::native_thread::Asked;
use crate::model::tables::{IDS, THREADS, THREADS_BY_ID, VIRTUAL_BY_ID, VIRTUAL_THREADS};
use crate::model::thread::Thread;
use crate::model::{attention, current, ids};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::forwarding_env;
use crate::vm::hotspot::mounts::ThreadIdentifier;
use crate::vm::hotspot::weak_slots;
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, Weak};
use crate::vm::this_vm;

impl Thread {
    /// The record of the carrier that runs it, if it is a virtual thread and one does.
    pub(crate) fn carrier(&self) -> Option<Arc<Self>> {
        THREADS.get(self.runs_on()? as u64)
    }
}

/// Whether the calling thread carries this one.
pub(crate) fn is_mounted(identifier: ThreadIdentifier) -> bool {
    current::carrier().is_some_and(|carrier| carrier.native().carries(identifier))
}

/// The calling thread, whose record is `carrier`, carries this virtual thread from now on; whether
/// that has a record.
pub(crate) fn mount(carrier: &Arc<Thread>, identifier: ThreadIdentifier) -> bool {
    let native = carrier.native();
    native.note_change(identifier.0);
    let known = VIRTUAL_THREADS.get(identifier.0);
    current::carry(carrier, known.as_ref());
    let Some(known) = known else { return false };
    known.is_mounted_on(native);
    if known.methods_so_far().is_some() {
        current::with_cell(&known, Thread::methods, MethodStack::is_moved);
    }
    true
}

/// The calling thread carries none any more; false if it has no record.
pub(crate) fn unmount() -> bool {
    let Some(carrier) = current::carrier() else {
        // It was mounted before anybody asked, and is known if it was [found](meet_older).
        let noted = current::with_own(|own| {
            if let Some(found) = carried_by(own) {
                found.is_unmounted_from(own.native());
            }
            own.native().note_change(0);
        });
        return noted.is_some();
    };
    let native = carrier.native();
    current::with_own(|own| own.is_unmounted_from(native));
    native.note_change(0);
    current::carry_no_more();
    true
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
    // Relaxed: the thread's own; a limit that is a guess; and what has a fence behind it.
    let identifier = ThreadIdentifier(native.mounted.load(Ordering::Relaxed));
    let fresh = Arc::new(Thread::of_virtual(identifier, Weak::new(jni, thread)));
    forget_collected(jni, thread);
    VIRTUAL_THREADS.replace(identifier.0, Arc::clone(&fresh));
    current::set(&fresh);
    fresh.is_mounted_on(native);
    Some(fresh)
}

/// On another thread: the record of a virtual thread that `carrier` runs, as the VM says, and of which
/// the VM has told nothing yet. `None` if it is known, or unknown as before: a change has come meanwhile.
pub(crate) fn meet_older(
    jvmti: Jvmti,
    jni: Jni,
    carrier: &Thread,
    identifier: ThreadIdentifier,
    thread: ObjectRef<'_>,
) -> Option<Arc<Thread>> {
    let native = carrier.own_native()?;
    let used = jvmti.thread_cpu_time(carrier.object()?.get()).ok()?;
    let fresh = Thread::of_virtual(identifier, Weak::new(jni, thread));
    fresh.is_found_on(native);
    // It can be found before its carrier says that it runs it: then whoever unmounts it finds it.
    let (met, is_new) = VIRTUAL_THREADS.get_or_insert(identifier.0, Arc::new(fresh));
    if !is_new {
        return None;
    }
    if !native.is_found_with(identifier, used.cast_unsigned()) {
        // It may have ended before it could be found, and would stay for ever.
        VIRTUAL_THREADS.remove_unshared(identifier.0, &met);
    }
    by_env(met.env)
}

/// Threads that are parked and that nobody can reach may be collected, and of that end nobody is
/// told. Their records go when there are twice as many as at the last look.
fn forget_collected(jni: Jni, any: ObjectRef<'_>) {
    const FEW: usize = 4096;
    static LIMIT: AtomicUsize = AtomicUsize::new(FEW);
    let limit = LIMIT.load(Ordering::Relaxed);
    let many = VIRTUAL_THREADS.count();
    if many < limit || !weak_slots::can_tell(jni, any) {
        return;
    }
    let next = Ordering::Relaxed;
    if LIMIT
        .compare_exchange(limit, usize::MAX, next, next)
        .is_err()
    {
        return;
    }
    let collected = VIRTUAL_THREADS.retain(|thread| !thread.is_collected());
    for thread in &collected {
        thread.forget_id();
        if let Some(id) = thread.pays_tag()
            && thread.has_paid()
        {
            IDS.note_dead(id);
        }
        thread.keeps_its_env();
    }
    LIMIT.store(FEW.max(2 * (many - collected.len())), Ordering::Relaxed);
}

/// The thread has ended, after its THREAD_END; on its carrier, where it is mounted.
pub(crate) fn ended(jvmti: Jvmti, jni: Jni, identifier: ThreadIdentifier, record: &Arc<Thread>) {
    ids::ends(jvmti, jni, record);
    VIRTUAL_THREADS.remove(identifier.0);
    record.forget_id();
    unmount();
}

/// The one that the agent knows by this env.
pub(super) fn by_env(env: usize) -> Option<Arc<Thread>> {
    let record = VIRTUAL_THREADS.get(forwarding_env::whose(env)?)?;
    (record.env == env).then_some(record)
}

/// The one whose object has this id, as far as it is not in the table that all threads are in:
/// they are there from the first such question on.
pub(super) fn by_id(id: ObjectId) -> Option<Arc<Thread>> {
    static ADDED: AtomicBool = AtomicBool::new(false);
    if IDS.kind_of(id) != Some(Kind::Thread) {
        return None;
    }
    if ADDED.load(Ordering::Acquire) {
        // Another thread may have put it there since the caller looked.
        return THREADS_BY_ID.get(id.raw());
    }
    VIRTUAL_BY_ID.store(true, Ordering::Relaxed);
    fence(Ordering::SeqCst);
    for thread in VIRTUAL_THREADS.snapshot() {
        thread.add_by_id();
        // It may have ended before it was there.
        if by_env(thread.env).is_none() {
            thread.forget_id();
        }
    }
    ADDED.store(true, Ordering::Release);
    THREADS_BY_ID.get(id.raw())
}

/// Whether anybody has met this one.
pub(crate) fn is_known(identifier: ThreadIdentifier) -> bool {
    VIRTUAL_THREADS.get(identifier.0).is_some()
}

/// Those that carry virtual threads.
pub(crate) fn carriers() -> Vec<Arc<Thread>> {
    let mut all = THREADS.snapshot();
    all.retain(|thread| thread.attention() & attention::CARRIER != 0);
    all
}

/// What this carrier runs now, if the agent has met it.
pub(crate) fn carried_by(carrier: &Thread) -> Option<Arc<Thread>> {
    VIRTUAL_THREADS.get(carrier.own_native()?.carried()?.0)
}

/// Those of these virtual threads that have not ended.
pub(crate) fn of_identifiers(identifiers: Vec<ThreadIdentifier>) -> Vec<Arc<Thread>> {
    let known = identifiers.into_iter();
    let known = known.filter_map(|identifier| VIRTUAL_THREADS.get(identifier.0));
    known.collect()
}

/// The virtual thread that a carrier has been [asked](Thread::ask) for, and its stack.
pub(crate) fn answer(asked: Asked<'_>) -> Option<(Arc<Thread>, Vec<Frame>)> {
    let (identifier, frames) = asked.carried()?;
    Some((VIRTUAL_THREADS.get(identifier.0)?, frames))
}
