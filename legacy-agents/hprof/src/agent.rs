//! The agent: what it knows.
//!
//! # Threads
//!
//! Events come on every thread at once. No lock of ours is held while the host is
//! called, with one exception: there is one dump at a time, and
//! a dump is a row of requests to the host. Only those who ask for a dump wait for that
//! lock; the handlers in which its parts come, on the same thread, do not take it. Whom the sampler looks
//! at waits in THREAD_END ([`crate::looks`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use parking_lot::{Condvar, Mutex};

use crate::classes::Classes;
use crate::global_refs::GlobalRefs;
use crate::locks::Locks;
use crate::options::Options;
use crate::output::Output;
use crate::parks::Parks;
use crate::progress::Written;
use crate::rewriting::Rewriting;
use crate::samples::Samples;
use crate::sites::Sites;
use crate::threads::Threads;
use crate::times::Times;
use crate::traces::Traces;

/// All that is known. Locks are taken in the order of these fields, if at once.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) options: Options,
    pub(crate) started: SystemTime,
    /// The options as they were written.
    pub(crate) asked: String,
    pub(crate) output: Mutex<Output>,
    pub(crate) threads: Mutex<Threads>,
    /// Told when the sampler has looked at some of them.
    pub(crate) looked: Condvar,
    pub(crate) traces: Mutex<Traces>,
    pub(crate) classes: Mutex<Classes>,
    pub(crate) samples: Samples,
    pub(crate) times: Times,
    pub(crate) sites: Sites,
    pub(crate) locks: Locks,
    pub(crate) parks: Parks,
    pub(crate) global_refs: GlobalRefs,
    /// The VM's own dumper writes the heap, and nothing else is wanted.
    pub(crate) vm_dumps: bool,
    /// `rewrite=`
    pub(crate) rewriting: Option<Rewriting>,
    /// How far a heap dump is.
    pub(crate) written: Arc<Written>,
    /// `depth=`, until a command changes it.
    pub(crate) depth: AtomicUsize,
}

static AGENT: OnceLock<Agent> = OnceLock::new();

/// The agent, once it is loaded.
#[inline]
pub(crate) fn get() -> Option<&'static Agent> {
    AGENT.get()
}

/// It is loaded, unless one is already.
pub(crate) fn put(agent: impl FnOnce() -> Agent) -> &'static Agent {
    AGENT.get_or_init(agent)
}

impl Agent {
    /// Frames of a trace at most.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        // Relaxed: a number, which a command may change between any two traces.
        self.depth.load(Ordering::Relaxed)
    }

    /// Samples that are in no trace, since the host has no thread for them. One that has, may not
    /// have told of the first virtual thread when that was looked for.
    pub(crate) fn unseen(&self) -> u64 {
        if self.threads.lock().has_virtual_ones() {
            0
        } else {
            self.samples.unseen()
        }
    }
}
