//! Which hooks are wanted, and in which classes.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use event_translate::EventSet;
use event_translate::needed;
use event_translate::needs::Hook;
use shim_options::{MethodEvents, VirtualThreads};

use crate::agent::park_handler;
use crate::base::config;
use crate::model::{classes, method_flow};
use crate::vm::hotspot::virtual_threads::mounts;

pub(crate) const ENTRY: u32 = Hook::Entry.bit();
pub(crate) const RECEIVER: u32 = Hook::Receiver.bit();
pub(crate) const EXIT: u32 = Hook::Exit.bit();
pub(crate) const INSTRUCTIONS: u32 = Hook::Instructions.bit();
pub(crate) const MONITORS: u32 = Hook::Monitors.bit();
pub(crate) const SLEEPS: u32 = Hook::Sleeps.bit();
pub(crate) const PARKS: u32 = Hook::Parks.bit();
/// Those that `include` and `exclude` are for, and that have numbers.
pub(crate) const OF_METHODS: u32 = ENTRY | RECEIVER | EXIT | INSTRUCTIONS;

/// Which hooks classes get.
static HOOKS: AtomicU32 = AtomicU32::new(0);
/// Some have had any.
static EVER: AtomicBool = AtomicBool::new(false);

pub(crate) fn given() -> u32 {
    HOOKS.load(Ordering::Acquire)
}

/// From now on classes get these, too; which they got before.
pub(crate) fn give(hooks: u32) -> u32 {
    note_exits(given() | hooks);
    if hooks != 0 {
        EVER.store(true, Ordering::Release);
    }
    HOOKS.fetch_or(hooks, Ordering::AcqRel)
}

/// From now on classes get no others; which are left.
pub(crate) fn leave_only(hooks: u32) -> u32 {
    note_exits(given() & hooks);
    let left = HOOKS.fetch_and(hooks, Ordering::AcqRel) & hooks;
    // Once more: who has read both in between is not to take all code for done.
    note_exits(left);
    left
}

/// Whether code with these tells of beginnings and not of ends.
pub(crate) fn lacks_exits(hooks: u32) -> bool {
    hooks & (ENTRY | RECEIVER) != 0 && hooks & EXIT == 0
}

/// These are going to be given.
fn note_exits(hooks: u32) {
    if lacks_exits(hooks) {
        method_flow::begin_without_exits();
    }
}

/// Hooks of one class each.
const OF_ONE_CLASS: [(u32, &[u8]); 2] = [
    (SLEEPS, b"java/lang/Thread"),
    (PARKS, b"java/util/concurrent/locks/LockSupport"),
];

/// Those of these hooks that a class of this name may have.
pub(crate) fn of_class(hooks: u32, name: &[u8]) -> u32 {
    let others = OF_ONE_CLASS.iter().filter(|(_, class)| *class != name);
    others.fold(hooks, |left, (hook, _)| left & !hook)
}

/// Which hooks these events need.
pub(crate) fn needed(wanted: EventSet) -> u32 {
    let options = config::options();
    let mut hooks = needed::hooks(wanted, options.method_events == MethodEvents::Fast);
    if park_handler::is_watched() {
        hooks |= PARKS;
    }
    if options.virtual_threads == VirtualThreads::Threads && mounts::are_found() {
        hooks
    } else {
        // Native code tells of all that sleep.
        hooks & !SLEEPS
    }
}

/// Whether class files are to be looked at.
pub(crate) fn is_on() -> bool {
    given() != 0
}

/// Whether the VM may keep class files for us: those of classes that have had hooks.
pub(crate) fn was_ever_on() -> bool {
    EVER.load(Ordering::Acquire)
}

/// Whether the agent may hear of this class's methods.
pub(crate) fn takes(name: &[u8]) -> bool {
    may_have_hooks(name) && config::options().classes.takes(name)
}

/// Whether hooks may be put into this class.
pub(crate) fn may_have_hooks(name: &[u8]) -> bool {
    /// Here a thread changes its identity: what hooks do does not work.
    const NEVER: [&[u8]; 3] = [
        b"java/lang/VirtualThread",
        b"java/lang/ThreadBuilders$BoundVirtualThread",
        b"jdk/internal/vm/",
    ];
    !classes::is_hook_class(name) && !NEVER.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_without_exits_is_noted_until_all_has_them() {
        give(ENTRY | EXIT);
        assert_eq!(method_flow::without_exits(), 0);
        leave_only(ENTRY);
        let then = method_flow::without_exits();
        assert_ne!(then, 0);
        give(EXIT);
        leave_only(RECEIVER | ENTRY);
        // Code has come meanwhile that has none.
        method_flow::end_without_exits(then);
        assert_ne!(method_flow::without_exits(), 0);
        give(EXIT);
        method_flow::end_without_exits(method_flow::without_exits());
        assert_eq!(method_flow::without_exits(), 0);
        leave_only(0);
        assert_eq!(method_flow::without_exits(), 0);
    }
}
