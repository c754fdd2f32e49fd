//! What goes wrong by what is enabled, and when.

use super::{Call, State};
use crate::rules::Rule;
use event_translate::table::{EventKind, Function};

/// What of the agent's events matters.
#[derive(Debug, Default)]
pub(super) struct Enabled {
    entry: bool,
    exit: bool,
    moves: bool,
    /// METHOD_EXITs that have come since METHOD_EXIT was enabled, and METHOD_ENTRY was not.
    exits_alone: u64,
}

impl State {
    /// A METHOD_EXIT is given to the agent.
    pub const fn method_exits(&mut self) {
        if self.counts_exits() {
            self.enabled.exits_alone += 1;
        }
    }

    /// Whether somebody wants to know of [`Self::method_exits`].
    #[must_use]
    pub const fn counts_exits(&self) -> bool {
        self.enabled.exit && !self.enabled.entry
    }

    /// A call that enables or disables, or that passes an id.
    pub(super) fn enabling(&mut self, call: &Call<'_>) {
        if let Some(id) = call.old.filter(|_| !self.enabled.moves) {
            self.findings.note(Rule::IdOverGc, call.caller, || {
                format!(
                    "{}: {id:#x} was given before the last collection, and OBJECT_MOVE is not enabled",
                    call.words()
                )
            });
        }
        let on = match call.function {
            Function::EnableEvent => true,
            Function::DisableEvent => false,
            _ => return,
        };
        match call.event() {
            Some(EventKind::MethodEntry | EventKind::MethodEntry2) => {
                if on && self.counts_exits() && self.enabled.exits_alone > 0 {
                    let exits = self.enabled.exits_alone;
                    self.findings.note(Rule::ExitBeforeEntry, call.caller, || {
                        format!(
                            "{}: METHOD_EXIT is on already, and {exits} of them came without METHOD_ENTRY",
                            call.words()
                        )
                    });
                }
                if self.enabled.entry != on {
                    self.enabled.entry = on;
                    self.enabled.exits_alone = 0;
                }
            }
            Some(EventKind::MethodExit) => {
                self.enabled.exit = on;
                self.enabled.exits_alone = 0;
            }
            Some(EventKind::ObjectMove) => self.enabled.moves = on,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Own;
    use crate::rules::RuleSet;

    fn call(state: &mut State, function: Function, event: EventKind, old: Option<u64>) {
        let call = Call {
            function,
            number: event.raw(),
            subjects: &[],
            name: "",
            bad: None,
            old,
            caller: 0,
            when: 0,
        };
        state.call(&mut Own::new(1), &call, true);
    }

    fn found(state: &State, rule: Rule) -> bool {
        let lines = state.findings.lines();
        lines.iter().any(|line| line.contains(rule.row().id))
    }

    #[test]
    fn exits_that_come_before_entries_are_on() {
        let mut state = State::new(RuleSet::default());
        call(
            &mut state,
            Function::EnableEvent,
            EventKind::MethodExit,
            None,
        );
        assert!(state.counts_exits());
        call(
            &mut state,
            Function::EnableEvent,
            EventKind::MethodEntry,
            None,
        );
        assert!(!found(&state, Rule::ExitBeforeEntry), "none has come");
        call(
            &mut state,
            Function::DisableEvent,
            EventKind::MethodEntry,
            None,
        );
        state.method_exits();
        call(
            &mut state,
            Function::EnableEvent,
            EventKind::MethodEntry2,
            None,
        );
        assert!(found(&state, Rule::ExitBeforeEntry));
    }

    #[test]
    fn exits_with_entries_are_not_counted() {
        let mut state = State::new(RuleSet::default());
        let does = |state: &mut State, function, event| call(state, function, event, None);
        does(&mut state, Function::EnableEvent, EventKind::MethodEntry);
        does(&mut state, Function::EnableEvent, EventKind::MethodExit);
        assert!(!state.counts_exits());
        state.method_exits();
        does(&mut state, Function::DisableEvent, EventKind::MethodEntry);
        does(&mut state, Function::EnableEvent, EventKind::MethodEntry);
        assert!(!found(&state, Rule::ExitBeforeEntry));
        does(&mut state, Function::DisableEvent, EventKind::MethodEntry);
        state.method_exits();
        // It is off already: what has come stays.
        does(&mut state, Function::DisableEvent, EventKind::MethodEntry);
        does(&mut state, Function::EnableEvent, EventKind::MethodEntry);
        assert!(found(&state, Rule::ExitBeforeEntry));
        // Now it has been said.
        assert_eq!(state.enabled.exits_alone, 0);
    }

    #[test]
    fn ids_of_before_a_collection() {
        let mut state = State::new(RuleSet::default());
        call(
            &mut state,
            Function::EnableEvent,
            EventKind::ObjectMove,
            None,
        );
        call(
            &mut state,
            Function::RequestEvent,
            EventKind::ObjectAlloc,
            Some(16),
        );
        assert!(!found(&state, Rule::IdOverGc));
        call(
            &mut state,
            Function::DisableEvent,
            EventKind::ObjectMove,
            None,
        );
        call(
            &mut state,
            Function::RequestEvent,
            EventKind::ObjectAlloc,
            Some(16),
        );
        assert!(found(&state, Rule::IdOverGc));
    }
}
