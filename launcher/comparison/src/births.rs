//! What is born to a port and what dies: by events, and by what it tags.

use std::collections::HashMap;

use recording_format::Value;

use crate::known::{Known, Name, id, int, is_prepared};
use crate::rules::Noun;
use crate::side::{Count, Counting};
use crate::tags::Tags;

/// What is being born, while its callback runs.
pub(crate) type Birth = Option<Born>;

/// One object that is born.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Born {
    pub(crate) class: Name,
    pub(crate) size: u64,
    /// 0 if it has no id.
    pub(crate) object: u64,
}

/// Of one port.
#[derive(Debug, Default)]
pub(crate) struct Births {
    /// As the events have them.
    events: HashMap<Name, Count>,
    /// Tags of classes, which are each environment's own.
    classes: HashMap<(u32, i64), Name>,
    /// Those of what was born, of each environment.
    tags: HashMap<u32, Tags>,
    /// Which environment has tagged the last birth of each thread: another one may be told of it, too.
    tagged_by: HashMap<u32, u32>,
    /// What a hook has shown it, by thread: it is tagged next.
    shown: HashMap<u32, Born>,
    /// How often it has tagged what an event told of.
    tagged_inside: HashMap<Name, u64>,
    /// What was tagged so: born, if the port rewrites code.
    tagged_outside: HashMap<Name, Count>,
}

impl Births {
    /// One of which an event tells.
    pub(crate) fn event(&mut self, thread: u32, born: Born) -> Birth {
        self.tagged_by.remove(&thread);
        let count = self.events.entry(born.class).or_default();
        count.times += 1;
        count.amount += born.size;
        Some(born)
    }

    /// A hook has shown it this.
    pub(crate) fn show(&mut self, thread: u32, what: Born) {
        self.shown.insert(thread, what);
    }

    /// That, once.
    pub(crate) fn take_shown(&mut self, thread: u32) -> Birth {
        self.shown.remove(&thread)
    }

    /// What had this tag has died; whether classes are reported otherwise.
    pub(crate) fn freed(
        &mut self,
        side: &mut Counting,
        known: &mut Known,
        (environment, tag, unloads_come): (u32, i64, bool),
    ) {
        if let Some(class) = self.classes.remove(&(environment, tag)) {
            if !unloads_come && is_prepared(known.text(class)) {
                side.add(Noun::ClassesUnloaded, class);
            }
            return;
        }
        let tags = self.tags.entry(environment).or_default();
        if tags.take_again(tag) {
            return;
        }
        let class = tags.take(tag);
        side.setup.shares_tags |= class == Some(None);
        let class = class.flatten().unwrap_or_else(|| known.number("?"));
        side.add(Noun::Deaths, class);
    }

    /// What is born in the callback that runs, or what a hook has shown.
    pub(crate) fn tagged(
        &mut self,
        side: &mut Counting,
        known: &mut Known,
        (environment, thread): (u32, u32),
        (birth, shown): (Birth, Birth),
        arguments: &[Value<'_>],
    ) {
        let (object, tag) = (id(arguments, 0), int(arguments, 1));
        if tag == 0 {
            return;
        }
        let born = birth.or(shown);
        // What is born may have the id of a class that is gone.
        let is_born = born.is_some_and(|born| born.object != 0 && born.object == object);
        if let Some(class) = known.class(object).filter(|_| !is_born) {
            side.setup.tags_classes = true;
            self.classes.insert((environment, tag), class);
        } else if let Some(Born { class, size, .. }) = born {
            side.setup.tags |= birth.is_some();
            let tags = self.tags.entry(environment).or_default();
            if birth.is_some() {
                let first = *self.tagged_by.entry(thread).or_insert(environment);
                if first != environment {
                    tags.give_again(tag);
                    return;
                }
                *self.tagged_inside.entry(class).or_default() += 1;
            }
            if tags.is_again(tag) {
                return;
            }
            side.ones.add(Noun::Births, object, class);
            let count = match birth {
                Some(_) => side.counts.entry((Noun::Births, class)).or_default(),
                None => self.tagged_outside.entry(class).or_default(),
            };
            count.times += 1;
            count.amount += size;
            tags.give(tag, class);
        }
    }

    /// Births are its events, or where those of both kinds come what it tags: then it knows which are of the same
    /// object. What hooks have shown it comes beside them.
    pub(crate) fn count(&mut self, side: &mut Counting) {
        let of_both_kinds = side.setup.by_vm > 0 && side.setup.sampled > 0;
        if !(of_both_kinds && side.setup.tags) {
            for (class, told) in self.events.drain() {
                // A callback that returns early is told of all the same: what it tags shows what it counts.
                if side.setup.tags && told.times > 0 {
                    let tagged = self.tagged_inside.get(&class).copied().unwrap_or(0);
                    side.tagged.insert(class, [tagged, told.times]);
                }
                let tagged = side.counts.insert((Noun::Births, class), told);
                let tagged = tagged.map_or(0, |tagged| tagged.times);
                let without = told.times.saturating_sub(tagged);
                side.ones.add_without(Noun::Births, class, without);
            }
        }
        // Others tag threads and locks of theirs, which are no births.
        if side.setup.rewrites || !side.setup.natives.is_empty() {
            side.setup.tags |= !self.tagged_outside.is_empty();
            for (class, outside) in self.tagged_outside.drain() {
                let count = side.counts.entry((Noun::Births, class)).or_default();
                count.times += outside.times;
                count.amount += outside.amount;
            }
        }
    }
}

/// What an event of a birth tells of.
pub(crate) fn born(known: &mut Known, values: &[Value<'_>]) -> Born {
    let class = known.class(id(values, 1));
    Born {
        class: class.unwrap_or_else(|| known.number("?")),
        size: int(values, 2).unsigned_abs(),
        object: id(values, 0),
    }
}
