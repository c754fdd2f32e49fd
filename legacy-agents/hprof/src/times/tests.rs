//! Dumps while threads end.

use super::*;

#[test]
fn a_dump_finds_threads_that_are_just_ending_once() {
    const THREADS: u32 = 2000;
    let thread = |serial| {
        Arc::new(Shared {
            serial,
            tid: 0,
            stacks: Stacks::default(),
            top: AtomicU32::new(BOTTOM),
            since: AtomicU64::new(0),
        })
    };
    let all: Vec<_> = (0..THREADS).map(thread).collect();
    let times = Times {
        watch: Watch::Machine,
        reading: 0,
        depth: 4,
        threads: Mutex::default(),
    };
    times.threads.lock().live = all
        .iter()
        .map(|one| (Arc::as_ptr(one).addr(), Arc::clone(one)))
        .collect();
    std::thread::scope(|scope| {
        let times = &times;
        let looks = scope.spawn(move || {
            let mut looks = Vec::new();
            while looks.last().is_none_or(|&(live, _)| live > 0) {
                let threads = times.threads.lock().clone();
                let ended = threads.ended.get(&1).map_or(0, |cost| cost.0);
                looks.push((threads.live.len() as u64, ended));
            }
            looks
        });
        for shared in &all {
            times.settle(shared, &Costs::from_iter([(1, (1, 0))]));
        }
        for (live, ended) in looks.join().unwrap() {
            assert_eq!(live + ended, u64::from(THREADS));
        }
    });
}
