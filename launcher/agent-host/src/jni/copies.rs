//! Strings and elements of arrays: the agent gets a copy of what the VM has, made of JNI's regions.
#![allow(unsafe_code, reason = "memory that the agent gets and gives back")]

use std::ffi::c_void;
use std::ptr;

use event_translate::jni_functions::{JniType, jni_signature};

use crate::jni::call::{ask, bytes, id, memory, number};
use crate::ours::Ours;

// Slots by JNI's specification, chapter 4.
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

pub(super) unsafe extern "C" fn release_elements<const SLOT: usize>(
    _: usize,
    array: u32,
    elements: *mut c_void,
    mode: i32,
) {
    const COMMIT: i32 = 1;
    const ABORT: i32 = 2;
    if mode != ABORT
        && !elements.is_null()
        && let Some(_ours) = Ours::begin()
    {
        let region = SLOT - RELEASE_BOOLEAN_ARRAY_ELEMENTS + SET_BOOLEAN_ARRAY_REGION;
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
    if mode != COMMIT {
        // SAFETY: from `copy`, and given back.
        unsafe { libc::free(elements) };
    }
}
