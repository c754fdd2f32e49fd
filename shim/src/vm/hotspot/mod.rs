//! What no specification promises and HotSpot has: exported `JVM_*` functions, its own structures,
//! AsyncGetCallTrace, performance counters. Each is tried before it is trusted, and there is a way
//! without it.

pub(crate) mod async_trace;
pub(crate) mod async_walk;
pub(crate) mod class_loaders;
pub(crate) mod hidden_frames;
pub(crate) mod interrupted;
pub(crate) mod last_frame;
pub(crate) mod link;
pub(crate) mod modules;
pub(crate) mod os_thread;
pub(crate) mod pending_exception;
pub(crate) mod perf_memory;
pub(crate) mod signers;
pub(crate) mod thread_env;
pub(crate) mod vm_counters;
pub(crate) mod vm_monitors;
