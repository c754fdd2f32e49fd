//! Virtual threads: each has a record and a JNIEnv of its own from the first event that concerns it
//! to its end. While one is mounted it is the calling thread, and its carrier lends it what belongs
//! to the thread of the operating system ([`crate::model::thread::native_thread`]).
//!
//! # Threads
//! Mounting and unmounting happen on the carrier, in the VM's callbacks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

use id_map::{Kind, ObjectId};
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_ALIVE;

use crate::model::ids;
use crate::model::own::method_stack::MethodStack;
use crate::model::tables::{IDS, THREADS, THREADS_BY_ID, VIRTUAL_BY_ID, VIRTUAL_THREADS};
use crate::model::thread::native_thread::{Asked, NativeThread};
use crate::model::thread::{Thread, attention, current, threads_met};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::heap::weak_slots;
use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;
use crate::vm::jni::Jni;
use crate::vm::jni::forwarding_env;
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

/// In tests: calls `body` with the record of a virtual thread while the calling thread, whose record is `carrier`, carries
/// it.
#[cfg(test)]
pub(crate) fn while_mounted<T>(carrier: &Arc<Thread>, body: impl FnOnce(&Arc<Thread>) -> T) -> T {
    let mounted = Arc::new(Thread::of_virtual(ThreadIdentifier(7), None));
    current::carry(carrier, Some(&mounted));
    let result = body(&mounted);
    current::carry_no_more();
    current::clear();
    result
}

/// The calling thread carries none any more; false if it has no record.
pub(crate) fn unmount() -> bool {
    let Some(carrier) = current::carrier() else {
        // It was mounted before anybody asked, and is known if it was [found](meet_older).
        let noted = current::with_own(|own| {
            let found = own.native().take_found();
            if let Some(found) = found.and_then(|found| VIRTUAL_THREADS.get(found.0)) {
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
    Some(meets(native, identifier, fresh))
}

/// On the carrier `native`: the record of what it runs is this one, unless another thread has been first to
/// [meet it](meet_older).
fn meets(native: &NativeThread, identifier: ThreadIdentifier, fresh: Arc<Thread>) -> Arc<Thread> {
    let (met, _) = VIRTUAL_THREADS.get_or_insert(identifier.0, fresh);
    current::set(&met);
    met.is_mounted_on(native);
    met
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
    let met = found_on(native, identifier, fresh)?;
    settle(native, identifier, &met, used.cast_unsigned());
    // Of one that had ended before it could be found nobody tells.
    let is_alive = |state| state & JVMTI_THREAD_STATE_ALIVE != 0;
    if !jvmti.thread_state(thread.into()).is_ok_and(is_alive) {
        VIRTUAL_THREADS.remove(identifier.0);
        met.forget_id();
    }
    by_env(met.env)
}

/// On another thread than `native`, which runs it: it can be found from now on, before its carrier says that it
/// runs it: then whoever unmounts it finds it. `None` if it is known.
fn found_on(
    native: &NativeThread,
    identifier: ThreadIdentifier,
    fresh: Thread,
) -> Option<Arc<Thread>> {
    fresh.is_found_on(native);
    let (met, is_new) = VIRTUAL_THREADS.get_or_insert(identifier.0, Arc::new(fresh));
    is_new.then_some(met)
}

/// The carrier says so, too, with `used` nanoseconds of CPU time behind it; or it has told of a change meanwhile,
/// and what it told stands.
fn settle(native: &NativeThread, identifier: ThreadIdentifier, met: &Thread, used: u64) {
    if !native.is_found_with(identifier, used) {
        met.is_not_found_on(native);
    }
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
        threads_met::one_less();
    }
    LIMIT.store(FEW.max(2 * (many - collected.len())), Ordering::Relaxed);
}

/// The thread has ended, after its THREAD_END; on its carrier, where it is mounted.
pub(crate) fn ended(jvmti: Jvmti, jni: Jni, identifier: ThreadIdentifier, record: &Arc<Thread>) {
    ids::ends(jvmti, jni, record);
    VIRTUAL_THREADS.remove(identifier.0);
    record.forget_id();
    unmount();
    threads_met::one_less();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A virtual thread that a carrier has run since before the VM was to tell, and is found on it by another thread.
    struct Older {
        carrier: Arc<Thread>,
        identifier: ThreadIdentifier,
    }

    impl Older {
        /// On the carrier, which is the calling thread; each has an env and a number of its own.
        fn new(number: u64) -> Self {
            let carrier = Arc::new(Thread::new(usize::try_from(number).unwrap() * 16));
            THREADS.replace(carrier.env as u64, Arc::clone(&carrier));
            current::set(&carrier);
            let identifier = ThreadIdentifier(number);
            Self {
                carrier,
                identifier,
            }
        }

        fn fresh(&self) -> Thread {
            Thread::of_virtual(self.identifier, None)
        }

        /// What happens in between happens on the carrier.
        fn is_found(&self, between: impl FnOnce()) -> Arc<Thread> {
            let native = self.carrier.native();
            let met = found_on(native, self.identifier, self.fresh()).unwrap();
            between();
            settle(native, self.identifier, &met, 0);
            met
        }

        fn mounts(&self) -> bool {
            mount(&self.carrier, self.identifier)
        }

        fn is_on_it(&self, met: &Thread) -> bool {
            met.runs_on() == Some(self.carrier.env)
        }
    }

    impl Drop for Older {
        fn drop(&mut self) {
            unmount();
            current::clear();
            VIRTUAL_THREADS.remove(self.identifier.0);
            THREADS.remove(self.carrier.env as u64);
        }
    }

    #[test]
    fn who_is_found_is_on_its_carrier_until_that_tells_of_a_change() {
        let older = Older::new(101);
        let met = older.is_found(|| ());
        assert!(older.is_on_it(&met));
        assert_eq!(
            carried_by(&older.carrier).map(|found| found.env),
            Some(met.env)
        );
        assert!(found_on(older.carrier.native(), older.identifier, older.fresh()).is_none());
        unmount();
        assert!(met.is_unmounted());
        assert!(older.mounts() && older.is_on_it(&met));
    }

    #[test]
    fn who_is_unmounted_meanwhile_is_on_nobody() {
        let older = Older::new(102);
        let met = older.is_found(|| _ = unmount());
        assert!(met.is_unmounted());
        assert!(carried_by(&older.carrier).is_none());
    }

    #[test]
    fn who_is_mounted_again_meanwhile_stays() {
        let older = Older::new(103);
        let met = older.is_found(|| {
            unmount();
            assert!(older.mounts());
        });
        assert!(older.is_on_it(&met));
        unmount();
        assert!(met.is_unmounted());
    }

    /// By a carrier that has begun to run it before it could be found: it is the same thread to that one.
    #[test]
    fn who_goes_on_before_it_is_found_is_one_thread() {
        let older = Older::new(104);
        unmount();
        assert!(!older.mounts());
        let met = older.is_found(|| ());
        assert!(met.is_unmounted(), "as far as anybody has told");
        let own = meets(
            older.carrier.native(),
            older.identifier,
            Arc::new(older.fresh()),
        );
        assert_eq!(own.env, met.env);
        assert!(older.is_on_it(&met) && current::is(&met));
    }
}
