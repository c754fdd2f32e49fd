//! Hides the frames of hook classes of the program's loaders from Java's stack traces.
//!
//! HotSpot hides the frames of methods with an annotation, which it heeds only in classes of
//! its own loaders; what it makes of the annotation is a bit in its `Method` (JDK 11 and 17) or
//! in the `ConstMethod` behind that (21 and 25). So the hook class in java.lang, which is
//! heeded, is compared with one that is not: where the native methods of both differ in one and
//! the same bit, and nowhere else but in pointers, there it is. As many pairs as there are hooks
//! have to agree, else frames stay visible and nothing is written.
//!
//! A `jmethodID` of HotSpot points to a pointer to the `Method` (JDK 11 to 25; it is a small
//! number from 26 on, which no pointer is).
#![allow(unsafe_code, reason = "a bit in the VM's memory")]

use std::sync::atomic::{AtomicU8, Ordering};

use crate::os::memory;
use crate::vm::hotspot::found::{HOTSPOT, HiddenBit, MethodParts as Parts, SOMETHING_ELSE};
use crate::vm::member_ids::MethodId;

/// So much of each is compared: what comes before the flags, and these.
const LENGTH: usize = size_of::<Parts>() / 2;
const WORD: usize = size_of::<usize>();
/// Fewer pairs might agree by chance.
const ENOUGH: usize = 8;

fn word_at(address: usize) -> Option<usize> {
    Some(usize::from_ne_bytes(memory::bytes_at(address)?))
}

/// Where the parts of a method are, from its jmethodID: one of the two places where an id is followed
/// ([`crate::vm::member_ids`]), here as far as it can be read.
fn places(id: MethodId) -> Option<[usize; 2]> {
    let method = word_at(id.number())?;
    // Behind the pointer to its functions.
    Some([method, word_at(method + WORD)?])
}

fn read(ids: &[MethodId]) -> Vec<Parts> {
    let read = |&id: &MethodId| {
        let [method, constant] = places(id)?;
        Some([without_pointers(method)?, without_pointers(constant)?])
    };
    ids.iter().filter_map(read).collect()
}

/// Memory with 0 for what points to other memory.
fn without_pointers(address: usize) -> Option<[u8; LENGTH]> {
    let mut bytes: [u8; LENGTH] = memory::bytes_at(address)?;
    for word in bytes.chunks_exact_mut(WORD) {
        let value = usize::from_ne_bytes(word.try_into().ok()?);
        if word_at(value).is_some() {
            word.fill(0);
        }
    }
    Some(bytes)
}

/// These have hidden frames: jmethodIDs of methods that were just bound.
pub(crate) fn learn(ids: &[MethodId]) {
    let _ = HOTSPOT.hidden.set(read(ids));
}

/// These, in the same order, have not. True if it is known now what makes the difference.
pub(crate) fn compare(ids: &[MethodId]) -> bool {
    let find = || {
        let (part, offset, bit) = HOTSPOT
            .hidden
            .get()
            .and_then(|hidden| difference(hidden, &read(ids)))
            .ok_or(SOMETHING_ELSE)?;
        Ok(HiddenBit { part, offset, bit })
    };
    HOTSPOT.hidden_frames.get_or_find(find).is_some()
}

/// The one place where each of `hidden` has a bit that its like in `shown` has not.
fn difference(hidden: &[Parts], shown: &[Parts]) -> Option<(usize, usize, u8)> {
    if hidden.len() != shown.len() || hidden.len() < ENOUGH {
        return None;
    }
    let differs = |(part, at): (usize, usize)| {
        let mut bits = hidden.iter().zip(shown).map(|(hidden, shown)| {
            let byte = |of: &Parts| of.get(part)?.get(at).copied();
            let (hidden, shown) = (byte(hidden)?, byte(shown)?);
            let bit = hidden ^ shown;
            (bit.is_power_of_two() && hidden & bit != 0).then_some(bit)
        });
        let first = bits.next()??;
        bits.all(|bit| bit == Some(first))
            .then_some((part, at, first))
    };
    let all = (0..2).flat_map(|part| (0..LENGTH).map(move |at| (part, at)));
    let mut found = all.filter_map(differs);
    let place = found.next()?;
    found.next().is_none().then_some(place)
}

/// Hides the frames of these, which nobody has called yet.
pub(crate) fn hide(ids: &[MethodId]) {
    let Some(found) = HOTSPOT.hidden_frames.get() else {
        return;
    };
    let place = |&id: &MethodId| Some(places(id)?.get(found.part)? + found.offset);
    for place in ids.iter().filter_map(place) {
        if memory::bytes_at::<1>(place & !(WORD - 1)).is_some() {
            let place = std::ptr::with_exposed_provenance_mut::<AtomicU8>(place);
            // SAFETY: a byte of a live method of a class that the caller holds, found as the
            // module says.
            unsafe { &*place }.fetch_or(found.bit, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many methods as there are hooks, with different numbers and these flags.
    fn methods(base: u8, flags: u8) -> Vec<Parts> {
        let method = |number: u8| {
            let mut parts = [[0; LENGTH]; 2];
            parts[0][8] = base ^ number.wrapping_mul(24);
            parts[1][44] = flags;
            parts
        };
        (0..12).map(method).collect()
    }

    #[test]
    fn the_bit_is_found() {
        let hidden = methods(0x30, 0x51);
        let found = difference(&hidden, &methods(0x77, 0x41));
        assert_eq!(found, Some((1, 44, 0x10)));
    }

    #[test]
    fn doubt_is_no_answer() {
        let hidden = methods(0x30, 0x51);
        // The same, the other way round, two bits, too few, another place as well.
        assert_eq!(difference(&hidden, &methods(0x77, 0x51)), None);
        assert_eq!(difference(&methods(0x77, 0x41), &hidden), None);
        assert_eq!(difference(&hidden, &methods(0x77, 0x40)), None);
        let few = |methods: Vec<Parts>| methods[..4].to_vec();
        let (some, others) = (few(hidden.clone()), few(methods(0x77, 0x41)));
        assert_eq!(difference(&some, &others), None);
        let mut another = methods(0x77, 0x41);
        for (method, hidden) in another.iter_mut().zip(&hidden) {
            method[0] = hidden[0];
            method[0][9] = 0;
        }
        let also = |mut method: Parts| {
            method[0][9] = 4;
            method
        };
        let hidden: Vec<_> = hidden.into_iter().map(also).collect();
        assert_eq!(difference(&hidden, &another), None);
    }
}
