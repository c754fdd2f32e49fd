//! Value objects (JDK 28 with `--enable-preview`): objects without identity. Two with the same fields
//! are one and the same to the VM, which keeps them wherever it likes, also without an address inside what
//! refers to them. A tag is one for all that are equal, holds an object of its own alive and is never
//! freed (JVMTI 28, ObjectFree).
#![allow(
    unsafe_code,
    reason = "a function of newer JNI tables; the JVMTI function table"
)]

use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::sync::OnceCell;

use jvmpi_headers::jni::{JNIEnv, jobject};

use crate::vm::env::{Jvmti, JvmtiError, NOT_AVAILABLE, invoke};
use crate::vm::jni::Jni;
use crate::vm::jni_env::invoke as invoke_jni;
use crate::vm::refs::ObjectRef;

/// The place of `HasIdentity` in JNI's table.
const HAS_IDENTITY: usize = 236;
const FIRST_JDK: i32 = 28;
/// The first version of JNI that has it.
const SINCE: i32 = FIRST_JDK << 16;

type HasIdentity = unsafe extern "system" fn(*mut JNIEnv, jobject) -> bool;

/// Value objects have got tags.
static TAGGED: AtomicBool = AtomicBool::new(false);

// Relaxed: here and below; the VM stops all threads before it gives such a tag.

/// From now on value objects may have tags.
pub(crate) fn may_get_tags() {
    TAGGED.store(true, Ordering::Relaxed);
}

/// Whether the tag that an object has is its own and not that of value objects equal to it.
#[inline]
pub(crate) fn owns_its_tag(object: ObjectRef<'_>) -> bool {
    !TAGGED.load(Ordering::Relaxed)
        || Jni::of_this_thread().is_none_or(|jni| jni.has_identity(object))
}

impl Jni {
    /// Whether the object has an identity, as all objects have but value objects.
    pub(crate) fn has_identity(self, object: ObjectRef<'_>) -> bool {
        static ASKED: OnceCell<Option<HasIdentity>> = OnceCell::new();
        let asked = ASKED.get().copied().unwrap_or_else(|| {
            // Outside of the cell: nobody may wait for a thread that is in the VM.
            let found = self.find_has_identity();
            let _ = ASKED.set(found);
            found
        });
        // SAFETY: the calling thread's env and a live reference.
        asked.is_none_or(|asked| unsafe { asked(self.env(), object.to_jni()) })
    }

    fn find_has_identity(self) -> Option<HasIdentity> {
        if invoke_jni!(self.v1_2.GetVersion()) < SINCE {
            return None;
        }
        let table = self.functions().cast::<Option<HasIdentity>>();
        let place = table.wrapping_add(HAS_IDENTITY);
        // SAFETY: the table of this version has it there, and is never given back.
        unsafe { *place }
    }
}

impl Jvmti {
    /// Whether the class is one whose instances are value objects, or an abstract one above such classes.
    pub(crate) fn is_of_values(self, class: ObjectRef<'_>) -> bool {
        static MAY_BE: OnceCell<bool> = OnceCell::new();
        let may_be = MAY_BE.get().copied().unwrap_or_else(|| {
            // Outside of the cell, as above.
            let may_be = self.feature_version() >= FIRST_JDK;
            let _ = MAY_BE.set(may_be);
            may_be
        });
        if !may_be {
            return false;
        }
        /// JVM specification 4.1: on every class that is no value class, whatever its file says.
        const ACC_IDENTITY: i32 = 0x20;
        const ACC_INTERFACE: i32 = 0x200;
        let mut modifiers = ACC_IDENTITY;
        let asked = invoke!(self.GetClassModifiers(class.to_jni(), &raw mut modifiers));
        asked.is_ok() && modifiers & (ACC_IDENTITY | ACC_INTERFACE) == 0
    }
}
