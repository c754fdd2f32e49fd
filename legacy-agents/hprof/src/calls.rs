//! METHOD_ENTRY and METHOD_EXIT: each thread's own calls.

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::thread::LocalKey;

use crate::agent::Agent;
use crate::classes::EPOCH;
use crate::ffi::clock;
use crate::names;
use crate::of_thread::{AllCarried, OfThread, Place};
use crate::times::{NO_TID, Own};

thread_local! {
    static PLACE: RefCell<Place<Own>> = const { RefCell::new(Place::new()) };
}

static CARRIED: AllCarried<Own> = AllCarried::new();

impl OfThread for Own {
    const PLACE: &'static LocalKey<RefCell<Place<Self>>> = &PLACE;

    fn carried() -> &'static AllCarried<Self> {
        &CARRIED
    }
}

/// The thread of this env, which has none yet, begins with what this makes of a method.
fn begin(agent: &Agent, env: usize, first: impl FnOnce(&mut Own)) {
    // It may ask for the thread.
    let serial = names::of_traces(agent, env);
    let is_virtual = agent.threads.lock().is_virtual(env);
    let tid = if is_virtual { NO_TID } else { clock::own_tid() };
    let mut own = Own::new(&agent.times, serial, tid);
    agent.times.began(&own);
    first(&mut own);
    own.begin(env, is_virtual);
}

/// METHOD_ENTRY.
#[inline]
pub(crate) fn entered(agent: &'static Agent, env: usize, method: usize) {
    let known = Own::with(env, |own| own.enter(method));
    if known != Some(true) {
        entered_new(agent, env, method, known.is_some());
    }
}

/// The first call of a method from where this thread is, or its first here: `is_here` tells.
#[cold]
fn entered_new(agent: &'static Agent, env: usize, method: usize, is_here: bool) {
    if !is_here && Own::comes(env) && Own::with(env, |own| own.enter(method)) == Some(true) {
        return;
    }
    let epoch = EPOCH.load(Ordering::Acquire);
    // Nothing of ours is borrowed here: the host may send us a CLASS_LOAD.
    let index = names::method_index(agent, method);
    if Own::with(env, |own| own.enter_new(method, index, epoch)).is_none() {
        begin(agent, env, |own| own.enter_new(method, index, epoch));
    }
}

/// METHOD_EXIT.
#[inline]
pub(crate) fn left(env: usize, method: usize) {
    if Own::with(env, |own| own.leave(method)).is_none() && Own::comes(env) {
        Own::with(env, |own| own.leave(method));
    }
}

/// THREAD_END: what the thread counted stays.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    if let Some(own) = Own::end(env) {
        agent.times.ended(&own, &agent.traces);
    }
}
