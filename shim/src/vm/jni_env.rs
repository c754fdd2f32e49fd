//! The current thread's JNI environment, and its functions for references.
//!
//! # Threads
//! A [`Jni`] belongs to one thread. It is made from what the VM passed to a
//! callback, or asked for with [`Jni::of_this_thread`].
#![allow(unsafe_code, reason = "the JNI function table")]

use std::marker::PhantomData;
use std::ptr::NonNull;

use jvmpi_headers::jni::{JNIEnv, jobject};

use crate::vm::{java_vm, jni_functions};

/// The current thread's JNI environment.
#[derive(Clone, Copy)]
pub(crate) struct Jni(NonNull<JNIEnv>, PhantomData<*mut ()>);

macro_rules! invoke {
    ($self:ident.$version:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the environment is the current thread's (module doc).
        let table = unsafe { *$self.env() };
        // SAFETY: every VM from 11 on has the functions of this version.
        let function = unsafe { (*table).$version.$name };
        // SAFETY: references are live ones of ours or of the VM's caller.
        unsafe { function($self.env(), $($argument),*) }
    }};
}

pub(crate) use invoke;

impl Jni {
    /// Wraps what the VM passed to a callback.
    ///
    /// # Safety
    /// `env` must be null or the calling thread's environment, and must not leave the thread.
    pub(crate) unsafe fn from_raw(env: *mut JNIEnv) -> Option<Self> {
        Some(Self(NonNull::new(env)?, PhantomData))
    }

    /// The calling thread's environment; `None` if the VM does not know the thread.
    pub(crate) fn of_this_thread() -> Option<Self> {
        const JNI_VERSION_1_2: i32 = 0x0001_0002;
        let vm = java_vm::get()?;
        let env = java_vm::vms_own_get_env(vm, JNI_VERSION_1_2)?;
        Some(Self(env.cast(), PhantomData))
    }

    /// The number by which JVMPI names the thread.
    pub(crate) fn env(self) -> *mut JNIEnv {
        self.0.as_ptr()
    }

    pub(crate) fn delete_local(self, object: jobject) {
        invoke!(self.v1_2.DeleteLocalRef(object));
    }

    pub(crate) fn new_local(self, object: jobject) -> jobject {
        invoke!(self.v1_2.NewLocalRef(object))
    }

    // Past our own wrappers: the shim's references are nobody's business.

    pub(crate) fn new_global(self, object: jobject) -> jobject {
        match jni_functions::original() {
            // SAFETY: the current thread's environment; a live reference.
            Some(original) => unsafe { (original.new_global)(self.0.as_ptr(), object) },
            None => invoke!(self.v1_2.NewGlobalRef(object)),
        }
    }

    pub(crate) fn delete_global(self, object: jobject) {
        match jni_functions::original() {
            // SAFETY: the current thread's environment; a reference of ours.
            Some(original) => unsafe { (original.delete_global)(self.0.as_ptr(), object) },
            None => invoke!(self.v1_2.DeleteGlobalRef(object)),
        }
    }

    pub(crate) fn new_weak(self, object: jobject) -> jobject {
        match jni_functions::original() {
            // SAFETY: the current thread's environment; a live reference.
            Some(original) => unsafe { (original.new_weak)(self.0.as_ptr(), object) },
            None => invoke!(self.v1_2.NewWeakGlobalRef(object)),
        }
    }

    pub(crate) fn delete_weak(self, object: jobject) {
        match jni_functions::original() {
            // SAFETY: the current thread's environment; a reference of ours.
            Some(original) => unsafe { (original.delete_weak)(self.0.as_ptr(), object) },
            None => invoke!(self.v1_2.DeleteWeakGlobalRef(object)),
        }
    }
}
