//! Who may go on: the threads of a replay, under one lock.
//!
//! | module | its one job |
//! |---|---|
//! | [`events`] | what is given to the agent |
//! | [`calls`] | the record's answers to its calls |
//! | [`find`] | which record a call is |

mod calls;
mod events;
mod find;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use recording_format::Recording;

use crate::answers::Answers;
use crate::ffi;
use crate::lane::{Lane, Seen};
use crate::place::{self, Frame};
use crate::script::{Cause, Script};
use crate::turns::{Quiet, State, Wait};

/// A replay.
#[derive(Debug)]
pub(crate) struct Player {
    recording: &'static Recording<'static>,
    pub(crate) script: Script,
    causes: Vec<Cause>,
    state: Mutex<State>,
    /// One for each thread, and the last for whoever waits for the end.
    wakes: Vec<Condvar>,
    /// For calls that were not made there.
    answers: OnceLock<Answers>,
    pub(crate) counts: Counts,
    /// Events that the agent has ever enabled.
    enabled: AtomicU64,
    /// JVM_OnLoad has returned.
    loaded: AtomicBool,
}

/// What is told at the end.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) events: AtomicU64,
    pub(crate) unwanted: AtomicU64,
    pub(crate) calls: AtomicU64,
    /// Of the calls: before others that came before them in the recording.
    pub(crate) early: AtomicU64,
    pub(crate) elsewhere: AtomicU64,
    pub(crate) unknown: AtomicU64,
    pub(crate) skipped: AtomicU64,
}

impl Player {
    pub(crate) fn new(recording: &'static Recording<'static>) -> Self {
        let mut script = Script::of(recording);
        let state = State::new(recording, &mut script);
        Self {
            recording,
            causes: script.threads.iter().map(|part| part.cause).collect(),
            wakes: (0..=script.threads.len()).map(|_| Condvar::new()).collect(),
            state: Mutex::new(state),
            answers: OnceLock::new(),
            counts: Counts::default(),
            enabled: AtomicU64::new(0),
            loaded: AtomicBool::new(false),
            script,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// A record of a thread.
    pub(crate) fn at(&self, thread: usize, place: usize) -> Option<Seen> {
        self.lock().lanes.get_mut(thread)?.at(place)
    }

    /// This place of a thread's list, or the first behind it that has not been forgotten.
    pub(crate) fn kept(&self, thread: usize, place: usize) -> usize {
        let state = self.lock();
        state
            .lanes
            .get(thread)
            .map_or(place, |lane| lane.base().max(place))
    }

    // ---- whose turn it is --------------------------------------------------------

    fn advance(&self, state: &mut State) {
        if state.advance() {
            let owner = state.turn().map(|turn| turn.thread);
            if let Some(wake) = self.wakes.get(owner.unwrap_or(self.causes.len())) {
                wake.notify_all();
            }
        }
    }

    /// Waits until all records before this one have been played.
    pub(crate) fn wait_turn(&self, thread: usize, place: usize) {
        let mut state = self.lock();
        if let Some(own) = state.threads.get_mut(thread) {
            (own.passed, own.times) = (0, 0);
        }
        self.has_come(&mut state, thread);
        let number = self
            .script
            .threads
            .get(thread)
            .map_or(0, |part| part.number);
        let Some(own) = state.turn_of(number, thread, place) else {
            return;
        };
        let mut quiet = Quiet::from(&state);
        while let Some(turn) = state.turn().filter(|turn| *turn < own) {
            if turn.thread == thread {
                // It has that behind it without having played it, as damage to a recording
                // makes it: threads only go on.
                self.skip_in(&mut state, thread, turn.place, place);
                continue;
            }
            set_wait(&mut state, thread, Wait::Turn);
            self.sleep(&mut state, thread);
            self.see_to_it(&mut state, &mut quiet);
        }
        set_wait(&mut state, thread, Wait::Turn);
        self.wait_for_returning(&mut state, thread);
        self.wait_for_answered(&mut state, thread, own.nanos);
        set_wait(&mut state, thread, Wait::No);
    }

    /// Waits for threads that were passed over, for they waited for a lock of the agent's, and
    /// have got it now: in the recording they had it before what comes now.
    fn wait_for_returning(&self, state: &mut MutexGuard<'_, State>, thread: usize) {
        /// What runs for so long does more than it was recorded with.
        const LONG: Duration = Duration::from_secs(1);
        let mut since = Instant::now();
        let mut before = None;
        while let Some(returning) = state.returning() {
            if before != Some(returning) {
                before = Some(returning);
                since = Instant::now();
            }
            if since.elapsed() > LONG {
                state.give_up_on_returning(returning);
            }
            let wake = self.wakes.get(thread);
            let Some(wake) = wake else { break };
            wake.wait_for(state, Duration::from_micros(200));
        }
    }

    /// Waits until others that were answered before this record are done with what they do before their next: an
    /// agent's own lock is theirs first, mostly, as it was when the time between the two records went by.
    fn wait_for_answered(&self, state: &mut MutexGuard<'_, State>, thread: usize, nanos: u64) {
        /// Who gets no processor for so long is waited for no longer.
        const LONG: Duration = Duration::from_secs(1);
        if !state.has_answered() {
            return;
        }
        // For most that is long enough.
        MutexGuard::unlocked(state, std::thread::yield_now);
        let since = Instant::now();
        while state.awaits_answered(nanos) && since.elapsed() < LONG {
            let Some(wake) = self.wakes.get(thread) else {
                return;
            };
            wake.wait_for(state, Duration::from_micros(200));
        }
    }

    /// It is not in the agent's code any more.
    fn has_come(&self, state: &mut State, thread: usize) {
        let owner = state.turn().map(|turn| turn.thread);
        if state.has_come(thread)
            && let Some(wake) = owner.and_then(|owner| self.wakes.get(owner))
        {
            wake.notify_all();
        }
    }

    fn sleep(&self, state: &mut MutexGuard<'_, State>, wake: usize) {
        if let Some(wake) = self.wakes.get(wake) {
            wake.wait_for(state, Duration::from_millis(20));
        }
    }

    /// Passes over the thread whose turn it is, if nobody has come on for too long.
    fn see_to_it(&self, state: &mut State, quiet: &mut Quiet) -> bool {
        let lasts = quiet.lasts(state);
        if lasts {
            state.give_up_on_owner(&self.causes);
            self.advance(state);
        }
        lasts
    }

    /// A record has been played.
    pub(crate) fn complete(&self, thread: usize, place: usize) {
        let mut state = self.lock();
        state.set_done(thread, place);
        self.advance(&mut state);
    }

    /// A record has been played, and the thread goes on in the agent's code.
    pub(crate) fn answer(&self, thread: usize, place: usize) {
        let mut state = self.lock();
        state.set_done(thread, place);
        state.set_answered(thread);
        self.advance(&mut state);
    }

    /// Records of a thread will not be played.
    pub(crate) fn skip(&self, thread: usize, from: usize, until: usize) {
        if from < until {
            self.skip_in(&mut self.lock(), thread, from, until);
        }
    }

    fn skip_in(&self, state: &mut State, thread: usize, from: usize, until: usize) {
        let base = state.lanes.get(thread).map_or(0, Lane::base);
        let mut fresh = 0;
        for place in from.max(base)..until.min(self.script.len(thread)) {
            fresh += u64::from(state.set_done(thread, place));
        }
        // Relaxed: counts, for the summary.
        self.counts.skipped.fetch_add(fresh, Ordering::Relaxed);
        self.advance(state);
    }

    /// Waits until everything has been played, or nothing goes on any more.
    pub(crate) fn wait_for_end(&self) {
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        while state.turn().is_some() || state.is_played_on() {
            self.sleep(&mut state, self.causes.len());
            if self.see_to_it(&mut state, &mut quiet) && state.turn().is_none() {
                return;
            }
        }
    }

    /// Records that were passed over for good: their threads never came.
    pub(crate) fn not_reached(&self) -> usize {
        let state = self.lock();
        state.lanes.iter().map(Lane::not_played).sum()
    }

    /// Calls outside of handlers, which native methods of the program made.
    pub(crate) fn orphans(&self) -> usize {
        self.lock().lanes.iter().map(|lane| lane.orphans).sum()
    }

    // ---- where a thread is -------------------------------------------------------

    /// The calling thread plays this one's part.
    pub(crate) fn bind(&self, thread: usize) {
        place::set_part(thread);
        let mut state = self.lock();
        if let Some(own) = state.threads.get_mut(thread) {
            own.tid = ffi::process::tid();
            own.bound = true;
        }
    }

    /// A thread of the agent's own plays the part of the first of those that nobody plays.
    fn bind_foreign(&self) -> Option<usize> {
        if place::was_asked() {
            return place::part();
        }
        let free = {
            let mut state = self.lock();
            let parts = self.script.threads.iter().zip(&mut state.threads);
            let free = parts
                .enumerate()
                .find(|(_, (part, own))| part.cause == Cause::Agent && !own.bound);
            free.map(|(thread, (part, own))| {
                // Before another one looks.
                own.bound = true;
                own.tid = ffi::process::tid();
                (thread, part.len)
            })
        };
        let (thread, end) = free?;
        self.bind(thread);
        self.note_busy(thread, end);
        place::push(Frame::new(0, end, true));
        Some(thread)
    }

    /// JVM_OnLoad has returned.
    pub(crate) fn set_loaded(&self) {
        self.loaded.store(true, Ordering::Release);
    }

    /// Whether the calling thread is in JVM_OnLoad: nothing goes on before it has returned.
    fn is_loading(&self, thread: Option<usize>) -> bool {
        thread == Some(self.script.on_load.0) && !self.loaded.load(Ordering::Acquire)
    }
}

fn set_wait(state: &mut State, thread: usize, wait: Wait) {
    if let Some(own) = state.threads.get_mut(thread) {
        own.wait = wait;
    }
}

#[cfg(test)]
mod tests;
