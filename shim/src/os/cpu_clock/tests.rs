//! The clock against the kernel's own, on threads to which happens what can happen to a thread.
//! Five seconds, an hour with `XRUN_LONG=1` (`./check --long`), or as many as `XRUN_CLOCK_SECONDS` says.

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::base::not_run::not_run;
use crate::os::cpu_clock;

/// Give or take.
const TOLERANCE: u64 = 2_000;
/// So far a clock goes that waits for the kernel's: a nanosecond for each time it asks.
const STANDS: u64 = 100;
const THREADS: usize = 100;

/// The kernel's account of the calling thread.
#[derive(Clone, Copy, Default)]
struct Account {
    /// How often it has lost its processor.
    switches: i64,
    /// Time on the wall, whoever used it.
    wall: u64,
    cpu: u64,
}

fn account() -> Account {
    // SAFETY: plain data.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: a local out-parameter.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    Account {
        switches: usage.ru_nvcsw + usage.ru_nivcsw,
        wall: ticks::read(libc::CLOCK_MONOTONIC_RAW),
        cpu: kernels(),
    }
}

/// What was taken from a thread that kept its processor, by the kernel's account alone:
/// by a virtual machine's host, or for interrupts. Nothing else may excuse a value.
fn stolen(from: Account, to: Account) -> u64 {
    if from.switches != to.switches {
        return 0;
    }
    (to.wall - from.wall).saturating_sub(to.cpu - from.cpu)
}

#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    samples: u64,
    /// Of them those that did not ask the kernel.
    short: u64,
    excused: u64,
    /// Held against the lower bound only.
    unjudged: u64,
    /// In the middle of which the thread lost its processor.
    switched: u64,
    /// Of them those too high by what may have been taken before that, or after it.
    doubtful: u64,
}

thread_local! {
    static TALLY: Cell<Tally> = const { Cell::new(Tally {
        samples: 0, short: 0, excused: 0, unjudged: 0, switched: 0, doubtful: 0,
    }) };
    /// The account at the last question to the kernel, and which one that was.
    static ASKED: Cell<(u64, Account)> = const { Cell::new((0, Account { switches: 0, wall: 0, cpu: 0 })) };
    /// In one step, beside the handler.
    static HIGHEST: AtomicU64 = const { AtomicU64::new(0) };
    /// How often the handler has come.
    static HANDLED: Cell<u64> = const { Cell::new(0) };
}

fn highest() -> u64 {
    HIGHEST.with(|highest| highest.load(SeqCst))
}

fn is_seen(value: u64) {
    HIGHEST.with(|highest| highest.fetch_max(value, SeqCst));
}

/// Before, value, after, the highest until then, stolen, whether it was short.
fn blame(what: [u64; 6]) {
    WRONG.fetch_add(1, SeqCst);
    // In a handler, which may have interrupted this.
    if let Some(mut first) = FIRST.try_lock() {
        first.get_or_insert(what);
    }
}

/// One reading, judged.
fn sample() {
    let (asked, since) = ASKED.get();
    let (highest, handled) = (highest(), HANDLED.get());
    let first = account();
    let asked_before = own().tick.load(Relaxed);
    let value = cpu_clock::nanos();
    let asked_now = own().tick.load(Relaxed);
    let wall = ticks::read(libc::CLOCK_MONOTONIC_RAW);
    let end = account();
    let (before, after) = (first.cpu, end.cpu);
    let short = asked_before == asked_now;
    let is_known = asked == asked_before;
    // Each stretch by itself: a switch behind the reading says nothing of what was before it. (One that
    // a handler's question has followed looks as if it had asked, and what was stolen before is its excuse, too.)
    let before_it = if is_known { stolen(since, first) } else { 0 };
    let stolen = before_it + stolen(first, end);
    let switched = first.switches != end.switches;
    if !short && !switched {
        ASKED.set((asked_now, first));
    }
    // A beginning that no sample has seen: what was stolen since is not known.
    let judged = is_known || !short && handled == HANDLED.get();
    let low = highest.max(before - TOLERANCE.min(before));
    let high = (after + TOLERANCE).max(highest + STANDS);
    let is_high = judged && value > high + stolen;
    // Nobody says whether the switch or the reading came first, nor what was stolen between both accounts.
    let most = before + (wall - first.wall) + before_it + TOLERANCE;
    let is_doubtful = is_high && switched && value <= most;
    let mut tally = TALLY.get();
    tally.samples += 1;
    tally.short += u64::from(short);
    tally.excused += u64::from(value > high);
    tally.unjudged += u64::from(!judged);
    tally.switched += u64::from(switched);
    tally.doubtful += u64::from(is_doubtful);
    TALLY.set(tally);
    if value < low || is_high && !is_doubtful {
        blame([before, value, after, highest, stolen, u64::from(short)]);
    }
    is_seen(value);
}

extern "C" fn handler(_: i32) {
    HANDLED.set(HANDLED.get() + 1);
    sample();
    sample();
}

static WRONG: AtomicU64 = AtomicU64::new(0);
static FIRST: Mutex<Option<[u64; 6]>> = Mutex::new(None);
static END: AtomicBool = AtomicBool::new(false);

fn run(nanos: u64) {
    let from = ticks::nanos();
    while ticks::nanos() < from + nanos {}
}

fn move_to(processors: impl Iterator<Item = usize>) {
    // SAFETY: plain data.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for processor in processors {
        // SAFETY: a set of ours.
        unsafe { libc::CPU_SET(processor, &mut set) };
    }
    // SAFETY: this thread, and a set that is filled in.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
}

fn be_idle() {
    let lowest = libc::sched_param { sched_priority: 0 };
    // SAFETY: this thread, and a structure of ours.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const lowest) };
}

/// A thread's life: always something else, and a reading after it.
fn live(number: usize, processors: usize) -> Tally {
    if number.is_multiple_of(4) {
        be_idle();
    }
    let mut random = number as u64 + 1;
    while !END.load(SeqCst) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let amount = random >> 8;
        match random % 16 {
            0..6 => run(amount % 20_000),
            6 => run(amount % 3_000_000),
            7..9 => thread::sleep(Duration::from_nanos(amount % 300_000)),
            9 => move_to(std::iter::once(amount as usize % processors)),
            10 => move_to(0..processors),
            11 => thread::yield_now(),
            // SAFETY: a signal that has a handler.
            12 => drop(unsafe { libc::raise(libc::SIGUSR2) }),
            // Without a system call in between.
            _ => {
                for _ in 0..amount % 2_000 {
                    let highest = highest();
                    let value = cpu_clock::nanos();
                    is_seen(value);
                    if value < highest {
                        blame([0, value, u64::MAX, highest, 0, 0]);
                    }
                }
            }
        }
        sample();
    }
    TALLY.get()
}

pub(super) fn is_long() -> bool {
    std::env::var_os("XRUN_LONG").is_some_and(|value| value != "0")
}

fn seconds() -> u64 {
    let said = std::env::var("XRUN_CLOCK_SECONDS").ok();
    let said = said.and_then(|seconds| seconds.parse().ok());
    said.unwrap_or(if is_long() { 3600 } else { 5 })
}

/// Whether this machine has no fast path. Then the test is not run.
pub(super) fn is_not_there() -> bool {
    if OURS.load(Relaxed) != 0 {
        return false;
    }
    not_run(start().err().unwrap_or("it is not trusted"));
    true
}

#[test]
fn it_is_the_kernels_clock_whatever_happens_to_the_thread() {
    cpu_clock::choose();
    if is_not_there() {
        return;
    }
    let end = Instant::now() + Duration::from_secs(seconds());
    let processors = thread::available_parallelism().map_or(1, usize::from);
    // SAFETY: plain data.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: a handler that makes system calls, and touches its thread's own words only.
    unsafe { libc::sigaction(libc::SIGUSR2, &raw const action, ptr::null_mut()) };
    for _ in 0..processors {
        thread::spawn(|| {
            be_idle();
            while !END.load(SeqCst) {
                std::hint::spin_loop();
            }
        });
    }
    let (tell, told) = std::sync::mpsc::channel();
    let start = |number| {
        let tell = tell.clone();
        thread::spawn(move || {
            // SAFETY: no arguments, no failure.
            let _ = tell.send(unsafe { libc::gettid() });
            live(number, processors)
        })
    };
    let threads: Vec<_> = (0..THREADS).map(start).collect();
    let tids: Vec<_> = told.iter().take(THREADS).collect();
    let mut turn = 0;
    while Instant::now() < end {
        turn += 1;
        let tid = tids[turn * 37 % THREADS];
        let process = std::process::id();
        // SAFETY: a thread of this process, which ends after this loop, and a signal that has a handler.
        unsafe { libc::syscall(libc::SYS_tgkill, process, tid, libc::SIGUSR2) };
        run(20_000);
    }
    END.store(true, SeqCst);
    let tallies: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let [samples, short, excused, unjudged] = [
        sum(|t| t.samples),
        sum(|t| t.short),
        sum(|t| t.excused),
        sum(|t| t.unjudged),
    ];
    let (switched, doubtful) = (sum(|t| t.switched), sum(|t| t.doubtful));
    let (wrong, first) = (WRONG.load(SeqCst), *FIRST.lock());
    eprintln!(
        "{samples} samples, {short} of them short, {excused} excused, {unjudged} unjudged, \
         {switched} switched, {doubtful} of them doubtful, {wrong} wrong"
    );
    assert!(
        wrong == 0,
        "before, value, after, highest, stolen, short: {first:?}"
    );
    assert!(short > samples / 10, "the fast path was hardly taken");
    assert!(
        excused < samples / 20 && unjudged < samples / 2,
        "too many values were not judged"
    );
    // A clock that goes on while others run is too high whenever it is read behind the switch.
    assert!(
        doubtful <= 2 + switched / 50,
        "it goes on while the thread does not run"
    );
}

#[test]
fn a_child_begins_anew() {
    cpu_clock::choose();
    let in_parent = {
        while cpu_clock::nanos() < 5_000_000 {}
        cpu_clock::nanos()
    };
    // SAFETY: the child only reads clocks and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let (before, value, after) = (kernels(), cpu_clock::nanos(), kernels());
        let right = before <= value + TOLERANCE && value <= after + TOLERANCE;
        // SAFETY: ends the child without any of the test's own ends.
        unsafe { libc::_exit(if right && value < in_parent { 7 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: a child of ours.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(libc::WEXITSTATUS(status), 7);
}

#[test]
fn somebody_elses_critical_section_is_left_alone() {
    cpu_clock::choose();
    if is_not_there() {
        return;
    }
    let theirs = trial::describe().unwrap();
    let stays = |_| {
        word().store(theirs, Relaxed);
        let asked = own().tick.load(Relaxed);
        let (before, value, after) = (kernels(), cpu_clock::nanos(), kernels());
        assert!(before <= value + TOLERANCE && value <= after + TOLERANCE);
        let found = word().load(Relaxed);
        // Preempted meanwhile the kernel has cleared it.
        assert!(found == theirs || account().switches > 0, "{found} {asked}");
        found == theirs
    };
    assert!((0..100).any(stays));
    word().store(0, Relaxed);
}
