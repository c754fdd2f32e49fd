//! Who answers the agent: the tables hand its calls over to that.

use std::io::Write as _;
use std::sync::OnceLock;

use event_translate::jni_functions::JniGiven;
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

/// How a thread wants to be attached.
#[derive(Debug)]
pub struct Attach {
    /// By AttachCurrentThreadAsDaemon.
    pub as_daemon: bool,
    /// The version of what it says of itself, 0 if it says nothing.
    pub version: i32,
    /// Its name.
    pub name: Option<Vec<u8>>,
    /// The number of its ThreadGroup; 0 if there is none.
    pub group: u64,
}

/// What stands behind the tables.
pub trait Host: Sync {
    /// The answer to a call; `None` if there is none.
    fn call(&self, slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>>;
    /// The agent has enabled an event.
    fn note_enabled(&self, number: i64);
    /// A wait that has no answer.
    fn wait_elsewhere(&self, millis: i64);
    /// The time, in nanoseconds.
    fn now(&self) -> Option<u64>;
    /// The recorded function of the system thread that the calling thread is about to make.
    fn next_system_thread(&self, arguments: &[Value<'_>]) -> Option<u64>;
    /// Ends the process, as ProfilerExit does.
    fn exit(&self, code: i32) -> !;
    /// A function of JNI, with a row for each argument (a number, an id, a text, memory) and one for
    /// each of a Java method behind them; `None` if there is no VM to do it.
    fn jni(&self, _slot: usize, _arguments: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
        None
    }
    /// Whether a VM stands behind this, which knows the agent's own threads only while they are attached.
    fn attaches(&self) -> bool {
        false
    }
    /// AttachCurrentThread, if it [`attaches`](Self::attaches): JNI's code, and the thread's JNIEnv. `None` if
    /// nobody answers.
    fn attach(&self, _how: &Attach) -> Option<(i32, u64)> {
        None
    }
    /// DetachCurrentThread, likewise: JNI's code.
    fn detach(&self) -> Option<i32> {
        None
    }
    /// Why a function of JNI is not there, and what the agent gets: the end of a line.
    fn no_jni(&self) -> &'static str;
    /// A line for people, of what the agent wants and cannot have.
    fn say(&self, what: &str) {
        // Nobody is left to hear that stderr is closed.
        let _ = std::io::stderr().write_all(format!("xrun: {what}\n").as_bytes());
    }
    /// Enters a raw monitor where that takes no call: false if it does.
    fn enter(&self, _monitor: u64) -> bool {
        false
    }
    /// Leaves it once, in the same way.
    fn leave(&self, _monitor: u64) -> bool {
        false
    }
    /// Whether the calling thread owns it, and nobody waits to be notified.
    fn has_no_waiters(&self, _monitor: u64) -> bool {
        false
    }
    /// A number that stays as long as each JNIEnv means the thread that it meant; `None` if every call is to be made.
    fn threads_met(&self) -> Option<u32> {
        None
    }
    /// Whether this process was forked by the agent's: nobody answers there, and locks that other threads had at the
    /// fork stay taken.
    fn is_child(&self) -> bool {
        false
    }
    /// The name that a raw monitor was given.
    fn monitor_name(&self, monitor: u64) -> Option<Vec<u8>>;
}

static HOST: OnceLock<&'static dyn Host> = OnceLock::new();

/// Whoever comes first answers for as long as the process lives.
pub fn install(host: &'static dyn Host) {
    let _ = HOST.set(host);
}

/// `None` in a child ([`Host::is_child`]), if a thread of its parent's had the lock at the fork.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    if host().is_some_and(Host::is_child) {
        return mutex.try_lock();
    }
    Some(mutex.lock())
}

pub(crate) fn host() -> Option<&'static dyn Host> {
    HOST.get().copied()
}
