//! Who may go on, and the record's answers. One file because all of it reads and changes one
//! state under one lock.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use event_translate::recording::{Field, Space, Type, Value, What, call_arguments};

use crate::ffi;
use crate::script::{Cause, Node, Script};

const RAW_MONITOR_WAIT: u8 = 10;

/// A replay.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) script: Script,
    state: Mutex<State>,
    /// One for each thread, and the last for whoever waits for the end.
    wakes: Vec<Condvar>,
    /// Calls by what they are and ask, for answers to calls that were not made there.
    answers: OnceLock<HashMap<u64, Vec<usize>>>,
    pub(crate) counts: Counts,
    /// Events that the agent has ever enabled.
    enabled: AtomicU64,
    /// What the raw monitors were called when they were created.
    names: OnceLock<HashMap<u64, &'static [u8]>>,
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

#[derive(Debug)]
struct State {
    /// All records before this one have been played.
    turn: usize,
    done: Vec<bool>,
    threads: Vec<Progress>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    tid: u32,
    waits: bool,
    /// Its list is passed over before this place: it waits for something that we do not
    /// know, and the others go on.
    passed: usize,
    /// How often since it last came.
    times: u32,
    /// Where what it plays ends in its list: an event, or a function of the agent's.
    busy: usize,
    bound: bool,
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

impl Progress {
    /// It sleeps, but not for its turn.
    fn is_asleep(&self) -> bool {
        self.bound && !self.waits && ffi::process::sleeps(self.tid)
    }
}

/// How long nobody has come on.
#[derive(Debug)]
struct Quiet {
    turn: usize,
    since: Instant,
}

impl Quiet {
    fn from(state: &State) -> Self {
        Self {
            turn: state.turn,
            since: Instant::now(),
        }
    }

    /// Whether something has to be done about it: all sleep, or one has run for very long.
    fn lasts(&mut self, state: &State) -> bool {
        const ALL_SLEEP: Duration = Duration::from_millis(50);
        const ONE_RUNS: Duration = Duration::from_millis(500);
        if state.turn != self.turn {
            *self = Self::from(state);
        }
        let all_sleep = |own: &Progress| own.waits || !own.bound || own.is_asleep();
        let lasts = self.since.elapsed() > ONE_RUNS
            || self.since.elapsed() > ALL_SLEEP && state.threads.iter().all(all_sleep);
        if lasts {
            *self = Self::from(state);
        }
        lasts
    }
}

impl Player {
    pub(crate) fn new(script: Script) -> Self {
        let count = script.threads.len();
        let mut done = vec![false; script.nodes.len()];
        for &orphan in &script.orphans {
            if let Some(done) = done.get_mut(orphan) {
                *done = true;
            }
        }
        let player = Self {
            state: Mutex::new(State {
                turn: 0,
                done,
                threads: vec![Progress::default(); count],
            }),
            wakes: (0..=count).map(|_| Condvar::new()).collect(),
            answers: OnceLock::new(),
            names: OnceLock::new(),
            counts: Counts::default(),
            enabled: AtomicU64::new(0),
            loaded: AtomicBool::new(false),
            script,
        };
        player.advance(&mut player.lock());
        player
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- whose turn it is --------------------------------------------------------

    fn advance(&self, state: &mut State) {
        let before = state.turn;
        while let Some(node) = self.script.nodes.get(state.turn) {
            let passed = state.threads.get(node.thread).map_or(0, |own| own.passed);
            let is_passed = passed > 0 && self.place(node, state.turn) < passed;
            if !is_passed && state.done.get(state.turn) != Some(&true) {
                break;
            }
            state.turn += 1;
        }
        if state.turn != before {
            let owner = self.script.nodes.get(state.turn).map(|node| node.thread);
            let owner = owner.unwrap_or(self.script.threads.len());
            if let Some(wake) = self.wakes.get(owner) {
                wake.notify_all();
            }
        }
    }

    /// Where in its thread's list a record is.
    fn place(&self, node: &Node, index: usize) -> usize {
        let lane = self.script.threads.get(node.thread);
        lane.map_or(0, |lane| lane.nodes.partition_point(|&other| other < index))
    }

    /// Waits until all records before this one have been played.
    pub(crate) fn wait_turn(&self, thread: usize, index: usize) {
        let mut state = self.lock();
        if let Some(own) = state.threads.get_mut(thread) {
            (own.passed, own.times) = (0, 0);
        }
        let mut quiet = Quiet::from(&state);
        while state.turn < index {
            if self.has_left_behind(&mut state, thread, index) {
                continue;
            }
            set_waits(&mut state, thread, true);
            state = self.sleep(state, thread);
            if quiet.lasts(&state) {
                self.give_up_on_owner(&mut state);
            }
        }
        set_waits(&mut state, thread, false);
    }

    /// Whether it was the turn of a record that this thread has behind it without having
    /// played it, as damage to a recording makes it: threads only go on. All such before
    /// `index` are given up.
    fn has_left_behind(&self, state: &mut State, thread: usize, index: usize) -> bool {
        let Some(node) = self.script.nodes.get(state.turn) else {
            return false;
        };
        if node.thread != thread {
            return false;
        }
        let lane = self.script.threads.get(thread);
        let (from, until) = (self.place(node, state.turn), self.place(node, index));
        let left = lane.and_then(|lane| lane.nodes.get(from..until));
        for &left in left.unwrap_or_default() {
            if let Some(done) = state.done.get_mut(left) {
                self.counts
                    .skipped
                    .fetch_add(u64::from(!*done), Ordering::Relaxed);
                *done = true;
            }
        }
        self.advance(state);
        true
    }

    fn sleep<'s>(&'s self, state: MutexGuard<'s, State>, wake: usize) -> MutexGuard<'s, State> {
        let Some(wake) = self.wakes.get(wake) else {
            return state;
        };
        let slept = wake.wait_timeout(state, Duration::from_millis(20));
        slept.unwrap_or_else(PoisonError::into_inner).0
    }

    /// The thread whose turn it is does not come: it sleeps in the agent's own code, perhaps
    /// for a lock that another one has, or was never made. What it is about is passed over.
    fn give_up_on_owner(&self, state: &mut State) {
        /// Who has not come for so many records does not come for the others.
        const OFTEN: u32 = 40;
        let Some(node) = self.script.nodes.get(state.turn) else {
            return;
        };
        let place = self.place(node, state.turn);
        let lane = self.script.threads.get(node.thread);
        let (Some(lane), Some(owner)) = (lane, state.threads.get_mut(node.thread)) else {
            return;
        };
        owner.times += 1;
        owner.passed = match (owner.bound, lane.cause) {
            (false, Cause::Us) => return,
            (false, Cause::Agent) => usize::MAX,
            (true, _) if owner.is_asleep() && owner.times > OFTEN => usize::MAX,
            (true, _) if owner.is_asleep() => owner.busy.max(place + 1),
            (true, _) => return,
        };
        self.advance(state);
    }

    /// A record has been played.
    pub(crate) fn complete(&self, index: usize) {
        let mut state = self.lock();
        if let Some(done) = state.done.get_mut(index) {
            *done = true;
        }
        self.advance(&mut state);
    }

    /// Records of a thread will not be played.
    pub(crate) fn skip(&self, thread: usize, from: usize, until: usize) {
        let Some(lane) = self.script.threads.get(thread) else {
            return;
        };
        let until = until.min(lane.nodes.len());
        let Some(skipped) = lane.nodes.get(from..until).filter(|all| !all.is_empty()) else {
            return;
        };
        let mut state = self.lock();
        let mut fresh = 0;
        for &index in skipped {
            if let Some(done) = state.done.get_mut(index) {
                fresh += u64::from(!*done);
                *done = true;
            }
        }
        self.counts.skipped.fetch_add(fresh, Ordering::Relaxed);
        self.advance(&mut state);
    }

    /// Waits until everything has been played, or nothing goes on any more.
    pub(crate) fn wait_for_end(&self) {
        let end = self.script.nodes.len();
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        while state.turn < end {
            state = self.sleep(state, self.script.threads.len());
            if quiet.lasts(&state) {
                self.give_up_on_owner(&mut state);
            }
        }
    }

    /// Records that were passed over for good: their threads never came.
    pub(crate) fn not_reached(&self) -> usize {
        self.lock().done.iter().filter(|done| !**done).count()
    }

    /// The recorded time that has been reached.
    pub(crate) fn now(&self) -> Option<u64> {
        let state = self.lock();
        self.script.nodes.get(state.turn).map(|node| node.nanos)
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
            let lanes = self.script.threads.iter().zip(&mut state.threads);
            let free = lanes
                .enumerate()
                .find(|(_, (lane, own))| lane.cause == Cause::Agent && !own.bound);
            free.map(|(thread, (lane, own))| {
                // Before another one looks.
                own.bound = true;
                own.tid = ffi::process::tid();
                (thread, lane.nodes.len())
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
        let Some((index, node)) = self.script.at(thread, place) else {
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
        let last = node.end.min(self.lane_len(thread).saturating_sub(1));
        self.wait_turn(thread, index);
        if !self.is_wanted(*number, *requested) {
            self.counts.unwanted.fetch_add(1, Ordering::Relaxed);
            self.skip(thread, place, last + 1);
            return last + 1;
        }
        self.counts.events.fetch_add(1, Ordering::Relaxed);
        self.note_busy(thread, last + 1);
        let notify = || ffi::event::notify(*number, *requested, *env, values);
        if node.end == place {
            // Nothing else happens before it has returned.
            push(Frame::new(place + 1, place + 1, false));
            notify();
            pop();
            self.complete(index);
        } else {
            self.complete(index);
            self.inside(thread, place, node.end, notify);
        }
        last + 1
    }

    /// Lets `body` bring about what lies between a record and its end.
    pub(crate) fn inside(&self, thread: usize, place: usize, end: usize, body: impl FnOnce()) {
        let until = end.min(self.lane_len(thread));
        push(Frame::new(place + 1, until, end > until));
        body();
        if let Some(frame) = pop() {
            self.skip(thread, frame.next, until);
        }
        if let Some((index, _)) = self.script.at(thread, end) {
            self.wait_turn(thread, index);
            self.complete(index);
        }
    }

    /// What the thread begins, if it is not within something, ends there.
    pub(crate) fn note_busy(&self, thread: usize, end: usize) {
        if top().is_none()
            && let Some(own) = self.lock().threads.get_mut(thread)
        {
            own.busy = end.min(self.lane_len(thread));
        }
    }

    fn lane_len(&self, thread: usize) -> usize {
        self.script
            .threads
            .get(thread)
            .map_or(0, |lane| lane.nodes.len())
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
        let (turn, _) = self.script.at(thread, turn)?;
        let (index, node) = self.script.at(thread, place)?;
        self.wait_turn(thread, turn);
        self.complete(index);
        if let Some((_, results)) = node.what.results() {
            return Some(results.to_vec());
        }
        self.inside(thread, place, node.end, || self.events_inside(thread));
        match self.script.at(thread, node.end) {
            Some((_, end)) => Some(end.what.results()?.1.to_vec()),
            // It had not returned when the process ended.
            None if self.is_loading(Some(thread)) => self.nearest(slot, arguments),
            None => ffi::process::stop_here(),
        }
    }

    /// The name that a raw monitor of the recording was given.
    pub(crate) fn monitor_name(&self, monitor: u64) -> Option<&'static [u8]> {
        const RAW_MONITOR_CREATE: u8 = 7;
        let names = self.names.get_or_init(|| {
            let calls = self.script.nodes.iter().filter_map(|node| {
                let What::Call {
                    slot: RAW_MONITOR_CREATE,
                    arguments,
                    results: Some(results),
                } = &node.what
                else {
                    return None;
                };
                Some((results.first()?.id()?, arguments.first()?.bytes()?))
            });
            calls.collect()
        });
        names.get(&monitor).copied()
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
        let mut left = self.places(thread, frame.behind.max(frame.next), frame.end);
        left.all(|(_, is_done)| is_done).then_some(frame)
    }

    /// A thread that had come no further when the process ended: it stays here, unless
    /// another one, whose turn it is, waits for something that this one has.
    fn wait_for_others(&self, thread: usize) {
        let mut state = self.lock();
        let mut quiet = Quiet::from(&state);
        set_waits(&mut state, thread, true);
        while let Some(owner) = self.script.nodes.get(state.turn).map(|node| node.thread) {
            state = self.sleep(state, thread);
            let owner = state.threads.get(owner).copied().unwrap_or_default();
            if quiet.lasts(&state) && owner.is_asleep() {
                set_waits(&mut state, thread, false);
                return;
            }
        }
        drop(state);
        ffi::process::stop_here()
    }

    /// Events that came while the agent was in a call.
    fn events_inside(&self, thread: usize) {
        while let Some(frame) = top() {
            if frame.next >= frame.end {
                return;
            }
            let place = frame.next;
            let next = match self.script.at(thread, place) {
                Some((_, node)) if matches!(node.what, What::Event { .. }) => {
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
        let (_, node) = self.script.at(thread, place)?;
        let behind = node.end.saturating_add(1).min(frame.end);
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
        let call = |place| match self.script.at(thread, place).map(|(_, node)| &node.what) {
            Some(What::Call {
                slot,
                arguments,
                results,
            }) => Some((*slot, arguments, results.is_some())),
            _ => None,
        };
        let before: Vec<_> = self
            .places(thread, frame.next, place)
            .skip_while(|(_, is_done)| *is_done)
            .take(ROUND)
            .collect();
        let Some(&(first, _)) = before.first() else {
            return (None, false);
        };
        let slot = |place| call(place).map(|(slot, ..)| slot);
        let waits = before
            .iter()
            .any(|&(place, is_done)| !is_done && slot(place) == Some(RAW_MONITOR_WAIT));
        let question = |place| call(place).map(|(slot, arguments, _)| (slot, arguments));
        // Asked twice: the second is of the next round.
        let again = before.iter().any(|&(other, _)| {
            question(other) == question(place)
                || other != first && question(other) == question(first)
        });
        let questions = before
            .iter()
            .all(|&(other, is_done)| is_done || slot(other).is_some_and(is_question));
        // Nothing else happened in it.
        let at_once = call(place).is_some_and(|(_, _, at_once)| at_once);
        let early = questions && at_once && !again && before.len() < ROUND;
        (early.then_some(first), waits)
    }

    /// The first record of the thread's that is this call, without a change.
    fn peek(&self, thread: usize, slot: u8, arguments: &[Value<'_>]) -> Option<usize> {
        /// An agent that does something else may come back to what it did.
        const LOOK_AHEAD: usize = 200;
        let frame = top()?;
        let to_come = self.places(thread, frame.next, frame.end);
        let mut to_come = to_come.filter(|(_, is_done)| !is_done).take(LOOK_AHEAD);
        let found = to_come.find(|&(place, _)| {
            let node = self.script.at(thread, place).map(|(_, node)| &node.what);
            matches!(node, Some(What::Call { slot: recorded, arguments: others, .. })
                if *recorded == slot && same(slot, others, arguments))
        });
        found.map(|(place, _)| place)
    }

    /// Places of a thread's records, without those within others, and whether they have been
    /// played. The state is locked as long as this lives.
    fn places(
        &self,
        thread: usize,
        from: usize,
        until: usize,
    ) -> impl Iterator<Item = (usize, bool)> {
        let state = self.lock();
        let places = std::iter::successors(Some(from), move |&place| {
            let (_, node) = self.script.at(thread, place)?;
            Some(node.end.max(place).saturating_add(1))
        });
        places
            .take_while(move |&place| place < until)
            .map_while(move |place| {
                let (index, _) = self.script.at(thread, place)?;
                Some((place, state.done.get(index) == Some(&true)))
            })
    }

    /// The recorded function of the system thread that the calling thread is about to make.
    pub(crate) fn next_system_thread(&self, arguments: &[Value<'_>]) -> Option<u64> {
        const CREATE_SYSTEM_THREAD: u8 = 18;
        let thread = PLACE.with_borrow(|place| place.thread)?;
        let place = self.peek(thread, CREATE_SYSTEM_THREAD, arguments)?;
        let (_, node) = self.script.at(thread, place)?;
        node.what.values().1.get(2)?.id()
    }

    fn nearest(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
        let answers = self.answers.get_or_init(|| {
            let mut answers: HashMap<u64, Vec<usize>> = HashMap::new();
            for (index, node) in self.script.nodes.iter().enumerate() {
                if let What::Call {
                    slot,
                    arguments,
                    results: Some(_),
                } = &node.what
                {
                    answers
                        .entry(key(*slot, arguments))
                        .or_default()
                        .push(index);
                }
            }
            answers
        });
        let turn = self.lock().turn;
        let found = answers.get(&key(slot, arguments)).and_then(|all| {
            let nearest = all.iter().min_by_key(|index| index.abs_diff(turn))?;
            let (_, results) = self.script.nodes.get(*nearest)?.what.results()?;
            Some(results.to_vec())
        });
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
        if self.is_loading(PLACE.with_borrow(|place| place.thread)) {
            return;
        }
        let begin = self.now();
        let wait = u64::try_from(millis).unwrap_or(0).saturating_mul(1_000_000);
        loop {
            match (begin, self.now()) {
                (Some(begin), Some(now)) if millis <= 0 || now < begin.saturating_add(wait) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                (_, Some(_)) => return,
                (_, None) => ffi::process::stop_here(),
            }
        }
    }
}

fn set_waits(state: &mut State, thread: usize, waits: bool) {
    if let Some(own) = state.threads.get_mut(thread) {
        own.waits = waits;
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

/// Whether these are the same question. Addresses differ from process to process.
fn same(slot: u8, a: &[Value<'_>], b: &[Value<'_>]) -> bool {
    let values = a.iter().zip(b).zip(call_arguments(slot));
    a.len() == b.len()
        && values
            .into_iter()
            .all(|((a, b), field)| !counts(slot, field) || a == b)
}

/// Whether this argument makes one call another. Addresses are another run's, and how long
/// an agent waits it may have from a clock that nobody records.
fn counts(slot: u8, field: &Field) -> bool {
    field.kind != Type::Id(Space::Address) && (slot != RAW_MONITOR_WAIT || field.kind != Type::Int)
}

fn key(slot: u8, arguments: &[Value<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    slot.hash(&mut hasher);
    for (value, field) in arguments.iter().zip(call_arguments(slot)) {
        if counts(slot, field) {
            format!("{value:?}").hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use event_translate::recording::{Item, Subject};

    use super::*;

    const GET_THREAD_STATUS: u8 = 16;

    fn asks(env: u64, status: i64) -> What<'static> {
        What::Call {
            slot: GET_THREAD_STATUS,
            arguments: vec![Value::Id(env)],
            results: Some(vec![Value::Int(status)]),
        }
    }

    fn waits() -> What<'static> {
        What::Call {
            slot: RAW_MONITOR_WAIT,
            arguments: vec![Value::Id(1), Value::Int(10)],
            results: Some(Vec::new()),
        }
    }

    /// What the agent's own thread is told of these threads when it asks in this order, 0 being
    /// its wait.
    fn told(recorded: Vec<What<'static>>, asked: &[u64]) -> (Vec<i64>, u64) {
        let items = (0..).zip(recorded).map(|(index, what)| Item {
            nanos: index,
            thread: 0,
            index,
            what,
        });
        let player = Player::new(Script::of(items));
        // Nothing of this is in JVM_OnLoad.
        player.set_loaded();
        let answer = |&env: &u64| match env {
            0 => {
                player.call(RAW_MONITOR_WAIT, &[Value::Id(1), Value::Int(10)]);
                None
            }
            _ => player
                .call(GET_THREAD_STATUS, &[Value::Id(env)])?
                .first()?
                .int(),
        };
        let told = std::thread::scope(|scope| {
            let thread = scope.spawn(|| asked.iter().filter_map(answer).collect());
            thread.join().unwrap()
        });
        (told, player.counts.skipped.load(Ordering::Relaxed))
    }

    /// Three looks at three threads, one status in all of each.
    fn three_looks() -> Vec<What<'static>> {
        let look = |look: i64| {
            [
                asks(1, 10 + look),
                asks(2, 20 + look),
                asks(3, 30 + look),
                waits(),
            ]
        };
        (1..=3).flat_map(look).collect()
    }

    #[test]
    fn questions_are_answered_in_another_order() {
        let asked = [1, 2, 3, 0, 3, 1, 2, 0, 2, 3, 1, 0];
        let (answers, skipped) = told(three_looks(), &asked);
        assert_eq!(answers, [11, 21, 31, 32, 12, 22, 23, 33, 13]);
        assert_eq!(skipped, 0);
    }

    #[test]
    fn a_question_that_is_new_leaves_no_round_out() {
        let mut recorded = three_looks();
        recorded.remove(2);
        let (answers, skipped) = told(recorded, &[1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
        // The first of the third thread is the nearest there is.
        assert_eq!(answers, [11, 21, 32, 12, 22, 32, 13, 23, 33]);
        assert_eq!(skipped, 0);
    }

    #[test]
    fn questions_that_are_left_out_are_not_awaited() {
        let (answers, skipped) = told(three_looks(), &[2, 3, 0, 1, 3, 0, 3, 0]);
        assert_eq!(answers, [21, 31, 12, 32, 33]);
        assert_eq!(skipped, 4);
        // Nobody waits any more.
        let unwaited = three_looks().into_iter().filter(|what| *what != waits());
        let (answers, skipped) = told(unwaited.collect(), &[2, 3, 2, 3, 2, 3]);
        assert_eq!(answers, [21, 31, 22, 32, 23, 33]);
        // The last of the first thread is still awaited.
        assert_eq!(skipped, 2);
    }

    #[test]
    fn a_question_that_is_never_asked_holds_nobody_up() {
        let looks = (1..=3).flat_map(|look| [asks(1, 10 + look), asks(2, 20 + look)]);
        let recorded = [asks(9, 90)].into_iter().chain(looks);
        let (answers, skipped) = told(recorded.collect(), &[1, 2, 1, 2, 1, 2]);
        assert_eq!(answers, [11, 21, 12, 22, 13, 23]);
        assert_eq!(skipped, 1);
        // However many come once only.
        let many = 100_000;
        let recorded = (0..many).map(|env| asks(env + 1, 0));
        let asked: Vec<_> = (2..=many).collect();
        let (answers, skipped) = told(recorded.collect(), &asked);
        assert_eq!((answers.len(), skipped), (99_999, 1));
    }

    /// What happened in a question is played where it was, and those before it are left out.
    #[test]
    fn a_question_with_an_event_in_it_is_not_answered_early() {
        let mut recorded = three_looks();
        if let Some(What::Call { results, .. }) = recorded.get_mut(1) {
            *results = None;
        }
        let leave = What::Leave {
            subject: Subject::Call(GET_THREAD_STATUS),
            results: vec![Value::Int(21)],
        };
        recorded.insert(2, leave);
        let (answers, skipped) = told(recorded, &[2, 1, 3, 0, 1, 2, 3, 0]);
        assert_eq!(answers, [21, 12, 31, 12, 22, 32]);
        assert_eq!(skipped, 1);
    }
}
