//! Which of the VM's events are on: those that the agent's wishes rest on.

use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::{EventKind, EventSet};
use jvmpi_headers::jvmti as sys;
use shim_options::MethodEvents;

use crate::base::{config, log};
use crate::delivery::{method_flow, worker};
use crate::events::compiled_code::compiled;
use crate::events::gc::{bracket, collections, heap_count, object_free};
use crate::events::monitors::{contended_exit, monitor_events, sleep};
use crate::events::objects::reporting;
use crate::events::references::global_refs;
use crate::hooks::{class_hook, instrument, unlinked_classes, wanted_hooks};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::jni_wrappers;

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
        let wanted = wanted::wanted();
        for (event, kinds) in SOURCES {
            set_as_wanted(jvmti, event, kinds);
        }
        if wanted.intersects(monitor_events::WAITING) {
            sleep::wrap(jvmti, jni);
        }
        if let Some(redoing) = instrument::prepare(jvmti, jni, wanted) {
            instrument::redo(jvmti, jni, redoing, let_methods_flow);
        }
        if config::options().method_events == MethodEvents::Exact {
            use_vm_events(jvmti, wanted);
        }
        let_methods_flow();
        if wants_worker(wanted) {
            if object_free::is_on() && !worker::is_started() {
                // For our own sake, up to now: those collections are no news.
                collections::forget_pending();
            }
            object_free::begin(jvmti, jni);
        }
        // It also takes over the gate's barriers, and takes out hooks.
        if wants_worker(wanted) || wanted_hooks::is_on() {
            worker::ensure(jvmti, jni);
        }
        if wanted.contains(EventKind::ObjectAlloc) {
            reporting::begin(jvmti);
        }
        let wrapped = wanted.intersects(global_refs::EVENTS)
            || wanted.contains(EventKind::MonitorContendedExit);
        if wrapped && let Err(error) = jni_wrappers::install(jvmti) {
            log::warn_once!(
                "{error}; events of global references, and of monitors that native code leaves, will not come"
            );
        }
        if wanted::wanted() == wanted {
            return;
        }
    }
}

/// Whether an agent wants something that only the worker can do.
fn wants_worker(wanted: EventSet) -> bool {
    wanted.contains(EventKind::ObjectAlloc)
        || wanted.intersects(bracket::EVENTS)
        || wanted.intersects(compiled::EVENTS)
}

/// Have been on. The end of what began while the agent listened has to be seen, whether it still
/// listens or not: else the end of something later would be taken for it.
static CONTENDED_ENTERED: AtomicBool = AtomicBool::new(false);
static WAITED: AtomicBool = AtomicBool::new(false);

fn stays_on(been_on: &AtomicBool, wanted: bool) -> bool {
    been_on.fetch_or(wanted, Ordering::AcqRel)
}

/// One of the VM's events. What is wanted is looked at right before and after, since another
/// thread may change it.
fn set_as_wanted(jvmti: Jvmti, event: sys::jvmtiEvent, kinds: EventSet) {
    let is_wanted = || {
        let for_hooks = match event {
            sys::JVMTI_EVENT_CLASS_PREPARE => wanted_hooks::is_on() || unlinked_classes::is_any(),
            sys::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK => {
                wanted_hooks::is_on() || class_hook::has_replaced()
            }
            _ => false,
        };
        let wanted = wanted::wanted().intersects(kinds);
        let stays = match event {
            sys::JVMTI_EVENT_MONITOR_CONTENDED_ENTERED => stays_on(&CONTENDED_ENTERED, wanted),
            sys::JVMTI_EVENT_MONITOR_WAITED => stays_on(&WAITED, wanted),
            _ => false,
        };
        for_hooks || wanted || stays
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
    let entries = wanted.intersects(wanted_hooks::METHOD_EVENTS);
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
        method_flow::apply();
    }
}

/// From now on methods are told of.
pub(crate) fn begin_method_events() {
    METHODS_FLOW.store(true, Ordering::Release);
    let_methods_flow();
}

/// DisableEvent.
pub(crate) fn note_disabled(kind: EventKind) {
    if kind == EventKind::ObjectAlloc {
        heap_count::end();
    } else if kind == EventKind::MonitorContendedExit {
        contended_exit::forget();
    }
}
