//! `cpu=times` and `cpu=old`: what every call costs, counted and read.
//!
//! # Threads
//!
//! A thread's calls are counted by the thread itself, without a lock: a node for each
//! stack it has been in, cut at `depth` methods, and from each node the way to the one
//! that a call leads to. A dump reads the counters from outside. Traces are made then.
//!
//! Between two events the time belongs to the method on top. What a new node costs
//! belongs to nobody, and so does the reading of the clock, of which each such time holds
//! one: it is many times what a small method takes.

mod nodes;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use indexmap::IndexMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::classes::EPOCH;
use crate::ffi::clock::Watch;
use crate::options::{CpuMode, Options};
use crate::traces::Traces;

use nodes::{BOTTOM, Cost, Nodes, Stacks};

/// What a dump may read of a thread.
#[derive(Debug)]
struct Shared {
    /// 0 without `thread=y`.
    serial: u32,
    tid: i32,
    stacks: Stacks,
    /// The node of the method that runs, 0 if none, and since when.
    top: AtomicU32,
    since: AtomicU64,
}

/// A method that runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    method: usize,
    node: u32,
}

/// What a thread counts with.
#[derive(Debug)]
pub(crate) struct Own {
    watch: Watch,
    /// What a reading of it takes.
    reading: u64,
    depth: usize,
    epoch: u32,
    stack: Vec<Running>,
    nodes: Nodes,
    /// Where calls from each node lead that its last ones do not tell.
    ways: FxHashMap<(u32, usize), u32>,
    by_methods: FxHashMap<Arc<[u32]>, u32>,
    shared: Arc<Shared>,
}

/// In place of a node: the thread is billing what has run.
const BUSY: u32 = u32::MAX;

/// Calls and ticks of the watch by trace.
pub(crate) type Costs = FxHashMap<u32, (u64, u64)>;

/// In place of the kernel's number, of a virtual thread.
pub(crate) const NO_TID: i32 = 0;

/// What all threads have in common.
#[derive(Debug)]
pub(crate) struct Times {
    watch: Watch,
    /// What a reading of it takes, in its units.
    reading: u64,
    depth: usize,
    threads: Mutex<Threads>,
}

/// Under one lock, so that a dump finds a thread in one of the two.
#[derive(Clone, Debug, Default)]
struct Threads {
    /// By address, in an order that the threads' starts and ends alone make: profiles of one course of
    /// events are the same.
    live: IndexMap<usize, Arc<Shared>, FxBuildHasher>,
    ended: Costs,
}

impl Own {
    /// Of a thread with this serial (0 without `thread=y`) and the kernel's number.
    pub(crate) fn new(times: &Times, serial: u32, tid: i32) -> Box<Self> {
        let shared = Arc::new(Shared {
            serial,
            tid,
            stacks: Stacks::default(),
            top: AtomicU32::new(BOTTOM),
            since: AtomicU64::new(0),
        });
        Box::new(Self {
            watch: times.watch,
            reading: times.reading,
            depth: times.depth,
            epoch: EPOCH.load(Ordering::Acquire),
            stack: Vec::with_capacity(64),
            nodes: Nodes::new(&shared.stacks),
            ways: FxHashMap::default(),
            by_methods: FxHashMap::default(),
            shared,
        })
    }

    /// The time since the last event is the top method's. Until [`Self::run_from`] nobody else may
    /// say what runs: the same ticks would be in both.
    #[inline]
    fn bill(&self) -> u64 {
        let now = self.watch.read();
        // Relaxed: what the thread itself has written; the fence, and the release in `run_from`, are
        // for those who look at it.
        let top = self.shared.top.load(Ordering::Relaxed);
        self.shared.top.store(BUSY, Ordering::Relaxed);
        // Who sees what is billed sees that, too.
        fence(Ordering::Release);
        if top != BOTTOM
            && let Some(node) = self.nodes.get(top)
        {
            let since = self.shared.since.load(Ordering::Relaxed);
            node.cost(now.saturating_sub(since));
        }
        now
    }

    #[inline]
    fn run_from(&self, top: u32, now: u64) {
        let since = now.saturating_add(self.reading);
        self.shared.since.store(since, Ordering::Release);
        self.shared.top.store(top, Ordering::Release);
    }

    /// False if the way is not known yet; then nothing has happened.
    #[inline]
    pub(crate) fn enter(&mut self, method: usize) -> bool {
        // Relaxed: the host lets classes go, with which an epoch ends, before another method can be
        // called that has the number of one of theirs.
        if self.epoch != EPOCH.load(Ordering::Relaxed) {
            return false;
        }
        let from = self.shared.top.load(Ordering::Relaxed);
        let Some(caller) = self.nodes.get(from) else {
            return false;
        };
        let node = match caller.lately(method) {
            Some(node) => node,
            None => {
                let Some(&node) = self.ways.get(&(from, method)) else {
                    return false;
                };
                caller.leads(method, node);
                node
            }
        };
        let now = self.bill();
        self.push(method, node, now);
        true
    }

    #[inline]
    fn push(&mut self, method: usize, node: u32, now: u64) {
        if let Some(node) = self.nodes.get(node) {
            node.called();
        }
        self.stack.push(Running { method, node });
        self.run_from(node, now);
    }

    /// The first call of a method from here, which has this index.
    #[cold]
    pub(crate) fn enter_new(&mut self, method: usize, index: u32, epoch: u32) {
        let from = self.shared.top.load(Ordering::Relaxed);
        self.bill();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.ways.clear();
            self.nodes.forget_calls();
        }
        let caller = self.shared.stacks.methods(from).unwrap_or_default();
        let methods: Arc<[u32]> = std::iter::once(&index)
            .chain(&*caller)
            .take(self.depth)
            .copied()
            .collect();
        let node = match self.by_methods.get(&methods) {
            Some(&node) => node,
            None => {
                let node = self.nodes.add(&self.shared.stacks, Arc::clone(&methods));
                self.by_methods.insert(methods, node);
                node
            }
        };
        self.ways.insert((from, method), node);
        self.push(method, node, self.watch.read());
    }

    /// Its calls end, too, if their ends were lost.
    #[inline]
    pub(crate) fn leave(&mut self, method: usize) {
        if self.stack.last().is_none_or(|top| top.method != method) {
            // Ends that were lost, or a method that began before anybody listened.
            let Some(depth) = self
                .stack
                .iter()
                .rposition(|running| running.method == method)
            else {
                return;
            };
            let now = self.bill();
            self.stack.truncate(depth);
            self.run_from(self.stack.last().map_or(BOTTOM, |top| top.node), now);
            return;
        }
        let now = self.bill();
        self.stack.pop();
        self.run_from(self.stack.last().map_or(BOTTOM, |top| top.node), now);
    }
}

fn merge(into: &mut Costs, costs: &Costs) {
    for (&trace, &(count, ticks)) in costs {
        let total = into.entry(trace).or_default();
        total.0 += count;
        total.1 += ticks;
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "52 bits are enough, and nothing is negative"
)]
fn in_nanos(costs: &mut Costs, unit: f64) {
    for (_, ticks) in costs.values_mut() {
        *ticks = (*ticks as f64 * unit).round() as u64;
    }
}

fn trace(methods: &[u32], thread: u32, traces: &mut Traces) -> u32 {
    let frames: Vec<_> = methods.iter().map(|&method| (method, -1)).collect();
    traces.intern(thread, &frames)
}

/// The methods that run, callee first, and ticks.
type Runs = (Arc<[u32]>, u64);

/// Adds what a thread has counted as traces.
fn gather(thread: u32, stacks: Vec<Cost>, traces: &mut Traces, costs: &mut Costs) {
    for (methods, count, ticks) in stacks {
        let total = costs.entry(trace(&methods, thread, traces)).or_default();
        total.0 += count;
        total.1 += ticks;
    }
}

impl Times {
    pub(crate) fn new(options: &Options) -> Self {
        let measures = matches!(options.cpu, Some(CpuMode::Times | CpuMode::Old));
        let watch = if measures {
            Watch::new(options.clock)
        } else {
            Watch::Machine
        };
        Self {
            watch,
            reading: if measures { watch.cost() } else { 0 },
            depth: usize::try_from(options.depth).unwrap_or(usize::MAX),
            threads: Mutex::default(),
        }
    }

    /// A thread counts from now on.
    pub(crate) fn began(&self, own: &Own) {
        let key = Arc::as_ptr(&own.shared).addr();
        let mut threads = self.threads.lock();
        threads.live.insert(key, Arc::clone(&own.shared));
    }

    /// And no more.
    pub(crate) fn ended(&self, own: &Own, traces: &Mutex<Traces>) {
        let now = own.bill();
        own.run_from(BOTTOM, now);
        let mut costs = Costs::default();
        let stacks = own.shared.stacks.costs();
        gather(own.shared.serial, stacks, &mut traces.lock(), &mut costs);
        self.settle(&own.shared, &costs);
    }

    /// A thread has cost so much, and will cost no more.
    fn settle(&self, shared: &Arc<Shared>, costs: &Costs) {
        let mut threads = self.threads.lock();
        threads.live.swap_remove(&Arc::as_ptr(shared).addr());
        merge(&mut threads.ended, costs);
    }

    /// What a thread has counted, and the methods that run with the ticks that nobody has billed yet,
    /// if it stood still so long.
    fn look_at(&self, shared: &Shared) -> (Vec<Cost>, Option<Runs>) {
        const LOOKS: u32 = 3;
        let running = || {
            let top = shared.top.load(Ordering::Acquire);
            (top, shared.since.load(Ordering::Acquire))
        };
        let mut stacks = Vec::new();
        for _ in 0..LOOKS {
            let (top, since) = running();
            // What a virtual thread that runs on has used since its last event nobody can tell.
            let now = match (shared.tid, self.watch) {
                (NO_TID, Watch::Thread | Watch::Host) => since,
                (tid, watch) => watch.read_for(tid),
            };
            stacks = shared.stacks.costs();
            fence(Ordering::Acquire);
            if top != BUSY && running() == (top, since) {
                let methods = shared.stacks.methods(top);
                let ticks = now.saturating_sub(since);
                return (stacks, methods.map(|methods| (methods, ticks)));
            }
        }
        (stacks, None)
    }

    /// What everything has cost up to now, in calls and nanoseconds, methods that still
    /// run included.
    pub(crate) fn costs(&self, traces: &Mutex<Traces>) -> Costs {
        let Threads {
            live,
            ended: mut costs,
        } = self.threads.lock().clone();
        for shared in live.values() {
            let (stacks, running) = self.look_at(shared);
            let mut traces = traces.lock();
            gather(shared.serial, stacks, &mut traces, &mut costs);
            if let Some((methods, ticks)) = running {
                let trace = trace(&methods, shared.serial, &mut traces);
                costs.entry(trace).or_default().1 += ticks;
            }
        }
        in_nanos(&mut costs, self.watch.unit());
        costs
    }
}
