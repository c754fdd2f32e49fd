//! What the VM knows and JVMTI does not tell: how many collections there were, and how full the
//! heap is.
//!
//! The numbers are read inside the collector's own callbacks, where nothing may be
//! called.
//!
//! # Safety
//! The count is found by [`crate::vm::hotspot::structures`].
#![allow(unsafe_code, reason = "functions and memory of the VM")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::vm::hotspot::found::{
    Collections, HOTSPOT, Memory, NOT_THERE, SOMETHING_ELSE, Why, function,
};
use crate::vm::hotspot::{perf_memory, structures};

// ---- how many collections --------------------------------------------------

/// From the live phase on.
pub(in crate::vm::hotspot) fn find_collections() -> Result<Collections, Why> {
    let address = || {
        let heap: *const *const c_void = structures::address_of(c"Universe", c"_collectedHeap")?;
        // SAFETY: a static pointer of the VM, set before the live phase.
        let heap = unsafe { *heap };
        let class = c"CollectedHeap";
        let offset = structures::offset_of_type(class, c"_total_collections", c"unsigned int")?;
        (!heap.is_null()).then(|| heap.expose_provenance() + offset.bytes())
    };
    Ok(Collections {
        address: address().ok_or(NOT_THERE)?,
        last: AtomicU32::new(0),
    })
}

impl Collections {
    fn now(&self) -> u32 {
        let counter: *mut u32 = ptr::with_exposed_provenance_mut(self.address);
        // SAFETY: a 4-byte field of the VM's heap object, which lives as long as the VM.
        // Relaxed: the VM's, which writes it as it likes; who asks comes behind a pause, which it
        // orders.
        unsafe { AtomicU32::from_ptr(counter) }.load(Ordering::Relaxed)
    }

    /// Whether `now` can be the count at the end of a pause, which are looked at one by one.
    fn fits(&self, now: u32) -> bool {
        /// More do not begin between the ends of two pauses.
        const LEAP: u32 = 100;
        let last = self.last.swap(now, Ordering::Relaxed);
        last == 0 || (last..=last.saturating_add(LEAP)).contains(&now)
    }
}

/// How many collections the VM has begun; `None` where it does not say
/// (Shenandoah leaves its counter at 0).
pub(crate) fn collections() -> Option<u32> {
    let count = HOTSPOT.collections.get()?.now();
    (count > 0).then_some(count)
}

/// The same at the end of a pause, in the collector's callback.
pub(crate) fn collections_after_pause() -> Option<u32> {
    let count = HOTSPOT.collections.get()?;
    if !count.fits(count.now()) {
        HOTSPOT.collections.lose();
    }
    collections()
}

// ---- how full the heap is ---------------------------------------------------

pub(in crate::vm::hotspot) fn find_heap_space() -> Result<(Memory, Memory), Why> {
    let functions = (
        function!(c"JVM_TotalMemory" as Memory)?,
        function!(c"JVM_FreeMemory" as Memory)?,
    );
    let (used, total) = space(functions);
    if (1..=total).contains(&used) {
        Ok(functions)
    } else {
        Err(SOMETHING_ELSE)
    }
}

fn space((total, free): (Memory, Memory)) -> (i64, i64) {
    // SAFETY: the callers are threads of the VM in native code.
    let total = unsafe { total() };
    // SAFETY: as above.
    let free = unsafe { free() };
    (total.saturating_sub(free), total)
}

/// Bytes used and bytes there now, by the VM's own functions; on a thread of the VM
/// in native code.
pub(crate) fn heap_space_now() -> Option<(i64, i64)> {
    HOTSPOT.heap_space.get().map(|&functions| space(functions))
}

/// Looks for the VM's performance memory; from the live phase on.
pub(crate) fn find_performance_memory() {
    HOTSPOT
        .performance_memory
        .find(|| perf_memory::find().ok_or(NOT_THERE));
}

/// Bytes used and bytes there, as of the end of the last pause; `None` where the VM
/// keeps no performance memory (-XX:-UsePerfData), or somebody has laid hands on it.
/// Needs no memory, and none of the VM's functions.
pub(crate) fn heap_space() -> Option<(i64, i64)> {
    HOTSPOT.performance_memory.get()?.sums()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_falls_or_leaps_is_none() {
        let after = |counts: &[u32]| {
            let collections = Collections {
                address: 0,
                last: AtomicU32::new(0),
            };
            counts.iter().all(|&count| collections.fits(count))
        };
        assert!(after(&[0, 0, 0]) && after(&[1000, 1000, 1001, 1003]) && after(&[0, 7]));
        assert!(!after(&[5, 4]) && !after(&[3, 2_000_000]) && !after(&[7, 0]));
    }
}
