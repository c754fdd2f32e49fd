//! Functions that an agent must not call at times, and what is found when it does.

use std::sync::OnceLock;

use agent_check::{ALLOCATING, BLOCKING, Mode, Rule, jni_functions};

use crate::ffi::imports::{self, Image};
use crate::ffi::tripwires;
use crate::jvmti::jni_watch;
use crate::{log, state};

/// What a stub stands in front of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    /// A function that allocates.
    Allocates(&'static str),
    /// One that blocks.
    Blocks(&'static str),
    /// The JNI function of this slot.
    Jni(usize),
}

/// The agent's library.
static AGENT: OnceLock<Image> = OnceLock::new();

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
    let Some(jvmti) = state::jvmti() else { return };
    if let Err(error) = jni_watch::install(jvmti) {
        log::warning!("{error}: the agent's JNI calls are not checked");
    }
}

/// A thread that must not do everything has come by.
pub(crate) fn tripped(wire: Wire, caller: usize) {
    let mode = super::mode();
    let (rule, name) = match (wire, mode) {
        (_, Mode::Free) => return,
        (Wire::Jni(slot), _) => {
            if !AGENT
                .get()
                .is_some_and(|image| image.range.contains(&caller))
            {
                return;
            }
            (Rule::JniInHandler, jni_functions::name(slot))
        }
        (Wire::Allocates(_) | Wire::Blocks(_), Mode::GcDisabled) => return,
        (Wire::Allocates(name), Mode::Suspended) => (Rule::AllocatesWhileSuspended, name),
        (Wire::Allocates(name), Mode::Collecting) => (Rule::AllocatesInGc, name),
        (Wire::Blocks(name), Mode::Suspended) => (Rule::BlocksWhileSuspended, name),
        (Wire::Blocks(name), Mode::Collecting) => (Rule::BlocksInGc, name),
    };
    let handler = super::with_own(|own| own.handler()).flatten();
    super::note(rule, caller, || match (handler, mode) {
        (_, Mode::Suspended) => format!("{name} while the thread has suspended others"),
        (Some(event), _) => format!("{name} in the handler of {event}"),
        (None, _) => format!("{name} after DisableGC"),
    });
}
