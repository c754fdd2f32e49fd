//! From a `java.lang.Thread` to its JNIEnv, which no interface offers.
//!
//! `Thread.eetop` holds the address of the VM's own thread structure, and the
//! JNIEnv lies at a fixed distance in it (every HotSpot from 8 on). The distance
//! is measured on a thread whose env is known and checked on each further one;
//! the first contradiction switches the short-cut off.

use crate::base::log;
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, ThreadEnv};
use crate::vm::jni::Jni;
use crate::vm::refs::ObjectRef;

impl ThreadEnv {
    /// Where the VM keeps what it knows of a thread; `None` of a virtual one, which has no
    /// structure of its own (eetop is 0).
    fn top(&self, jni: Jni, thread: ObjectRef<'_>) -> Option<usize> {
        let value = jni.long_field(thread, self.eetop);
        usize::try_from(value).ok().filter(|&address| address != 0)
    }
}

/// Learns from a thread whose env is known, or checks what was learnt.
pub(crate) fn learn(jni: Jni, thread: ObjectRef<'_>) {
    let env = jni.env().expose_provenance();
    let measured = || measure(jni, thread, env).ok_or(NOT_THERE);
    let Some(layout) = HOTSPOT.thread_env.get_or_find(measured) else {
        return;
    };
    let contradicted = layout
        .top(jni, thread)
        .is_some_and(|top| top.wrapping_add(layout.distance) != env);
    if contradicted && HOTSPOT.lose_thread_env() {
        log::warning!(
            "this VM keeps JNIEnv elsewhere; threads older than the agent get no THREAD_START"
        );
    }
}

fn measure(jni: Jni, thread: ObjectRef<'_>, env: usize) -> Option<ThreadEnv> {
    let field = || {
        let class = jni.class_of(thread)?;
        jni.field(class.get(), c"eetop", c"J")
    };
    let eetop = field();
    // No such field: nothing can be said of other threads.
    drop(jni.take_exception());
    let layout = ThreadEnv {
        eetop: eetop?,
        distance: 0,
    };
    let distance = env.wrapping_sub(layout.top(jni, thread)?);
    Some(ThreadEnv { distance, ..layout })
}

/// Whether [`env_of`] can tell.
pub(crate) fn is_found() -> bool {
    HOTSPOT.thread_env.get().is_some()
}

/// The env of a live platform thread.
pub(crate) fn env_of(jni: Jni, thread: ObjectRef<'_>) -> Option<usize> {
    let layout = HOTSPOT.thread_env.get()?;
    Some(layout.top(jni, thread)?.wrapping_add(layout.distance))
}
