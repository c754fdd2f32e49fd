//! A recording as a collector of another kind would have made it.
//!
//! Births and deaths are those that were recorded; the movement is the model's
//! ([`arena_models`]). Objects keep their ids when they move (`ids=stable`): numbers in
//! dumps and in what the agent asked stay what they were.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use arena_models::{ArenaEvent, Kind, Model, Resident};
use event_translate::EventKind;
use recording_format::{Item, Value, What};

/// The recording has arenas of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HasArenas;

impl fmt::Display for HasArenas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it was recorded with arenas= of its own; record with arenas=hotspot")
    }
}

impl std::error::Error for HasArenas {}

/// What is known of one thread: how deep it is in handlers and calls, and the deaths that
/// its bracket has told of so far, each with what the handler did.
#[derive(Debug, Default)]
struct Own<'a> {
    depth: usize,
    /// How deep the handler of a death is that has not returned.
    dying: Option<usize>,
    deaths: Vec<(u64, Vec<Item<'a>>)>,
}

#[derive(Debug)]
struct Arenas<'a> {
    kind: Kind,
    model: Model,
    started: bool,
    /// Who lives, and in which arena.
    live: BTreeMap<u64, u8>,
    threads: BTreeMap<u32, Own<'a>>,
    /// What is in its place, and has not been given away yet.
    out: Vec<Item<'a>>,
}

/// Gives `sink` the records of a run, in the order of time, as they would have been with this
/// model. [`Item::index`] stays what it was; [`Item::nanos`] is never less than before.
///
/// # Errors
/// If the recording has OBJECT_MOVE, ARENA_NEW or ARENA_DELETE.
pub(crate) fn at_arenas<'a>(
    items: impl Iterator<Item = Item<'a>>,
    kind: Kind,
    mut sink: impl FnMut(&Item<'a>),
) -> Result<(), HasArenas> {
    let mut arenas = Arenas {
        kind,
        model: Model::new(kind),
        started: false,
        live: BTreeMap::new(),
        threads: BTreeMap::new(),
        out: Vec::new(),
    };
    let mut nanos = 0;
    let mut give = |out: &mut Vec<Item<'a>>| {
        for mut item in out.drain(..) {
            nanos = item.nanos.max(nanos);
            item.nanos = nanos;
            sink(&item);
        }
    };
    for item in items {
        arenas.add(item)?;
        give(&mut arenas.out);
    }
    let mut left: Vec<_> = arenas.threads.into_values().collect();
    for (_, group) in left.iter_mut().flat_map(|own| own.deaths.drain(..)) {
        arenas.out.extend(group);
    }
    give(&mut arenas.out);
    Ok(())
}

impl<'a> Arenas<'a> {
    fn add(&mut self, mut item: Item<'a>) -> Result<(), HasArenas> {
        let own = self.threads.entry(item.thread).or_default();
        let depth = own.depth;
        if let What::Leave { .. } = item.what {
            own.depth = own.depth.saturating_sub(1);
        }
        own.depth += usize::from(item.what.is_open());
        let inside = own.dying.is_some_and(|dying| depth > dying);
        let mut died = None;
        if let What::Event {
            number,
            requested,
            values,
            ..
        } = &mut item.what
        {
            match EventKind::from_raw(*number) {
                Some(EventKind::ObjectMove | EventKind::ArenaNew | EventKind::ArenaDelete) => {
                    return Err(HasArenas);
                }
                Some(EventKind::ObjectFree) if !inside => died = values.first().and_then(Value::id),
                Some(EventKind::ObjectAlloc) => {
                    let object = values.get(4).and_then(Value::id).unwrap_or(0);
                    let nursery = self.model.nursery();
                    // A request tells where it is by now.
                    let arena = if *requested {
                        *self.live.entry(object).or_insert(nursery)
                    } else {
                        self.live.insert(object, nursery);
                        nursery
                    };
                    if let Some(value) = values.first_mut() {
                        *value = Value::Int(arena.into());
                    }
                }
                _ => {}
            }
        }
        if let Some(object) = died {
            own.dying = item.what.is_open().then_some(depth);
            own.deaths.push((object, vec![item]));
        } else if inside && let Some((_, group)) = own.deaths.last_mut() {
            group.push(item);
            own.dying = own.dying.filter(|dying| own.depth > *dying);
        } else {
            self.start(&item);
            self.collect(&item);
            self.out.push(item);
        }
        Ok(())
    }

    /// Arenas are announced before the first class and the first object.
    fn start(&mut self, next: &Item<'a>) {
        if !self.started
            && let What::Event {
                number,
                requested: false,
                ..
            } = next.what
            && let Some(EventKind::ClassLoad | EventKind::ObjectAlloc | EventKind::JvmInitDone) =
                EventKind::from_raw(number)
        {
            self.started = true;
            let (made, kind) = (self.model.start(), self.kind);
            self.out.extend(
                made.into_iter()
                    .filter_map(|event| made_up(event, kind, next)),
            );
        }
    }

    /// Before GC_FINISH, or whatever ends a run of deaths.
    fn collect(&mut self, next: &Item<'a>) {
        let own = self.threads.entry(next.thread).or_default();
        let deaths = std::mem::take(&mut own.deaths);
        let finish = matches!(&next.what, What::Event { number, .. }
            if EventKind::from_raw(*number) == Some(EventKind::GcFinish));
        if deaths.is_empty() && !finish {
            return;
        }
        let mut groups = HashMap::new();
        let mut dead = Vec::new();
        for (object, group) in deaths {
            match self.live.remove(&object) {
                Some(arena) => {
                    dead.push(Resident { object, arena });
                    groups.insert(object, group);
                }
                // Never announced: of that no model knows anything.
                None => self.out.extend(group),
            }
        }
        let resident = |(&object, &arena): (&u64, &u8)| Resident { object, arena };
        let live: Vec<_> = if self.model.wants_live() {
            self.live.iter().map(resident).collect()
        } else {
            Vec::new()
        };
        let (out, places, kind) = (&mut self.out, &mut self.live, self.kind);
        self.model
            .collect(&dead, &live, &mut |object| object, &mut |event| {
                match event {
                    ArenaEvent::Free { object } => {
                        out.extend(groups.remove(&object).unwrap_or_default());
                        return;
                    }
                    ArenaEvent::Move {
                        object, new_arena, ..
                    } => {
                        places.insert(object, new_arena);
                    }
                    ArenaEvent::New { .. } | ArenaEvent::Delete { .. } => {}
                }
                out.extend(made_up(event, kind, next));
            });
    }
}

/// An event that was not recorded; at the time, on the thread and with the env of the one
/// behind it.
fn made_up<'a>(event: ArenaEvent, model: Kind, next: &Item<'a>) -> Option<Item<'a>> {
    let int = |arena: u8| Value::Int(arena.into());
    let (kind, values) = match event {
        ArenaEvent::New { arena, name } => (
            EventKind::ArenaNew,
            vec![int(arena), Value::Text(Some(name.to_bytes()))],
        ),
        ArenaEvent::Delete { arena } => (EventKind::ArenaDelete, vec![int(arena)]),
        ArenaEvent::Move {
            object,
            arena,
            new_object,
            new_arena,
        } => (
            EventKind::ObjectMove,
            vec![
                int(model.in_moves(arena)),
                Value::Id(object),
                int(model.in_moves(new_arena)),
                Value::Id(new_object),
            ],
        ),
        ArenaEvent::Free { .. } => return None,
    };
    let env = if let What::Event { env, .. } = next.what {
        env
    } else {
        0
    };
    Some(Item {
        nanos: next.nanos,
        thread: next.thread,
        index: next.index,
        what: What::Event {
            number: kind.raw(),
            requested: false,
            env,
            values,
            results: Some(Vec::new()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording_format::Subject;

    fn item(thread: u32, what: What<'static>) -> Item<'static> {
        Item {
            nanos: 0,
            thread,
            index: 0,
            what,
        }
    }

    fn event(kind: EventKind, values: Vec<Value<'static>>) -> What<'static> {
        What::Event {
            number: kind.raw(),
            requested: false,
            env: 9,
            values,
            results: Some(Vec::new()),
        }
    }

    fn alloc(object: u64) -> Item<'static> {
        let values = [
            Value::Int(1),
            Value::Id(7),
            Value::Int(0),
            Value::Int(16),
            Value::Id(object),
        ];
        item(1, event(EventKind::ObjectAlloc, values.to_vec()))
    }

    fn free(object: u64) -> Item<'static> {
        item(2, event(EventKind::ObjectFree, vec![Value::Id(object)]))
    }

    /// Two objects, of which one dies while its handler asks something; then nobody dies.
    fn run() -> Vec<Item<'static>> {
        let mut asks = free(16);
        if let What::Event { results, .. } = &mut asks.what {
            *results = None;
        }
        let call = What::Call {
            slot: 13,
            arguments: Vec::new(),
            results: Some(vec![Value::Int(5)]),
        };
        let leave = What::Leave {
            subject: Subject::Event(5),
            results: Vec::new(),
        };
        vec![
            item(1, event(EventKind::ThreadStart, Vec::new())),
            item(1, event(EventKind::ClassLoad, Vec::new())),
            alloc(16),
            alloc(32),
            item(2, event(EventKind::GcStart, Vec::new())),
            free(400),
            asks,
            item(2, call),
            alloc(48),
            item(2, leave),
            item(2, event(EventKind::GcFinish, Vec::new())),
            alloc(64),
            item(2, event(EventKind::GcFinish, Vec::new())),
        ]
    }

    fn told(kind: Kind) -> String {
        let mut items = Vec::new();
        at_arenas(run().into_iter(), kind, |item| items.push(item.clone())).unwrap();
        let word = |value: &Value<'_>| match value {
            Value::Int(number) => number.to_string(),
            Value::Id(id) => format!("#{id}"),
            Value::Text(_) | Value::Bytes(_) | Value::List(_) => "name".to_owned(),
        };
        let line = |item: &Item<'_>| {
            let values: Vec<_> = item.what.values().1.iter().map(word).collect();
            let subject = match item.what.subject() {
                Subject::Event(number) => EventKind::from_raw(number).unwrap().name().to_owned(),
                subject @ (Subject::Call(_)
                | Subject::Run
                | Subject::JvmtiEvent(_)
                | Subject::JvmtiCall(_)
                | Subject::Definition(_)) => format!("{subject:?}"),
            };
            let leave = if matches!(item.what, What::Leave { .. }) {
                "/"
            } else {
                ""
            };
            format!("{leave}{subject} {}", values.join(" "))
                .trim_end()
                .to_owned()
        };
        items.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn as_it_was() {
        assert_eq!(
            told(Kind::Hotspot),
            "THREAD_START\nCLASS_LOAD\nOBJECT_ALLOC 1 #7 0 16 #16\nOBJECT_ALLOC 1 #7 0 16 #32\n\
             GC_START\nOBJECT_ALLOC 1 #7 0 16 #48\nOBJECT_FREE #400\nOBJECT_FREE #16\nCall(13)\n\
             /OBJECT_FREE\nGC_FINISH\nOBJECT_ALLOC 1 #7 0 16 #64\nGC_FINISH"
        );
    }

    #[test]
    fn survivors_go_to_the_other_space_and_the_dead_with_theirs() {
        assert_eq!(
            told(Kind::TwoSpace),
            "THREAD_START\nARENA_NEW 1 name\nARENA_NEW 2 name\nCLASS_LOAD\n\
             OBJECT_ALLOC 1 #7 0 16 #16\nOBJECT_ALLOC 1 #7 0 16 #32\nGC_START\n\
             OBJECT_ALLOC 1 #7 0 16 #48\nOBJECT_FREE #400\n\
             OBJECT_MOVE 1 #32 2 #32\nOBJECT_MOVE 1 #48 2 #48\nARENA_DELETE 1\nARENA_NEW 1 name\n\
             GC_FINISH\nOBJECT_ALLOC 2 #7 0 16 #64\n\
             OBJECT_MOVE 2 #32 1 #32\nOBJECT_MOVE 2 #48 1 #48\nOBJECT_MOVE 2 #64 1 #64\n\
             ARENA_DELETE 2\nARENA_NEW 2 name\nGC_FINISH"
        );
    }

    #[test]
    fn what_has_arenas_is_refused() {
        let moved = item(1, event(EventKind::ObjectMove, Vec::new()));
        assert_eq!(
            at_arenas([moved].into_iter(), Kind::TwoSpace, |_| {}),
            Err(HasArenas)
        );
    }
}
