//! Which events a port listens to, and when it has stopped to.

use std::collections::{BTreeSet, HashMap};

use recording_format::Value;

use crate::known::{id, int};
use crate::place::Place;
use crate::side::Setup;

/// The environments that have enabled each event, for all threads or for some.
#[derive(Debug, Default)]
pub(crate) struct Listening(HashMap<i32, BTreeSet<u32>>);

impl Listening {
    /// SetEventNotificationMode, in VMInit perhaps, and what the VM has answered.
    pub(crate) fn sets(
        &mut self,
        setup: &mut Setup,
        (environment, place, is_start): (u32, Place, bool),
        arguments: &[Value<'_>],
        code: i64,
    ) {
        let event = i32::try_from(int(arguments, 1)).unwrap_or(0);
        let is_for_all = id(arguments, 2) == 0;
        if int(arguments, 0) != 1 {
            if code == 0 && is_for_all {
                self.stops(setup, event, environment, place);
            }
            return;
        }
        match code {
            0 => {
                let is_new = setup.enabled.insert(event);
                if is_new && place.is_live && !is_start {
                    setup.late.insert(event);
                }
                setup.stopped.remove(&event);
                self.0.entry(event).or_default().insert(environment);
            }
            _ => _ = setup.refused.insert(event, code),
        }
        match is_for_all {
            true => setup.for_all.insert(event),
            false => setup.for_some.insert(event),
        };
    }

    /// DisposeEnvironment.
    pub(crate) fn ends(&mut self, setup: &mut Setup, environment: u32, place: Place) {
        let events: Vec<i32> = self.0.keys().copied().collect();
        for event in events {
            self.stops(setup, event, environment, place);
        }
    }

    /// No environment hears of it any more, if this was the last one.
    fn stops(&mut self, setup: &mut Setup, event: i32, environment: u32, place: Place) {
        let Some(environments) = self.0.get_mut(&event) else {
            return;
        };
        if environments.remove(&environment) && environments.is_empty() {
            setup.stops(event, place);
        }
    }
}
