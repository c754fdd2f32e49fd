//! When classes get their hooks, and lose them.
//!
//! A class gets its hooks when it is loaded (ClassFileLoadHook); those loaded before,
//! when an agent first wants them (RetransformClasses).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use event_translate::EventSet;
use event_translate::needs::Hook;
use id_map::ObjectId;
use parking_lot::{Condvar, Mutex};

use crate::base::log;
use crate::base::patience;
use crate::delivery::gate;
use crate::hooks::hook_loaders::{self, HookClass, Moment};
use crate::hooks::wanted_hooks::{self, ENTRY, EXIT, MONITORS, RECEIVER};
use crate::hooks::{
    blind_spots, class_hook, hook_class, late_loaders, native_methods, retransform,
    unlinked_classes,
};
use crate::model::classes::methods::METHODS;
use crate::model::classes::{self, Class, methods};
use crate::model::own::known_frames;
use crate::model::thread::attention_guard::with_attention;
use crate::model::thread::{attention, current};
use crate::model::{method_flow, wanted};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::refs::{Global, Local, ObjectRef};
use crate::vm::this_vm::{self, Phase};

/// How many threads rewrite the loaded classes, and what tells when one is ready.
static REDOING: Mutex<u32> = Mutex::new(0);
static REDONE: Condvar = Condvar::new();

/// One of them: it has still to begin, or has begun.
pub(crate) struct Redoing {
    /// Which hooks come or go.
    hooks: u32,
}

impl Redoing {
    fn begin(hooks: u32) -> Self {
        *REDOING.lock() += 1;
        Self { hooks }
    }
}

impl Drop for Redoing {
    fn drop(&mut self) {
        *REDOING.lock() -= 1;
        REDONE.notify_all();
    }
}

/// Whether any thread does, or is about to.
pub(crate) fn is_redoing() -> bool {
    *REDOING.lock() > 0
}

/// Waits until other threads have finished rewriting classes, if the caller may wait: who has
/// enabled an event counts on it when that returns.
fn wait_for_redone() {
    if current::with_own(gate::may_wait) != Some(true) {
        return;
    }
    let deadline = patience::HOOKS.deadline();
    let mut redoing = REDOING.lock();
    while *redoing > 0 && !REDONE.wait_until(&mut redoing, deadline).timed_out() {}
}

/// From now on classes get the hooks that these events need. If the loaded ones have to be
/// done again, what [`redo`] takes.
///
/// # Phase
/// Live.
pub(crate) fn prepare(jvmti: Jvmti, jni: Jni, wanted: EventSet) -> Option<Redoing> {
    let needed = wanted_hooks::needed(wanted);
    if needed & !wanted_hooks::given() == 0 {
        if needed != 0 && !retransform::is_ours() {
            wait_for_redone();
        }
        return None;
    }
    let mut natives = 0;
    if needed & (ENTRY | RECEIVER | EXIT) != 0 {
        natives |= native_methods::METHODS;
    }
    if needed & MONITORS != 0 {
        natives |= native_methods::SYNCHRONIZED;
    }
    let thunks = native_methods::want(natives);
    if !hook_class::ensure(jvmti, jni) {
        return None;
    }
    if thunks && native_methods::want(natives) {
        hook_class::bind_again(jni);
    }
    // From here on nobody switches these off.
    let mut redoing = Redoing::begin(0);
    for event in Hook::VM_EVENTS {
        if let Err(error) = jvmti.set_event(event, true) {
            log::warn_once!("{error}; method events will not come");
            return None;
        }
    }
    hook_loaders::begin(jvmti);
    // Who enables METHOD_ENTRY mostly enables METHOD_EXIT next, and the classes are done once
    // for both. If not, what is idle is taken out.
    let exits = if needed & ENTRY != 0 && !gate::is_replay() {
        EXIT
    } else {
        0
    };
    let before = wanted_hooks::give(needed | exits);
    if this_vm::phase() > Phase::Live {
        // The agent has gone meanwhile, and hooks are taken out, perhaps before these were given.
        wanted_hooks::leave_only(0);
        for event in Hook::VM_EVENTS {
            let _ = jvmti.set_event(event, false);
        }
        return None;
    }
    if needed & !before == 0 {
        drop(redoing);
        wait_for_redone();
        return None;
    }
    redoing.hooks = (needed | exits) & !before;
    Some(redoing)
}

/// Those hooks that nobody needs now. Those at the ends of methods alone stay where taking them out would keep
/// the worker from its brackets for long: JDK 11.
fn idle(jvmti: Jvmti) -> u32 {
    let needed = wanted_hooks::needed(wanted::wanted());
    let idle = wanted_hooks::given() & !needed;
    if needed & (ENTRY | RECEIVER) != 0 && jvmti.retransforms_one_by_one() {
        idle & !EXIT
    } else {
        idle
    }
}

/// The cost goes with the need: hooks that nobody has needed for some seconds are taken
/// out. True if that was done now. Called by the worker.
pub(crate) fn take_out_idle(jvmti: Jvmti, jni: Jni) -> bool {
    /// Which were idle at each look since then.
    static IDLE: Mutex<Option<(u32, Instant)>> = Mutex::new(None);
    let now = idle(jvmti);
    let hooks = {
        let mut since = IDLE.lock();
        let begun = since.filter(|(hooks, _)| hooks & now != 0);
        let (hooks, start) = begun.unwrap_or_else(|| (now, Instant::now()));
        *since = Some((hooks & now, start)).filter(|&(hooks, _)| hooks != 0);
        if since.is_none() || start.elapsed() < patience::IDLE_HOOKS.most {
            return false;
        }
        since.take().map_or(0, |(hooks, _)| hooks)
    };
    let redoing = Redoing::begin(hooks);
    if wanted_hooks::leave_only(!hooks) == 0 {
        late_loaders::forget();
    }
    // Whoever has wanted them again meanwhile has found that they were given.
    wanted_hooks::give(wanted_hooks::needed(wanted::wanted()) & hooks);
    redo(jvmti, jni, redoing, || {});
    true
}

/// The agent goes, and the program stays: no class gets hooks any more, and those that have
/// some, or what the agent has made of them, become as they were loaded.
///
/// # Phase
/// Nobody listens.
pub(crate) fn take_out_all(jvmti: Jvmti, jni: Jni) {
    let had = wanted_hooks::given();
    wanted_hooks::leave_only(0);
    method_flow::end_without_exits(method_flow::without_exits());
    late_loaders::forget();
    if had == 0 && !class_hook::has_replaced() {
        return;
    }
    let Ok(loaded) = classes::loaded(jvmti, jni) else {
        log::warning!("the loaded classes cannot be listed: their hooks stay, and do nothing");
        return;
    };
    for batch in loaded.chunks(batch_size(jvmti)) {
        redo_batch(jvmti, jni, batch);
    }
}

/// Rewrites the classes whose loader has got its hook class after them; true if there were any.
/// Called by the worker.
pub(crate) fn catch_up(jvmti: Jvmti, jni: Jni) -> bool {
    let mut ready = Vec::new();
    for (class, name) in late_loaders::take() {
        let Some(mirror) = class.mirror(jni) else {
            continue;
        };
        let is_ready = jvmti.class_loader(jni, mirror.get()).is_some_and(|loader| {
            let hook_class = HookClass::of(jvmti, jni, Some(loader.get()), &name);
            let moment = Moment::Loaded(late_loaders::is_named(&class));
            hook_class.is_ready(jvmti, jni, Some(loader.get()), moment)
        });
        if is_ready {
            ready.push(class);
        } else {
            late_loaders::note(jvmti, jni, Some(mirror.get()), &name);
        }
    }
    if !ready.is_empty() {
        redo_batch(jvmti, jni, &ready);
    }
    !ready.is_empty()
}

/// Rewrites the classes that are loaded already, the likely ones first: with thousands of
/// them the last ones take a second. `some_are_done` is called after each batch.
pub(crate) fn redo(jvmti: Jvmti, jni: Jni, redoing: Redoing, some_are_done: impl Fn()) {
    let batch = batch_size(jvmti);
    let without_exits = method_flow::without_exits();
    let is_done = !wanted_hooks::lacks_exits(wanted_hooks::given());
    let Ok(mut loaded) = classes::loaded(jvmti, jni) else {
        log::warning!("the loaded classes cannot be listed: no method events of theirs");
        method_flow::end_without_exits(without_exits);
        return;
    };
    let does_all = wanted_hooks::of_class(redoing.hooks, b"") != 0;
    if !does_all {
        loaded.retain(|class| may_have(jvmti, jni, class, redoing.hooks));
    }
    let running = running(jvmti, jni);
    loaded.sort_by_cached_key(|class| {
        let of_program = || {
            class
                .mirror(jni)
                .and_then(|it| jvmti.class_loader(jni, it.get()))
        };
        if running.contains(&class.id) {
            0
        } else if of_program().is_some() {
            1
        } else {
            2
        }
    });
    for batch in loaded.chunks(batch) {
        if this_vm::phase() > Phase::Live {
            return;
        }
        redo_batch(jvmti, jni, batch);
        some_are_done();
    }
    if does_all && is_done {
        method_flow::end_without_exits(without_exits);
    }
}

/// A batch stops the program once, for 30 µs a class and some milliseconds to look at all
/// other classes; JDK 11 does that for each class of it (5 ms among 5000).
fn batch_size(jvmti: Jvmti) -> usize {
    if jvmti.retransforms_one_by_one() {
        32
    } else {
        512
    }
}

/// Whether it is one of the classes that have some of these hooks.
fn may_have(jvmti: Jvmti, jni: Jni, class: &Class, hooks: u32) -> bool {
    let signature = class
        .mirror(jni)
        .and_then(|mirror| jvmti.class_signature(mirror.get()).ok());
    signature.is_some_and(|signature| {
        let name = signature.bytes().strip_prefix(b"L");
        let name = name.and_then(|name| name.strip_suffix(b";"));
        name.is_some_and(|name| wanted_hooks::of_class(hooks, name) != 0)
    })
}

/// The classes whose methods are running.
fn running(jvmti: Jvmti, jni: Jni) -> HashSet<ObjectId> {
    const DEPTH: i32 = 32;
    const ROOM: usize = 256;
    let mut methods = HashSet::new();
    jni.with_frame(ROOM, || {
        if let Ok(threads) = jvmti.all_threads(jni) {
            let threads: Vec<_> = threads.iter().map(Local::get).collect();
            let _ = jvmti.stacks(&threads, DEPTH, |_, _, frames| {
                methods.extend(frames.iter().map(|frame| frame.method));
            });
        }
    });
    let methods = methods.into_iter();
    methods
        .filter_map(|method| Some(methods::of(jvmti, jni, method)?.class.id))
        .collect()
}

/// Rewrites some loaded classes once more; which of them the VM has taken.
pub(crate) fn redo_batch(jvmti: Jvmti, jni: Jni, batch: &[Arc<Class>]) -> Vec<ObjectId> {
    // Not local references: there is room for sixteen.
    let mirrors = batch
        .iter()
        .filter_map(|class| Some((class, class.mirror(jni)?)));
    let mirrors: Vec<_> = mirrors
        .filter_map(|(class, mirror)| Some((class, Global::new(jni, mirror.get())?)))
        .collect();
    let mirrors: Vec<_> = mirrors
        .iter()
        .map(|(class, mirror)| (class, mirror.get()))
        .filter(|(class, mirror)| {
            is_modifiable(jvmti, *mirror)
                && (unlinked_classes::may_be_done(jvmti, class, *mirror, unlinked_classes::HOOKS)
                    || hook_loaders::looks_at_domains()
                        && late_loaders::note_unlinked(jvmti, jni, class, *mirror))
        })
        .map(|(class, mirror)| (class.id, mirror))
        .collect();
    // Bytecode indexes are others before the VM comes back: other threads run the new code at once.
    let changing: Vec<_> = batch.iter().map(|class| class.code.changing()).collect();
    known_frames::forget();
    let taken = with_attention(attention::REWRITING, || {
        retransform::retransform(jvmti, &mirrors)
    });
    drop(changing);
    let done: HashSet<_> = batch.iter().map(|class| class.id).collect();
    METHODS.retain(|method| !done.contains(&method.class.id));
    taken
}

/// Arrays have no code.
fn is_modifiable(jvmti: Jvmti, mirror: ObjectRef<'_>) -> bool {
    if jvmti.is_modifiable(mirror) {
        return true;
    }
    if let Ok(signature) = jvmti.class_signature(mirror) {
        blind_spots::hidden(signature.bytes());
    }
    false
}
