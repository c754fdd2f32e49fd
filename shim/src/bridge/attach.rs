//! Threads that the agent has made itself, where the VM is to know them: AttachCurrentThread and
//! DetachCurrentThread, on the threads that stand for them here.
//!
//! # Safety
//! What the agent asks for is two numbers, a text, of which there is a copy here, and a reference as the agent gave it.
#![allow(unsafe_code, reason = "a function of the VM's invoke interface")]

use std::ffi::CString;
use std::ptr;

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVMAttachArgs, jint};
use lanes::{Awaits, Message};
use recording_format::Value;

use crate::bridge::own_talk::OwnTalk;
use crate::vm::java_vm;
use crate::vm::jni::Jni;

/// JNI's code, and the thread's JNIEnv.
pub(super) fn attach(own: &OwnTalk, asked: &Message<'_>) -> (jint, u64) {
    let is_known = Jni::of_this_thread().is_some();
    let name = asked.values.first().and_then(Value::bytes);
    let name = name.and_then(|name| CString::new(name).ok());
    let group = asked.values.get(1).and_then(Value::id).unwrap_or(0);
    let arguments = (asked.number != 0).then(|| JavaVMAttachArgs {
        version: asked.number,
        name: name
            .as_ref()
            .map_or(ptr::null_mut(), |name| name.as_ptr().cast_mut()),
        group: ptr::with_exposed_provenance_mut(usize::try_from(group).unwrap_or(0)),
    });
    // SAFETY: the name is null or the copied text, which lives until the end of this function; the group is null or what
    // the agent gives as a reference, which the VM resolves as it does for any agent.
    match unsafe { java_vm::attach_with(asked.flag, arguments.as_ref()) } {
        Ok(env) => {
            own.attached.set(own.attached.get() || !is_known);
            (JNI_OK, env.addr() as u64)
        }
        Err(code) => (code, 0),
    }
}

/// JNI's code. The VM's own threads, and one in a handler, stay: the VM would take from under it what
/// it stands on.
pub(super) fn detach(own: &OwnTalk, awaits: Awaits) -> jint {
    if Jni::of_this_thread().is_none() {
        return JNI_OK;
    }
    if !own.attached.get() || awaits != Awaits::News {
        return JNI_ERR;
    }
    let code = java_vm::detach();
    own.attached.set(code != JNI_OK);
    code
}

/// The agent's thread has ended, and may have been attached still.
pub(super) fn end(own: &OwnTalk) {
    if own.attached.take() {
        java_vm::detach();
    }
}
