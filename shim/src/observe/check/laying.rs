//! Where stubs are put in front of functions that an agent must not call at times.

use agent_check::{ALLOCATING, BLOCKING};

use crate::base::log;
use crate::observe::check::wires::{AGENT, Wire};
use crate::observe::check::{jni_watch, tripwires};
use crate::os::imports;
use crate::vm::this_vm;

/// Stubs in the import table of the library that this address lies in.
pub(super) fn lay_in_agent(address: usize) {
    let Some(image) = imports::image_of(address) else {
        return;
    };
    let image = AGENT.get_or_init(|| image);
    image.replace_imports(|name, target| {
        let name = name.to_str().ok()?;
        let listed = |list: &[&'static str]| list.iter().copied().find(|one| *one == name);
        let wire = listed(&ALLOCATING).map(Wire::Allocates);
        tripwires::lay(
            wire.or_else(|| listed(&BLOCKING).map(Wire::Blocks))?,
            target,
        )
    });
}

/// Stubs in the JNI table.
pub(super) fn lay_in_jni() {
    let Some(jvmti) = this_vm::jvmti() else {
        return;
    };
    if let Err(error) = jni_watch::install(jvmti) {
        log::warning!("{error}: the agent's JNI calls are not checked");
    }
}
