//! What the worker ([`crate::delivery::worker`]) does whenever it wakes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::log;
use crate::base::observer;
use crate::base::patience;
use crate::delivery::{deferred, worker};
use crate::events::compiled_code::compiled;
use crate::events::gc::sending;
use crate::events::gc::{collections, object_free};
use crate::events::methods::beginning;
use crate::events::objects::reporting;
use crate::events::references::global_refs;
use crate::events::vm_life::{abandoned, vm_events};
use crate::hooks::{instrument, method_budget, unlinked_classes};
use crate::model::ids::untagged;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::this_vm::{self, Phase};

/// One round.
pub(crate) fn work(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    if let Some(observer) = observer::looking() {
        observer.round();
    }
    abandoned::undo(jvmti);
    reporting::end_idle(jvmti);
    if instrument::take_out_idle(jvmti, jni) {
        vm_events::apply(jvmti, jni);
        log::info!("hooks that nobody has needed for some seconds have been taken out");
    }
    if instrument::catch_up(jvmti, jni) {
        beginning::let_methods_flow();
    }
    method_budget::keep(jvmti, jni);
    unlinked_classes::catch_up(jvmti, jni, own);
    let collected = collections::wants_sentinel();
    if collected && object_free::is_on() {
        collections::plant_sentinel(jvmti, jni, own);
    }
    look_for_dead(collected);
    if collections::is_pending() && this_vm::phase() == Phase::Live {
        let rest = patience::VM_TELLS.less(collections::since_last_pause());
        own.resting(|| collections::wait_for_newest(jvmti, own, rest));
        if let Some(pause) = sending::send_pending(jvmti, jni, own) {
            // Somebody is in a handler, or GC is disabled: it is ours to postpone.
            let pause = patience::BETWEEN_TRIES.within(pause);
            own.resting(|| pause.until(|| this_vm::phase() != Phase::Live));
        }
        // What follows is the next round's: where one collection follows the other, the rest of a round has its turn, too.
        worker::wake();
    }
    deferred::flush(jvmti, jni, own);
    global_refs::send_orphans(own);
    compiled::send(jvmti, jni, own);
}

/// After each of the VM's pauses, once; when a collection has `ended`, which a concurrent one does
/// later; and for what was left then.
fn look_for_dead(ended: bool) {
    static LOOKED_AFTER: AtomicU64 = AtomicU64::new(0);
    let pause = collections::last_pause();
    // Relaxed: the worker's own.
    let paused = LOOKED_AFTER.swap(pause, Ordering::Relaxed) != pause;
    if paused || ended || untagged::is_behind() {
        untagged::look_for_dead(false);
    }
}
