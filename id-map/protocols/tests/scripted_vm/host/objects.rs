//! Objects get their ids, by those who allocate and by dumps.

use id_map::{Flag, Kind, ObjectId, Shape};
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
            let id = self.ids.take_described(&own.supply, SHAPE, 16, 1).unwrap();
            me.step();
            self.vm.set_tag(object, id.raw());
            own.gifts.strike();
            self.notify(me, Event::Alloc(id.raw(), object), Request::Nothing);
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
            let id = self.ids.take_described(&own.supply, SHAPE, 16, 1).unwrap();
            self.ids.set(id, Flag::KEPT);
            me.step();
            self.vm.set_tag(object, id.raw());
            self.walks.has_given();
            self.deliver(me, Event::Alloc(id.raw(), object), Request::Nothing);
        } else {
            // The walk has told of it.
            self.walks.has_given();
        }
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
            self.ids.describe(id, Kind::Object, SHAPE, 16, 1);
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
                let event = match self.ids.set(id, Flag::ALLOCATED) {
                    true => Event::Alloc(raw, object),
                    false => Event::Dumped(raw, object),
                };
                self.ids.set(id, Flag::KNOWN);
                self.agent.notify(me, event, true, || {});
                self.leave(me);
            }
        }
        self.agent.holds(false);
        self.holds.release();
    }
}
