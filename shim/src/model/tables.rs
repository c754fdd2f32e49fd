//! The tables of what is known: ids, threads, raw monitors (classes and methods are beside their records).
//!
//! Each is a container with a lock of a few instructions; none is held across agent, JNI or
//! JVMTI code.

use std::sync::atomic::AtomicBool;

use id_map::{Claims, Directory, Monitors};

use crate::model::claimed::Claimed;
use crate::model::thread::Thread;
#[cfg(doc)]
use crate::vm::hotspot::mounts::ThreadIdentifier;

pub(crate) use crate::model::id_table::{IDS, NUMBERS};

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
