//! Functions that an agent must not call at times, and what is found when it does.

use std::sync::OnceLock;

use agent_check::{Mode, Rule, jni_functions};

use crate::observe::check::state;
use crate::os::imports::Image;
use crate::os::linked;

/// What a stub stands in front of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wire {
    /// A function that allocates.
    Allocates(&'static str),
    /// One that blocks.
    Blocks(&'static str),
    /// The JNI function of this slot.
    Jni(usize),
}

/// The agent's library.
pub(super) static AGENT: OnceLock<Image> = OnceLock::new();

/// Whether the agent itself calls from here.
fn is_agents(caller: usize) -> bool {
    let image = AGENT.get();
    image.is_some_and(|image| image.range.contains(&caller)) && !linked::is_own_code(caller)
}

/// A thread has come by with the JNIEnv of another.
pub(super) fn foreign(wire: Wire, caller: usize) {
    if let Wire::Jni(slot) = wire
        && is_agents(caller)
    {
        state::note(Rule::ForeignEnv, caller, || {
            format!(
                "{} with the JNIEnv of another thread",
                jni_functions::name(slot)
            )
        });
    }
}

/// A thread that must not do everything has come by.
pub(super) fn tripped(wire: Wire, caller: usize) {
    let mode = state::mode();
    let (rule, name) = match (wire, mode) {
        (_, Mode::Free) => return,
        // In one library with it we have one import table.
        _ if linked::is_own_code(caller) => return,
        (Wire::Jni(slot), _) => {
            if !is_agents(caller) {
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
    let handler = state::with_own(|own| own.handler()).flatten();
    state::note(rule, caller, || match (handler, mode) {
        (_, Mode::Suspended) => format!("{name} while the thread has suspended others"),
        (Some(event), _) => format!("{name} in the handler of {event}"),
        (None, _) => format!("{name} after DisableGC"),
    });
}
