//! Methods on carriers, where virtual threads take turns: each has a stack of its own, and the events do not say which is
//! whose. A pool of the program's own is called as carriers are, but nobody takes turns where no thread is virtual.

use std::collections::HashMap;

use crate::known::{Known, Name};
use crate::rules::Noun;
use crate::side::Counting;

/// What a port was told of them.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// How often each method was open at once.
    depths: HashMap<Name, u64>,
    /// There are virtual threads.
    pub(crate) are_virtual: bool,
}

impl Turns {
    /// A method is entered on a thread. Whether that may be a carrier, so that the depth is kept here.
    pub(crate) fn takes(
        &mut self,
        known: &Known,
        (thread, method): (Name, Name),
        depth: u64,
    ) -> bool {
        // A port that does not listen to VirtualThreadStart is told of what their class does.
        self.are_virtual |= known.text(method).starts_with("java.lang.VirtualThread.");
        let is_carriers = known.text(thread).starts_with("ForkJoinPool-");
        if is_carriers {
            let deepest = self.depths.entry(method).or_default();
            *deepest = depth.max(*deepest);
        }
        is_carriers
    }

    /// All is told.
    pub(crate) fn count(self, side: &mut Counting) {
        if self.are_virtual {
            side.takes_turns.extend(self.depths.into_keys());
            return;
        }
        for (method, depth) in self.depths {
            let count = side
                .counts
                .entry((Noun::MethodsEntered, method))
                .or_default();
            count.amount = count.amount.max(depth);
        }
    }
}
