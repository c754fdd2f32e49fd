//! What a JVMPI agent sees of its host: a JavaVM, a JNIEnv for each thread, the
//! `JVMPI_Interface`, and events made from values. Who answers is a [`Host`]: a recording in
//! `replay`, the VM of another process in `xrun-host32`.

mod asking;
mod code;
mod env;
mod event;
mod host;
#[cfg(target_arch = "x86")]
mod jni;
mod library;
mod memory;
mod missing;
mod ours;
mod storage;
mod table;
mod values;
mod vm;
mod vm_libraries;

pub use env::{address as env_address, prepare as prepare_envs, set_current as set_current_env};
pub use event::{Handled, notify};
pub use host::{Attach, Host, install};
#[cfg(target_arch = "x86")]
pub use jni::run_native;
pub use library::Agent;
pub use ours::Ours;
pub use table::run_system_thread;
pub use vm_libraries::{FUNCTIONS as VM_FUNCTIONS, LIBRARIES as VM_LIBRARIES};
