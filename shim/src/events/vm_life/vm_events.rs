//! Which of the VM's events are on: those that the agent's wishes rest on.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use event_translate::EventKind;
use event_translate::needed::OF_WORKER;
use event_translate::needs::{Hook, On, VmEvent, Wrapper};
use shim_options::MethodEvents;

use crate::base::{config, log};
use crate::delivery::worker;
use crate::events::call_traces::method_ids;
use crate::events::gc::{bracket_ends, collections, heap_count, object_free};
use crate::events::methods::beginning;
use crate::events::monitors::{sleep, waiters};
use crate::events::objects::reporting;
use crate::events::vm_life::virtual_threads;
use crate::hooks::{class_hook, instrument, unlinked_classes, wanted_hooks};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::jni::wrappers;
use crate::vm::this_vm::{self, Phase};

/// Collectors of the period call AsyncGetCallTrace themselves, in their own signal's handler, with CLASS_LOAD enabled:
/// it answers nobody while no agent listens to JVMTI's event of that name (JVMTI facts 37).
fn let_agents_walk(jvmti: Jvmti) {
    static DONE: AtomicBool = AtomicBool::new(false);
    // Relaxed: nothing else hangs on it. It stays on: walks of ours want it, too.
    if !DONE.swap(true, Ordering::Relaxed)
        && let Err(error) = jvmti.set_event(VmEvent::ClassLoad, true)
    {
        log::info!("{error}: AsyncGetCallTrace answers no agent");
    }
}

/// Brings the VM's notification modes in line with what the agent wants. Another
/// thread may change that meanwhile: whoever reads last is right.
///
/// # Phase
/// Live.
pub(crate) fn apply(jvmti: Jvmti, jni: Jni) {
    loop {
        let wanted = wanted::wanted();
        for event in VmEvent::ALL {
            set_as_wanted(jvmti, event);
        }
        virtual_threads::follow(jvmti, jni);
        if wanted::wants(EventKind::ClassLoad) {
            let_agents_walk(jvmti);
        }
        if wanted.intersects(Wrapper::ThreadSleep.needed_by()) {
            sleep::wrap(jvmti, jni);
        }
        if let Some(redoing) = instrument::prepare(jvmti, jni, wanted) {
            instrument::redo(jvmti, jni, redoing, beginning::let_methods_flow);
        }
        if this_vm::phase() == Phase::Dead {
            // The agent has gone meanwhile: what it wanted is nobody's wish any more.
            return;
        }
        beginning::let_methods_flow();
        let wants_worker = wanted.intersects(OF_WORKER);
        if wants_worker {
            if object_free::is_on() && !worker::is_started() {
                // For our own sake, up to now: those collections are no news.
                collections::forget_pending();
            }
            object_free::begin(jvmti, jni);
        }
        // It also takes over the gate's barriers, and takes out hooks.
        if wants_worker || wanted_hooks::is_on() {
            worker::ensure(jvmti, jni);
        }
        if wanted.intersects(VmEvent::SampledObjectAlloc.needed_by()) {
            reporting::begin(jvmti);
        }
        if wanted.intersects(Wrapper::JniTable.needed_by())
            && let Err(error) = wrappers::install(jvmti)
        {
            log::warn_once!(
                "{error}; events of global references, and of monitors that native code leaves, will not come"
            );
        }
        if wanted::wanted() == wanted {
            return;
        }
    }
}

/// One of the VM's events, if that goes by what is wanted. This is looked at right before and
/// after, since another thread may change it.
fn set_as_wanted(jvmti: Jvmti, event: VmEvent) {
    let wanted = match event.on() {
        On::WhileWanted => wanted::wanted,
        On::SinceWanted => wanted::ever_wanted,
        On::Exact if config::options().method_events == MethodEvents::Exact => wanted::wanted,
        On::Always | On::Exact | On::Allocations | On::Deaths | On::Asked | On::Threads => return,
    };
    let is_wanted = || {
        let for_hooks = Hook::VM_EVENTS.contains(&event) && wanted_hooks::is_on();
        let unlinked = event == VmEvent::ClassPrepare
            && (unlinked_classes::is_any() || method_ids::are_wanted());
        let replaced = event == VmEvent::ClassFileLoadHook && class_hook::has_replaced();
        let redefined =
            event == VmEvent::ClassFileLoadHook && REDEFINING.load(Ordering::SeqCst) > 0;
        // Hooks come or go, of which nobody can say yet that they are there.
        let redone = Hook::VM_EVENTS.contains(&event) && instrument::is_redoing();
        for_hooks
            || unlinked
            || replaced
            || redefined
            || redone
            || wanted().intersects(event.needed_by())
    };
    loop {
        let on = is_wanted();
        match jvmti.set_event(event, on) {
            Err(error) if !error.is_too_late() => {
                if event.on() == On::Exact {
                    log::warn_once!(
                        "{error}; method events will not come (method-events=exact wants -agentpath)"
                    );
                } else {
                    log::warn_once!("{error}; some events will not come");
                }
            }
            _ => {}
        }
        if is_wanted() == on {
            return;
        }
    }
}

/// How many threads of others redefine or retransform classes.
static REDEFINING: AtomicU32 = AtomicU32::new(0);

/// One of them: the VM shows what it makes of them.
#[must_use]
pub(crate) struct Redefining(());

impl Redefining {
    /// `None` where that is nothing to us. Of a class that has had hooks the VM keeps the file that it was loaded from, and
    /// begins with that when it gets hooks again: what it has become meanwhile, while nobody wanted any, has to be known then.
    pub(crate) fn begin(jvmti: Jvmti) -> Option<Self> {
        if !wanted_hooks::was_ever_on() {
            return None;
        }
        REDEFINING.fetch_add(1, Ordering::SeqCst);
        set_as_wanted(jvmti, VmEvent::ClassFileLoadHook);
        Some(Self(()))
    }
}

impl Drop for Redefining {
    fn drop(&mut self) {
        REDEFINING.fetch_sub(1, Ordering::SeqCst);
        if let Some(jvmti) = this_vm::jvmti() {
            set_as_wanted(jvmti, VmEvent::ClassFileLoadHook);
        }
    }
}

/// DisableEvent.
pub(crate) fn note_disabled(kind: EventKind) {
    if kind == EventKind::ObjectAlloc {
        heap_count::end();
    } else if kind == EventKind::MonitorContendedExit {
        waiters::forget();
    } else if kind == EventKind::GcFinish {
        bracket_ends::note_disabled();
    }
}
