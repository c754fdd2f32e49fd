//! From Agent_OnLoad to VMDeath.

use event_translate::table::EventKind;

use crate::agent::start;
use crate::base::guards::Turn;
use crate::base::patience;
use crate::base::{config, log, observer};
use crate::delivery::announce;
use crate::delivery::{dispatch, gate, worker};
use crate::events::compiled_code::compiled;
use crate::events::gc::sending;
use crate::events::gc::{deaths, forcing, heap_count, object_free};
use crate::events::methods::beginning;
use crate::events::objects::replay;
use crate::events::references::global_refs;
use crate::events::threads::stopped;
use crate::events::vm_life::{agent_requests, init_done, thread_lifetime, vm_events};
use crate::hooks::{blind_spots, class_hook, instrument, late_loaders, left_out};
use crate::model::thread::attention_guard::with_attention;
use crate::model::thread::{Thread, attention};
use crate::model::{classes, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::finding;
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm::{self, Phase};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};

/// VMStart: the first moment JNI works. The agent is started later, at VMInit: only there its
/// JVM_OnLoad finds classes of the program by JNI, as it did in hosts of the period.
pub(crate) fn vm_started(jni: Jni) {
    // The main thread has a record from now on, so that its local storage works.
    let _ = threads::enter(jni, None);
}

/// VMInit, or the same moment of a late start: everything the agent has missed
/// is told, in the order hosts of the time did (JVMPI facts B.0), then
/// JVM_INIT_DONE.
pub(crate) fn vm_ready(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let Some(own) = threads::enter(jni, Some(thread)) else {
        return;
    };
    with_attention(attention::REWRITING | attention::SILENT, || {
        finding::in_live_phase(jvmti, jni, thread);
        if start::is_expected() {
            finding::for_an_agent(jni, thread);
        }
    });
    if let Some(vm) = java_vm::get() {
        start::start_opened(vm);
    }
    let gate = gate::begin_replay();
    if this_vm::advance(Phase::Live) {
        replay(jvmti, jni, &own, gate);
    }
}

/// An agent was loaded into a VM in which we have been alone since its start: it is told the
/// same. False if that cannot be done now.
pub(crate) fn agent_came(jvmti: Jvmti, jni: Jni) -> bool {
    let Some(own) = threads::enter(jni, None) else {
        return false;
    };
    if this_vm::phase() != Phase::Live {
        return false;
    }
    with_attention(attention::REWRITING | attention::SILENT, || {
        if let Some(thread) = jvmti.current_thread(jni) {
            finding::for_an_agent(jni, thread.get());
        }
    });
    let Some(gate) = gate::begin_late_replay() else {
        return false;
    };
    beginning::wait_for_init_done();
    replay(jvmti, jni, &own, gate);
    true
}

/// `gate` is closed for it.
fn replay(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, gate: gate::Closed) {
    // What is enabled before it is known that the VM is live is seen here. Partner: `wanted`.
    fence(Ordering::SeqCst);
    agent_requests::name_the_missing();
    thread_lifetime::discover_all(jvmti, jni);
    let redo = instrument::prepare(jvmti, jni, wanted::wanted());
    if wanted::wants(EventKind::ClassLoadHook) {
        // Before CLASS_LOAD can come: the hook is the first an agent hears of a class.
        class_hook::replay(jvmti, jni);
        drop(redo);
    } else if let Some(redoing) = redo {
        instrument::redo(jvmti, jni, redoing, || {});
    }
    vm_events::apply(jvmti, jni);
    announce::introduce(jvmti, jni, own);
    deaths::replay_arenas(own);
    let objects = wanted::wants(EventKind::ObjectAlloc);
    if objects || wanted::wants(EventKind::ClassLoad) {
        announce_classes(jvmti, jni, own);
    }
    // Of a sample nobody would know for what each of them stands.
    if objects && config::options().alloc_interval == 0 {
        replay::replay(jvmti, jni, own);
        if wanted::wants(EventKind::ObjectAlloc) {
            heap_count::begin();
        }
    }
    thread_lifetime::announce_all(jvmti, jni, own);
    compiled::replay(jvmti);
    compiled::send(jvmti, jni, own);
    let vm = this_vm::vm_name().unwrap_or_default();
    log::info!("ready on {vm}");
    observer::tell(|observer| observer.vm_is(&vm));
    // Its handler may wait for threads of its own, and those for a bracket.
    drop(gate);
    observer::tell(|observer| observer.vm_ready());
    let sent = init_done::send(own);
    observer::tell(|observer| observer.moment(EventKind::JvmInitDone, sent));
}

/// CLASS_LOAD of all classes that it is due of.
fn announce_classes(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    match classes::loaded(jvmti, jni) {
        Ok(loaded) => {
            // As many as a native method may make without asking.
            const ROOM: usize = 16;
            for class in loaded.iter().filter(|class| class.owes_its_load()) {
                jni.with_frame(ROOM, || {
                    announce::class(jvmti, jni, own, class, patience::DEFINITION_UNDER_LOCKS);
                });
            }
        }
        Err(error) => log::warning!(
            "{error}: classes older than the agent get CLASS_LOAD at their first mention"
        ),
    }
}

/// The user's signal (kill -QUIT): dump, then reset, as the two share a trigger.
pub(crate) fn dump_requested() {
    let Some((jvmti, jni)) = this_vm::for_call("DataDumpRequest") else {
        return;
    };
    let Some(own) = threads::own() else { return };
    announce::introduce(jvmti, jni, &own);
    let _serves = Turn::take(&own.native().serves_user);
    dispatch::send_plain(&own, EventKind::DataDumpRequest);
    dispatch::send_plain(&own, EventKind::DataResetRequest);
}

/// ThreadEnd of the thread that ends the VM, which VMDeath follows on that thread.
pub(crate) fn vm_ends(jvmti: Jvmti, jni: Jni) {
    // The program's other threads go on in between, and hooks tell of them; and no operation at a
    // safepoint can be done, for which a dump waits that has stopped one of them in a callback.
    if jvmti.is_silent_before_death() {
        vm_died(jvmti, jni);
        if !stopped::while_nobody_stops(|| ()) {
            log::info!("the VM ends while threads are suspended");
        }
    }
    object_free::end(jvmti, jni);
}

/// VMDeath, or just before it ([`vm_ends`]): the last event, then silence.
pub(crate) fn vm_died(jvmti: Jvmti, jni: Jni) {
    static DIED: AtomicBool = AtomicBool::new(false);
    if DIED.swap(true, Ordering::AcqRel) {
        return;
    }
    forcing::vm_ends();
    let Some(own) = threads::enter(jni, None) else {
        return;
    };
    object_free::resume(jvmti);
    if !send_last_events(jvmti, jni, &own) && this_vm::phase() == Phase::ShuttingDown {
        // The agent is being detached.
        dispatch::wait_for_the_end();
        return;
    }
    dispatch::close();
    nobody_listens();
}

/// The last bracket, and JVM_SHUT_DOWN; from here on no other thread begins to deliver anything but what the agent requests. False if
/// another thread has done so, or does.
pub(super) fn send_last_events(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) -> bool {
    compiled::send(jvmti, jni, own);
    sending::send_last(jvmti, jni, own);
    let is_first = dispatch::close_to_others();
    if is_first {
        announce::introduce(jvmti, jni, own);
        global_refs::send_orphans(own);
        // Array classes are put off to their first mention, which a dump may be that the agent
        // asks for when it has disabled every event.
        if dispatch::reaches_agent(EventKind::ClassLoad) {
            announce_classes(jvmti, jni, own);
        }
        let handler = gate::LastHandler::begins();
        let sent = dispatch::send_plain(own, EventKind::JvmShutDown);
        drop(handler);
        observer::tell(|observer| observer.moment(EventKind::JvmShutDown, sent));
    }
    is_first
}

/// Behind [`dispatch::close`]: what is said at the end.
pub(super) fn nobody_listens() {
    observer::tell(|observer| observer.finish());
    late_loaders::report();
    blind_spots::report();
    left_out::report();
    // At its end the VM waits 300 ms for threads that are in native code: ours ends.
    worker::wake();
}
