//! Threads as JVMPI names them: by their JNIEnv.
//!
//! A record lives from the first sign of a thread (its ThreadStart, a call it
//! makes, or the list of threads at VMInit) to its ThreadEnd. Virtual threads
//! have none of their own: they run under their carrier's env.

use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::table::EventKind;
use id_map::{Claim, Flag, ObjectId};
use jvmpi_headers::jni::{JNIEnv, jobject};
use jvmpi_headers::jvmpi::{JVMPI_Event_thread_start, JVMPI_REQUESTED_EVENT};

use crate::delivery::deferred::{self, Kept};
use crate::delivery::dispatch::{self, Patience, Sent};
use crate::events::objects::allocations;
use crate::model::current;
use crate::model::tables::{IDS, SUSPENDED, THREADS, THREADS_BY_ID};
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::memory::Text;
use crate::vm::refs::Local;

/// The record of an env that an agent hands us; `None` for nonsense. The calling
/// thread's own env is known also when the thread meets us for the first time.
pub(crate) fn by_env(env: *mut JNIEnv) -> Option<Arc<Thread>> {
    current::own_if(env.addr())
        .or_else(|| THREADS.get(env.addr() as u64))
        .or_else(|| SUSPENDED.get(env.addr() as u64))
        .or_else(|| own().filter(|own| own.env == env.addr()))
}

/// The calling thread's record, made if need be. `None` for a thread the VM does
/// not know.
pub(crate) fn own() -> Option<Arc<Thread>> {
    current::own().or_else(|| enter(Jni::of_this_thread()?, ptr::null_mut()))
}

/// The calling thread's record in a callback, where the VM names env and thread
/// (null if it does not).
pub(crate) fn enter(jni: Jni, thread: jobject) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    let record = if let Some(own) = current::own_if(env) {
        own
    } else {
        let (record, _) = THREADS.get_or_insert(env as u64, Arc::new(Thread::new(env)));
        current::set(&record);
        record
    };
    record.set_object(jni, thread);
    record.met_itself();
    Some(record)
}

/// A thread starts, on itself. Its env may have belonged to another that has
/// ended: nothing of that one may be seen again.
pub(crate) fn started(jni: Jni, thread: jobject) -> Option<Arc<Thread>> {
    let env = jni.env().expose_provenance();
    current::set_ended(false);
    if let Some(known) = THREADS.get(env as u64) {
        // Without an object it is from before VMStart, when no end was reported.
        let same = if known.object().is_null() {
            current::is_own(env)
        } else {
            jni.same(known.object(), thread)
        };
        if same {
            current::set(&known);
            return enter(jni, thread);
        }
        forget(&known);
    }
    current::clear();
    enter(jni, thread)
}

/// A thread has ended, on itself, after its THREAD_END.
pub(crate) fn ended(record: &Arc<Thread>) {
    record.end_captures();
    forget(record);
    current::clear();
    current::set_ended(true);
}

fn forget(record: &Arc<Thread>) {
    IDS.retire(&record.supply);
    THREADS.remove(record.env as u64);
    if let Some(id) = record.known_id() {
        THREADS_BY_ID.remove(id.raw());
    }
}

/// The record of a thread that has met us, by the env the VM keeps for it. `None` if it has
/// not run yet or has ended: what stands under its env is another's.
pub(crate) fn of(jni: Jni, thread: jobject, env: usize) -> Option<Arc<Thread>> {
    let record = THREADS.get(env as u64)?;
    // It may have called us before the VM would tell its object.
    record.set_object(jni, thread);
    jni.same(record.object(), thread).then_some(record)
}

/// A record of a thread that has not met us, for the caller's eyes only: an env does not tell
/// whether its thread is to come or has just ended, and may be another's in a moment.
pub(crate) fn stranger(env: usize) -> Arc<Thread> {
    let record = Thread::new(env);
    record.ends.store(true, Ordering::SeqCst);
    Arc::new(record)
}

/// Adds a thread that is not the calling one, by the env the VM keeps for it.
pub(crate) fn discover(jni: Jni, thread: jobject, env: usize) -> Arc<Thread> {
    let fresh = Thread::new(env);
    // Complete before it can be found: the thread itself may be starting just now.
    fresh.set_object(jni, thread);
    let (record, _) = THREADS.get_or_insert(env as u64, Arc::new(fresh));
    // It may have called us before the VM would tell its object.
    record.set_object(jni, thread);
    record.told_of();
    record
}

/// Sends THREAD_START of `thread` unless it was sent; true when the agent knows
/// the thread now (or does not want to).
pub(crate) fn announce(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
    patience: Patience,
) -> bool {
    if thread.announced.is_done() || !dispatch::reaches_agent(EventKind::ThreadStart) {
        return true;
    }
    if sender.env != thread.env {
        // The thread's object is defined first, as anything that is named.
        define(jvmti, jni, sender, thread);
    }
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return false;
    };
    match thread.announced.claim(current::key()) {
        Claim::Mine => {
            let claimed = thread.announced.claimed();
            let sent = start.send(sender, EventKind::ThreadStart.raw());
            match sent {
                Sent::Yes => claimed.finish(),
                Sent::No | Sent::Later => drop(claimed),
            }
            if sent == Sent::Later {
                sender.keep(Kept::Thread(Arc::clone(thread)));
            } else if sent == Sent::Yes && sender.env == thread.env {
                // Its own object, of which not every VM tells, and what it has done
                // while it was attached.
                define(jvmti, jni, sender, thread);
                deferred::flush(jvmti, jni, sender);
            }
            true
        }
        Claim::Done => true,
        Claim::Elsewhere => dispatch::wait_for(&thread.announced, patience),
    }
}

/// Sends the OBJECT_ALLOC of the thread's object, if that is wanted and never came.
fn define(jvmti: Jvmti, jni: Jni, sender: &Arc<Thread>, thread: &Thread) {
    if dispatch::reaches_agent(EventKind::ObjectAlloc) && !thread.object().is_null() {
        allocations::discover(jvmti, jni, sender, thread.object());
    }
}

/// Sends a requested THREAD_START; false if the thread has ended.
pub(crate) fn send_requested(
    jvmti: Jvmti,
    jni: Jni,
    sender: &Arc<Thread>,
    thread: &Arc<Thread>,
) -> bool {
    let Some(start) = Start::collect(jvmti, jni, thread) else {
        return false;
    };
    // A request defines the thread as well: no second event for it.
    let mine = thread.announced.claim(current::key()) == Claim::Mine;
    let claimed = mine.then(|| thread.announced.claimed());
    let sent =
        start.send(sender, EventKind::ThreadStart.raw() | JVMPI_REQUESTED_EVENT) == Sent::Yes;
    if let Some(claimed) = claimed.filter(|_| sent) {
        claimed.finish();
    }
    sent
}

/// The contents of one THREAD_START.
struct Start {
    env: usize,
    id: ObjectId,
    name: Option<Text>,
    group: Option<Text>,
    parent: Option<Text>,
}

impl Start {
    fn collect(jvmti: Jvmti, jni: Jni, thread: &Arc<Thread>) -> Option<Self> {
        let id = thread.id(jvmti, jni)?;
        let (name, group, loader) = jvmti.thread_info(thread.object()).ok()?;
        let _loader = Local::adopt(jni, loader);
        let (mut group_name, mut parent_name) = (None, None);
        if let Some(group) = Local::adopt(jni, group)
            && let Ok((parent, name)) = jvmti.group_info(group.get())
        {
            group_name = name;
            if let Some(parent) = Local::adopt(jni, parent)
                && let Ok((grandparent, name)) = jvmti.group_info(parent.get())
            {
                let _grandparent = Local::adopt(jni, grandparent);
                parent_name = name;
            }
        }
        Some(Self {
            env: thread.env,
            id,
            name,
            group: group_name,
            parent: parent_name,
        })
    }

    fn send(&self, sender: &Arc<Thread>, event_type: i32) -> Sent {
        // Hosts always gave these two, and agents copy them unseen. (The group of a
        // thread that is ending is gone.)
        const NAMELESS: &CStr = c"";
        let text_or_empty = |text: &Option<Text>| {
            text.as_ref()
                .map_or(NAMELESS.as_ptr().cast_mut(), Text::as_ptr)
        };
        dispatch::deliver_filled(sender, event_type, |event| {
            IDS.set(self.id, Flag::KNOWN);
            event.u.thread_start = JVMPI_Event_thread_start {
                thread_name: text_or_empty(&self.name),
                group_name: text_or_empty(&self.group),
                parent_name: self.parent.as_ref().map_or(ptr::null_mut(), Text::as_ptr),
                thread_id: dispatch::object_id(Some(self.id)),
                thread_env_id: ptr::with_exposed_provenance_mut(self.env),
            };
        })
    }
}

/// All threads whose THREAD_START the agent should have had by JVM_INIT_DONE.
pub(crate) fn all() -> Vec<Arc<Thread>> {
    let mut threads = THREADS.snapshot();
    threads.sort_by_key(|thread| thread.known_id());
    threads
}
