//! Whether a weak reference's object has been collected, without asking JNI.
//!
//! IsSameObject with null, which JNI has for that, keeps the object alive if it is asked while a
//! concurrent collector marks: in all of JDK 11, and with -Xcheck:jni everywhere. Who asks after
//! each pause would then keep all alive for ever. HotSpot's weak reference is the address of a
//! word, with one or two bits in it that say what kind it is. The collector clears the word, and
//! so does DeleteWeakGlobalRef: that is how it is tried before it is trusted.
#![allow(unsafe_code, reason = "reads a word of the VM's")]

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::vm::hotspot::found::{HOTSPOT, SOMETHING_ELSE, Why};
use crate::vm::jni::Jni;
use crate::vm::refs::{ObjectRef, Weak};

/// Whether [`is_cleared`] can tell; tried once, with this object.
#[inline]
pub(crate) fn can_tell(jni: Jni, object: ObjectRef<'_>) -> bool {
    let slots = &HOTSPOT.weak_slots;
    slots.get().is_some() || slots.get_or_find(|| try_some(jni, object)).is_some()
}

/// Another thread may get the word of the reference that was deleted, before it is looked at.
#[cold]
fn try_some(jni: Jni, object: ObjectRef<'_>) -> Result<(), Why> {
    const TRIES: usize = 4;
    let mut tries = (0..TRIES).map(|_| try_it(jni, object));
    tries.find(Result::is_ok).unwrap_or(Err(SOMETHING_ELSE))
}

fn try_it(jni: Jni, object: ObjectRef<'_>) -> Result<(), Why> {
    let (Some(kept), Some(tried)) = (Weak::new(jni, object), Weak::new(jni, object)) else {
        return Err("no memory for its trial");
    };
    // The same block of the VM's memory, which stays as long as `kept` does.
    let word = word(&tried);
    let before = is_null(word);
    drop(tried);
    if !before && is_null(word) && !is_cleared(&kept) {
        Ok(())
    } else {
        Err(SOMETHING_ELSE)
    }
}

/// Whether the object has been collected, as far as the collector has got.
pub(crate) fn is_cleared(weak: &Weak) -> bool {
    is_null(word(weak))
}

fn word(weak: &Weak) -> *const AtomicUsize {
    const KINDS: usize = 3;
    std::ptr::with_exposed_provenance(weak.number() & !KINDS)
}

/// Null has bits of its own in generational Z, below the address.
fn is_null(word: *const AtomicUsize) -> bool {
    const BELOW_ADDRESS: u32 = 16;
    // SAFETY: aligned, and the VM's as long as a reference of the same block is there.
    let word = unsafe { &*word };
    word.load(Ordering::Acquire) >> BELOW_ADDRESS == 0
}
