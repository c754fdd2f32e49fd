//! Virtual threads, from the moment that an agent wants events that belong to threads: who is
//! mounted, THREAD_START and THREAD_END. JDK 21 and later, where the VM tells
//! ([`crate::vm::hotspot::virtual_threads::mounts`]); without it they are seen as their carriers.

use std::sync::atomic::Ordering;

use event_translate::EventSet;
use event_translate::needs::VmEvent;
use event_translate::table::EventKind;
use shim_options::VirtualThreads;

use crate::agent::park_handler;
use crate::base::{config, log, patience};
use crate::delivery::{announce, dispatch};
use crate::events::threads::mounted;
use crate::events::vm_life::thread_lifetime;
use crate::model::thread::attention;
use crate::model::thread::attention_guard::Attention;
use crate::model::threads::virtual_threads;
use crate::model::{threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::virtual_threads::mounts::{self, ThreadIdentifier};
use crate::vm::jni::Jni;
use crate::vm::jni::forwarding_env::ForwardingEnv;
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm::{self, Phase};

/// From the first event on that belongs to a thread the VM is to tell; it goes on to the end, so
/// that who is mounted is always known.
///
/// # Phase
/// Live.
pub(crate) fn follow(jvmti: Jvmti, jni: Jni) {
    const OF_THREADS: EventSet = VmEvent::VirtualThreadEnd.needed_by();
    let of_threads = wanted::ever_wanted().intersects(OF_THREADS);
    let wanted = (of_threads || park_handler::is_watched())
        && config::options().virtual_threads == VirtualThreads::Threads;
    let can = ForwardingEnv::EXIST && mounts::are_found();
    if !(wanted && can && mounted::begin()) {
        return;
    }
    let switched = mounts::switch_on(jvmti, jni)
        .and_then(|()| jvmti.set_event(VmEvent::VirtualThreadEnd, true))
        .and_then(|()| jvmti.set_event(VmEvent::VirtualThreadStart, true));
    if let Err(error) = switched
        && !error.is_too_late()
    {
        log::warn_once!("{error}; virtual threads are seen as their carriers");
    }
}

/// VirtualThreadMount. One that is older than the wish for THREAD_START gets it now: it may be all that
/// a sampler ever hears of it.
pub(crate) fn mounted(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let Some(identifier) = mounts::identifier(jni, thread) else {
        return;
    };
    if !mounted::mount_known(jni, identifier) {
        started(jvmti, jni, thread);
    }
}

/// VirtualThreadStart, on its first carrier, which has not said that it mounts it.
pub(crate) fn started(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    if !dispatch::reaches_agent(EventKind::ThreadStart) || this_vm::phase() != Phase::Live {
        return;
    }
    mounted::mount(jni, thread);
    let Some(own) = threads::enter(jni, Some(thread)) else {
        return;
    };
    let _starting = Attention::set(&own, attention::STARTING);
    announce::thread(jvmti, jni, &own, &own, patience::DEFINITION);
    announce::introduce(jvmti, jni, &own);
    own.started.store(true, Ordering::Release);
}

/// VirtualThreadEnd, on its last carrier, which runs it no more.
pub(crate) fn ended(jvmti: Jvmti, jni: Jni, thread: ObjectRef<'_>) {
    let Some(identifier) = mounts::identifier(jni, thread) else {
        return;
    };
    if !virtual_threads::is_known(identifier) && !dispatch::reaches_agent(EventKind::ThreadEnd) {
        return;
    }
    mounted::mount_known(jni, identifier);
    end(jvmti, jni, identifier, thread);
    virtual_threads::unmount();
}

fn end(jvmti: Jvmti, jni: Jni, identifier: ThreadIdentifier, thread: ObjectRef<'_>) {
    let Some(own) = threads::enter(jni, Some(thread)) else {
        return;
    };
    thread_lifetime::tell_of_end(jvmti, jni, &own);
    virtual_threads::ended(jvmti, jni, identifier, &own);
}
