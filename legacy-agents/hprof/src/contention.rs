//! `monitor=y`: where threads waited for locks, and where they were parked.

use crate::agent::{self, Agent};
use crate::ffi::parked_threads;
use crate::locks;
use crate::names::{class_index, class_of, trace};
use crate::parks;
use crate::profile::{ClassRef, Monitor, Park};
use crate::text::shown;

/// CONTENDED_ENTERED, of an object or a raw monitor of this name.
pub(crate) fn ended(agent: &Agent, env: usize, id: usize, raw: Option<String>) {
    let Some(nanos) = locks::got(env, id) else {
        return;
    };
    let trace = trace(agent, env);
    let monitor = match raw {
        Some(name) => Monitor::Raw(shown(&name).into_owned(), id),
        None => Monitor::Java(class_of(agent, id), id),
    };
    agent.locks.add(monitor, trace, nanos);
}

/// What was told of parked threads, and who is parked now; `None` if the host does not tell. Makes
/// traces.
pub(crate) fn parks(agent: &Agent) -> Option<Vec<Park>> {
    agent.parks.all(|| parked_threads::list(is_parked))
}

/// A thread is parked, which need not be the calling one.
fn is_parked(env: usize, blocker_class: usize, nanos: u64) {
    if let Some(agent) = agent::get() {
        let trace = trace(agent, env);
        parks::is_parked(blocker(agent, blocker_class), trace, nanos);
    }
}

fn blocker(agent: &Agent, class: usize) -> Option<ClassRef> {
    (class != 0).then(|| ClassRef(class_index(agent, class)))
}

/// A thread was parked.
pub(crate) fn parked(env: usize, blocker_class: usize, nanos: u64) {
    if let Some(agent) = agent::get() {
        let trace = trace(agent, env);
        agent
            .parks
            .parked(blocker(agent, blocker_class), trace, nanos);
    }
}
