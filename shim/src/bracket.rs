//! A collection as a JVMPI agent sees it: GC_START, what died and moved, GC_FINISH,
//! all on one thread and nothing else in between (JVMPI facts R2).
//!
//! The VM's own collection is over by then. The bracket is ours to postpone: it
//! waits for handlers in flight and for agents that have disabled GC.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use event_translate::{EventKind, EventSet};
use id_map::Recycler;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_Event_gc_info};

use crate::ffi::{current, vm_counters};
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::state::{self, IDS, NUMBERS, Phase};
use crate::threads::Thread;
use crate::{
    collections, compiled, deaths, dispatch, gate, heap_count, kept, log, sources, worker,
};

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

// ---- DisableGC ---------------------------------------------------------------

/// How often GC is disabled. The VM collects all the same: ids are tokens that no
/// collection moves, so there is nothing for it to spoil.
static DISABLED: AtomicU32 = AtomicU32::new(0);
/// Deaths and moves are being told.
static TELLING: AtomicBool = AtomicBool::new(false);
/// The VM is about to end: no more deaths are told, the bracket closes.
pub(crate) static HURRY: AtomicBool = AtomicBool::new(false);
/// The thread that prepares or sends a bracket; 0 if none.
static CLAIM: AtomicU64 = AtomicU64::new(0);

/// DisableGC: no id dies or moves for the agent until EnableGC. Waits while deaths
/// are being told, never for GC_START's handler.
pub(crate) fn disable() {
    let raise = |count: u32| count.checked_add(1);
    let _ = DISABLED.fetch_update(Ordering::SeqCst, Ordering::SeqCst, raise);
    wait_for_tellings("DisableGC");
}

/// Waits while deaths are being told, unless it is this thread that tells them.
fn wait_for_tellings(call: &'static str) {
    let mut start = Instant::now();
    let mut progress = gate::progress();
    while TELLING.load(Ordering::SeqCst) && CLAIM.load(Ordering::Acquire) != current::key() {
        let now = gate::progress();
        if now != progress {
            // Long, but not stuck.
            (progress, start) = (now, Instant::now());
        }
        if start.elapsed() > Duration::from_secs(1) {
            log::warn_once_for!(
                call,
                ": a handler of OBJECT_FREE or the like has not returned for 1 s; going on"
            );
            return;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// EnableGC; false if GC was not disabled.
pub(crate) fn enable() -> bool {
    let lower = |count: u32| count.checked_sub(1);
    DISABLED
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, lower)
        .is_ok()
}

/// Whether an agent has disabled GC, or a dump has.
pub(crate) fn is_disabled() -> bool {
    DISABLED.load(Ordering::SeqCst) > 0 || is_held()
}

/// Dumps that an agent is reading.
static HOLDS: AtomicU32 = AtomicU32::new(0);

fn is_held() -> bool {
    HOLDS.load(Ordering::SeqCst) > 0
}

/// While it lives no bracket begins, not even an empty one: an agent reads a dump.
pub(crate) struct Hold;

impl Hold {
    pub(crate) fn take() -> Self {
        HOLDS.fetch_add(1, Ordering::SeqCst);
        wait_for_tellings("RequestEvent");
        Self
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.fetch_sub(1, Ordering::SeqCst);
        worker::wake();
    }
}

// ---- who sends ---------------------------------------------------------------

/// The right to send brackets, until it is dropped.
struct Claim;

impl Claim {
    fn take(patience: Duration) -> Option<Self> {
        let me = current::key();
        let start = Instant::now();
        loop {
            match CLAIM.compare_exchange(0, me, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(Self),
                // A handler in the bracket asks for another: not inside this one.
                Err(owner) if owner == me => return None,
                Err(_) if start.elapsed() >= patience => return None,
                Err(_) => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    /// Waits for a bracket of another thread as long as that gets on.
    fn take_patiently() -> Option<Self> {
        loop {
            let progress = gate::progress();
            let claim = Self::take(Duration::from_secs(2));
            let is_mine = CLAIM.load(Ordering::Acquire) == current::key();
            if claim.is_some() || is_mine || gate::progress() == progress {
                return claim;
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIM.store(0, Ordering::Release);
    }
}

/// Sends the bracket of one pending collection; false if that has to be postponed.
pub(crate) fn send_pending(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> bool {
    static POSTPONED: AtomicU32 = AtomicU32::new(0);
    const TRIES: u32 = 12;
    if is_disabled() || !gate::is_open() || collections::in_pause() {
        return false;
    }
    let Some(_claim) = Claim::take(Duration::ZERO) else {
        return false;
    };
    if !collections::take_pending() {
        return true;
    }
    // 10 ms, twice that, and so on: on a busy machine a handler may have to wait for a
    // processor. About a second in all.
    let tries = POSTPONED.load(Ordering::Relaxed);
    let insist = tries >= TRIES;
    let patience = if insist {
        STUCK
    } else {
        Duration::from_millis((10 << tries).min(100))
    };
    match send(jvmti, jni, own, patience, insist) {
        Outcome::Sent => POSTPONED.store(0, Ordering::Relaxed),
        Outcome::Postponed => {
            if !collections::in_pause() {
                POSTPONED.fetch_add(1, Ordering::Relaxed);
            }
            collections::put_back();
            return false;
        }
        Outcome::Empty => collections::put_back(),
    }
    true
}

/// RunGC: a full collection now, and its bracket on this thread before it returns.
pub(crate) fn run_gc(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let claim = Claim::take_patiently();
    let sentinel = collections::plant_sentinel(jvmti, jni, own);
    // When VMDeath is posted, the threads of a concurrent collector have been stopped
    // and a collection would be waited for until the end of time.
    if state::phase() == Phase::Live || vm_counters::stops_the_world() {
        if let Err(error) = jvmti.force_collection() {
            log::warn_once!("RunGC: {error}");
            return;
        }
        if sources::deaths_are_told() {
            let told = own.resting(|| collections::wait_until_told(sentinel, VM_TELLS));
            if !told {
                log::info!("the VM has not told of all deaths in time; the rest comes later");
            }
        }
    } else {
        log::warn_once!("RunGC: too late for this collector; what is dead by now is told");
    }
    if claim.is_none() || !sources::deaths_are_told() || is_held() {
        // Inside a bracket or a dump: what died comes in the next one.
        return;
    }
    collections::take_pending();
    let patience = if own.may_hold_a_lock() {
        STUCK
    } else {
        2 * STUCK
    };
    let outcome = send(jvmti, jni, own, patience, true);
    if !matches!(outcome, Outcome::Sent) {
        collections::put_back();
        worker::wake();
    }
}

/// A handler that has waited so long for something may need a lock that the sender of the
/// bracket, or somebody behind it, holds.
const STUCK: Duration = Duration::from_millis(500);

/// How long the VM may take to tell of a collection's deaths.
pub(crate) const VM_TELLS: Duration = Duration::from_millis(500);

/// The VM is about to end: what it has found dead by now is told. No collection is
/// forced for that.
pub(crate) fn send_last(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if !sources::deaths_are_told() || !state::wanted().intersects(EVENTS) {
        return;
    }
    let mut claim = Claim::take(Duration::from_secs(1));
    if claim.is_none() {
        // A bracket is open. It must end before JVM_SHUT_DOWN, whose handler may want
        // the lock that GC_START has taken.
        HURRY.store(true, Ordering::Release);
        claim = Claim::take(Duration::from_secs(1));
    }
    let Some(_claim) = claim else { return };
    if HURRY.load(Ordering::Acquire) {
        return;
    }
    if collections::is_pending() && !sources::all_are_told() {
        let rest = VM_TELLS.saturating_sub(collections::since_last_pause());
        own.resting(|| collections::wait_for_newest(jvmti, own.object(), rest));
    }
    let dead = IDS.count_dead();
    if is_disabled() && dead > 0 {
        log::warning!("GC is disabled at the end: {dead} OBJECT_FREE are not sent");
    } else if collections::take_pending() || dead > 0 {
        send(jvmti, jni, own, Duration::from_millis(200), true);
        while collections::take_pending() {
            send(jvmti, jni, own, Duration::from_millis(10), true);
        }
    }
}

/// What became of a bracket.
enum Outcome {
    Sent,
    /// Handlers are in flight.
    Postponed,
    /// GC was disabled while GC_START ran: nothing was told between it and GC_FINISH.
    Empty,
}

fn send(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, patience: Duration, insist: bool) -> Outcome {
    if !state::wanted().intersects(EVENTS) {
        // Nobody listens; the ids are still to be used again.
        deaths::unload_classes(own);
        IDS.sweep(&mut Recycler::new(&IDS), |id, _| NUMBERS.forget(id));
        NUMBERS.settle(&IDS);
        return Outcome::Sent;
    }
    dispatch::introduce(jvmti, jni, own);
    // Before the ids of their methods die.
    compiled::send(jvmti, jni, own);
    deaths::unload_classes(own);
    // Before the gate is closed: it may take a walk over the heap.
    let estimate = heap_count::estimate(jvmti, collections::space().0);
    if !gate::close(patience, insist) {
        return Outcome::Postponed;
    }
    inside(own, EventKind::GcStart, |_| {});
    TELLING.store(true, Ordering::SeqCst);
    let disabled = is_disabled();
    let mut recycler = Recycler::new(&IDS);
    if !disabled {
        deaths::tell(own, &mut recycler);
    }
    TELLING.store(false, Ordering::SeqCst);
    let (used_object_space, total_object_space) = collections::space();
    let used_objects = heap_count::exact(recycler.released()).unwrap_or(estimate);
    inside(own, EventKind::GcFinish, |event| {
        event.u.gc_info = JVMPI_Event_gc_info {
            used_objects,
            used_object_space,
            total_object_space,
        };
    });
    gate::open();
    drop(recycler);
    NUMBERS.settle(&IDS);
    kept::flush(jvmti, jni, own);
    if disabled {
        Outcome::Empty
    } else {
        Outcome::Sent
    }
}

/// Sends one event of the bracket, if the agent wants it.
pub(crate) fn inside(own: &Thread, kind: EventKind, fill: impl FnOnce(&mut JVMPI_Event)) {
    if dispatch::reaches_agent(kind) {
        let mut event = dispatch::blank(kind.raw(), own);
        fill(&mut event);
        dispatch::notify(&mut event);
    }
    gate::note_progress();
}
