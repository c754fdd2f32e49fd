//! Native methods that are an agent's own: of one that rewrites code no event tells what that calls.
//!
//! # Threads
//! Any that binds a method: those of RegisterNatives, and of the first call of one that is exported.

use recording_format::Value;
use recording_format::jvmti::FunctionKind;

use crate::observe::jvmti::{agents, environments, identities};
use crate::observe::{recording, trace};

/// The VM has bound a native method to this address; whose it is, the library there says.
pub(crate) fn bound(method: usize, address: usize) {
    if !recording::is_on() || !agents::are_there() {
        return;
    }
    if let Some(first) = first_of(address) {
        let method = Value::Id(identities::method(method));
        let bound = FunctionKind::native_bound.number();
        trace::said((first, bound), &[method, Value::Id(address as u64)]);
    }
}

/// The first environment of the agent whose library this address is in.
pub(super) fn first_of(address: usize) -> Option<u32> {
    let agent = agents::name_at(address)?;
    let own = environments::all().filter(|(_, environment)| environment.agent == agent);
    own.map(|(_, environment)| environment.number).min()
}
