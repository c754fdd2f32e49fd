//! The callbacks that the VM is given for those of an agent: each records the event and calls the
//! agent's.
//!
//! All take words, so one piece of code serves all, once for each by its number.
//!
//! # Safety
//! Called by the VM, with what it passes to the callback of this event; that goes on as it came.
#![allow(unsafe_code, reason = "callbacks from C")]

use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::atomic::Ordering;

use recording_format::jvmti::{self, Event, EventKind, Head, Kind};
use recording_format::{Line, Space, Subject};

use crate::base::boundary::unlogged;
use crate::observe::call::int;
use crate::observe::jvmti::environments::{self, Environment};
use crate::observe::jvmti::promise::Promise;
use crate::observe::jvmti::values::Values;
use crate::observe::jvmti::{identities, passed};
use crate::observe::{recording, trace};

/// What a callback is given, ten words at most.
pub(super) type Words = [usize; 10];

pub(super) type Few = unsafe extern "C" fn(*mut c_void, usize, usize, usize, usize, usize);
type Any = unsafe extern "C" fn(
    *mut c_void,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
);

/// Ours for the event of this number; `None` for one that is not recorded.
pub(super) fn callback(number: usize) -> Option<*mut c_void> {
    macro_rules! callbacks {
        ([$($few:literal),*] [$($number:literal),*]) => {
            match number {
                $($few => few::<$few> as *mut c_void,)*
                $($number => many::<$number> as *mut c_void,)*
                _ => return None,
            }
        };
    }
    Some(callbacks!(
        [
            50, 51, 52, 53, 55, 56, 57, 60, 61, 62, 65, 66, 67, 69, 70, 71, 73, 74, 75, 76, 80, 81,
            82, 83, 84, 86, 87, 88, 59
        ]
        [54, 58, 63, 64, 68]
    ))
}

unsafe extern "C" fn few<const NUMBER: u8>(
    env: *mut c_void,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) {
    let words = [env.addr(), first, second, third, fourth, fifth, 0, 0, 0, 0];
    recorded::<NUMBER>(env, &words, |callback| {
        // SAFETY: the agent's callback for this event, which takes no more words.
        let callback: Few = unsafe { mem::transmute(callback) };
        // SAFETY: what the VM has passed.
        unsafe { callback(env, first, second, third, fourth, fifth) };
    });
}

#[allow(clippy::too_many_arguments, reason = "as many as the VM passes")]
unsafe extern "C" fn many<const NUMBER: u8>(
    env: *mut c_void,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
    seventh: usize,
    eighth: usize,
    ninth: usize,
) {
    let words = [
        env.addr(),
        first,
        second,
        third,
        fourth,
        fifth,
        sixth,
        seventh,
        eighth,
        ninth,
    ];
    recorded::<NUMBER>(env, &words, |callback| {
        // SAFETY: the agent's callback for this event, which takes no more words.
        let callback: Any = unsafe { mem::transmute(callback) };
        // SAFETY: what the VM has passed.
        unsafe {
            callback(
                env, first, second, third, fourth, fifth, sixth, seventh, eighth, ninth,
            );
        }
    });
}

/// An allocation that the VM has picked, as our callback was told: for those to whom sampling is lent.
///
/// # Safety
/// What the VM has just passed to our own callback.
pub(crate) unsafe fn sampled(words: [usize; 5]) {
    for (env, environment) in environments::all() {
        let [jni, thread, object, class, size] = words;
        // SAFETY: the caller's promise.
        let promise = unsafe { Promise::given() };
        let id = || identities::thread(promise.reference(&thread));
        if environment.hears_samples.load(Ordering::Acquire) && environment.samples.has(id) {
            // SAFETY: the caller's promise.
            unsafe {
                few::<{ EventKind::SampledObjectAlloc.number() }>(
                    env, jni, thread, object, class, size,
                )
            };
        }
    }
}

/// Records an event around the agent's callback.
#[inline(always)]
fn recorded<const NUMBER: u8>(env: *mut c_void, words: &Words, call: impl FnOnce(*mut c_void)) {
    let Some(environment) = environments::of(env) else {
        // It has just been disposed of.
        return;
    };
    let kept = environment.callback(NUMBER.into());
    let callback = kept.map_or(ptr::null_mut(), |kept| kept.load(Ordering::Acquire));
    around::<NUMBER>(environment, words, callback, call);
}

/// The same, once it is known whose callback it is.
#[inline(always)]
pub(super) fn around<const NUMBER: u8>(
    environment: &Environment,
    words: &Words,
    callback: *mut c_void,
    call: impl FnOnce(*mut c_void),
) {
    if callback.is_null() {
        return;
    }
    let row = const { jvmti::event(NUMBER) };
    let Some(row) = row.filter(|_| recording::is_on()) else {
        return call(callback);
    };
    let subject = Subject::JvmtiEvent(NUMBER);
    if row.is_plain() && begins_plainly::<NUMBER>(environment, row, words) {
        call(callback);
        if !trace::ends_plainly(subject) {
            unlogged("a JVMTI event, recorded", || {
                trace::jvmti_ends(subject, false, &[])
            });
        }
        return;
    }
    unlogged("a JVMTI event, recorded", || {
        begins(environment, row, words)
    });
    call(callback);
    unlogged("a JVMTI event, recorded", || ends(row, words));
}

/// The JNI environment that an event came with.
const fn env_of(row: &Event, words: &Words) -> u64 {
    match row.head {
        Head::Environment => 0,
        Head::Jni | Head::Thread => words[1] as u64,
    }
}

/// Made for each number, so that what the row says is known when it is compiled.
#[inline(always)]
fn begins_plainly<const NUMBER: u8>(
    environment: &Environment,
    row: &'static Event,
    words: &Words,
) -> bool {
    let given = || row.values.iter().zip(words.iter().skip(row.head.count()));
    let method = given().find(|(value, _)| value.kind == Kind::Method);
    let method = method.map(|(_, &word)| word as u64);
    let fill = |line: &mut Line<'_>| {
        for (value, &word) in given() {
            // Of a plain event it is nothing else.
            if value.kind == Kind::Method {
                line.id(Space::Method, word as u64)?;
            } else if value.kind == Kind::Bool {
                line.long((word & 0xff) as i64);
            } else if matches!(value.kind, Kind::Long | Kind::Value) {
                line.long(word.cast_signed() as i64);
            } else {
                line.int(int(word));
            }
        }
        Some(())
    };
    let which = (environment.number, row.number);
    trace::jvmti_begins_plainly(env_of(row, words), which, method, fill)
}

#[inline(never)]
fn begins(environment: &Environment, row: &'static Event, words: &Words) {
    let env = env_of(row, words);
    if env != 0 && trace::is_first_of(env) && identities::name_calling_thread(env).is_none() {
        // Not yet: with the next event.
        trace::is_first_of(0);
    }
    let mut values = Values::new();
    let given = words.get(row.head.count()..).unwrap_or_default();
    // SAFETY: what the VM has passed to the callback of this event.
    let promise = unsafe { Promise::given() };
    passed::arguments(promise, &mut values, row.values, given);
    trace::jvmti_begins(env, (environment.number, row.number), values.all());
}

#[inline(never)]
fn ends(row: &'static Event, words: &Words) {
    let mut values = Values::new();
    let given = words.get(row.head.count()..).unwrap_or_default();
    // SAFETY: as above, and the agent's callback has returned.
    let promise = unsafe { Promise::given() };
    passed::results(promise, &mut values, (row.values, row.results), given);
    trace::jvmti_ends(Subject::JvmtiEvent(row.number), false, values.all());
}
