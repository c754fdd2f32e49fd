//! Events: played in their turn if the agent wants them.

use std::sync::atomic::Ordering;

use event_translate::EventKind;
use recording_format::What;

use super::Player;
use crate::aside;
use crate::lane::Seen;
use crate::place::{Frame, pop, push, top};

impl Player {
    fn is_wanted(&self, number: i32, requested: bool) -> bool {
        let bit = u32::try_from(number).unwrap_or(63).min(63);
        // Relaxed: see `note_enabled`; below, counts.
        requested || self.enabled.load(Ordering::Relaxed) >> bit & 1 == 1
    }

    /// Plays the event at this place of the thread's list; the place behind it.
    pub(crate) fn play_event(&self, thread: usize, place: usize) -> usize {
        let Some(Seen { node, end }) = self.at(thread, place) else {
            return place + 1;
        };
        let What::Event {
            number,
            requested,
            env,
            values,
            ..
        } = &node.what
        else {
            return place + 1;
        };
        let last = end.min(self.script.len(thread).saturating_sub(1));
        self.wait_turn(thread, place);
        if !self.is_wanted(*number, *requested) {
            self.counts.unwanted.fetch_add(1, Ordering::Relaxed);
            self.skip(thread, place, last + 1);
            return last + 1;
        }
        self.counts.events.fetch_add(1, Ordering::Relaxed);
        self.note_busy(thread, last + 1);
        // At which agents write what they have.
        let reports = [EventKind::DataDumpRequest, EventKind::JvmShutDown];
        if EventKind::from_raw(*number).is_some_and(|kind| reports.contains(&kind)) {
            aside::step();
        }
        // There is no VM that would want a class as the agent changed it.
        let notify = || drop(agent_host::notify(*number, *requested, *env, values));
        if end == place {
            // Nothing else happens before it has returned.
            push(Frame::new(place + 1, place + 1, false));
            notify();
            pop();
            self.complete(thread, place);
        } else {
            self.answer(thread, place);
            self.inside(thread, place, end, notify);
        }
        last + 1
    }

    /// Lets `body` bring about what lies between a record and its end.
    pub(crate) fn inside(&self, thread: usize, place: usize, end: usize, body: impl FnOnce()) {
        let until = end.min(self.script.len(thread));
        push(Frame::new(place + 1, until, end > until));
        body();
        if let Some(frame) = pop() {
            self.skip(thread, frame.next, until);
        }
        if end == until {
            self.wait_turn(thread, end);
            self.answer(thread, end);
        }
    }

    /// What the thread begins, if it is not within something, ends there.
    pub(crate) fn note_busy(&self, thread: usize, end: usize) {
        if top().is_none()
            && let Some(own) = self.lock().threads.get_mut(thread)
        {
            own.busy = end.min(self.script.len(thread));
        }
    }
}
