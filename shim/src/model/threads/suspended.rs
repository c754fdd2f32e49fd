//! Threads that an agent suspends: who has done so, the stack they had then, and whether they
//! have run since.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::base::patience;
use crate::model::tables::SUSPENDED;
use crate::model::thread::native_thread::Asked;
use crate::model::thread::suspension::Suspension;
use crate::model::thread::{Thread, current, threads_met};
use crate::vm::env::Frame;

impl Thread {
    /// The agent has stopped it: it can be found until [`Thread::resuming`], also
    /// when it was on its way out and is no longer among the live ones.
    pub(crate) fn suspended(self: &Arc<Self>) {
        self.suspension().begun(current::key());
        SUSPENDED.replace(self.env as u64, Arc::clone(self));
    }

    /// The [`current::key`] of whoever has stopped it.
    pub(crate) fn stopped_by(&self) -> u64 {
        self.known_suspension().map_or(0, Suspension::by)
    }

    /// Whether the agent has stopped it and not let it go on since.
    pub(crate) fn is_suspended(&self) -> bool {
        let found = SUSPENDED.get(self.env as u64);
        // Its env may be that of another, which was stopped on its way out.
        found.is_some_and(|found| ptr::eq(&raw const *found, self))
    }

    /// Whether the calling thread has suspended others, which it has not let go on yet: the
    /// thread-suspended mode of the specification ("Threading and Locking").
    pub(crate) fn has_suspended_others() -> bool {
        let me = current::key();
        SUSPENDED.any(|thread| thread.stopped_by() == me)
    }

    /// The agent is about to let it go on.
    pub(crate) fn resuming(&self) {
        SUSPENDED.remove(self.env as u64);
        if let Some(suspension) = self.known_suspension() {
            suspension.ends();
        }
        // It could be found by this alone.
        if self.ends.load(Ordering::Acquire) {
            threads_met::one_less();
        }
    }

    /// Takes the stack of the running thread if that is wanted, to be used by
    /// GetCallTrace until [`Thread::resuming`]. False if it was not even asked.
    pub(crate) fn capture(&self, wanted: bool) -> bool {
        self.forget_capture();
        if !wanted {
            return false;
        }
        let carrier = self.carrier();
        let runs = carrier.as_deref().unwrap_or(self);
        // Nobody is disturbed for frames that lie below those of another thread.
        let other = carrier.is_none() && runs.carries_any();
        let Some(asked) = (!other).then(|| runs.ask()).flatten() else {
            return false;
        };
        let frames = match self.identifier() {
            None => asked.own(patience::STACK_BY_SIGNAL),
            Some(identifier) => {
                let found = asked.carried();
                found.and_then(|(whose, frames)| (whose == identifier).then_some(frames))
            }
        };
        self.suspension().capture(frames);
        true
    }

    /// The same with a stack that it has given before.
    pub(crate) fn set_captured(&self, frames: Vec<Frame>) {
        self.suspension().capture(Some(frames));
    }

    /// Which suspension it is in, for [`Thread::keep_stopped`]; `None` if it is not suspended.
    pub(crate) fn turn_of_suspension(&self) -> Option<u64> {
        let turn = self.known_suspension()?.turn();
        self.is_suspended().then_some(turn)
    }

    /// The same with the stack that it was found to have, suspended, unless it has been let go on since.
    pub(crate) fn keep_stopped(&self, turn: u64, frames: &[Frame]) {
        if let Some(suspension) = self.known_suspension() {
            suspension.keep(turn, frames);
        }
    }

    /// The same with what lies below the frames that it `gave`, unless it was let go on meanwhile.
    pub(crate) fn complete_captured(&self, gave: &[Frame], whole: &[Frame]) {
        if let Some(suspension) = self.known_suspension() {
            suspension.complete(gave, whole);
        }
    }

    fn carries_any(&self) -> bool {
        let native = self.own_native();
        native.is_some_and(|native| native.carried().is_some())
    }

    /// Asks a platform thread for its stack, or that of the virtual thread which it carries.
    pub(crate) fn ask(&self) -> Option<Asked<'_>> {
        self.own_native()?.ask()
    }

    /// The thread runs again: its stack is no longer the captured one.
    fn forget_capture(&self) {
        if let Some(suspension) = self.known_suspension() {
            suspension.capture(None);
        }
    }

    /// The captured stack, callee first, if there is one.
    pub(crate) fn captured(&self) -> Option<Vec<Frame>> {
        self.known_suspension()?.captured()
    }

    /// Notes the thread's CPU time at a suspension, for ThreadHasRun.
    pub(crate) fn note_cpu_time(&self, nanos: Option<i64>) {
        self.suspension().note_cpu_time(nanos);
    }

    /// Counts CPU time that we have cost the thread as used before the suspension.
    pub(crate) fn correct_cpu_time(&self, nanos: Option<i64>) {
        self.suspension().correct_cpu_time(nanos);
    }

    /// Whether the thread used CPU between its last two suspensions; yes if that
    /// is unknown (JVMPI facts B.9).
    pub(crate) fn has_run(&self) -> bool {
        self.known_suspension().is_none_or(Suspension::has_run)
    }
}
