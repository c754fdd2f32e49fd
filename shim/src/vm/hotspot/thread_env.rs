//! From a `java.lang.Thread` to its JNIEnv, which no interface offers.
//!
//! `Thread.eetop` holds the address of the VM's own thread structure, and the
//! JNIEnv lies at a fixed distance in it (every HotSpot from 8 on). The distance
//! is measured on a thread whose env is known and checked on each further one;
//! the first contradiction switches the short-cut off.

use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::sync::OnceCell;

use crate::base::log;
use crate::vm::hotspot::class_loaders;
use crate::vm::jni::Jni;
use crate::vm::member_ids::FieldId;
use crate::vm::refs::ObjectRef;

/// `eetop` and the distance, once measured.
static LAYOUT: OnceCell<(FieldId, usize)> = OnceCell::new();
static WRONG: AtomicBool = AtomicBool::new(false);

fn eetop(jni: Jni, field: FieldId, thread: ObjectRef<'_>) -> Option<usize> {
    let value = jni.long_field(thread, field);
    usize::try_from(value).ok().filter(|&address| address != 0)
}

/// Learns from a thread whose env is known, or checks what was learnt.
pub(crate) fn learn(jni: Jni, thread: ObjectRef<'_>) {
    let env = jni.env().expose_provenance();
    if LAYOUT.get().is_none() {
        // Outside of the cell: nobody may wait for a thread that is in the VM.
        match measure(jni, thread, env) {
            Some(layout) => drop(LAYOUT.set(layout)),
            // No such field: nothing can be said of other threads.
            None => drop(jni.take_exception()),
        }
    }
    let Some(&(field, distance)) = LAYOUT.get() else {
        return;
    };
    // Virtual threads have no structure of their own (eetop is 0).
    let contradicted =
        eetop(jni, field, thread).is_some_and(|top| top.wrapping_add(distance) != env);
    if contradicted && !WRONG.swap(true, Ordering::Relaxed) {
        log::warning!(
            "this VM keeps JNIEnv elsewhere; threads older than the agent get no THREAD_START"
        );
    }
}

fn measure(jni: Jni, thread: ObjectRef<'_>, env: usize) -> Option<(FieldId, usize)> {
    let class = class_loaders::of_boot_loader(jni, c"java/lang/Thread")?;
    let field = jni.field(class.get(), c"eetop", c"J")?;
    Some((field, env.wrapping_sub(eetop(jni, field, thread)?)))
}

/// How far the JNIEnv lies in the VM's thread structure, in bytes.
pub(crate) fn distance() -> Option<usize> {
    LAYOUT
        .get()
        .filter(|_| !WRONG.load(Ordering::Relaxed))
        .map(|&(_, distance)| distance)
}

/// The env of a live platform thread.
pub(crate) fn env_of(jni: Jni, thread: ObjectRef<'_>) -> Option<usize> {
    if WRONG.load(Ordering::Relaxed) {
        return None;
    }
    let &(field, distance) = LAYOUT.get()?;
    Some(eetop(jni, field, thread)?.wrapping_add(distance))
}
