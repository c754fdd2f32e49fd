//! What the VM knows and JVMTI does not tell: how many collections there were, how
//! full the heap is, and which collector it has.
//!
//! The numbers are read inside the collector's own callbacks, where nothing may be
//! called.
//!
//! # Safety
//! The count is found through `gHotSpotVMStructs`, the table that libjvm exports
//! for the serviceability agent: type name, field name, offset, for each field.
#![allow(unsafe_code, reason = "memory of the VM")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use once_cell::sync::OnceCell;

use crate::os::library;
use crate::vm::hotspot::perf_memory;

// ---- how many collections --------------------------------------------------

/// An entry of the table, as vmStructs.hpp has had it since JDK 6.
#[repr(C)]
struct VmStruct {
    type_name: *const c_char,
    field_name: *const c_char,
    type_string: *const c_char,
    is_static: c_int,
    offset: u64,
    address: *const c_void,
}

/// The address of the VM's count.
static COLLECTIONS: OnceCell<Option<usize>> = OnceCell::new();

/// How many collections the VM has begun; `None` where it does not say
/// (Shenandoah leaves its counter at 0).
pub(crate) fn collections() -> Option<u32> {
    let address = (*COLLECTIONS.get()?)?;
    let counter: *mut u32 = ptr::with_exposed_provenance_mut(address);
    // SAFETY: a 4-byte field of the VM's heap object, which lives as long as the VM.
    let count = unsafe { AtomicU32::from_ptr(counter) }.load(Ordering::Relaxed);
    (count > 0).then_some(count)
}

/// Looks the addresses up; from the live phase on.
pub(crate) fn find() {
    COLLECTIONS.get_or_init(find_count);
    perf_memory::find();
}

/// The entries of the table, with the names of type and field.
fn vm_structs() -> impl Iterator<Item = (&'static CStr, &'static CStr, &'static VmStruct)> {
    let table = library::symbol_of_process(c"gHotSpotVMStructs");
    let first = table.map_or(ptr::null(), |table| {
        // SAFETY: the symbol is a pointer to the table's first entry.
        unsafe { *table.cast::<*const VmStruct>() }
    });
    (0..).map_while(move |at| {
        // SAFETY: the table ends with an entry of null names, where this ends too.
        let row: &'static VmStruct = unsafe { first.wrapping_add(at).as_ref() }?;
        if row.type_name.is_null() || row.field_name.is_null() {
            return None;
        }
        // SAFETY: names are static texts of the VM.
        let type_name = unsafe { CStr::from_ptr(row.type_name) };
        // SAFETY: as above.
        let field_name = unsafe { CStr::from_ptr(row.field_name) };
        Some((type_name, field_name, row))
    })
}

/// Where a field is in its structure, in bytes.
pub(crate) fn offset_of(type_name: &CStr, field_name: &CStr) -> Option<usize> {
    vm_structs()
        .find(|(kind, field, row)| *kind == type_name && *field == field_name && row.is_static == 0)
        .and_then(|(_, _, row)| usize::try_from(row.offset).ok())
}

/// A static pointer of the VM that is set before the live phase.
pub(crate) fn static_pointer(type_name: &CStr, field_name: &CStr) -> Option<usize> {
    let (_, _, row) = vm_structs().find(|(kind, field, row)| {
        *kind == type_name && *field == field_name && row.is_static != 0
    })?;
    let place: *const *const c_void = row.address.cast();
    // SAFETY: null, or a static variable of the VM.
    let pointer = unsafe { place.as_ref() }?.expose_provenance();
    (pointer != 0).then_some(pointer)
}

fn find_count() -> Option<usize> {
    let heap = static_pointer(c"Universe", c"_collectedHeap")?;
    Some(heap + offset_of(c"CollectedHeap", c"_total_collections")?)
}

// ---- which collector ---------------------------------------------------------

/// An entry of the table of types, as vmStructs.hpp has had it since JDK 6.
#[repr(C)]
struct VmType {
    type_name: *const c_char,
    superclass_name: *const c_char,
    is_oop_type: c_int,
    is_integer_type: c_int,
    is_unsigned: c_int,
    size: u64,
}

/// Whether the whole collection is one pause, with no thread of the collector's own
/// that may have stopped when the VM is about to end. False if the VM does not say.
pub(crate) fn stops_the_world() -> bool {
    static ANSWER: OnceCell<bool> = OnceCell::new();
    *ANSWER.get_or_init(|| {
        let flags = [c"UseSerialGC", c"UseParallelGC", c"UseG1GC"];
        flags.iter().any(|name| flag(name) == Some(true))
    })
}

/// The value of one of the VM's flags of type bool.
fn flag(name: &CStr) -> Option<bool> {
    let value: *mut u8 = address_of_flag(name)?;
    // SAFETY: the variable of a flag whose type is bool.
    Some(unsafe { AtomicU8::from_ptr(value) }.load(Ordering::Relaxed) != 0)
}

/// Sets one of the VM's flags of type uintx and returns what it was. Only for flags
/// that the VM reads anew each time it needs them.
pub(crate) fn set_number(name: &CStr, number: u64) -> Option<u64> {
    let value: *mut u64 = address_of_flag(name)?;
    // SAFETY: the variable of a flag whose type is uintx, 8 bytes on a 64-bit VM.
    Some(unsafe { AtomicU64::from_ptr(value) }.swap(number, Ordering::Relaxed))
}

fn address_of_flag<T>(name: &CStr) -> Option<*mut T> {
    let (mut flags, mut count, mut name_at, mut value_at) = (None, None, None, None);
    for (type_name, field_name, row) in vm_structs() {
        if type_name == c"JVMFlag" {
            match field_name.to_bytes() {
                b"flags" => flags = Some(row.address.cast::<*const u8>()),
                b"numFlags" => count = Some(row.address.cast::<usize>()),
                b"_name" => name_at = usize::try_from(row.offset).ok(),
                b"_addr" => value_at = usize::try_from(row.offset).ok(),
                _ => {}
            }
        }
    }
    let size = size_of_type(c"JVMFlag")?;
    // SAFETY: a static variable of the VM.
    let first = unsafe { *flags? };
    // SAFETY: as above.
    let count = unsafe { *count? };
    (0..count).find_map(|at| {
        let entry = first.wrapping_add(at * size);
        // SAFETY: a field of an entry of the VM's array of flags.
        let this = unsafe { *entry.wrapping_add(name_at?).cast::<*const c_char>() };
        // SAFETY: null, or a static text of the VM.
        if this.is_null() || unsafe { CStr::from_ptr(this) } != name {
            return None;
        }
        // SAFETY: as for the name.
        Some(unsafe { *entry.wrapping_add(value_at?).cast::<*mut T>() })
    })
}

fn size_of_type(name: &CStr) -> Option<usize> {
    let table = library::symbol_of_process(c"gHotSpotVMTypes")?;
    // SAFETY: the symbol is a pointer to the table's first entry.
    let first = unsafe { *table.cast::<*const VmType>() };
    (0..)
        .map_while(|at| {
            // SAFETY: the table ends with an entry of null name, where this ends too.
            let row = unsafe { first.wrapping_add(at).as_ref() }?;
            (!row.type_name.is_null()).then_some(row)
        })
        // SAFETY: names are static texts of the VM.
        .find(|row| unsafe { CStr::from_ptr(row.type_name) } == name)
        .and_then(|row| usize::try_from(row.size).ok())
}

// ---- how full the heap is ---------------------------------------------------

/// Bytes used and bytes there now, by the VM's own functions; on a thread of the VM
/// in native code.
pub(crate) fn heap_space_now() -> Option<(i64, i64)> {
    type Memory = unsafe extern "C" fn() -> i64;
    static FUNCTIONS: OnceCell<Option<(Memory, Memory)>> = OnceCell::new();
    let (total, free) = (*FUNCTIONS.get_or_init(|| {
        let total = library::symbol_of_process(c"JVM_TotalMemory")?;
        let free = library::symbol_of_process(c"JVM_FreeMemory")?;
        // SAFETY: the symbol's type in every JDK's jvm.h.
        let total = unsafe { std::mem::transmute::<*mut c_void, Memory>(total) };
        // SAFETY: as above.
        let free = unsafe { std::mem::transmute::<*mut c_void, Memory>(free) };
        Some((total, free))
    }))?;
    // SAFETY: the caller is a thread of the VM in native code.
    let total = unsafe { total() };
    // SAFETY: as above.
    let free = unsafe { free() };
    Some((total.saturating_sub(free), total))
}
