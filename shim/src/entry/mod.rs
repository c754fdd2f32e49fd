//! Where C and the VM call us: exports, GetEnv, the functions of the interface, callbacks, hooks'
//! natives, JNI wrappers, thunks. Thin: each a few lines into the layers below.

pub(crate) mod attach;
mod attach_thread;
pub(crate) mod calls;
mod detach_thread;
pub(crate) mod environment;
pub(crate) mod exports;
pub(crate) mod extension;
pub(crate) mod get_env;
pub(crate) mod heir;
pub(crate) mod hook_natives;
pub(crate) mod interface;
pub(crate) mod jni_table;
pub(crate) mod late;
pub(crate) mod launcher_thread;
pub(crate) mod other_copy;
mod redefinition;
mod running_traces;
pub(crate) mod settings;
pub(crate) mod thunk_code;
pub(crate) mod vm_callbacks;
pub(crate) mod wiring;
