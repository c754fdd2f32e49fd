//! Threads that an agent has made itself and attached to the VM: nobody else's program has them.
//!
//! # Threads
//! Any that is attached; such a thread itself.

use recording_format::Value;
use recording_format::jvmti::FunctionKind;

use crate::observe::jvmti::{agents, identities, natives};
use crate::observe::{recording, trace};
use crate::vm::jni::Jni;
use crate::vm::this_vm;

/// Whether anybody is recorded.
pub(crate) fn are_wanted() -> bool {
    recording::is_on() && agents::are_there()
}

/// The calling thread is about to be attached: perhaps anew, by another name, and with a JNIEnv that lies where the one
/// before lay.
pub(crate) fn attaches() {
    trace::is_first_of(0);
}

/// The calling thread is attached, from here: whose it is, the library there says.
pub(crate) fn attached(caller: usize) {
    let Some(environment) = natives::first_of(caller) else {
        return;
    };
    let Some((jvmti, jni)) = this_vm::jvmti_to_the_end().zip(Jni::of_this_thread()) else {
        return;
    };
    let Some(own) = jvmti.current_thread(jni) else {
        return;
    };
    let thread = identities::thread(Some(own.get()));
    let attached = FunctionKind::attached.number();
    trace::said((environment, attached), &[Value::Id(thread)]);
}
