//! What the shim knows about this VM: phase, options, wanted events, records.
//!
//! One VM per process (HotSpot allows no second), so these are statics. Each is
//! an atomic or a container with a lock of a few instructions; see ARCHITECTURE
//! for the rule that no lock is held across agent, JNI or JVMTI code.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use event_translate::{EventKind, EventSet};
use id_map::{Claims, Directory, Monitors, ObjectTable, Renumbering};
use once_cell::sync::OnceCell;
use shim_options::Options;

use crate::classes::Class;
use crate::ffi::latest::Latest;
use crate::jvmti::env::Jvmti;
use crate::jvmti::refs::Global;
use crate::methods::Method;
use crate::threads::Thread;

/// Where the VM stands, as far as agents can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Before VMInit: agents may enable events; most of JVMTI refuses.
    Loading,
    /// Events flow.
    Live,
    /// One thread delivers the last events; all others are muted.
    ShuttingDown,
    /// Nothing is delivered and the VM is not called any more.
    Dead,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Loading as u8);

/// The phase now.
pub(crate) fn phase() -> Phase {
    match PHASE.load(Ordering::Acquire) {
        0 => Phase::Loading,
        1 => Phase::Live,
        2 => Phase::ShuttingDown,
        _ => Phase::Dead,
    }
}

/// Moves on; phases never go back. False if this phase, or a later one, was
/// reached already.
pub(crate) fn advance(to: Phase) -> bool {
    PHASE.fetch_max(to as u8, Ordering::AcqRel) < to as u8
}

static JVMTI: Latest<Jvmti> = Latest::new();

/// Our JVMTI environment; `None` before there is one and once the VM is dead.
pub(crate) fn jvmti() -> Option<Jvmti> {
    if phase() == Phase::Dead {
        return None;
    }
    JVMTI.get().copied()
}

/// The same as long as the process has a VM: what was stopped before the agent heard the
/// last must be let go also afterwards, since it may be the thread that ends the VM.
pub(crate) fn jvmti_to_the_end() -> Option<Jvmti> {
    JVMTI.get().copied()
}

/// Remembers the environment, or that there is none any more.
pub(crate) fn set_jvmti(jvmti: Option<Jvmti>) {
    JVMTI.put(jvmti);
}

/// The VM's name and version.
pub(crate) fn vm_name() -> Option<String> {
    let jvmti = JVMTI.get()?;
    let property = |name| {
        jvmti
            .system_property(name)
            .map(|value| value.as_c_str().to_string_lossy().into_owned())
    };
    let words = [property(c"java.vm.name"), property(c"java.vm.version")];
    Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

static OPTIONS: Latest<Options> = Latest::new();

/// The options; the defaults until they were read.
pub(crate) fn options() -> &'static Options {
    static DEFAULTS: OnceCell<Options> = OnceCell::new();
    OPTIONS
        .get()
        .unwrap_or_else(|| DEFAULTS.get_or_init(Options::default))
}

/// Whether options were put into force.
pub(crate) fn has_options() -> bool {
    OPTIONS.get().is_some()
}

/// Puts options into force. Nobody may rely on the old ones: no agent has started with them.
pub(crate) fn set_options(options: Options) {
    OPTIONS.put(Some(options));
}

static WANTED: AtomicU64 = AtomicU64::new(0);

/// The events the agent has enabled.
pub(crate) fn wanted() -> EventSet {
    EventSet::from_bits(WANTED.load(Ordering::Acquire))
}

/// Whether the agent has enabled this event.
pub(crate) fn wants(kind: EventKind) -> bool {
    wanted().contains(kind)
}

/// The events that the agent has enabled at some time.
static EVER_WANTED: AtomicU64 = AtomicU64::new(0);

/// Whether the agent has listened to this event, and no longer does: what it was told of is
/// all it knows, and nothing is added to that.
pub(crate) fn listens_no_more(kind: EventKind) -> bool {
    let ever = EventSet::from_bits(EVER_WANTED.load(Ordering::Acquire));
    ever.contains(kind) && !wants(kind)
}

/// Adds or removes one event.
pub(crate) fn set_wanted(kind: EventKind, on: bool) {
    if on {
        EVER_WANTED.fetch_or(EventSet::bit(kind), Ordering::AcqRel);
        WANTED.fetch_or(EventSet::bit(kind), Ordering::AcqRel);
    } else {
        WANTED.fetch_and(!EventSet::bit(kind), Ordering::AcqRel);
    }
}

/// No agent wants anything any more.
pub(crate) fn want_nothing() {
    WANTED.store(0, Ordering::Release);
}

/// Which ids are in use.
pub(crate) static IDS: ObjectTable = ObjectTable::new();
/// The agent's numbers of objects that the arena model has moved.
pub(crate) static NUMBERS: Renumbering = Renumbering::new();
/// Objects being given an id at this moment.
pub(crate) static CLAIMS: Claims<Global> = Claims::new();
/// Classes by id.
pub(crate) static CLASSES: Directory<Class> = Directory::new();
/// Threads by JNIEnv pointer.
pub(crate) static THREADS: Directory<Thread> = Directory::new();
/// Threads by the id of their `java.lang.Thread`.
pub(crate) static THREADS_BY_ID: Directory<Thread> = Directory::new();
/// Threads that the agent has suspended, by JNIEnv: one that is stopped on its very
/// way out has left the other two.
pub(crate) static SUSPENDED: Directory<Thread> = Directory::new();
/// Methods by jmethodID.
pub(crate) static METHODS: Directory<Method> = Directory::new();
/// The agent's raw monitors.
pub(crate) static MONITORS: Monitors = Monitors::new();
