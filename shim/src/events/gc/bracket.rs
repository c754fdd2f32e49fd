//! A collection as a JVMPI agent sees it: GC_START, what died and moved, GC_FINISH,
//! all on one thread and nothing else in between (JVMPI facts R2).
//!
//! The VM's own collection is over by then. The bracket is ours to postpone: it
//! waits for handlers in flight and for agents that have disabled GC.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use event_translate::{EventKind, EventSet};
use id_map::Recycler;
use jvmpi_headers::jvmpi::JVMPI_Event_gc_info;

use crate::base::patience::{self, Patience};
use crate::delivery::{announce, deferred, gate};
use crate::events::compiled_code::compiled;
use crate::events::gc::bracket_ends::Ends;
use crate::events::gc::claim::Claim;
use crate::events::gc::disabling;
use crate::events::gc::{collections, deaths, heap_count};
use crate::model::tables::{IDS, NUMBERS};
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

/// The events that a bracket consists of.
pub(crate) const EVENTS: EventSet = EventSet::of(&[
    EventKind::ObjectFree,
    EventKind::ObjectMove,
    EventKind::GcStart,
    EventKind::GcFinish,
    EventKind::ArenaNew,
    EventKind::ArenaDelete,
    EventKind::ClassUnload,
]);

/// The thread that ends the VM, once only that one sends brackets; else 0.
static LAST_SENDER: AtomicU64 = AtomicU64::new(0);

/// The VM is about to end: from now on nobody but the calling thread begins a bracket. One that
/// has begun goes on.
pub(crate) fn end_others() {
    LAST_SENDER.store(current::key(), Ordering::Release);
}

/// What became of a bracket.
pub(crate) enum Outcome {
    Sent,
    /// Handlers are in flight.
    Postponed,
    /// GC was disabled, or a dump is being read, when they had returned.
    Held,
    /// GC was disabled while GC_START ran, not by a handler of it that lets go in GC_FINISH: nothing was told between the two.
    Empty,
}

/// Sends one: close, start, deaths and moves, finish, open.
pub(crate) fn send(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    patience: Patience,
    starved: Patience,
) -> Outcome {
    if ![0, current::key()].contains(&LAST_SENDER.load(Ordering::Acquire)) {
        return Outcome::Postponed;
    }
    if !wanted::wanted().intersects(EVENTS) {
        sweep(own);
        return Outcome::Sent;
    }
    announce::introduce(jvmti, jni, own);
    // Before the ids of their methods die.
    compiled::send(jvmti, jni, own);
    deaths::unload_classes(own);
    let count = heap_count::begin_bracket(jvmti, collections::space().0);
    let Some(closed) = gate::close(patience, starved) else {
        return Outcome::Postponed;
    };
    let Some(begun) = disabling::begin_bracket() else {
        return Outcome::Held;
    };
    let ends = Ends::begin(own);
    let mut recycler = Recycler::new(&IDS);
    let by_start = disabling::is_disabled_by_start();
    let (telling, disabled) = disabling::tell();
    if !disabled {
        deaths::tell(own, &mut recycler);
    }
    drop(telling);
    let (used_object_space, total_object_space) = collections::space();
    let mut finished = false;
    ends.end(own, |event| {
        finished = true;
        event.u.gc_info = JVMPI_Event_gc_info {
            used_objects: count.objects(jvmti, used_object_space, recycler.released()),
            used_object_space,
            total_object_space,
        };
    });
    heap_count::end_bracket(finished);
    if by_start {
        disabling::end_bracket();
    }
    drop((closed, begun));
    drop(recycler);
    NUMBERS.settle(&IDS);
    deferred::flush(jvmti, jni, own);
    if disabled {
        Outcome::Empty
    } else {
        Outcome::Sent
    }
}

/// Nobody listens; the ids are still to be used again, and records given back.
fn sweep(own: &Thread) {
    deaths::unload_classes(own);
    IDS.sweep(&mut Recycler::new(&IDS), |id, _| NUMBERS.forget(id));
    NUMBERS.settle(&IDS);
}

/// Does that on any thread, while there is no worker to do it after each collection.
pub(crate) fn sweep_unheard(own: &Thread) {
    if wanted::wanted().intersects(EVENTS) || disabling::is_held() || !gate::is_open() {
        return;
    }
    let Some(_claim) = Claim::take(patience::NONE) else {
        return;
    };
    collections::forget_pending();
    sweep(own);
}
