//! Flags of the VM: which collector it has, what it keeps free of a stack, and two that can be set while it runs.
//!
//! # Safety
//! The array of flags and the places of its fields are found by [`super::structures`].
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicU8, AtomicUsize, Ordering};

use crate::os::stack_room;
use crate::vm::hotspot::found::{Flags, HOTSPOT, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::hotspot::structures;

/// What the VM keeps free below each call of Java code, and what it guards at a stack's end, in units of 4 KiB.
const KEPT_FREE: [&CStr; 4] = [
    c"StackShadowPages",
    c"StackYellowPages",
    c"StackRedPages",
    c"StackReservedPages",
];

/// What none of these is: the VM takes 50 at most.
const TOO_MANY: usize = 1000;

/// Flags of collectors, their names, and whether the whole collection is one pause.
const COLLECTORS: [(&CStr, &str, bool); 6] = [
    (c"UseSerialGC", "Serial", true),
    (c"UseParallelGC", "Parallel", true),
    (c"UseG1GC", "G1", true),
    (c"UseZGC", "Z", false),
    (c"UseShenandoahGC", "Shenandoah", false),
    (c"UseEpsilonGC", "Epsilon", false),
];

pub(super) fn find() -> Result<Flags, Why> {
    let flags = all().ok_or(NOT_THERE)?;
    let address = |name: &CStr| {
        let mut found = flags.iter().filter(|(flag, _)| *flag == name);
        found.next().map(|&(_, address)| address)
    };
    let is_on = |name: &CStr| {
        address(name).is_some_and(|address| {
            let value: *mut u8 = ptr::with_exposed_provenance_mut(address);
            // SAFETY: the variable of a flag whose type is bool.
            // Relaxed: the VM's, which reads it as it likes.
            unsafe { AtomicU8::from_ptr(value) }.load(Ordering::Relaxed) == 1
        })
    };
    let number = |name: &CStr| {
        let value = ptr::with_exposed_provenance_mut(address(name)?);
        // SAFETY: the variable of a flag whose type is intx, as wide as a pointer.
        // Relaxed: nobody writes it any more.
        let number = unsafe { AtomicIsize::from_ptr(value) }.load(Ordering::Relaxed);
        usize::try_from(number).ok()
    };
    let mut on = COLLECTORS.iter().filter(|(name, ..)| is_on(name));
    match (on.next(), on.next()) {
        (Some(&(_, collector, stops_the_world)), None) => Ok(Flags {
            collector,
            stops_the_world,
            refill_waste: address(c"TLABRefillWasteFraction"),
            most_free: address(c"MaxHeapFreeRatio"),
            kept_of_stacks: kept_of_stacks(KEPT_FREE.map(number), stack_room::page_size()),
        }),
        _ => Err(SOMETHING_ELSE),
    }
}

/// In bytes: each of them takes whole pages of the processor's. None where the VM does not say it of all.
fn kept_of_stacks(numbers: [Option<usize>; 4], page: usize) -> Option<usize> {
    let bytes = |number: Option<usize>| {
        let number = number.filter(|&number| number < TOO_MANY)?;
        (number * 4096).checked_next_multiple_of(page)
    };
    numbers.into_iter().map(bytes).sum()
}

/// The names of all flags, and where their values are.
fn all() -> Option<Vec<(&'static CStr, usize)>> {
    let (name_at, value_at) = (
        structures::offset_of(c"JVMFlag", c"_name")?,
        structures::offset_of(c"JVMFlag", c"_addr")?,
    );
    let size = structures::size_of_type(c"JVMFlag")?;
    let first: *const *const u8 = structures::address_of(c"JVMFlag", c"flags")?;
    let count: *const usize = structures::address_of(c"JVMFlag", c"numFlags")?;
    // SAFETY: a static variable of the VM of this type.
    let first = unsafe { *first };
    // SAFETY: as above.
    let count = unsafe { *count };
    let flag = |at: usize| {
        let entry = first.wrapping_add(at * size);
        // SAFETY: a field of an entry of the VM's array of flags.
        let name = unsafe { *entry.wrapping_add(name_at.bytes()).cast::<*const c_char>() };
        if name.is_null() {
            return None;
        }
        // SAFETY: a static text of the VM.
        let name = unsafe { CStr::from_ptr(name) };
        // SAFETY: as for the name.
        let value = unsafe { *entry.wrapping_add(value_at.bytes()).cast::<*const u8>() };
        Some((name, value.expose_provenance()))
    };
    Some((0..count).filter_map(flag).collect())
}

/// Whether the whole collection is one pause, with no thread of the collector's own
/// that may have stopped when the VM is about to end. False if the VM does not say.
pub(crate) fn stops_the_world() -> bool {
    HOTSPOT
        .flags
        .get()
        .is_some_and(|flags| flags.stops_the_world)
}

/// What people call the collector, if the VM says which it has.
pub(crate) fn collector() -> Option<&'static str> {
    HOTSPOT.flags.get().map(|flags| flags.collector)
}

/// How much of each stack the VM keeps free of Java code, in bytes, if it says so.
pub(crate) fn kept_of_each_stack() -> Option<usize> {
    HOTSPOT.flags.get()?.kept_of_stacks
}

/// Sets the flag TLABRefillWasteFraction and returns what it was. The VM reads it anew each time
/// it needs it.
pub(crate) fn set_refill_waste(number: usize) -> Option<usize> {
    Some(settable(HOTSPOT.flags.get()?.refill_waste?).swap(number, Ordering::Relaxed))
}

/// Runs `collect`, which collects all of the heap. G1 then gives back what is free by more than MaxHeapFreeRatio (70 in
/// 100), at a program's start nearly all, and collects more often from then on (JVMTI facts 3): that
/// flag, which may be set while the VM runs, forbids it meanwhile.
pub(crate) fn with_heap_as_large<T>(collect: impl FnOnce() -> T) -> T {
    const ALL: usize = 100;
    let flag = HOTSPOT.flags.get().and_then(|flags| flags.most_free);
    let flag = flag.map(settable);
    // Relaxed: the collection comes behind it by the VM's own locks.
    let before = flag.map(|flag| flag.swap(ALL, Ordering::Relaxed));
    let collected = collect();
    if let (Some(flag), Some(before)) = (flag, before) {
        // Unless somebody else has set it meanwhile.
        let _ = flag.compare_exchange(ALL, before, Ordering::Relaxed, Ordering::Relaxed);
    }
    collected
}

/// The variable of a flag that may be set.
fn settable(address: usize) -> &'static AtomicUsize {
    let value = ptr::with_exposed_provenance_mut(address);
    // SAFETY: the variable of a flag whose type is uintx, as wide as a pointer, which the VM keeps.
    unsafe { AtomicUsize::from_ptr(value) }
}

#[cfg(test)]
mod tests {
    use super::kept_of_stacks;

    #[test]
    fn zones_of_a_stack_take_whole_pages() {
        let usual = [20, 2, 1, 1].map(Some);
        assert_eq!(kept_of_stacks(usual, 4096), Some(24 * 4096));
        assert_eq!(kept_of_stacks(usual, 0x10000), Some(5 * 0x10000));
        assert_eq!(
            kept_of_stacks([20, 2, 1, 0].map(Some), 4096),
            Some(23 * 4096)
        );
        assert_eq!(kept_of_stacks([20, 2, 1, 1 << 40].map(Some), 4096), None);
        assert_eq!(
            kept_of_stacks([Some(20), None, Some(1), Some(1)], 4096),
            None
        );
    }
}
