//! Which of the VM's events are on: those that the agent's wishes rest on.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use event_translate::{EventKind, EventSet};
use jvmpi_headers::jvmti as sys;
use once_cell::sync::OnceCell;
use shim_options::MethodEvents;

use crate::ffi::{current, vm_counters};
use crate::guards::ExceptionAside;
use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::jvmti::refs::Global;
use crate::jvmti::{capabilities, jni_table};
use crate::threads::attention;
use crate::{
    class_hook, collections, compiled, gate, global_refs, guards, hand_over, heap_count,
    instrument, log, method_events, monitor_events, put_off, state, worker,
};

/// The VM's events that the wanted ones of JVMPI rest on and that cost something
/// while they are on.
const SOURCES: [(u32, EventSet); 9] = [
    (
        sys::JVMTI_EVENT_CLASS_PREPARE,
        EventSet::of(&[EventKind::ClassLoad]),
    ),
    (
        sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
        EventSet::of(&[EventKind::ClassLoadHook]),
    ),
    (
        sys::JVMTI_EVENT_COMPILED_METHOD_LOAD,
        // An end is told only of what the agent has heard of.
        EventSet::of(&[EventKind::CompiledMethodLoad]),
    ),
    (sys::JVMTI_EVENT_COMPILED_METHOD_UNLOAD, compiled::EVENTS),
    (
        sys::JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
        monitor_events::CONTENTION,
    ),
    (
        sys::JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
        monitor_events::CONTENTION,
    ),
    (
        sys::JVMTI_EVENT_MONITOR_WAIT,
        // Whoever waits leaves the monitor.
        EventSet::of(&[
            EventKind::MonitorWait,
            EventKind::MonitorWaited,
            EventKind::MonitorContendedExit,
        ]),
    ),
    (sys::JVMTI_EVENT_MONITOR_WAITED, monitor_events::WAITING),
    (
        sys::JVMTI_EVENT_DATA_DUMP_REQUEST,
        EventSet::of(&[EventKind::DataDumpRequest, EventKind::DataResetRequest]),
    ),
];

/// Brings the VM's notification modes in line with what the agent wants. Another
/// thread may change that meanwhile: whoever reads last is right.
///
/// # Phase
/// Live.
pub(crate) fn apply(jvmti: Jvmti, jni: Jni) {
    loop {
        let wanted = state::wanted();
        for (event, kinds) in SOURCES {
            set_as_wanted(jvmti, event, kinds);
        }
        if wanted.intersects(monitor_events::WAITING) {
            instrument::wrap_sleep(jvmti, jni);
        }
        if let Some(redoing) = instrument::prepare(jvmti, jni, wanted) {
            instrument::redo(jvmti, jni, redoing, let_methods_flow);
        }
        if state::options().method_events == MethodEvents::Exact {
            use_vm_events(jvmti, wanted);
        }
        let_methods_flow();
        if worker::is_wanted() {
            if deaths_are_told() && !worker::is_started() {
                // For our own sake, up to now: those collections are no news.
                collections::forget_pending();
            }
            collect_deaths(jvmti, jni);
        }
        // It also takes over the gate's barriers, and takes out hooks.
        if worker::is_wanted() || instrument::is_on() {
            worker::ensure(jvmti, jni);
        }
        if wanted.contains(EventKind::ObjectAlloc) {
            report_allocations(jvmti);
        }
        let wrapped = wanted.intersects(global_refs::EVENTS)
            || wanted.contains(EventKind::MonitorContendedExit);
        if wrapped && let Err(error) = jni_table::install(jvmti) {
            log::warn_once!(
                "{error}; events of global references, and of monitors that native code leaves, will not come"
            );
        }
        if state::wanted() == wanted {
            return;
        }
    }
}

/// One of the VM's events. What is wanted is looked at right before and after, since another
/// thread may change it.
fn set_as_wanted(jvmti: Jvmti, event: sys::jvmtiEvent, kinds: EventSet) {
    let is_wanted = || {
        let for_hooks = match event {
            sys::JVMTI_EVENT_CLASS_PREPARE => instrument::is_on() || put_off::is_any(),
            sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK => {
                instrument::is_on() || class_hook::has_replaced()
            }
            _ => false,
        };
        for_hooks || state::wanted().intersects(kinds)
    };
    loop {
        let on = is_wanted();
        match jvmti.set_event(event, on) {
            Err(error) if !error.is_too_late() => {
                log::warn_once!("{error}; some events will not come");
            }
            _ => {}
        }
        if is_wanted() == on {
            return;
        }
    }
}

/// `method-events=exact`: the VM's own events, which make it interpret.
fn use_vm_events(jvmti: Jvmti, wanted: EventSet) {
    let exits = wanted.contains(EventKind::MethodExit);
    // Exits are matched with entries.
    let entries = wanted.intersects(method_events::EVENTS);
    for (event, on) in [
        (sys::JVMTI_EVENT_METHOD_ENTRY, entries),
        (sys::JVMTI_EVENT_METHOD_EXIT, exits),
    ] {
        if let Err(error) = jvmti.set_event(event, on)
            && !error.is_too_late()
        {
            log::warn_once!(
                "{error}; method events will not come (method-events=exact wants -agentpath)"
            );
        }
    }
}

/// JVM_INIT_DONE has been sent.
static METHODS_FLOW: AtomicBool = AtomicBool::new(false);

/// Those that are wanted, from the hooks that are there.
pub(crate) fn let_methods_flow() {
    if METHODS_FLOW.load(Ordering::Acquire) {
        method_events::apply();
    }
}

/// From now on methods are told of.
pub(crate) fn begin_method_events() {
    METHODS_FLOW.store(true, Ordering::Release);
    let_methods_flow();
}

static DEATHS: AtomicBool = AtomicBool::new(false);

/// Whether the VM tells of deaths.
pub(crate) fn deaths_are_told() -> bool {
    DEATHS.load(Ordering::Acquire)
}

/// Switches ObjectFree and the collector's events on, once. While the program runs
/// ObjectFree's mode is never set again: that would make the VM post on our thread what its
/// own thread is posting, and both stop for ever at the next safepoint (JVMTI facts 4).
pub(crate) fn collect_deaths(jvmti: Jvmti, jni: Jni) {
    if DEATHS.swap(true, Ordering::AcqRel) {
        return;
    }
    {
        let _aside = ExceptionAside::put(jni);
        let bytes = guards::with_attention(attention::SILENT, || jni.byte_array());
        if let Some(bytes) = bytes.and_then(|bytes| Global::new(jni, bytes.get())) {
            let _ = BYTES.set(bytes);
        }
    }
    vm_counters::find();
    for event in [
        sys::JVMTI_EVENT_OBJECT_FREE,
        sys::JVMTI_EVENT_GARBAGE_COLLECTION_START,
        sys::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
    ] {
        if let Err(error) = jvmti.set_event(event, true) {
            log::warning!("{error}; GC events and OBJECT_FREE will not come");
        }
    }
    // For the first sentinel.
    worker::wake();
}

/// Switches ObjectFree off on the thread that ends the VM, before VMDeath. There the VM waits,
/// from JDK 16 on, for the end of what its own thread is posting, and both stop for ever at a
/// safepoint as above (a C agent that only tags and listens, a loaded machine: 7 of 240 runs
/// with JDK 17, 8 of 150 with 21, 1 of 105 with 25). Here one can choose the moment, and see to
/// it that no collection brings anything new to post (not of G1 from JDK 22 on).
pub(crate) fn end_deaths(jvmti: Jvmti, jni: Jni) {
    if !deaths_are_told() || jvmti.feature_version() < 16 {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if end_quietly(jvmti, jni) {
        ENDED.store(true, Ordering::Release);
    } else {
        log::info!("the VM is still telling of deaths; its end may have to wait");
    }
}

/// Waits for a moment at which nothing is posted, and switches it off in that.
///
/// Collections go on while it waits: a thread that needs memory would else wait, too. Whether one
/// has come since the last look is seen when no other can.
fn end_quietly(jvmti: Jvmti, jni: Jni) -> bool {
    const PATIENCE: Duration = Duration::from_secs(10);
    const LOOKS: u32 = 2;
    let me = current::own().map_or(ptr::null_mut(), |own| own.object());
    let start = Instant::now();
    loop {
        let seen = collections::moment();
        let rest = PATIENCE.saturating_sub(start.elapsed());
        if !collections::wait_for_poster(jvmti, me, LOOKS, rest) {
            return false;
        }
        let end = || {
            let quiet = collections::moment() == seen && !collections::in_pause();
            quiet.then(|| jvmti.set_event(sys::JVMTI_EVENT_OBJECT_FREE, false).is_ok())
        };
        // No array is made here: the collector may be gone.
        let ended = match BYTES.get() {
            Some(bytes) => jni.without_collections(bytes.get(), end).flatten(),
            None => end(),
        };
        if let Some(ended) = ended {
            return ended;
        }
        if start.elapsed() > PATIENCE {
            return false;
        }
    }
}

/// In VMDeath, which comes after that wait: an agent may still ask for a collection.
pub(crate) fn resume_deaths(jvmti: Jvmti) {
    if !ENDED.load(Ordering::Acquire) {
        // It is on, and to set it would be one more wait of that kind.
        return;
    }
    if let Err(error) = jvmti.set_event(sys::JVMTI_EVENT_OBJECT_FREE, true) {
        log::info!("{error}; no more deaths are told");
    }
    RESUMED_AFTER.store(collections::last_pause(), Ordering::Release);
}

const NOT_RESUMED: u64 = u64::MAX;
/// [`end_deaths`] has switched it off; the VM has told all that it had found by then.
static ENDED: AtomicBool = AtomicBool::new(false);
/// The last pause before [`resume_deaths`].
static RESUMED_AFTER: AtomicU64 = AtomicU64::new(NOT_RESUMED);
/// For [`Jni::without_collections`].
static BYTES: OnceCell<Global> = OnceCell::new();

/// Whether the VM tells of no more deaths before the next collection.
pub(crate) fn all_are_told() -> bool {
    RESUMED_AFTER.load(Ordering::Acquire) == collections::last_pause()
}

const OFF: u32 = 0;
const ON: u32 = 1;
const REFUSED: u32 = 2;
const BUSY: u32 = 3;
static ALLOCATIONS: AtomicU32 = AtomicU32::new(OFF);
/// Rounds of the worker since somebody wanted allocations.
static IDLE: AtomicU32 = AtomicU32::new(0);

/// Makes the VM report every allocation from now on. Whoever owns a TLAB would go on
/// unseen until it is full, so all are given back (JVMTI facts 3).
fn report_allocations(jvmti: Jvmti) {
    IDLE.store(0, Ordering::Release);
    let start = Instant::now();
    loop {
        match ALLOCATIONS.compare_exchange(OFF, ON, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => break,
            // The worker is switching it off: a few microseconds, unless somebody has stopped
            // it; then it will see that they are wanted again.
            Err(BUSY) if start.elapsed() < Duration::from_secs(1) => {
                std::thread::sleep(Duration::from_micros(50));
            }
            Err(_) => return,
        }
    }
    if !capabilities::can_sample(jvmti) {
        ALLOCATIONS.store(REFUSED, Ordering::Release);
        return;
    }
    if jvmti.feature_version() < 17 {
        keep_marks(true);
    }
    let set = || {
        jvmti.set_sampling_interval(0)?;
        jvmti.set_event(sys::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true)?;
        if jvmti.feature_version() >= 21 {
            jvmti.set_event(sys::JVMTI_EVENT_VM_OBJECT_ALLOC, true)?;
        }
        jvmti.force_collection()
    };
    match set() {
        // Ours is none that a VM of the period would have made.
        Ok(()) => {
            // But a late one may have met what an agent knows, or another of the VM's.
            if gate::is_replay() {
                collections::take_pending();
            }
        }
        Err(error) => log::warning!("{error}; OBJECT_ALLOC will not come, or not always"),
    }
}

/// JDK 11 loses allocations: when an object does not fit into what is left of its
/// thread's TLAB and is made outside it, that VM forgets to put the mark back behind
/// which every allocation is reported, and until the TLAB is full nothing is (measured
/// on 11.0.13; 17 and later are right). With TLABRefillWasteFraction=1 a TLAB is given
/// up instead, so it does not come to that. The VM reads the flag at each refill.
fn keep_marks(on: bool) {
    static BEFORE: AtomicU64 = AtomicU64::new(64);
    if on {
        match vm_counters::set_number(c"TLABRefillWasteFraction", 1) {
            Some(before) => BEFORE.store(before, Ordering::Relaxed),
            None => log::warning!(
                "this VM loses some OBJECT_ALLOC; -XX:TLABRefillWasteFraction=1 helps"
            ),
        }
    } else {
        vm_counters::set_number(c"TLABRefillWasteFraction", BEFORE.load(Ordering::Relaxed));
    }
}

/// The cost goes with the need: after some seconds in which nobody wanted allocations
/// the VM no longer reports them. Called by the worker, about once a second.
pub(crate) fn switch_off_idle(jvmti: Jvmti) {
    const ROUNDS: u32 = 5;
    if state::wants(EventKind::ObjectAlloc) || ALLOCATIONS.load(Ordering::Acquire) != ON {
        IDLE.store(0, Ordering::Release);
        return;
    }
    if IDLE.fetch_add(1, Ordering::AcqRel) < ROUNDS {
        return;
    }
    if ALLOCATIONS
        .compare_exchange(ON, BUSY, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        return;
    }
    for event in [
        sys::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
        sys::JVMTI_EVENT_VM_OBJECT_ALLOC,
    ] {
        let _ = jvmti.set_event(event, false);
    }
    if jvmti.feature_version() < 17 {
        keep_marks(false);
    }
    // Before the next look at what is wanted, also for the processor.
    ALLOCATIONS.swap(OFF, Ordering::SeqCst);
    log::info!("nobody wants allocations; the VM no longer reports them");
    if state::wants(EventKind::ObjectAlloc) {
        // Enabled again just now, when it still seemed to be on.
        report_allocations(jvmti);
    }
}

/// DisableEvent.
pub(crate) fn note_disabled(kind: EventKind) {
    if kind == EventKind::ObjectAlloc {
        heap_count::end();
    } else if kind == EventKind::MonitorContendedExit {
        hand_over::forget();
    }
}
