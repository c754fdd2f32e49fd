//! Where JNI's global references were made, for the ROOT records of heap dumps.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// The trace of each reference that there is.
#[derive(Debug, Default)]
pub(crate) struct GlobalRefs(Mutex<FxHashMap<usize, u32>>);

impl GlobalRefs {
    /// JNI_GLOBALREF_ALLOC.
    pub(crate) fn made(&self, reference: usize, trace: u32) {
        self.0.lock().insert(reference, trace);
    }

    /// JNI_GLOBALREF_FREE.
    pub(crate) fn freed(&self, reference: usize) {
        self.0.lock().remove(&reference);
    }

    /// 0: it was made before anybody listened.
    pub(crate) fn trace(&self, reference: usize) -> u32 {
        self.0.lock().get(&reference).copied().unwrap_or(0)
    }
}
