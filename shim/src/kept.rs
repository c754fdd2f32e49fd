//! Events that a thread could not send at once: a bracket was open, and a thread
//! with agent code on its stack must not wait for its end; or it has threads suspended.
//!
//! They are sent by the same thread, in their order, as soon as it may.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use event_translate::table::EventKind;
use id_map::{Flag, ObjectId};

use crate::classes::{self, Class};
use crate::dispatch::{self, Patience};
use crate::ffi::current;
use crate::ffi::errno::ErrnoKept;
use crate::guards::{Attention, ExceptionAside};
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::state::{self, IDS, Phase};
use crate::threads::{self, Thread, attention};
use crate::{bracket, gate, global_refs, method_events, monitor_events, objects, raw_monitors};

/// An event that waits for its thread.
#[derive(Debug)]
pub(crate) enum Kept {
    /// OBJECT_ALLOC; the id has [`id_map::Flag::KEPT`], so that it does not die before.
    Object(ObjectId),
    /// CLASS_LOAD.
    Class(Arc<Class>),
    /// THREAD_START.
    Thread(Arc<Thread>),
    /// An event without contents of its own.
    Plain(EventKind),
    /// METHOD_ENTRY, METHOD_ENTRY2 (with the receiver) or METHOD_EXIT.
    Method(EventKind, usize, Option<ObjectId>),
    /// JNI_(WEAK_)GLOBALREF_ALLOC (with the object) or FREE.
    Reference(EventKind, Option<ObjectId>, usize),
    /// An event of a monitor: its object, and milliseconds.
    Monitor(EventKind, Option<ObjectId>, i64),
    /// An event of a raw monitor: its handle and its name.
    Raw(EventKind, usize, Arc<CStr>),
}

/// Sends what the calling thread has kept. False if that is not to be tried: it is not in
/// the VM, or the agent has to hear of it first.
#[cold]
pub(crate) fn flush_here() -> bool {
    if let (Some(jvmti), Some(jni), Some(own)) =
        (state::jvmti(), Jni::of_this_thread(), current::own())
        // Behind its THREAD_START comes its own object first.
        && (own.announced.is_done() || !state::wants(EventKind::ThreadStart))
    {
        flush(jvmti, jni, &own);
        return true;
    }
    false
}

/// The same for a thread that may have left the thread-suspended mode. Before EnableGC it
/// still has locks of the agent's in its hands.
pub(crate) fn flush_after_suspension() {
    let has_kept = || current::with_own(|own| own.has_kept()) == Some(true);
    if has_kept() && !bracket::is_disabled() && !Thread::has_suspended_others() {
        flush_here();
    }
}

/// The same for a thread that ends: it waits for the end of a bracket, a second at most.
pub(crate) fn flush_at_the_end(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let start = Instant::now();
    flush(jvmti, jni, own);
    while own.has_kept() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
        flush(jvmti, jni, own);
    }
}

/// Sends what the thread, which is the calling one, has kept. What still cannot be
/// sent is kept again.
pub(crate) fn flush(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if !own.has_kept() {
        return;
    }
    let _flushing = Attention::set(own, attention::FLUSHING);
    let _aside = ExceptionAside::put(jni);
    let _errno = ErrnoKept::here();
    let mut kept = own.take_kept().into_iter();
    while let Some(event) = kept.next() {
        let closed = !gate::is_open() && state::phase() == Phase::Live && !gate::is_replay()
            || matches!(event, Kept::Class(_)) && Thread::has_suspended_others();
        if closed || own.attention() & attention::KEPT != 0 {
            // The rest comes behind what could not be sent after all.
            own.keep_again(event, kept);
            break;
        }
        match event {
            Kept::Object(id) => {
                if IDS.get(id).is_some_and(|entry| !entry.has(Flag::ALLOCATED)) {
                    objects::send(own, id);
                }
            }
            Kept::Class(class) => {
                classes::announce(jvmti, jni, own, &class, Patience::Short);
            }
            Kept::Thread(thread) => {
                threads::announce(jvmti, jni, own, &thread, Patience::Short);
            }
            Kept::Plain(kind) => {
                dispatch::send_plain(own, kind);
            }
            Kept::Method(kind, method, receiver) => {
                if let Some(id) = receiver {
                    objects::define_by_id(jvmti, jni, own, id);
                }
                method_events::send(own, kind, method, receiver);
            }
            Kept::Reference(kind, object, reference) => {
                global_refs::send(own, kind, object, reference);
            }
            Kept::Monitor(kind, object, millis) => {
                if let Some(id) = object {
                    objects::define_by_id(jvmti, jni, own, id);
                }
                monitor_events::send(own, kind, object, millis);
            }
            Kept::Raw(kind, monitor, name) => {
                let monitor = std::ptr::with_exposed_provenance_mut(monitor);
                raw_monitors::send(own, kind, monitor, &name);
            }
        }
    }
}
