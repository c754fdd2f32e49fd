//! The memory of CLASS_LOAD_HOOK: `malloc_f`, and what the agent left in the event.
//!
//! # Safety
//! `new_class_data` and its length are the agent's word: the kernel copies the bytes, at once.
#![allow(
    unsafe_code,
    reason = "memory that passes between the agent and the VM"
)]

use std::cell::RefCell;
use std::ffi::{c_uint, c_void};

use jvmpi_headers::jvmpi::JVMPI_Event;

use crate::os::memory;

thread_local! {
    /// What `malloc_f` gave out on this thread and nobody has taken back, and how much: only
    /// such memory is ours to free, an agent may answer with a static buffer.
    static GIVEN: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
}

/// `malloc_f` of the event.
pub(crate) unsafe extern "C" fn malloc(size: c_uint) -> *mut c_void {
    // SAFETY: malloc takes any size.
    let memory = unsafe { libc::malloc(size as usize) };
    if !memory.is_null() {
        let _ = GIVEN.try_with(|given| {
            if let Ok(mut given) = given.try_borrow_mut() {
                given.push((memory.addr(), size as usize));
            }
        });
    }
    memory
}

/// What the agent wants to become of the class.
pub(crate) enum Answer {
    /// Look at the buffer it was shown, so many bytes of it.
    InPlace(usize),
    /// These bytes instead.
    Replaced(Vec<u8>),
    /// Neither pointer nor length make sense.
    Invalid,
}

/// Reads the answer out of a delivered event and frees what came from `malloc_f`.
pub(crate) fn answer(event: &JVMPI_Event) -> Answer {
    // SAFETY: the event was made with this member.
    let hook = unsafe { event.u.class_load_hook };
    let bytes = hook.new_class_data;
    // NULL: an agent that does not know the event. CVM takes it for out-of-memory;
    // the program is better served by its class.
    if bytes.is_null() || bytes == hook.class_data {
        let shown = usize::try_from(hook.class_data_len).unwrap_or(0);
        let wanted = usize::try_from(hook.new_class_data_len).unwrap_or(0);
        let len = if bytes.is_null() || wanted == 0 {
            shown
        } else {
            wanted
        };
        return if len <= shown {
            Answer::InPlace(len)
        } else {
            Answer::Invalid
        };
    }
    let len = usize::try_from(hook.new_class_data_len).unwrap_or(0);
    let copied = memory::bytes(bytes, len).filter(|copy| !copy.is_empty());
    let answer = copied.map_or(Answer::Invalid, Answer::Replaced);
    take_back(bytes.addr(), bytes.cast());
    answer
}

/// Puts the answer to a copied event, whose bytes are a copy too, into the event itself;
/// what is wrong with it.
pub(crate) fn settle(event: &mut JVMPI_Event, copy: &JVMPI_Event) -> Result<(), &'static str> {
    // SAFETY: the event was made with this member.
    let original = unsafe { &mut event.u.class_load_hook };
    // SAFETY: as above.
    let copy = unsafe { copy.u.class_load_hook };
    let shown = usize::try_from(original.class_data_len).unwrap_or(0);
    // SAFETY: the event's own bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(original.class_data, shown) };
    // SAFETY: the copy's, of the same length.
    let changed = unsafe { std::slice::from_raw_parts(copy.class_data, shown) };
    let in_place = *bytes != *changed;
    bytes.copy_from_slice(changed);
    original.new_class_data_len = copy.new_class_data_len;
    original.new_class_data = if copy.new_class_data == copy.class_data {
        original.class_data
    } else {
        copy.new_class_data
    };
    let len = copy.new_class_data_len;
    if copy.new_class_data.is_null() {
        Err("new_class_data is left unset")
    } else if len <= 0 {
        Err("new_class_data_len is left unset")
    } else if in_place {
        Err("class_data is changed in place")
    } else if copy.new_class_data == copy.class_data {
        if len == original.class_data_len {
            Ok(())
        } else {
            Err("new_class_data_len is not the length of class_data")
        }
    } else {
        match given(copy.new_class_data.addr()) {
            None => Err("new_class_data is not from malloc_f"),
            Some(size) if usize::try_from(len).is_ok_and(|len| len > size) => {
                Err("new_class_data_len is more than malloc_f was asked for")
            }
            Some(_) => Ok(()),
        }
    }
}

/// How much `malloc_f` was asked for where it gave this address.
fn given(address: usize) -> Option<usize> {
    let look = |given: &RefCell<Vec<(usize, usize)>>| {
        let given = given.try_borrow().ok()?;
        let of_address = given.iter().rev().find(|(one, _)| *one == address)?;
        Some(of_address.1)
    };
    // At the thread's end nobody knows any more.
    GIVEN.try_with(look).unwrap_or(Some(usize::MAX))
}

fn take_back(address: usize, memory: *mut c_void) {
    let ours = GIVEN
        .try_with(|given| {
            let mut given = given.try_borrow_mut().ok()?;
            let position = given.iter().rposition(|&(one, _)| one == address)?;
            Some(given.remove(position))
        })
        .ok()
        .flatten()
        .is_some();
    if ours {
        // SAFETY: from `malloc`, and the agent has handed it over.
        unsafe { libc::free(memory) };
    }
}
