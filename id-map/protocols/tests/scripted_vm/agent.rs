//! The agent of the scripts: it believes what it is told, and fails when that cannot be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use crate::stage::{Me, lock};
use crate::vm::Object;

/// What the agent is told; objects and the numbers of calls are for checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The so-many-th call that its thread has made in no handler.
    Call(u32),
    /// One made in a handler: no two have the same number.
    CallWithin(u32),
    /// With its arena.
    Alloc(u64, Object, u8),
    /// Something names it.
    Named(u64, Object),
    GcStart,
    Free(u64),
    /// From a number and an arena to others.
    Move([u64; 2], [u8; 2]),
    ArenaDelete(u8),
    GcFinish,
    Enter(usize),
    Entered(usize),
    Exit(usize),
    /// A dump names an object.
    Dumped(u64, Object),
}

#[derive(Default)]
struct Belief {
    /// Who sends the open bracket.
    bracket: Option<usize>,
    /// How deep each thread is in handlers, and whether it waits for the end of a bracket there.
    inside: BTreeMap<usize, (u32, bool)>,
    /// Ids of what lives, and its arena.
    alive: BTreeMap<u64, (Object, u8)>,
    /// Numbers that moved objects have lost in the open bracket.
    lost: BTreeSet<u64>,
    /// All that was ever told of.
    met: BTreeSet<Object>,
    freed: BTreeSet<Object>,
    calls: BTreeMap<usize, u32>,
    calls_within: BTreeSet<u32>,
    /// GC is disabled, or a dump is being read, so often.
    holds: u32,
    /// Who waits to enter a monitor.
    waiting: BTreeMap<(usize, usize), Waiting>,
    /// Who has said last that it leaves, if nobody has come or got in since.
    told: BTreeMap<usize, usize>,
    /// The only thread that is heard of at the end.
    last: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    /// The agent has had its ENTER.
    said_so: bool,
    /// It may get in: somebody has said since that it leaves, or has to no more.
    may_enter: bool,
}

#[derive(Default)]
pub(crate) struct Agent(Mutex<Belief>);

impl Agent {
    /// NotifyEvent: `act` is what the handler does.
    pub(crate) fn notify(&self, me: Me<'_>, event: Event, requested: bool, act: impl FnOnce()) {
        lock(&self.0).hear(me.index(), event, requested);
        me.step();
        act();
        lock(&self.0).leave(me.index());
    }

    /// While `wait` runs, a handler of this thread waits for the end of a bracket.
    pub(crate) fn waiting_for_bracket<T>(&self, me: Me<'_>, wait: impl FnOnce() -> T) -> T {
        let set = |waits| {
            if let Some(inside) = lock(&self.0).inside.get_mut(&me.index()) {
                inside.1 = waits;
            }
        };
        set(true);
        let result = wait();
        set(false);
        result
    }

    /// Nothing may die from now on, or again.
    pub(crate) fn holds(&self, holds: bool) {
        let mut belief = lock(&self.0);
        belief.holds = match holds {
            true => belief.holds + 1,
            false => belief.holds - 1,
        };
    }

    /// The thread waits for a monitor from now on; `owed`: its owner has still to say that it leaves.
    pub(crate) fn comes(&self, me: Me<'_>, monitor: usize, owed: bool) {
        let mut belief = lock(&self.0);
        let waiting = Waiting {
            said_so: false,
            may_enter: !owed,
        };
        belief.told.remove(&monitor);
        belief.waiting.insert((monitor, me.index()), waiting);
    }

    /// Its owner leaves without a word, as it may.
    pub(crate) fn expects_no_exit(&self, monitor: usize) {
        lock(&self.0).may_enter(monitor);
    }

    /// Its owner is about to say that it leaves.
    pub(crate) fn expects_exit(&self, me: Me<'_>, monitor: usize) {
        let before = lock(&self.0).told.insert(monitor, me.index());
        assert_ne!(before, Some(me.index()), "EXIT of {monitor} twice");
    }

    /// Nobody but this thread is heard from now on.
    pub(crate) fn only(&self, me: Me<'_>) {
        lock(&self.0).last = Some(me.index());
    }

    /// At the end: these threads have made so many calls, so many were made in handlers, and these
    /// objects live. (Of those that the agent has met.)
    pub(crate) fn has_heard_all(&self, calls: &[(usize, u32)], within: u32, alive: &[Object]) {
        let belief = lock(&self.0);
        for (thread, calls) in calls {
            let heard = belief.calls.get(thread).copied().unwrap_or(0);
            assert_eq!(heard, *calls, "calls of thread {thread}");
        }
        assert_eq!(belief.calls_within.len(), within as usize, "calls within");
        assert_eq!(belief.bracket, None, "an open bracket");
        assert_eq!(belief.waiting, BTreeMap::new(), "ENTER without ENTERED");
        for (id, (object, _)) in &belief.alive {
            assert!(alive.contains(object), "{object} ({id}) has no OBJECT_FREE");
        }
        for object in alive {
            assert!(belief.met.contains(object), "{object} has no OBJECT_ALLOC");
            assert!(!belief.freed.contains(object), "{object} lives");
        }
    }
}

impl Belief {
    fn hear(&mut self, thread: usize, event: Event, requested: bool) {
        if let Some(last) = self.last {
            assert_eq!(thread, last, "{event:?} after the end");
        }
        if let Some(sender) = self.bracket.filter(|_| !requested) {
            let belongs = matches!(
                event,
                Event::Free(_) | Event::Move(..) | Event::ArenaDelete(_) | Event::GcFinish
            );
            assert!(belongs, "{event:?} in a bracket");
            assert_eq!(thread, sender, "{event:?} of another thread");
        }
        match event {
            Event::Call(number) => {
                let calls = self.calls.entry(thread).or_default();
                *calls += 1;
                assert_eq!(*calls, number, "calls of thread {thread}");
            }
            Event::CallWithin(number) => {
                assert!(self.calls_within.insert(number), "{event:?} twice");
            }
            Event::Alloc(id, object, arena) => {
                let before = self.alive.insert(id, (object, arena));
                assert_eq!(before, None, "{event:?}: the id is in use");
                assert!(self.met.insert(object), "{event:?}: another id");
            }
            Event::Dumped(id, object) | Event::Named(id, object) => {
                let known = self.alive.get(&id).map(|&(object, _)| object);
                assert_eq!(known, Some(object), "{event:?}");
            }
            Event::GcStart => {
                assert_eq!(self.bracket, None, "a bracket in a bracket");
                let mut others = self.inside.iter().filter(|(other, _)| **other != thread);
                let busy = others.find(|(_, (_, waits))| !waits);
                assert_eq!(busy, None, "GC_START beside a handler");
                self.bracket = Some(thread);
            }
            Event::Free(id) => {
                assert_eq!(self.bracket, Some(thread), "{event:?} outside");
                assert_eq!(self.holds, 0, "{event:?} while GC is disabled");
                let object = self.alive.remove(&id);
                let (object, _) = object.unwrap_or_else(|| panic!("{event:?}: no such id"));
                self.freed.insert(object);
            }
            Event::Move([from, to], [old, new]) => {
                assert_eq!(self.holds, 0, "{event:?} while GC is disabled");
                let known = self.alive.remove(&from);
                let (object, arena) = known.unwrap_or_else(|| panic!("{event:?}: no such id"));
                assert_eq!(arena, old, "{event:?}: it lies elsewhere");
                let before = self.alive.insert(to, (object, new));
                assert_eq!(before, None, "{event:?}: the id is in use");
                let fresh = from == to || !self.lost.contains(&to);
                assert!(fresh, "{event:?}: the number was another's in this bracket");
                self.lost.insert(from);
            }
            Event::ArenaDelete(arena) => {
                let Self { alive, freed, .. } = self;
                alive.retain(|_, &mut (object, its)| {
                    if its == arena {
                        freed.insert(object);
                    }
                    its != arena
                });
            }
            Event::GcFinish => {
                self.lost.clear();
                assert_eq!(self.bracket.take(), Some(thread), "GC_FINISH alone");
            }
            Event::Enter(monitor) => {
                let waiting = self.waiting.get_mut(&(monitor, thread)).unwrap();
                assert!(!waiting.said_so, "{event:?} twice");
                waiting.said_so = true;
            }
            Event::Exit(monitor) => {
                let mut others = self.waiting.iter().filter(|(at, _)| at.0 == monitor);
                let heard_of = others.any(|(_, waiting)| waiting.said_so);
                assert!(heard_of, "{event:?} before ENTER");
                self.may_enter(monitor);
            }
            Event::Entered(monitor) => {
                let waiting = self.waiting.remove(&(monitor, thread));
                let may = waiting.is_some_and(|waiting| waiting.said_so && waiting.may_enter);
                assert!(may, "{event:?} before ENTER or EXIT");
                self.told.remove(&monitor);
                // This one owes them its own EXIT.
                for ((other, _), waiting) in &mut self.waiting {
                    waiting.may_enter &= *other != monitor;
                }
            }
        }
        self.inside.entry(thread).or_default().0 += 1;
    }

    fn may_enter(&mut self, monitor: usize) {
        for ((other, _), waiting) in &mut self.waiting {
            waiting.may_enter |= *other == monitor;
        }
    }

    fn leave(&mut self, thread: usize) {
        if let Some(inside) = self.inside.get_mut(&thread) {
            inside.0 -= 1;
            if inside.0 == 0 {
                self.inside.remove(&thread);
            }
        }
    }
}
