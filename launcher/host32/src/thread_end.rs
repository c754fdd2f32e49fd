//! What is done where a thread ends, in whatever way it does: by a key of pthread's.
//!
//! Not by a destructor of `thread_local!`: exit() runs those of the thread that calls it, which goes on to run the exit
//! handlers.
#![allow(unsafe_code, reason = "a key of pthread's")]

use std::ffi::c_void;
use std::sync::OnceLock;

type Function = fn();

unsafe extern "C" fn ended(function: *mut c_void) {
    // SAFETY: what `call` has left there.
    let function = unsafe { std::mem::transmute::<*mut c_void, Function>(function) };
    function();
}

/// Calls this when the calling thread ends, behind the destructors of its `thread_local!` variables: those that have one
/// are gone by then.
pub(crate) fn call(function: Function) {
    static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: room for it. There are a thousand, and only initializers of the agent's library have run when this one is made.
        unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) };
        key
    });
    // SAFETY: the key is ours.
    unsafe { libc::pthread_setspecific(*key, function as *const c_void) };
}
