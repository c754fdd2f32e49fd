//! What HotSpot does with classes, and can be asked of them, beyond JVMTI and JNI.
//!
//! A line belongs here if it is about a class, its loader or its module, and rests on a function of the VM's own.

pub(crate) mod class_loaders;
pub(crate) mod link;
pub(crate) mod modules;
pub(crate) mod redefinition;
pub(crate) mod signers;
