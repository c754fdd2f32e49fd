//! GC_START and GC_FINISH: whether a bracket has them is decided once. Agents take a lock in the one and give it back in
//! the other, while another thread of theirs enables or disables both, one after the other.
//!
//! # Threads
//! The one that sends the bracket.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use event_translate::EventKind;
use jvmpi_headers::jvmpi::JVMPI_Event;

use crate::base::patience;
use crate::events::gc::bracket_event::{self, HURRY};
use crate::events::gc::claim;
use crate::model::thread::Thread;
use crate::model::wanted;

/// A handler in the open bracket has disabled GC_FINISH: it means this one, too.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The two of the bracket that is open.
pub(super) struct Ends {
    started: bool,
    /// GC_FINISH was wanted when it began.
    finishes: bool,
}

impl Ends {
    /// Sends GC_START, if the agent wants it.
    pub(super) fn begin(own: &Thread) -> Self {
        REFUSED.store(false, Ordering::Release);
        let wanted = settled();
        let due = wanted & START != 0;
        let started = bracket_event::send_if(due, own, EventKind::GcStart, |_| {});
        // A GC_START that the agent was not told of, for it has no NotifyEvent yet say, has no GC_FINISH.
        Self {
            started,
            finishes: wanted & FINISH != 0 && started == due,
        }
    }

    /// Sends GC_FINISH, if that is due.
    pub(super) fn end(self, own: &Thread, fill: impl FnOnce(&mut JVMPI_Event)) {
        let wanted = wanted::wants(EventKind::GcFinish);
        let due = self.is_finish_due(wanted, REFUSED.load(Ordering::Acquire));
        bracket_event::send_if(due, own, EventKind::GcFinish, fill);
    }

    const fn is_finish_due(&self, wanted: bool, refused: bool) -> bool {
        if self.started {
            wanted || self.finishes && !refused
        } else {
            wanted && self.finishes
        }
    }
}

/// GC_FINISH has been disabled, on any thread.
pub(crate) fn note_disabled() {
    if claim::is_mine() {
        REFUSED.store(true, Ordering::Release);
    }
}

const START: u8 = 1;
const FINISH: u8 = 2;

fn wanted_of_both() -> u8 {
    let wanted = wanted::wanted();
    let start = if wanted.contains(EventKind::GcStart) {
        START
    } else {
        0
    };
    let finish = if wanted.contains(EventKind::GcFinish) {
        FINISH
    } else {
        0
    };
    start | finish
}

/// What of the two is wanted. While it is only one the agent may be about to switch the other:
/// that is waited for, once.
fn settled() -> u8 {
    /// The one that has stayed alone.
    static ALONE: AtomicU8 = AtomicU8::new(0);
    let mut now = 0;
    patience::OTHER_END.until(|| {
        now = wanted_of_both();
        // Relaxed: one thread at a time, behind the claim; and a hint to hurry.
        let may_change = [START, FINISH].contains(&now) && now != ALONE.load(Ordering::Relaxed);
        !may_change || HURRY.load(Ordering::Relaxed)
    });
    ALONE.store(now, Ordering::Relaxed);
    now
}

#[cfg(test)]
mod tests {
    use super::Ends;

    #[test]
    fn a_finish_follows_each_start() {
        let due = |started, finishes| {
            let ends = Ends { started, finishes };
            let cases = [(true, false), (false, false), (true, true), (false, true)];
            cases.map(|(wanted, refused)| ends.is_finish_due(wanted, refused))
        };
        assert_eq!(due(true, true), [true, true, true, false]);
        // Enabled in between.
        assert_eq!(due(true, false), [true, false, true, false]);
        // GC_FINISH alone.
        assert_eq!(due(false, true), [true, false, true, false]);
        assert_eq!(due(false, false), [false; 4]);
    }
}
