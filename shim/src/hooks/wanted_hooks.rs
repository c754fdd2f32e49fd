//! Which hooks are wanted, and in which classes.

use std::sync::atomic::{AtomicU32, Ordering};

use event_translate::EventSet;
use event_translate::table::EventKind;
use shim_options::MethodEvents;

use crate::base::config;
use crate::model::classes;

pub(crate) const ENTRY: u32 = 1;
pub(crate) const RECEIVER: u32 = 2;
pub(crate) const EXIT: u32 = 4;
pub(crate) const INSTRUCTIONS: u32 = 8;
pub(crate) const MONITORS: u32 = 16;
/// Those that `include` and `exclude` are for, and that have numbers.
pub(crate) const OF_METHODS: u32 = ENTRY | RECEIVER | EXIT | INSTRUCTIONS;

/// The events of [`ENTRY`], [`RECEIVER`] and [`EXIT`].
pub(crate) const METHOD_EVENTS: EventSet = EventSet::of(&[
    EventKind::MethodEntry,
    EventKind::MethodEntry2,
    EventKind::MethodExit,
]);

/// Which hooks classes get.
static HOOKS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn given() -> u32 {
    HOOKS.load(Ordering::Acquire)
}

/// From now on classes get these, too; which they got before.
pub(crate) fn give(hooks: u32) -> u32 {
    HOOKS.fetch_or(hooks, Ordering::AcqRel)
}

/// From now on classes get no others; which are left.
pub(crate) fn leave_only(hooks: u32) -> u32 {
    HOOKS.fetch_and(hooks, Ordering::AcqRel) & hooks
}

/// Which hooks these events need.
pub(crate) fn needed(wanted: EventSet) -> u32 {
    let options = config::options();
    let mut hooks = 0;
    if options.method_events == MethodEvents::Fast {
        if wanted.intersects(METHOD_EVENTS) {
            hooks |= ENTRY;
        }
        if wanted.contains(EventKind::MethodEntry2) {
            hooks |= RECEIVER;
        }
        if wanted.contains(EventKind::MethodExit) {
            hooks |= EXIT;
        }
    }
    if wanted.contains(EventKind::InstructionStart) {
        hooks |= INSTRUCTIONS;
    }
    if wanted.contains(EventKind::MonitorContendedExit) {
        hooks |= MONITORS;
    }
    hooks
}

/// Whether class files are to be looked at.
pub(crate) fn is_on() -> bool {
    given() != 0
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
