//! Native methods of agents that are recorded: what code that they rewrite calls.
//!
//! # Threads
//! Any that binds one: those of RegisterNatives, and of the first call of one that is exported.

use recording_format::Value;

use crate::observe::jvmti::{agents, environments, identities};
use crate::observe::{recording, trace};

/// The function's number in a recording.
const NATIVE_BOUND: u8 = 205;

/// The VM has bound a native method to this address; whose it is, the library there says.
pub(crate) fn bound(method: usize, address: usize) {
    if !recording::is_on() || !agents::are_there() {
        return;
    }
    let Some(agent) = agents::name_at(address) else {
        return;
    };
    let own = environments::all().filter(|(_, environment)| environment.agent == agent);
    if let Some(first) = own.map(|(_, environment)| environment.number).min() {
        let method = Value::Id(identities::method(method));
        trace::said((first, NATIVE_BOUND), &[method, Value::Id(address as u64)]);
    }
}
