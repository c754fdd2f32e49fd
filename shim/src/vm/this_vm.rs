//! The VM that we live in: how far it is, and our JVMTI environment in it.
//!
//! One VM per process (HotSpot allows no second), so these are statics.

use crate::base::latest::Latest;
use crate::base::log;
use crate::vm::env::Jvmti;
use crate::vm::jni::Jni;

pub(crate) use crate::vm::phase::{Phase, advance, begin_child, is_child, phase};

static JVMTI: Latest<Jvmti> = Latest::new();

/// Our JVMTI environment; `None` before there is one and once the VM is dead.
pub(crate) fn jvmti() -> Option<Jvmti> {
    if phase() == Phase::Dead {
        return None;
    }
    JVMTI.get().copied()
}

/// The same as long as the process has a VM: what was stopped before the agent heard the
/// last must be let go also afterwards, since it may be the thread that ends the VM. A child has none:
/// it has the VM's memory and not its threads.
pub(crate) fn jvmti_to_the_end() -> Option<Jvmti> {
    if is_child() {
        return None;
    }
    JVMTI.get().copied()
}

/// Remembers the environment, or that there is none any more.
pub(crate) fn set_jvmti(jvmti: Option<Jvmti>) {
    JVMTI.put(jvmti);
}

/// The VM, and the calling thread in it, for a call of the agent's; `None` with one line
/// otherwise.
pub(crate) fn for_call(call: &'static str) -> Option<(Jvmti, Jni)> {
    if_there(call, jvmti())
}

/// The same for calls that let threads go on.
pub(crate) fn for_call_to_the_end(call: &'static str) -> Option<(Jvmti, Jni)> {
    if_there(call, jvmti_to_the_end())
}

fn if_there(call: &'static str, jvmti: Option<Jvmti>) -> Option<(Jvmti, Jni)> {
    let Some(jvmti) = jvmti else {
        if phase() == Phase::Dead {
            // A sampler's last round: no mistake of anybody's.
            log::info!("{call}: the VM has ended");
        } else {
            log::warn_once_for!(call, ": the VM is not up yet");
        }
        return None;
    };
    let Some(jni) = Jni::of_this_thread() else {
        log::warn_once_for!(call, ": this thread is not attached to the VM");
        return None;
    };
    Some((jvmti, jni))
}

/// The VM's name and version.
pub(crate) fn vm_name() -> Option<String> {
    let jvmti = jvmti_to_the_end()?;
    let property = |name| {
        jvmti
            .system_property(name)
            .map(|value| value.as_c_str().to_string_lossy().into_owned())
    };
    let words = [property(c"java.vm.name"), property(c"java.vm.version")];
    Some(words.into_iter().flatten().collect::<Vec<_>>().join(" "))
}
