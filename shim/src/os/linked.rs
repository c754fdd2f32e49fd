//! One library with the agent: what the linker knows then (`libjvmpi.a`, made by `./build-static`).
#![allow(unsafe_code, reason = "symbols that the linker resolves")]

use std::ffi::c_void;
use std::ptr::NonNull;

#[cfg(feature = "static-library")]
mod symbols {
    unsafe extern "C" {
        /// The agent's; only its address is taken here.
        pub(super) fn JVM_OnLoad();
        /// The ends of our code: `shim/static-library.ld`.
        pub(super) fn jvmpi_code_begin();
        pub(super) fn jvmpi_code_end();
    }

    // Nobody outside of the library sees it: the VM takes a library of `-Xrun` with Agent_OnLoad
    // alone for an agent of JVMTI's, which we are (JVMTI facts 1).
    std::arch::global_asm!(".hidden JVM_OnLoad");
}

/// JVM_OnLoad of the agent in our own library; `None` if there is none.
pub(crate) fn on_load() -> Option<NonNull<c_void>> {
    #[cfg(feature = "static-library")]
    return NonNull::new(symbols::JVM_OnLoad as *mut c_void);
    #[cfg(not(feature = "static-library"))]
    None
}

/// Whether an address is in our own code, in a library that is the agent's as well.
pub(crate) fn is_own_code(address: usize) -> bool {
    #[cfg(feature = "static-library")]
    let code = symbols::jvmpi_code_begin as *const () as usize
        ..symbols::jvmpi_code_end as *const () as usize;
    #[cfg(not(feature = "static-library"))]
    let code = 0..0;
    code.contains(&address)
}
