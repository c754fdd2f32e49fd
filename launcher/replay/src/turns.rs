//! Whose turn it is.
//!
//! The next record of each thread is in a heap, by its time: the first of all has its turn. A
//! thread that does not come, for it waits for something that another one has, is passed over;
//! when that is, [`Quiet`] says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::time::{Duration, Instant};

use recording_format::Recording;

use crate::ffi::process::{self, Doing};
use crate::lane::Lane;
use crate::script::{Cause, Script};

/// A record's place among all: those of the same moment are in the order of their threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn {
    pub(crate) nanos: u64,
    number: u32,
    pub(crate) place: usize,
    pub(crate) thread: usize,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) lanes: Vec<Lane>,
    /// Of each thread the first record that is still awaited, or was when others came first.
    heads: BinaryHeap<Reverse<Turn>>,
    pub(crate) threads: Vec<Progress>,
    /// Threads with records that were passed over and may still be played.
    late: Vec<usize>,
    /// Threads that were answered, and have not come for their next record.
    answered: Vec<Answered>,
    /// How many records have been played or passed over: it stands still while nobody comes on.
    steps: u64,
    /// The time of the last record.
    end: u64,
}

/// What a thread waits for in our own code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wait {
    /// It is in the agent's.
    #[default]
    No,
    /// Its turn.
    Turn,
    /// Something that does not come while it has the turn.
    Others,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    pub(crate) tid: u32,
    pub(crate) wait: Wait,
    /// Its list is passed over before this place: it waits for something that we do not
    /// know, and the others go on.
    pub(crate) passed: usize,
    /// All of its records before this place have had their turn, or were passed over.
    head: usize,
    /// How often since it last came.
    pub(crate) times: u32,
    /// Where what it plays ends in its list: an event, or a function of the agent's.
    pub(crate) busy: usize,
    pub(crate) bound: bool,
    /// The time of the record that it played last.
    last: u64,
}

/// A thread that goes on in the agent's code with an answer.
#[derive(Debug)]
struct Answered {
    thread: usize,
    /// The time of the answer's record.
    nanos: u64,
    /// How long it had run when it was first waited for, in ns.
    ran: Option<u64>,
}

impl Answered {
    /// Whether it has run for less than from its answer to this time in the recording, or for hardly longer: one that
    /// spins for a lock whose owner waits for it would run on.
    fn has_time(&mut self, tid: u32, nanos: u64) -> bool {
        /// A replay takes longer here and there.
        const LEAST: u64 = 10_000_000;
        let now = process::has_run(tid);
        let ran = now.saturating_sub(*self.ran.get_or_insert(now));
        ran < nanos.saturating_sub(self.nanos).max(LEAST)
    }
}

impl Progress {
    /// What it does, if it is not ours to say whether it goes on.
    fn doing(&self) -> Option<Doing> {
        (self.bound && self.wait == Wait::No).then(|| process::doing(self.tid))
    }

    /// It is in the agent's code, and does not run.
    pub(crate) fn is_away(&self) -> bool {
        self.doing().is_some_and(|doing| doing != Doing::Runs)
    }

    /// It has to be passed over before it can come: it waits for others.
    pub(crate) fn is_stuck(&self) -> bool {
        self.bound && (self.wait == Wait::Others || self.doing() == Some(Doing::Waits))
    }
}

impl State {
    pub(crate) fn new(recording: &'static Recording<'static>, script: &mut Script) -> Self {
        let count = script.threads.len();
        let mut state = Self {
            lanes: Vec::new(),
            heads: BinaryHeap::new(),
            late: Vec::new(),
            answered: Vec::new(),
            threads: vec![Progress::default(); count],
            steps: 0,
            end: script.end,
        };
        for thread in 0..count {
            let number = script.threads.get(thread).map_or(0, |part| part.number);
            let mut lane = Lane::of(recording.records(number), script, thread);
            if let Some(nanos) = lane.nanos(0) {
                state.heads.push(Reverse(Turn {
                    nanos,
                    number,
                    place: 0,
                    thread,
                }));
            }
            state.lanes.push(lane);
        }
        state.advance();
        state
    }

    /// The record whose turn it is.
    pub(crate) fn turn(&self) -> Option<Turn> {
        self.heads.peek().map(|head| head.0)
    }

    /// This record's place among all; none if it has been played.
    pub(crate) fn turn_of(&mut self, number: u32, thread: usize, place: usize) -> Option<Turn> {
        let lane = self.lanes.get_mut(thread)?;
        Some(Turn {
            nanos: lane.nanos(place).filter(|_| place >= lane.base())?,
            number,
            place,
            thread,
        })
    }

    /// Goes on to the first record that is awaited; whether it is another one than before.
    pub(crate) fn advance(&mut self) -> bool {
        let before = self.steps;
        while let Some(mut head) = self.heads.peek_mut() {
            let Turn { thread, place, .. } = head.0;
            let passed = self.threads.get(thread).map_or(0, |own| own.passed);
            let Some(lane) = self.lanes.get_mut(thread) else {
                break;
            };
            let is_passed = place < passed;
            let is_done = lane.is_done(place);
            if !is_passed && !is_done {
                break;
            }
            if is_done {
                lane.forget();
            } else {
                lane.pass();
                if passed != usize::MAX && !self.late.contains(&thread) {
                    self.late.push(thread);
                }
            }
            self.steps += 1;
            let next = (place + 1).max(lane.base());
            if let Some(own) = self.threads.get_mut(thread) {
                own.head = next;
            }
            match lane.nanos(next) {
                Some(nanos) => {
                    head.0.nanos = nanos;
                    head.0.place = next;
                }
                None => {
                    PeekMut::pop(head);
                }
            }
        }
        self.steps != before
    }

    /// A record has been played; whether that is new.
    pub(crate) fn set_done(&mut self, thread: usize, place: usize) -> bool {
        let Some(lane) = self.lanes.get_mut(thread) else {
            return false;
        };
        if let (Some(own), Some(nanos)) = (self.threads.get_mut(thread), lane.nanos(place)) {
            own.last = own.last.max(nanos);
        }
        self.steps += 1;
        lane.set_done(place)
    }

    /// The thread goes on in the agent's code, with the answer that it got last.
    pub(crate) fn set_answered(&mut self, thread: usize) {
        let nanos = self.threads.get(thread).map_or(0, |own| own.last);
        self.has_come(thread);
        self.answered.push(Answered {
            thread,
            nanos,
            ran: None,
        });
    }

    /// It has come for its next record; whether it was answered before.
    pub(crate) fn has_come(&mut self, thread: usize) -> bool {
        let before = self.answered.len();
        self.answered.retain(|other| other.thread != thread);
        self.answered.len() != before
    }

    pub(crate) fn has_answered(&self) -> bool {
        !self.answered.is_empty()
    }

    /// Whether one that was answered is to be waited for by the record of this time: one runs, and has not run for longer
    /// than the recording gave it. Those that wait meanwhile may get what they wait for from that one, and
    /// else not before the record.
    pub(crate) fn awaits_answered(&mut self, nanos: u64) -> bool {
        let Self {
            answered, threads, ..
        } = self;
        let mut one_runs = false;
        answered.retain_mut(|other| {
            let Some(own) = threads.get(other.thread) else {
                return false;
            };
            let runs = own.doing() == Some(Doing::Runs);
            let has_time = !runs || other.has_time(own.tid, nanos);
            one_runs |= runs && has_time;
            has_time
        });
        if !one_runs {
            answered.clear();
        }
        one_runs
    }

    /// How long the recording was about what this thread does, or more.
    fn recorded(&mut self, turn: Turn) -> Duration {
        let own = self.threads.get(turn.thread).copied().unwrap_or_default();
        let lane = self.lanes.get_mut(turn.thread);
        // What it plays may have ended just before its next.
        let next = lane.and_then(|lane| lane.nanos(turn.place + 1));
        let until = next.unwrap_or(self.end);
        Duration::from_nanos(until.saturating_sub(own.last.min(turn.nanos)))
    }

    /// A thread that was passed over while it waited, and runs now: it goes on with what came
    /// before all that has its turn now.
    pub(crate) fn returning(&mut self) -> Option<usize> {
        let Self {
            late,
            lanes,
            threads,
            ..
        } = self;
        late.retain(|&thread| {
            let first = lanes.get(thread).map(Lane::base);
            let head = threads.get(thread).map(|own| own.head);
            first < head
        });
        late.iter().copied().find(|&thread| {
            let own = threads.get(thread);
            own.and_then(Progress::doing) == Some(Doing::Runs)
        })
    }

    /// Nobody waits any more for this one to go on with what was passed over.
    pub(crate) fn give_up_on_returning(&mut self, thread: usize) {
        self.late.retain(|&late| late != thread);
    }

    /// Whether a thread that was passed over is still to come: it is busy with what has not
    /// been played.
    pub(crate) fn is_played_on(&self) -> bool {
        let threads = self.threads.iter().zip(&self.lanes);
        let comes = |(own, lane): (&Progress, &Lane)| {
            lane.not_played() > 0 && own.bound && !own.is_stuck() && own.wait != Wait::Turn
        };
        threads.into_iter().any(comes)
    }

    /// Whether a thread does something by itself, or comes back from where it is.
    fn somebody_goes_on(&self) -> bool {
        let goes_on = |own: &Progress| matches!(own.doing(), Some(Doing::Runs | Doing::Naps));
        self.threads.iter().any(goes_on)
    }

    /// The thread whose turn it is does not come: it waits in the agent's own code, perhaps
    /// for a lock that another one has, or was never made. What it is about is passed over.
    pub(crate) fn give_up_on_owner(&mut self, causes: &[Cause]) {
        /// Who has not come for so many records does not come for the others.
        const OFTEN: u32 = 40;
        let Some(Turn { thread, place, .. }) = self.turn() else {
            return;
        };
        let cause = causes.get(thread);
        let (Some(cause), Some(owner)) = (cause, self.threads.get_mut(thread)) else {
            return;
        };
        let runs = owner.wait == Wait::Turn || owner.doing() == Some(Doing::Runs);
        owner.passed = match (owner.bound, cause) {
            (false, Cause::Us) => return,
            (false, Cause::Agent) => usize::MAX,
            (true, _) if runs => return,
            (true, _) if owner.times >= OFTEN => usize::MAX,
            (true, _) => owner.busy.max(place + 1),
        };
        owner.times += 1;
    }
}

/// How long nobody has come on.
#[derive(Debug)]
pub(crate) struct Quiet {
    steps: u64,
    since: Instant,
}

impl Quiet {
    pub(crate) fn from(state: &State) -> Self {
        Self {
            steps: state.steps,
            since: Instant::now(),
        }
    }

    /// Whether something has to be done about it. All threads wait for each other: at once, or
    /// nearly. Somebody goes on, or the one whose turn it is waits for something outside: that
    /// takes as long as it took in the recording, and as long again, and some seconds more.
    pub(crate) fn lasts(&mut self, state: &mut State) -> bool {
        const ALL_WAIT: Duration = Duration::from_millis(50);
        const MORE: Duration = Duration::from_secs(10);
        if state.steps != self.steps {
            *self = Self::from(state);
        }
        let quiet = self.since.elapsed();
        if quiet < ALL_WAIT {
            return false;
        }
        let lasts = state.turn().map_or(quiet > MORE, |turn| {
            let owner = state.threads.get(turn.thread).copied().unwrap_or_default();
            let hopeless = (owner.is_stuck() || !owner.bound) && !state.somebody_goes_on();
            hopeless || quiet > MORE + state.recorded(turn) * 2
        });
        if lasts {
            *self = Self::from(state);
        }
        lasts
    }
}
