//! What depends on the order of memory, on this machine's processor, as fast as it goes, and a report:
//!
//! ```text
//! cargo run --release -p protocols --example ordering [SECONDS]
//! ```
//!
//! Each round is a race of two threads, which are alone in it. The first line has no fences at all: of
//! it only can be expected that it fails, which shows that this machine does reorder.
#![cfg(not(loom))]
#![allow(clippy::print_stdout, reason = "it reports")]
#![allow(clippy::indexing_slicing, reason = "a program of its own")]

#[path = "../../../shim/src/os/asymmetric_fence.rs"]
mod asymmetric_fence;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence, fence};
use std::time::{Duration, Instant};

use id_map::{Kind, ObjectId, ObjectTable, Recycler};
use protocols::gate::{Depth, Gate, Look, Stand, State};

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

fn first_line(file: &str, key: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key));
    line.unwrap_or_default().trim().to_owned()
}

fn main() -> ExitCode {
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
    let mut wrong = 0;
    let mut say = |what: &str, (rounds, failed): Count| {
        println!("{what}: {rounds} rounds, {failed} went wrong");
        wrong += failed;
    };
    let none = gate(time, || compiler_fence(Ordering::SeqCst), || ());
    println!(
        "without fences: {} rounds, {} went wrong, as is expected",
        none.0, none.1
    );
    let full = || fence(Ordering::SeqCst);
    say("the gate with full fences", gate(time, full, full));
    if asymmetric_fence::take_over() && asymmetric_fence::is_taken_over() {
        say(
            "the gate with membarrier",
            gate(time, asymmetric_fence::light, asymmetric_fence::heavy),
        );
    } else {
        println!("the gate with membarrier: not run, the kernel has none");
    }
    say("deaths", deaths(time));
    println!(
        "{}",
        if wrong == 0 {
            "all as it should be"
        } else {
            "WRONG: please report this"
        }
    );
    ExitCode::from(u8::from(wrong > 0))
}
