//! Collections and their brackets.

use std::sync::atomic::Ordering;

use arena_models::{ArenaEvent, Resident};
use id_map::{Flag, Kind, ObjectId, Recycler};
use protocols::gate::handlers::{Advice, Straggler, Waits};
use protocols::gate::{Gate, Look, Stand, State};

use super::Host;
use crate::agent::Event;
use crate::script::Request;
use crate::stage::{Me, lock};
use crate::vm::Collection;

/// The tag of an object that nobody holds.
const SENTINEL: u64 = 1;
/// Looks at who is in a handler, before a bracket is postponed.
const LOOKS: u32 = 20;
/// How long a handler's RunGC waits for the bracket of another.
const SENDER: u32 = 400;

#[derive(PartialEq)]
enum Outcome {
    Sent,
    Postponed,
    Empty,
}

impl Host {
    /// GarbageCollectionStart to Finish: nobody else runs.
    pub(crate) fn collect(&self, me: Me<'_>, kind: Collection) {
        let count = self.vm.collect(kind);
        let count = self.counts.then_some(count);
        self.collections.pause_ended(me.now() + 1, (1, 1), count);
        me.step();
    }

    /// The VM's thread that tells of deaths, one by one.
    pub(crate) fn tell_of_deaths(&self, me: Me<'_>) {
        while !self.over.load(Ordering::Relaxed) {
            match self.vm.next_death() {
                Some(tag) if tag & 15 == SENTINEL => {
                    let newest = self.sentinels.died(tag >> 4);
                    if newest && !self.counts {
                        self.collections.add();
                    }
                }
                Some(tag) => self.ids.note_dead(ObjectId::from_raw(tag).unwrap()),
                None => {}
            }
            me.step();
        }
    }

    fn plant_sentinel(&self) -> u64 {
        let number = self.sentinels.next();
        self.vm.plant(number << 4 | SENTINEL);
        let pause = self.collections.last_pause();
        self.sentinels.planted_after(pause);
        number
    }

    fn is_pending(&self) -> bool {
        self.collections.is_pending(|| self.ids.any_dead())
    }

    /// Our own thread that sends brackets.
    pub(crate) fn work(&self, me: Me<'_>) {
        while !self.over.load(Ordering::Relaxed) {
            if self.sentinels.is_dead(self.sentinels.newest()) {
                self.plant_sentinel();
            }
            me.step();
            let ready = self.is_pending() && self.disabled.load(Ordering::SeqCst) == 0;
            if !ready || self.holds.is_held() || !self.gate.is_open() {
                continue;
            }
            me.until(|| self.vm.has_told_all());
            if self.take_claim(me) {
                if self.collections.take(|| self.ids.any_dead())
                    && self.send_bracket(me) != Outcome::Sent
                {
                    self.collections.add();
                }
                self.claim.store(0, Ordering::Release);
            }
            self.flush(me);
        }
    }

    fn take_claim(&self, me: Me<'_>) -> bool {
        self.claim
            .compare_exchange(0, me.key(), Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    pub(super) fn run_gc(&self, me: Me<'_>) {
        let mine = self.claim.load(Ordering::Acquire) == me.key();
        let claimed = !mine && {
            lock(&self.wanting).push(me.key());
            let wait = || me.until_or(SENDER, || self.take_claim(me));
            let claimed = self.agent.waiting_for_bracket(me, wait);
            lock(&self.wanting).retain(|key| *key != me.key());
            claimed
        };
        let sentinel = self.plant_sentinel();
        self.collect(me, Collection::Whole);
        me.until(|| self.sentinels.is_dead(sentinel) && self.vm.has_told_all());
        if !claimed {
            return;
        }
        self.collections.take(|| self.ids.any_dead());
        let mut outcome = Outcome::Postponed;
        for _ in 0..LOOKS {
            if outcome == Outcome::Postponed && !self.holds.is_held() && self.gate.is_open() {
                outcome = self.send_bracket(me);
            }
            me.step();
        }
        if outcome != Outcome::Sent {
            self.collections.add();
        }
        self.claim.store(0, Ordering::Release);
    }

    /// Who is in a handler, but the thread itself and those.
    pub(super) fn inside(&self, me: Me<'_>, beside: &[usize]) -> Vec<usize> {
        let others = self.records.iter().enumerate();
        let inside = others.filter(|(other, record)| {
            *other != me.index() && record.depth.is_inside() && !beside.contains(other)
        });
        inside.map(|(other, _)| other).collect()
    }

    /// What is to be opened again.
    fn close(&self, me: Me<'_>) -> Option<Stand> {
        let closing = Stand::of(State::Closing, me.key());
        let change = |from, to| self.gate.change(from, to);
        if !change(Stand::OPEN, closing) {
            return None;
        }
        let mut beside = Vec::new();
        let mut looks = 0;
        loop {
            let alone = || {
                let alone = self.inside(me, &beside).is_empty();
                me.step();
                alone
            };
            match Gate::look(me.key(), || me.step(), alone, change) {
                Look::Closed => return Some(Stand::of(State::Bracket, me.key())),
                Look::Lost => return None,
                Look::Passed => {}
                Look::Inside if looks < LOOKS => looks += 1,
                Look::Inside => {
                    let mut waits = Waits::default();
                    for &wanting in lock(&self.wanting).iter() {
                        waits.note(wanting, me.key());
                    }
                    let stragglers: Vec<_> = self
                        .inside(me, &[])
                        .into_iter()
                        .map(|other| Straggler {
                            env: other,
                            waits_for_sender: waits.lead(other as u64 + 1, me.key()),
                        })
                        .collect();
                    let advice = lock(&self.history).after_try(self.now(me), &stragglers);
                    if advice == Advice::Postpone {
                        assert!(change(closing, Stand::OPEN));
                        return None;
                    }
                    beside = stragglers.iter().map(|straggler| straggler.env).collect();
                }
            }
        }
    }

    fn send_bracket(&self, me: Me<'_>) -> Outcome {
        let Some(closed) = self.close(me) else {
            return Outcome::Postponed;
        };
        let open = || self.gate.change(closed, Stand::OPEN);
        let Some(begun) = self.holds.begin() else {
            open();
            return Outcome::Postponed;
        };
        self.notify(me, Event::GcStart, Request::Call);
        let mut recycler = Recycler::new(&self.ids);
        self.telling.store(true, Ordering::SeqCst);
        me.step();
        let disabled = self.disabled.load(Ordering::SeqCst) > 0 || self.holds.is_held();
        if !disabled {
            self.tell(me, &mut recycler);
        }
        self.telling.store(false, Ordering::SeqCst);
        self.notify(me, Event::GcFinish, Request::Nothing);
        open();
        drop(begun);
        drop(recycler);
        self.numbers.settle(&self.ids);
        self.flush(me);
        match disabled {
            true => Outcome::Empty,
            false => Outcome::Sent,
        }
    }

    /// What has died, and what has moved.
    fn tell(&self, me: Me<'_>, recycler: &mut Recycler<'_>) {
        let Some(model) = &self.model else {
            self.ids.sweep(recycler, |id, entry| {
                if entry.has(Flag::KNOWN) {
                    self.notify(me, Event::Free(id.raw()), Request::Nothing);
                }
            });
            return;
        };
        let resident = |id: ObjectId, arena| Resident {
            object: self.number(id.raw()),
            arena,
        };
        let (mut dead, mut live, mut buried) = (Vec::new(), Vec::new(), Vec::new());
        self.ids.sweep(recycler, |id, entry| {
            if entry.has(Flag::ALLOCATED) {
                dead.push(resident(id, entry.arena));
            }
            buried.push(id);
        });
        self.ids.each(|id, entry| {
            if entry.kind != Kind::Alias && entry.has(Flag::ALLOCATED) {
                live.push(resident(id, entry.arena));
            }
        });
        live.sort_unstable_by_key(|resident| resident.object);
        let mut rename = |object| match self.renumbers {
            true => self.ids.allocate(Kind::Alias).unwrap().raw(),
            false => object,
        };
        let mut events = Vec::new();
        let mut model = lock(model);
        model.collect(&dead, &live, &mut rename, &mut |event| events.push(event));
        self.nursery.store(model.nursery(), Ordering::Relaxed);
        drop(model);
        for event in events {
            let event = match event {
                ArenaEvent::New { .. } => continue,
                ArenaEvent::Delete { arena } => Event::ArenaDelete(arena),
                ArenaEvent::Free { object } => Event::Free(object),
                ArenaEvent::Move {
                    object,
                    arena,
                    new_object,
                    new_arena,
                } => {
                    let [old, new] = [object, new_object].map(|it| ObjectId::from_raw(it).unwrap());
                    let tag = self.numbers.inward(old).unwrap();
                    self.ids.set_arena(tag, new_arena);
                    if new != old {
                        self.numbers.assign(tag, new);
                    }
                    Event::Move([object, new_object], [arena, new_arena])
                }
            };
            self.notify(me, event, Request::Nothing);
        }
        for id in buried {
            self.numbers.forget(id);
        }
    }
}
