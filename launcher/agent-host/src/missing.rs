//! What cannot be had: a function of JNI without Java, and a line for each.
#![allow(unsafe_code, reason = "C functions")]

use parking_lot::Mutex;

use crate::host::{host, lock};

/// A function of JNI's table, whatever it takes.
pub(crate) type Function = unsafe extern "C" fn() -> usize;

/// A function of JNI: there is no Java to do it.
pub(crate) unsafe extern "C" fn missing<const SLOT: usize>() -> usize {
    say_missing(SLOT);
    match SLOT {
        // RegisterNatives of a replay: a success would be a lie.
        215 => usize::MAX,
        _ => 0,
    }
}

/// Says that the agent calls what is not there.
pub(crate) fn say_missing(slot: usize) {
    let why = host().map_or("which needs a JVM", |host| host.no_jni());
    say(&format!(
        "the agent calls JNI (function {slot} of its table), {why}"
    ));
}

/// A line, once.
pub(crate) fn say(what: &str) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let Some(mut said) = lock(&SAID) else { return };
    if !said.iter().any(|line| line == what) {
        said.push(what.to_owned());
        drop(said);
        if let Some(host) = host() {
            host.say(what);
        }
    }
}
