//! `monitor=y`: time parked, which is how threads wait for what `java.util.concurrent` has, and where
//! they idle. JVMPI has no event of it; xrun's host tells.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::profile::{ClassRef, Park};

/// How often, and nanoseconds.
type Cost = (u64, u64);

/// How often and how long somebody was parked, by the blocker's class and trace.
#[derive(Debug, Default)]
pub(crate) struct Parks {
    /// The host tells.
    told: AtomicBool,
    costs: Mutex<FxHashMap<(Option<ClassRef>, u32), Cost>>,
}

impl Parks {
    /// Whether the host tells is known now, and given back.
    pub(crate) fn begin(&self, told: bool) -> bool {
        self.told.store(told, Ordering::Relaxed);
        told
    }

    /// A thread goes on that was parked for so long.
    pub(crate) fn parked(&self, blocker: Option<ClassRef>, trace: u32, nanos: u64) {
        let mut costs = self.costs.lock();
        let cost = costs.entry((blocker, trace)).or_default();
        cost.0 += 1;
        cost.1 += nanos;
    }

    /// All that was told; `None` if the host does not tell.
    pub(crate) fn all(&self) -> Option<Vec<Park>> {
        let costs = || {
            let costs = self.costs.lock();
            let all = costs.iter();
            all.map(|(&(blocker, trace), &(count, nanos))| Park {
                blocker,
                trace,
                count,
                nanos,
            })
            .collect()
        };
        self.told.load(Ordering::Relaxed).then(costs)
    }
}
