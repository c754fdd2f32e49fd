//! The agent goes, and the program stays: the last events as at the VM's end, and then nothing of
//! ours is left that costs the program anything.
//!
//! For the agent the VM has ended: JVM_SHUT_DOWN is the last that it hears, and what it calls is
//! answered as behind the VM's end ([`Phase::Dead`], which this life of the library does not leave).
//! Its threads are its own; the library stays loaded, and so does ours. Callbacks may be under
//! way on other threads, so our JVMTI environment is emptied, not disposed of.
//!
//! [`Phase::Dead`]: crate::vm::this_vm::Phase::Dead

use event_translate::needs::VmEvent;

use crate::agent::table;
use crate::base::{attach_report, log, patience};
use crate::delivery::dispatch;
use crate::events::gc::object_free;
use crate::events::methods::beginning;
use crate::events::objects::reporting;
use crate::events::threads::stopped;
use crate::events::vm_life::{abandoned, lifecycle};
use crate::hooks::instrument;
use crate::model::ids::untagged;
use crate::model::{threads, wanted};
use crate::vm::env::Jvmti;
use crate::vm::hotspot::classes::redefinition;
use crate::vm::hotspot::stacks::async_trace;
use crate::vm::hotspot::virtual_threads::mounts;
use crate::vm::jni::Jni;
use crate::vm::jni::wrappers;
use crate::vm::{capabilities, heap, java_vm};

/// Sends the last events and takes out whatever is ours. False if the calling thread cannot be one
/// that the agent hears on, or the VM ends.
///
/// # Phase
/// Live; the phase is Dead when this returns. Takes as long as JVM_SHUT_DOWN's handler, and where
/// classes have hooks some milliseconds (JDK 11: five) for each loaded class in hundreds.
pub(crate) fn depart(jvmti: Jvmti, jni: Jni) -> bool {
    let Some(own) = threads::enter(jni, None) else {
        return false;
    };
    if !lifecycle::send_last_events(jvmti, jni, &own) {
        // The VM ends.
        return false;
    }
    // As long as the handler ran it might ask for a collection.
    let mut deaths_ended = object_free::end_for_good(jvmti, jni, patience::VM_RESTS);
    dispatch::close();
    lifecycle::nobody_listens();
    wanted::want_nothing();
    beginning::let_methods_flow();
    table::forget_agent();
    abandoned::let_go_on(jvmti);
    reporting::end(jvmti);
    instrument::take_out_all(jvmti, jni);
    // Nothing is born with a tag any more: what the VM tells of may have come to its end.
    deaths_ended = deaths_ended || object_free::end_for_good(jvmti, jni, patience::VM_RESTS_AGAIN);
    if !deaths_ended {
        object_free::leave_on();
        attach_report::line(
            "the VM is telling of dead objects all the time, and goes on: to the program's end what \
             the agent has heard of costs it some memory",
        );
    }
    end_events(jvmti, deaths_ended);
    if let Err(error) = wrappers::uninstall(jvmti) {
        log::info!("{error}; the wrappers of JNI functions stay");
    }
    async_trace::give_up_signal();
    untagged::forget_all();
    if deaths_ended && let Err(error) = heap::clear_tags(jvmti) {
        log::info!("{error}; objects keep their tags");
    }
    // Who was about to suspend somebody has done so by now, or sees that the phase is Dead.
    abandoned::let_go_on(jvmti);
    threads::let_objects_go();
    give_back_capabilities(jvmti, deaths_ended);
    if !java_vm::step_aside() {
        log::info!("somebody has built on our GetEnv; it stays, and leads to the VM's");
    }
    if !redefinition::step_aside(jvmti) {
        log::info!("somebody has built on our RetransformClasses; it stays, and leads to the VM's");
    }
    true
}

fn give_back_capabilities(jvmti: Jvmti, deaths_too: bool) {
    if let Err(error) = capabilities::give_back(jvmti, deaths_too) {
        log::info!("{error}; other agents cannot have what we hold");
    }
    // Without it a thread that is just being suspended would stay so, and all that are in a dump.
    let are_free = stopped::while_nobody_stops(|| {
        if let Err(error) = capabilities::give_back_suspend(jvmti) {
            log::info!("{error}; other agents cannot suspend threads");
        }
    });
    if !are_free {
        log::info!("somebody has threads suspended all the time; other agents cannot suspend any");
    }
}

/// All but ObjectFree, which has a way of its own ([`object_free::end_for_good`]). While that goes on
/// so does ThreadEnd, which is told when the VM ends, too: there it has to end ([`object_free::end`]).
fn end_events(jvmti: Jvmti, deaths_ended: bool) {
    mounts::switch_off(jvmti);
    for event in VmEvent::ALL {
        if event != VmEvent::ObjectFree && (deaths_ended || event != VmEvent::ThreadEnd) {
            // Without the capability it was never on.
            let _ = jvmti.set_event(event, false);
        }
    }
}
