//! A collection as a JVMPI agent sees it: GC_START, what died and moved, GC_FINISH,
//! all on one thread and nothing else in between (JVMPI facts R2).
//!
//! The VM's own collection is over by then. The bracket is ours to postpone: it
//! waits for handlers in flight and for agents that have disabled GC.

mod holds;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use event_translate::{EventKind, EventSet};
use id_map::Recycler;
use jvmpi_headers::jvmpi::{JVMPI_Event, JVMPI_Event_gc_info};

use crate::base::patience::{self, Patience};
use crate::base::progress;
use crate::base::{guards, log};
use crate::delivery::{announce, deferred, dispatch, gate, worker};
use crate::events::compiled_code::compiled;
use crate::events::gc::bracket::holds::Holds;
use crate::events::gc::{collections, deaths, heap_count, object_free};
use crate::model::tables::{IDS, NUMBERS};
use crate::model::thread::Thread;
use crate::model::{current, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::vm_counters;
use crate::vm::jni::Jni;
use crate::vm::pause;
use crate::vm::this_vm::{self, Phase};

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
    let are_told =
        || !TELLING.load(Ordering::SeqCst) || CLAIM.load(Ordering::Acquire) == current::key();
    if !patience::TELLING.until(are_told) {
        log::warn_once_for!(
            call,
            ": a handler of OBJECT_FREE or the like has not returned for 1 s; going on"
        );
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

/// Dumps that an agent is reading, and the beginning of a bracket.
static HOLDS: Holds = Holds::new();

fn is_held() -> bool {
    HOLDS.is_held()
}

/// While it lives no bracket begins, not even an empty one: an agent reads a dump.
pub(crate) struct Hold;

impl Hold {
    pub(crate) fn take() -> Self {
        HOLDS.hold();
        wait_for_tellings("RequestEvent");
        Self
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.release();
        worker::wake();
    }
}

// ---- who sends ---------------------------------------------------------------

/// The right to send brackets, until it is dropped.
struct Claim;

impl Claim {
    fn take(patience: Patience) -> Option<Self> {
        let me = current::key();
        let mut wants = None;
        let taken = patience.until_some(|| {
            match CLAIM.compare_exchange(0, me, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => Some(true),
                // A handler in the bracket asks for another: not inside this one.
                Err(owner) if owner == me => Some(false),
                Err(_) if patience.most.is_zero() => Some(false),
                Err(_) => {
                    wants.get_or_insert_with(gate::WantsBracket::begin);
                    None
                }
            }
        });
        (taken == Some(true)).then_some(Self)
    }

    /// Waits for a bracket of another thread as long as that gets on.
    fn take_patiently() -> Option<Self> {
        loop {
            let progress = progress::count();
            let claim = Self::take(patience::SENDER);
            let is_mine = CLAIM.load(Ordering::Acquire) == current::key();
            if claim.is_some() || is_mine || progress::count() == progress {
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

/// Sends the bracket of one pending collection; if that has to be postponed, after what time it
/// is to be tried again.
pub(crate) fn send_pending(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> Option<Duration> {
    /// Tries of the bracket that is postponed.
    static TRIES: AtomicU32 = AtomicU32::new(0);
    if is_disabled() || !gate::is_open() || pause::is_on() {
        return Some(PAUSE);
    }
    let Some(_claim) = Claim::take(patience::NONE) else {
        return Some(PAUSE);
    };
    if !collections::take_pending() {
        return None;
    }
    let tries = TRIES.load(Ordering::Relaxed);
    let patience = longer(Duration::from_millis(10), tries, TRY);
    // About a second has passed: perhaps they only want a processor.
    let starved = if tries < 12 { patience } else { STARVED };
    match send(jvmti, jni, own, patience, starved) {
        Outcome::Sent => TRIES.store(0, Ordering::Relaxed),
        Outcome::Postponed => {
            if !pause::is_on() {
                TRIES.fetch_add(1, Ordering::Relaxed);
            }
            collections::put_back();
            return Some(longer(PAUSE, tries, Duration::from_millis(500)));
        }
        Outcome::Empty => collections::put_back(),
    }
    None
}

const TRY: Duration = patience::HANDLERS.most;
const STARVED: Duration = patience::STARVED_HANDLERS.most;
/// How long it stays open between two tries, at first.
const PAUSE: Duration = Duration::from_millis(5);

/// Twice as long each time.
fn longer(first: Duration, tries: u32, at_most: Duration) -> Duration {
    const DOUBLINGS: u32 = 16;
    (first * (1 << tries.min(DOUBLINGS))).min(at_most)
}

/// Tries again and again, until a handler has waited for something all through `patience`.
/// (The handlers of threads that wait for a processor are not stuck, for `at_most`.)
fn send_soon(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    patience: Duration,
    at_most: Duration,
) -> Outcome {
    let begin = Instant::now();
    let mut start = begin;
    let mut tries = 0;
    loop {
        let outcome = send(jvmti, jni, own, TRY, STARVED);
        if !matches!(outcome, Outcome::Postponed) || is_held() || !gate::is_open() {
            return outcome;
        }
        if begin.elapsed() < at_most && !gate::anybody_waits_inside() {
            start = Instant::now();
        }
        if start.elapsed() >= patience || HURRY.load(Ordering::Acquire) {
            return outcome;
        }
        own.resting(|| std::thread::sleep(longer(PAUSE, tries, TRY)));
        tries += 1;
    }
}

/// RunGC: a full collection now, and its bracket on this thread before it returns.
pub(crate) fn run_gc(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let claim = Claim::take_patiently();
    let sentinel = collections::plant_sentinel(jvmti, jni, own);
    // When VMDeath is posted, the threads of a concurrent collector have been stopped
    // and a collection would be waited for until the end of time.
    if this_vm::phase() == Phase::Live || vm_counters::stops_the_world() {
        if let Err(error) = jvmti.force_collection() {
            log::warn_once!("RunGC: {error}");
            return;
        }
        if object_free::is_on() {
            let told =
                own.resting(|| collections::wait_until_told(sentinel, patience::VM_TELLS.most));
            if !told {
                log::info!("the VM has not told of all deaths in time; the rest comes later");
            }
        }
    } else {
        log::warn_once!("RunGC: too late for this collector; what is dead by now is told");
    }
    if claim.is_none() || !object_free::is_on() || is_held() {
        // Inside a bracket or a dump: what died comes in the next one.
        return;
    }
    collections::take_pending();
    let outcome = send_soon(
        jvmti,
        jni,
        own,
        patience::HANDLERS_AT_RUN_GC.most,
        patience::STARVED_AT_RUN_GC.most,
    );
    if !matches!(outcome, Outcome::Sent) {
        collections::put_back();
        worker::wake();
    }
}

/// The VM is about to end: what it has found dead by now is told. No collection is
/// forced for that.
pub(crate) fn send_last(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if !object_free::is_on() || !wanted::wanted().intersects(EVENTS) {
        return;
    }
    let mut claim = Claim::take(patience::SENDER_AT_THE_END);
    if claim.is_none() {
        // A bracket is open. It must end before JVM_SHUT_DOWN, whose handler may want
        // the lock that GC_START has taken.
        HURRY.store(true, Ordering::Release);
        claim = Claim::take(patience::SENDER_AT_THE_END);
    }
    let Some(_claim) = claim else { return };
    if HURRY.load(Ordering::Acquire) {
        return;
    }
    if collections::is_pending() && !object_free::all_are_told() {
        let rest = patience::VM_TELLS
            .most
            .saturating_sub(collections::since_last_pause());
        own.resting(|| collections::wait_for_newest(jvmti, own.object(), rest));
    }
    let dead = IDS.count_dead();
    if is_disabled() && dead > 0 {
        log::warning!("GC is disabled at the end: {dead} OBJECT_FREE are not sent");
    } else if collections::take_pending() || dead > 0 {
        let mut outcome = send_soon(
            jvmti,
            jni,
            own,
            patience::HANDLERS_AT_THE_END.most,
            patience::STARVED_AT_THE_END.most,
        );
        while matches!(outcome, Outcome::Sent) && collections::take_pending() {
            outcome = send(jvmti, jni, own, TRY, TRY);
        }
        if matches!(outcome, Outcome::Postponed) {
            log::warning!("a handler has not returned: {dead} OBJECT_FREE are not sent at the end");
        }
    }
}

/// What became of a bracket.
enum Outcome {
    Sent,
    /// Handlers are in flight, or a dump is being read.
    Postponed,
    /// GC was disabled while GC_START ran: nothing was told between it and GC_FINISH.
    Empty,
}

fn send(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    patience: Duration,
    starved: Duration,
) -> Outcome {
    if !wanted::wanted().intersects(EVENTS) {
        sweep(own);
        return Outcome::Sent;
    }
    announce::introduce(jvmti, jni, own);
    // Before the ids of their methods die.
    compiled::send(jvmti, jni, own);
    deaths::unload_classes(own);
    // Before the gate is closed: it may take a walk over the heap.
    let estimate = heap_count::estimate(jvmti, collections::space().0);
    let Some(closed) = gate::close(patience, starved) else {
        return Outcome::Postponed;
    };
    let Some(begun) = HOLDS.begin() else {
        return Outcome::Postponed;
    };
    inside(own, EventKind::GcStart, |_| {});
    let mut recycler = Recycler::new(&IDS);
    let disabled = {
        let _telling = guards::Turn::take(&TELLING);
        let disabled = is_disabled();
        if !disabled {
            deaths::tell(own, &mut recycler);
        }
        disabled
    };
    let (used_object_space, total_object_space) = collections::space();
    let used_objects = heap_count::exact(recycler.released()).unwrap_or(estimate);
    inside(own, EventKind::GcFinish, |event| {
        event.u.gc_info = JVMPI_Event_gc_info {
            used_objects,
            used_object_space,
            total_object_space,
        };
    });
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
    if wanted::wanted().intersects(EVENTS) || is_disabled() || !gate::is_open() {
        return;
    }
    let Some(_claim) = Claim::take(patience::NONE) else {
        return;
    };
    collections::forget_pending();
    sweep(own);
}

/// Sends one event of the bracket, if the agent wants it.
pub(crate) fn inside(own: &Thread, kind: EventKind, fill: impl FnOnce(&mut JVMPI_Event)) {
    if dispatch::reaches_agent(kind) {
        let mut event = dispatch::blank(kind.raw(), own);
        fill(&mut event);
        dispatch::notify(&mut event);
    }
    progress::note();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::longer;

    #[test]
    fn tries_come_rarer() {
        let most = Duration::from_millis(100);
        let pauses = [0, 1, 2, 99].map(|tries| longer(Duration::from_millis(10), tries, most));
        assert_eq!(pauses.map(|pause| pause.as_millis()), [10, 20, 40, 100]);
    }
}
