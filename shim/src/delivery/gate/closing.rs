//! Closes the gate for the replay and for brackets.

use std::time::Instant;

use parking_lot::Mutex;
use protocols::gate::handlers::{Advice, StragglerHistory};
use protocols::gate::{Gate, Look, Stand, State};

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::delivery::gate::{GATE, change, stragglers};
use crate::model::thread::current;
use crate::os::asymmetric_fence;
use crate::vm::pause;

/// The gate is closed to all but the calling thread, until this is dropped; unless somebody who
/// has waited too long has opened it, or the VM ends.
pub(crate) struct Closed(Stand);

impl Drop for Closed {
    fn drop(&mut self) {
        change(self.0, Stand::OPEN);
    }
}

/// VMInit: the calling thread replays, the others wait.
pub(crate) fn begin_replay() -> Closed {
    let replay = Stand::of(State::Replay, current::key());
    change(Stand::of(State::Loading, 0), replay);
    Closed(replay)
}

/// The same in a VM that was live without an agent. `None` if it ends, or a bracket is open.
pub(crate) fn begin_late_replay() -> Option<Closed> {
    let replay = Stand::of(State::Replay, current::key());
    change(Stand::OPEN, replay).then(|| Closed(replay))
}

static HISTORY: Mutex<StragglerHistory> = Mutex::new(StragglerHistory::new());

/// Closes the gate for a bracket of this thread, once the handlers in flight have finished;
/// `None` if they have not by then and the bracket may not go on beside them ([`protocols::gate::handlers`]), or
/// if the gate is not open now. Handlers of threads that only wait for a processor have it for
/// `starved`: they come to it sooner while others stand at the gate.
pub(crate) fn close(patience: Patience, starved: Patience) -> Option<Closed> {
    let me = current::key();
    let now = GATE.load();
    match now.state {
        State::Open => {}
        // In the handler of JVM_INIT_DONE or JVM_SHUT_DOWN: closed, and ours.
        State::Replay | State::LastEvents => {
            let bracket = Stand::of(State::Bracket, me);
            return (now.owner == me).then(|| Closed(bracket));
        }
        State::Loading | State::Closing | State::Bracket | State::Shut => return None,
    }
    let closing = Closed(Stand::of(State::Closing, me));
    if !change(Stand::OPEN, closing.0) {
        return None;
    }
    let begin = Instant::now();
    // Whom the bracket goes on without.
    let mut beside = Vec::new();
    let mut given_up = false;
    loop {
        let alone = || stragglers::are_among(&beside);
        let looked =
            patience.until_some(
                || match Gate::look(me, asymmetric_fence::heavy, alone, change) {
                    Look::Inside | Look::Passed => None,
                    look @ (Look::Closed | Look::Lost) => Some(look),
                },
            );
        match looked {
            Some(Look::Closed) => {
                if beside.is_empty() {
                    HISTORY.lock().nobody_inside();
                } else if given_up {
                    log::warn_once!(
                        "a handler has not returned for {} s; a GC bracket is sent beside it",
                        patience::STUCK_HANDLER.most.as_secs()
                    );
                }
                return Some(Closed(Stand::of(State::Bracket, me)));
            }
            Some(_) => return None,
            None => {}
        }
        if begin.elapsed() >= starved.most || stragglers::anybody_waits() {
            let stragglers = stragglers::look(me);
            let advice = HISTORY.lock().after_try(Instant::now(), &stragglers);
            // In a pause of the VM's they may be waiting for its end.
            if advice == Advice::Postpone || pause::is_on() {
                return None;
            }
            given_up = advice == Advice::GiveUp;
            beside = stragglers.iter().map(|straggler| straggler.env).collect();
        }
    }
}

/// Lets the handlers in flight return, unless they wait for something: what a walk of the heap
/// has found is then either told of, or nobody else is about to.
pub(crate) fn let_handlers_end() {
    let (patience, starved) = (patience::HANDLERS_AT_DUMP, patience::STARVED_AT_DUMP);
    drop(close(patience, starved));
}

/// For tests, one after the other: the gate is one for all.
#[cfg(test)]
pub(crate) fn opened() -> std::sync::MutexGuard<'static, ()> {
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let one = ONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if !crate::delivery::gate::is_open() {
        drop(begin_replay());
    }
    assert!(crate::delivery::gate::is_open());
    one
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{Duration, Instant};

    use protocols::gate::State;

    use super::{close, opened};
    use crate::base::patience::NONE;
    use crate::delivery::gate::{GATE, is_open};
    use crate::model::thread::current;

    #[test]
    fn of_two_closers_the_winner_owns_it() {
        const OFTEN: u32 = 2000;
        const LONG: Duration = Duration::from_secs(60);
        let _one = opened();
        let won = [AtomicU32::new(0), AtomicU32::new(0)];
        let start = Instant::now();
        let all = || won.iter().all(|won| won.load(Ordering::Relaxed) >= OFTEN);
        let over = || all() || start.elapsed() > LONG;
        std::thread::scope(|scope| {
            for mine in &won {
                scope.spawn(move || {
                    while !over() {
                        let Some(closed) = close(NONE, NONE) else {
                            continue;
                        };
                        let stand = GATE.load();
                        assert_eq!((stand.state, stand.owner), (State::Bracket, current::key()));
                        drop(closed);
                        mine.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(all() && is_open());
    }

    #[test]
    fn a_panic_in_a_bracket_opens_it() {
        let _one = opened();
        let in_bracket = || {
            let _closed = close(NONE, NONE);
            assert_eq!(GATE.load().state, State::Bracket);
            panic!("inside");
        };
        assert!(std::panic::catch_unwind(in_bracket).is_err());
        assert!(is_open());
    }
}
