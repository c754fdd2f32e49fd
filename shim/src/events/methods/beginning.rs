//! When METHOD_ENTRY, METHOD_ENTRY2, METHOD_EXIT and INSTRUCTION_START begin: with the handler of
//! JVM_INIT_DONE, and never before it (JVMPI facts C.3).
//!
//! Nobody sees the agent's code begin to run. What the handler's own thread does in there comes
//! behind its beginning. Another thread goes by that, or by the handler's return, or waits for some
//! time to pass: until then its methods are not told of, as those before JVM_INIT_DONE.

use std::sync::atomic::{AtomicU8, Ordering, fence};
use std::time::Instant;

use parking_lot::Mutex;

use crate::base::patience;
use crate::delivery::gate;
use crate::model::method_flow::{self, ACTIVE, ENTRY, ENTRY2, EXIT};
use crate::model::thread::current;

/// How far the handler of JVM_INIT_DONE is.
static HANDLER: AtomicU8 = AtomicU8::new(NOT_CALLED);
const NOT_CALLED: u8 = 0;
/// It is about to run, or runs.
const CALLED: u8 = 1;
/// It has begun for certain, or nobody listens.
const BEGUN: u8 = 2;

/// The thread that the handler was called on, and when.
static CALL: Mutex<Option<(u64, Instant)>> = Mutex::new(None);

/// While this lives the handler of JVM_INIT_DONE runs on the calling thread. To be made right before
/// it is called: nothing of ours may run Java code in between.
pub(crate) struct Handler(());

impl Handler {
    pub(crate) fn is_called() -> Self {
        *CALL.lock() = Some((current::key(), Instant::now()));
        HANDLER.store(CALLED, Ordering::Release);
        Self(())
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        begin();
    }
}

/// From now on methods are told of.
pub(crate) fn begin() {
    HANDLER.store(BEGUN, Ordering::SeqCst);
    // Partner: `wanted`.
    fence(Ordering::SeqCst);
    apply();
}

/// An agent has come to a VM that was live without one: its JVM_INIT_DONE is still to be sent.
pub(crate) fn wait_for_init_done() {
    HANDLER.store(NOT_CALLED, Ordering::SeqCst);
}

/// Whether methods are told of, by the calling thread.
#[inline]
pub(crate) fn have_begun() -> bool {
    match HANDLER.load(Ordering::Acquire) {
        BEGUN => true,
        CALLED => has_handler_begun(),
        _ => false,
    }
}

#[cold]
fn has_handler_begun() -> bool {
    let Some((thread, since)) = *CALL.lock() else {
        return false;
    };
    let begun = thread == current::key() || since.elapsed() >= patience::FIRST_HANDLER_BEGINS.most;
    if begun {
        begin();
    }
    begun
}

/// The agent calls us: if that is in the handler of JVM_INIT_DONE, it has begun.
pub(crate) fn note_call() {
    have_begun();
}

/// Which method events flow, for a hook: see [`ACTIVE`].
#[inline]
pub(crate) fn active() -> u32 {
    // Relaxed: bits that are all that they say; what they lead to is behind the gate, which is read
    // with acquire.
    let active = ACTIVE.load(Ordering::Relaxed);
    let is_silent = active & (ENTRY | ENTRY2 | EXIT) == 0;
    // Relaxed: who does not see it yet is not told of.
    if is_silent && HANDLER.load(Ordering::Relaxed) == CALLED && has_handler_begun() {
        return ACTIVE.load(Ordering::Relaxed);
    }
    active
}

/// Those that are wanted, from the hooks that are there.
pub(crate) fn let_methods_flow() {
    if have_begun() {
        apply();
    }
}

fn apply() {
    method_flow::apply();
    gate::renew_fast_path();
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::{Handler, begin, have_begun, wait_for_init_done};
    use crate::base::patience;
    use crate::delivery::gate;

    fn on_another_thread() -> bool {
        thread::spawn(have_begun).join().unwrap()
    }

    /// All in one: there is one such moment in a process.
    #[test]
    fn methods_begin_with_the_handler() {
        let _one = gate::opened();
        wait_for_init_done();
        assert!(!have_begun());
        let start = Instant::now();
        let handler = Handler::is_called();
        // Where processors are scarce the look may take as long.
        let is_late = || start.elapsed() >= patience::FIRST_HANDLER_BEGINS.most;
        assert!(!on_another_thread() || is_late());
        thread::sleep(patience::FIRST_HANDLER_BEGINS.most);
        assert!(on_another_thread(), "a handler that only takes its time");

        wait_for_init_done();
        drop(handler);
        assert!(on_another_thread(), "it has returned");

        wait_for_init_done();
        let start = Instant::now();
        let handler = Handler::is_called();
        // Where processors are scarce the look may take as long.
        let is_late = || start.elapsed() >= patience::FIRST_HANDLER_BEGINS.most;
        assert!(!on_another_thread() || is_late());
        assert!(have_begun(), "in the handler");
        assert!(on_another_thread());
        drop(handler);

        wait_for_init_done();
        assert!(!on_another_thread());
        begin();
        assert!(on_another_thread(), "nobody listens to JVM_INIT_DONE");
    }
}
