//! The functions of JNI for an agent of 32 bits, done by a host that has a VM elsewhere.
//!
//! C passes all arguments on the stack, and only the function's slot says what they are: one
//! function here, for each kind of result, reads them by [`jni_signature`]. Where a Java method is
//! called with arguments behind the others, a `va_list` is the place of the first.
//!
//! # Safety
//! Called by agents, with what the specification has for each function. Words beyond those are read,
//! and mean nothing: they are the caller's frame.
#![allow(unsafe_code, reason = "a table of C functions")]

use std::arch::naked_asm;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr;

use event_translate::jni_functions::{JniForm, JniType, jni_arguments, jni_form, jni_signature};
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

use crate::env::{Function, missing, say_missing};
use crate::host::{JniGiven, host};

/// No function takes more behind its env.
type Words = [u32; 5];

type Whole = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> u64;

// Slots by JNI's specification, chapter 4.
const FLOATS: [usize; 5] = [55, 85, 135, 102, 152];
const DOUBLES: [usize; 5] = [58, 88, 138, 103, 153];
const GET_METHOD_ID: usize = 33;
const GET_STATIC_METHOD_ID: usize = 113;
const GET_STRING_LENGTH: usize = 164;
const GET_ARRAY_LENGTH: usize = 171;
const GET_BOOLEAN_ARRAY_ELEMENTS: usize = 183;
const RELEASE_BOOLEAN_ARRAY_ELEMENTS: usize = 191;
const GET_BOOLEAN_ARRAY_REGION: usize = 199;
const SET_BOOLEAN_ARRAY_REGION: usize = 207;
const GET_STRING_REGION: usize = 220;
const GET_STRING_UTF_REGION: usize = 221;

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
        34..=63 if (slot - 34) % 3 == 0 => 3,
        114..=143 if (slot - 114) % 3 == 0 => 3,
        64..=93 if (slot - 64) % 3 == 0 => 4,
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

/// The function in a slot; one that is not here says so.
pub(crate) const fn function<const SLOT: usize>() -> Function {
    let before = words_before_arguments(SLOT);
    let (is_float, is_double) = (is_among(SLOT, FLOATS), is_among(SLOT, DOUBLES));
    match (before, is_float, is_double) {
        (3, true, _) => return float_behind_3::<SLOT>,
        (3, _, true) => return double_behind_3::<SLOT>,
        (3, ..) => return whole_behind_3::<SLOT>,
        (4, true, _) => return float_behind_4::<SLOT>,
        (4, _, true) => return double_behind_4::<SLOT>,
        (4, ..) => return whole_behind_4::<SLOT>,
        _ => {}
    }
    // SAFETY: C functions; callers pass what each takes.
    unsafe {
        if is_float {
            type Float = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> f32;
            return transmute::<Float, Function>(float::<SLOT>);
        }
        if is_double {
            type Double = unsafe extern "C" fn(usize, u32, u32, u32, u32, u32) -> f64;
            return transmute::<Double, Function>(double::<SLOT>);
        }
        match SLOT {
            165 | 224 => transmute::<Chars, Function>(string_chars),
            169 => transmute::<Chars, Function>(string_text),
            166 | 170 | 225 => transmute::<Release, Function>(release),
            GET_BOOLEAN_ARRAY_ELEMENTS..=190 => transmute::<Chars, Function>(elements::<SLOT>),
            RELEASE_BOOLEAN_ARRAY_ELEMENTS..=198 => {
                transmute::<ReleaseElements, Function>(release_elements::<SLOT>)
            }
            5..=164
            | 167
            | 168
            | 171..=182
            | 199..=214
            | 217
            | 218
            | 220
            | 221
            | 226..=228
            | 232 => transmute::<Whole, Function>(whole::<SLOT>),
            _ => missing::<SLOT>,
        }
    }
}

unsafe extern "C" fn whole<const SLOT: usize>(
    _: usize,
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
) -> u64 {
    call(SLOT, [a, b, c, d, e]).unwrap_or(0)
}

unsafe extern "C" fn float<const SLOT: usize>(
    _: usize,
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
) -> f32 {
    let bits = call(SLOT, [a, b, c, d, e]).unwrap_or(0);
    f32::from_bits(u32::try_from(bits).unwrap_or(0))
}

unsafe extern "C" fn double<const SLOT: usize>(
    _: usize,
    a: u32,
    b: u32,
    c: u32,
    d: u32,
    e: u32,
) -> f64 {
    f64::from_bits(call(SLOT, [a, b, c, d, e]).unwrap_or(0))
}

type Methods = HashMap<u64, Vec<JniType>>;

/// What the methods take that the agent has asked for.
fn methods() -> MutexGuard<'static, Option<Methods>> {
    static METHODS: Mutex<Option<Methods>> = Mutex::new(None);
    METHODS.lock()
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

fn number<'v>(number: i64) -> Vec<Value<'v>> {
    row(number, 0, None, &[])
}

fn id<'v>(id: u32) -> Vec<Value<'v>> {
    row(0, id.into(), None, &[])
}

fn memory<'v>(memory: &'v [u8]) -> Vec<Value<'v>> {
    row(0, 0, None, memory)
}

/// An agent's text; none for NULL.
fn text<'v>(at: u32) -> Option<&'v [u8]> {
    let at: *const c_char = pointer(at);
    // SAFETY: NULL, or the agent's word that it is one.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_bytes())
}

/// So many bytes of the agent's.
fn bytes<'v>(at: u32, count: usize) -> &'v [u8] {
    let at: *const u8 = pointer(at);
    if at.is_null() || isize::try_from(count).is_err() {
        return &[];
    }
    // SAFETY: the agent's word that they are there.
    unsafe { std::slice::from_raw_parts(at, count) }
}

fn pointer<T>(at: u32) -> *mut T {
    ptr::with_exposed_provenance_mut(at as usize)
}

fn count(word: u32) -> usize {
    usize::try_from(word.cast_signed()).unwrap_or(0)
}

/// Asks the host, or says that it has no such function.
fn ask(slot: usize, rows: Vec<Vec<Value<'_>>>) -> Option<JniGiven> {
    let given = host()?.jni(slot, rows);
    if given.is_none() {
        say_missing(slot);
    }
    given
}

/// A function with these words; the bits of its result.
fn call(slot: usize, words: Words) -> Option<u64> {
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
                let types = methods().get_or_insert_default().get(&ids.into()).cloned();
                let Some(types) = types else {
                    say_unknown_method();
                    return None;
                };
                rows.extend(arguments(&types, form, word()));
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
        let memory = match signature.arguments.last() {
            // To its end, as the function writes it.
            Some(JniType::TextRegion) => {
                let len = given.memory.iter().position(|&byte| byte == 0);
                given.memory.get(..=len.unwrap_or(0)).unwrap_or_default()
            }
            _ => &given.memory,
        };
        // SAFETY: room for as much, by the specification.
        unsafe { ptr::copy_nonoverlapping(memory.as_ptr(), pointer(at), memory.len()) };
    }
    if matches!(slot, GET_METHOD_ID | GET_STATIC_METHOD_ID)
        && let Some(types) = named.and_then(jni_arguments)
    {
        methods().get_or_insert_default().insert(given.id, types);
    }
    Some(match signature.result {
        JniType::Id => given.id,
        _ => given.number.cast_unsigned(),
    })
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
            _ => number(low.cast_signed().into()),
        });
    }
    rows
}

fn say_unknown_method() {
    crate::env::say(
        "the agent calls a Java method by JNI that it has not got from GetMethodID or \
         GetStaticMethodID: what that takes is not known here, and it gets 0 or NULL",
    );
}

// ---- copies of what the VM has ----------------------------------------------------

type Chars = unsafe extern "C" fn(usize, u32, *mut u8) -> *mut c_void;
type Release = unsafe extern "C" fn(usize, u32, *mut c_void);
type ReleaseElements = unsafe extern "C" fn(usize, u32, *mut c_void, i32);

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

/// All of what this slot gives of a region.
fn whole_region(object: u32, length: usize, region: usize) -> Option<(i32, Vec<u8>)> {
    let units = i32::try_from(ask(length, vec![id(object)])?.number).ok()?;
    let rows = vec![id(object), number(0), number(units.into()), number(0)];
    Some((units, ask(region, rows)?.memory))
}

unsafe extern "C" fn string_chars(_: usize, string: u32, is_copy: *mut u8) -> *mut c_void {
    match whole_region(string, GET_STRING_LENGTH, GET_STRING_REGION) {
        Some((_, mut chars)) => {
            // Some agents read to a zero, which HotSpot has there.
            chars.extend([0; 2]);
            copy(&chars, is_copy)
        }
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn string_text(_: usize, string: u32, is_copy: *mut u8) -> *mut c_void {
    match whole_region(string, GET_STRING_LENGTH, GET_STRING_UTF_REGION) {
        Some((_, text)) => {
            let len = text.iter().position(|&byte| byte == 0).unwrap_or(0);
            let text = text.get(..len).unwrap_or_default();
            copy(&[text, &[0]].concat(), is_copy)
        }
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn release(_: usize, _: u32, copy: *mut c_void) {
    // SAFETY: from `copy`, and given back.
    unsafe { libc::free(copy) };
}

unsafe extern "C" fn elements<const SLOT: usize>(
    _: usize,
    array: u32,
    is_copy: *mut u8,
) -> *mut c_void {
    let region = SLOT - GET_BOOLEAN_ARRAY_ELEMENTS + GET_BOOLEAN_ARRAY_REGION;
    match whole_region(array, GET_ARRAY_LENGTH, region) {
        Some((_, elements)) => copy(&elements, is_copy),
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn release_elements<const SLOT: usize>(
    _: usize,
    array: u32,
    elements: *mut c_void,
    mode: i32,
) {
    const COMMIT: i32 = 1;
    const ABORT: i32 = 2;
    if mode != ABORT && !elements.is_null() {
        let region = SLOT - RELEASE_BOOLEAN_ARRAY_ELEMENTS + SET_BOOLEAN_ARRAY_REGION;
        let length = ask(GET_ARRAY_LENGTH, vec![id(array)]).map_or(0, |given| given.number);
        let width = jni_signature(region).and_then(|signature| match signature.arguments.last() {
            Some(JniType::Region { width, .. }) => Some(usize::from(*width)),
            _ => None,
        });
        let bytes_of_all = usize::try_from(length).unwrap_or(0) * width.unwrap_or(0);
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
