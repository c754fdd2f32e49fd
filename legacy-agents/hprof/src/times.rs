//! `cpu=times` and `cpu=old`: what every call costs.
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

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use indexmap::IndexMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::agent::{self, Agent, lock};
use crate::away::{Away, OfThread};
use crate::classes::EPOCH;
use crate::ffi::clock::{self, Watch};

/// A stack that the thread has been in.
#[derive(Debug)]
struct Node {
    /// Indices of methods, callee first.
    methods: Box<[u32]>,
    count: AtomicU64,
    /// Of the watch.
    ticks: AtomicU64,
}

/// Only the owner writes.
#[inline]
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(
        counter.load(Ordering::Relaxed).wrapping_add(amount),
        Ordering::Relaxed,
    );
}

/// What a dump may read of a thread.
#[derive(Debug)]
struct Shared {
    serial: u32,
    tid: i32,
    nodes: Mutex<Vec<Arc<Node>>>,
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

/// The stack of no method.
const BOTTOM: u32 = 0;

#[derive(Debug)]
struct Own {
    env: usize,
    watch: Watch,
    /// What a reading of it takes.
    reading: u64,
    depth: usize,
    epoch: u32,
    stack: Vec<Running>,
    nodes: Vec<Arc<Node>>,
    /// The last call from each node, and all.
    lately: Vec<Running>,
    ways: FxHashMap<(u32, usize), u32>,
    by_methods: FxHashMap<Box<[u32]>, u32>,
    shared: Arc<Shared>,
}

thread_local! {
    static OWN: RefCell<Option<Box<Own>>> = const { RefCell::new(None) };
}

/// Calls and ticks of the watch by trace.
pub(crate) type Costs = FxHashMap<u32, (u64, u64)>;

impl OfThread for Own {
    fn env(&self) -> usize {
        self.env
    }
}

static AWAY: Away<Own> = Away::new();

/// In place of the kernel's number, of a virtual thread.
const NO_TID: i32 = 0;

/// What all threads have in common.
#[derive(Debug, Default)]
pub(crate) struct Times(Mutex<Threads>);

/// Under one lock, so that a dump finds a thread in one of the two.
#[derive(Clone, Debug, Default)]
struct Threads {
    /// By address, in the order in which they began: profiles of one course of events are the same.
    live: IndexMap<usize, Arc<Shared>, FxBuildHasher>,
    ended: Costs,
}

impl Own {
    fn new(agent: &'static Agent, env: usize) -> Box<Self> {
        let is_virtual = lock(&agent.threads).is_virtual(env);
        let shared = Arc::new(Shared {
            serial: if agent.options.thread {
                agent::named_serial(agent, env)
            } else {
                0
            },
            tid: if is_virtual { NO_TID } else { clock::own_tid() },
            nodes: Mutex::default(),
            top: AtomicU32::new(BOTTOM),
            since: AtomicU64::new(0),
        });
        let key = Arc::as_ptr(&shared).addr();
        lock(&agent.times.0).live.insert(key, Arc::clone(&shared));
        let mut own = Box::new(Self {
            env,
            watch: agent.watch,
            reading: agent.reading,
            depth: usize::try_from(agent.options.depth).unwrap_or(usize::MAX),
            epoch: EPOCH.load(Ordering::Acquire),
            stack: Vec::with_capacity(64),
            nodes: Vec::new(),
            lately: Vec::new(),
            ways: FxHashMap::default(),
            by_methods: FxHashMap::default(),
            shared,
        });
        // BOTTOM, which is not shared: nothing is its.
        own.nodes.push(Arc::new(Node {
            methods: Box::default(),
            count: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
        }));
        own.lately.push(Running { method: 0, node: 0 });
        own
    }

    #[inline]
    fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize).map(|node| &**node)
    }

    /// The time since the last event is the top method's.
    #[inline]
    fn bill(&self) -> u64 {
        let now = self.watch.read();
        let top = self.shared.top.load(Ordering::Relaxed);
        if top != BOTTOM
            && let Some(node) = self.node(top)
        {
            let since = self.shared.since.load(Ordering::Relaxed);
            add(&node.ticks, now.saturating_sub(since));
        }
        now
    }

    #[inline]
    fn run_from(&self, top: u32, now: u64) {
        self.shared.top.store(top, Ordering::Relaxed);
        let since = now.saturating_add(self.reading);
        self.shared.since.store(since, Ordering::Relaxed);
    }

    /// False if the way is not known yet; then nothing has happened.
    #[inline]
    fn enter(&mut self, method: usize) -> bool {
        if self.epoch != EPOCH.load(Ordering::Relaxed) {
            return false;
        }
        let from = self.shared.top.load(Ordering::Relaxed);
        let Some(lately) = self.lately.get_mut(from as usize) else {
            return false;
        };
        if lately.method != method {
            let Some(&node) = self.ways.get(&(from, method)) else {
                return false;
            };
            *lately = Running { method, node };
        }
        let node = lately.node;
        let now = self.bill();
        self.push(method, node, now);
        true
    }

    #[inline]
    fn push(&mut self, method: usize, node: u32, now: u64) {
        if let Some(node) = self.node(node) {
            add(&node.count, 1);
        }
        self.stack.push(Running { method, node });
        self.run_from(node, now);
    }

    /// The first call of a method from here, which has this index.
    #[cold]
    fn enter_new(&mut self, method: usize, index: u32, epoch: u32) {
        self.bill();
        if self.epoch != epoch {
            self.epoch = epoch;
            self.ways.clear();
            self.lately.fill(Running { method: 0, node: 0 });
        }
        let from = self.shared.top.load(Ordering::Relaxed);
        let caller = self.node(from).map_or(&[][..], |node| &node.methods);
        let methods: Box<[u32]> = [index]
            .iter()
            .chain(caller)
            .take(self.depth)
            .copied()
            .collect();
        let node = match self.by_methods.get(&methods) {
            Some(&node) => node,
            None => {
                let number = u32::try_from(self.nodes.len()).unwrap_or(BOTTOM);
                let node = Arc::new(Node {
                    methods: methods.clone(),
                    count: AtomicU64::new(0),
                    ticks: AtomicU64::new(0),
                });
                lock(&self.shared.nodes).push(Arc::clone(&node));
                self.nodes.push(node);
                self.lately.push(Running { method: 0, node: 0 });
                self.by_methods.insert(methods, number);
                number
            }
        };
        self.ways.insert((from, method), node);
        self.push(method, node, self.watch.read());
    }

    #[inline]
    fn leave(&mut self, method: usize) {
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

/// Does something with the calling thread's own; `None` if it has none, for this JNIEnv.
#[inline]
fn with_own<O>(env: usize, body: impl FnOnce(&mut Own) -> O) -> Option<O> {
    let done = OWN.try_with(|own| {
        let mut own = own.try_borrow_mut().ok()?;
        let own = own.as_deref_mut().filter(|own| own.env == env)?;
        Some(body(own))
    });
    done.ok().flatten()
}

/// METHOD_ENTRY.
#[inline]
pub(crate) fn entered(agent: &'static Agent, env: usize, method: usize) {
    if with_own(env, |own| own.enter(method)) != Some(true) {
        entered_new(agent, env, method);
    }
}

#[cold]
fn entered_new(agent: &'static Agent, env: usize, method: usize) {
    if comes(env) && with_own(env, |own| own.enter(method)) == Some(true) {
        return;
    }
    let epoch = EPOCH.load(Ordering::Acquire);
    // Nothing of ours is borrowed here: the host may send us a CLASS_LOAD.
    let index = agent::method_index(agent, method);
    if with_own(env, |own| own.enter_new(method, index, epoch)).is_none() {
        let mut fresh = Own::new(agent, env);
        fresh.enter_new(method, index, epoch);
        let _ = OWN.try_with(|own| own.try_borrow_mut().map(|mut own| *own = Some(fresh)));
    }
}

/// METHOD_EXIT.
#[inline]
pub(crate) fn left(env: usize, method: usize) {
    if with_own(env, |own| own.leave(method)).is_none() && comes(env) {
        with_own(env, |own| own.leave(method));
    }
}

/// The thread of this env goes on with what it has; false if that is nothing.
#[cold]
fn comes(env: usize) -> bool {
    let comes = |own: &RefCell<Option<Box<Own>>>| {
        let mut own = own.try_borrow_mut().ok()?;
        Some(AWAY.comes(&mut own, env))
    };
    OWN.try_with(comes).ok().flatten() == Some(true)
}

/// THREAD_END: what the thread counted stays.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    let own = OWN.try_with(|own| AWAY.ends(&mut *own.try_borrow_mut().ok()?, env));
    let Some(own) = own.ok().flatten() else {
        return;
    };
    let now = own.bill();
    own.run_from(BOTTOM, now);
    let mut costs = Costs::default();
    gather(agent, &own.shared, &mut costs);
    agent.times.ended(&own.shared, &costs);
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

/// Adds a thread's nodes as traces.
fn gather(agent: &Agent, shared: &Shared, costs: &mut Costs) {
    let thread = if agent.options.thread {
        shared.serial
    } else {
        0
    };
    let nodes = lock(&shared.nodes).clone();
    let mut traces = lock(&agent.traces);
    for node in nodes {
        let frames: Vec<_> = node.methods.iter().map(|&method| (method, -1)).collect();
        let total = costs.entry(traces.intern(thread, &frames)).or_default();
        total.0 += node.count.load(Ordering::Relaxed);
        total.1 += node.ticks.load(Ordering::Relaxed);
    }
}

impl Times {
    /// A thread has cost so much, and will cost no more.
    fn ended(&self, shared: &Arc<Shared>, costs: &Costs) {
        let mut threads = lock(&self.0);
        threads.live.swap_remove(&Arc::as_ptr(shared).addr());
        merge(&mut threads.ended, costs);
    }

    /// What everything has cost up to now, in calls and nanoseconds, methods that still
    /// run included.
    pub(crate) fn costs(&self, agent: &Agent) -> Costs {
        let Threads {
            live,
            ended: mut costs,
        } = lock(&self.0).clone();
        for shared in live.values() {
            let top = shared.top.load(Ordering::Relaxed);
            let since = shared.since.load(Ordering::Relaxed);
            // What a virtual thread that runs on has used since its last event nobody can tell.
            let now = match (shared.tid, agent.watch) {
                (NO_TID, Watch::Thread | Watch::Host) => since,
                (tid, watch) => watch.read_for(tid),
            };
            gather(agent, shared, &mut costs);
            let running = usize::try_from(top).ok().and_then(|top| top.checked_sub(1));
            let node = running.and_then(|index| lock(&shared.nodes).get(index).cloned());
            if let Some(node) = node {
                let thread = if agent.options.thread {
                    shared.serial
                } else {
                    0
                };
                let frames: Vec<_> = node.methods.iter().map(|&method| (method, -1)).collect();
                let trace = lock(&agent.traces).intern(thread, &frames);
                costs.entry(trace).or_default().1 += now.saturating_sub(since);
            }
        }
        in_nanos(&mut costs, agent.watch.unit());
        costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_finds_threads_that_are_just_ending_once() {
        const THREADS: u32 = 2000;
        let thread = |serial| {
            Arc::new(Shared {
                serial,
                tid: 0,
                nodes: Mutex::default(),
                top: AtomicU32::new(BOTTOM),
                since: AtomicU64::new(0),
            })
        };
        let all: Vec<_> = (0..THREADS).map(thread).collect();
        let times = Times::default();
        lock(&times.0).live = all
            .iter()
            .map(|one| (Arc::as_ptr(one).addr(), Arc::clone(one)))
            .collect();
        std::thread::scope(|scope| {
            let times = &times;
            let looks = scope.spawn(move || {
                let mut looks = Vec::new();
                while looks.last().is_none_or(|&(live, _)| live > 0) {
                    let threads = lock(&times.0).clone();
                    let ended = threads.ended.get(&1).map_or(0, |cost| cost.0);
                    looks.push((threads.live.len() as u64, ended));
                }
                looks
            });
            for shared in &all {
                times.ended(shared, &Costs::from_iter([(1, (1, 0))]));
            }
            for (live, ended) in looks.join().unwrap() {
                assert_eq!(live + ended, u64::from(THREADS));
            }
        });
    }
}
