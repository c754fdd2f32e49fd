//! Everything that has a C signature or touches C memory, the VM's interface
//! aside (that is `jvmti`). Together they hold all of the shim's `unsafe`.

pub(crate) mod agent_call;
pub(crate) mod async_trace;
pub(crate) mod boundary;
pub(crate) mod call_values;
mod calls;
pub(crate) mod class_bytes;
pub(crate) mod current;
pub(crate) mod event_copy;
pub(crate) mod event_values;
mod exports;
pub(crate) mod hidden_frames;
pub(crate) mod hook_natives;
pub(crate) mod imports;
mod interrupted;
pub(crate) mod java_vm;
pub(crate) mod launcher_thread;
pub(crate) mod library;
pub(crate) mod mapping;
pub(crate) mod membarrier;
pub(crate) mod memory;
pub(crate) mod native_thunks;
mod observed;
pub(crate) mod own_cell;
mod own_slot;
pub(crate) mod own_trace;
pub(crate) mod pending_exception;
pub(crate) mod perf_memory;
pub(crate) mod process;
pub(crate) mod ready_event;
pub(crate) mod sleep;
pub(crate) mod table;
pub(crate) mod ticks;
pub(crate) mod trace_file;
pub(crate) mod tripwires;
pub(crate) mod vm_counters;
pub(crate) mod vm_monitors;
