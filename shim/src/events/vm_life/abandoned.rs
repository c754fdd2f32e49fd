//! What a dead agent has left: threads that it has suspended, and GC that it has disabled.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::{log, patience};
use crate::delivery::worker;
use crate::events::gc::disabling;
use crate::model::tables::SUSPENDED;
use crate::vm::env::Jvmti;

static DIED: AtomicBool = AtomicBool::new(false);

/// The agent is gone in the middle of whatever it did. Any thread; the worker lets those go on whom it has suspended.
pub(crate) fn agent_died() {
    DIED.store(true, Ordering::SeqCst);
    while disabling::enable() {}
    worker::wake();
}

/// Whether it is.
pub(crate) fn has_died() -> bool {
    DIED.load(Ordering::SeqCst)
}

/// Lets those go on whom a dead agent has suspended; nothing while it lives.
pub(crate) fn undo(jvmti: Jvmti) {
    if has_died() {
        while disabling::enable() {}
        resume_all(jvmti);
    }
}

/// Whom the agent has suspended, and does not resume any more: its threads have a moment to do so.
pub(crate) fn let_go_on(jvmti: Jvmti) {
    if patience::LETS_GO.until(|| !SUSPENDED.any(|_| true)) {
        return;
    }
    let left = resume_all(jvmti);
    log::warning!("the agent has left {left} threads suspended; they go on");
}

fn resume_all(jvmti: Jvmti) -> usize {
    let left = SUSPENDED.snapshot();
    for thread in &left {
        thread.resuming();
        if let Some(object) = thread.object() {
            // It may have ended.
            let _ = jvmti.resume(object.get());
        }
    }
    left.len()
}
