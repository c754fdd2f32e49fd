//! Threads that never leave again what they own, since they end the process; and who may have it.

use once_cell::sync::OnceCell;

use crate::monitor_id::MonitorId;
use crate::monitors::Monitors;

impl Monitors {
    /// This thread never comes back: heirs that wait for what it owns get it.
    pub fn never_leaves(&self, me: u64) {
        self.gone.lock().push(me);
        for slot in self.chunks.iter().filter_map(OnceCell::get).flatten() {
            let state = slot.state.lock();
            if state.owner == me {
                // Each looks again, the heir among them.
                slot.released.notify_all();
            }
        }
    }

    /// [`Monitors::enter_contended`] of an heir: enters it also if its owner never leaves it.
    pub fn enter_as_heir(&self, id: MonitorId, me: u64) -> bool {
        self.enter_when_free(id, me, |owner| self.gone.lock().contains(&owner))
    }
}

#[cfg(test)]
mod tests;
