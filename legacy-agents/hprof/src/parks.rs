//! `monitor=y`: time parked, which is how threads wait for what `java.util.concurrent` has, and where
//! they idle. JVMPI has no event of it; xrun's host tells.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::profile::{ClassRef, Park};

/// How often, and nanoseconds.
type Cost = (u64, u64);

/// By the blocker's class and trace.
type Costs = FxHashMap<(Option<ClassRef>, u32), Cost>;

/// How often and how long somebody was parked, by the blocker's class and trace.
#[derive(Debug, Default)]
pub(crate) struct Parks {
    /// The host tells.
    told: AtomicBool,
    costs: Mutex<Costs>,
}

thread_local! {
    /// Whom the host lists as parked to the calling thread.
    static LISTED: RefCell<Costs> = RefCell::default();
}

/// The host lists a thread that has been parked for so long, and is.
pub(crate) fn is_parked(blocker: Option<ClassRef>, trace: u32, nanos: u64) {
    LISTED.with_borrow_mut(|listed| add(listed, blocker, trace, nanos));
}

fn add(costs: &mut Costs, blocker: Option<ClassRef>, trace: u32, nanos: u64) {
    let cost = costs.entry((blocker, trace)).or_default();
    cost.0 += 1;
    cost.1 += nanos;
}

fn parks(costs: &Costs, still: bool) -> impl Iterator<Item = Park> {
    costs
        .iter()
        .map(move |(&(blocker, trace), &(count, nanos))| Park {
            blocker,
            trace,
            count,
            nanos,
            still,
        })
}

impl Parks {
    /// Whether the host tells is known now, and given back.
    pub(crate) fn begin(&self, told: bool) -> bool {
        // Relaxed: whether, and once; what was told lies under the lock.
        self.told.store(told, Ordering::Relaxed);
        told
    }

    /// A thread goes on that was parked for so long.
    pub(crate) fn parked(&self, blocker: Option<ClassRef>, trace: u32, nanos: u64) {
        add(&mut self.costs.lock(), blocker, trace, nanos);
    }

    /// All that was told, and who is parked now, as `list` has the host list them to [`is_parked`]
    /// on this thread; `None` if the host does not tell.
    pub(crate) fn all(&self, list: impl FnOnce()) -> Option<Vec<Park>> {
        if !self.told.load(Ordering::Relaxed) {
            return None;
        }
        // First: who goes on meanwhile is missing among these, and not in both.
        let told: Vec<_> = parks(&self.costs.lock(), false).collect();
        LISTED.take();
        list();
        let mut all: Vec<_> = parks(&LISTED.take(), true).collect();
        all.extend(told);
        Some(all)
    }
}
