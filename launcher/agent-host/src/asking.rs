//! Calls of the agent's as messages to whoever answers.
#![allow(unsafe_code, reason = "an agent's text")]

use std::ffi::{CStr, c_char};
use std::ops::Deref;

use jvmpi_headers::jni::{JNIEnv, jint};
use recording_format::Value;

use crate::env;
use crate::host::host;
use crate::memory::readable;
use crate::ours::Ours;
use crate::values::pointer;

/// What was answered; the calling thread is in our code until its memory is given back.
#[derive(Default)]
pub(crate) struct Answer {
    values: Vec<Value<'static>>,
    _ours: Option<Ours>,
}

impl Deref for Answer {
    type Target = [Value<'static>];

    fn deref(&self) -> &Self::Target {
        &self.values
    }
}

pub(crate) fn ask(slot: u8, arguments: &[Value<'_>]) -> Option<Answer> {
    let ours = Ours::begin()?;
    let values = ask_inside(slot, arguments)?;
    Some(Answer {
        values,
        _ours: Some(ours),
    })
}

/// The same for a caller who has begun already.
pub(crate) fn ask_inside(slot: u8, arguments: &[Value<'_>]) -> Option<Vec<Value<'static>>> {
    host()?.call(slot, arguments)
}

pub(crate) fn int(slot: u8, arguments: &[Value<'_>], failure: i32) -> i32 {
    let answer = ask(slot, arguments);
    let number = answer.as_ref().and_then(|values| values.first()?.int());
    number
        .and_then(|number| i32::try_from(number).ok())
        .unwrap_or(failure)
}

pub(crate) fn id<T>(slot: u8, arguments: &[Value<'_>]) -> *mut T {
    let answer = ask(slot, arguments);
    pointer(answer.and_then(|values| values.first()?.id()).unwrap_or(0))
}

pub(crate) fn of_env(env: *mut JNIEnv) -> Value<'static> {
    Value::Id(env::recorded(env))
}

pub(crate) fn of<T>(pointer: *mut T) -> Value<'static> {
    Value::Id(pointer.addr() as u64)
}

pub(crate) fn number(number: jint) -> Value<'static> {
    Value::Int(number.into())
}

/// An agent's text; none for NULL.
pub(crate) fn text<'a>(text: *const c_char) -> Option<&'a [u8]> {
    if !readable(text, 1) {
        return None;
    }
    // SAFETY: it begins, and the agent's word that it is one.
    Some(unsafe { CStr::from_ptr(text) }.to_bytes())
}
