//! What an agent keeps for threads is its own: whoever answers only knows when it is NULL.
//!
//! # Safety
//! Called by agents, with what the specification has for each function.
#![allow(unsafe_code, reason = "functions of a C table")]

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;

use jvmpi_headers::jni::JNIEnv;
use parking_lot::{Mutex, MutexGuard};
use recording_format::Value;

use crate::asking::{ask_inside, of, of_env};
use crate::host::{host, lock};
use crate::ours::Ours;

/// What an agent keeps for a thread.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Kept {
    value: usize,
    /// [`crate::Host::threads_met`] when that was known to be right.
    as_of: Option<u32>,
}

type Storage = HashMap<usize, Kept>;

fn storage() -> Option<MutexGuard<'static, Option<Storage>>> {
    static STORAGE: Mutex<Option<Storage>> = Mutex::new(None);
    lock(&STORAGE)
}

fn kept(env: *mut JNIEnv) -> Kept {
    let find = || storage()?.as_ref()?.get(&env.addr()).copied();
    find().unwrap_or_default()
}

/// Whether the env still means the thread for which that was kept.
fn is_right(kept: Kept, now: Option<u32>) -> bool {
    now.is_some() && kept.as_of == now
}

pub(crate) unsafe extern "C" fn set(env: *mut JNIEnv, value: *mut c_void) {
    let told = [of_env(env), of(value)];
    let Some(_ours) = Ours::begin() else { return };
    let now = host().and_then(|host| host.threads_met());
    let before = kept(env);
    // What is told is whether it is NULL; whether the env is a thread's the next look finds out.
    let is_told = is_right(before, now) && before.value != 0 && !value.is_null();
    if !is_told {
        ask_inside(19, &told);
    }
    let kept = Kept {
        value: value.expose_provenance(),
        as_of: now.filter(|_| is_told),
    };
    if let Some(mut storage) = storage() {
        storage.get_or_insert_default().insert(env.addr(), kept);
    }
}

pub(crate) unsafe extern "C" fn get(env: *mut JNIEnv) -> *mut c_void {
    let asked = of_env(env);
    let Some(_ours) = Ours::begin() else {
        return ptr::null_mut();
    };
    let now = host().and_then(|host| host.threads_met());
    let before = kept(env);
    let mut found = before;
    if !is_right(before, now) {
        let answer = ask_inside(20, &[asked]);
        if answer.is_some_and(|values| values.first() == Some(&Value::Id(0))) {
            found.value = 0;
        }
        found.as_of = now;
        if let Some(mut storage) = storage() {
            let place = storage.get_or_insert_default().entry(env.addr());
            let place = place.or_default();
            // Another thread may have kept something meanwhile.
            if *place == before {
                *place = found;
            }
        }
    }
    ptr::with_exposed_provenance_mut(found.value)
}
