//! What the VM offers by its specifications, as safe types: JVMTI, JNI, references, heap walks,
//! stacks, the invoke interface. What only HotSpot has is in [`hotspot`].
//!
//! # Safety
//! One argument for all files here: the `jvmtiEnv` and the `JNIEnv` come from
//! the VM and stay valid as long as it does; JVMTI checks phase, capability and
//! thread itself and answers with an error code; references passed in are alive
//! because the types that hold them ([`refs`]) own them; out-parameters are
//! locals that the call fills in.

pub(crate) mod capabilities;
pub(crate) mod classes;
pub(crate) mod contents;
pub(crate) mod env;
pub(crate) mod event_numbers;
#[cfg(test)]
pub(crate) mod fake_jni;
pub(crate) mod follow;
pub(crate) mod forwarding_env;
pub(crate) mod heap;
pub(crate) mod hotspot;
pub(crate) mod java_vm;
pub(crate) mod jni;
pub(crate) mod jni_env;
mod jni_scopes;
pub(crate) mod jni_wrappers;
pub(crate) mod jvmti;
pub(crate) mod known_thread;
pub(crate) mod locked;
pub(crate) mod member_ids;
pub(crate) mod memory;
mod method_ids_twice;
pub(crate) mod monitors;
pub(crate) mod pause;
pub(crate) mod phase;
pub(crate) mod private_tags;
pub(crate) mod refs;
pub(crate) mod sizes;
pub(crate) mod stack;
pub(crate) mod this_vm;
pub(crate) mod value_objects;
