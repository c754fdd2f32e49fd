//! Events that a thread could not send at once: a bracket was open, and a thread
//! with agent code on its stack must not wait for its end; or it has threads suspended.
//!
//! They are sent by the same thread, in their order, as soon as it may.

use std::sync::Arc;

use event_translate::table::EventKind;

use crate::base::errno::ErrnoKept;
use crate::base::patience;
use crate::delivery::gate;
use crate::model::thread::deferred::Deferred;
use crate::model::thread::kept_events::Sending;
use crate::model::thread::{Thread, current};
use crate::model::wanted;
use crate::vm::env::Jvmti;
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// Sends what the calling thread has kept. False if that is not to be tried: it is not in
/// the VM, or the agent has to hear of it first.
#[cold]
pub(crate) fn flush_here() -> bool {
    if let (Some(jvmti), Some(jni), Some(own)) =
        (this_vm::jvmti(), Jni::of_this_thread(), current::own())
        // Behind its THREAD_START comes its own object first.
        && (own.announced.is_done() || !wanted::wants(EventKind::ThreadStart))
    {
        flush(jvmti, jni, &own);
        return true;
    }
    false
}

/// The same for a thread that may have left the thread-suspended mode. Before EnableGC it
/// still has locks of the agent's in its hands.
pub(crate) fn flush_after_suspension(gc_is_disabled: bool) {
    let has_kept = || current::with_own(|own| own.has_kept()) == Some(true);
    if has_kept() && !gc_is_disabled && !Thread::has_suspended_others() {
        flush_here();
    }
}

/// The same for a thread that ends: it waits for the end of a bracket.
pub(crate) fn flush_at_the_end(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    patience::LAST_OF_A_THREAD.until(|| {
        flush(jvmti, jni, own);
        !own.has_kept()
    });
}

/// Sends what the thread, which is the calling one, has kept. What still cannot be
/// sent is kept again.
pub(crate) fn flush(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    let Some(sending) = Sending::begin(own) else {
        return;
    };
    let _aside = ExceptionAside::put(jni);
    let _errno = ErrnoKept::here();
    let may = |event: &dyn Deferred<Thread>| {
        let open = gate::is_open() || this_vm::phase() != Phase::Live || gate::is_replay();
        open && (event.class().is_none() || !Thread::has_suspended_others())
    };
    while let Some(event) = sending.next(may) {
        event.send(jvmti, jni, own);
    }
}
