//! What a thread may do with an event while the gate is not open.

use crate::gate::State;

/// What a thread may do with an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Send it; leave the gate afterwards.
    Send,
    /// Keep it and send it when the gate is open again.
    Keep,
    /// Forget it: nobody listens (any more).
    Drop,
}

/// Who asks, and for what.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// The gate is the thread's own: it replays, closes, or sends a bracket or the last events.
    pub mine: bool,
    /// The thread is in another delivery already.
    pub nested: bool,
    /// The agent has requested the event.
    pub requested: bool,
    /// The thread answers what the agent has requested while the last events were prepared, as they still are, or since the
    /// handler of JVM_SHUT_DOWN began, which may wait for that: this event is asked for, or defines what such a one names.
    pub answers: bool,
    /// Agent code may be on its stack, or a lock of the agent's in its hands.
    pub may_hold_a_lock: bool,
}

/// What the thread may do; `None`: wait for a change.
pub fn verdict(state: State, asking: &Asking) -> Option<Verdict> {
    let &Asking {
        mine,
        nested,
        requested,
        answers,
        may_hold_a_lock,
    } = asking;
    match state {
        State::Open => Some(Verdict::Send),
        State::Loading if requested => Some(Verdict::Send),
        State::Loading | State::Shut => Some(Verdict::Drop),
        State::Replay | State::LastEvents if mine => Some(Verdict::Send),
        State::LastEvents if answers => Some(Verdict::Send),
        State::LastEvents => Some(Verdict::Drop),
        State::Closing if mine || nested || may_hold_a_lock => Some(Verdict::Send),
        State::Replay | State::Bracket if requested => Some(Verdict::Send),
        State::Bracket if mine => Some(Verdict::Keep),
        State::Replay | State::Bracket if nested || may_hold_a_lock => Some(Verdict::Keep),
        State::Closing | State::Replay | State::Bracket => None,
    }
}

/// Whether an event comes too late that its thread was let in with: it may have been stopped since, at a
/// safepoint or by the agent, until the last events came. `mine` and `answers` as in [`Asking`]; `grace`: the last events are
/// still being prepared.
#[inline]
pub fn is_too_late(
    state: State,
    mine: impl FnOnce() -> bool,
    answers: impl FnOnce() -> bool,
    grace: impl FnOnce() -> bool,
) -> bool {
    match state {
        State::LastEvents => !mine() && !answers() && !grace(),
        State::Shut => true,
        State::Open | State::Loading | State::Replay | State::Closing | State::Bracket => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Asking, Verdict, is_too_late, verdict};
    use crate::gate::State;

    /// All who can ask.
    fn all() -> impl Iterator<Item = Asking> {
        (0..32_u32).map(|bits| Asking {
            mine: bits & 1 != 0,
            nested: bits & 2 != 0,
            requested: bits & 4 != 0,
            may_hold_a_lock: bits & 8 != 0,
            answers: bits & 16 != 0,
        })
    }

    #[test]
    fn only_who_holds_nothing_waits() {
        for asking in all() {
            for state in State::ALL {
                if verdict(state, &asking).is_none() {
                    let holds = asking.nested || asking.may_hold_a_lock || asking.mine;
                    // The owner sends the replay's events; those are its own.
                    assert!(!holds, "{state:?} {asking:?}");
                    assert!(matches!(
                        state,
                        State::Closing | State::Replay | State::Bracket
                    ));
                }
            }
        }
    }

    #[test]
    fn nothing_comes_between_the_events_of_a_bracket() {
        for asking in all() {
            let sends = verdict(State::Bracket, &asking) == Some(Verdict::Send);
            assert_eq!(sends, asking.requested, "{asking:?}");
            assert_ne!(verdict(State::Bracket, &asking), Some(Verdict::Drop));
        }
    }

    #[test]
    fn while_it_closes_nobody_keeps_or_drops() {
        for asking in all() {
            let holds = asking.mine || asking.nested || asking.may_hold_a_lock;
            let expected = holds.then_some(Verdict::Send);
            assert_eq!(verdict(State::Closing, &asking), expected, "{asking:?}");
        }
    }

    #[test]
    fn the_last_events_are_one_threads_but_for_what_is_asked_for() {
        for asking in all() {
            let expected = match asking.mine || asking.answers {
                true => Verdict::Send,
                false => Verdict::Drop,
            };
            assert_eq!(verdict(State::LastEvents, &asking), Some(expected));
            assert_eq!(verdict(State::Shut, &asking), Some(Verdict::Drop));
        }
    }

    #[test]
    fn what_a_thread_was_let_in_with_comes_too_late_where_nothing_is_let_in() {
        for asking in all().filter(|asking| asking.requested && asking.nested) {
            for state in [State::LastEvents, State::Shut] {
                let answers = || asking.answers;
                let late = |grace: bool| is_too_late(state, || asking.mine, answers, || grace);
                let dropped = verdict(state, &asking) == Some(Verdict::Drop);
                assert_eq!(late(false), dropped, "{state:?} {asking:?}");
                let shut = state == State::Shut;
                assert_eq!(late(true), shut, "{state:?} {asking:?}");
            }
            for state in State::ALL
                .into_iter()
                .filter(|state| !matches!(state, State::LastEvents | State::Shut))
            {
                assert!(!is_too_late(state, || false, || false, || false));
            }
        }
    }

    #[test]
    fn before_the_replay_and_in_it() {
        for asking in all() {
            let loading = match asking.requested {
                true => Verdict::Send,
                false => Verdict::Drop,
            };
            assert_eq!(verdict(State::Loading, &asking), Some(loading));
            let replay = match asking {
                _ if asking.mine || asking.requested => Some(Verdict::Send),
                _ if asking.nested || asking.may_hold_a_lock => Some(Verdict::Keep),
                _ => None,
            };
            assert_eq!(verdict(State::Replay, &asking), replay);
            assert_eq!(verdict(State::Open, &asking), Some(Verdict::Send));
        }
    }
}
