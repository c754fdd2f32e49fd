//! Who looks at what passes between the agent and us is told of it here: the checks, the
//! recording and the counts, when they are on.
//!
//! With nobody looking the agent has the plain table and this costs one test of a
//! byte for each event. Otherwise it has the other one of [`crate::agent::table`].
//!
//! # Threads
//! Any; as often at a time as there are threads, and again from inside.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use event_translate::EventKind;
use jvmpi_headers::jni::jint;
use jvmpi_headers::jvmpi::{JVMPI_Event, NotifyEvent};
use shim_options::agent_spec::AgentSpec;

/// What observers are told. Those for whom something is not meant make nothing of it.
pub(crate) trait Observer: Sync {
    /// Somebody asks GetEnv for this version of JVMPI.
    fn asked(&self, version: jint);
    /// We start an agent with these options.
    fn agent_starts(&self, spec: &AgentSpec);
    /// A function of the agent's is about to run on this thread.
    fn run_begins(&self, function: usize);
    /// It has returned.
    fn run_ends(&self);
    /// Delivers an event, while [`is_on`]; false if it comes too late.
    fn notify(&self, agent: NotifyEvent, event: &mut JVMPI_Event) -> bool;
    /// An exception has come out of agent code, of the function at this address.
    fn exception(&self, what: &str, function: usize);
    /// The VM's name and version are known.
    fn vm_is(&self, name: &str);
    /// The replay is over, JVM_INIT_DONE comes next.
    fn vm_ready(&self);
    /// The thread of this JNIEnv, the calling one, has ended.
    fn thread_ended(&self, env: usize);
    /// The JNI function of this slot was called with the JNIEnv of a virtual thread that is not the
    /// calling one; where it returns to.
    fn foreign_env(&self, slot: usize, caller: usize);
    /// A class was unloaded; these were its methods.
    fn methods_ended(&self, methods: &[u64]);
    /// Ids of what has died are about to be given back, and may name something else then.
    fn ids_end(&self);
    /// An event of which watchers want to know the moment, be it sent or not.
    fn moment(&self, kind: EventKind, sent: bool);
    /// The worker comes by, once a second at least.
    fn round(&self);
    /// The run ends: after JVM_SHUT_DOWN, in ProfilerExit, or when the process exits
    /// without either. The first call counts.
    fn finish(&self);
}

static OBSERVER: OnceLock<&'static dyn Observer> = OnceLock::new();
static ON: AtomicBool = AtomicBool::new(false);

/// Puts the observer in, before any agent can ask for its interface. The first one stays.
pub(crate) fn put(observer: &'static dyn Observer) {
    let _ = OBSERVER.set(observer);
}

/// From now on somebody looks, or nobody any more.
pub(crate) fn switch(on: bool) {
    // Relaxed: a switch; what is behind it is a OnceLock.
    ON.store(on, Ordering::Relaxed);
}

/// Whether anybody looks.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The observer, while it looks.
#[inline]
pub(crate) fn looking() -> Option<&'static dyn Observer> {
    if is_on() {
        OBSERVER.get().copied()
    } else {
        None
    }
}

/// Tells the observer of what does not depend on whether it looks, or what is rare.
pub(crate) fn tell(what: impl FnOnce(&dyn Observer)) {
    if let Some(observer) = OBSERVER.get() {
        what(*observer);
    }
}
