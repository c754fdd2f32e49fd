//! METHOD_ENTRY and METHOD_EXIT: each thread's own calls.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use crate::agent::Agent;
use crate::away::{Away, OfThread};
use crate::classes::EPOCH;
use crate::ffi::clock;
use crate::names;
use crate::times::{NO_TID, Own};

thread_local! {
    static OWN: RefCell<Option<Box<Own>>> = const { RefCell::new(None) };
}

impl OfThread for Own {
    fn env(&self) -> usize {
        self.env
    }
}

static AWAY: Away<Own> = Away::new();

/// The thread of this env has none yet.
fn begin(agent: &Agent, env: usize) -> Box<Own> {
    let is_virtual = agent.threads.lock().is_virtual(env);
    let serial = names::of_traces(agent, env);
    let tid = if is_virtual { NO_TID } else { clock::own_tid() };
    let own = Own::new(&agent.times, env, serial, tid);
    agent.times.began(&own);
    own
}

/// Does something with the calling thread's own; `None` if it has none, for this JNIEnv.
#[inline]
fn with_own<O>(env: usize, body: impl FnOnce(&mut Own) -> O) -> Option<O> {
    let done = OWN.try_with(|own| {
        let mut own = own.try_borrow_mut().ok()?;
        let own = own.as_deref_mut().filter(|own| own.env == env)?;
        Some(body(own))
    });
    done.ok().flatten()
}

/// METHOD_ENTRY.
#[inline]
pub(crate) fn entered(agent: &'static Agent, env: usize, method: usize) {
    if with_own(env, |own| own.enter(method)) != Some(true) {
        entered_new(agent, env, method);
    }
}

#[cold]
fn entered_new(agent: &'static Agent, env: usize, method: usize) {
    if comes(env) && with_own(env, |own| own.enter(method)) == Some(true) {
        return;
    }
    let epoch = EPOCH.load(Ordering::Acquire);
    // Nothing of ours is borrowed here: the host may send us a CLASS_LOAD.
    let index = names::method_index(agent, method);
    if with_own(env, |own| own.enter_new(method, index, epoch)).is_none() {
        let mut fresh = begin(agent, env);
        fresh.enter_new(method, index, epoch);
        let _ = OWN.try_with(|own| own.try_borrow_mut().map(|mut own| *own = Some(fresh)));
    }
}

/// METHOD_EXIT.
#[inline]
pub(crate) fn left(env: usize, method: usize) {
    if with_own(env, |own| own.leave(method)).is_none() && comes(env) {
        with_own(env, |own| own.leave(method));
    }
}

/// The thread of this env goes on with what it has; false if that is nothing.
#[cold]
fn comes(env: usize) -> bool {
    let comes = |own: &RefCell<Option<Box<Own>>>| {
        let mut own = own.try_borrow_mut().ok()?;
        Some(AWAY.comes(&mut own, env))
    };
    OWN.try_with(comes).ok().flatten() == Some(true)
}

/// THREAD_END: what the thread counted stays.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    let own = OWN.try_with(|own| AWAY.ends(&mut *own.try_borrow_mut().ok()?, env));
    let Some(own) = own.ok().flatten() else {
        return;
    };
    agent.times.ended(&own, &agent.traces);
}
