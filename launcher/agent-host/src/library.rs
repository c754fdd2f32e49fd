//! The agent's library.
#![allow(unsafe_code, reason = "dlopen and the agent's entry point")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use jvmpi_headers::jni::{JavaVM, jint};

use crate::ours::Ours;
use crate::vm::vm;
use crate::vm_libraries;

/// `JVM_OnLoad`.
type OnLoad = unsafe extern "C-unwind" fn(*mut JavaVM, *mut c_char, *mut c_void) -> jint;

/// An agent. Its library is never closed.
#[derive(Clone, Copy, Debug)]
pub struct Agent(OnLoad);

impl Agent {
    /// Loads the library.
    ///
    /// # Errors
    /// One line, if it cannot be loaded or is no agent.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
            return Err(format!("{shown}: a path with a NUL byte"));
        };
        vm_libraries::provide();
        // SAFETY: a C string; what the library's constructors do is the agent's business.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) };
        if handle.is_null() {
            return Err(of_library(&shown.to_string(), reason()));
        }
        // SAFETY: a handle that is never closed.
        let symbol = unsafe { libc::dlsym(handle, c"JVM_OnLoad".as_ptr()) };
        if symbol.is_null() {
            return Err(format!("{shown} has no JVM_OnLoad: it is no JVMPI agent"));
        }
        // SAFETY: the symbol's type in the specification.
        Ok(Self(unsafe {
            std::mem::transmute::<*mut c_void, OnLoad>(symbol)
        }))
    }

    /// Starts it.
    #[must_use]
    pub fn load(self, options: Option<Vec<u8>>) -> i32 {
        // The agent may write into its options, and keep pointers into them.
        let options = options.map(|options| CString::new(options).unwrap_or_default());
        let options = options.map_or(ptr::null_mut(), CString::into_raw);
        let vm = vm();
        let _agents = Ours::pause();
        // SAFETY: our own JavaVM, and a text that is never freed.
        unsafe { (self.0)(vm, options, ptr::null_mut()) }
    }
}

/// The linker's words, which begin with the library that it means: mostly this one, but not if that is
/// libfoo.so.2.
fn of_library(shown: &str, reason: String) -> String {
    match reason.starts_with(&format!("{shown}: ")) {
        true => reason,
        false => format!("{shown}: {reason}"),
    }
}

fn reason() -> String {
    // SAFETY: null, or a text that is valid until this thread's next call.
    let message = unsafe { libc::dlerror() };
    if message.is_null() {
        return "it cannot be loaded".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_is_named_once() {
        for (reason, whole) in [
            ("./libfoo.so: invalid", "./libfoo.so: invalid"),
            ("./libfoo.so.2: gone", "./libfoo.so: ./libfoo.so.2: gone"),
            ("it cannot be", "./libfoo.so: it cannot be"),
        ] {
            assert_eq!(of_library("./libfoo.so", reason.to_owned()), whole);
        }
    }
}
