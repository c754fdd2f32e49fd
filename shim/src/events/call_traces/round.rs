//! What virtual threads do when a sampler begins a round.
//!
//! A sampler asks one thread after the other, and holds a lock meanwhile that its handlers of
//! THREAD_START and THREAD_END want, too. A virtual thread that lives for a fraction of a millisecond
//! has come to its end, and to that lock, before it is asked: it would hardly ever be seen at work.
//! So at the first question of a round those that run give their stacks, all at once, and in the rest
//! of the round what is asked of virtual threads is answered as of that moment.
//!
//! # Threads
//! One thread of the agent's has a round at a time; others are answered as of now.

use std::sync::Arc;
use std::time::{Duration, Instant};

use event_translate::thread_status;
use parking_lot::Mutex;

use crate::events::call_traces::sampling;
use crate::events::threads::mounted;
use crate::model::thread::{Thread, attention, current};
use crate::model::threads::virtual_threads;
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;

/// A thread that asks nothing for so long has begun anew: samplers wait a millisecond at least.
const PAUSE: Duration = Duration::from_micros(500);
/// So does one that asks without a pause.
const LONGEST: Duration = Duration::from_millis(10);
/// What was so long ago is not asked about any more, by one that keeps a thread stopped.
const FORGOTTEN: Duration = Duration::from_millis(100);

struct Round {
    /// The [`current::key`] of the thread that asks.
    by: u64,
    begun: Instant,
    /// When its last question was answered.
    answered: Instant,
    mounted: Vec<Mounted>,
}

/// A virtual thread that was mounted when the round began.
struct Mounted {
    /// Its env may be the next one's before the round is over.
    identifier: Option<ThreadIdentifier>,
    /// Its stack, if it ran Java code and nobody has had it yet.
    frames: Option<Vec<Frame>>,
}

static ROUND: Mutex<Option<Round>> = Mutex::new(None);

impl Round {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.answered) > PAUSE || now.duration_since(self.begun) > LONGEST
    }
}

/// A question of the calling thread, until it is answered.
pub(crate) struct Question(());

impl Question {
    /// One about another thread. Begins a round if that is due.
    pub(crate) fn begin(jvmti: Jvmti) -> Option<Self> {
        if !mounted::are_followed() || !sampling::samples(jvmti) {
            return None;
        }
        let (me, now) = (current::key(), Instant::now());
        let mut round = ROUND.lock();
        let (is_mine, is_over) = match &*round {
            Some(round) => (round.by == me, round.is_over(now)),
            None => (false, true),
        };
        if is_over && is_mine && Thread::has_suspended_others() {
            // It goes on with the round that it has stopped them in.
            if now.duration_since(round.as_ref()?.begun) > FORGOTTEN {
                *round = None;
                return None;
            }
        } else if is_over {
            *round = Some(Round {
                by: me,
                begun: now,
                answered: now,
                mounted: Vec::new(),
            });
            drop(round);
            let mounted = take_stacks(jvmti);
            with_mine(|round| round.mounted = mounted);
        } else if !is_mine {
            return None;
        }
        Some(Self(()))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        with_mine(|round| round.answered = Instant::now());
    }
}

fn with_mine<T>(body: impl FnOnce(&mut Round) -> T) -> Option<T> {
    let mut round = ROUND.lock();
    let mine = round.as_mut().filter(|round| round.by == current::key());
    mine.map(body)
}

fn take_stacks(jvmti: Jvmti) -> Vec<Mounted> {
    let carriers = virtual_threads::carriers();
    let running = carriers.iter().map(|carrier| {
        let carried = virtual_threads::carried_by(carrier);
        // One that is just starting has come to its code when the signal comes, as one that is asked
        // in its last method may have come to its end. Others that are in native code are not asked:
        // not every system call goes on behind a signal.
        let starts = |thread: &Thread| thread.attention() & attention::STARTING != 0;
        let runs = carried.as_deref().is_some_and(starts)
            || sampling::runs_java(jvmti, carried.as_deref().unwrap_or(carrier));
        (carrier, carried, runs)
    });
    let running: Vec<_> = running.collect();
    // All of them are asked before one is waited for: they answer at the same time. Nothing else is
    // done meanwhile, for who is asked cannot end.
    let asked: Vec<_> = running
        .into_iter()
        .map(|(carrier, carried, runs)| (carried, runs.then(|| carrier.ask()).flatten()))
        .collect();
    let mut mounted = Vec::new();
    for (before, asked) in asked {
        // By now it may be another.
        let then = asked.and_then(virtual_threads::answer);
        mounted.extend(before.map(|thread| Mounted {
            identifier: thread.identifier(),
            frames: None,
        }));
        mounted.extend(then.map(|(thread, frames)| Mounted {
            identifier: thread.identifier(),
            frames: Some(frames),
        }));
    }
    mounted
}

/// The virtual threads that ran when the calling thread's round began, which it does if it is due; where
/// there are no rounds, those that run now.
pub(crate) fn mounted_then(jvmti: Jvmti) -> Vec<Arc<Thread>> {
    if !mounted::are_followed() {
        return Vec::new();
    }
    let question = Question::begin(jvmti);
    let then = question.and_then(|_question| {
        with_mine(|round| {
            let known = round.mounted.iter();
            let mut all: Vec<_> = known.filter_map(|known| known.identifier).collect();
            // A carrier may have been listed with the one that it ran before it was asked, too.
            all.sort_unstable();
            all.dedup();
            all
        })
    });
    match then {
        Some(then) => virtual_threads::of_identifiers(then),
        None => {
            let carriers = virtual_threads::carriers();
            let carried = carriers.iter().map(|carrier| &**carrier);
            carried.filter_map(virtual_threads::carried_by).collect()
        }
    }
}

/// The status of a virtual thread at the beginning of the calling thread's round, if it has one;
/// `status` is that of now. For a [`Question`].
pub(crate) fn status_then(thread: &Thread, status: i32) -> i32 {
    if !thread.is_virtual() || status & thread_status::SUSPENDED != 0 {
        return status;
    }
    let then = with_mine(|round| {
        let is_it = |known: &&Mounted| known.identifier == thread.identifier();
        let mut known = round.mounted.iter().filter(is_it);
        match known.next_back() {
            None => thread_status::unmounted(status),
            Some(last) if last.frames.is_some() => thread_status::running(status),
            Some(_) => status,
        }
    });
    then.unwrap_or(status)
}

/// The stack that it had then, if it ran; once.
pub(crate) fn take_stack(thread: &Thread) -> Option<Vec<Frame>> {
    if !thread.is_virtual() {
        return None;
    }
    with_mine(|round| {
        let mut mounted = round.mounted.iter_mut();
        mounted
            .rfind(|known| known.identifier == thread.identifier())?
            .frames
            .take()
    })
    .flatten()
}
