//! The three modes of the specification, and what one thread is in the middle of.

use event_translate::table::EventKind;

/// What the process is in, as far as one thread may rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Multi-threaded, GC enabled: everything is allowed.
    Free,
    /// Multi-threaded, GC disabled.
    GcDisabled,
    /// Other threads stand still since the agent has suspended them.
    Suspended,
    /// Other threads stand still since a collection is under way.
    Collecting,
}

/// The mode in which an event is issued (facts C).
#[must_use]
pub const fn mode_of(event: EventKind) -> Mode {
    use EventKind as E;
    match event {
        E::MethodEntry
        | E::MethodExit
        | E::CompiledMethodLoad
        | E::CompiledMethodUnload
        | E::InstructionStart
        | E::ThreadEnd
        | E::ClassLoadHook
        | E::JniGlobalrefFree
        | E::JniWeakGlobalrefFree
        | E::DataDumpRequest
        | E::DataResetRequest
        | E::JvmInitDone
        | E::JvmShutDown
        | E::ArenaNew
        | E::RawMonitorContendedEnter
        | E::RawMonitorContendedEntered
        | E::RawMonitorContendedExit
        | E::GcStart => Mode::Free,
        E::MethodEntry2
        | E::ObjectAlloc
        | E::ThreadStart
        | E::HeapDump
        | E::JniGlobalrefAlloc
        | E::JniWeakGlobalrefAlloc
        | E::ClassLoad
        | E::ClassUnload
        | E::ObjectDump
        | E::MonitorContendedEnter
        | E::MonitorContendedEntered
        | E::MonitorContendedExit
        | E::MonitorWait
        | E::MonitorWaited
        | E::MonitorDump => Mode::GcDisabled,
        E::ObjectFree | E::ObjectMove | E::ArenaDelete | E::GcFinish => Mode::Collecting,
    }
}

/// Whether a handler of this event is expected to take its time.
#[must_use]
pub const fn may_take_long(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::JvmInitDone
            | EventKind::JvmShutDown
            | EventKind::DataDumpRequest
            | EventKind::DataResetRequest
            | EventKind::HeapDump
            | EventKind::MonitorDump
    )
}

/// A handler that has not returned.
#[derive(Clone, Copy, Debug)]
struct Handler {
    event: EventKind,
    /// How often the thread was inside raw monitors when it began.
    held: usize,
}

/// What is known of one thread; only the thread itself uses it.
#[derive(Debug)]
pub struct Own {
    /// A number of the thread's own.
    pub thread: u64,
    handlers: Vec<Handler>,
    /// How often it was inside raw monitors before the GC_START whose GC_FINISH is to come.
    before_gc: Option<usize>,
    /// DisableGC without EnableGC, of this thread.
    pub(super) disabled: u32,
    /// Threads that this one has suspended.
    pub(super) suspended: Vec<u64>,
    /// Raw monitors it is inside of, as often as it has entered them.
    pub(super) held: Vec<u64>,
}

impl Own {
    /// A thread that has done nothing yet.
    #[must_use]
    pub const fn new(thread: u64) -> Self {
        Self {
            thread,
            handlers: Vec::new(),
            before_gc: None,
            disabled: 0,
            suspended: Vec::new(),
            held: Vec::new(),
        }
    }

    /// The mode the thread is in.
    #[must_use]
    pub fn mode(&self) -> Mode {
        let inside = |mode| self.handlers.iter().any(|one| mode_of(one.event) == mode);
        if !self.suspended.is_empty() {
            Mode::Suspended
        } else if inside(Mode::Collecting) {
            Mode::Collecting
        } else if self.disabled > 0 || inside(Mode::GcDisabled) {
            Mode::GcDisabled
        } else {
            Mode::Free
        }
    }

    /// Whether the thread is in a handler of this event.
    #[must_use]
    pub fn handles(&self, event: EventKind) -> bool {
        self.handlers.iter().any(|one| one.event == event)
    }

    /// The innermost handler's event.
    #[must_use]
    pub fn handler(&self) -> Option<EventKind> {
        self.handlers.last().map(|one| one.event)
    }

    /// The thread ends. The monitors it should have left.
    pub fn leave_all(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.held)
    }

    /// A handler begins.
    pub fn begin(&mut self, event: EventKind) {
        let held = self.held.len();
        self.handlers.push(Handler { event, held });
    }

    /// It has returned. The monitors, innermost first, that it should have left.
    pub fn end(&mut self) -> &[u64] {
        let from = match self.handlers.pop() {
            // It may keep them until GC_FINISH.
            Some(ended) if ended.event == EventKind::GcStart => {
                self.before_gc = Some(ended.held);
                self.held.len()
            }
            Some(ended) if ended.event == EventKind::GcFinish => {
                let before = self.before_gc.take();
                before.map_or(ended.held, |before| before.min(ended.held))
            }
            Some(ended) => ended.held,
            None => self.held.len(),
        };
        self.held.get(from..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_restriction_counts() {
        let mut own = Own::new(1);
        assert_eq!(own.mode(), Mode::Free);
        own.begin(EventKind::DataDumpRequest);
        assert_eq!(own.mode(), Mode::Free);
        own.begin(EventKind::ObjectAlloc);
        assert_eq!(own.mode(), Mode::GcDisabled);
        own.begin(EventKind::JvmInitDone);
        assert_eq!(own.mode(), Mode::GcDisabled, "from the handler around it");
        own.begin(EventKind::ObjectFree);
        assert_eq!(own.mode(), Mode::Collecting);
        own.suspended.push(7);
        assert_eq!(own.mode(), Mode::Suspended);
        own.suspended.clear();
        for _ in 0..4 {
            assert!(own.end().is_empty());
        }
        assert_eq!(own.mode(), Mode::Free);
        own.disabled = 1;
        assert_eq!(own.mode(), Mode::GcDisabled);
    }

    #[test]
    fn gc_start_may_keep_its_locks() {
        let mut own = Own::new(1);
        own.begin(EventKind::GcStart);
        own.held.push(5);
        assert!(own.end().is_empty());
        own.begin(EventKind::ClassUnload);
        own.held.push(5);
        assert_eq!(own.end(), [5]);
        own.held.pop();
        own.begin(EventKind::GcFinish);
        own.held.pop();
        assert!(own.end().is_empty());
    }

    #[test]
    fn gc_finish_must_leave_what_gc_start_entered() {
        let mut own = Own::new(1);
        own.held.push(4);
        for (event, entered) in [(EventKind::GcStart, Some(5)), (EventKind::ObjectFree, None)] {
            own.begin(event);
            own.held.extend(entered);
            assert!(own.end().is_empty());
        }
        own.begin(EventKind::GcFinish);
        assert_eq!(own.end(), [5], "but not what was held before");
        own.held.pop();
        // A GC_FINISH whose GC_START was not seen.
        own.begin(EventKind::GcFinish);
        own.held.push(6);
        assert_eq!(own.end(), [6]);
    }
}
