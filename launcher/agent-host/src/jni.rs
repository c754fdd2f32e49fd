//! The functions of JNI for an agent of 32 bits, done by a host that has a VM elsewhere.
//!
//! C passes all arguments on the stack, and only the function's slot says what they are: one
//! function here, for each kind of result, reads them by [`event_translate::jni_functions`]. Where a Java method is
//! called with arguments behind the others, a `va_list` is the place of the first.
//!
//! # Safety
//! Called by agents, with what the specification has for each function. Words beyond those are read,
//! and mean nothing: they are the caller's frame.
#![allow(unsafe_code, reason = "a table of C functions")]

mod call;
mod copies;
mod native;

use std::arch::naked_asm;
use std::mem::transmute_copy;

use crate::jni::call::call;
use crate::jni::copies::{
    Chars, GET_BOOLEAN_ARRAY_ELEMENTS, RELEASE_BOOLEAN_ARRAY_ELEMENTS, Release, ReleaseElements,
    critical_elements, elements, release, release_critical, release_elements, string_chars,
    string_text,
};
pub use crate::jni::native::run as run_native;
use crate::missing::{Function, missing};

type Whole = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> u64;
type Float = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> f32;
type Double = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> f64;

// Slots by JNI's specification, chapter 4.
const FLOATS: [usize; 5] = [55, 85, 135, 102, 152];
const DOUBLES: [usize; 5] = [58, 88, 138, 103, 153];

/// Whether the slot's result is one of these: of the forms of a call the first three are.
const fn is_among(slot: usize, firsts: [usize; 5]) -> bool {
    let [a, b, c, d, e] = firsts;
    let calls = (slot >= a && slot < a + 3) || (slot >= b && slot < b + 3);
    calls || (slot >= c && slot < c + 3) || slot == d || slot == e
}

/// How many words stand before the first argument of the method, its env among them; 0 if the slot
/// takes no arguments behind the others.
const fn words_before_arguments(slot: usize) -> usize {
    match slot {
        28 => 3,
        34..=63 if (slot - 34).is_multiple_of(3) => 3,
        114..=143 if (slot - 114).is_multiple_of(3) => 3,
        64..=93 if (slot - 64).is_multiple_of(3) => 4,
        _ => 0,
    }
}

macro_rules! variadic {
    ($($three:ident, $four:ident: $target:ident;)+) => {$(
        #[unsafe(naked)]
        unsafe extern "C" fn $three<const SLOT: usize>() -> usize {
            naked_asm!(
                "lea eax, [esp + 16]", "push eax",
                "push dword ptr [esp + 16]", "push dword ptr [esp + 16]",
                "push dword ptr [esp + 16]",
                "call {target}", "add esp, 16", "ret",
                target = sym $target::<SLOT>,
            )
        }

        #[unsafe(naked)]
        unsafe extern "C" fn $four<const SLOT: usize>() -> usize {
            naked_asm!(
                "lea eax, [esp + 20]", "push eax",
                "push dword ptr [esp + 20]", "push dword ptr [esp + 20]",
                "push dword ptr [esp + 20]", "push dword ptr [esp + 20]",
                "call {target}", "add esp, 20", "ret",
                target = sym $target::<SLOT>,
            )
        }
    )+};
}

variadic! {
    whole_behind_3, whole_behind_4: whole;
    float_behind_3, float_behind_4: float;
    double_behind_3, double_behind_4: double;
}

/// Where a result is: two registers, or the floating-point stack.
enum Result {
    Whole,
    Float,
    Double,
}

const fn result(slot: usize) -> Result {
    if is_among(slot, FLOATS) {
        Result::Float
    } else if is_among(slot, DOUBLES) {
        Result::Double
    } else {
        Result::Whole
    }
}

/// A C function as the table has it.
const fn untyped<F: Copy>(function: F) -> Function {
    const { assert!(size_of::<F>() == size_of::<Function>()) };
    // SAFETY: an address; callers pass what it takes.
    unsafe { transmute_copy(&function) }
}

/// The function in a slot; one that is not here says so.
pub(crate) const fn function<const SLOT: usize>() -> Function {
    match (words_before_arguments(SLOT), result(SLOT)) {
        (3, Result::Whole) => whole_behind_3::<SLOT>,
        (3, Result::Float) => float_behind_3::<SLOT>,
        (3, Result::Double) => double_behind_3::<SLOT>,
        (4, Result::Whole) => whole_behind_4::<SLOT>,
        (4, Result::Float) => float_behind_4::<SLOT>,
        (4, Result::Double) => double_behind_4::<SLOT>,
        (_, Result::Float) => untyped::<Float>(float::<SLOT>),
        (_, Result::Double) => untyped::<Double>(double::<SLOT>),
        (_, Result::Whole) => match SLOT {
            165 | 224 => untyped::<Chars>(string_chars),
            169 => untyped::<Chars>(string_text),
            166 | 170 | 225 => untyped::<Release>(release),
            GET_BOOLEAN_ARRAY_ELEMENTS..=190 => untyped::<Chars>(elements::<SLOT>),
            RELEASE_BOOLEAN_ARRAY_ELEMENTS..=198 => {
                untyped::<ReleaseElements>(release_elements::<SLOT>)
            }
            222 => untyped::<Chars>(critical_elements),
            223 => untyped::<ReleaseElements>(release_critical),
            4..=164 | 167 | 168 | 171..=182 | 199..=218 | 220 | 221 | 226..=228 | 232..=236 => {
                untyped::<Whole>(whole::<SLOT>)
            }
            _ => missing::<SLOT>,
        },
    }
}

/// What a function gives that could not be called.
const fn failure(slot: usize) -> u64 {
    const GET_VERSION: usize = 4;
    const REGISTER_NATIVES: usize = 215;
    match slot {
        // On a thread without a lane; no VM that runs us has less.
        GET_VERSION => 0x000a_0000,
        // To say that it is done would be a lie.
        REGISTER_NATIVES => u64::MAX,
        _ => 0,
    }
}

macro_rules! results {
    ($($name:ident -> $result:ty, $from:expr;)+) => {$(
        unsafe extern "C" fn $name<const SLOT: usize>(
            _: usize,
            a: u32,
            b: u32,
            c: u32,
            d: u32,
            e: u32,
        ) -> $result {
            $from(call(SLOT, [a, b, c, d, e]).unwrap_or(failure(SLOT)))
        }
    )+};
}

results! {
    whole -> u64, u64::from;
    float -> f32, |bits| f32::from_bits(u32::try_from(bits).unwrap_or(0));
    double -> f64, f64::from_bits;
}
