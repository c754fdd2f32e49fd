//! The tables of what is known: ids, threads, raw monitors (classes and methods are beside their records).
//!
//! Each is a container with a lock of a few instructions; none is held across agent, JNI or
//! JVMTI code.

use std::sync::atomic::AtomicBool;

use id_map::{Claims, Directory, Monitors, ObjectTable, Renumbering};

use crate::model::thread::Thread;
use crate::vm::hotspot::virtual_threads::mounts::ThreadIdentifier;
use crate::vm::jni::Jni;
use crate::vm::refs::Global;

/// Which ids are in use.
pub(crate) static IDS: ObjectTable = ObjectTable::new();
/// The agent's numbers of objects that the arena model has moved.
pub(crate) static NUMBERS: Renumbering = Renumbering::new();

/// Objects being given an id at this moment.
pub(crate) static CLAIMS: Claims<Claimed> = Claims::new();
/// Threads by JNIEnv pointer.
pub(crate) static THREADS: Directory<Thread> = Directory::new();
/// Threads by the id of their `java.lang.Thread`; virtual ones [once somebody asks](VIRTUAL_BY_ID).
pub(super) static THREADS_BY_ID: Directory<Thread> = Directory::new();
/// Virtual threads are in [`THREADS_BY_ID`], too: there may be very many, and few agents ask for one.
pub(super) static VIRTUAL_BY_ID: AtomicBool = AtomicBool::new(false);
/// Virtual threads that the agent has met, by [`ThreadIdentifier`].
pub(crate) static VIRTUAL_THREADS: Directory<Thread> = Directory::new();
/// Threads that the agent has suspended, by JNIEnv: one that is stopped on its very
/// way out has left the other two.
pub(crate) static SUSPENDED: Directory<Thread> = Directory::new();
/// The agent's raw monitors.
pub(crate) static MONITORS: Monitors = Monitors::new();

/// What threads that meet an object for the first time know it by.
pub(crate) enum Claimed {
    Object(Global),
    VirtualThread(ThreadIdentifier),
}

impl Claimed {
    /// Whether it is the same object.
    pub(super) fn is(&self, jni: Jni, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(one), Self::Object(other)) => jni.same(one.get(), other.get()),
            (Self::VirtualThread(one), Self::VirtualThread(other)) => one == other,
            (Self::Object(_), Self::VirtualThread(_))
            | (Self::VirtualThread(_), Self::Object(_)) => false,
        }
    }
}
