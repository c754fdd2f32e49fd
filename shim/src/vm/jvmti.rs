//! Our JVMTI environment: how it is made and called, and what it answers. Its functions are in
//! [`super::env`].
#![allow(unsafe_code, reason = "the JVMTI function table")]

use std::ptr::{self, NonNull};

use jvmpi_headers::jni::JavaVM;
use jvmpi_headers::jvmti as sys;

use crate::vm::java_vm;
use crate::vm::phase::{self, Phase};

/// A JVMTI call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JvmtiError {
    pub(crate) call: &'static str,
    pub(crate) code: i32,
}

impl std::fmt::Display for JvmtiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JVMTI {} gave error {}", self.call, self.code)
    }
}

impl JvmtiError {
    /// The VM ends: nothing will come any more, and nobody has to be told.
    pub(crate) fn is_too_late(self) -> bool {
        const WRONG_PHASE: i32 = 112;
        self.code == WRONG_PHASE && phase::phase() != Phase::Loading
    }

    /// The thread or the class has ended meanwhile: no reason for a warning.
    pub(crate) fn is_gone(self) -> bool {
        const THREAD_NOT_ALIVE: i32 = 15;
        const INVALID_THREAD: i32 = 10;
        const WRONG_PHASE: i32 = 112;
        // The VM may be ending under a call that we have begun before VMDeath.
        let ended = self.code == WRONG_PHASE && phase::phase() > Phase::Loading;
        ended || matches!(self.code, THREAD_NOT_ALIVE | INVALID_THREAD)
    }

    pub(crate) const CLASS_NOT_PREPARED: i32 = 22;
    pub(crate) const THREAD_SUSPENDED: i32 = 14;
    pub(crate) const THREAD_NOT_SUSPENDED: i32 = 13;
}

pub(crate) type Result<T> = std::result::Result<T, JvmtiError>;

/// Our JVMTI environment.
#[derive(Clone, Copy)]
pub(crate) struct Jvmti(pub(crate) NonNull<sys::jvmtiEnv>);

// SAFETY: JVMTI environments are usable from every thread (specification, "Environments").
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

macro_rules! invoke {
    ($self:ident.$name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the environment is valid while the VM lives (module doc).
        let table = unsafe { *$self.0.as_ptr() };
        // SAFETY: as above.
        match unsafe { (*table).$name } {
            // SAFETY: JVMTI checks its arguments; ours are as the module doc says.
            Some(function) => match unsafe { function($self.0.as_ptr(), $($argument),*) } {
                0 => Ok(()),
                code => Err(JvmtiError { call: stringify!($name), code: code as i32 }),
            },
            None => Err(JvmtiError { call: stringify!($name), code: NOT_AVAILABLE }),
        }
    }};
}
pub(crate) use invoke;

pub(crate) const NOT_AVAILABLE: i32 = 98;

impl Jvmti {
    pub(crate) const VERSION: i32 = 0x3001_0200;

    /// Asks the VM for an environment of our own; `None` when the phase forbids it.
    pub(crate) fn create(vm: *mut JavaVM) -> Option<Self> {
        let environment = java_vm::vms_own_get_env(vm, Self::VERSION)?;
        Some(Self(environment.cast()))
    }

    /// Gives the environment back, with its capabilities and events. Nobody may use it any more.
    pub(crate) fn dispose(self) {
        // There is nothing to do if the VM refuses.
        let _ = invoke!(self.DisposeEnvironment());
    }

    pub(crate) fn phase(self) -> Result<u32> {
        let mut phase = 0;
        invoke!(self.GetPhase(&raw mut phase))?;
        Ok(phase)
    }

    pub(crate) fn allocate(self, bytes: usize) -> Result<NonNull<u8>> {
        let mut memory = ptr::null_mut();
        invoke!(self.Allocate(i64::try_from(bytes).unwrap_or(i64::MAX), &raw mut memory))?;
        NonNull::new(memory).ok_or(JvmtiError {
            call: "Allocate",
            code: 110,
        })
    }

    pub(crate) fn deallocate(self, memory: *mut u8) {
        // Freeing cannot usefully fail.
        let _ = invoke!(self.Deallocate(memory));
    }
}
