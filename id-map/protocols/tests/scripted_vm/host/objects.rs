//! Objects get their ids, by those who allocate and by dumps.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use id_map::{Begin, Flag, Kind, ObjectId, Shape};
use protocols::gate::Verdict;

use super::{Host, Record};
use crate::agent::Event;
use crate::script::Request;
use crate::stage::Me;
use crate::vm::Object;

const SHAPE: Shape = Shape {
    class: None,
    array: 0,
};

impl Host {
    pub(crate) fn allocate(&self, me: Me<'_>) {
        let own = self.own(me);
        let object = self.vm.allocate(me);
        // The VM may stand still before it tells of it.
        me.step();
        own.gifts.note();
        let open = own.depth.enter(&self.gate, || me.step());
        if open && self.walks.are_over() && !own.gifts.must_look() && !self.has_kept(me) {
            let id = self.born(me);
            me.step();
            self.vm.set_tag(object, id.raw());
            own.gifts.strike();
            self.notify(me, Event::Alloc(id.raw(), object, 0), Request::Nothing);
            self.leave(me);
            return;
        }
        own.gifts.strike();
        self.leave(me);
        self.allocate_with_a_look(me, object);
    }

    fn allocate_with_a_look(&self, me: Me<'_>, object: Object) {
        let own = self.own(me);
        own.gifts.looks();
        me.until(|| self.walks.try_give(|| false));
        me.step();
        let tag = self.vm.tag(object);
        if tag == 0 {
            let id = self.born(me);
            self.ids.set(id, Flag::KEPT);
            me.step();
            self.vm.set_tag(object, id.raw());
            self.walks.has_given();
            self.deliver(me, Event::Alloc(id.raw(), object, 0), Request::Nothing);
        } else {
            // The walk has told of it.
            self.walks.has_given();
        }
    }

    fn born(&self, me: Me<'_>) -> ObjectId {
        let arena = self.nursery.load(Ordering::Relaxed);
        let supply = &self.own(me).supply;
        self.ids.take_described(supply, SHAPE, 16, arena).unwrap()
    }

    /// Something names an object that nobody has seen being born: its OBJECT_ALLOC is first.
    pub(crate) fn meet(&self, me: Me<'_>, place: usize) {
        let object = self.vm.always_there(place);
        let id = self.id_of(me, object);
        if !self.ids.has(id, Flag::ALLOCATED) {
            self.ids.set(id, Flag::KEPT);
            self.deliver(me, Event::Alloc(id.raw(), object, 0), Request::Nothing);
        }
        me.step();
        // Another thread has its OBJECT_ALLOC in hand, or it is kept.
        if self.ids.has(id, Flag::KNOWN) {
            self.deliver(me, Event::Named(id.raw(), object), Request::Nothing);
        }
    }

    /// The tag is the id; the VM reads and writes it, and compares nothing.
    fn id_of(&self, me: Me<'_>, object: Object) -> ObjectId {
        if let Some(id) = ObjectId::from_raw(self.vm.tag(object)) {
            return id;
        }
        me.until(|| self.walks.try_give(|| false));
        let id = self.claimed(me, object);
        self.walks.has_given();
        id
    }

    fn claimed(&self, me: Me<'_>, object: Object) -> ObjectId {
        /// All have the same.
        const HASH: i32 = 7;
        let tagged = || ObjectId::from_raw(self.vm.tag(object));
        if let Some(id) = tagged() {
            return id;
        }
        let fresh = self.ids.allocate(Kind::Object).unwrap();
        let reference = Arc::new(object);
        let mut seen = Vec::new();
        me.step();
        while let Begin::Compare(others) = self.claims.begin(HASH, fresh, &reference, &seen) {
            for (other, its) in others {
                me.step();
                if *its == object {
                    self.ids.release(fresh);
                    return tagged().unwrap_or(other);
                }
                seen.push(other);
            }
        }
        me.step();
        let first = tagged();
        if first.is_none() {
            let arena = self.nursery.load(Ordering::Relaxed);
            self.ids.describe(fresh, Kind::Object, SHAPE, 16, arena);
            me.step();
            self.vm.set_tag(object, fresh.raw());
        }
        me.step();
        self.claims.end(fresh);
        if first.is_some() {
            self.ids.release(fresh);
        }
        first.unwrap_or(fresh)
    }

    pub(super) fn dump(&self, me: Me<'_>) {
        self.holds.hold();
        me.until(|| self.nothing_is_told(me));
        self.agent.holds(true);
        self.walks.begin();
        me.step();
        for record in &self.records {
            record.gifts.ask_to_look();
        }
        me.step();
        me.until(|| {
            let gives = |record: &Record| record.gifts.gives();
            !self.walks.anybody_gives() && !self.records.iter().any(gives)
        });
        me.step();
        let objects = self.vm.walk(|| {
            let id = self.ids.allocate(Kind::Object).unwrap();
            let arena = self.nursery.load(Ordering::Relaxed);
            self.ids.describe(id, Kind::Object, SHAPE, 16, arena);
            id.raw()
        });
        me.step();
        self.walks.end();
        for (raw, object) in objects {
            let id = ObjectId::from_raw(raw).unwrap();
            // Another thread has its OBJECT_ALLOC in hand.
            if self.ids.has(id, Flag::KEPT) {
                continue;
            }
            if self.admit(me, true) == Verdict::Send {
                // Only now: another dump names only what is told of.
                let new = self.told(raw, object);
                let event = new.unwrap_or_else(|| Event::Dumped(self.number(raw), object));
                self.agent.notify(me, event, true, || {});
                self.leave(me);
            }
        }
        self.agent.holds(false);
        self.holds.release();
    }
}
