//! A JavaVM: it answers GetEnv.
//!
//! # Safety
//! Made once and never freed; agents pass places of theirs to be written to.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::OnceLock;

use jvmpi_headers::jni::{JNI_EDETACHED, JNI_ERR, JNI_OK, JavaVM, JavaVMAttachArgs, jint};
use jvmpi_headers::jvmpi::{JVMPI_VERSION_1, JVMPI_VERSION_1_1, JVMPI_VERSION_1_2};

use crate::host::{Attach, Host, host};
use crate::ours::Ours;
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
            attach_as_daemon as *const c_void,
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

/// Who attaches threads; `None` in a replay, where each is known.
fn attaching() -> Option<&'static dyn Host> {
    host().filter(|host| host.attaches())
}

unsafe extern "C" fn detach(_: *mut JavaVM) -> jint {
    let Some(host) = attaching() else {
        return JNI_OK;
    };
    let Some(_ours) = Ours::begin() else {
        return JNI_ERR;
    };
    let code = host.detach().unwrap_or(JNI_ERR);
    if code == JNI_OK {
        env::forget_current();
    }
    code
}

unsafe extern "C" fn attach(_: *mut JavaVM, out: *mut *mut c_void, arguments: *mut c_void) -> jint {
    // SAFETY: the agent's arguments.
    unsafe { attached(out, arguments.cast(), false) }
}

unsafe extern "C" fn attach_as_daemon(
    _: *mut JavaVM,
    out: *mut *mut c_void,
    arguments: *mut c_void,
) -> jint {
    // SAFETY: the agent's arguments.
    unsafe { attached(out, arguments.cast(), true) }
}

unsafe fn attached(
    out: *mut *mut c_void,
    arguments: *const JavaVMAttachArgs,
    as_daemon: bool,
) -> jint {
    if let Some(host) = attaching() {
        let Some(_ours) = Ours::begin() else {
            return JNI_ERR;
        };
        // SAFETY: null, or what the thread says of itself.
        let said = unsafe { arguments.as_ref() };
        let name = said.map(|said| said.name).filter(|name| !name.is_null());
        // SAFETY: a text.
        let name = name.map(|name| unsafe { CStr::from_ptr(name) });
        let how = Attach {
            as_daemon,
            version: said.map_or(0, |said| said.version),
            name: name.map(|name| name.to_bytes().to_vec()),
            group: said.map_or(0, |said| said.group.addr() as u64),
        };
        match host.attach(&how).unwrap_or((JNI_ERR, 0)) {
            (JNI_OK, own) => env::set_current(own),
            (code, _) => return code,
        }
    }
    // SAFETY: the agent's place for it.
    unsafe { out.write(env::of(env::current()).cast()) };
    JNI_OK
}

unsafe extern "C" fn get_env(_: *mut JavaVM, out: *mut *mut c_void, version: jint) -> jint {
    // As the VM's own does, whatever comes of it.
    if !out.is_null() {
        // SAFETY: the agent's place for it.
        unsafe { out.write(ptr::null_mut()) };
    }
    let is_known = matches!(
        version,
        JVMPI_VERSION_1 | JVMPI_VERSION_1_1 | JVMPI_VERSION_1_2 | 0x0001_0001..=0x00ff_ffff
    );
    if is_known && out.is_null() {
        return JNI_ERR;
    }
    let found: *mut c_void = match version {
        0x0001_0001..=0x00ff_ffff if env::is_unknown() && attaching().is_some() => {
            return JNI_EDETACHED;
        }
        JVMPI_VERSION_1 | JVMPI_VERSION_1_1 | JVMPI_VERSION_1_2 => {
            match table::interface(version) {
                Ok(table) => table.cast(),
                Err(code) => return code,
            }
        }
        0x0001_0001..=0x00ff_ffff => match Ours::begin() {
            Some(_ours) => env::of(env::current()).cast(),
            // A handler for a signal, in the middle of our code.
            None => return JNI_EDETACHED,
        },
        _ => return VERSION_UNKNOWN,
    };
    // SAFETY: the agent's place for it.
    unsafe { out.write(found) };
    JNI_OK
}
