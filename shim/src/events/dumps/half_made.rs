//! Virtual threads that are being made: the VM's walk would end with SIGSEGV.
//!
//! Each virtual thread that it meets the walk asks whether its continuation is done, and one whose constructor has not come
//! to that has none (JVMTI facts 20). A thread is there for long where it is in a handler that waits for what the agent
//! holds that asks for the dump, or that asks itself.

use crate::base::patience;
use crate::model::thread::Thread;
use crate::model::{threads, virtual_threads};
use crate::vm::env::{Frame, Jvmti};
use crate::vm::hotspot::class_loaders;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::stack;

/// Seen on 25, 26 and 27, and not on 21; 22 to 24 were not tried, and are refused likewise.
const FIRST: i32 = 22;

/// A handler's own Java code, and what it has called, may lie above the constructor.
const DEPTH: usize = 2048;

/// Waits until those that are making one now have made it; false if one stays.
pub(super) fn are_none(jvmti: Jvmti, jni: Jni) -> bool {
    if jvmti.feature_version() < FIRST {
        return true;
    }
    let makers = makers(jvmti, jni);
    if makers.is_empty() {
        return true;
    }
    let mut making = threads::all();
    making.retain(|thread| makes_one(jvmti, thread, &makers));
    making.is_empty()
        || patience::HALF_MADE.until(|| {
            making.retain(|thread| makes_one(jvmti, thread, &makers));
            making.is_empty()
        })
}

/// The methods that call the constructor.
fn makers(jvmti: Jvmti, jni: Jni) -> Vec<MethodId> {
    let class = class_loaders::of_boot_loader(jni, c"java/lang/ThreadBuilders");
    let methods = class.and_then(|class| jvmti.methods(class.get()).ok());
    let is_maker = |&method: &MethodId| {
        let name = jvmti.method_name(method);
        name.is_ok_and(|(name, _)| name.bytes() == b"newVirtualThread")
    };
    let methods = methods.iter().flat_map(|methods| methods.as_slice());
    methods.copied().filter(is_maker).collect()
}

/// Whether the thread, or the one that it carries, makes one.
fn makes_one(jvmti: Jvmti, thread: &Thread, makers: &[MethodId]) -> bool {
    let is_maker = |frame: &Frame| makers.contains(&frame.method);
    let makes = |thread: &Thread| {
        thread.object().is_some_and(|object| {
            let object = object.get().into();
            let made = stack::take(jvmti, object, DEPTH, |frames| frames.iter().any(is_maker));
            made.unwrap_or(false)
        })
    };
    makes(thread) || virtual_threads::carried_by(thread).is_some_and(|carried| makes(&carried))
}
