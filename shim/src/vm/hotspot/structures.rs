//! Where fields lie in the VM's structures.
//!
//! # Safety
//! libjvm exports three tables for the serviceability agent, `gHotSpotVMStructs` (type, field,
//! offset or address), `gHotSpotVMTypes` (type, size) and
//! `gHotSpotVMIntConstants` (name, number), and variables that say how their
//! entries are laid out, which [`find`] compares with what stands here.
#![allow(unsafe_code, reason = "tables of the VM")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::offset_of;
use std::ptr;

use crate::os::library;
use crate::vm::hotspot::found::{HOTSPOT, NOT_THERE, SOMETHING_ELSE, Why};
use crate::vm::hotspot::vm_address::{Offset, VmAddress};

/// An entry of the table of fields, as vmStructs.hpp has had it since JDK 6.
#[repr(C)]
struct VmStruct {
    type_name: *const c_char,
    field_name: *const c_char,
    type_string: *const c_char,
    is_static: c_int,
    offset: u64,
    address: *const c_void,
}

/// An entry of the table of types.
#[repr(C)]
struct VmType {
    type_name: *const c_char,
    superclass_name: *const c_char,
    is_oop_type: c_int,
    is_integer_type: c_int,
    is_unsigned: c_int,
    size: u64,
}

/// An entry of the table of numbers.
#[repr(C)]
struct VmConstant {
    name: *const c_char,
    value: i32,
}

/// Whether the tables are there, and laid out like this.
pub(super) fn find() -> Result<(), Why> {
    let expected = [
        (
            c"gHotSpotVMStructEntryTypeNameOffset",
            offset_of!(VmStruct, type_name),
        ),
        (
            c"gHotSpotVMStructEntryFieldNameOffset",
            offset_of!(VmStruct, field_name),
        ),
        (
            c"gHotSpotVMStructEntryTypeStringOffset",
            offset_of!(VmStruct, type_string),
        ),
        (
            c"gHotSpotVMStructEntryIsStaticOffset",
            offset_of!(VmStruct, is_static),
        ),
        (
            c"gHotSpotVMStructEntryOffsetOffset",
            offset_of!(VmStruct, offset),
        ),
        (
            c"gHotSpotVMStructEntryAddressOffset",
            offset_of!(VmStruct, address),
        ),
        (c"gHotSpotVMStructEntryArrayStride", size_of::<VmStruct>()),
        (
            c"gHotSpotVMTypeEntryTypeNameOffset",
            offset_of!(VmType, type_name),
        ),
        (c"gHotSpotVMTypeEntrySizeOffset", offset_of!(VmType, size)),
        (c"gHotSpotVMTypeEntryArrayStride", size_of::<VmType>()),
    ];
    compare(&expected)?;
    let tables = [c"gHotSpotVMStructs", c"gHotSpotVMTypes"];
    let is_there = |table: &&CStr| library::symbol_of_process(table).is_some();
    if tables.iter().all(is_there) {
        Ok(())
    } else {
        Err(NOT_THERE)
    }
}

/// Whether the VM's variables have these values.
fn compare(expected: &[(&CStr, usize)]) -> Result<(), Why> {
    for &(name, expected) in expected {
        let variable = library::symbol_of_process(name).ok_or(NOT_THERE)?;
        // SAFETY: a variable of the VM's of 8 bytes, written before any library of agents is
        // loaded.
        if unsafe { *variable.cast::<u64>() } != expected as u64 {
            return Err(SOMETHING_ELSE);
        }
    }
    Ok(())
}

/// The entries of a table, up to the one without a name; none if the tables are not to be used.
fn entries<T: 'static, F: Fn(&T) -> *const c_char>(
    table: &CStr,
    name: F,
) -> impl Iterator<Item = &'static T> + use<T, F> {
    let table = HOTSPOT
        .structures
        .get()
        .and_then(|()| library::symbol_of_process(table));
    let first = table.map_or(ptr::null(), |table| {
        // SAFETY: the symbol is a pointer to the table's first entry.
        unsafe { *table.cast::<*const T>() }
    });
    (0..).map_while(move |at| {
        // SAFETY: the table ends with an entry of null names, where this ends too.
        let row: &'static T = unsafe { first.wrapping_add(at).as_ref() }?;
        (!name(row).is_null()).then_some(row)
    })
}

fn is(text: *const c_char, expected: &CStr) -> bool {
    // SAFETY: null, or a static text of the VM.
    !text.is_null() && unsafe { CStr::from_ptr(text) } == expected
}

fn field(type_name: &CStr, field_name: &CStr, is_static: bool) -> Option<&'static VmStruct> {
    entries(c"gHotSpotVMStructs", |row: &VmStruct| row.type_name).find(|row| {
        is(row.type_name, type_name)
            && is(row.field_name, field_name)
            && (row.is_static != 0) == is_static
    })
}

/// Where a field is in its structure.
pub(super) fn offset_of(type_name: &CStr, field_name: &CStr) -> Option<Offset> {
    offset(field(type_name, field_name, false)?)
}

fn offset(row: &VmStruct) -> Option<Offset> {
    let bytes = usize::try_from(row.offset).ok()?;
    // SAFETY: the table's.
    Some(unsafe { Offset::of_table(bytes) })
}

/// The same of a field of this type.
pub(super) fn offset_of_type(type_name: &CStr, field_name: &CStr, of: &CStr) -> Option<Offset> {
    let row = field(type_name, field_name, false)?;
    offset(row).filter(|_| is(row.type_string, of))
}

/// Where a static variable is.
pub(super) fn address_of<T>(type_name: &CStr, field_name: &CStr) -> Option<*const T> {
    let address = field(type_name, field_name, true)?.address;
    (!address.is_null()).then_some(address.cast())
}

/// The same, for reading it.
pub(super) fn static_variable(type_name: &CStr, field_name: &CStr) -> Option<VmAddress> {
    let address = address_of::<c_void>(type_name, field_name)?;
    // SAFETY: the table's: a static variable, which stays as long as the VM.
    unsafe { VmAddress::of(address.expose_provenance()) }
}

/// A number that has a name.
pub(super) fn constant(name: &CStr) -> Option<i32> {
    let expected = [
        (
            c"gHotSpotVMIntConstantEntryNameOffset",
            offset_of!(VmConstant, name),
        ),
        (
            c"gHotSpotVMIntConstantEntryValueOffset",
            offset_of!(VmConstant, value),
        ),
        (
            c"gHotSpotVMIntConstantEntryArrayStride",
            size_of::<VmConstant>(),
        ),
    ];
    compare(&expected).ok()?;
    let mut rows = entries(c"gHotSpotVMIntConstants", |row: &VmConstant| row.name);
    rows.find(|row| is(row.name, name)).map(|row| row.value)
}

/// How large a type is, in bytes.
pub(super) fn size_of_type(name: &CStr) -> Option<usize> {
    let row = entries(c"gHotSpotVMTypes", |row: &VmType| row.type_name)
        .find(|row| is(row.type_name, name))?;
    usize::try_from(row.size).ok()
}
