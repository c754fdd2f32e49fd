//! JDK 11 loses allocations, and this finds the place again.
//!
//! When an object does not fit into what is left of its thread's TLAB and is made
//! outside it, that VM forgets to put the mark back behind which every allocation is
//! reported: until the TLAB is full nothing is (measured on 11.0.13: each array of
//! some KB may hide a hundred objects; 17 and later are right). So after such an
//! object what is left, which is less than the object was large, is used up by a
//! `byte[]` of our own. Allocations inside callbacks are not reported by that VM.

use std::sync::atomic::{AtomicI32, Ordering};

use crate::ffi::{current, vm_counters};
use crate::jvmti::jni::Jni;
use crate::jvmti::thread_env;
use crate::state;
use crate::threads::attention;

/// Smaller objects always fit, or the TLAB is given up for them.
pub(crate) const SUSPICIOUS: u32 = 64;

/// Whether this VM has the fault.
pub(crate) fn is_lossy() -> bool {
    static VERSION: AtomicI32 = AtomicI32::new(0);
    let mut version = VERSION.load(Ordering::Relaxed);
    if version == 0 {
        version = state::jvmti().map_or(0, |jvmti| jvmti.feature_version());
        VERSION.store(version, Ordering::Relaxed);
    }
    version < 17
}

/// Uses up the calling thread's TLAB if its allocations are no longer reported.
pub(crate) fn mend(jni: Jni, size: u32) {
    /// A `byte[]` without bytes.
    const HEADER: usize = 16;
    let env = jni.env().expose_provenance();
    let Some(gap) = thread_env::structure_of(env).and_then(vm_counters::unmarked_tlab) else {
        return;
    };
    // Not more than it can be: the numbers are the VM's, and read without its knowledge.
    let fits = usize::try_from(size).is_ok_and(|size| gap < size);
    let Some(length) = gap.checked_sub(HEADER).filter(|_| fits) else {
        return;
    };
    let pending = jni.take_exception();
    current::with_own(|own| own.set_attention(attention::SILENT));
    drop(jni.byte_array(i32::try_from(length).unwrap_or(0)));
    current::with_own(|own| own.clear_attention(attention::SILENT));
    drop(jni.take_exception());
    jni.rethrow(pending);
}
