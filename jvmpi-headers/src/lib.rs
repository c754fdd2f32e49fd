//! The C interfaces between an old agent and a new VM.
//!
//! [`jvmpi`] is what the agent was compiled for, together with the header
//! `jvmpi.h` in [`INCLUDE_DIR`], from which agents of the period compile
//! unchanged; [`xrun_ext`], with a header of its own, is what xrun offers beside it. [`jvmti`] is
//! what the VM offers today. All keep C's names, so that
//! their documentation applies word for word. Nothing is linked.
//!
//! ```
//! use jvmpi_headers::jvmti;
//!
//! let mut wanted = jvmti::jvmtiCapabilities::default();
//! wanted.set_can_tag_objects(1);
//! assert_eq!(wanted.can_tag_objects(), 1);
//! ```
//!
//! # References
//!
//! The JVMPI specifications of JDK 1.2 and 1.4.2; `jvmti.h` of JDK 25.

pub use jni_sys as jni;

pub mod jvmpi;
pub mod jvmti;
mod layout;
pub mod xrun_ext;

pub use jvmpi::jboolean;

/// The folder with `jvmpi.h`, `xrun_ext.h` and `xrun_saw.h`, for a build script that compiles an agent.
pub const INCLUDE_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
