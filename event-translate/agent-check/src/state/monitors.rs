//! Raw monitors: who is inside, in which order, and who has forgotten to leave.

use super::{Call, Monitor, State, quoted};
use crate::locks::COLLECTOR;
use crate::mode::Own;
use crate::rules::Rule;
use event_translate::table::EventKind;

impl State {
    /// " of _lock", for the log.
    pub(super) fn name_of(&self, call: &Call<'_>) -> String {
        let monitor = call.subject().and_then(|id| self.monitors.get(&id));
        monitor.map_or_else(String::new, |monitor| {
            format!(" of {}", quoted(&monitor.name))
        })
    }

    pub(super) fn before_enter(&mut self, own: &Own, call: &Call<'_>) {
        let Some(id) = call.subject().filter(|id| self.monitors.contains_key(id)) else {
            return;
        };
        if own.held.contains(&id) {
            return;
        }
        let mut outer = own.held.clone();
        if own.handles(EventKind::GcStart) {
            outer.push(COLLECTOR);
        }
        self.lock(&outer, id, call);
    }

    pub(super) fn lock(&mut self, held: &[u64], lock: u64, call: &Call<'_>) {
        if let Some(outer) = self.order.enter(held, lock) {
            let name = |lock| match self.monitors.get(&lock) {
                Some(monitor) => quoted(&monitor.name),
                None => "the collector".to_owned(),
            };
            let text = format!(
                "{} inside {} here, elsewhere the other way round",
                name(lock),
                name(outer)
            );
            self.findings.note(Rule::LockOrder, call.caller, || text);
        }
    }

    pub(super) fn must_own(&mut self, own: &Own, call: &Call<'_>) -> bool {
        let Some(monitor) = call.subject().and_then(|id| self.monitors.get(&id)) else {
            return false;
        };
        let owned = monitor.owner == Some(own.thread);
        if !owned {
            let name = quoted(&monitor.name);
            self.findings.note(Rule::MonitorNotOwned, call.caller, || {
                format!("{} of {name} by a thread that is not inside", call.words())
            });
        }
        owned
    }

    /// While it waits, a thread is outside.
    pub(super) fn before_wait(&mut self, own: &Own, call: &Call<'_>) {
        if self.must_own(own, call)
            && let Some(monitor) = self.monitor_of(call)
        {
            monitor.owner = None;
            monitor.waiters += 1;
        }
    }

    pub(super) fn after_wait(&mut self, own: &Own, call: &Call<'_>) {
        if let Some(monitor) = self.monitor_of(call) {
            monitor.owner = Some(own.thread);
            monitor.waiters = monitor.waiters.saturating_sub(1);
        }
    }

    fn monitor_of(&mut self, call: &Call<'_>) -> Option<&mut Monitor> {
        self.monitors.get_mut(&call.subject()?)
    }

    pub(super) fn set_owner(&mut self, call: &Call<'_>, owner: Option<u64>) {
        if let Some(monitor) = self.monitor_of(call) {
            monitor.owner = owner;
        }
    }

    pub(super) fn exit(&mut self, own: &mut Own, call: &Call<'_>) {
        if !self.must_own(own, call) {
            return;
        }
        let Some(id) = call.subject() else { return };
        if let Some(last) = own.held.iter().rposition(|&held| held == id) {
            own.held.remove(last);
        }
        if !own.held.contains(&id) {
            self.set_owner(call, None);
        }
    }

    pub(super) fn destroy(&mut self, call: &Call<'_>) {
        let Some(monitor) = call.subject().and_then(|id| self.monitors.remove(&id)) else {
            return;
        };
        if let Some(id) = call.subject() {
            self.order.forget(id);
        }
        let how = match monitor {
            Monitor { owner: Some(_), .. } => "is inside",
            Monitor { waiters: 1.., .. } => "waits on it",
            Monitor { .. } => return,
        };
        let name = quoted(&monitor.name);
        self.findings.note(Rule::MonitorInUse, call.caller, || {
            format!("RawMonitorDestroy of {name} while a thread {how}")
        });
    }

    /// A handler has returned inside these monitors, or a thread has ended there.
    pub fn kept(&mut self, caller: usize, held: &[u64], whose: &str) {
        for id in held {
            // One that was destroyed cannot be left any more.
            let Some(monitor) = self.monitors.get(id) else {
                continue;
            };
            let name = quoted(&monitor.name);
            self.findings.note(Rule::MonitorKept, caller, || {
                format!("{name} is still entered when {whose}")
            });
        }
    }
}
