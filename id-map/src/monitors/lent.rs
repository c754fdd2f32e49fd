//! Monitors that somebody else keeps as long as nobody waits for them: here they are nobody's then.
//!
//! A call is a *use* from before it looks who owns the monitor there until it is done here. As long as there is one
//! the monitor does not go back: else somebody there could enter what the call is just about to enter, or to end.

use crate::monitor_id::MonitorId;
use crate::monitors::{Monitors, State, is};

impl Monitors {
    /// The monitor may have an owner elsewhere, whom `take` finds there, and how often that has entered: here it is
    /// the owner from now on. Nobody gets the monitor meanwhile; `take` runs with its lock held, and only if there is
    /// such a monitor: another life's owner is left alone.
    pub fn adopt(&self, id: MonitorId, take: impl FnOnce() -> Option<(u64, u32)>) {
        self.take_over(id, 0, take);
    }

    /// The same for a call, which is a use from now on, until [`Monitors::end_use`]. False if there is no such
    /// monitor: then there is nothing to end.
    #[must_use]
    pub fn begin_use(&self, id: MonitorId, take: impl FnOnce() -> Option<(u64, u32)>) -> bool {
        self.take_over(id, 1, take)
    }

    fn take_over(
        &self,
        id: MonitorId,
        uses: u32,
        take: impl FnOnce() -> Option<(u64, u32)>,
    ) -> bool {
        let Some(slot) = self.live(id) else {
            return false;
        };
        let mut state = slot.state.lock();
        if !is(&state, id) {
            return false;
        }
        state.uses += uses;
        // Number 0 is nobody.
        if let Some((owner, depth)) = take()
            && owner != 0
        {
            state.owner = owner;
            state.depth = depth;
        }
        true
    }

    /// A call is done. The last one does this if nobody owns the monitor and nobody waits for it.
    pub fn end_use(&self, id: MonitorId, give: impl FnOnce()) {
        let Some(slot) = self.live(id) else {
            return;
        };
        let mut state = slot.state.lock();
        // With the monitor its uses have ended.
        if !is(&state, id) {
            return;
        }
        state.uses = state.uses.saturating_sub(1);
        if state.is_idle() {
            give();
        }
    }

    /// Does this if nobody owns the monitor, nobody waits for it and no call is under way; nobody begins one
    /// meanwhile, since its lock is held.
    pub fn if_idle(&self, id: MonitorId, give: impl FnOnce()) {
        let Some(slot) = self.live(id) else {
            return;
        };
        let state = slot.state.lock();
        if is(&state, id) && state.is_idle() {
            give();
        }
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.owner == 0 && self.uses == 0 && !self.is_wanted() && self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests;
