//! The table of ids under loom: `RUSTFLAGS="--cfg loom" cargo test -p id-map --test loom_objects`.
//!
//! It is the product's own code, with few ids. Each race is also tried with the orders of one kind
//! of access weakened, which loom has to notice.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::arc_with_non_send_sync, reason = "loom's threads take turns")]

use std::sync::Arc;

use id_map::{Flag, Kind, ObjectId, ObjectTable, Recycler, Shape, Supply, Weaker, weaken};
use loom::thread;
use parking_lot::Mutex;

const SIZE: u32 = 24;
const ARENA: u8 = 3;
/// An array of references.
const ARRAY: u8 = 2;

/// All interleavings; tests of one process share what is weakened.
fn explore(weaker: Weaker, race: impl Fn() + Sync + Send + 'static) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    struct Whole;
    impl Drop for Whole {
        fn drop(&mut self) {
            weaken(Weaker::None);
        }
    }
    let _whole = Whole;
    weaken(weaker);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(race);
}

fn shape(class: ObjectId) -> Shape {
    Shape {
        class: Some(class),
        array: ARRAY,
    }
}

fn sweep(table: &ObjectTable) -> Vec<ObjectId> {
    let mut swept = Vec::new();
    table.sweep(&mut Recycler::new(table), |id, _| swept.push(id));
    swept
}

/// One object is dead already; the collector tells of another while the dead are swept up.
fn a_death_beside_a_sweep(weaker: Weaker) {
    explore(weaker, || {
        let table = Arc::new(ObjectTable::new());
        let supply = Supply::new();
        let [first, second] = [(); 2].map(|()| table.take(&supply, Kind::Object).unwrap());
        table.note_dead(first);
        let collector = {
            let table = Arc::clone(&table);
            thread::spawn(move || table.note_dead(second))
        };
        let mut swept = sweep(&table);
        collector.join().unwrap();
        assert!(swept.len() == 2 || table.any_dead(), "lost");
        swept.extend(sweep(&table));
        swept.sort_unstable_by_key(|id| id.index());
        assert_eq!(swept, [first, second]);
        assert!(!table.any_dead());
    });
}

#[test]
fn no_death_is_lost() {
    a_death_beside_a_sweep(Weaker::None);
}

#[test]
#[should_panic(expected = "lost")]
fn without_the_one_order_a_death_is_lost() {
    a_death_beside_a_sweep(Weaker::OneOrder);
}

/// A thread gives out an id; another looks at all that there are.
fn a_birth_beside_a_look(weaker: Weaker) {
    explore(weaker, || {
        let table = Arc::new(ObjectTable::new());
        let supply = Supply::new();
        let class = table.take(&supply, Kind::Class).unwrap();
        let born = {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                let id = table
                    .take_described(&supply, shape(class), SIZE, ARENA)
                    .unwrap();
                table.set_fresh(id, Flag::BORN);
            })
        };
        table.each(|id, entry| {
            if id != class {
                let seen = (entry.kind, entry.shape, entry.size, entry.arena);
                let whole = (Kind::Object, Some(shape(class)), SIZE, ARENA);
                assert_eq!(seen, whole, "half born");
            }
        });
        born.join().unwrap();
    });
}

#[test]
fn what_is_seen_is_wholly_born() {
    a_birth_beside_a_look(Weaker::None);
}

#[test]
#[should_panic(expected = "half born")]
fn without_release_it_is_seen_half_born() {
    a_birth_beside_a_look(Weaker::Stores);
}

#[test]
#[should_panic(expected = "half born")]
fn without_acquire_it_is_seen_half_born() {
    a_birth_beside_a_look(Weaker::Loads);
}

/// An object dies and its id is an object's again, while the collector tells of another death.
fn a_second_life(weaker: Weaker) {
    explore(weaker, || {
        let table = Arc::new(ObjectTable::new());
        let supply = Supply::new();
        let second = table.take(&supply, Kind::Object).unwrap();
        let first = table.take_described(&supply, shape(second), SIZE, ARENA);
        let first = first.unwrap();
        let sweeper = {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                table.note_dead(first);
                sweep(&table)
            })
        };
        // Its ids come from those that were swept up, if they are there yet.
        let own = Supply::new();
        let ids = [(); 2].map(|()| {
            table
                .take_described(&own, shape(second), SIZE, ARENA)
                .unwrap()
        });
        for id in ids {
            let entry = table.get(id).expect("it lives");
            let seen = (entry.kind, entry.shape, entry.size);
            assert_eq!(seen, (Kind::Object, Some(shape(second)), SIZE), "half born");
            table.note_dead(id);
        }
        assert!(ids[0] != ids[1] && !ids.contains(&second), "given twice");
        let mut swept = sweep(&table);
        let others = sweeper.join().unwrap();
        swept.extend(others);
        swept.extend(sweep(&table));
        swept.sort_unstable_by_key(|id| id.index());
        let mut all = vec![first, ids[0], ids[1]];
        all.sort_unstable_by_key(|id| id.index());
        assert_eq!(swept, all, "lost");
    });
}

#[test]
fn a_second_life_is_one_of_its_own() {
    a_second_life(Weaker::None);
}

#[test]
#[should_panic(expected = "lost")]
fn without_order_of_changes_a_mark_is_taken_for_none() {
    a_second_life(Weaker::Changes);
}
