//! The numbers by which rewritten code calls its methods, and the id behind each.
//!
//! A class keeps its numbers for life. The id is filled in when the class is prepared, or
//! at the first call, from the stack.

use std::ptr;
use std::sync::Arc;

use event_translate::table::EventKind;
use id_map::MethodNumbers;
use jvmpi_headers::jni::jmethodID;

use crate::delivery::dispatch::{self, Patience};
use crate::model::thread::Thread;
use crate::model::{classes, methods};
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;
use crate::vm::stack;

/// What rewritten code calls its methods: the id that CLASS_LOAD announced, and
/// [`CONSTRUCTOR`].
static NUMBERS: MethodNumbers = MethodNumbers::new();

/// The lowest bit; the jmethodID, which is a pointer or a small number (JDK 26), above it.
const CONSTRUCTOR: usize = 1;
const ID: u32 = 1;

/// The method of this number has this id, under which CLASS_LOAD announces it.
pub(crate) fn set(number: i32, id: jmethodID, is_constructor: bool) {
    let bit = usize::from(is_constructor);
    NUMBERS.set(number, id.expose_provenance() << ID | bit);
}

/// The announced id of the method of this number; 0 while it is unknown.
#[inline(always)]
pub(crate) fn id(number: i32) -> usize {
    NUMBERS.get(number) >> ID
}

/// Whether it is known as a constructor.
pub(crate) fn is_constructor(number: i32) -> bool {
    NUMBERS.get(number) & CONSTRUCTOR != 0
}

/// The numbers of a class's methods, in the class file's order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) base: i32,
    pub(crate) count: usize,
}

/// Numbers for that many methods of a class.
pub(crate) fn reserve(count: usize) -> Option<Range> {
    let base = NUMBERS.reserve(count)?;
    Some(Range { base, count })
}

/// The class is gone.
pub(crate) fn release(range: Range) {
    NUMBERS.release(range.base, range.count);
}

/// The announced id of the method that calls the hook; 0 if it cannot be named, and
/// remembered once its class has been announced.
fn resolve(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, number: i32) -> usize {
    let known = NUMBERS.get(number);
    if known != 0 {
        return known >> ID;
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
        || classes::announce(jvmti, jni, own, &method.class, Patience::Long)
    {
        let constructor = jvmti
            .method_name(id)
            .is_ok_and(|(name, _)| name.bytes() == b"<init>");
        let bit = usize::from(constructor);
        NUMBERS.set(number, announced << ID | bit);
    }
    announced
}

/// The announced id of the method of this number, on the thread that runs it.
pub(crate) fn named(jvmti: Jvmti, jni: Jni, own: &Arc<Thread>, number: i32) -> Option<usize> {
    Some(resolve(jvmti, jni, own, number)).filter(|&method| method != 0)
}
