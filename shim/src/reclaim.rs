//! What has died is given back also while no agent listens to collections.
//!
//! Agents that do have a worker, which sweeps up after each of them ([`crate::bracket`]). One of
//! methods, monitors or stacks alone has not asked for that; but a server that runs for months
//! gives it new threads, locks and classes all the time. So when the ids, or the natives with
//! thunks, have become some hundred more, the VM is asked to tell of deaths from then on, and
//! each time after that what it has told of is given back. A small program never gets there.
//!
//! # Threads
//! Any that gives an id: nothing is called here but the VM, and nobody waited for.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::jvmti::env::Jvmti;
use crate::jvmti::jni::Jni;
use crate::state::{self, IDS, Phase};
use crate::{bracket, classes, sources, threads, worker};

/// So many ids more: what is dead by then takes less than a megabyte.
const STEP: u32 = 512;

/// With so many ids it is time.
static LIMIT: AtomicU32 = AtomicU32::new(4 * STEP);

/// Gives back what has died, if the table of ids has grown.
pub(crate) fn if_grown(jvmti: Jvmti, jni: Jni) {
    let limit = LIMIT.load(Ordering::Relaxed);
    let extent = IDS.extent();
    if extent < limit || state::phase() != Phase::Live {
        return;
    }
    let next = extent.saturating_add(STEP);
    if LIMIT
        .compare_exchange(limit, next, Ordering::Relaxed, Ordering::Relaxed)
        .is_ok()
    {
        now(jvmti, jni);
    }
}

/// Gives back what the VM has told of so far; asks it to tell, the first time.
pub(crate) fn now(jvmti: Jvmti, jni: Jni) {
    if !sources::deaths_are_told() {
        classes::forget_unloaded(jni);
        sources::collect_deaths(jvmti, jni);
    } else if !worker::is_started()
        && let Some(own) = threads::own()
    {
        bracket::sweep_unheard(&own);
    }
}
