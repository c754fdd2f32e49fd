//! What no specification promises and HotSpot has: exported `JVM_*` functions, its own structures,
//! AsyncGetCallTrace, performance counters. Each is tried before it is trusted, and there is a way
//! without it: [`event_translate::internals`] has them all, and [`found`] what was found.

pub(crate) mod async_trace;
pub(crate) mod async_walk;
pub(crate) mod class_loaders;
pub(crate) mod code_cache;
pub(crate) mod finding;
pub(crate) mod flags;
pub(crate) mod found;
pub(crate) mod frame_layout;
pub(crate) mod halt;
pub(crate) mod heap_dumper;
pub(crate) mod hidden_frames;
pub(crate) mod interrupted;
pub(crate) mod last_frame;
pub(crate) mod library_loader;
pub(crate) mod link;
pub(crate) mod modules;
pub(crate) mod mounts;
pub(crate) mod os_thread;
pub(crate) mod pending_exception;
mod perf_memory;
pub(crate) mod physical_frames;
pub(crate) mod redefinition;
pub(crate) mod service_thread;
pub(crate) mod signers;
pub(crate) mod sleep;
mod stack_requests;
mod structures;
pub(crate) mod thread_env;
pub(crate) mod thread_state;
pub(crate) mod virtual_thread_makers;
pub(crate) mod vm_counters;
pub(crate) mod vm_monitors;
pub(crate) mod weak_slots;
