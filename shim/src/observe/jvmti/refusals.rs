//! Capabilities that an agent has asked for and does not get: which, and who has them.
//!
//! AddCapabilities gives all or nothing, and does not say which one it is (JVMTI facts 21).
//!
//! # Safety
//! As in [`super::calls`].
#![allow(unsafe_code, reason = "structures of JVMTI")]

use std::ffi::c_void;

use jvmpi_headers::jvmti::jvmtiCapabilities;
use recording_format::jvmti::{CAPABILITIES, FunctionKind};

use crate::base::log;
use crate::observe::jvmti::environments::{self, Environment};
use crate::vm::{capabilities, this_vm};

/// What one of the functions that give capabilities says.
fn asked(environment: &Environment, env: *mut c_void, function: FunctionKind) -> jvmtiCapabilities {
    let mut all = capabilities::none();
    let words = [(&raw mut all).expose_provenance(), 0, 0, 0, 0];
    // SAFETY: the arguments of that function.
    unsafe { environment.call(env, function.number(), words) };
    all
}

/// What the VM says that an environment has.
pub(super) fn held_by(environment: &Environment, env: *mut c_void) -> jvmtiCapabilities {
    asked(environment, env, FunctionKind::GetCapabilities)
}

fn has(all: &jvmtiCapabilities, bit: usize) -> bool {
    // SAFETY: a structure of bits, without gaps.
    let bytes: [u8; size_of::<jvmtiCapabilities>()] = unsafe { std::mem::transmute(*all) };
    let byte = bytes.get(bit / 8).copied().unwrap_or(0);
    byte >> (bit % 8) & 1 == 1
}

/// Says which of those that were wanted cannot be had.
pub(super) fn say(environment: &Environment, env: *mut c_void, wanted: &jvmtiCapabilities) {
    let potential = asked(environment, env, FunctionKind::GetPotentialCapabilities);
    let own = this_vm::jvmti_to_the_end().and_then(capabilities::held);
    let mut missing = Vec::new();
    let bits = CAPABILITIES.iter().enumerate();
    for (bit, name) in bits.filter(|(bit, _)| has(wanted, *bit) && !has(&potential, *bit)) {
        let other = environments::all()
            .filter(|(_, other)| other.number != environment.number)
            .find(|(env, other)| has(&held_by(other, *env), bit));
        let who = if let Some((_, other)) = other {
            format!("{} has it, and only one environment can", other.agent)
        } else if own.as_ref().is_some_and(|own| has(own, bit)) {
            "libjvmpi.so has it for the agent of JVMPI, and only one environment can".to_owned()
        } else {
            "this VM does not have it, or not this late".to_owned()
        };
        missing.push(format!("{name} ({who})"));
    }
    log::warning!(
        "trace: {} gets none of the capabilities that it asks for together, because of {}: have it ask for those apart, and go on without",
        environment.agent,
        missing.join(", ")
    );
}
