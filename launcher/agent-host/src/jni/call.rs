//! One call: its words become the values that the host understands, and back.
#![allow(unsafe_code, reason = "the agent's arguments")]

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::ptr;

use event_translate::jni_functions::{
    JniForm, JniGiven, JniType, jni_arguments, jni_form, jni_signature,
};
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

use crate::host::{host, lock};
use crate::missing::{say, say_missing};
use crate::ours::Ours;

/// No function takes more behind its env.
pub(super) type Words = [u32; 5];

// Slots by JNI's specification, chapter 4.
const GET_METHOD_ID: usize = 33;
const GET_STATIC_METHOD_ID: usize = 113;

type Methods = HashMap<u64, Vec<JniType>>;

/// What the methods take that the agent has asked for.
fn methods() -> Option<MutexGuard<'static, Option<Methods>>> {
    static METHODS: Mutex<Option<Methods>> = Mutex::new(None);
    lock(&METHODS)
}

/// One argument: a number, an id, a text, memory.
fn row<'v>(number: i64, id: u64, text: Option<&'v [u8]>, memory: &'v [u8]) -> Vec<Value<'v>> {
    let text = Value::Text(text);
    vec![
        Value::Int(number),
        Value::Id(id),
        text,
        Value::Bytes(memory),
    ]
}

pub(super) fn number<'v>(number: i64) -> Vec<Value<'v>> {
    row(number, 0, None, &[])
}

pub(super) fn id<'v>(id: u32) -> Vec<Value<'v>> {
    row(0, id.into(), None, &[])
}

pub(super) fn memory<'v>(memory: &'v [u8]) -> Vec<Value<'v>> {
    row(0, 0, None, memory)
}

pub(super) fn text_row<'v>(text: &'v [u8]) -> Vec<Value<'v>> {
    row(0, 0, Some(text), &[])
}

/// An agent's text; none for NULL.
fn text<'v>(at: u32) -> Option<&'v [u8]> {
    let at: *const c_char = pointer(at);
    // SAFETY: NULL, or the agent's word that it is one.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_bytes())
}

/// So many bytes of the agent's.
pub(super) fn bytes<'v>(at: u32, count: usize) -> &'v [u8] {
    let at: *const u8 = pointer(at);
    if at.is_null() || isize::try_from(count).is_err() {
        return &[];
    }
    // SAFETY: the agent's word that they are there.
    unsafe { std::slice::from_raw_parts(at, count) }
}

pub(super) fn pointer<T>(at: u32) -> *mut T {
    ptr::with_exposed_provenance_mut(at as usize)
}

fn count(word: u32) -> usize {
    usize::try_from(word.cast_signed()).unwrap_or(0)
}

/// Asks the host, or says that it has no such function.
pub(super) fn ask(slot: usize, rows: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
    let given = host()?.jni(slot, rows);
    if given.is_none() {
        say_missing(slot);
    }
    given
}

/// A function with these words; the bits of its result.
pub(super) fn call(slot: usize, words: Words) -> Option<u64> {
    let _ours = Ours::begin()?;
    let signature = jni_signature(slot)?;
    let mut next = words.into_iter();
    let mut word = || next.next().unwrap_or(0);
    let (mut ids, mut last) = (0, 0);
    let mut rows = Vec::new();
    let mut named = None;
    let mut written = None;
    let mut asked = slot;
    for &ty in signature.arguments {
        match ty {
            JniType::Id => {
                ids = word();
                rows.push(id(ids));
            }
            JniType::Text => {
                let text = text(word());
                named = text;
                rows.push(row(0, 0, text, &[]));
            }
            JniType::Bytes(width) => {
                let (at, units) = (word(), count(word()));
                rows.push(memory(bytes(at, units.saturating_mul(width.into()))));
            }
            JniType::Region { out: true, .. } | JniType::TextRegion => {
                written = Some(word());
                rows.push(number(0));
            }
            JniType::Region { width, out: false } => {
                let units = count(last);
                rows.push(memory(bytes(word(), units.saturating_mul(width.into()))));
            }
            JniType::Arguments => {
                let (form, array) = jni_form(slot)?;
                asked = array;
                let find = || methods()?.as_ref()?.get(&u64::from(ids)).cloned();
                let Some(types) = find() else {
                    say_unknown_method();
                    return None;
                };
                rows.extend(arguments(&types, form, word()));
            }
            JniType::Natives => {
                let (at, methods) = (word(), count(word()));
                rows.extend(natives(at, methods));
            }
            JniType::Long | JniType::Double => {
                let (low, high) = (word(), word());
                rows.push(number(long(low, high)));
            }
            JniType::Float => rows.push(number(word().into())),
            JniType::Boolean => rows.push(number((word() & 0xff).into())),
            JniType::Char => rows.push(number((word() & 0xffff).into())),
            JniType::Byte | JniType::Short | JniType::Int => {
                last = word();
                rows.push(number(last.cast_signed().into()));
            }
            JniType::Nothing => {}
        }
    }
    let given = ask(asked, rows)?;
    if let Some(at) = written.filter(|&at| at != 0) {
        let memory = if signature.arguments.last() == Some(&JniType::TextRegion) {
            // To its end, as the function writes it.
            let len = given.memory.iter().position(|&byte| byte == 0);
            given.memory.get(..=len.unwrap_or(0)).unwrap_or_default()
        } else {
            &given.memory
        };
        // SAFETY: room for as much, by the specification.
        unsafe { ptr::copy_nonoverlapping(memory.as_ptr(), pointer(at), memory.len()) };
    }
    if matches!(slot, GET_METHOD_ID | GET_STATIC_METHOD_ID)
        && let Some(types) = named.and_then(jni_arguments)
        && let Some(mut methods) = methods()
    {
        methods.get_or_insert_default().insert(given.id, types);
    }
    Some(if signature.result == JniType::Id {
        given.id
    } else {
        given.number.cast_unsigned()
    })
}

/// Native methods as an agent has them: of each a name, a signature and a function.
fn natives<'v>(at: u32, count: usize) -> Vec<Vec<Value<'v>>> {
    let place: *const [u32; 3] = pointer(at);
    let method = |index| {
        // SAFETY: as many as the agent says.
        let [name, signature, function] = unsafe { place.wrapping_add(index).read_unaligned() };
        let signature = text(signature).unwrap_or_default();
        row(function.into(), 0, text(name), signature)
    };
    if at == 0 {
        return Vec::new();
    }
    (0..count).map(method).collect()
}

fn long(low: u32, high: u32) -> i64 {
    (u64::from(high) << 32 | u64::from(low)).cast_signed()
}

/// The arguments of a Java method: at `at` each takes one word or two, or as an array two.
fn arguments<'v>(types: &[JniType], form: JniForm, at: u32) -> Vec<Vec<Value<'v>>> {
    let mut place: *const u32 = pointer(at);
    let mut word = || {
        // SAFETY: as many as the method takes, by the specification.
        let word = unsafe { place.read_unaligned() };
        place = place.wrapping_add(1);
        word
    };
    let mut rows = Vec::new();
    for &ty in types {
        let is_array = form == JniForm::Array;
        let (mut low, mut high) = (word(), None);
        // C makes a double of each float that it passes so.
        let is_long = matches!(ty, JniType::Long | JniType::Double);
        if is_array || is_long || ty == JniType::Float {
            high = Some(word());
        }
        if ty == JniType::Float && !is_array {
            let bits = long(low, high.unwrap_or(0)).cast_unsigned();
            #[allow(clippy::cast_possible_truncation, reason = "it was a float")]
            let value = f64::from_bits(bits) as f32;
            low = value.to_bits();
        }
        rows.push(match ty {
            JniType::Id => id(low),
            JniType::Long | JniType::Double => number(long(low, high.unwrap_or(0))),
            JniType::Boolean => number((low & 0xff).into()),
            JniType::Char => number((low & 0xffff).into()),
            JniType::Float => number(low.into()),
            JniType::Byte | JniType::Short | JniType::Int => number(low.cast_signed().into()),
            // None of them is in the signature of a method.
            JniType::Text
            | JniType::Bytes(_)
            | JniType::Region { .. }
            | JniType::TextRegion
            | JniType::Arguments
            | JniType::Natives
            | JniType::Nothing => number(0),
        });
    }
    rows
}

fn say_unknown_method() {
    say(
        "the agent calls a Java method by JNI that it has not got from GetMethodID or \
         GetStaticMethodID: what that takes is not known here, and it gets 0 or NULL",
    );
}
