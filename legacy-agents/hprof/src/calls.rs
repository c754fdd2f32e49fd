//! METHOD_ENTRY and METHOD_EXIT: each thread's own calls.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::classes::EPOCH;
use crate::ffi::clock;
use crate::names;
use crate::times::{NO_TID, Own};

/// A virtual thread's, which goes on with it on any carrier; `None` once it has ended.
type Carried = Arc<Mutex<Option<Box<Own>>>>;

/// Of a thread of the operating system.
#[derive(Default)]
struct Place {
    own: Option<Box<Own>>,
    /// Of the virtual thread that was here last, with its JNIEnv.
    carried: Option<(usize, Carried)>,
}

thread_local! {
    static PLACE: RefCell<Place> = RefCell::default();
}

/// Those of virtual threads, by JNIEnv.
static CARRIED: Mutex<Option<FxHashMap<usize, Carried>>> = Mutex::new(None);

/// The calling thread's place, unless we are in it or it has gone.
#[inline]
fn with_place<O>(body: impl FnOnce(&mut Place) -> Option<O>) -> Option<O> {
    let done = PLACE.try_with(|place| body(&mut *place.try_borrow_mut().ok()?));
    done.ok().flatten()
}

/// Does something with what belongs to the calling thread, of this JNIEnv; `None` if there is nothing.
#[inline]
fn with_own<O>(env: usize, body: impl FnOnce(&mut Own) -> O) -> Option<O> {
    with_place(|place| {
        if let Some(own) = place.own.as_deref_mut().filter(|own| own.env == env) {
            return Some(body(own));
        }
        let carried = place.carried.as_ref();
        let (_, own) = carried.filter(|(whose, _)| *whose == env)?;
        own.try_lock()?.as_deref_mut().map(body)
    })
}

/// The thread of this env, which has none yet, begins with what this makes of a method.
fn begin(agent: &Agent, env: usize, first: impl FnOnce(&mut Own)) {
    // It may ask for the thread.
    let serial = names::of_traces(agent, env);
    let is_virtual = agent.threads.lock().is_virtual(env);
    let tid = if is_virtual { NO_TID } else { clock::own_tid() };
    let mut own = Own::new(&agent.times, env, serial, tid);
    agent.times.began(&own);
    first(&mut own);
    with_place(|place| {
        if is_virtual || place.own.is_some() {
            let own = Arc::new(Mutex::new(Some(own)));
            place.carried = Some((env, Arc::clone(&own)));
            CARRIED.lock().get_or_insert_default().insert(env, own);
        } else {
            place.own = Some(own);
        }
        Some(())
    });
}

/// METHOD_ENTRY.
#[inline]
pub(crate) fn entered(agent: &'static Agent, env: usize, method: usize) {
    let known = with_own(env, |own| own.enter(method));
    if known != Some(true) {
        entered_new(agent, env, method, known.is_some());
    }
}

/// The first call of a method from where this thread is, or its first here: `is_here` tells.
#[cold]
fn entered_new(agent: &'static Agent, env: usize, method: usize, is_here: bool) {
    if !is_here && comes(env) && with_own(env, |own| own.enter(method)) == Some(true) {
        return;
    }
    let epoch = EPOCH.load(Ordering::Acquire);
    // Nothing of ours is borrowed here: the host may send us a CLASS_LOAD.
    let index = names::method_index(agent, method);
    if with_own(env, |own| own.enter_new(method, index, epoch)).is_none() {
        begin(agent, env, |own| own.enter_new(method, index, epoch));
    }
}

/// METHOD_EXIT.
#[inline]
pub(crate) fn left(env: usize, method: usize) {
    if with_own(env, |own| own.leave(method)).is_none() && comes(env) {
        with_own(env, |own| own.leave(method));
    }
}

/// The thread of this env goes on here with what it has; false if that is nothing.
#[cold]
fn comes(env: usize) -> bool {
    let own = CARRIED
        .lock()
        .as_ref()
        .and_then(|all| all.get(&env).cloned());
    let comes = |place: &mut Place| {
        place.carried = Some((env, own?));
        Some(())
    };
    with_place(comes).is_some()
}

/// THREAD_END: what the thread counted stays.
pub(crate) fn thread_ended(agent: &Agent, env: usize) {
    let here = with_place(|place| place.own.take_if(|own| own.env == env));
    let own = here.or_else(|| {
        let carried = CARRIED.lock().as_mut()?.remove(&env)?;
        carried.lock().take()
    });
    if let Some(own) = own {
        agent.times.ended(&own, &agent.traces);
    }
}
