//! The life of an id, and threads that share the table.

use std::sync::atomic::Ordering;

use super::slots::CHUNK;
use super::supply::BATCH;
use super::{Flag, Kind, ObjectTable, Recycler, Shape, Supply};
use crate::ObjectId;

const PLAIN: Shape = Shape {
    class: None,
    array: 10,
};

fn table() -> Box<ObjectTable> {
    Box::new(ObjectTable::new())
}

fn swept(table: &ObjectTable) -> Vec<ObjectId> {
    let mut found = Vec::new();
    let mut recycler = Recycler::new(table);
    table.sweep(&mut recycler, |id, _| found.push(id));
    found
}

#[test]
fn a_class_gets_an_id_that_nothing_has_had() {
    let table = ObjectTable::new();
    let objects: Vec<_> = (0..200).map(|_| table.allocate(Kind::Object)).collect();
    for id in objects.iter().flatten() {
        table.release(*id);
    }
    let classes: Vec<_> = (0..200).map(|_| table.allocate(Kind::Class)).collect();
    for (number, class) in classes.iter().enumerate() {
        assert!(class.is_some() && !objects.contains(class));
        assert!(!classes[..number].contains(class));
    }
    assert_eq!(table.live(0), 200);
}

/// Those of a batch follow each other, whoever takes batches meanwhile, and none is left out.
#[test]
fn classes_have_batches_of_their_own() {
    let table = table();
    let class = || table.allocate(Kind::Class).expect("room").index();
    let supply = Supply::new();
    let first = class();
    for _ in 0..2 * BATCH {
        table.take(&supply, Kind::Object).expect("room");
    }
    let rest: Vec<_> = (1..BATCH).map(|_| class()).collect();
    assert_eq!(rest, (first + 1..first + BATCH).collect::<Vec<_>>());
    let extent = table.extent();
    assert_eq!((class(), table.extent()), (extent, extent + BATCH));
    assert_eq!(class(), extent + 1);
}

/// Or a thread that took its time could not see that the stack is another.
#[test]
fn no_stack_of_batches_looks_like_one_that_was() {
    let table = table();
    let supply = Supply::new();
    let [first, second] = [(); 2].map(|()| table.take(&supply, Kind::Object).expect("room"));
    let stack = || {
        let head = table.batches.load(Ordering::Acquire);
        (head >> 32, u32::try_from(head & u64::from(u32::MAX)))
    };
    let taken = || table.take(&Supply::new(), Kind::Object);
    assert_eq!(stack(), (0, Ok(0)));
    table.release(first);
    assert_eq!(stack(), (1, Ok(first.index())));
    table.release(second);
    assert_eq!(stack(), (2, Ok(second.index())));
    assert_eq!(taken(), Some(second));
    assert_eq!(stack(), (3, Ok(first.index())));
    table.release(second);
    assert_eq!(stack(), (4, Ok(second.index())));
    assert_eq!((taken(), taken()), (Some(second), Some(first)));
    assert_eq!(stack(), (6, Ok(0)));
    table
        .batches
        .store(u64::from(u32::MAX) << 32, Ordering::Release);
    table.release(first);
    assert_eq!(stack(), (0, Ok(first.index())));
}

#[test]
fn ids_are_distinct_and_remember_their_kind() {
    let table = table();
    let class = table.allocate(Kind::Class).expect("room");
    let thread = table.allocate(Kind::Thread).expect("room");
    assert_ne!(class, thread);
    assert_eq!(table.kind_of(class), Some(Kind::Class));
    assert_eq!(table.kind_of(thread), Some(Kind::Thread));
    assert_eq!(class.raw() % 16, 0);
    assert_eq!(table.get(class).and_then(|entry| entry.shape), None);
}

#[test]
fn an_entry_says_what_was_written() {
    let table = table();
    let supply = Supply::new();
    let class = table.take(&supply, Kind::Class).expect("room");
    let shape = Shape {
        class: Some(class),
        array: 2,
    };
    let id = table.take_described(&supply, shape, 24, 3).expect("room");
    // Once more changes nothing.
    for _ in 0..2 {
        table.set_fresh(id, Flag::ALLOCATED);
    }
    let entry = table.get(id).expect("live");
    assert_eq!(entry.shape, Some(shape));
    assert_eq!((entry.size, entry.arena), (24, 3));
    assert!(entry.has(Flag::ALLOCATED) && !entry.has(Flag::KNOWN));
    table.set_arena(id, 200);
    assert!(table.set(id, Flag::KNOWN) && !table.set(id, Flag::KNOWN));
    let entry = table.get(id).expect("live");
    assert_eq!((entry.arena, entry.shape), (200, Some(shape)));
    assert!(entry.has(Flag::KNOWN));
    assert_eq!(table.ready_shape(class), None);
    table.describe(class, Kind::Class, PLAIN, 0, 1);
    table.set(class, Flag::READY);
    assert_eq!(table.ready_shape(class), Some(PLAIN));
}

#[test]
fn a_released_id_is_stale() {
    let table = table();
    let id = table.allocate(Kind::Object).expect("room");
    table.release(id);
    assert_eq!(table.kind_of(id), None);
    assert!(!table.set(id, Flag::KNOWN));
}

#[test]
fn unknown_ids_have_no_kind() {
    let table = table();
    for raw in [16, 0x1230, u64::from(u32::MAX) << 4] {
        let id = ObjectId::from_raw(raw).expect("shaped like an id");
        assert_eq!(table.kind_of(id), None);
        table.note_dead(id);
    }
}

#[test]
fn the_dead_are_swept_once_and_their_ids_come_back_afterwards() {
    let table = table();
    let supply = Supply::new();
    let ids: Vec<_> = (0..1000)
        .map(|_| table.take(&supply, Kind::Object).expect("room"))
        .collect();
    for id in &ids[..500] {
        table.note_dead(*id);
    }
    let mut recycler = Recycler::new(&table);
    let mut seen = Vec::new();
    table.sweep(&mut recycler, |id, _| {
        seen.push(id);
        let fresh = table.take(&supply, Kind::Object).expect("room");
        assert!(!ids.contains(&fresh), "reused inside the bracket");
    });
    drop(recycler);
    assert_eq!(seen, ids[..500]);
    assert!(swept(&table).is_empty());
    assert_eq!(table.live(supply.given()), 1000);
    let rest: Vec<_> = (0..2000)
        .map(|_| table.take(&supply, Kind::Object).expect("room"))
        .collect();
    assert!(ids[..500].iter().all(|id| rest.contains(id)));
    assert!(ids[500..].iter().all(|id| !rest.contains(id)));
}

#[test]
fn what_bears_its_tag_twice_is_free_after_the_second_death() {
    let table = table();
    for both_before_the_sweep in [true, false] {
        let id = table.allocate(Kind::Object).expect("room");
        table.set(id, Flag::TWICE);
        table.note_dead(id);
        if both_before_the_sweep {
            table.note_dead(id);
        }
        assert_eq!(swept(&table), [id]);
        assert_eq!(table.kind_of(id), None, "stale at once");
        if !both_before_the_sweep {
            let supply = Supply::new();
            for _ in 0..3 * BATCH {
                assert_ne!(table.take(&supply, Kind::Object), Some(id));
            }
            table.note_dead(id);
            assert!(swept(&table).is_empty(), "told once");
        }
        // By now it is free, once.
        let supply = Supply::new();
        let again = |_: &u32| table.take(&supply, Kind::Object) == Some(id);
        assert_eq!((0..8 * BATCH).filter(again).count(), 1);
    }
}

#[test]
fn what_is_kept_dies_later() {
    let table = table();
    let id = table.allocate(Kind::Object).expect("room");
    table.set(id, Flag::KEPT);
    table.note_dead(id);
    assert!(swept(&table).is_empty());
    table.clear(id, Flag::KEPT);
    assert_eq!(swept(&table), [id]);
}

#[test]
fn dead_classes_are_counted_and_can_be_looked_at() {
    let table = table();
    let class = table.allocate(Kind::Class).expect("room");
    table.note_dead(class);
    assert_eq!(table.dead_classes(), 1);
    let mut seen = Vec::new();
    table.look_at_dead(|id, entry| seen.push((id, entry.kind)));
    assert_eq!(seen, [(class, Kind::Class)]);
    assert!(swept(&table).is_empty(), "not unloaded yet");
    table.set(class, Flag::UNLOADED);
    assert_eq!(swept(&table), [class]);
    assert_eq!(table.dead_classes(), 0);
}

#[test]
fn an_ended_thread_leaves_its_supply_to_others() {
    let table = table();
    for _ in 0..10 * CHUNK {
        let supply = Supply::new();
        let id = table.take(&supply, Kind::Object).expect("room");
        table.release(id);
        table.retire(&supply);
    }
    let last = table.allocate(Kind::Object).expect("room");
    assert!(last.index() < 4 * BATCH, "{last:?}");
}

#[test]
fn threads_never_share_a_live_id() {
    use std::sync::atomic::{AtomicBool, AtomicU8};
    let table = table();
    let owned: Vec<AtomicU8> = (0..4 * CHUNK).map(|_| AtomicU8::new(0)).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|seed| {
                let (table, owned) = (&table, &owned);
                scope.spawn(move || {
                    let supply = Supply::new();
                    let mut mine = Vec::new();
                    let mut random = seed + 1u64;
                    for _ in 0..if cfg!(miri) { 300 } else { 60_000 } {
                        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                        if random >> 33 & 1 == 0 || mine.is_empty() {
                            let id = table.take(&supply, Kind::Object).expect("room");
                            let at = id.index() as usize;
                            assert_eq!(owned[at].swap(1, Ordering::SeqCst), 0);
                            mine.push(id);
                        } else {
                            let id: ObjectId =
                                mine.swap_remove((random >> 40) as usize % mine.len());
                            owned[id.index() as usize].store(0, Ordering::SeqCst);
                            table.note_dead(id);
                        }
                    }
                    table.retire(&supply);
                    mine.len() as u64
                })
            })
            .collect();
        let sweeper = scope.spawn(|| {
            let mut dead = 0;
            while !stop.load(Ordering::Acquire) {
                dead += swept(&table).len();
            }
            dead + swept(&table).len()
        });
        let left: u64 = workers
            .into_iter()
            .map(|w| w.join().expect("no panic"))
            .sum();
        stop.store(true, Ordering::Release);
        assert!(sweeper.join().expect("no panic") > 0);
        assert_eq!(table.live(0), left);
    });
}

#[test]
fn an_id_is_known_from_when_it_is_given_until_it_ends() {
    let table = table();
    let id = table.allocate(Kind::Object).expect("room");
    let never = ObjectId::from_index(table.extent()).expect("not 0");
    assert!(id.index() < table.extent());
    assert!(table.was_given(id) && !table.was_given(never));
    assert!(!table.has(id, Flag::KNOWN) && !table.has(never, Flag::KNOWN));
    assert!(table.set(id, Flag::KNOWN));
    assert!(table.has(id, Flag::KNOWN) && !table.has(id, Flag::KEPT));
    table.set_kind(id, Kind::Thread);
    assert_eq!(table.kind_of(id), Some(Kind::Thread));
    assert!(table.has(id, Flag::KNOWN));
    table.clear(id, Flag::KNOWN);
    assert!(!table.has(id, Flag::KNOWN));
    table.set(id, Flag::KNOWN);
    table.release(id);
    assert!(!table.has(id, Flag::KNOWN) && table.was_given(id));
}

#[test]
fn all_in_use_are_visited_in_their_order() {
    let table = table();
    let ids: Vec<_> = (0..5)
        .map(|_| table.allocate(Kind::Object).expect("room"))
        .collect();
    table.release(ids[2]);
    let mut visited = Vec::new();
    table.each(|id, entry| visited.push((id, entry.kind)));
    let mut left = [ids[0], ids[1], ids[3], ids[4]];
    left.sort_unstable_by_key(|id| id.index());
    assert_eq!(visited, left.map(|id| (id, Kind::Object)));
}

#[test]
fn the_dead_are_counted_until_they_are_swept() {
    let table = table();
    let object = table.allocate(Kind::Object).expect("room");
    let class = table.allocate(Kind::Class).expect("room");
    let looked_at = || {
        let mut seen = Vec::new();
        table.look_at_dead(|id, _| seen.push(id));
        seen.sort_unstable_by_key(|id| id.index());
        seen
    };
    assert!(!table.any_dead() && looked_at().is_empty());
    assert_eq!((table.count_dead(), table.dead_classes()), (0, 0));
    table.note_dead(object);
    table.note_dead(class);
    let mut both = vec![object, class];
    both.sort_unstable_by_key(|id| id.index());
    for _ in 0..2 {
        assert!(table.any_dead());
        assert_eq!(looked_at(), both);
        assert_eq!((table.count_dead(), table.dead_classes()), (2, 1));
    }
    // A class stays until its CLASS_UNLOAD is past.
    assert_eq!(swept(&table), [object]);
    assert!(table.any_dead());
    assert_eq!((table.count_dead(), table.dead_classes()), (1, 1));
    table.set(class, Flag::UNLOADED);
    assert_eq!(swept(&table), [class]);
    assert!(!table.any_dead());
    assert_eq!((table.count_dead(), table.dead_classes()), (0, 0));
}

#[test]
fn what_is_described_anew_forgets_what_it_was() {
    let table = table();
    let class = table.allocate(Kind::Class).expect("room");
    let id = table.allocate(Kind::Object).expect("room");
    let of_class = Shape {
        class: Some(class),
        array: 5,
    };
    table.describe(id, Kind::Thread, of_class, 24, 0b101);
    table.set(id, Flag::ANNOUNCED);
    table.describe(id, Kind::Object, PLAIN, 16, 0b10);
    let entry = table.get(id).expect("live");
    assert_eq!((entry.kind, entry.shape), (Kind::Object, Some(PLAIN)));
    assert_eq!((entry.size, entry.arena), (16, 0b10));
    assert!(entry.has(Flag::KNOWN) && entry.has(Flag::ALLOCATED));
    assert!(!entry.has(Flag::KEPT) && !entry.has(Flag::PREPARED));
}

#[test]
fn a_recycler_counts_the_lives_that_have_ended() {
    let table = table();
    let ids: Vec<_> = (0..300)
        .map(|_| table.allocate(Kind::Object).expect("room"))
        .collect();
    for id in &ids {
        table.note_dead(*id);
    }
    let mut recycler = Recycler::new(&table);
    assert_eq!(recycler.released(), 0);
    table.sweep(&mut recycler, |_, _| {});
    assert_eq!(recycler.released(), 300);
}

#[test]
fn each_flag_is_a_bit_of_its_own() {
    let table = table();
    let flags = [
        Flag::KNOWN,
        Flag::ALLOCATED,
        Flag::READY,
        Flag::TWICE,
        Flag::KEPT,
        Flag::UNLOADED,
        Flag::PREPARED,
    ];
    for flag in flags {
        let id = table.allocate(Kind::Class).expect("room");
        table.set(id, flag);
        let set: Vec<_> = flags.into_iter().filter(|&at| table.has(id, at)).collect();
        assert_eq!(set, [flag]);
        assert_eq!(table.kind_of(id), Some(Kind::Class));
    }
}
