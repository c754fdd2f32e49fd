//! DisableGC and EnableGC: what holds brackets back, and what is told in them.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use protocols::holds::{Begun, Holds};

use crate::base::guards::Turn;
use crate::base::{log, patience};
use crate::delivery::{gate, worker};
use crate::events::gc::{claim, collections};

/// How often GC is disabled. The VM collects all the same: ids are tokens that no
/// collection moves, so there is nothing for it to spoil.
static DISABLED: AtomicU32 = AtomicU32::new(0);
/// Deaths and moves are being told.
static TELLING: AtomicBool = AtomicBool::new(false);

/// DisableGC: no bracket begins until EnableGC. One that has begun ends first, if its handlers return
/// in time; else no id dies or moves in it any more. One that is about to begin does: it might never
/// come between an agent's calls of this and of EnableGC.
pub(crate) fn disable() {
    patience::CLOSING_GATE.until(|| !gate::is_closing());
    const MOST: u32 = 1 << 30;
    let raise = |count: u32| (count < MOST).then_some(count + 1);
    // First: whoever lowers the count lets go of a hold that is there.
    HOLDS.hold();
    if DISABLED
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, raise)
        .is_err()
    {
        HOLDS.release();
    } else if is_in_my_bracket() {
        IN_BRACKET.fetch_add(1, Ordering::SeqCst);
    }
    wait_for_tellings("DisableGC");
    patience::OPEN_BRACKET.until(|| !HOLDS.has_begun() || claim::is_mine());
}

/// Waits while deaths are being told, unless it is this thread that tells them.
fn wait_for_tellings(call: &'static str) {
    let are_told = || !TELLING.load(Ordering::SeqCst) || claim::is_mine();
    if !patience::TELLING.until(are_told) {
        log::warn_once_for!(
            call,
            ": a handler of OBJECT_FREE or the like has not returned for 1 s; going on"
        );
    }
}

/// EnableGC; false if GC was not disabled.
pub(crate) fn enable() -> bool {
    let lower = |count: u32| count.checked_sub(1);
    let was = DISABLED
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, lower)
        .is_ok();
    if was {
        if is_in_my_bracket() {
            let _ = IN_BRACKET.fetch_update(Ordering::SeqCst, Ordering::SeqCst, lower);
        }
        HOLDS.release();
        // Samplers come here a hundred times a second.
        if !is_held() && collections::is_pending() {
            worker::wake();
        }
    }
    was
}

/// How often GC is disabled and dumps are being read, and the beginning of a bracket.
static HOLDS: Holds = Holds::new();

/// Whether an agent has disabled GC, or reads a dump.
pub(crate) fn is_held() -> bool {
    HOLDS.is_held()
}

/// While it lives no bracket begins, not even an empty one: an agent reads a dump.
pub(crate) struct Hold;

impl Hold {
    pub(crate) fn take() -> Self {
        HOLDS.hold();
        wait_for_tellings("RequestEvent");
        Self
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.release();
        worker::wake();
    }
}

/// How often the open bracket's own handlers have disabled GC, and not enabled it again.
static IN_BRACKET: AtomicU32 = AtomicU32::new(0);
/// In the last bracket whose GC_START has disabled GC its GC_FINISH has enabled it again: the agent has both calls around each
/// handler, say with a lock of its own, and would never hear of a death.
static IS_GIVEN_BACK: AtomicBool = AtomicBool::new(false);

fn is_in_my_bracket() -> bool {
    HOLDS.has_begun() && claim::is_mine()
}

/// The beginning of a bracket; `None` while a dump is being read.
pub(crate) fn begin_bracket() -> Option<Begun<'static>> {
    let begun = HOLDS.begin();
    if begun.is_some() {
        IN_BRACKET.store(0, Ordering::SeqCst);
    }
    begun
}

/// Deaths may be told while this lives, unless somebody holds them back: another than the bracket's own GC_START, if its
/// GC_FINISH is known to let go.
pub(crate) fn tell() -> (Option<Turn<'static>>, bool) {
    let telling = Turn::take(&TELLING);
    let own = match IS_GIVEN_BACK.load(Ordering::SeqCst) {
        true => IN_BRACKET.load(Ordering::SeqCst),
        false => 0,
    };
    (telling, HOLDS.count() > own)
}

/// GC_START has been sent: whether its handler has disabled GC.
pub(crate) fn is_disabled_by_start() -> bool {
    IN_BRACKET.load(Ordering::SeqCst) > 0
}

/// GC_FINISH has been sent, of a bracket whose GC_START has disabled GC.
pub(crate) fn end_bracket() {
    IS_GIVEN_BACK.store(!is_disabled_by_start(), Ordering::SeqCst);
}
