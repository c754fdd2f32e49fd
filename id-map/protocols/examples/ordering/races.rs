//! The races.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence, fence};
use std::time::{Duration, Instant};

use id_map::{Kind, ObjectId, ObjectTable, Recycler, Shape, Supply};
use protocols::collections::Collections;
use protocols::gate::{Depth, Gate, Look, Stand, State};
use protocols::heap_walk::{HeapWalks, OwnGifts};

use crate::asymmetric_fence;

/// Where the two threads meet between the parts of a round.
struct Meeting {
    came: AtomicU64,
}

impl Meeting {
    /// Waits until both have come here for the `time`th time.
    fn at(&self, time: u64) {
        self.came.fetch_add(1, Ordering::SeqCst);
        let mut spins = 0_u32;
        while self.came.load(Ordering::SeqCst) < 2 * time {
            spins += 1;
            if spins.is_multiple_of(1 << 12) {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// Rounds, and how many went wrong.
type Count = (u64, u64);

/// Runs rounds for so long: `left` prepares, both race, `left` judges whether it went wrong.
fn race(
    time: Duration,
    mut prepare: impl FnMut(),
    mut left: impl FnMut() + Send,
    mut right: impl FnMut() + Send,
    mut went_wrong: impl FnMut() -> bool,
) -> Count {
    let meeting = Meeting {
        came: AtomicU64::new(0),
    };
    let over = AtomicBool::new(false);
    let begin = Instant::now();
    let mut count = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                meeting.at(2 * round + 1);
                if over.load(Ordering::SeqCst) {
                    return;
                }
                right();
                meeting.at(2 * round + 2);
            }
        });
        for round in 0.. {
            prepare();
            over.store(begin.elapsed() >= time, Ordering::SeqCst);
            meeting.at(2 * round + 1);
            if over.load(Ordering::SeqCst) {
                return;
            }
            left();
            meeting.at(2 * round + 2);
            count.0 += 1;
            count.1 += u64::from(went_wrong());
        }
    });
    count
}

/// A thread passes the gate, another closes it: not both find that they may.
fn gate(time: Duration, light: impl Fn() + Sync, heavy: impl Fn() + Sync) -> Count {
    let (gate, depth) = (Gate::new(Stand::OPEN), Depth::new());
    let (passed, closed) = (AtomicBool::new(false), AtomicBool::new(false));
    race(
        time,
        || {
            depth.leave();
            gate.change(gate.load(), Stand::OPEN);
        },
        || passed.store(depth.enter(&gate, &light), Ordering::SeqCst),
        || {
            gate.change(Stand::OPEN, Stand::of(State::Closing, 1));
            let look = Gate::look(
                1,
                &heavy,
                || !depth.is_inside(),
                |from, to| gate.change(from, to),
            );
            closed.store(look == Look::Closed, Ordering::SeqCst);
        },
        || passed.load(Ordering::SeqCst) && closed.load(Ordering::SeqCst),
    )
}

/// One object dies while the dead are swept up: it is swept up then, or known to be left.
fn deaths(time: Duration) -> Count {
    const MANY: usize = 4096;
    let table = ObjectTable::new();
    let ids = |_| table.allocate(Kind::Object);
    let mut some: Vec<ObjectId> = Vec::new();
    let dies = AtomicU64::new(0);
    let swept = AtomicU64::new(0);
    let sweep = || {
        let mut count = 0;
        table.sweep(&mut Recycler::new(&table), |_, _| count += 1);
        swept.fetch_add(count, Ordering::SeqCst);
    };
    race(
        time,
        || {
            if some.len() < 2 {
                some = (0..MANY).filter_map(ids).collect();
                // So that the two of a round are far from each other.
                let (low, high) = some.split_at(some.len() / 2);
                some = low
                    .iter()
                    .zip(high)
                    .flat_map(|(low, high)| [*high, *low])
                    .collect();
            }
            swept.store(0, Ordering::SeqCst);
            if let Some(first) = some.pop() {
                table.note_dead(first);
            }
            dies.store(some.pop().map_or(0, ObjectId::raw), Ordering::SeqCst);
        },
        || {
            if let Some(id) = ObjectId::from_raw(dies.load(Ordering::SeqCst)) {
                table.note_dead(id);
            }
        },
        sweep,
        || {
            let lost = swept.load(Ordering::SeqCst) < 2 && !table.any_dead();
            sweep();
            lost
        },
    )
}

/// A thread gives an id without a look, a walk begins: one of them hears of the other.
fn gifts(time: Duration, light: impl Fn() + Sync, heavy: impl Fn() + Sync) -> Count {
    let (walks, own) = (HeapWalks::new(), OwnGifts::new());
    let (gives, seen) = (AtomicBool::new(false), AtomicBool::new(false));
    walks.begin();
    race(
        time,
        || {
            walks.end();
            own.strike();
            while own.must_look() {
                own.looks();
            }
        },
        || {
            own.note();
            light();
            gives.store(walks.are_over() && !own.must_look(), Ordering::SeqCst);
        },
        || {
            walks.begin();
            own.ask_to_look();
            heavy();
            seen.store(own.gives(), Ordering::SeqCst);
        },
        || gives.load(Ordering::SeqCst) && !seen.load(Ordering::SeqCst),
    )
}

/// An object is described while another thread looks at it: it sees all of it or nothing.
fn births(time: Duration) -> Count {
    const SIZE: u32 = 24;
    let (table, supply) = (ObjectTable::new(), Supply::new());
    let Some(class) = table.allocate(Kind::Class) else {
        return (0, 0);
    };
    let shape = Shape {
        class: Some(class),
        array: 2,
    };
    let id = AtomicU64::new(0);
    let now = || ObjectId::from_raw(id.load(Ordering::SeqCst));
    let half = AtomicBool::new(false);
    race(
        time,
        || {
            let fresh = table.take(&supply, Kind::Object);
            id.store(fresh.map_or(0, ObjectId::raw), Ordering::SeqCst);
            half.store(false, Ordering::SeqCst);
        },
        || {
            if let Some(id) = now() {
                table.describe(id, Kind::Object, shape, SIZE, 3);
            }
        },
        || {
            let entry = now().and_then(|id| table.get(id));
            if let Some(entry) = entry.filter(|entry| entry.shape.is_some()) {
                let whole = entry.shape == Some(shape) && entry.size == SIZE;
                half.store(!whole, Ordering::SeqCst);
            }
        },
        || {
            if let Some(id) = now() {
                table.release(id);
            }
            half.load(Ordering::SeqCst)
        },
    )
}

/// A pause of the collector's ends while another thread asks for it: whoever sees it sees its figures.
fn pauses(time: Duration) -> Count {
    let vm = Collections::new();
    let round = AtomicU64::new(0);
    let stale = AtomicBool::new(false);
    race(
        time,
        || {
            vm.forget();
            round.fetch_add(1, Ordering::SeqCst);
            stale.store(false, Ordering::SeqCst);
        },
        || {
            let now = round.load(Ordering::SeqCst);
            let bytes = i64::try_from(now).unwrap_or(i64::MAX);
            let count = u32::try_from(now % (1 << 31)).ok();
            vm.pause_ended(now, (bytes, bytes), count);
        },
        || {
            let now = round.load(Ordering::SeqCst);
            if vm.is_pending(|| false) {
                let (pause, space) = (vm.last_pause(), vm.space());
                let bytes = i64::try_from(now).unwrap_or(i64::MAX);
                let is_now = pause == now && space == Some((bytes, bytes));
                stale.store(!is_now, Ordering::SeqCst);
            }
        },
        || stale.load(Ordering::SeqCst),
    )
}

/// Two words without any order: whoever sees the second may not see the first.
fn two_words(time: Duration) -> Count {
    let (first, second) = (AtomicU64::new(0), AtomicU64::new(0));
    let (round, wrong) = (AtomicU64::new(0), AtomicBool::new(false));
    race(
        time,
        || {
            round.fetch_add(1, Ordering::SeqCst);
            wrong.store(false, Ordering::SeqCst);
        },
        || {
            let now = round.load(Ordering::SeqCst);
            first.store(now, Ordering::Relaxed);
            second.store(now, Ordering::Relaxed);
        },
        || {
            let now = round.load(Ordering::SeqCst);
            let seen = second.load(Ordering::Relaxed);
            let behind = first.load(Ordering::Relaxed);
            wrong.store(seen == now && behind != now, Ordering::SeqCst);
        },
        || wrong.load(Ordering::SeqCst),
    )
}

/// What must not happen is seen where it may: the gate without its fences.
fn gate_without_fences(time: Duration) -> Count {
    gate(time, || compiler_fence(Ordering::SeqCst), || ())
}

fn first_line(file: &str, key: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key));
    line.unwrap_or_default().trim().to_owned()
}

/// All of them, with a report.
pub(crate) fn run() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let time = Duration::from_secs(seconds.unwrap_or(10));
    println!(
        "ordering: xrun {}, {} processors, {}; {}",
        env!("CARGO_PKG_VERSION"),
        std::thread::available_parallelism().map_or(0, usize::from),
        std::env::consts::ARCH,
        first_line("/proc/version", "Linux")
    );
    for key in ["model name", "CPU implementer", "CPU part", "Features"] {
        let line = first_line("/proc/cpuinfo", key);
        if !line.is_empty() {
            println!("{line}");
        }
    }
    let bare = |what: &str, (rounds, failed): Count| {
        println!("{what}: {rounds} rounds, {failed} went wrong, as they may");
        failed > 0
    };
    let loads_overtake = bare("the gate without fences", gate_without_fences(time));
    let others_do = bare("two words without order", two_words(time));
    let mut wrong = 0;
    let mut say = |what: &str, (rounds, failed): Count| {
        println!("{what}: {rounds} rounds, {failed} went wrong");
        wrong += failed;
    };
    let full = || fence(Ordering::SeqCst);
    say("the gate with full fences", gate(time, full, full));
    say("gifts and walks with full fences", gifts(time, full, full));
    if asymmetric_fence::take_over(|| ()) && asymmetric_fence::is_taken_over() {
        let (light, heavy) = (asymmetric_fence::light, asymmetric_fence::heavy);
        say("the gate with membarrier", gate(time, light, heavy));
        say("gifts and walks with membarrier", gifts(time, light, heavy));
    } else {
        println!("with membarrier: not run, the kernel has none");
    }
    say("deaths", deaths(time));
    say("births", births(time));
    say("pauses", pauses(time));
    let little = "(a quiet machine, more seconds)";
    match (wrong, loads_overtake, others_do) {
        (1.., _, _) => println!("WRONG: please report this"),
        (0, true, true) => println!("all as it should be"),
        (0, true, false) => println!(
            "all as it should be; no word overtook another here, as on x86 none does, so births and pauses say little {little}"
        ),
        (0, false, _) => println!(
            "nothing went wrong, but nor did the gate without fences: this run says little {little}"
        ),
    }
    ExitCode::from(u8::from(wrong > 0))
}
