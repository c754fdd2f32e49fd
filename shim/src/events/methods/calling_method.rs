//! The method that has called a hook, from the stack.

use std::ptr;
use std::sync::Arc;

use event_translate::table::EventKind;
use jvmpi_headers::jni::jmethodID;

use crate::base::patience;
use crate::delivery::announce::{self};
use crate::delivery::dispatch;
use crate::model::thread::Thread;
use crate::model::{method_numbers, methods};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::stack;

/// The announced id of the method that calls the hook; 0 if it cannot be named, and
/// remembered once its class has been announced.
fn resolve(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, number: i32) -> usize {
    let known = method_numbers::id(number);
    if known != 0 {
        return known;
    }
    /// The hook, and the method; on JDKs that show both.
    const ENOUGH: usize = 4;
    let caller = stack::take(jvmti, ptr::null_mut(), ENOUGH, |frames| {
        let mut frames = frames.iter();
        frames.find_map(|frame| {
            let id: jmethodID = ptr::with_exposed_provenance_mut(frame.method);
            let method = methods::of(jvmti, jni, id)?;
            (!method.is_ours()).then_some((id, method))
        })
    });
    let Ok(Some((id, method))) = caller else {
        return 0;
    };
    let announced = method.announced_as();
    if !dispatch::reaches_agent(EventKind::ClassLoad)
        || announce::class(jvmti, jni, own, &method.class, patience::DEFINITION)
    {
        let constructor = jvmti
            .method_name(id)
            .is_ok_and(|(name, _)| name.bytes() == b"<init>");
        method_numbers::set(
            number,
            ptr::with_exposed_provenance_mut(announced),
            constructor,
        );
    }
    announced
}

/// The announced id of the method of this number, on the thread that runs it.
pub(crate) fn named(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, number: i32) -> Option<usize> {
    Some(resolve(jvmti, jni, own, number)).filter(|&method| method != 0)
}
