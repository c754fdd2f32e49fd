//! Monitors that somebody else keeps as long as nobody waits for them: here they are nobody's then.

use crate::monitor_id::MonitorId;
use crate::monitors::{Monitors, is};

impl Monitors {
    /// The monitor may have an owner elsewhere, whom `take` finds there, and how often that has entered: here it is
    /// the owner from now on. Nobody gets the monitor meanwhile; `take` runs with its lock held.
    pub fn adopt(&self, id: MonitorId, take: impl FnOnce() -> Option<(u64, u32)>) {
        let Some(slot) = self.live(id) else {
            return;
        };
        let mut state = slot.state.lock();
        if let Some((owner, depth)) = take()
            && is(&state, id)
        {
            state.owner = owner;
            state.depth = depth;
        }
    }

    /// Does this if nobody owns the monitor and nobody waits for it; nobody does meanwhile, since its lock is held.
    pub fn if_idle(&self, id: MonitorId, give: impl FnOnce()) {
        let Some(slot) = self.live(id) else {
            return;
        };
        let state = slot.state.lock();
        if is(&state, id) && state.owner == 0 && !state.is_wanted() && state.waiting.is_empty() {
            give();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::monitor_id::{Enter, Exit, MonitorId};
    use crate::monitors::Monitors;

    const ME: u64 = 1;
    const YOU: u64 = 2;

    fn is_idle(monitors: &Monitors, id: MonitorId) -> bool {
        let idle = Cell::new(false);
        monitors.if_idle(id, || idle.set(true));
        idle.get()
    }

    #[test]
    fn the_owner_from_elsewhere_leaves_as_often_as_it_has_entered() {
        let monitors = Monitors::new();
        let id = monitors.create(c"lock").expect("room");
        assert!(is_idle(&monitors, id));
        monitors.adopt(id, || None);
        monitors.adopt(id, || Some((ME, 2)));
        assert!(!is_idle(&monitors, id));
        assert!(matches!(monitors.try_enter(id, YOU), Enter::Contended(_)));
        assert_eq!(monitors.exit(id, YOU), Exit::NotOwner);
        assert_eq!(monitors.exit(id, ME), Exit::Done);
        assert!(matches!(monitors.exit(id, ME), Exit::Contended(_)));
        assert!(!is_idle(&monitors, id), "somebody waits");
        assert!(monitors.enter_contended(id, YOU));
        assert_eq!(monitors.exit(id, YOU), Exit::Done);
        assert!(is_idle(&monitors, id));
    }

    #[test]
    fn what_has_ended_is_adopted_by_nobody() {
        let monitors = Monitors::new();
        let id = monitors.create(c"lock").expect("room");
        monitors.destroy(id, ME).expect("it lives");
        monitors.adopt(id, || Some((ME, 1)));
        assert!(!is_idle(&monitors, id));
        assert!(monitors.snapshot().is_empty());
    }
}
