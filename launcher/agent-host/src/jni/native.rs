//! A native method of the program's, for which the agent has registered a function.
//!
//! # Safety
//! The agent's word is that the function takes what the method's signature says.
#![allow(unsafe_code, reason = "a function of the agent's, of whatever type")]

use std::arch::naked_asm;
use std::mem::transmute;

use event_translate::jni_functions::{JniGiven, JniType, jni_arguments, jni_result};
use recording_format::Value;

use crate::ours::Ours;

type Call<T> = unsafe extern "C" fn(usize, *const u32, usize) -> T;

/// Calls a function with so many words of arguments.
#[unsafe(naked)]
unsafe extern "C" fn call() -> u64 {
    naked_asm!(
        "push ebp",
        "mov ebp, esp",
        "push esi",
        "push edi",
        "mov ecx, [ebp + 16]",
        "mov esi, [ebp + 12]",
        "lea eax, [ecx * 4]",
        "sub esp, eax",
        "and esp, -16",
        "mov edi, esp",
        "cld",
        "rep movsd",
        "call [ebp + 8]",
        "lea esp, [ebp - 8]",
        "pop edi",
        "pop esi",
        "pop ebp",
        "ret",
    )
}

/// # Safety
/// The function takes these words, and gives such a value.
unsafe fn called<T>(function: usize, words: &[u32]) -> T {
    // SAFETY: its result is left where C has it, whatever it is.
    let call = unsafe { transmute::<unsafe extern "C" fn() -> u64, Call<T>>(call) };
    let _agents = Ours::pause();
    // SAFETY: the caller's promise.
    unsafe { call(function, words.as_ptr(), words.len()) }
}

/// Runs the function on the thread of the env at this address; `arguments` are the method's class or object, and those
/// of its own. `None` if that is no such method.
#[must_use]
pub fn run(
    env: usize,
    function: u64,
    signature: &[u8],
    arguments: &[Vec<Value<'_>>],
) -> Option<JniGiven> {
    let function = usize::try_from(function).ok().filter(|&at| at != 0)?;
    let result = jni_result(signature)?;
    let types = [vec![JniType::Id], jni_arguments(signature)?].concat();
    let mut words = vec![u32::try_from(env).ok()?];
    for (ty, row) in types.into_iter().zip(arguments) {
        let number = row
            .first()
            .and_then(Value::int)
            .unwrap_or(0)
            .cast_unsigned();
        let id = row.get(1).and_then(Value::id).unwrap_or(0);
        let bits = if ty == JniType::Id { id } else { number };
        let [a, b, c, d, high @ ..] = bits.to_le_bytes();
        words.push(u32::from_le_bytes([a, b, c, d]));
        if matches!(ty, JniType::Long | JniType::Double) {
            words.push(u32::from_le_bytes(high));
        }
    }
    let number = if result == JniType::Float {
        // SAFETY: see the module documentation.
        let value: f32 = unsafe { called(function, &words) };
        value.to_bits().into()
    } else if result == JniType::Double {
        // SAFETY: as above.
        let value: f64 = unsafe { called(function, &words) };
        value.to_bits().cast_signed()
    } else {
        // SAFETY: as above.
        let bits: u64 = unsafe { called(function, &words) };
        bits.cast_signed()
    };
    let mut given = JniGiven::default();
    if result == JniType::Id {
        given.id = number.cast_unsigned() & u64::from(u32::MAX);
    } else {
        given.number = number;
    }
    Some(given)
}
