//! What must be defined before an event names it: threads, classes, objects (JVMPI facts R15).

pub(crate) mod class_load;
pub(crate) mod classes;
pub(crate) mod objects;
pub(crate) mod threads;

use std::sync::Arc;
use std::time::{Duration, Instant};

use id_map::Announcement;

use crate::delivery::deferred;
use crate::model::attention;
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

pub(crate) use classes::{class, make_ready, requested_class, tell};
pub(crate) use objects::{allocation, object, object_by_id};
pub(crate) use threads::{requested_thread, thread};

/// How long a thread waits for another that is defining the same thing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Not at all: the other thread may be suspended by the caller's agent.
    None,
    /// A second: the caller has no agent code on its stack that could hold a lock.
    Long,
    /// Some milliseconds: the other thread's handler may wait for a lock of the
    /// agent's that the caller holds.
    Short,
}

/// Makes sure that the agent knows the current thread before it gets an event of
/// it (JVMPI facts R15).
pub(crate) fn introduce(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>) {
    thread(jvmti, jni, own, own, Patience::Short);
    own.clear_attention(attention::UNMET);
    deferred::flush(jvmti, jni, own);
}

/// Waits until another thread has finished a defining event; false if it has not
/// in time.
pub(crate) fn wait_for(announcement: &Announcement, patience: Patience) -> bool {
    let patience = match patience {
        Patience::None => return announcement.is_done(),
        Patience::Short => Duration::from_millis(20),
        Patience::Long => Duration::from_secs(1),
    };
    let start = Instant::now();
    while !announcement.is_done() {
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    true
}
