//! The method that has called a hook, from the stack.

use std::sync::Arc;

use event_translate::table::EventKind;

use crate::base::patience;
use crate::delivery::announce::{self};
use crate::delivery::dispatch;
use crate::model::classes::{method_numbers, methods};
use crate::model::thread::Thread;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::member_ids::MethodId;
use crate::vm::refs::ThreadRef;
use crate::vm::stack;

/// The announced id of the method of this number, on the thread that runs it: it calls the hook.
/// `None` if it cannot be named, as where the agent wants CLASS_LOAD and it cannot be sent now;
/// remembered once its class has been announced. A thread that is `attaching` keeps both.
pub(crate) fn named(
    jvmti: Jvmti,
    jni: Jni,
    own: &Arc<Thread>,
    number: i32,
    attaching: bool,
) -> Option<MethodId> {
    let known = method_numbers::id(number);
    if known.is_some() {
        return known;
    }
    /// The hook, and the method; on JDKs that show both.
    const ENOUGH: usize = 4;
    let caller = stack::take(jvmti, ThreadRef::CURRENT, ENOUGH, |frames| {
        let mut frames = frames.iter();
        frames.find_map(|frame| {
            let method = methods::of(jvmti, jni, frame.method)?;
            (!method.is_ours()).then_some((frame.method, method))
        })
    });
    let (id, method) = caller.ok()??;
    let announced = method.announced_as();
    let told = !dispatch::reaches_agent(EventKind::ClassLoad)
        || announce::class(jvmti, jni, own, &method.class, patience::DEFINITION);
    if told {
        let constructor = jvmti
            .method_name(id)
            .is_ok_and(|(name, _)| name.bytes() == b"<init>");
        method_numbers::set(number, announced, constructor);
    }
    (told || attaching || method.class.may_be_named()).then_some(announced)
}
