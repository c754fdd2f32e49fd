//! One call of JNI's, by the table that the calling thread's env has.
//!
//! # Safety
//! [`jni_signature`] is JNI's specification: so many arguments of those types, in registers all of
//! them. Memory is handed over as long as the function reads or writes it, by its other arguments.
//! Ids are the agent's word, as they are where it lives in this process.
#![allow(unsafe_code, reason = "the functions of a C table")]

use std::ffi::{CString, c_void};
use std::mem::transmute;

use event_translate::jni_functions::{JniGiven, JniType, jni_signature, jni_since};
use jvmpi_headers::jni::JNIEnv;
use recording_format::Value;

use crate::bridge::bits::{low, number};
use crate::bridge::natives;
use crate::vm::jni::Jni;

const GET_VERSION: usize = 4;
const EXCEPTION_CHECK: usize = 228;
/// What the oldest VM gives that we run in, JDK 11.
const OLDEST: i32 = 0x000a_0000;

/// What fits into registers behind the env.
type Words = [u64; 5];

macro_rules! invoke {
    ($function:ident, $env:ident, $words:ident, $result:ty) => {{
        let [a, b, c, d, e] = $words;
        // SAFETY: see the module documentation.
        unsafe {
            transmute::<
                *const c_void,
                unsafe extern "C" fn(*mut JNIEnv, u64, u64, u64, u64, u64) -> $result,
            >($function)($env, a, b, c, d, e)
        }
    }};
    ($function:ident, $env:ident, $words:ident, last: $last:expr, $ty:ty) => {{
        let [a, b, ..] = $words;
        // SAFETY: see the module documentation.
        unsafe {
            transmute::<*const c_void, unsafe extern "C" fn(*mut JNIEnv, u64, u64, $ty)>($function)(
                $env, a, b, $last,
            )
        }
    }};
}

/// `None` for what came after this VM, whose table is shorter.
fn function(env: *mut JNIEnv, slot: usize) -> Option<*const c_void> {
    let since = jni_since(slot);
    if since > OLDEST && version(env)? < since {
        return None;
    }
    // SAFETY: an env begins with its table.
    let table = unsafe { env.cast::<*const *const c_void>().read() };
    // SAFETY: it has all slots that were there in its version.
    let function = unsafe { table.wrapping_add(slot).read() };
    (!function.is_null()).then_some(function)
}

fn version(env: *mut JNIEnv) -> Option<i32> {
    let get_version = function(env, GET_VERSION)?;
    let none = Words::default();
    Some(low(invoke!(get_version, env, none, u64)).cast_signed())
}

/// Arguments as they are handed over, and what they point to.
#[derive(Default)]
struct Handed {
    words: Words,
    count: usize,
    floating: Option<(JniType, u64)>,
    texts: Vec<CString>,
    values: Vec<u64>,
    natives: Vec<[usize; 3]>,
    memory: Vec<u8>,
    writes: bool,
}

impl Handed {
    fn word(&mut self, word: u64) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word;
            self.count += 1;
        }
    }

    fn address<T>(&mut self, of: *const T) {
        self.word(of.expose_provenance() as u64);
    }

    /// The argument before says how many units there are: none if it is below 0, which the function
    /// refuses. `None` for more than the agent has memory for.
    fn units(&self) -> Option<usize> {
        const MOST: i64 = 1 << 28;
        let last = self.words.get(self.count.checked_sub(1)?)?.cast_signed();
        usize::try_from(last.max(0)).ok().filter(|_| last <= MOST)
    }

    fn room(&mut self, bytes: usize) {
        self.memory = vec![0; bytes];
        self.writes = true;
        let start = self.memory.as_mut_ptr();
        self.address(start);
    }

    /// `None` if that is no such argument.
    fn hand(&mut self, ty: JniType, row: &[Value<'_>], behind: &[Vec<Value<'_>>]) -> Option<()> {
        let number = row.first().and_then(Value::int).unwrap_or(0);
        let id = row.get(1).and_then(Value::id).unwrap_or(0);
        let bytes = |place: usize| row.get(place).and_then(Value::bytes);
        match ty {
            JniType::Id => self.word(id),
            JniType::Boolean
            | JniType::Byte
            | JniType::Char
            | JniType::Short
            | JniType::Int
            | JniType::Long => self.word(number.cast_unsigned()),
            JniType::Float | JniType::Double => self.floating = Some((ty, number.cast_unsigned())),
            JniType::Text => match bytes(2) {
                None => self.word(0),
                Some(text) => {
                    let text = CString::new(text).ok()?;
                    let start = text.as_ptr();
                    self.texts.push(text);
                    self.address(start);
                }
            },
            JniType::Bytes(width) => {
                self.memory = bytes(3)?.to_vec();
                let start = self.memory.as_ptr();
                self.address(start);
                self.word((self.memory.len() / usize::from(width)) as u64);
            }
            JniType::Region { width, out: true } => self.room(self.units()? * usize::from(width)),
            JniType::Region { width, out: false } => {
                let bytes = bytes(3)?;
                if bytes.len() != self.units()? * usize::from(width) {
                    return None;
                }
                self.memory = bytes.to_vec();
                let start = self.memory.as_ptr();
                self.address(start);
            }
            JniType::TextRegion => self.room(3 * self.units()? + 1),
            JniType::Arguments => {
                let value = |row: &Vec<Value<'_>>| {
                    let id = row.get(1).and_then(Value::id).unwrap_or(0);
                    let number = row.first().and_then(Value::int).unwrap_or(0);
                    if id == 0 { number.cast_unsigned() } else { id }
                };
                self.values = behind.iter().map(value).collect();
                // Methods without arguments look at none.
                self.values.push(0);
                let start = self.values.as_ptr();
                self.address(start);
            }
            JniType::Natives => {
                for row in behind {
                    let (name, signature) = (row.get(2)?.bytes()?, row.get(3)?.bytes()?);
                    let function = natives::stand_in(row.first()?.int()?, signature)?;
                    let [name, signature] = [name, signature].map(|text| CString::new(text).ok());
                    let (name, signature) = (name?, signature?);
                    let texts = [&name, &signature].map(|text| text.as_ptr().expose_provenance());
                    let [name_at, signature_at] = texts;
                    self.natives.push([name_at, signature_at, function]);
                    self.texts.extend([name, signature]);
                }
                let start = self.natives.as_ptr();
                self.address(start);
                self.word(self.natives.len() as u64);
            }
            JniType::Nothing => {}
        }
        Some(())
    }
}

/// Calls the function in this slot; `None` if it cannot be.
pub(super) fn call(slot: i32, arguments: &[Value<'_>]) -> Option<JniGiven> {
    let slot = usize::try_from(slot).ok()?;
    let signature = jni_signature(slot)?;
    let env = Jni::of_this_thread()?.env();
    let function_there = function(env, slot)?;
    let rows = arguments.first().map(Value::rows).unwrap_or_default();
    let mut handed = Handed::default();
    for (place, &ty) in signature.arguments.iter().enumerate() {
        let behind = rows.get(place..).unwrap_or_default();
        let row = behind.first().map(Vec::as_slice).unwrap_or_default();
        handed.hand(ty, row, behind)?;
    }
    let words = handed.words;
    // What has been thrown before keeps nobody from reading.
    let threw_before = handed.writes && has_thrown(env);
    let mut given = JniGiven::default();
    match (handed.floating, signature.result) {
        (Some((JniType::Float, bits)), _) => {
            let value = f32::from_bits(low(bits));
            invoke!(function_there, env, words, last: value, f32);
        }
        (Some((_, bits)), _) => {
            let value = f64::from_bits(bits);
            invoke!(function_there, env, words, last: value, f64);
        }
        (None, JniType::Float) => {
            let value = invoke!(function_there, env, words, f32);
            given.number = value.to_bits().into();
        }
        (None, JniType::Double) => {
            let value = invoke!(function_there, env, words, f64);
            given.number = value.to_bits().cast_signed();
        }
        (None, result) => {
            let bits = invoke!(function_there, env, words, u64);
            if result == JniType::Id {
                given.id = bits;
            } else {
                given.number = number(bits, result);
            }
        }
    }
    if handed.writes && (threw_before || !has_thrown(env)) {
        given.memory = handed.memory;
    }
    Some(given)
}

fn has_thrown(env: *mut JNIEnv) -> bool {
    let Some(check) = function(env, EXCEPTION_CHECK) else {
        return false;
    };
    let none = Words::default();
    number(invoke!(check, env, none, u64), JniType::Boolean) != 0
}
