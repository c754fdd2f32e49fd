//! THREAD_START and THREAD_END.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use event_translate::table::EventKind;
use jvmpi_headers::jvmti::JVMTI_THREAD_STATE_ALIVE;
use shim_options::VirtualThreads;

use crate::base::{config, log, observer, patience};
use crate::delivery::{announce, deferred, dispatch};
use crate::events::gc::object_free;
use crate::events::methods::method_events;
use crate::events::monitors::{contended_exit, telling};
use crate::events::references::global_refs;
use crate::events::threads::{in_dumps, mounted};
use crate::model::thread::{Thread, attention, current};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::thread_env;
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef, ThreadRef};
use crate::vm::this_vm::{self, Phase};

/// Makes the threads known that are older than the agent, and which of them carry virtual ones: a
/// carrier must not be taken for a thread like others when it comes to the first hook.
///
/// # Phase
/// Live, so that whoever is too young for this says itself that it starts.
pub(super) fn discover_all(jvmti: Jvmti, jni: Jni) {
    let found = match jvmti.all_threads(jni) {
        Ok(found) => found,
        Err(error) => {
            log::warning!("{error}: threads older than the agent get no THREAD_START");
            return;
        }
    };
    for thread in found.iter().map(Local::get) {
        if let Some(env) = threads::env_of(jni, thread)
            && jvmti
                .thread_state(thread.into())
                .is_ok_and(|state| state & JVMTI_THREAD_STATE_ALIVE != 0)
        {
            let record = threads::discover(jni, thread, env);
            note_carrier(jvmti, jni, &record, thread);
            if is_destroyer(jvmti, jni, thread) {
                DESTROYER.store(env, Ordering::Release);
            }
        }
    }
}

/// THREAD_START of all threads that are known, and of virtual ones that run. The gate is closed meanwhile:
/// one that is telling of itself stands there, or keeps it for later, and goes on when the caller has opened it.
pub(super) fn announce_all(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let running = mounted::find_older(jvmti, jni);
    for thread in threads::all().into_iter().chain(running) {
        thread.started.store(true, Ordering::Release);
        announce::thread(jvmti, jni, own, &thread, patience::NONE);
    }
}

/// ThreadStart, on the new thread.
pub(crate) fn started(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let Some(own) = threads::started(jni, thread) else {
        return;
    };
    if this_vm::phase() == Phase::Live {
        thread_env::learn(jni, thread);
        note_carrier(jvmti, jni, &own, thread);
        announce::thread(jvmti, jni, &own, &own, patience::DEFINITION);
        announce::introduce(jvmti, jni, &own);
        global_refs::send_orphans(&own);
    }
    own.started.store(true, Ordering::Release);
}

/// Virtual threads run on threads of a class of their own (JDK 21 and later).
fn note_carrier(jvmti: Jvmti, jni: Jni, own: &Thread, thread: ObjectRef<'_>) {
    let class = jni.class_of(thread);
    let signature = class.and_then(|class| jvmti.class_signature(class.get()).ok());
    if signature.is_some_and(|name| name.bytes() == b"Ljdk/internal/misc/CarrierThread;") {
        let silent = match config::options().virtual_threads {
            VirtualThreads::Threads | VirtualThreads::Carriers => 0,
            VirtualThreads::Off => attention::SILENT,
        };
        own.set_attention(attention::CARRIER | silent);
        // Its stack is to look the same before it has mounted the first and behind that.
        mounts::learn_callers(jni);
    }
}

/// ThreadEnd, on the dying thread. Its THREAD_START comes first if it never came
/// (agents count, JVMPI facts R20). Whether the VM ends with it: then it is still one for the agent.
pub(crate) fn ended(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) -> bool {
    let Some(own) = threads::enter(jni, Some(thread)) else {
        return false;
    };
    if ends_the_vm(jvmti, own.env) {
        return true;
    }
    // The agent's function has returned: the thread may wait like any other.
    own.native().is_agents.store(false, Ordering::Release);
    own.native().raw_held.store(0, Ordering::Release);
    tell_of_end(jvmti, jni, &own);
    threads::ended(&own);
    false
}

/// The same when the agent has gone, and only if something of ours has to end with the VM.
pub(crate) fn ended_without_agent(jvmti: Jvmti, jni: Jni) {
    if ends_the_vm(jvmti, jni.env().addr()) {
        object_free::end(jvmti, jni);
    }
}

/// The last events of the calling thread: of what still runs on it, and THREAD_END.
pub(super) fn tell_of_end(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    in_dumps::wait_for_delivery(own);
    deferred::flush_at_the_end(jvmti, jni, own);
    telling::goes_on(jni, own);
    contended_exit::thread_ends(jvmti, jni, own);
    method_events::thread_ends(own);
    if dispatch::reaches_agent(EventKind::ThreadEnd) {
        announce::introduce(jvmti, jni, own);
        if !dispatch::send_plain(own, EventKind::ThreadEnd) {
            // The last events are being sent, and for the agent the thread goes on: it
            // must be found until it hears of the end.
            dispatch::wait_for_the_last_event();
        }
    }
    observer::tell(|observer| observer.thread_ended(own.env));
}

/// The env of a thread that was in JNI's DestroyJavaVM before we were loaded; 0 if there is none.
static DESTROYER: AtomicUsize = AtomicUsize::new(0);

/// Whether a thread that is older than us is the one that DestroyJavaVM attaches: its name is
/// fixed in the VM, and unlike a thread of the program it has nothing on its stack.
fn is_destroyer(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) -> bool {
    let Ok((name, _)) = jvmti.thread_info(jni, thread) else {
        return false;
    };
    name.is_some_and(|name| name.as_c_str() == c"DestroyJavaVM")
        && jvmti.frame_count(thread.into()) == Ok(0)
}

/// HotSpot posts ThreadEnd for the thread that ends the VM, too, just before
/// VMDeath on that thread. For the agent it has not ended: JVM_SHUT_DOWN comes
/// with its env. Such a thread is deep in System.exit, or in JNI's DestroyJavaVM.
fn ends_the_vm(jvmti: Jvmti, env: usize) -> bool {
    current::destroys_vm()
        || DESTROYER.load(Ordering::Acquire) == env
        || jvmti
            .frame_count(ThreadRef::CURRENT)
            .is_ok_and(|frames| frames > 0)
}
