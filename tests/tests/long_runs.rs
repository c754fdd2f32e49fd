//! What `tests/long.sh` has in long: the same in short here, so that it stays as it should be.

mod calls;
mod hostile_files;
mod peers;
mod words;

use xrun_tests::census::{Judgement, Said};
use xrun_tests::collector::rotated;
use xrun_tests::jdk::{Jdk, each_jdk};
use xrun_tests::long_run::{amount, resident, seed, tell};
use xrun_tests::report::field;
use xrun_tests::run::{Java, Run};
use xrun_tests::{product, width_of_ids};

/// The judge that hears of all but methods.
const CHECK: &str =
    "-Xrunjvmpi_check:file=check.txt,classes=,without=METHOD_ENTRY+METHOD_ENTRY2+METHOD_EXIT";

/// OBJECT_ALLOC and OBJECT_FREE of every object, by four threads; of many, memory does not grow. (With fewer than
/// `ENOUGH`, as in `./check`, the last is not looked at: pieces of `tests/long.sh` do.)
#[test]
fn allocations_leave_nothing_behind() {
    const THREADS: u64 = 4;
    const A_ROUND: u64 = 430;
    /// Fewer are over before memory has come to rest.
    const ENOUGH: u64 = 20_000_000;
    const ROOM_MB: u64 = 8;
    /// What the largest of the least heaps is: it does not grow.
    const HEAP_MB: u32 = 192;
    product::agent("check");
    let wanted = amount(1_000_000);
    let rounds = wanted / (THREADS * A_ROUND) + 1;
    each_jdk(|jdk| {
        let collector = rotated(jdk, seed() as usize);
        let java = collector.on(Java::with_shim(jdk), jdk, HEAP_MB);
        let mut running = java
            .args(["-XX:+AlwaysPreTouch", CHECK])
            .arg(format!("-Xms{HEAP_MB}m"))
            .env("MALLOC_ARENA_MAX", "1")
            .limit(120 + wanted / 20_000)
            .main(&format!("AllocStorm {THREADS} {rounds} hash"))
            .start();
        let resident = resident(&mut running);
        let run = running.finish().exits(0);
        let judgement = judged(&run);
        let said = Said::read(&run.stdout);
        assert_eq!(judgement.miscounted(&said), [""; 0], "{jdk}, {collector}");
        let all = judgement.number("objects", "alloc");
        assert!(all >= wanted, "{all}\n{run}");
        let [_, second, _, last] = resident;
        tell(
            Some(jdk),
            all,
            &format!("{collector}: resident {resident:?} MB by quarters"),
        );
        let is_flat = wanted < ENOUGH || last <= second + ROOM_MB;
        assert!(is_flat, "{jdk}, {collector}: {resident:?} MB\n{run}");
    });
}

fn judged(run: &Run) -> Judgement {
    let judgement = Judgement::read(&run.file("check.txt"));
    assert_eq!(judgement.violations, Some(0), "{}\n{run}", judgement.head());
    judgement
}

/// Threads that come, load a class and go are stopped, looked at and resumed, one by one and in lists.
#[test]
fn suspensions_leave_everybody_running() {
    let wanted = amount(1_000);
    each_jdk(|jdk| {
        let (mut all, mut passes) = (0, 0);
        for turn in seed().. {
            let (millis, options) = match turn % 3 {
                0 => (1_000, "l"),
                1 => (1_000, ""),
                _ => (1_000, "h"),
            };
            let millis = if wanted > 1_000 { 20 * millis } else { millis };
            let java = Java::with_helper(jdk, "suspender", options).arg("-Xcheck:jni");
            let run = java
                .main(&format!("Churn {millis} classes"))
                .limit(120)
                .run()
                .exits(0)
                .says("all ended\nall loaded\n");
            let report = run.file("report.txt");
            let number = |key| {
                let text = field(&report, key);
                text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0)
            };
            assert!(!report.contains("FAIL"), "{jdk}: {report}\n{run}");
            assert_eq!(number("stopped"), 1, "{jdk}: {report}\n{run}");
            all += number("suspended");
            passes += number("passes");
            if all >= wanted {
                break;
            }
        }
        tell(Some(jdk), all, &format!("{passes} times"));
    });
}

/// Very many objects at once: HPROF has the site of each, and each in its dump.
#[test]
fn many_objects_are_held() {
    // An object's record in a binary dump, with its one field.
    let record = 1 + 4 + 4 + 4 + 2 * width_of_ids() as u64;
    product::hprof();
    let wanted = amount(100_000);
    let heap = 256 + wanted * 24 / 1_000_000;
    let start = |jdk: &Jdk, options: &str| {
        let java = Java::with_shim(jdk).limit(120 + wanted / 10_000);
        java.args(["-XX:+UseParallelGC", &format!("-Xmx{heap}m")])
            .arg(format!("-Xrunhprof:{options},verbose=n"))
            .main(&format!("ManyHeld {wanted}"))
            .start()
    };
    let done = |jdk: &Jdk, mode: &str, mut running: xrun_tests::run::Running| {
        let resident = resident(&mut running);
        let run = running.finish().exits(0);
        let run = run.says(&format!("HELD {wanted}\n"));
        let most = resident.iter().max().copied().unwrap_or(0);
        let seen = format!("{mode}: {} s, resident {most} MB", run.took.as_secs());
        tell(Some(jdk), wanted, &seen);
        run
    };
    each_jdk(|jdk| {
        let sites = start(jdk, "heap=sites,cutoff=0,file=sites.txt");
        let run = done(jdk, "heap=sites", sites);
        let text = run.file("sites.txt");
        let rows = text.lines().filter(|line| line.ends_with(" ManyHeld$Held"));
        // RANK SELF ACCUM, then live bytes and objects.
        let live = |line: &str| -> Option<u64> { line.split_whitespace().nth(4)?.parse().ok() };
        assert_eq!(rows.filter_map(live).sum::<u64>(), wanted, "{run}");
        let dump = start(jdk, "heap=dump,format=b,file=dump.bin");
        let run = done(jdk, "heap=dump", dump);
        let size = run.folder().join("dump.bin").metadata().unwrap().len();
        assert!(size > wanted * record, "{size}\n{run}");
    });
}
