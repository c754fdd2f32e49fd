//! The VM's side: JVMTI and JNI behind methods that cannot be called wrongly.
//!
//! # Safety
//! One argument for all files here: the `jvmtiEnv` and the `JNIEnv` come from
//! the VM and stay valid as long as it does; JVMTI checks phase, capability and
//! thread itself and answers with an error code; references passed in are alive
//! because the types that hold them ([`refs`]) own them; out-parameters are
//! locals that the call fills in.

pub(crate) mod callbacks;
pub(crate) mod capabilities;
pub(crate) mod class_loaders;
pub(crate) mod classes;
pub(crate) mod contents;
pub(crate) mod env;
#[cfg(test)]
pub(crate) mod fake_jni;
pub(crate) mod follow;
pub(crate) mod heap;
pub(crate) mod hook_class;
pub(crate) mod jni;
pub(crate) mod jni_table;
pub(crate) mod jni_watch;
pub(crate) mod link;
pub(crate) mod locked;
pub(crate) mod memory;
pub(crate) mod modules;
pub(crate) mod monitors;
pub(crate) mod refs;
pub(crate) mod stack;
pub(crate) mod system_thread;
pub(crate) mod thread_env;
