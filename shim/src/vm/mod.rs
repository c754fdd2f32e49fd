//! What the VM offers by its specifications, as safe types: JVMTI, JNI, references, heap walks,
//! stacks, the invoke interface. What only HotSpot has is in [`hotspot`].
//!
//! Each folder and file knows only those above it in this list, and some of its own line:
//!
//! | | what lives there |
//! |---|---|
//! | [`java_vm`], [`phase`], [`pause`], [`member_ids`], [`sizes`], [`event_numbers`] | the invoke interface; words and numbers |
//! | [`jvmti`], [`memory`], [`jni_env`] | the two environments, and what JVMTI has allocated |
//! | [`refs`] | references |
//! | [`jni`] | JNI's functions, and what of ours stands in its table |
//! | [`env`](mod@env), [`capabilities`], [`classes`], [`stack`], `method_ids_twice` | JVMTI's functions, by noun |
//! | [`this_vm`], [`known_thread`] | the VM that we live in, and who may call it |
//! | [`heap`] | walks over the heap, and what objects hold |
//! | [`monitors`] | who is in which monitor |
//! | [`hotspot`] | a layer of its own |
//!
//! # Safety
//! One argument for all files here: the `jvmtiEnv` and the `JNIEnv` come from
//! the VM and stay valid as long as it does; JVMTI checks phase, capability and
//! thread itself and answers with an error code; references passed in are alive
//! because the types that hold them ([`refs`]) own them; out-parameters are
//! locals that the call fills in.

pub(crate) mod capabilities;
pub(crate) mod classes;
pub(crate) mod env;
pub(crate) mod event_numbers;
pub(crate) mod heap;
pub(crate) mod hotspot;
pub(crate) mod java_vm;
pub(crate) mod jni;
pub(crate) mod jni_env;
pub(crate) mod jvmti;
pub(crate) mod known_thread;
pub(crate) mod member_ids;
pub(crate) mod memory;
mod method_ids_twice;
pub(crate) mod monitors;
pub(crate) mod pause;
pub(crate) mod phase;
pub(crate) mod refs;
pub(crate) mod sizes;
pub(crate) mod stack;
pub(crate) mod this_vm;
