//! Which threads there are, as JVMPI names them: by their JNIEnv. Here they are met, found and forgotten; [`thread_ids`]
//! has the ids of their objects, [`virtual_threads`] those that are mounted on others, [`suspended`] those that an agent
//! has stopped.
//!
//! A record lives from the first sign of a thread (its ThreadStart, a call it
//! makes, or the list of threads at VMInit) to its ThreadEnd.
//!
//! A line belongs here if it looks for threads in [`crate::model::tables`], or puts them there; what is about one record alone is in
//! [`crate::model::thread`].

mod suspended;
mod thread_ids;
pub(crate) mod virtual_threads;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::ObjectId;
use jvmpi_headers::jni::JNIEnv;
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_ALIVE;

use crate::model::tables::{IDS, SUSPENDED, THREADS, THREADS_BY_ID, VIRTUAL_THREADS};
use crate::model::thread::{Thread, attention, current, threads_met};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::thread_env;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

/// The record of an env that an agent hands us; `None` for nonsense. The calling
/// thread's own env is known also when the thread meets us for the first time.
pub(crate) fn by_env(env: *mut JNIEnv) -> Option<Arc<Thread>> {
    current::own_if(env.addr())
        .or_else(|| THREADS.get(env.addr() as u64))
        .or_else(|| virtual_threads::by_env(env.addr()))
        .or_else(|| SUSPENDED.get(env.addr() as u64))
        .or_else(|| own().filter(|own| own.env == env.addr()))
}

/// The calling thread's record, made if need be. `None` for a thread the VM does
/// not know.
pub(crate) fn own() -> Option<Arc<Thread>> {
    current::own().or_else(|| enter(Jni::of_this_thread()?, None))
}

/// The calling thread's record in a callback, where the VM names env and thread
/// (`None` if it does not).
pub(crate) fn enter(jni: Jni, thread: Option<ObjectRef<'_>>) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    let record = if let Some(own) = current::own_if(env) {
        own
    } else if let Some(carrier) = current::carrier() {
        return virtual_threads::meet(jni, &carrier, thread);
    } else {
        let fresh = || Arc::new(Thread::new(env));
        let (mut record, _) = THREADS.get_or_insert(env as u64, fresh());
        if record.native().is_of_another(current::key()) {
            // Of a thread that has met us behind its end, in somebody else's callback: the env is not its any more.
            THREADS.remove_own(env as u64, &record);
            (record, _) = THREADS.get_or_insert(env as u64, fresh());
        }
        current::set(&record);
        record
    };
    if let Some(thread) = thread {
        record.set_object(jni, thread);
    }
    // One that has ended and is called once more, in a handler of signals, stays ended.
    if !record.native().is_met() && !current::has_ended() {
        record.native().met_itself(current::key());
    }
    Some(record)
}

/// The calling thread, whose record is `own`, is about to be told of. If it has met us in somebody
/// else's callback, which may come before our ThreadStart, it is for the VM to name it. (Not while it
/// is being attached, nor behind its end.) That it is a carrier is noted in our ThreadStart only: its
/// THREAD_START, its own object and its references are told of all the same, and it runs no virtual
/// thread before.
pub(crate) fn name_own(jvmti: Jvmti, jni: Jni, own: &Thread) {
    if own.object().is_none()
        && !current::has_ended()
        && let Some(thread) = jvmti.current_thread(jni)
        && jvmti
            .thread_state(thread.get().into())
            .is_ok_and(|state| state & JVMTI_THREAD_STATE_ALIVE != 0)
    {
        own.set_object(jni, thread.get());
    }
}

/// Whether the calling thread, whose record is `own`, is a native one in AttachCurrentThread:
/// it makes objects and runs Java code before its ThreadStart (JVMTI facts 18), so its
/// THREAD_START is wanted but not due yet. `thread`: as the VM names it, if it does.
pub(crate) fn is_attaching(jvmti: Jvmti, own: &Thread, thread: Option<ObjectRef<'_>>) -> bool {
    let is_not_alive = |state| state & JVMTI_THREAD_STATE_ALIVE == 0;
    own.attention() & attention::UNMET != 0
        && wanted::wants(EventKind::ThreadStart)
        && !own.announced.is_done()
        && thread.is_none_or(|thread| jvmti.thread_state(thread.into()).is_ok_and(is_not_alive))
}

/// A thread starts, on itself. Its env may have belonged to another that has
/// ended: nothing of that one may be seen again.
pub(crate) fn started(jni: Jni, thread: ObjectRef<'_>) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    current::set_ended(false);
    if let Some(known) = THREADS.get(env as u64) {
        // Without an object it is from before VMStart, when no end was reported.
        let same = match known.object() {
            None => current::is_own(env),
            Some(object) => jni.same(object.get(), thread),
        };
        if same {
            current::set(&known);
            return enter(jni, Some(thread));
        }
        forget(&known);
    }
    current::clear();
    enter(jni, Some(thread))
}

/// A thread has ended, on itself, after its THREAD_END.
pub(crate) fn ended(record: &Arc<Thread>) {
    current::set_ended(true);
    record.native().end_captures();
    forget(record);
    current::clear();
}

/// The calling thread, whose end is past, is about to be attached once more. If somebody else's
/// callback behind that end has met us, that was not the thread that comes now: it has another env.
pub(crate) fn attaches_anew() {
    if let Some(met) = current::own() {
        forget(&met);
        current::clear();
    }
    current::set_ended(false);
}

/// AttachCurrentThread has failed on the calling thread, and may have made its object and run its constructor before: who
/// has met us there is nobody, and its env may be another's next.
pub(crate) fn attach_failed() {
    if let Some(met) = current::own() {
        met.native().end_captures();
        forget(&met);
        current::clear();
    }
}

fn forget(record: &Arc<Thread>) {
    IDS.retire(&record.native().supply);
    // What stands there may be the record of who has the env now.
    THREADS.remove_own(record.env as u64, record);
    record.forget_id();
    threads_met::one_less();
}

/// The record of a thread that has met us, by the env the VM keeps for it. `None` if it has
/// not run yet or has ended: what stands under its env is another's.
pub(crate) fn of(jni: Jni, thread: ObjectRef<'_>, env: usize) -> Option<Arc<Thread>> {
    let record = THREADS.get(env as u64)?;
    // It may have called us before the VM would tell its object.
    record.set_object(jni, thread);
    record
        .object()
        .is_some_and(|object| jni.same(object.get(), thread))
        .then_some(record)
}

/// The env of a live platform thread; where the VM's own way to it is not there, that of one
/// which has met us.
pub(crate) fn env_of(jni: Jni, thread: ObjectRef<'_>) -> Option<usize> {
    if thread_env::is_found() {
        return thread_env::env_of(jni, thread);
    }
    let is_it = |known: &Arc<Thread>| {
        let object = known.object();
        object.is_some_and(|object| jni.same(object.get(), thread))
    };
    let known = THREADS.snapshot().into_iter().find(is_it)?;
    Some(known.env)
}

/// A record of a thread that has not met us, for the caller's eyes only: an env does not tell
/// whether its thread is to come or has just ended, and may be another's in a moment.
pub(crate) fn unmet(env: usize) -> Arc<Thread> {
    let record = Thread::new(env);
    record.ends.store(true, Ordering::SeqCst);
    Arc::new(record)
}

/// Adds a thread that is not the calling one, by the env the VM keeps for it.
pub(crate) fn discover(jni: Jni, thread: ObjectRef<'_>, env: usize) -> Arc<Thread> {
    let fresh = Thread::new(env);
    // Complete before it can be found: the thread itself may be starting just now.
    fresh.set_object(jni, thread);
    let (record, _) = THREADS.get_or_insert(env as u64, Arc::new(fresh));
    // It may have called us before the VM would tell its object.
    record.set_object(jni, thread);
    record.native().told_of();
    record
}

/// The live thread whose `java.lang.Thread` has this id.
pub(crate) fn by_id(id: ObjectId) -> Option<Arc<Thread>> {
    THREADS_BY_ID
        .get(id.raw())
        .or_else(|| virtual_threads::by_id(id))
}

/// All platform threads, and the virtual ones that the agent has met.
pub(crate) fn all_kinds() -> impl Iterator<Item = Arc<Thread>> {
    let virtual_ones = VIRTUAL_THREADS.snapshot();
    THREADS.snapshot().into_iter().chain(virtual_ones)
}

/// Nothing of ours keeps the program's threads alive any more. Whoever uses the object of one now may
/// finish that.
pub(crate) fn let_objects_go() {
    for thread in THREADS.snapshot().iter().chain(&SUSPENDED.snapshot()) {
        thread.let_object_go();
    }
}

/// All threads whose THREAD_START the agent should have had by JVM_INIT_DONE.
pub(crate) fn all() -> Vec<Arc<Thread>> {
    let mut threads = THREADS.snapshot();
    threads.sort_by_key(|thread| thread.known_id());
    threads
}
