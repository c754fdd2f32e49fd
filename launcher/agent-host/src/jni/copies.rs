//! Strings and elements of arrays: the agent gets a copy of what the VM has, made of JNI's regions.
#![allow(unsafe_code, reason = "memory that the agent gets and gives back")]

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;

use event_translate::jni_functions::{JniType, jni_signature};
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

use crate::host::lock;
use crate::jni::call::{ask, bytes, id, memory, number, text_row};
use crate::ours::Ours;

// Slots by JNI's specification, chapter 4.
const FIND_CLASS: usize = 6;
const THROW: usize = 13;
const EXCEPTION_OCCURRED: usize = 15;
const EXCEPTION_CLEAR: usize = 17;
const DELETE_LOCAL_REF: usize = 23;
const IS_INSTANCE_OF: usize = 32;
const GET_STRING_LENGTH: usize = 164;
const GET_ARRAY_LENGTH: usize = 171;
pub(super) const GET_BOOLEAN_ARRAY_ELEMENTS: usize = 183;
pub(super) const RELEASE_BOOLEAN_ARRAY_ELEMENTS: usize = 191;
const GET_BOOLEAN_ARRAY_REGION: usize = 199;
const SET_BOOLEAN_ARRAY_REGION: usize = 207;
const GET_STRING_REGION: usize = 220;
const GET_STRING_UTF_REGION: usize = 221;

pub(super) type Chars = unsafe extern "C" fn(usize, u32, *mut u8) -> *mut c_void;
pub(super) type Release = unsafe extern "C" fn(usize, u32, *mut c_void);
pub(super) type ReleaseElements = unsafe extern "C" fn(usize, u32, *mut c_void, i32);

/// A copy that the agent gives back; NULL if there is no memory.
fn copy(of: &[u8], is_copy: *mut u8) -> *mut c_void {
    // SAFETY: any size but 0.
    let copy = unsafe { libc::malloc(of.len().max(1)) };
    if !copy.is_null() {
        // SAFETY: room for as much.
        unsafe { ptr::copy_nonoverlapping(of.as_ptr(), copy.cast(), of.len()) };
        if !is_copy.is_null() {
            // SAFETY: the agent's place for it.
            unsafe { is_copy.write(1) };
        }
    }
    copy
}

/// All of what this slot gives of a region; `None` if the VM has thrown something instead.
fn whole_region(object: u32, length: usize, region: usize) -> Option<Vec<u8>> {
    let units = ask(length, vec![id(object)])?.number;
    let rows = vec![id(object), number(0), number(units), number(0)];
    let memory = ask(region, rows)?.memory;
    let units = usize::try_from(units).ok()?;
    let bytes = match region {
        // With the zero behind them.
        GET_STRING_UTF_REGION => units.checked_mul(3)?.checked_add(1)?,
        region => units.checked_mul(width(region))?,
    };
    (memory.len() == bytes).then_some(memory)
}

/// The bytes of a unit where a function of regions has those last.
fn width(region: usize) -> usize {
    let last = jni_signature(region).and_then(|signature| signature.arguments.last());
    if let Some(&JniType::Region { width, .. }) = last {
        width.into()
    } else {
        0
    }
}

pub(super) unsafe extern "C" fn string_chars(
    _: usize,
    string: u32,
    is_copy: *mut u8,
) -> *mut c_void {
    let Some(_ours) = Ours::begin() else {
        return ptr::null_mut();
    };
    match whole_region(string, GET_STRING_LENGTH, GET_STRING_REGION) {
        Some(mut chars) => {
            // Some agents read to a zero, which HotSpot has there.
            chars.extend([0; 2]);
            copy(&chars, is_copy)
        }
        None => ptr::null_mut(),
    }
}

pub(super) unsafe extern "C" fn string_text(
    _: usize,
    string: u32,
    is_copy: *mut u8,
) -> *mut c_void {
    let Some(_ours) = Ours::begin() else {
        return ptr::null_mut();
    };
    match whole_region(string, GET_STRING_LENGTH, GET_STRING_UTF_REGION) {
        Some(text) => {
            let len = text.iter().position(|&byte| byte == 0).unwrap_or(0);
            let text = text.get(..len).unwrap_or_default();
            copy(&[text, &[0]].concat(), is_copy)
        }
        None => ptr::null_mut(),
    }
}

pub(super) unsafe extern "C" fn release(_: usize, _: u32, copy: *mut c_void) {
    // SAFETY: from `copy`, and given back.
    unsafe { libc::free(copy) };
}

pub(super) unsafe extern "C" fn elements<const SLOT: usize>(
    _: usize,
    array: u32,
    is_copy: *mut u8,
) -> *mut c_void {
    let Some(_ours) = Ours::begin() else {
        return ptr::null_mut();
    };
    let region = SLOT - GET_BOOLEAN_ARRAY_ELEMENTS + GET_BOOLEAN_ARRAY_REGION;
    match whole_region(array, GET_ARRAY_LENGTH, region) {
        Some(elements) => copy(&elements, is_copy),
        None => ptr::null_mut(),
    }
}

/// Modes of giving back.
const COMMIT: i32 = 1;
const ABORT: i32 = 2;

/// All elements of an array go back to the VM; their type as JNI's families have it, boolean first.
fn put_back(array: u32, elements: *mut c_void, ty: usize) {
    let region = SET_BOOLEAN_ARRAY_REGION + ty;
    let length = ask(GET_ARRAY_LENGTH, vec![id(array)]).map_or(0, |given| given.number);
    let bytes_of_all = usize::try_from(length).unwrap_or(0) * width(region);
    let at = u32::try_from(elements.addr()).unwrap_or(0);
    let rows = vec![
        id(array),
        number(0),
        number(length),
        memory(bytes(at, bytes_of_all)),
    ];
    ask(region, rows);
}

pub(super) unsafe extern "C" fn release_elements<const SLOT: usize>(
    _: usize,
    array: u32,
    elements: *mut c_void,
    mode: i32,
) {
    if mode != ABORT
        && !elements.is_null()
        && let Some(_ours) = Ours::begin()
    {
        put_back(array, elements, SLOT - RELEASE_BOOLEAN_ARRAY_ELEMENTS);
    }
    if mode != COMMIT {
        // SAFETY: from `copy`, and given back.
        unsafe { libc::free(elements) };
    }
}

/// Arrays of the primitive types, in the order of JNI's families.
const ARRAYS: [&[u8]; 8] = [b"[Z", b"[B", b"[C", b"[S", b"[I", b"[J", b"[F", b"[D"];

/// A reference that is given; `None` for NULL.
fn reference(slot: usize, rows: Vec<Vec<Value<'_>>>) -> Option<u32> {
    let given = ask(slot, rows)?.id;
    u32::try_from(given).ok().filter(|given| *given != 0)
}

fn is_instance_of(array: u32, name: &[u8]) -> bool {
    // Not kept: the agent may hear of global references, and has made none.
    let Some(class) = reference(FIND_CLASS, vec![text_row(name)]) else {
        return false;
    };
    let is_one = ask(IS_INSTANCE_OF, vec![id(array), id(class)]);
    ask(DELETE_LOCAL_REF, vec![id(class)]);
    is_one.is_some_and(|given| given.number != 0)
}

/// The type of an array's elements, by its place in [`ARRAYS`]; `None` if it is no such array.
fn type_of(array: u32) -> Option<usize> {
    if array == 0 {
        // An instance of everything.
        return None;
    }
    // Classes are not found while something is thrown.
    let thrown = reference(EXCEPTION_OCCURRED, vec![]);
    if thrown.is_some() {
        ask(EXCEPTION_CLEAR, vec![]);
    }
    let ty = ARRAYS.iter().position(|name| is_instance_of(array, name));
    if let Some(thrown) = thrown {
        ask(THROW, vec![id(thrown)]);
        ask(DELETE_LOCAL_REF, vec![id(thrown)]);
    }
    ty
}

type Critical = HashMap<usize, usize>;

/// The types of the elements that agents have by GetPrimitiveArrayCritical, by their addresses.
fn critical() -> Option<MutexGuard<'static, Option<Critical>>> {
    static CRITICAL: Mutex<Option<Critical>> = Mutex::new(None);
    lock(&CRITICAL)
}

pub(super) unsafe extern "C" fn critical_elements(
    _: usize,
    array: u32,
    is_copy: *mut u8,
) -> *mut c_void {
    let Some(_ours) = Ours::begin() else {
        return ptr::null_mut();
    };
    let made = || {
        let ty = type_of(array)?;
        let elements = whole_region(array, GET_ARRAY_LENGTH, GET_BOOLEAN_ARRAY_REGION + ty)?;
        // Before there is a copy that nobody could give back.
        let mut critical = critical()?;
        let copy = copy(&elements, is_copy);
        critical.get_or_insert_default().insert(copy.addr(), ty);
        Some(copy)
    };
    made().unwrap_or(ptr::null_mut())
}

pub(super) unsafe extern "C" fn release_critical(
    _: usize,
    array: u32,
    elements: *mut c_void,
    mode: i32,
) {
    // In the middle of ours they stay: the lock may be this thread's.
    let Some(_ours) = Ours::begin() else { return };
    let find = || {
        let mut critical = critical()?;
        let all = critical.as_mut()?;
        if mode == COMMIT {
            all.get(&elements.addr()).copied()
        } else {
            all.remove(&elements.addr())
        }
    };
    // What is not from here is nobody's to free.
    let Some(ty) = find() else { return };
    if mode != ABORT && !elements.is_null() {
        put_back(array, elements, ty);
    }
    if mode != COMMIT {
        // SAFETY: from `copy`, and given back.
        unsafe { libc::free(elements) };
    }
}
