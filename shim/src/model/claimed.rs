//! What several threads that give one object an id know it by.

use crate::vm::hotspot::mounts::ThreadIdentifier;
use crate::vm::jni::Jni;
use crate::vm::refs::Global;

/// What threads that meet an object for the first time know it by.
pub(crate) enum Claimed {
    Object(Global),
    VirtualThread(ThreadIdentifier),
}

impl Claimed {
    /// Whether it is the same object.
    pub(super) fn is(&self, jni: Jni, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(one), Self::Object(other)) => jni.same(one.get(), other.get()),
            (Self::VirtualThread(one), Self::VirtualThread(other)) => one == other,
            (Self::Object(_), Self::VirtualThread(_))
            | (Self::VirtualThread(_), Self::Object(_)) => false,
        }
    }
}
