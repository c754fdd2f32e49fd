//! EnableEvent, DisableEvent and RequestEvent: what the agent wants to hear.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use event_translate::{Enable, EventKind, EventSet};
use jvmpi_headers::jvmpi::{JVMPI_FAIL, JVMPI_NOT_AVAILABLE, JVMPI_SUCCESS};
use jvmpi_headers::xrun_ext::XRun_ParkHandler;

use crate::agent::park_handler;
use crate::base::{config, log};
use crate::delivery::announce::{class_load, thread_start};
use crate::delivery::gate;
use crate::events::dumps;
use crate::events::methods::beginning;
use crate::events::monitors::monitor_dump;
use crate::events::objects::request;
use crate::events::vm_life::vm_events;
use crate::model::classes::CLASSES;
use crate::model::tables::IDS;
use crate::model::thread::attention_guard::with_attention;
use crate::model::thread::{Thread, attention};
use crate::model::{classes, ids, threads, wanted};
use crate::vm::hotspot::finding;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::known_thread::{self, Act};
use crate::vm::this_vm::{self, Phase};

use id_map::{Kind, ObjectId};

/// Enables or disables an event; JVMPI's result code.
///
/// Every event that an agent may rely on can be enabled, also those that cannot
/// come (JVMPI facts B.1): agents give up at the first refusal. The log says
/// once what will not come.
pub(crate) fn enable(raw: i32, on: bool) -> i32 {
    let call = if on { "EnableEvent" } else { "DisableEvent" };
    let Some(kind) = EventKind::from_raw(raw) else {
        if on {
            log::warn_once_for!(call, "({raw}): not a JVMPI event; JVMPI_NOT_AVAILABLE");
        } else {
            // Agents disable 1 to 61 in a loop, gaps included.
            log::info!("{call}({raw}): not a JVMPI event; JVMPI_NOT_AVAILABLE");
        }
        return JVMPI_NOT_AVAILABLE;
    };
    let row = kind.row();
    match row.enable {
        Enable::Yes => {}
        Enable::RequestOnly => {
            if on {
                log::warn_once_for!(
                    call,
                    "({}): on request only, by RequestEvent; JVMPI_NOT_AVAILABLE",
                    row.name
                );
            }
            return JVMPI_NOT_AVAILABLE;
        }
        // The only flag there is.
        Enable::Flag(_) if config::options().host.row().no_instructions => {
            return JVMPI_NOT_AVAILABLE;
        }
        Enable::Flag(_) if config::options().instructions => {}
        Enable::Flag(flag) => {
            if on {
                log::warn_once_for!(call, "({}): {flag}", row.name);
            }
            return JVMPI_NOT_AVAILABLE;
        }
    }
    if this_vm::phase() == Phase::Dead {
        return JVMPI_SUCCESS;
    }
    let live = is_live();
    if on {
        find_for_late_agent();
    }
    let late = on && !wanted::wants(kind) && live;
    if late && kind == EventKind::ClassLoad {
        known_thread::on_one(&MISSED);
    }
    let changes = wanted::set_wanted(kind, on);
    // If the VM has come to life meanwhile, whoever has seen to what was wanted has not seen this.
    let live = live || is_live();
    if !on {
        vm_events::note_disabled(kind);
    }
    if late && kind == EventKind::ThreadStart {
        // Whoever allocates next says hello first.
        for thread in threads::all_kinds() {
            thread.set_attention(attention::UNMET);
        }
    }
    // Whoever has made the change sees to it; a thread that the VM knows does so as well.
    if live && (changes || Jni::of_this_thread().is_some()) {
        known_thread::on_one(&APPLY);
    }
    // What is called in the last handlers is told of as long as that is wanted; and what is not wanted any more
    // ends now, also where another thread has not come to the rest yet.
    if !on || this_vm::phase() == Phase::ShuttingDown {
        beginning::let_methods_flow();
    }
    JVMPI_SUCCESS
}

/// From now on this function of the agent's is called when a thread was parked, or none is;
/// JVMPI's result code. Not while calls of the agent are recorded: a replay could not tell of it.
pub(crate) fn watch_parks(handler: Option<XRun_ParkHandler>) -> i32 {
    if config::options().trace.is_some() || this_vm::phase() == Phase::Dead {
        return JVMPI_NOT_AVAILABLE;
    }
    park_handler::set(handler);
    if is_live() {
        known_thread::on_one(&APPLY);
    }
    JVMPI_SUCCESS
}

/// Sees to what is wanted.
static APPLY: Act = Act::new("EnableEvent", |jvmti, jni| {
    vm_events::apply(jvmti, jni);
    name_the_missing();
});
/// Classes that are there already have no CLASS_LOAD.
static MISSED: Act = Act::new("EnableEvent(CLASS_LOAD)", classes::note_missed);

/// An agent that nobody has expected has come, by a library of the program's: what only agents need of the VM is
/// looked for.
static FIND: Act = Act::new("the first call of an agent", |jvmti, jni| {
    let _aside = ExceptionAside::put(jni);
    with_attention(attention::REWRITING | attention::SILENT, || {
        if let Some(thread) = jvmti.current_thread(jni) {
            finding::for_an_agent(jni, thread.get());
        }
    });
});

fn find_for_late_agent() {
    if is_live() && finding::owes_to_agents() {
        known_thread::on_one(&FIND);
    }
}

/// Whether what is wanted can be switched on now.
fn is_live() -> bool {
    this_vm::phase() == Phase::Live && !GATHERING.load(Ordering::Acquire)
}

/// An agent's JVM_OnLoad is running in a live VM.
static GATHERING: AtomicBool = AtomicBool::new(false);

/// Whether what is enabled is only noted, as before the VM is live.
pub(crate) fn gather(on: bool) {
    GATHERING.store(on, Ordering::Release);
    // Partner: `wanted`.
    fence(Ordering::SeqCst);
}

/// Says, once for each, which of the enabled events will not come: in one line
/// for all that the agent enabled in its JVM_OnLoad.
pub(crate) fn name_the_missing() {
    static NAMED: AtomicU64 = AtomicU64::new(0);
    let missing = wanted::wanted()
        .iter()
        .filter(|kind| !kind.row().mark.works());
    let fresh: Vec<_> = missing
        .filter(|&kind| {
            let bit = EventSet::bit(kind);
            // Relaxed: of those who ask the first.
            NAMED.fetch_or(bit, Ordering::Relaxed) & bit == 0
        })
        .map(EventKind::name)
        .collect();
    if !fresh.is_empty() {
        log::warning!(
            "enabled, but not provided by this version and never sent: {} (see MATRIX.md)",
            fresh.join(", ")
        );
    }
}

/// Sends the event that the agent asks for, on this thread, before returning;
/// JVMPI's result code. `argument` is an id, or ignored.
pub(crate) fn request(raw: i32, argument: usize) -> i32 {
    let Some(kind) = EventKind::from_raw(raw) else {
        log::warn_once!("RequestEvent({raw}): not a JVMPI event; JVMPI_NOT_AVAILABLE");
        return JVMPI_NOT_AVAILABLE;
    };
    let Some(answer) = answer_to(kind) else {
        log::warn_once!("RequestEvent({kind}): cannot be requested; JVMPI_NOT_AVAILABLE");
        return JVMPI_NOT_AVAILABLE;
    };
    find_for_late_agent();
    let answer = gate::answering(|| answer(argument));
    let succeeds = matches!(kind, EventKind::HeapDump | EventKind::MonitorDump)
        && config::options().host.row().dumps_always_succeed;
    if answer == Some(true) || succeeds {
        JVMPI_SUCCESS
    } else {
        JVMPI_FAIL
    }
}

/// What answers a request for an event; none where that cannot be requested.
const fn answer_to(kind: EventKind) -> Option<fn(usize) -> Option<bool>> {
    match kind {
        EventKind::ClassLoad => Some(request_class),
        EventKind::ThreadStart => Some(request_thread),
        EventKind::ObjectAlloc => Some(request_object),
        EventKind::HeapDump => Some(dumps::request_heap),
        EventKind::ObjectDump => Some(request_object_dump),
        EventKind::MonitorDump => Some(request_monitor_dump),
        EventKind::MethodEntry
        | EventKind::MethodEntry2
        | EventKind::MethodExit
        | EventKind::ObjectFree
        | EventKind::ObjectMove
        | EventKind::CompiledMethodLoad
        | EventKind::CompiledMethodUnload
        | EventKind::InstructionStart
        | EventKind::ThreadEnd
        | EventKind::ClassLoadHook
        | EventKind::JniGlobalrefAlloc
        | EventKind::JniGlobalrefFree
        | EventKind::JniWeakGlobalrefAlloc
        | EventKind::JniWeakGlobalrefFree
        | EventKind::ClassUnload
        | EventKind::DataDumpRequest
        | EventKind::DataResetRequest
        | EventKind::JvmInitDone
        | EventKind::JvmShutDown
        | EventKind::ArenaNew
        | EventKind::ArenaDelete
        | EventKind::RawMonitorContendedEnter
        | EventKind::RawMonitorContendedEntered
        | EventKind::RawMonitorContendedExit
        | EventKind::MonitorContendedEnter
        | EventKind::MonitorContendedEntered
        | EventKind::MonitorContendedExit
        | EventKind::MonitorWait
        | EventKind::MonitorWaited
        | EventKind::GcStart
        | EventKind::GcFinish => None,
    }
}

/// Rows say of the same that they can be requested, and are answered.
const _: () = {
    let mut kinds = EventKind::ALL.as_slice();
    while let [kind, rest @ ..] = kinds {
        let row = kind.row();
        assert!(row.request == answer_to(*kind).is_some() && row.request == row.answers_request());
        kinds = rest;
    }
};

fn request_monitor_dump(_: usize) -> Option<bool> {
    monitor_dump::request()
}

fn request_class(argument: usize) -> Option<bool> {
    let class = ids::named(argument).and_then(|id| CLASSES.get(id.raw()));
    let Some(class) = class else {
        log::warn_once!(
            "RequestEvent(CLASS_LOAD): {argument:#x} is {}",
            what_it_is(argument)
        );
        return None;
    };
    let (jvmti, jni) = this_vm::for_call("RequestEvent(CLASS_LOAD)")?;
    let own = threads::own()?;
    Some(class_load::requested_class(jvmti, jni, &own, &class))
}

fn request_thread(argument: usize) -> Option<bool> {
    let id = ids::named(argument);
    let thread = id.and_then(|id| threads::by_id(id).or_else(|| by_object(id)));
    let Some(thread) = thread else {
        log::warn_once!(
            "RequestEvent(THREAD_START): {argument:#x} is {} (the id of the thread's object is wanted)",
            what_it_is(argument)
        );
        return None;
    };
    let (jvmti, jni) = this_vm::for_call("RequestEvent(THREAD_START)")?;
    let own = threads::own()?;
    Some(thread_start::requested_thread(jvmti, jni, &own, &thread))
}

/// The thread whose object this is, if the agent has met that as an object: as a monitor, or by its birth.
fn by_object(id: ObjectId) -> Option<Arc<Thread>> {
    if !matches!(IDS.kind_of(id)?, Kind::Object | Kind::Thread) {
        return None;
    }
    let (jvmti, jni) = this_vm::for_call("RequestEvent(THREAD_START)")?;
    // From now on each is known by its object's id.
    for thread in threads::all_kinds() {
        thread.id(jvmti, jni);
    }
    threads::by_id(id)
}

fn request_object(argument: usize) -> Option<bool> {
    if argument == 0 && config::options().host.row().null_request_succeeds {
        return Some(true);
    }
    let (jvmti, jni) = this_vm::for_call("RequestEvent(OBJECT_ALLOC)")?;
    let own = threads::own()?;
    let answer = ids::named(argument).and_then(|id| request::request(jvmti, jni, &own, id));
    if answer.is_none() {
        log::warn_once!(
            "RequestEvent(OBJECT_ALLOC): {argument:#x} is not an id, or one whose object is gone"
        );
    }
    answer
}

fn request_object_dump(argument: usize) -> Option<bool> {
    let (jvmti, jni) = this_vm::for_call("RequestEvent(OBJECT_DUMP)")?;
    let own = threads::own()?;
    let id = ids::named(argument);
    let answer = id.and_then(|id| dumps::request_object(id, &own, jvmti, jni));
    if answer.is_none() {
        log::warn_once!(
            "RequestEvent(OBJECT_DUMP): {argument:#x} is not an id, or one whose object is gone"
        );
    }
    answer
}

/// What a wrong id is, in words.
pub(crate) fn what_it_is(argument: usize) -> &'static str {
    match ids::named(argument).and_then(|id| IDS.kind_of(id)) {
        None => "not an id, or one whose object is gone",
        Some(Kind::Alias) => "a number that an object has lost",
        Some(Kind::Object) => "the id of an object of another kind",
        Some(Kind::Class) => "the id of a class",
        Some(Kind::Thread) => "the id of a thread that has ended or not started",
    }
}
