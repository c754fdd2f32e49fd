//! What JNI begins and ends around a piece of code: frames of local references, critical
//! regions, monitors.
#![allow(unsafe_code, reason = "the JNI function table")]

use crate::vm::jni_env::{Jni, invoke};
use crate::vm::refs::{Local, ObjectRef};

impl Jni {
    /// Runs `body` with room for `capacity` more local references, all of which
    /// are gone afterwards: what it gives back has none of them, which are not for other threads.
    pub(crate) fn with_frame<T: Send>(self, capacity: usize, body: impl FnOnce() -> T) -> T {
        let capacity = i32::try_from(capacity).unwrap_or(i32::MAX);
        if invoke!(self.v1_2.PushLocalFrame(capacity)) != 0 {
            // Out of memory in the VM: without the frame the references live
            // until the native caller returns.
            invoke!(self.v1_2.ExceptionClear());
            return body();
        }
        let _frame = Frame(self);
        body()
    }

    /// Runs `body` while no collection begins: the calling thread is in a critical region
    /// (JNI, GetPrimitiveArrayCritical; Shenandoah, and G1 from JDK 22 on, collect all the same).
    /// `body` calls no JNI and waits for nothing: others who need memory wait for it. `bytes` is
    /// a `byte[]`. `None` if there is no memory;
    /// nothing has been run.
    pub(crate) fn without_collections<T>(
        self,
        bytes: ObjectRef<'_>,
        body: impl FnOnce() -> T,
    ) -> Option<T> {
        let nothing = std::ptr::null_mut();
        let start = invoke!(self.v1_2.GetPrimitiveArrayCritical(bytes.to_jni(), nothing));
        if start.is_null() {
            return None;
        }
        let _critical = Critical {
            jni: self,
            bytes,
            start,
        };
        Some(body())
    }

    /// A `byte[length]`.
    pub(crate) fn byte_array(self, length: i32) -> Option<Local> {
        let array = Local::adopt(self, invoke!(self.v1_2.NewByteArray(length)));
        if array.is_none() {
            drop(self.take_exception());
        }
        array
    }

    /// Enters an object's monitor; false if there is no memory.
    pub(crate) fn enter_monitor(self, object: ObjectRef<'_>) -> bool {
        invoke!(self.v1_2.MonitorEnter(object.to_jni())) == 0
    }

    pub(crate) fn exit_monitor(self, object: ObjectRef<'_>) {
        invoke!(self.v1_2.MonitorExit(object.to_jni()));
    }
}

/// A frame of local references, until it is dropped.
struct Frame(Jni);

impl Drop for Frame {
    fn drop(&mut self) {
        let jni = self.0;
        invoke!(jni.v1_2.PopLocalFrame(std::ptr::null_mut()));
    }
}

/// A critical region, until it is dropped.
struct Critical<'a> {
    jni: Jni,
    bytes: ObjectRef<'a>,
    start: *mut std::ffi::c_void,
}

impl Drop for Critical<'_> {
    fn drop(&mut self) {
        const NOTHING_TO_COPY_BACK: i32 = 2;
        let (jni, mode) = (self.jni, NOTHING_TO_COPY_BACK);
        invoke!(
            jni.v1_2
                .ReleasePrimitiveArrayCritical(self.bytes.to_jni(), self.start, mode)
        );
    }
}
