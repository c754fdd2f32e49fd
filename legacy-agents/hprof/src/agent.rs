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
use crate::ffi::extension;
use crate::global_refs::GlobalRefs;
use crate::locks::Locks;
use crate::options::{CpuMode, Options};
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
    /// One that knows nothing yet; `asked` are its options as they were written.
    pub(crate) fn new(
        asked: &str,
        options: Options,
        output: Output,
        rewriting: Option<Rewriting>,
    ) -> Self {
        Self {
            started: SystemTime::now(),
            asked: asked.to_owned(),
            written: Arc::default(),
            output: Mutex::new(output),
            threads: Mutex::default(),
            looked: Condvar::new(),
            traces: Mutex::default(),
            classes: Mutex::new(Classes::new(options.may_dump())),
            samples: Samples::new(options.cpu == Some(CpuMode::Samples)),
            times: Times::new(&options),
            sites: Sites::new(),
            rewriting,
            locks: Locks::default(),
            parks: Parks::default(),
            global_refs: GlobalRefs::default(),
            vm_dumps: !options.traces && extension::can_dump_heap(),
            depth: AtomicUsize::new(options.depth as usize),
            options,
        }
    }

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

/// One without a host, for tests.
#[cfg(test)]
pub(crate) fn without_a_host(options: &str) -> Agent {
    use crate::options::{Asked, parse};
    match parse(options) {
        Ok(Asked::Profile(wanted)) => {
            let output = Output::open(&wanted).unwrap();
            Agent::new(options, *wanted, output, None)
        }
        other => panic!("{options}: {other:?}"),
    }
}
