//! Loading a library as System.loadLibrary does.
//!
//! One that wants an executable stack takes the guards off all stacks (glibc up to 2.40). The VM looks for that
//! before it loads a library, and puts the guards of its threads' stacks back at a safepoint; to whoever
//! calls dlopen itself nobody does.
#![allow(unsafe_code, reason = "a function of libjvm found by name")]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::os::library;
use crate::vm::hotspot::found::{HOTSPOT, LoadLibrary, NOT_THERE, SOMETHING_ELSE, Why, function};
use crate::vm::hotspot::threads::pending_exception::ExceptionAside;
use crate::vm::jni::Jni;

/// No exception, please. JDK 11 does not look at it, and throws.
const NO_EXCEPTION: u8 = 0;

/// libjvm, which is loaded, gives the handle that it has.
fn find() -> Result<LoadLibrary, Why> {
    let load = function!(c"JVM_LoadLibrary" as LoadLibrary)?;
    let libjvm = library::path_of(load as usize).ok_or(NOT_THERE)?;
    let libjvm = CString::new(libjvm.as_os_str().as_bytes()).map_err(|_| NOT_THERE)?;
    let known = library::handle_of_loaded(&libjvm).ok_or(NOT_THERE)?;
    // SAFETY: a C string; the calling thread is the VM's, in native code.
    let handle = unsafe { load(libjvm.as_ptr(), NO_EXCEPTION) };
    if handle == known.as_ptr() {
        Ok(load)
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Has the VM load a library, which stays loaded; why it cannot is for the linker to say. False if there is
/// no such function. The library's constructors run on the VM's own thread, at a safepoint, if it wants an
/// executable stack.
///
/// # Phase
/// Live.
pub(crate) fn load(jni: Jni, path: &Path) -> bool {
    let _aside = ExceptionAside::put(jni);
    let Some(&load) = HOTSPOT.library_loader.get_or_find(find) else {
        return false;
    };
    if let Ok(path) = CString::new(path.as_os_str().as_bytes()) {
        // SAFETY: as above.
        unsafe { load(path.as_ptr(), NO_EXCEPTION) };
    }
    true
}
