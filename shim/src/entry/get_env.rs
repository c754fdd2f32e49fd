//! GetEnv, where agents get their interfaces from, and DestroyJavaVM, to know who ends the VM.
//!
//! Every version that is neither JVMPI's nor that of our extension stays the VM's own.
#![allow(unsafe_code, reason = "functions of the VM's invoke interface")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{Ordering, fence};

use jvmpi_headers::jni::{JNI_ERR, JNI_EVERSION, JNI_OK, JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2};
use jvmpi_headers::xrun_ext::XRUN_EXT_VERSION_1;
use shim_options::CpuTime;

use crate::agent::table;
use crate::base::boundary::{guarded, unlogged};
use crate::base::{config, log, terminal};
use crate::entry::extension::EXTENSION;
use crate::entry::{attach_thread, detach_thread};
use crate::model::thread::current;
use crate::observe::jvmti::agents;
use crate::os::cpu_clock;
use crate::os::processor::with_caller;
use crate::vm::java_vm::{self, Ours};

/// The bits of a version that say of which interface it is, and what they are for JVMTI.
const INTERFACE: jint = 0x7000_0000;
const JVMTI: jint = 0x3000_0000;

/// Puts our functions in place. A second call changes nothing.
///
/// # Safety
/// `vm` must be the VM's JavaVM, as passed to Agent_OnLoad or JVM_OnLoad.
pub(crate) unsafe fn install(vm: *mut JavaVM) {
    let destroy = destroy_java_vm as *mut c_void;
    let get_env = match code() {
        0 => get_env as *mut c_void,
        with_caller => ptr::with_exposed_provenance_mut(with_caller),
    };
    let ours = Ours {
        destroy_java_vm: destroy,
        get_env,
        attach: attach_thread::functions(),
        detach: detach_thread::function(),
    };
    // SAFETY: the caller's promise; all have the type of their slot.
    unsafe { java_vm::install(vm, &ours) };
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

with_caller!("jvmpi_get_env", get_env_from);

/// Where nobody says who calls.
unsafe extern "system" fn get_env(vm: *mut JavaVM, out: *mut *mut c_void, version: jint) -> jint {
    // SAFETY: the caller's arguments, passed on as they are.
    unsafe { get_env_from(vm, out, version, 0) }
}

/// JVMPI for those who ask for it, from every thread and in every phase.
unsafe extern "C" fn get_env_from(
    vm: *mut JavaVM,
    out: *mut *mut c_void,
    version: jint,
    caller: usize,
) -> jint {
    guarded("GetEnv", JNI_ERR, || {
        if !matches!(
            version,
            JVMPI_VERSION_1 | JVMPI_VERSION_1_1 | JVMPI_VERSION_1_2 | XRUN_EXT_VERSION_1
        ) {
            let code = java_vm::forward(vm, out, version);
            if version & INTERFACE == JVMTI && code == JNI_OK {
                // SAFETY: the VM has just put something there.
                let env = unsafe { out.read() };
                // SAFETY: a new environment.
                unsafe { agents::has_asked(env, caller) };
            } else if version & INTERFACE == JVMTI && code == JNI_EVERSION {
                agents::was_refused(version, caller);
            }
            return code;
        }
        // Who is here has read the VM's table without order, and reads ours so: what was put there
        // before is read after it.
        fence(Ordering::Acquire);
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
