//! A JavaVM: it answers GetEnv.
//!
//! # Safety
//! Made once and never freed; agents pass places of theirs to be written to.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use jvmpi_headers::jni::{JNI_ERR, JNI_OK, JavaVM, jint};
use jvmpi_headers::jvmpi::{JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2};

use crate::{env, table};

/// JNI_EVERSION.
const VERSION_UNKNOWN: jint = -3;

/// A JavaVM as C sees it.
#[repr(C)]
struct Vm {
    functions: *const [*const c_void; 8],
}

// SAFETY: never changed.
unsafe impl Sync for Vm {}
// SAFETY: as above.
unsafe impl Send for Vm {}

/// The JavaVM.
pub(crate) fn vm() -> *mut JavaVM {
    static VM: OnceLock<Vm> = OnceLock::new();
    let vm = VM.get_or_init(|| {
        let none = ptr::null();
        let table: [*const c_void; 8] = [
            none,
            none,
            none,
            destroy as *const c_void,
            attach as *const c_void,
            detach as *const c_void,
            get_env as *const c_void,
            attach as *const c_void,
        ];
        Vm {
            functions: Box::leak(Box::new(table)),
        }
    });
    let vm = ptr::from_ref(vm).cast_mut().cast();
    env::set_vm(vm);
    vm
}

unsafe extern "C" fn destroy(_: *mut JavaVM) -> jint {
    JNI_ERR
}

unsafe extern "C" fn detach(_: *mut JavaVM) -> jint {
    JNI_OK
}

unsafe extern "C" fn attach(_: *mut JavaVM, out: *mut *mut c_void, _: *mut c_void) -> jint {
    // SAFETY: the agent's place for it.
    unsafe { out.write(env::of(env::current()).cast()) };
    JNI_OK
}

unsafe extern "C" fn get_env(_: *mut JavaVM, out: *mut *mut c_void, version: jint) -> jint {
    let found: *mut c_void = match version {
        JVMPI_VERSION_1 | JVMPI_VERSION_1_1 | JVMPI_VERSION_1_2 => table::interface(version).cast(),
        0x0001_0001..=0x00ff_ffff => env::of(env::current()).cast(),
        _ => return VERSION_UNKNOWN,
    };
    // SAFETY: the agent's place for it.
    unsafe { out.write(found) };
    JNI_OK
}
