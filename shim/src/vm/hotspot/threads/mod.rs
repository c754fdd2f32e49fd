//! What the VM knows of one thread, in its own structure of it or by a function of its own.
//!
//! A line belongs here if it is about one thread, of whatever kind; what only a virtual one or its carrier has is in
//! [`super::virtual_threads`], frames are in [`super::stacks`].

pub(crate) mod os_thread;
pub(crate) mod pending_exception;
pub(crate) mod service_thread;
pub(crate) mod sleep;
pub(crate) mod thread_env;
pub(crate) mod thread_state;
