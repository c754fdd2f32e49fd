//! GetEnv, where agents get their interfaces from, and DestroyJavaVM, to know who ends the VM.
//!
//! Every version that is neither JVMPI's nor that of our extension stays the VM's own.
#![allow(unsafe_code, reason = "functions of the VM's invoke interface")]

use std::ffi::c_void;
use std::ptr;

use jvmpi_headers::jni::{JNI_ERR, JNI_EVERSION, JNI_OK, JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2};
use jvmpi_headers::xrun_ext::XRUN_EXT_VERSION_1;
use shim_options::CpuTime;

use crate::agent::table;
use crate::base::boundary::{guarded, unlogged};
use crate::base::{config, log, terminal};
use crate::entry::extension::EXTENSION;
use crate::model::current;
use crate::os::cpu_clock;
use crate::vm::java_vm;

/// Puts our functions in place. A second call changes nothing.
///
/// # Safety
/// `vm` must be the VM's JavaVM, as passed to Agent_OnLoad or JVM_OnLoad.
pub(crate) unsafe fn install(vm: *mut JavaVM) {
    let (destroy, get_env) = (destroy_java_vm as *mut c_void, get_env as *mut c_void);
    // SAFETY: the caller's promise; both have the type of their slot.
    unsafe { java_vm::install(vm, destroy, get_env) };
}

/// The VM waits in it for the other threads and then ends. No frame of ours but this one may be
/// in the way of whatever the VM does to its caller: the boundary is around our part only.
unsafe extern "system" fn destroy_java_vm(vm: *mut JavaVM) -> jint {
    let Some(original) = java_vm::vms_own_destroy() else {
        return JNI_ERR;
    };
    unlogged("DestroyJavaVM", || current::set_destroys_vm(true));
    // SAFETY: the caller's argument, passed on as it is.
    let code = unsafe { original(vm) };
    unlogged("DestroyJavaVM", || current::set_destroys_vm(false));
    code
}

/// JVMPI for those who ask for it, from every thread and in every phase.
unsafe extern "system" fn get_env(vm: *mut JavaVM, out: *mut *mut c_void, version: jint) -> jint {
    guarded("GetEnv", JNI_ERR, || {
        if !matches!(
            version,
            JVMPI_VERSION_1 | JVMPI_VERSION_1_1 | JVMPI_VERSION_1_2 | XRUN_EXT_VERSION_1
        ) {
            return java_vm::forward(vm, out, version);
        }
        let newest = config::options().host.row().version.raw();
        if version != XRUN_EXT_VERSION_1 && version > newest {
            // As such a host answers to a version that it does not know.
            log::warn_once!(
                "GetEnv(JVMPI {version:#x}): the simulated host knows {newest:#x}; JNI_EVERSION"
            );
            return JNI_EVERSION;
        }
        if out.is_null() {
            log::warn_once!("GetEnv(JVMPI): no place for the interface was given (NULL)");
            return JNI_ERR;
        }
        if config::options().cpu_time == CpuTime::Cpu {
            cpu_clock::choose();
        }
        let interface = if version == XRUN_EXT_VERSION_1 {
            terminal::agent_speaks();
            ptr::from_ref(&EXTENSION).cast_mut().cast()
        } else {
            table::interface(version).cast()
        };
        // SAFETY: not null; that it is writable is the caller's promise, as for the VM's own GetEnv.
        unsafe { out.write(interface) };
        JNI_OK
    })
}
