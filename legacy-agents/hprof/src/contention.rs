//! `monitor=y`: where threads waited for locks, and where they were parked.

use crate::agent::{self, Agent};
use crate::locks;
use crate::names::{class_index, class_of, trace};
use crate::profile::{ClassRef, Monitor};

/// CONTENDED_ENTERED, of an object or a raw monitor of this name.
pub(crate) fn ended(agent: &Agent, env: usize, id: usize, raw: Option<String>) {
    let Some(nanos) = locks::got(env, id) else {
        return;
    };
    let trace = trace(agent, env);
    let monitor = match raw {
        Some(name) => Monitor::Raw(name, id),
        None => Monitor::Java(class_of(agent, id), id),
    };
    agent.locks.add(monitor, trace, nanos);
}

/// A thread was parked.
pub(crate) fn parked(env: usize, blocker_class: usize, nanos: u64) {
    if let Some(agent) = agent::get() {
        let trace = trace(agent, env);
        let blocker = (blocker_class != 0).then(|| ClassRef(class_index(agent, blocker_class)));
        agent.parks.parked(blocker, trace, nanos);
    }
}
