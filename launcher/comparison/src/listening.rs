//! Which events a port listens to, and when it has stopped to.

use std::collections::{BTreeSet, HashMap};

use recording_format::Value;
use recording_format::jvmti::EventKind;

use crate::known::{id, int};
use crate::place::Place;
use crate::side::Setup;

/// Each environment's modes of each event: that of all threads, which is that of the thread 0, and those of single ones.
/// JVMTI has the two beside each other, and tells of what either of them lets through.
#[derive(Debug, Default)]
pub(crate) struct Listening(HashMap<EventKind, BTreeSet<(u32, u64)>>);

/// NULL.
const ALL: u64 = 0;
/// JVMTI_ENABLE.
const ENABLE: i64 = 1;

/// The event of a number of the VM's; an extension's are indices of its own, of which none is as large as ours are.
pub(crate) fn event(number: i64) -> Option<EventKind> {
    EventKind::from_number(u8::try_from(number).ok()?)
}

impl Listening {
    /// SetEventNotificationMode, in VMInit perhaps, and what the VM has answered.
    pub(crate) fn sets(
        &mut self,
        setup: &mut Setup,
        (environment, place, is_start): (u32, Place, bool),
        arguments: &[Value<'_>],
        code: i64,
    ) {
        let is_on = int(arguments, 0) == ENABLE;
        let Some(event) = event(int(arguments, 1)) else {
            if is_on && code == 0 {
                setup.extensions.insert(int(arguments, 1));
            }
            return;
        };
        let thread = id(arguments, 2);
        if !is_on {
            if code == 0 {
                self.disables(setup, event, (environment, thread), place);
            }
            return;
        }
        if code != 0 {
            setup.jvmti.refused.insert(event, code);
            return;
        }
        let is_new = setup.jvmti.begins(event);
        if is_new && place.is_live && !is_start {
            setup.late.insert(event);
        }
        let modes = self.0.entry(event).or_default();
        modes.insert((environment, thread));
        if thread == ALL {
            setup.for_all.insert(event);
            return;
        }
        setup.for_some.insert(event);
        if !modes.iter().any(|&(_, thread)| thread == ALL) {
            // It was for all before: now it chooses.
            setup.for_all.remove(&event);
        }
    }

    /// A thread that a port does not care for any more is no event that it has stopped to listen to.
    fn disables(&mut self, setup: &mut Setup, event: EventKind, mode: (u32, u64), place: Place) {
        let Some(modes) = self.0.get_mut(&event) else {
            return;
        };
        if !modes.remove(&mode) || !modes.is_empty() {
            return;
        }
        match mode.1 {
            ALL => setup.jvmti.stops(event, place),
            _ => _ = setup.jvmti.on.remove(&event),
        }
    }

    /// DisposeEnvironment: no environment hears of an event any more, if this was the last one.
    pub(crate) fn ends(&mut self, setup: &mut Setup, environment: u32, place: Place) {
        for (&event, modes) in &mut self.0 {
            let before = modes.len();
            modes.retain(|&(other, _)| other != environment);
            if modes.len() < before && modes.is_empty() {
                setup.jvmti.stops(event, place);
            }
        }
    }
}
