//! `monitor=y`: time lost waiting for locks.

use std::cell::Cell;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::agent::{self, Agent, lock};
use crate::ffi::clock;
use crate::ffi::host;
use crate::options::Clock;
use crate::profile::{ClassRef, Monitor};
use crate::sites;

/// How often and how long somebody waited, by lock and trace.
#[derive(Debug, Default)]
pub(crate) struct Locks(Mutex<FxHashMap<(Monitor, u32), (u64, u64)>>);

impl Locks {
    pub(crate) fn waits(&self) -> Vec<((Monitor, u32), (u64, u64))> {
        lock(&self.0)
            .iter()
            .map(|(key, cost)| (key.clone(), *cost))
            .collect()
    }
}

thread_local! {
    /// What the thread waits for, since when.
    static WAITS: Cell<(usize, usize, u64)> = const { Cell::new((0, 0, 0)) };
}

/// What virtual threads wait for that have left their carrier meanwhile, by JNIEnv.
static AWAY: Mutex<Option<FxHashMap<usize, (usize, u64)>>> = Mutex::new(None);

/// CONTENDED_ENTER.
pub(crate) fn waits(env: usize, id: usize) {
    let (who, what, since) = WAITS.replace((env, id, clock::now(Clock::Wall)));
    if who != 0 && who != env {
        lock(&AWAY)
            .get_or_insert_default()
            .insert(who, (what, since));
    }
}

/// CONTENDED_ENTERED, of an object or a raw monitor of this name.
pub(crate) fn got(agent: &'static Agent, env: usize, id: usize, raw: Option<String>) {
    let now = clock::now(Clock::Wall);
    let (who, what, since) = WAITS.get();
    let since = if who == env {
        WAITS.set((0, 0, 0));
        (what == id).then_some(since)
    } else {
        let away = lock(&AWAY).as_mut().and_then(|away| away.remove(&env));
        away.filter(|&(what, _)| what == id).map(|(_, since)| since)
    };
    let Some(since) = since else {
        return;
    };
    let trace = agent::trace(agent, env);
    let monitor = match raw {
        Some(name) => Monitor::Raw(name, id),
        None => Monitor::Java(class_of(agent, id), id),
    };
    let mut all = lock(&agent.locks.0);
    let cost = all.entry((monitor, trace)).or_default();
    cost.0 += 1;
    cost.1 += now.saturating_sub(since);
}

/// The class of an object; of an array, its elements' class is the best that is known.
pub(crate) fn class_of(agent: &Agent, object: usize) -> Option<ClassRef> {
    // A class as a lock: a static synchronized method.
    let alloc = host::without_gc(|| sites::ask(object));
    let index = alloc.map_or(0, |alloc| agent::class_index(agent, alloc.class));
    (index != 0).then_some(ClassRef(index))
}
