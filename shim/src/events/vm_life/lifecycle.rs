//! From Agent_OnLoad to VMDeath.

use jvmpi_headers::jni::jobject;
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_ALIVE;

use event_translate::table::EventKind;

use crate::agent::start;
use crate::base::patience;
use crate::base::{log, observer};
use crate::delivery::announce::{self};
use crate::delivery::{deferred, dispatch, gate, worker};
use crate::events::compiled_code::compiled;
use crate::events::gc::sending;
use crate::events::gc::{deaths, heap_count, object_free};
use crate::events::methods::method_events;
use crate::events::monitors::monitor_dump;
use crate::events::objects::replay;
use crate::events::vm_life::{agent_requests, vm_events};
use crate::hooks::{
    class_hook, instrument, late_loaders, numbering, skipped, unlinked_classes, wanted_hooks,
};
use crate::model::thread::Thread;
use crate::model::{attention, classes, current, threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::thread_env;
use crate::vm::java_vm;
use crate::vm::jni::Jni;
use crate::vm::refs::Local;
use crate::vm::this_vm::{self, Phase};

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// VMStart: the first moment JNI works. The agent is started later, at VMInit: only there its
/// JVM_OnLoad finds classes of the program by JNI, as it did in hosts of the period.
pub(crate) fn vm_started(jni: Jni) {
    // The main thread has a record from now on, so that its local storage works.
    let _ = threads::enter(jni, ptr::null_mut());
}

/// VMInit, or the same moment of a late start: everything the agent has missed
/// is told, in the order hosts of the time did (JVMPI facts B.0), then
/// JVM_INIT_DONE.
pub(crate) fn vm_ready(jvmti: Jvmti, jni: Jni, thread: jobject) {
    let Some(own) = threads::enter(jni, thread) else {
        return;
    };
    thread_env::learn(jni, thread);
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
    let Some(own) = threads::enter(jni, ptr::null_mut()) else {
        return false;
    };
    let gate = (this_vm::phase() == Phase::Live).then(gate::begin_late_replay);
    let Some(gate) = gate.flatten() else {
        return false;
    };
    replay(jvmti, jni, &own, gate);
    true
}

/// `gate` is closed for it.
fn replay(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, gate: gate::Closed) {
    agent_requests::name_the_missing();
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
    if objects {
        replay::replay(jvmti, jni, own);
        if wanted::wants(EventKind::ObjectAlloc) {
            heap_count::begin();
        }
    }
    announce_threads(jvmti, jni, own);
    compiled::replay(jvmti);
    compiled::send(jvmti, jni, own);
    let vm = this_vm::vm_name().unwrap_or_default();
    log::info!("libjvmpi {} is ready on {vm}", env!("CARGO_PKG_VERSION"));
    observer::tell(|observer| observer.vm_is(&vm));
    // Its handler may wait for threads of its own, and those for a bracket.
    drop(gate);
    observer::tell(|observer| observer.vm_ready());
    let sent = dispatch::send_plain(own, EventKind::JvmInitDone);
    observer::tell(|observer| observer.moment(EventKind::JvmInitDone, sent));
    vm_events::begin_method_events();
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

/// THREAD_START of all threads that are older than the agent.
fn announce_threads(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    match jvmti.all_threads() {
        Ok(found) => {
            for &thread in found.as_slice() {
                let env = thread_env::env_of(jni, thread);
                if let (Some(thread), Some(env)) = (Local::adopt(jni, thread), env)
                    && jvmti
                        .thread_state(thread.get())
                        .is_ok_and(|state| state & JVMTI_THREAD_STATE_ALIVE != 0)
                {
                    threads::discover(jni, thread.get(), env);
                    if is_destroyer(jvmti, jni, thread.get()) {
                        DESTROYER.store(env, Ordering::Release);
                    }
                }
            }
        }
        Err(error) => log::warning!("{error}: threads older than the agent get no THREAD_START"),
    }
    for thread in threads::all() {
        thread.started.store(true, Ordering::Release);
        announce::thread(jvmti, jni, own, &thread, patience::DEFINITION_UNDER_LOCKS);
    }
}

/// ThreadStart, on the new thread.
pub(crate) fn thread_started(jvmti: Jvmti, jni: Jni, thread: jobject) {
    let Some(own) = threads::started(jni, thread) else {
        return;
    };
    if this_vm::phase() == Phase::Live {
        thread_env::learn(jni, thread);
        note_carrier(jvmti, jni, &own, thread);
        announce::thread(jvmti, jni, &own, &own, patience::DEFINITION);
        announce::introduce(jvmti, jni, &own);
    }
    own.started.store(true, Ordering::Release);
}

/// Virtual threads run on threads of a class of their own (JDK 21 and later).
fn note_carrier(jvmti: Jvmti, jni: Jni, own: &Thread, thread: jobject) {
    let class = jni.class_of(thread);
    let signature = class.and_then(|class| jvmti.class_signature(class.get()).ok());
    if signature.is_some_and(|name| name.bytes() == b"Ljdk/internal/misc/CarrierThread;") {
        own.set_attention(attention::CARRIER);
    }
}

/// ThreadEnd, on the dying thread. Its THREAD_START comes first if it never came
/// (agents count, JVMPI facts R20).
pub(crate) fn thread_ended(jvmti: Jvmti, jni: Jni, thread: jobject) {
    let Some(own) = threads::enter(jni, thread) else {
        return;
    };
    if ends_the_vm(jvmti, &own) {
        object_free::end(jvmti, jni);
        return;
    }
    monitor_dump::wait_for_delivery(&own);
    // The agent's function has returned: the thread may wait like any other.
    own.is_agents.store(false, Ordering::Release);
    own.raw_held.store(0, Ordering::Release);
    deferred::flush_at_the_end(jvmti, jni, &own);
    method_events::thread_ends(&own);
    if dispatch::reaches_agent(EventKind::ThreadEnd) {
        announce::introduce(jvmti, jni, &own);
        if !dispatch::send_plain(&own, EventKind::ThreadEnd) {
            // The last events are being sent, and for the agent the thread goes on: it
            // must be found until they have been.
            dispatch::wait_for_the_end();
        }
    }
    observer::tell(|observer| observer.thread_ended(own.env));
    threads::ended(&own);
}

/// The env of a thread that was in JNI's DestroyJavaVM before we were loaded; 0 if there is none.
static DESTROYER: AtomicUsize = AtomicUsize::new(0);

/// Whether a thread that is older than us is the one that DestroyJavaVM attaches: its name is
/// fixed in the VM, and unlike a thread of the program it has nothing on its stack.
fn is_destroyer(jvmti: Jvmti, jni: Jni, thread: jobject) -> bool {
    let Ok((name, group, loader)) = jvmti.thread_info(thread) else {
        return false;
    };
    drop((Local::adopt(jni, group), Local::adopt(jni, loader)));
    name.is_some_and(|name| name.as_c_str() == c"DestroyJavaVM")
        && jvmti.frame_count(thread) == Ok(0)
}

/// HotSpot posts ThreadEnd for the thread that ends the VM, too, just before
/// VMDeath on that thread. For the agent it has not ended: JVM_SHUT_DOWN comes
/// with its env. Such a thread is deep in System.exit, or in JNI's DestroyJavaVM.
fn ends_the_vm(jvmti: Jvmti, own: &Thread) -> bool {
    current::destroys_vm()
        || DESTROYER.load(Ordering::Acquire) == own.env
        || jvmti
            .frame_count(ptr::null_mut())
            .is_ok_and(|frames| frames > 0)
}

/// ClassPrepare.
pub(crate) fn class_prepared(jvmti: Jvmti, jni: Jni, class: jobject) {
    let Some(own) = threads::enter(jni, ptr::null_mut()) else {
        return;
    };
    if wanted_hooks::is_on() {
        numbering::prepared(jvmti, jni, class);
    }
    if unlinked_classes::prepared(jvmti, jni, &own, class)
        && dispatch::reaches_agent(EventKind::ClassLoad)
        && let Some(class) = classes::of(jvmti, jni, class)
    {
        announce::class(jvmti, jni, &own, &class, patience::DEFINITION_UNDER_LOCKS);
    }
}

/// The user's signal (kill -QUIT): dump, then reset, as the two share a trigger.
pub(crate) fn dump_requested() {
    let Some((jvmti, jni)) = this_vm::for_call("DataDumpRequest") else {
        return;
    };
    let Some(own) = threads::own() else { return };
    announce::introduce(jvmti, jni, &own);
    dispatch::send_plain(&own, EventKind::DataDumpRequest);
    dispatch::send_plain(&own, EventKind::DataResetRequest);
}

/// VMDeath: the last event, then silence.
pub(crate) fn vm_died(jvmti: Jvmti, jni: Jni) {
    let Some(own) = threads::enter(jni, ptr::null_mut()) else {
        return;
    };
    object_free::resume(jvmti);
    compiled::send(jvmti, jni, &own);
    sending::send_last(jvmti, jni, &own);
    if dispatch::close_to_others() {
        announce::introduce(jvmti, jni, &own);
        // Array classes are put off to their first mention, which a dump may be that the agent
        // asks for when it has disabled every event.
        if dispatch::reaches_agent(EventKind::ClassLoad) {
            announce_classes(jvmti, jni, &own);
        }
        let sent = dispatch::send_plain(&own, EventKind::JvmShutDown);
        observer::tell(|observer| observer.moment(EventKind::JvmShutDown, sent));
    }
    dispatch::close();
    observer::tell(|observer| observer.finish());
    late_loaders::report();
    skipped::report();
    // At its end the VM waits 300 ms for threads that are in native code: ours ends.
    worker::wake();
}
