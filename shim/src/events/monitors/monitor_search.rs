//! The monitors that threads are in, where the VM does not say what each thread owns: it was
//! running before it met us. While the threads stand still.

use std::collections::HashSet;

use crate::base::log;
use crate::model::threads;
use crate::vm::classes::{ACC_STATIC, ACC_SYNCHRONIZED};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::jni::Jni;
use crate::vm::monitors::locked::Search;
use crate::vm::refs::Local;

/// A monitor that somebody is in; threads by their JNIEnvs.
pub(crate) struct Found {
    pub(crate) object: Local,
    pub(crate) owner: Option<usize>,
    pub(crate) entry_count: u32,
    /// To enter, or to be notified.
    pub(crate) waiters: Vec<usize>,
}

/// Looks through these stacks.
pub(crate) fn search<'a>(
    jvmti: Jvmti,
    jni: Jni,
    stacks: impl Iterator<Item = &'a [Frame]>,
) -> Vec<Found> {
    let Some(search) = Search::begin() else {
        log::warn_once!("MONITOR_DUMP has no Java monitors (it wants -agentpath)");
        return Vec::new();
    };
    let all: HashSet<_> = stacks.flatten().map(|frame| frame.method).collect();
    let mut objects = Vec::new();
    let mut locking = HashSet::new();
    for method in all {
        let modifiers = jvmti.method_modifiers(method).unwrap_or(0);
        if modifiers & ACC_SYNCHRONIZED != 0 && modifiers & ACC_STATIC != 0 {
            objects.extend(jvmti.declaring_class(jni, method).ok());
        }
        if modifiers & ACC_SYNCHRONIZED != 0 || search.locks(method) {
            locking.insert(method);
        }
    }
    match search.held_by(jni, &locking) {
        Ok(held) => objects.extend(held),
        Err(error) => log::warn_once!("MONITOR_DUMP: {error}; Java monitors are missing"),
    }
    let found = objects.into_iter().filter_map(|object| {
        let usage = search.usage(jni, object.get()).ok()?;
        let env = |thread: &Local| threads::env_of(jni, thread.get());
        let waiters: HashSet<usize> = usage.waiters.iter().filter_map(env).collect();
        let owner = usage.owner.as_ref().and_then(env);
        (owner.is_some() || !waiters.is_empty()).then(|| Found {
            object,
            owner,
            entry_count: usage.entry_count,
            waiters: waiters.into_iter().collect(),
        })
    });
    found.collect()
}
