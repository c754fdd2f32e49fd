//! METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT from JVMTI's own events
//! (`method-events=exact`).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use event_translate::shadow::{Running, Shadow};
use event_translate::table::EventKind;

use crate::base::patience;
use crate::delivery::announce::{self};
use crate::events::methods::beginning;
use crate::events::methods::method_events::{
    end_lost, meet, send, send_with_receiver, with_shadow,
};
use crate::model::classes::methods::{self, Method};
use crate::model::method_flow::{ACTIVE, ENTRY, ENTRY2, EXIT};
use crate::model::thread::{Thread, current};
use crate::model::threads;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::{Local, ThreadRef};

/// MethodEntry.
pub(crate) fn entered(jvmti: Jvmti, jni: Jni, id: MethodId) {
    let active = beginning::active();
    if active & (ENTRY | ENTRY2 | EXIT) == 0 {
        return;
    }
    let Some((own, known)) = vm_method(jvmti, jni, id) else {
        return;
    };
    let method = known.announced_as();
    if active & EXIT != 0 {
        with_shadow(&own, active, |shadow| {
            shadow.enter(Running {
                key: method.number(),
                method: method.number(),
                stack: 0,
            });
        });
    }
    if active & ENTRY != 0 {
        send(&own, EventKind::MethodEntry, method, None);
    }
    if active & ENTRY2 != 0 {
        // JDK 11 gives the first argument of a static method for its receiver, and later ones take microseconds to find
        // that there is none, the more the deeper the stack.
        let receiver = (!known.is_static()).then(|| jvmti.receiver(jni, ThreadRef::CURRENT, 0));
        let receiver = receiver.as_ref().and_then(Option::as_ref).map(Local::get);
        send_with_receiver(&own, method, receiver);
    }
}

/// MethodExit; an exception may be pending.
pub(crate) fn left(jvmti: Jvmti, jni: Jni, id: MethodId) {
    // Relaxed: as in `beginning::active`. Where nothing flows yet no beginning was told of.
    let active = ACTIVE.load(Ordering::Relaxed);
    if active & EXIT == 0 {
        return;
    }
    let _aside = ExceptionAside::put(jni);
    if let Some((own, known)) = vm_method(jvmti, jni, id) {
        let method = known.announced_as();
        let lost = with_shadow(&own, active, |shadow| shadow.lost_above(method.number())).flatten();
        // One that began before anybody listened is not told of.
        if let Some(lost) = lost {
            end_lost(&own, active, lost, Some(0));
            with_shadow(&own, active, Shadow::pop);
            send(&own, EventKind::MethodExit, method, None);
        }
    }
}

/// The thread and the method of such an event, if the agent is to hear of it.
fn vm_method(jvmti: Jvmti, jni: Jni, id: MethodId) -> Option<(Arc<Thread>, Arc<Method>)> {
    if current::has_ended() {
        // As with hooks: what runs behind its THREAD_END is not told of.
        return None;
    }
    let own = threads::own()?;
    // While a thread is being attached, its JNI works but its name is unknown yet.
    if meet(jvmti, jni, &own)? {
        return None;
    }
    let method = methods::of(jvmti, jni, id)?;
    if !method.is_shown() || !method.is_taken() {
        return None;
    }
    let told = announce::class(jvmti, jni, &own, &method.class, patience::DEFINITION);
    // Of a class that the agent cannot be told of now no method is named.
    (told || method.class.may_be_named()).then_some((own, method))
}
