//! Who may go on, and the record's answers. One file because all of it reads and changes one
//! state under one lock.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use recording_format::{Recording, Value, What};

use crate::answers::{Answers, RAW_MONITOR_WAIT, same};
use crate::ffi;
use crate::lane::{Lane, Seen};
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

/// Where a thread is: records of its list that belong to what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) next: usize,
    pub(crate) end: usize,
    /// The process ended before what it does did.
    pub(crate) unended: bool,
    /// Behind the last record that was an answer.
    behind: usize,
    /// Questions since it last came on that were asked only behind a wait it has not reached.
    strays: u32,
}

impl Frame {
    pub(crate) const fn new(next: usize, end: usize, unended: bool) -> Self {
        Self {
            next,
            end,
            unended,
            behind: next,
            strays: 0,
        }
    }
}

/// Where the record of a call is.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// What lies before it was left out, or is behind us.
    Next(usize),
    /// The same questions in another order: some before it are still to come, `first` is the
    /// first of these.
    Early { place: usize, first: usize },
}

#[derive(Debug, Default)]
struct Place {
    thread: Option<usize>,
    asked: bool,
    frames: Vec<Frame>,
}

thread_local! {
    static PLACE: RefCell<Place> = RefCell::default();
}

impl Player {
    pub(crate) fn new(recording: &'static Recording<'static>) -> Self {
        let mut script = Script::of(recording);
        ffi::mapping::forget();
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
            state = self.sleep(state, thread);
            self.see_to_it(&mut state, &mut quiet);
        }
        set_wait(&mut state, thread, Wait::No);
    }

    fn sleep<'s>(&'s self, state: MutexGuard<'s, State>, wake: usize) -> MutexGuard<'s, State> {
        let Some(wake) = self.wakes.get(wake) else {
            return state;
        };
        let slept = wake.wait_timeout(state, Duration::from_millis(20));
        slept.unwrap_or_else(PoisonError::into_inner).0
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
        self.counts.skipped.fetch_add(fresh, Ordering::Relaxed);
        self.advance(state);
    }

    /// Waits until everything has been played, or nothing goes on any more.
    pub(crate) fn wait_for_end(&self) {
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        while state.turn().is_some() || state.is_played_on() {
            state = self.sleep(state, self.causes.len());
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

    /// The recorded time that has been reached.
    pub(crate) fn now(&self) -> Option<u64> {
        self.lock().turn().map(|turn| turn.nanos)
    }

    // ---- where a thread is -------------------------------------------------------

    /// The calling thread plays this one's part.
    pub(crate) fn bind(&self, thread: usize) {
        PLACE.with_borrow_mut(|place| {
            place.thread = Some(thread);
            place.asked = true;
        });
        let mut state = self.lock();
        if let Some(own) = state.threads.get_mut(thread) {
            own.tid = ffi::process::tid();
            own.bound = true;
        }
    }

    /// A thread of the agent's own plays the part of the first of those that nobody plays.
    fn bind_foreign(&self) -> Option<usize> {
        if PLACE.with_borrow(|place| place.asked) {
            return PLACE.with_borrow(|place| place.thread);
        }
        PLACE.with_borrow_mut(|place| place.asked = true);
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
        push(Frame::new(0, end, true));
        Some(thread)
    }

    // ---- events and answers ------------------------------------------------------

    pub(crate) fn note_enabled(&self, number: i64) {
        if let Ok(bit) = u32::try_from(number)
            && bit < 64
        {
            self.enabled.fetch_or(1 << bit, Ordering::Relaxed);
        }
    }

    fn is_wanted(&self, number: i32, requested: bool) -> bool {
        let bit = u32::try_from(number).unwrap_or(63).min(63);
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
        let notify = || ffi::event::notify(*number, *requested, *env, values);
        if end == place {
            // Nothing else happens before it has returned.
            push(Frame::new(place + 1, place + 1, false));
            notify();
            pop();
            self.complete(thread, place);
        } else {
            self.complete(thread, place);
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
            self.complete(thread, end);
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

    /// The record's answer to a call; `None` if there is none.
    pub(crate) fn call(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let thread = PLACE
            .with_borrow(|place| place.thread)
            .or_else(|| self.bind_foreign());
        let matched = thread.and_then(|thread| Some((thread, self.find(thread, slot, arguments)?)));
        let Some((thread, found)) = matched else {
            if let Some(thread) = thread
                && let Some(frame) = self.at_its_end(thread)
            {
                self.skip(thread, frame.next, frame.end);
                self.wait_for_others(thread);
            }
            return self.nearest(slot, arguments);
        };
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        let (turn, place) = match found {
            Found::Next(place) => (place, place),
            Found::Early { place, first } => {
                self.counts.early.fetch_add(1, Ordering::Relaxed);
                (first, place)
            }
        };
        let Seen { node, end } = self.at(thread, place)?;
        self.wait_turn(thread, turn);
        self.complete(thread, place);
        if let Some((_, results)) = node.what.results() {
            return Some(results.to_vec());
        }
        let events = || self.events_inside(thread);
        if end < self.script.len(thread) {
            let last = std::cell::OnceCell::new();
            self.inside(thread, place, end, || {
                events();
                // Before it has been played, and is forgotten.
                let _ = last.set(self.at(thread, end));
            });
            let last = last.into_inner().flatten()?;
            return Some(last.node.what.results()?.1.to_vec());
        }
        // It had not returned when the process ended.
        self.inside(thread, place, end, events);
        if self.is_loading(Some(thread)) {
            return self.nearest(slot, arguments);
        }
        self.stop_here(thread)
    }

    /// The thread has nothing more to do; it must not return to the agent.
    fn stop_here(&self, thread: usize) -> ! {
        set_wait(&mut self.lock(), thread, Wait::Others);
        ffi::process::stop_here()
    }

    /// The name that a raw monitor of the recording was given.
    pub(crate) fn monitor_name(&self, monitor: u64) -> Option<&'static [u8]> {
        self.script.names.get(&monitor).copied()
    }

    /// JVM_OnLoad has returned.
    pub(crate) fn set_loaded(&self) {
        self.loaded.store(true, Ordering::Release);
    }

    /// Whether the calling thread is in JVM_OnLoad: nothing goes on before it has returned.
    fn is_loading(&self, thread: Option<usize>) -> bool {
        thread == Some(self.script.on_load.0) && !self.loaded.load(Ordering::Acquire)
    }

    /// What this thread does, if the process ended before it did anything more.
    fn at_its_end(&self, thread: usize) -> Option<Frame> {
        let frame = top().filter(|frame| frame.unended && !self.is_loading(Some(thread)))?;
        let mut left = false;
        self.siblings(
            thread,
            frame.behind.max(frame.next),
            frame.end,
            |_, _, is_done| {
                left = !is_done;
                go_on_if(is_done)
            },
        );
        (!left).then_some(frame)
    }

    /// A thread that had come no further when the process ended: it stays here, unless
    /// another one, whose turn it is, waits for something that this one has.
    fn wait_for_others(&self, thread: usize) {
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        set_wait(&mut state, thread, Wait::Turn);
        while let Some(turn) = state.turn() {
            state = self.sleep(state, thread);
            let owner = state.threads.get(turn.thread).copied().unwrap_or_default();
            if quiet.lasts(&mut state) && owner.is_away() {
                set_wait(&mut state, thread, Wait::No);
                return;
            }
        }
        drop(state);
        self.stop_here(thread)
    }

    /// Events that came while the agent was in a call.
    fn events_inside(&self, thread: usize) {
        while let Some(frame) = top() {
            if frame.next >= frame.end {
                return;
            }
            let place = frame.next;
            let next = match self.at(thread, place) {
                Some(seen) if matches!(seen.node.what, What::Event { .. }) => {
                    self.play_event(thread, place)
                }
                _ => place + 1,
            };
            set_next(next);
        }
    }

    /// The record that this call is.
    ///
    /// The order of an agent's questions may be another one than in the recording, and some may
    /// be new or missing: which of two threads got the agent's own lock first is not recorded,
    /// and a list of threads that it keeps may be in another order for that. So a question that
    /// was asked behind other questions is answered, and those are still awaited; one that was
    /// asked only after the next wait is not taken for that, or a whole round of questions would
    /// be left out.
    fn find(&self, thread: usize, slot: u8, arguments: &[Value<'_>]) -> Option<Found> {
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
            What::Event { .. } | What::Run { .. } | What::Unsent { .. } | What::Leave { .. } => {
                None
            }
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
    fn peek(&self, thread: usize, slot: u8, arguments: &[Value<'_>]) -> Option<usize> {
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
    fn siblings(
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

    /// The recorded function of the system thread that the calling thread is about to make.
    pub(crate) fn next_system_thread(&self, arguments: &[Value<'_>]) -> Option<u64> {
        const CREATE_SYSTEM_THREAD: u8 = 18;
        let thread = PLACE.with_borrow(|place| place.thread)?;
        let place = self.peek(thread, CREATE_SYSTEM_THREAD, arguments)?;
        let seen = self.at(thread, place)?;
        seen.node.what.values().1.get(2)?.id()
    }

    fn nearest(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let answers = self.answers.get_or_init(|| Answers::of(self.recording));
        let found = answers.nearest(slot, arguments, self.now().unwrap_or(u64::MAX));
        let count = match &found {
            Some(_) => Some(&self.counts.elsewhere),
            // What an agent keeps for threads it gets from us in any case.
            None => (!matches!(slot, 19 | 20)).then_some(&self.counts.unknown),
        };
        if let Some(count) = count {
            count.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// A wait that was not recorded: until that much recorded time has passed; for ever
    /// on a thread that nobody needs, and not at all in JVM_OnLoad.
    pub(crate) fn wait_elsewhere(&self, millis: i64) {
        let thread = PLACE.with_borrow(|place| place.thread);
        if self.is_loading(thread) {
            return;
        }
        // None: a thread that nobody waits for.
        let thread = thread.unwrap_or(usize::MAX);
        set_wait(&mut self.lock(), thread, Wait::Others);
        let begin = self.now();
        let wait = u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000);
        loop {
            match (begin, self.now()) {
                (Some(begin), Some(now)) if millis <= 0 || now < begin.saturating_add(wait) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                (_, Some(_)) => break,
                (_, None) => ffi::process::stop_here(),
            }
        }
        set_wait(&mut self.lock(), thread, Wait::No);
    }
}

fn set_wait(state: &mut State, thread: usize, wait: Wait) {
    if let Some(own) = state.threads.get_mut(thread) {
        own.wait = wait;
    }
}

fn go_on_if(more: bool) -> ControlFlow<()> {
    match more {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}

/// The calling thread begins something.
pub(crate) fn push(frame: Frame) {
    PLACE.with_borrow_mut(|place| place.frames.push(frame));
}

/// It has ended it.
pub(crate) fn pop() -> Option<Frame> {
    PLACE.with_borrow_mut(|place| place.frames.pop())
}

fn top() -> Option<Frame> {
    PLACE.with_borrow(|place| place.frames.last().copied())
}

fn change_top(change: impl FnOnce(&mut Frame)) {
    PLACE.with_borrow_mut(|place| place.frames.last_mut().map(change));
}

fn set_next(next: usize) {
    change_top(|frame| frame.next = next);
}

/// Whether a call asks, or does something to threads that it names, and does not wait.
const fn is_question(slot: u8) -> bool {
    matches!(slot, 5 | 13..=17 | 20 | 24..=29)
}

#[cfg(test)]
mod tests;
