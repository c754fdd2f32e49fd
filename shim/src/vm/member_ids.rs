//! Methods and fields as the VM names them, as types of their own.
//!
//! To the VM they are pointers (from JDK 26 on a method is a small number). Here they are numbers:
//! they are compared, kept, and given back to the VM or to the agent, not followed. Two places do, up to JDK 25 and
//! after a trial: `vm/hotspot/stacks/physical_frames.rs`, to tell whose frames lie on a stack, and `hidden_frames.rs` beside it, for a bit
//! of a hook's method (`shim/tests/layers.rs` looks).

use jvmpi_headers::jni::{jfieldID, jmethodID};

/// A method; 0 is none. The VM fills these in as its own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub(crate) struct MethodId(usize);

impl MethodId {
    #[inline(always)]
    pub(crate) const fn from_number(number: usize) -> Self {
        Self(number)
    }

    #[inline(always)]
    pub(crate) const fn number(self) -> usize {
        self.0
    }

    /// Its number as tables have it.
    #[inline(always)]
    pub(crate) const fn key(self) -> u64 {
        self.0 as u64
    }

    #[inline(always)]
    pub(crate) fn from_jni(method: jmethodID) -> Self {
        Self(method.expose_provenance())
    }

    /// For the VM's functions, and for events.
    #[inline(always)]
    pub(crate) fn to_jni(self) -> jmethodID {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

/// A field, of the class that it was asked of. The VM fills these in as its own type.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct FieldId(usize);

impl FieldId {
    /// `None` for null.
    pub(crate) fn from_jni(field: jfieldID) -> Option<Self> {
        (!field.is_null()).then(|| Self(field.expose_provenance()))
    }

    /// The one of a number that a caller in C has passed; `None` for 0.
    pub(crate) fn from_number(number: usize) -> Option<Self> {
        (number != 0).then_some(Self(number))
    }

    /// By which it is named.
    pub(crate) const fn number(self) -> usize {
        self.0
    }

    pub(crate) fn to_jni(self) -> jfieldID {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

const _: () = {
    assert!(size_of::<MethodId>() == size_of::<jmethodID>());
    assert!(size_of::<FieldId>() == size_of::<jfieldID>());
};
