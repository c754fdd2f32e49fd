//! Who needs what: the rows of the table, asked the other way round.

use crate::event_set::EventSet;
use crate::needs::{VmEvent, Wrapper};
use crate::table::EventKind;

/// The events whose rows need this.
macro_rules! events_with {
    ($needs:ident => $is_so:expr) => {{
        let mut set = EventSet::EMPTY;
        let mut kinds = EventKind::ALL.as_slice();
        while let [kind, rest @ ..] = kinds {
            let $needs = &kind.row().needs;
            if $is_so {
                set.insert(*kind);
            }
            kinds = rest;
        }
        set
    }};
}

impl VmEvent {
    /// The events that need it. That hooks do is not counted: they do as long as
    /// classes have some.
    #[must_use]
    pub const fn needed_by(self) -> EventSet {
        events_with!(needs => self.is_in(needs))
    }
}

impl Wrapper {
    /// The events that need it.
    #[must_use]
    pub const fn needed_by(self) -> EventSet {
        events_with!(needs => matches!(needs.wrapper, Some(one) if one as u8 == self as u8))
    }
}

/// Which hooks these events need; bits of [`crate::needs::Hook`]. `fast`: `method-events=fast`, so that those of
/// methods come from hooks.
#[must_use]
pub fn hooks(wanted: EventSet, fast: bool) -> u32 {
    let needs = wanted.iter().map(|kind| kind.row().needs);
    let needs = needs.filter(|needs| fast || needs.exact.is_empty());
    let hooks = needs.flat_map(|needs| needs.hooks);
    hooks.fold(0, |all, hook| all | hook.bit())
}

/// The events that need the worker.
pub const OF_WORKER: EventSet = events_with!(needs => needs.worker);
