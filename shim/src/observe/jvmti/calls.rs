//! The functions of JVMTI that an agent calls: each records the call, and has the VM's own do it.
//!
//! All take and give words, but for four that take a `jfloat` or a `jdouble`; so one piece of code
//! serves all, once for each by its number. Words that a function does not take are not looked at.
//!
//! # Safety
//! Reached only through the tables that [`super::environments`] puts in place; what is passed goes on as it
//! came.
#![allow(unsafe_code, reason = "tables of C functions")]

use std::ffi::c_void;
use std::mem;

use recording_format::jvmti;

use crate::observe::jvmti::call_records::recorded;
use crate::observe::jvmti::environments::{INVALID_ENVIRONMENT, WORDS};
use crate::observe::jvmti::special;

/// Ours for the function of this number; `None` if JVMTI has none.
pub(crate) fn function(number: u8) -> Option<*mut c_void> {
    macro_rules! functions {
        ($($number:literal),*) => {
            match number {
                $($number => called::<$number> as *mut c_void,)*
                29 => with_float::<29> as *mut c_void,
                30 => with_double::<30> as *mut c_void,
                84 => returning_float::<84> as *mut c_void,
                85 => returning_double::<85> as *mut c_void,
                _ => return None,
            }
        };
    }
    Some(functions![
        2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
        27, 28, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
        52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
        75, 76, 77, 78, 79, 80, 81, 82, 83, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99,
        100, 101, 102, 103, 104, 106, 107, 108, 109, 110, 111, 112, 114, 115, 116, 118, 119, 120,
        121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138,
        139, 140, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156
    ])
}

unsafe extern "C" fn called<const NUMBER: u8>(
    env: *mut c_void,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) -> i32 {
    let words = [first, second, third, fourth, fifth];
    // SAFETY: the words of such a function.
    recorded(env, NUMBER, &words, |environment| unsafe {
        special::call(environment, env, NUMBER, words)
    })
}

macro_rules! with_number {
    ($name:ident($($word:ident),*; $value:ty)) => {
        unsafe extern "C" fn $name<const NUMBER: u8>(
            env: *mut c_void,
            $($word: usize,)*
            value: $value,
        ) -> i32 {
            type Own = unsafe extern "C" fn(*mut c_void, $(with_number!(@word $word),)* $value) -> i32;
            let mut words = [0; WORDS];
            let given = [$($word,)* value.to_bits() as usize];
            for (place, word) in words.iter_mut().zip(given) {
                *place = word;
            }
            recorded(env, NUMBER, &words, |environment| {
                let vms_own = environment.vms_own(NUMBER);
                if vms_own.is_null() {
                    return INVALID_ENVIRONMENT;
                }
                // SAFETY: the function of this number, which takes just that.
                let vms_own: Own = unsafe { mem::transmute(vms_own) };
                // SAFETY: the caller's own arguments.
                unsafe { vms_own(env, $($word,)* value) }
            })
        }
    };
    (@word $word:ident) => { usize };
}

with_number!(with_float(thread, depth, slot; f32));
with_number!(with_double(thread, depth, slot; f64));
with_number!(returning_float(thread; f32));
with_number!(returning_double(thread; f64));

/// No function takes more words than [`WORDS`], results included.
const _: () = {
    let mut number = 1;
    while number < u8::MAX {
        if let Some(row) = jvmti::function(number) {
            assert!(row.arguments.len() + row.results.len() <= WORDS);
        }
        number += 1;
    }
};
