//! RedefineClasses and RetransformClasses, called by others ([`crate::vm::hotspot::classes::redefinition`]).
//!
//! # Safety
//! What the caller has passed goes on to the VM as it came.
#![allow(unsafe_code, reason = "functions of the VM's table of JVMTI functions")]

use std::slice;

use jvmpi_headers::jni::{jclass, jint};
use jvmpi_headers::jvmti::{JVMTI_ERROR_NONE, jvmtiClassDefinition, jvmtiEnv, jvmtiError};

use crate::base::boundary::guarded;
use crate::events::vm_life::vm_events::Redefining;
use crate::model::classes::others_code::{self, OthersCode};
use crate::os::memory;
use crate::vm::env::NOT_AVAILABLE;
use crate::vm::hotspot::classes::redefinition::{Functions, Which, original};
use crate::vm::refs::ObjectRef;
use crate::vm::this_vm;

/// What the VM is to call first.
pub(crate) const OURS: Functions = Functions {
    redefine,
    retransform,
};

unsafe extern "C" fn redefine(
    env: *mut jvmtiEnv,
    count: jint,
    definitions: *const jvmtiClassDefinition,
) -> jvmtiError {
    let Some(vms_own) = original(Which::Redefine) else {
        return NOT_AVAILABLE.cast_unsigned();
    };
    let change = guarded("RedefineClasses", None, || {
        // SAFETY: the caller's array.
        let definitions = unsafe { array(env, count, definitions) }?;
        // SAFETY: references that the calling thread may use, or null.
        let classes = definitions
            .iter()
            .filter_map(|it| unsafe { ObjectRef::lent(&it.klass) });
        Change::comes(classes.collect())
    });
    // SAFETY: what the caller passed.
    let answer = unsafe { (vms_own.redefine)(env, count, definitions) };
    guarded("RedefineClasses", (), || {
        Change::is_answered(change, answer);
    });
    answer
}

unsafe extern "C" fn retransform(
    env: *mut jvmtiEnv,
    count: jint,
    classes: *const jclass,
) -> jvmtiError {
    let Some(vms_own) = original(Which::Retransform) else {
        return NOT_AVAILABLE.cast_unsigned();
    };
    let change = guarded("RetransformClasses", None, || {
        // SAFETY: the caller's array.
        let classes = unsafe { array(env, count, classes) }?;
        // SAFETY: references that the calling thread may use, or null.
        let classes = classes
            .iter()
            .filter_map(|it| unsafe { ObjectRef::lent(it) });
        Change::comes(classes.collect())
    });
    // SAFETY: what the caller passed.
    let answer = unsafe { (vms_own.retransform)(env, count, classes) };
    guarded("RetransformClasses", (), || {
        Change::is_answered(change, answer);
    });
    answer
}

/// What others have asked the VM for, until it has answered.
struct Change<'a> {
    classes: Vec<ObjectRef<'a>>,
    _code: OthersCode,
    _files: Option<Redefining>,
}

impl<'a> Change<'a> {
    /// `None` if nobody has to know.
    fn comes(classes: Vec<ObjectRef<'a>>) -> Option<Self> {
        let code = OthersCode::comes(classes.iter().copied())?;
        let files = Redefining::begin(this_vm::jvmti()?);
        Some(Self {
            classes,
            _code: code,
            _files: files,
        })
    }

    fn is_answered(change: Option<Self>, answer: jvmtiError) {
        if let Some(change) = change {
            others_code::is_answered(change.classes.iter().copied(), answer == JVMTI_ERROR_NONE);
        }
    }
}

/// What others have passed; ours knows what it does itself.
///
/// # Safety
/// There are so many, or it is null.
unsafe fn array<'a, T>(env: *mut jvmtiEnv, count: jint, first: *const T) -> Option<&'a [T]> {
    let is_ours = this_vm::jvmti_to_the_end().is_some_and(|ours| ours.0.as_ptr() == env);
    let count = usize::try_from(count).ok().filter(|&count| count > 0)?;
    // The VM has not looked yet what it is called with.
    if is_ours || !memory::readable(first, count.saturating_mul(size_of::<T>())) {
        return None;
    }
    // SAFETY: readable, and the caller's promise.
    Some(unsafe { slice::from_raw_parts(first, count) })
}
