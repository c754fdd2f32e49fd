//! The current thread's JNI environment.
//!
//! # Threads
//! A [`Jni`] belongs to one thread. It is made from what the VM passed to a
//! callback, or asked for with [`Jni::of_this_thread`].
//!
//! # Whose functions
//! Those that the VM had when it started ([`keep`]): an agent that puts others in their places
//! (SetJNIFunctionTable) hears what the program does, and not what we do.
#![allow(unsafe_code, reason = "the JNI function table")]

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmpi_headers::jni::{JNIEnv, JNINativeInterface_};

use crate::vm::java_vm;

/// The current thread's JNI environment.
#[derive(Clone, Copy)]
pub(crate) struct Jni(NonNull<JNIEnv>, PhantomData<*mut ()>);

macro_rules! invoke {
    ($self:ident.$version:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        let table = $self.functions();
        // SAFETY: every VM from 11 on has the functions of this version.
        let function = unsafe { (*table).$version.$name };
        // SAFETY: references are live ones of ours or of the VM's caller.
        unsafe { function($self.env(), $($argument),*) }
    }};
}

pub(crate) use invoke;

/// The VM's functions as they were, once they are kept.
static KEPT: AtomicPtr<JNINativeInterface_> = AtomicPtr::new(ptr::null_mut());

/// Keeps a copy of the VM's functions, of which the first one counts: true if it is this one.
///
/// # Safety
/// The VM has made it (GetJNIFunctionTable), and it is never given back if it counts.
pub(super) unsafe fn keep(table: *mut JNINativeInterface_) -> bool {
    let null = ptr::null_mut();
    let kept = KEPT.compare_exchange(null, table, Ordering::AcqRel, Ordering::Acquire);
    kept.is_ok()
}

/// Whether they are kept.
pub(super) fn are_kept() -> bool {
    !KEPT.load(Ordering::Acquire).is_null()
}

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

    /// The functions to call.
    #[inline]
    pub(crate) fn functions(self) -> *const JNINativeInterface_ {
        let kept = KEPT.load(Ordering::Acquire);
        if kept.is_null() {
            // SAFETY: the environment is the current thread's (module doc).
            return unsafe { *self.env() };
        }
        kept
    }

    /// The number by which JVMPI names the thread.
    pub(crate) fn env(self) -> *mut JNIEnv {
        self.0.as_ptr()
    }
}
