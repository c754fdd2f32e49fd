//! Closes the gate for the last events, for ever.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use event_translate::EventKind;
use protocols::gate::{self, State};

use crate::base::guards::Inside;
use crate::base::patience;
use crate::delivery::gate::{GATE, end, stragglers};
use crate::model::thread::current;
use crate::os::asymmetric_fence;

/// The last events are being prepared: who asks for one has it, and handlers in flight return.
static GRACE: AtomicBool = AtomicBool::new(false);

/// Whether they are.
fn is_grace() -> bool {
    GRACE.load(Ordering::Acquire)
}

/// How far the handler of JVM_SHUT_DOWN is.
static HANDLER: AtomicU8 = AtomicU8::new(NOT_BEGUN);
const NOT_BEGUN: u8 = 0;
const RUNS: u8 = 1;
const RETURNED: u8 = 2;

/// While this lives the handler of JVM_SHUT_DOWN runs.
pub(crate) struct LastHandler(());

impl LastHandler {
    /// Ends the preparations of [`close_to_others`]; handlers in flight get two seconds more if they only wait for a processor.
    pub(crate) fn begins() -> Self {
        GRACE.store(false, Ordering::SeqCst);
        // Who has come in since finds itself too late, or is seen inside.
        asymmetric_fence::heavy();
        let mut beside = Vec::new();
        patience::STARVED_IN_GRACE.until(|| {
            stragglers::are_among(&beside) || {
                stragglers::note_waiting(&mut beside);
                stragglers::are_among(&beside)
            }
        });
        HANDLER.store(RUNS, Ordering::Release);
        Self(())
    }
}

impl Drop for LastHandler {
    fn drop(&mut self) {
        HANDLER.store(RETURNED, Ordering::Release);
    }
}

/// Whether it does, or has returned.
pub(crate) fn has_last_handler_begun() -> bool {
    HANDLER.load(Ordering::Acquire) != NOT_BEGUN
}

thread_local! {
    /// The thread answers what the agent has requested before JVM_SHUT_DOWN's handler began.
    static ANSWERS_BEFORE: Cell<bool> = const { Cell::new(false) };
    /// The same of what it has requested since.
    static ANSWERS_SINCE: Cell<bool> = const { Cell::new(false) };
}

/// Answers a request of the agent's on the calling thread: also while another one prepares the last events, or is in
/// JVM_SHUT_DOWN's handler, which may wait for it. That handler hears of nothing that was asked for before it began: who is
/// refused for that waits for it, or would be so again and again.
pub(crate) fn answering<A>(answer: impl FnOnce() -> A) -> A {
    let closed_to_me = || {
        let stand = GATE.load();
        stand.state == State::LastEvents && stand.owner != current::key()
    };
    let since = closed_to_me() && HANDLER.load(Ordering::Acquire) == RUNS;
    let inside = Inside::set(if since {
        &ANSWERS_SINCE
    } else {
        &ANSWERS_BEFORE
    });
    let answer = answer();
    drop(inside);
    patience::LAST_EVENTS.until(|| !closed_to_me() || is_grace() || has_last_handler_begun());
    answer
}

/// Whether the calling thread does.
pub(crate) fn answers() -> bool {
    ANSWERS_SINCE.get() || ANSWERS_BEFORE.get() && is_grace() && GATE.load().owner != current::key()
}

/// Whether an event of this type defines what another one names.
pub(super) fn defines(event_type: i32) -> bool {
    matches!(
        EventKind::from_raw(event_type),
        Some(
            EventKind::ThreadStart
                | EventKind::ClassLoad
                | EventKind::ObjectAlloc
                | EventKind::ArenaNew
        )
    )
}

/// The VM is about to end: from now on the gate lets in only the calling thread, and who [`answers`]; handlers in flight get 100 ms.
/// The last events are prepared until [`LastHandler::begins`]: until then comes what was let in before, too.
pub(crate) fn close_to_others() {
    GRACE.store(true, Ordering::SeqCst);
    end(State::LastEvents);
    asymmetric_fence::heavy();
    patience::GRACE.until(|| stragglers::are_among(&[]));
}

/// Whether the thread comes too late with an event that it has passed the gate with.
#[inline]
pub(crate) fn is_too_late() -> bool {
    let stand = GATE.load();
    let mine = || stand.owner == current::key();
    gate::is_too_late(stand.state, mine, answers, is_grace)
}

/// Nothing is delivered from now on.
pub(crate) fn shut() {
    end(State::Shut);
}

/// For tests: others find the gate as it was at first, when this is dropped.
#[cfg(test)]
pub(crate) struct Ended;

#[cfg(test)]
impl Drop for Ended {
    fn drop(&mut self) {
        GATE.end(gate::Stand::of(State::Loading, 0));
        GRACE.store(false, Ordering::SeqCst);
        HANDLER.store(NOT_BEGUN, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::{Ended, LastHandler, close_to_others, is_too_late};
    use crate::base::patience;
    use crate::delivery::gate::{enter, opened};
    use crate::model::tables::THREADS;
    use crate::model::thread::{Thread, current};

    /// On a thread that has passed the gate, and is among those who are looked at.
    fn inside(env: usize, body: impl FnOnce()) {
        let own = Arc::new(Thread::new(env));
        THREADS.replace(env as u64, Arc::clone(&own));
        own.native().met_itself(current::key());
        let (open, entered) = enter(&own);
        assert!(open && !is_too_late());
        body();
        drop(entered);
        THREADS.remove_own(env as u64, &own);
    }

    #[test]
    fn who_wants_a_processor_is_waited_for_and_who_was_stopped_is_too_late() {
        let _one = opened();
        let _ended = Ended;
        let (tell, told) = channel();
        let (go_on, goes_on) = channel::<()>();
        let handled = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let stopped_tells = tell.clone();
            let stopped = scope.spawn(move || {
                let mut late = false;
                inside(16, || {
                    stopped_tells.send(()).unwrap();
                    let _ = goes_on.recv();
                    late = is_too_late();
                });
                late
            });
            let handled = &handled;
            scope.spawn(move || {
                inside(32, || {
                    tell.send(()).unwrap();
                    let start = Instant::now();
                    while start.elapsed() < patience::GRACE.most * 3 {}
                    handled.store(true, Ordering::Release);
                });
            });
            let both = [told.recv(), told.recv()];
            assert!(both.iter().all(Result::is_ok));
            close_to_others();
            drop(LastHandler::begins());
            assert!(handled.load(Ordering::Acquire));
            assert!(!is_too_late(), "the last events are its own");
            drop(go_on);
            assert!(stopped.join().unwrap());
        });
    }
}
