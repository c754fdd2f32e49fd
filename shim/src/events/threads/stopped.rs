//! Stops the program's threads for the length of a look at all of them.
//!
//! # Why nobody is stopped for ever
//! A stopped thread stands where it comes back from JNI or JVMTI, so it holds no lock of
//! ours and none of C's. Whoever stops others must not be stopped itself meanwhile by one
//! of them: one look at a time; agents' SuspendThread waits for its end, and a look begins
//! only when no agent's thread is in there. Threads of the agent's own are never stopped.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::Instant;

use crate::base::log;
use crate::base::patience::{self, Patience};
use crate::model::tables::VIRTUAL_THREADS;
use crate::model::thread::{Thread, attention, current};
use crate::model::threads;
use crate::vm::capabilities;
use crate::vm::env::{Jvmti, JvmtiError};
use crate::vm::jni::Jni;
use crate::vm::refs::{Local, ObjectRef, ThreadRef};
use crate::vm::this_vm::{self, Phase};

/// The thread that looks, or 0.
static LOOKING: AtomicU64 = AtomicU64::new(0);
/// Threads that are suspending others for the agent.
static SUSPENDING: AtomicU32 = AtomicU32::new(0);

/// Runs `act`, which stops threads for the agent or lets them go on, while nobody looks.
pub(crate) fn outside_of_looks<T>(patience: Patience, act: impl FnOnce() -> T) -> T {
    let begun = || {
        SUSPENDING.fetch_add(1, Ordering::SeqCst);
        let begun = LOOKING.load(Ordering::SeqCst) == 0;
        if !begun {
            SUSPENDING.fetch_sub(1, Ordering::SeqCst);
        }
        begun
    };
    if !patience.until(begun) {
        SUSPENDING.fetch_add(1, Ordering::SeqCst);
    }
    let _suspending = Suspending;
    act()
}

/// Runs `act`, which stops threads for the agent, while nobody looks; `None`: the agent has gone
/// meanwhile, and nobody would let them go on.
pub(crate) fn suspending<T>(act: impl FnOnce() -> T) -> Option<T> {
    outside_of_looks(patience::LOOK_AT_SUSPEND, || {
        // Behind SUSPENDING: else whoever detaches the agent waits for us.
        fence(Ordering::SeqCst);
        (this_vm::phase() != Phase::Dead).then(act)
    })
}

/// Runs `act`, which takes away what stops threads and lets them go on, while none is stopped
/// by a look or is being suspended for the agent. False if somebody does not come to an end.
///
/// # Phase
/// Dead: who comes later suspends nobody.
pub(crate) fn while_nobody_stops(act: impl FnOnce()) -> bool {
    fence(Ordering::SeqCst);
    let turn = Turn::within(patience::LAST_LOOK).filter(Turn::is_alone);
    let is_mine = turn.is_some();
    if is_mine {
        act();
    }
    is_mine
}

/// One of [`SUSPENDING`], until it is dropped.
struct Suspending;

impl Drop for Suspending {
    fn drop(&mut self) {
        SUSPENDING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The right to look.
struct Turn;

impl Turn {
    fn take(jvmti: Jvmti, patience: Patience) -> Option<Self> {
        // If an agent has just suspended this thread, it stands here and not in its turn.
        let _ = jvmti.thread_state(ThreadRef::CURRENT);
        Self::within(patience)
    }

    fn within(patience: Patience) -> Option<Self> {
        let me = current::key();
        let taken = || {
            LOOKING
                .compare_exchange(0, me, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        };
        patience.until(taken).then(|| Self)
    }

    /// Waits for agents' threads that are suspending others; false if one stays.
    fn is_alone(&self) -> bool {
        patience::SUSPENDERS.until(|| SUSPENDING.load(Ordering::SeqCst) == 0)
    }

    /// Whether threads may be stopped now: not behind the VM's end, which has waited for the last look
    /// ([`while_nobody_stops`]).
    fn may_stop(&self, jvmti: Jvmti) -> bool {
        this_vm::phase() != Phase::Dead && self.is_alone() && capabilities::can_suspend(jvmti)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        LOOKING.store(0, Ordering::SeqCst);
    }
}

/// Looks of one thread at several others, one after the other: all of them together wait for
/// somebody else's no longer than one would.
pub(crate) struct Looks(Instant);

impl Looks {
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    fn rest(&self) -> Patience {
        patience::OTHER_LOOK.less(self.0.elapsed())
    }
}

/// One thread that stands still, until this is dropped.
pub(crate) struct StoppedOne<'a> {
    jvmti: Jvmti,
    /// The thread, if it is ours to let go.
    ours: Option<ObjectRef<'a>>,
    _turn: Turn,
}

impl<'a> StoppedOne<'a> {
    /// `None` if it has ended or may not be stopped.
    ///
    /// # Phase
    /// Live.
    pub(crate) fn new(jvmti: Jvmti, thread: ObjectRef<'a>, looks: &Looks) -> Option<Self> {
        let turn = Turn::take(jvmti, looks.rest())?;
        if !turn.may_stop(jvmti) {
            return None;
        }
        let ours = match jvmti.suspend(thread) {
            Ok(()) => Some(thread),
            // An agent has, and lets it go after our turn.
            Err(error) if error.code == JvmtiError::THREAD_SUSPENDED => None,
            Err(_) => return None,
        };
        Some(Self {
            jvmti,
            ours,
            _turn: turn,
        })
    }
}

impl Drop for StoppedOne<'_> {
    fn drop(&mut self) {
        if let Some(thread) = self.ours {
            // It may have been let go by a debugger.
            let _ = self.jvmti.resume(thread);
        }
    }
}

/// A thread of the program; of virtual ones those that the agent has met.
pub(crate) struct Listed {
    pub(crate) object: Local,
    pub(crate) record: Arc<Thread>,
    /// We have stopped it.
    pub(crate) stopped: bool,
}

/// All threads that the VM lists, stopped as far as they may be, until this is dropped.
pub(crate) struct Stopped {
    jvmti: Jvmti,
    pub(crate) threads: Vec<Listed>,
    _turn: Turn,
}

impl Stopped {
    /// `None`, with one line, if it cannot be done.
    ///
    /// # Phase
    /// Live. Makes local references.
    pub(crate) fn all(jvmti: Jvmti, jni: Jni) -> Option<Self> {
        let Some(turn) = Turn::take(jvmti, patience::OTHER_LOOK) else {
            log::warn_once!("MONITOR_DUMP: another one does not end; no dump");
            return None;
        };
        let may = turn.may_stop(jvmti);
        let mut this = Self {
            jvmti,
            threads: Vec::new(),
            _turn: turn,
        };
        // Those that are still running may start others.
        const ROUNDS: usize = 8;
        for _ in 0..ROUNDS {
            if !this.list(jni) || !may {
                break;
            }
            this.stop();
        }
        this.meet(jni);
        Some(this)
    }

    /// Threads may have begun since they were listed.
    fn meet(&mut self, jni: Jni) {
        for listed in &mut self.threads {
            if listed.record.object().is_none()
                && let Some(record) = threads::of(jni, listed.object.get(), listed.record.env)
            {
                listed.record = record;
            }
        }
    }

    /// Adds the threads that are not yet listed; false if there are none.
    fn list(&mut self, jni: Jni) -> bool {
        let Ok(found) = self.jvmti.all_threads(jni) else {
            return false;
        };
        let before = self.threads.len();
        let mut known: HashSet<_> = self.threads.iter().map(|known| known.record.env).collect();
        for object in found {
            let Some(env) = threads::env_of(jni, object.get()) else {
                continue;
            };
            if !known.insert(env) {
                continue;
            }
            let record = threads::of(jni, object.get(), env);
            self.threads.push(Listed {
                object,
                record: record.unwrap_or_else(|| threads::unmet(env)),
                stopped: false,
            });
        }
        // The VM lists none of these.
        for record in VIRTUAL_THREADS.snapshot() {
            if let Some(object) = record.object().and_then(|object| jni.local(object.get()))
                && known.insert(record.env)
            {
                self.threads.push(Listed {
                    object,
                    record,
                    stopped: false,
                });
            }
        }
        self.threads.len() > before
    }

    fn stop(&mut self) {
        let fresh = self.threads.iter_mut().filter(|listed| {
            let record = &listed.record;
            let ours = current::is_own(record.env)
                || record.native().is_workers.load(Ordering::Acquire)
                || record.native().is_agents.load(Ordering::Acquire);
            !ours && !listed.stopped && record.attention() & attention::CARRIER == 0
        });
        let fresh: Vec<_> = fresh.collect();
        let objects: Vec<_> = fresh.iter().map(|listed| listed.object.get()).collect();
        if let Ok(codes) = self.jvmti.suspend_list(&objects) {
            for (listed, code) in fresh.into_iter().zip(codes) {
                // An agent, or a debugger, may have been first: then it stays theirs.
                listed.stopped = code == 0;
            }
        }
    }

    /// The threads' objects.
    pub(crate) fn objects(&self) -> Vec<ObjectRef<'_>> {
        self.threads
            .iter()
            .map(|listed| listed.object.get())
            .collect()
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let stopped = self.threads.iter().filter(|listed| listed.stopped);
        let objects: Vec<_> = stopped.map(|listed| listed.object.get()).collect();
        if !objects.is_empty()
            && let Err(error) = self.jvmti.resume_list(&objects)
        {
            log::warn_once!("MONITOR_DUMP: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use std::sync::atomic::Ordering;

    use parking_lot::Mutex;

    use super::{Looks, SUSPENDING, Suspending, Turn, suspending, while_nobody_stops};
    use crate::base::patience;

    /// Tests that look take turns, too.
    static ONE: Mutex<()> = Mutex::new(());

    #[test]
    fn nobody_takes_the_means_from_who_has_stopped_others() {
        let _one = ONE.lock();
        let mut taken = 0;
        let look = Turn::within(patience::NONE);
        assert!(look.is_some() && !while_nobody_stops(|| taken += 1));
        drop(look);
        assert!(suspending(|| !while_nobody_stops(|| taken += 1)) == Some(true));
        assert_eq!(taken, 0);
        assert!(while_nobody_stops(|| {
            taken += 1;
            assert!(Turn::within(patience::NONE).is_none());
        }));
        assert_eq!(taken, 1);
        // A look that begins where somebody suspends others is none.
        SUSPENDING.fetch_add(1, Ordering::SeqCst);
        let suspending = Suspending;
        assert!(Turn::within(patience::NONE).is_some_and(|turn| !turn.is_alone()));
        drop(suspending);
        assert!(Turn::within(patience::NONE).is_some_and(|turn| turn.is_alone()));
    }

    #[test]
    fn many_looks_wait_as_long_as_one() {
        let _one = ONE.lock();
        let turn = Turn::within(patience::NONE);
        assert!(turn.is_some());
        let begun = Instant::now().checked_sub(patience::OTHER_LOOK.most);
        let looks = Looks(begun.unwrap());
        let now = Instant::now();
        assert!(Turn::within(looks.rest()).is_none());
        assert!(now.elapsed() < patience::OTHER_LOOK.most / 2);
        drop(turn);
        assert!(Turn::within(looks.rest()).is_some());
    }
}
