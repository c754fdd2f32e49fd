//! Where a record stands: on which thread, when, and in how many calls of its method.

use std::collections::HashMap;

use crate::known::Name;

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The recording's number of the thread.
    pub(crate) thread: u32,
    /// After JVM_INIT_DONE or VMInit.
    pub(crate) is_live: bool,
    /// Up to JVM_SHUT_DOWN or VMDeath.
    pub(crate) has_ended: bool,
    /// In a handler or callback of the same side.
    pub(crate) is_in_handler: bool,
}

/// How often each method is open on each thread.
#[derive(Debug, Default)]
pub(crate) struct Depths(HashMap<(u32, Name), u64>);

impl Depths {
    /// It is entered: how deep the recursion is then.
    pub(crate) fn enter(&mut self, thread: u32, method: Name) -> u64 {
        let depth = self.0.entry((thread, method)).or_default();
        *depth += 1;
        *depth
    }

    pub(crate) fn leave(&mut self, thread: u32, method: Name) {
        if let Some(depth) = self.0.get_mut(&(thread, method)) {
            *depth = depth.saturating_sub(1);
        }
    }
}
