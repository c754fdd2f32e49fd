//! Which method events flow: one word, since their fast path has to look at it at each call.

use std::sync::atomic::{AtomicU32, Ordering};

use event_translate::table::EventKind;
use parking_lot::Mutex;
use shim_options::LogLevel;

use crate::base::log;
use crate::base::{config, observer};
use crate::model::wanted;

pub(crate) const ENTRY: u32 = 1;
pub(crate) const ENTRY2: u32 = 2;
pub(crate) const EXIT: u32 = 4;
/// Each event is a line in the log: no fast path.
pub(crate) const TRACED: u32 = 8;
/// Somebody looks at what passes between the agent and us.
pub(crate) const OBSERVED: u32 = 16;
/// Some events are looked at for what they cost.
pub(crate) const METERED: u32 = 32;

/// The bits from this one on count how often METHOD_EXIT was enabled: a shadow of an earlier time
/// says nothing.
pub(crate) const EPOCH: u32 = 64;

/// Not 0: there may be code that tells of beginnings and not of ends, and METHOD_EXIT waits until there is none: else methods
/// would be noted on shadows whose ends nobody sees. Goes up each time.
static WITHOUT_EXITS: AtomicU32 = AtomicU32::new(0);

/// From now on code may get hooks for beginnings alone.
pub(crate) fn begin_without_exits() {
    WITHOUT_EXITS.fetch_add(1, Ordering::AcqRel);
}

/// To be read before all code is given exits, for [`end_without_exits`].
pub(crate) fn without_exits() -> u32 {
    WITHOUT_EXITS.load(Ordering::Acquire)
}

/// All code has exits, but what has come without them since this was [`without_exits`].
pub(crate) fn end_without_exits(then: u32) {
    // Relaxed: if it has changed, it stays.
    let _ = WITHOUT_EXITS.compare_exchange(then, 0, Ordering::AcqRel, Ordering::Relaxed);
}

/// Which events flow; nothing before JVM_INIT_DONE.
pub(crate) static ACTIVE: AtomicU32 = AtomicU32::new(0);

/// Brings that in line with what the agent wants: now, not when the caller looked. A set of
/// before would switch off what another thread has enabled meanwhile. The gate is to be told
/// afterwards (`renew_fast_path`).
pub(crate) fn apply() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let wanted = wanted::wanted();
    let bits = [
        (EventKind::MethodEntry, ENTRY),
        (EventKind::MethodEntry2, ENTRY2),
        (EventKind::MethodExit, EXIT),
    ];
    let bits = bits
        .iter()
        .filter(|(kind, _)| wanted.contains(*kind))
        .fold(0, |all, (_, bit)| all | bit);
    let bits = if without_exits() == 0 {
        bits
    } else {
        bits & !EXIT
    };
    let traced = if log::wants(LogLevel::Trace) {
        TRACED
    } else {
        0
    };
    let observed = if observer::is_on() { OBSERVED } else { 0 };
    let metered = match config::options().method_budget {
        Some(_) => METERED,
        None => 0,
    };
    let bits = bits | traced | observed | metered;
    let change = |active: u32| {
        let epoch = active & !(EPOCH - 1);
        let begins = bits & EXIT != 0 && active & EXIT == 0;
        Some(
            bits | if begins {
                epoch.wrapping_add(EPOCH)
            } else {
                epoch
            },
        )
    };
    // Relaxed: a word that was read in vain is read again.
    let _ = ACTIVE.fetch_update(Ordering::AcqRel, Ordering::Relaxed, change);
}
