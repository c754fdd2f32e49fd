//! Ids on their way to threads and back, and threads that share the table.

use std::sync::atomic::Ordering;

use super::super::slots::CHUNK;
use super::super::tests::{swept, table};
use super::{BATCH, Kind, Supply};
use crate::{ObjectId, ObjectTable};

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
