//! How long anybody waits for somebody else, and the one way to do it.
//!
//! Nobody of ours waits without a bound for what others may keep from coming, but at the agent's own word
//! (below). Whom a thread waits for may have been stopped by the agent, or may need what the waiting
//! thread holds; and a program under a profiler has to go on. Each constant says for whom, and what becomes of it
//! when the time is over.
//! Longer than most: they are one table.
//!
//! Without one are waits for a few steps of ours, which nothing but the lack of a processor keeps
//! from their end: nobody can be suspended in them, and they wait for nobody else but for the like. (And for a process or a
//! thread of ours that ends by itself: `bridge/partner.rs`, `os/cpu_clock/trial.rs`.) To end such a wait
//! would cost more than it does.
//! - For a signal's handler that has begun to walk a stack (`vm/hotspot/stacks/async_trace.rs`): it writes to the
//!   slot of who has asked, and looks at a word of a thread that is gone soon.
//! - For those who have asked a thread for its stack, by that thread's end (`model/thread/native_thread.rs`): their
//!   signal would go to another one with its number. They wait for the handler, and do nothing else.
//! - For a new thread that stands for one of a 32-bit agent, until it runs (`bridge/conversation.rs`): without
//!   it the agent's thread has no JVM.
//!
//! Nor have one the two waits that are the agent's own, and that it would have had in a VM of its time:
//! - For a raw monitor, by who calls its functions (`id-map/src/monitors.rs`): to enter it, to be notified where
//!   the agent gives no time, and to have it again then. The agent's code makes it, owns it and leaves it; when it is
//!   destroyed the wait ends.
//! - For a handler of a 32-bit agent, and all else that its code does in the other process, by the thread that it does it
//!   for (`bridge/conversation.rs`): in a process of its own bits the thread would be in that code itself. The end of
//!   the other process ends the wait.

use std::hint;
use std::thread;
use std::time::{Duration, Instant};

use crate::base::progress;

/// How long to wait, and how often to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// At most; from the start, or from when others got on last.
    pub(crate) most: Duration,
    every: Duration,
    /// So long it looks all the time, before it leaves the processor to others.
    spins: Duration,
    renewed: bool,
}

impl Patience {
    const fn of(most: Duration) -> Self {
        Self {
            most,
            every: Duration::from_micros(50),
            spins: Duration::ZERO,
            renewed: false,
        }
    }

    /// With so much time between two looks.
    const fn every(self, every: Duration) -> Self {
        Self { every, ..self }
    }

    /// At first it looks all the time, for so long: whom it waits for is mostly done by then, if it
    /// has a processor.
    const fn spinning(self, spins: Duration) -> Self {
        Self { spins, ..self }
    }

    /// The time begins anew whenever others get on ([`progress`]): they are slow, but not stuck.
    const fn renewed(self) -> Self {
        Self {
            renewed: true,
            ..self
        }
    }

    /// What is left of it behind so much.
    pub(crate) fn less(self, elapsed: Duration) -> Self {
        Self {
            most: self.most.saturating_sub(elapsed),
            ..self
        }
    }

    /// For so long at most, if that is less.
    pub(crate) fn within(self, most: Duration) -> Self {
        Self {
            most: most.min(self.most),
            ..self
        }
    }

    /// Sleeps and looks until it is `done`; false if the time was over before.
    pub(crate) fn until(self, mut done: impl FnMut() -> bool) -> bool {
        // Mostly there is nothing to wait for: then not even the clock is read.
        if done() {
            return true;
        }
        let start = Instant::now();
        let mut since = (start, progress::count());
        loop {
            let now = Instant::now();
            if self.is_over(&mut since, (now, progress::count())) {
                return false;
            }
            if now.duration_since(start) < self.spins {
                hint::spin_loop();
            } else {
                thread::sleep(self.every);
            }
            if done() {
                return true;
            }
        }
    }

    /// The same for one who is woken: `sleep` returns when it is, or after so long.
    pub(crate) fn until_woken(
        self,
        mut done: impl FnMut() -> bool,
        mut sleep: impl FnMut(Duration),
    ) -> bool {
        if done() {
            return true;
        }
        let start = Instant::now();
        loop {
            let passed = start.elapsed();
            if passed >= self.most {
                return false;
            }
            if passed < self.spins {
                hint::spin_loop();
            } else {
                sleep(self.most.saturating_sub(passed));
            }
            if done() {
                return true;
            }
        }
    }

    /// Whether the time is over that has begun `since`; each a moment and what others had done.
    fn is_over(self, since: &mut (Instant, u64), now: (Instant, u64)) -> bool {
        if self.renewed && now.1 != since.1 {
            *since = now;
        }
        now.0.duration_since(since.0) >= self.most
    }

    /// The same for `look`, until it has found something.
    pub(crate) fn until_some<T>(self, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let mut found = None;
        self.until(|| {
            found = look();
            found.is_some()
        });
        found
    }

    /// Sleeps and looks as often as there is time for on an idle machine; false if it was `done` at
    /// none of them. On a loaded one this takes longer: there it is looking that takes the time.
    pub(crate) fn until_seen(self, mut done: impl FnMut() -> bool) -> bool {
        let looks = self.most.as_micros() / self.every.as_micros().max(1);
        (0..=looks).any(|look| {
            if look > 0 {
                thread::sleep(self.every);
            }
            done()
        })
    }

    /// When it ends that begins now, for condition variables.
    pub(crate) fn deadline(self) -> Instant {
        Instant::now() + self.most
    }
}

const fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

// ---- definitions ----------------------------------------------------------------

/// Another thread is telling of what the caller is to name, and may be suspended by the caller's
/// agent: not at all. The name is left out.
pub(crate) const NONE: Patience = Patience::of(Duration::ZERO);
/// The same where the caller has no agent code on its stack that could hold a lock. The event
/// goes without the definition.
pub(crate) const DEFINITION: Patience = Patience::of(secs(1));
/// The same where its handler may wait for a lock of the agent's that the caller holds.
pub(crate) const DEFINITION_UNDER_LOCKS: Patience = Patience::of(millis(20));
/// Another thread, which is sending the FREE of a JNI reference, by who is to tell of the next one of
/// the same number: its ALLOC overtakes that. The handler may wait for what the caller holds.
pub(crate) const FREE_BEFORE_ALLOC: Patience = Patience::of(secs(1));
/// A thread that is listed and has not said its THREAD_START: a MONITOR_DUMP goes without it.
pub(crate) const STARTING_THREAD: Patience = Patience::of(millis(20));
/// A thread that CreateSystemThread has made, until it runs (a loaded machine); the call returns.
pub(crate) const NEW_THREAD_RUNS: Patience = Patience::of(secs(2));
/// Its handler of THREAD_START, which may need a lock that the caller holds; the call returns.
pub(crate) const NEW_THREAD_SAYS_HELLO: Patience = Patience::of(millis(200));

// ---- the gate and brackets -----------------------------------------------------

/// Somebody else's replay: it is opened, unless it gets on.
pub(crate) const REPLAY: Patience = Patience::of(secs(10));
/// Somebody else's bracket: it is opened, unless it gets on; its handler may wait for something
/// that this thread holds.
pub(crate) const BRACKET: Patience = Patience::of(secs(1));
/// The same, out of courtesy: the caller goes on.
pub(crate) const SHORT_BRACKET: Patience = Patience::of(millis(20));
/// The gate is held closed for the handlers in flight, while other threads of the program stand
/// there: then it is opened, and the bracket is tried again later.
pub(crate) const HANDLERS: Patience = Patience::of(millis(100));
/// The same while they only wait for a processor.
pub(crate) const STARVED_HANDLERS: Patience = Patience::of(secs(2));
/// Handlers in flight at the first try, and twice as long at each further one: most handlers return at once, and the program
/// stands meanwhile.
pub(crate) const FIRST_TRY: Patience = Patience::of(millis(10));
/// How long the gate stays open behind the first such try, and twice as long behind each further one.
pub(crate) const BETWEEN_FIRST_TRIES: Patience = Patience::of(millis(5));
/// Behind so many such tries the gate has been held for a second in all: from then on a try waits for
/// [`STARVED_HANDLERS`] where handlers only wait for a processor.
pub(crate) const SHORT_TRIES: u32 = 12;
/// A handler that does not return, over all tries: the bracket is sent beside it. (Tries that are more than ten seconds apart
/// do not add up, as the same file says: nobody knows what the handler has done between them.)
pub(crate) const STUCK_HANDLER: Patience = Patience::of(protocols::gate::handlers::AT_LEAST);
/// Handlers at RunGC: perhaps, in a way that we do not see, they wait for the caller. The bracket
/// is left to the worker.
pub(crate) const HANDLERS_AT_RUN_GC: Patience = Patience::of(secs(5));
/// The same while they only wait for a processor.
pub(crate) const STARVED_AT_RUN_GC: Patience = Patience::of(secs(60));
/// Handlers in flight, by a dump: it may name what they have not told of to their ends.
pub(crate) const HANDLERS_AT_DUMP: Patience = Patience::of(millis(100));
/// The same while they only wait for a processor.
pub(crate) const STARVED_AT_DUMP: Patience = Patience::of(secs(2));
/// Handlers at the VM's end, which goes without a last bracket.
pub(crate) const HANDLERS_AT_THE_END: Patience = Patience::of(secs(1));
/// The same while they only wait for a processor.
pub(crate) const STARVED_AT_THE_END: Patience = Patience::of(secs(10));
/// Handlers in flight before JVM_SHUT_DOWN, which comes beside them.
pub(crate) const GRACE: Patience = Patience::of(millis(100)).every(millis(1));
/// The same while they only wait for a processor.
pub(crate) const STARVED_IN_GRACE: Patience = Patience::of(secs(2)).every(millis(1));
/// A bracket that was postponed, until it is tried again: the gate stays open so long.
pub(crate) const BETWEEN_TRIES: Patience = Patience::of(millis(500)).every(millis(5));
/// Who sends a bracket, by one that is sent for RunGC: as long as it gets on; then the caller's
/// deaths come in the next one.
pub(crate) const SENDER: Patience = Patience::of(secs(2)).every(micros(200));
/// The same at the VM's end; after that the other one is hurried.
pub(crate) const SENDER_AT_THE_END: Patience = Patience::of(secs(1)).every(micros(200));
/// The agent's next call, by a bracket of which it wants GC_START alone or GC_FINISH alone since a moment ago; that
/// then has the one.
pub(crate) const OTHER_END: Patience = Patience::of(millis(50));
/// A bracket whose sender waits for handlers in flight, by DisableGC: those may wait for what the
/// caller holds, and the bracket begins after EnableGC.
pub(crate) const CLOSING_GATE: Patience = Patience::of(millis(100));
/// A bracket that has begun, by DisableGC: its handlers may wait for what the caller holds.
pub(crate) const OPEN_BRACKET: Patience = Patience::of(secs(1)).renewed();
/// A collection that RunGC has our thread ask for: what is dead by then is told. The thread is stopped by nobody who asks
/// us, but JVMTI stops any, and debuggers do.
pub(crate) const COLLECTION: Patience = Patience::of(secs(120));
/// Somebody who wants a collection, by that thread of ours: so often it looks whether the VM still lives, since
/// behind the detaching of an agent nobody tells us of its end.
pub(crate) const NEXT_REQUEST: Patience = Patience::of(secs(1));
/// Deaths that are being told, by DisableGC and by a dump: these go on, with a line.
pub(crate) const TELLING: Patience = Patience::of(secs(1)).renewed();
/// The VM, until it has told of a collection's deaths: the rest comes in the next bracket.
pub(crate) const VM_TELLS: Patience = Patience::of(millis(500)).every(micros(500));
/// Another death, behind the last that the VM has told of: when none comes all have been told.
pub(crate) const QUIET_VM: Patience = Patience::of(millis(3));
/// The VM's thread that tells of deaths, before the VM's end: that may have to wait then.
pub(crate) const VM_RESTS: Patience = Patience::of(secs(10)).every(micros(500));
/// The same once more at a detach, when nothing is born any more that it could tell of.
pub(crate) const VM_RESTS_AGAIN: Patience = Patience::of(secs(1)).every(micros(500));
/// A thread that ends, for the end of a bracket: what it has kept is lost.
pub(crate) const LAST_OF_A_THREAD: Patience = Patience::of(secs(1)).every(micros(100));
/// A VM that is starting while an agent is attached, which then has to be tried again.
pub(crate) const VM_STARTS: Patience = Patience::of(secs(10)).every(millis(10));
/// An agent's thread that has suspended others when the agent goes, and is to let them go on.
pub(crate) const LETS_GO: Patience = Patience::of(secs(1)).every(millis(1));
/// The handler of JVM_INIT_DONE, by methods of other threads, which are not told of until it has begun for certain: nobody
/// sees that, and behind so long it is taken for granted. Nobody stands still for it.
pub(crate) const FIRST_HANDLER_BEGINS: Patience = Patience::of(millis(100));
/// The handler of JVM_SHUT_DOWN, by threads that end: it may say first thing that its agent looks at threads no more.
pub(crate) const LAST_HANDLER_BEGINS: Patience = Patience::of(millis(50)).every(millis(1));
/// A thread that ends, for JVM_SHUT_DOWN, which waits for handlers in flight itself.
pub(crate) const LAST_EVENTS: Patience = Patience::of(
    GRACE
        .most
        .saturating_add(STARVED_IN_GRACE.most)
        .saturating_add(secs(1)),
)
.every(millis(1));

// ---- the process of a 32-bit agent ---------------------------------------------

/// Until it has loaded the agent's library; otherwise the agent is not started.
pub(crate) const OTHER_PROCESS: Patience = Patience::of(secs(20)).every(micros(200));
/// Its exit handlers, by the end of the VM's, which ends then all the same, and leaves them behind; and that end, by threads whose agent has
/// called exit(): they go on without it.
pub(crate) const OTHER_PROCESS_ENDS: Patience = Patience::of(secs(10)).every(micros(200));

// ---- ids and heap walks --------------------------------------------------------

/// A walk of the heap, by who would give an object an id: it gives one beside the walk, which may
/// have been stopped by this very thread.
pub(crate) const HEAP_WALK: Patience = Patience::of(secs(1)).every(micros(100)).renewed();
/// Those who are giving one, by the walk: it begins, since somebody may have stopped one. On a loaded
/// machine one waits for a processor for a while.
pub(crate) const GIVERS: Patience = Patience::of(secs(2));
/// The same where the agent has stopped some thread.
pub(crate) const GIVERS_BESIDE_STOPPED: Patience = Patience::of(millis(50));
/// Who looks whether objects without tags live, by who wants the same: some have a second id, or
/// their deaths come in the next bracket.
pub(crate) const LOOK_AT_REFERENCES: Patience = Patience::of(secs(1)).renewed();
/// The worker, while it switches allocation events off: it sees that they are wanted again.
pub(crate) const SWITCHING_OFF: Patience = Patience::of(secs(1));

/// Who makes a virtual thread, by a dump, which cannot be made meanwhile: there is none.
pub(crate) const HALF_MADE: Patience = Patience::of(millis(200)).every(millis(1));

// ---- threads that are stopped, monitors -------------------------------------

/// A look at all threads, by an agent's SuspendThread: it goes on beside it.
pub(crate) const LOOK_AT_SUSPEND: Patience = Patience::of(secs(1)).every(micros(100));
/// The same by ResumeThread, which may be what lets the thread that looks go on.
pub(crate) const LOOK_AT_RESUME: Patience = Patience::of(millis(20)).every(micros(100));
/// Somebody else's look, by the next one: there is no dump.
pub(crate) const OTHER_LOOK: Patience = Patience::of(secs(30)).every(micros(100));
/// The same by who detaches the agent: what stops threads, and lets them go on, is not given back.
pub(crate) const LAST_LOOK: Patience = Patience::of(secs(2)).every(micros(100));
/// Agents' threads that are suspending others: there is no dump.
pub(crate) const SUSPENDERS: Patience = Patience::of(millis(200)).every(micros(100));
/// A dump, by an ending thread that is in it: its THREAD_END overtakes that.
pub(crate) const DUMP_OF_A_THREAD: Patience = Patience::of(secs(1)).every(micros(100)).renewed();
/// The same while whoever makes it runs, or waits for a processor, or, outside of the agent's code, for the VM: not for the
/// ending thread. One whom the agent has stopped waits for the agent. Behind the VM's end nobody is waited for.
pub(crate) const DUMP_AT_WORK: Patience = Patience::of(secs(60));
/// Such a one, seen at work: one that is not, all this time, waits for something else.
pub(crate) const LOOK_AT_DUMPERS: Patience = Patience::of(millis(10)).every(millis(1));
/// The ENTER of who waits, by who leaves the monitor: EXIT comes first.
pub(crate) const ENTER_BEFORE_EXIT: Patience = Patience::of(millis(50))
    .every(micros(20))
    .spinning(micros(20));
/// Another thread, which is about to say in the hook class's field that nobody waits for a monitor:
/// an owner may miss that somebody does, until that thread has said so and looked again.
pub(crate) const CONTENDED_FIELD: Patience = Patience::of(millis(10))
    .every(micros(20))
    .spinning(micros(20));
/// The signal's handler that takes a thread's stack: the stack at the safepoint is taken.
pub(crate) const STACK_BY_SIGNAL: Patience = Patience::of(millis(10)).spinning(micros(20));
/// The same for those that nobody is about to stop; they may want a processor for a while. Later the
/// stack is not had in this way.
pub(crate) const RUNNING_STACKS: Patience = Patience::of(millis(30)).spinning(micros(20));

// ---- hooks ----------------------------------------------------------------------

/// Another thread that puts hooks in: EnableEvent returns before they are all there.
pub(crate) const HOOKS: Patience = Patience::of(secs(10));
/// A thread of ours that switches events on or off for one that the VM does not know, which may hold what its THREAD_START
/// wants: it goes on beside that one.
pub(crate) const UNKNOWN_CALLER: Patience = Patience::of(secs(2));
/// Another thread that defines the hook class: there are none.
pub(crate) const HOOK_CLASS: Patience = Patience::of(secs(10));
/// What method events cost: as much of them is looked at before hooks are taken out for it.
pub(crate) const BUDGET: Patience = Patience::of(millis(500));
/// Somebody who needs the hooks that nobody needs now: they are taken out.
pub(crate) const IDLE_HOOKS: Patience = Patience::of(secs(5));
/// Somebody who needs the allocations that nobody needs now: the VM no longer reports them. To switch them
/// on again costs a collection.
pub(crate) const IDLE_ALLOCATIONS: Patience = Patience::of(secs(5));

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    use super::{NONE, Patience, micros, millis, secs};

    #[test]
    fn it_looks_before_it_gives_up() {
        assert!(NONE.until(|| true));
        assert!(!NONE.until(|| false));
        assert_eq!(NONE.until_some(|| Some(1)), Some(1));
        let mut looks = 0;
        let third = || {
            looks += 1;
            looks == 3
        };
        assert!(Patience::of(secs(60)).every(Duration::ZERO).until(third));
        let mut looks = 0;
        let never = || {
            looks += 1;
            false
        };
        assert!(!Patience::of(micros(30)).every(micros(10)).until_seen(never));
        assert_eq!(looks, 4);
    }

    #[test]
    fn who_is_woken_does_not_sleep_longer_than_there_is_time() {
        let patience = Patience::of(millis(1)).spinning(micros(1));
        let mut rests = Vec::new();
        let never = patience.until_woken(|| false, |rest| rests.push(rest));
        assert!(!never && rests.iter().all(|&rest| rest <= millis(1)));
        assert!(rests.is_sorted_by(|earlier, later| later <= earlier));
        let woken = Cell::new(false);
        let sleep = |_| woken.set(true);
        assert!(Patience::of(secs(60)).until_woken(|| woken.get(), sleep));
        assert!(NONE.until_woken(|| true, |_| unreachable!("it is done")));
    }

    #[test]
    fn it_begins_anew_when_others_get_on() {
        let start = Instant::now();
        let half = millis(500);
        for renewed in [false, true] {
            let patience = Patience {
                renewed,
                ..Patience::of(secs(1))
            };
            let mut since = (start, 7);
            assert!(!patience.is_over(&mut since, (start + half, 8)));
            assert_eq!(
                patience.is_over(&mut since, (start + 2 * half, 8)),
                !renewed
            );
            assert!(patience.is_over(&mut since, (start + 3 * half, 8)));
        }
    }
}
