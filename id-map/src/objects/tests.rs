//! The life of an id.

use super::supply::BATCH;
use super::{Flag, Kind, ObjectTable, Recycler, Shape, Supply};
use crate::ObjectId;

const PLAIN: Shape = Shape {
    class: None,
    array: 10,
};

pub(super) fn table() -> Box<ObjectTable> {
    Box::new(ObjectTable::new())
}

pub(super) fn swept(table: &ObjectTable) -> Vec<ObjectId> {
    let mut found = Vec::new();
    let mut recycler = Recycler::new(table);
    table.sweep(&mut recycler, |id, _| found.push(id));
    found
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
fn who_turns_out_to_be_a_thread_stays_all_else_that_it_is() {
    let table = table();
    let id = table
        .take_described(&Supply::new(), PLAIN, 24, 3)
        .expect("room");
    table.set(id, Flag::KNOWN);
    let before = table.get(id).expect("live");
    table.set_kind(id, Kind::Thread);
    let after = table.get(id).expect("live");
    assert_eq!(after.kind, Kind::Thread);
    let rest = |entry: super::Entry| (entry.shape, entry.size, entry.arena, entry.flags >> 16);
    assert_eq!(rest(after), rest(before));
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
    for flag in [Flag::KEPT, Flag::NAMED_LATER] {
        let table = table();
        let id = table.allocate(Kind::Object).expect("room");
        table.set(id, flag);
        table.note_dead(id);
        assert!(swept(&table).is_empty());
        table.clear(id, flag);
        assert_eq!(swept(&table), [id]);
    }
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
        Flag::NAMED_LATER,
    ];
    for flag in flags {
        let id = table.allocate(Kind::Class).expect("room");
        table.set(id, flag);
        let set: Vec<_> = flags.into_iter().filter(|&at| table.has(id, at)).collect();
        assert_eq!(set, [flag]);
        assert_eq!(table.kind_of(id), Some(Kind::Class));
    }
}
