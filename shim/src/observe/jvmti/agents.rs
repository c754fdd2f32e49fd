//! Who asks the VM for an environment of JVMTI: its agents, which are recorded from then on.
//!
//! An agent that was loaded before us has asked already, and is not recorded.
#![allow(unsafe_code, reason = "an environment from C")]

use std::ffi::{CStr, c_void};
use std::path::Path;

use recording_format::Value;
use recording_format::jvmti::Definition;
use terminal_text::raw_text;

use crate::base::config;
use crate::base::log;
use crate::observe::jvmti::{calls, environments, saw};
use crate::observe::{observers, recording, trace};
use crate::os::imports::{self, Image};
use crate::os::library;

/// Somebody has an environment that the VM has just made for him; `caller` is where he asked from, 0
/// if that is unknown.
///
/// # Safety
/// As for [`environments::take`].
pub(crate) unsafe fn has_asked(env: *mut c_void, caller: usize) {
    // Functions of JVMTI take words of 64 bits, which are two elsewhere.
    if !recording::is_on() || config::options().trace_no_jvmti || usize::BITS < u64::BITS {
        return;
    }
    let (agent, library) = library_of(caller);
    // SAFETY: the caller's promise.
    let Some(number) = (unsafe { environments::take(env, calls::function) }) else {
        return;
    };
    observers::jvmti_agent_is_here();
    log::info!("trace: environment {number} of JVMTI is {agent}'s");
    if let Some(library) = library {
        saw::offer(&library, number);
    }
    let agent = raw_text::encode(&agent);
    trace::defined(
        Definition::Environment,
        &[Value::Int(number.into()), Value::Text(Some(&agent))],
    );
}

/// The library of the one who asks, by name and in memory. The last call of a function leaves no frame of
/// it behind: then the VM seems to ask itself, and it is the library that it has loaded last.
fn library_of(caller: usize) -> (String, Option<Image>) {
    let asks = library::file_of(caller);
    let is_vm = asks
        .as_deref()
        .is_none_or(|file| file.ends_with(b"/libjvm.so"));
    let last = is_vm.then(|| library::last_with(JVMTI_ENTRIES)).flatten();
    let (file, inside) = match last {
        Some((file, entry)) => (Some(file), entry),
        None => (asks, caller),
    };
    let file = file.map(|file| raw_text::decode(&file)).unwrap_or_default();
    let name = Path::new(&file).file_name();
    let name = name.map_or_else(
        || "?".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    );
    (name, imports::image_of(inside))
}

const JVMTI_ENTRIES: &[&CStr] = &[c"Agent_OnLoad", c"Agent_OnAttach"];
