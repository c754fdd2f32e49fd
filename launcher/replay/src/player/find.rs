//! Which record a call is.

use std::ops::ControlFlow;

use recording_format::{Value, What};

use super::Player;
use crate::answers::{RAW_MONITOR_WAIT, same};
use crate::lane::Seen;
use crate::place::{Frame, change_top, top};

/// Where the record of a call is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// What lies before it was left out, or is behind us.
    Next(usize),
    /// The same questions in another order: some before it are still to come, `first` is the
    /// first of these.
    Early { place: usize, first: usize },
}

impl Player {
    /// The record that this call is.
    ///
    /// The order of an agent's questions may be another one than in the recording, and some may
    /// be new or missing: which of two threads got the agent's own lock first is not recorded,
    /// and a list of threads that it keeps may be in another order for that. So a question that
    /// was asked behind other questions is answered, and those are still awaited; one that was
    /// asked only after the next wait is not taken for that, or a whole round of questions would
    /// be left out.
    pub(super) fn find(&self, thread: usize, slot: u8, arguments: &[Value<'_>]) -> Option<Found> {
        /// An agent that never does what its recording waits for comes on, too.
        const STRAYS: u32 = 64;
        let frame = top()?;
        let place = self.peek(thread, slot, arguments)?;
        let end = self.at(thread, place)?.end;
        let behind = end.saturating_add(1).min(frame.end);
        if is_question(slot) {
            let (early, waits) = self.is_early(thread, frame, place);
            if let Some(first) = early {
                change_top(|frame| frame.behind = frame.behind.max(behind));
                return Some(Found::Early { place, first });
            }
            if waits && frame.strays < STRAYS {
                change_top(|frame| frame.strays += 1);
                return None;
            }
        }
        self.skip(thread, frame.next, place);
        change_top(|frame| {
            (frame.next, frame.behind, frame.strays) = (behind, frame.behind.max(behind), 0);
        });
        Some(Found::Next(place))
    }

    /// Of a question's record: the first of those that are still awaited before it, if it is one
    /// of the same round; and whether a wait is among these.
    fn is_early(&self, thread: usize, frame: Frame, place: usize) -> (Option<usize>, bool) {
        /// So many may come before one that does not come.
        const ROUND: usize = 400;
        let mut before: Vec<(usize, bool, Seen)> = Vec::new();
        let mut count = 0;
        self.siblings(thread, frame.next, place, |at, seen, is_done| {
            if count > 0 || !is_done {
                count += 1;
                before.push((at, is_done, seen.clone()));
            }
            go_on_if(count < ROUND)
        });
        let (Some((first, _, first_seen)), Some(own)) = (before.first(), self.at(thread, place))
        else {
            return (None, false);
        };
        let question = |seen: &Seen| match &seen.node.what {
            What::Call {
                slot, arguments, ..
            } => Some((*slot, arguments.clone())),
            What::Event { .. }
            | What::Run { .. }
            | What::Unsent { .. }
            | What::JvmtiEvent { .. }
            | What::JvmtiCall { .. }
            | What::Defined { .. }
            | What::Leave { .. } => None,
        };
        let slot = |seen: &Seen| question(seen).map(|(slot, _)| slot);
        let waits = before
            .iter()
            .any(|(_, is_done, seen)| !is_done && slot(seen) == Some(RAW_MONITOR_WAIT));
        // Asked twice: the second is of the next round.
        let (of_first, of_own) = (question(first_seen), question(&own));
        let again = before.iter().any(|(other, _, seen)| {
            let question = question(seen);
            question == of_own || other != first && question == of_first
        });
        let questions = before
            .iter()
            .all(|(_, is_done, seen)| *is_done || slot(seen).is_some_and(is_question));
        // Nothing else happened in it.
        let at_once = own.node.what.results().is_some();
        let early = questions && at_once && !again && before.len() < ROUND;
        (early.then_some(*first), waits)
    }

    /// The first record of the thread's that is this call, without a change.
    pub(super) fn peek(&self, thread: usize, slot: u8, arguments: &[Value<'_>]) -> Option<usize> {
        /// An agent that does something else may come back to what it did.
        const LOOK_AHEAD: usize = 200;
        let frame = top()?;
        let (mut found, mut count) = (None, 0);
        self.siblings(thread, frame.next, frame.end, |place, seen, is_done| {
            if is_done {
                return ControlFlow::Continue(());
            }
            let is_this = matches!(&seen.node.what, What::Call { slot: recorded, arguments: others, .. }
                if *recorded == slot && same(slot, others, arguments));
            found = is_this.then_some(place);
            count += 1;
            go_on_if(!is_this && count < LOOK_AHEAD)
        });
        found
    }

    /// Shows places of a thread's records, without those within others, what is there, and
    /// whether it has been played. The state is locked meanwhile.
    pub(super) fn siblings(
        &self,
        thread: usize,
        from: usize,
        until: usize,
        mut show: impl FnMut(usize, &Seen, bool) -> ControlFlow<()>,
    ) {
        /// So many records are looked at: all of them are kept in memory.
        const MOST: usize = 1 << 15;
        let mut state = self.lock();
        let Some(lane) = state.lanes.get_mut(thread) else {
            return;
        };
        let mut place = from.max(lane.base());
        let until = until.min(place.saturating_add(MOST));
        while place < until
            && let Some(seen) = lane.at(place)
        {
            let is_done = lane.is_done(place);
            if show(place, &seen, is_done).is_break() {
                return;
            }
            place = seen.end.max(place).saturating_add(1);
        }
    }
}

pub(super) fn go_on_if(more: bool) -> ControlFlow<()> {
    match more {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

/// Whether a call asks, or does something to threads that it names, and does not wait.
const fn is_question(slot: u8) -> bool {
    matches!(slot, 5 | 13..=17 | 20 | 24..=29)
}
