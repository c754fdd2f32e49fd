//! HPROF's samples where very many virtual threads live of which few run, and which threads its text
//! then names.

use std::collections::BTreeSet;

use xrun_tests::jdk::{Jdk, each_jdk_if};
use xrun_tests::run::{Java, Run};
use xrun_tests::{long, product};

/// The number that stands in front of `word` in a line of what was said.
fn in_front_of(said: &str, word: &str) -> u64 {
    let number = |line: &str| {
        let before = line.split(word).next().filter(|before| *before != line)?;
        before.split_whitespace().last()?.parse().ok()
    };
    let found = said.lines().find_map(number);
    found.unwrap_or_else(|| panic!("{word}: {said}"))
}

/// What the program says of a phase: how often the sampler has waited, and what it has used meanwhile.
fn said(run: &Run, phase: &str) -> (u64, u64) {
    let of = |line: &str| {
        let (waits, nanos) = line.strip_prefix(phase)?.trim().split_once(' ')?;
        Some((waits.parse().ok()?, nanos.parse().ok()?))
    };
    let said = run.stdout.lines().find_map(of);
    said.unwrap_or_else(|| panic!("{phase}: {run}"))
}

/// Samples of a method.
fn samples(text: &str, method: &str) -> u64 {
    let table = text.split("CPU SAMPLES BEGIN").nth(1).unwrap();
    let rows = table.lines().filter(|line| line.ends_with(method));
    let count = |line: &str| line.split_whitespace().nth(3)?.parse::<u64>().ok();
    rows.filter_map(count).sum()
}

/// Who has a line of this kind, of those with these words in it.
fn serials(text: &str, line: &str, serial: &str, words: &str) -> BTreeSet<u32> {
    let number = |row: &str| {
        let behind = row.split(serial).nth(1)?;
        let end = behind.find(|letter: char| !letter.is_ascii_digit())?;
        behind.get(..end)?.parse().ok()
    };
    let rows = text.lines().filter(|row| row.starts_with(line));
    rows.filter(|row| row.contains(words))
        .filter_map(number)
        .collect()
}

/// A look costs what runs, not what lives: one that works is seen as often beside very many that are
/// parked, and these are asked nothing. Of all that have lived those are named that have a trace.
#[test]
fn the_parked_cost_no_samples() {
    product::hprof();
    let (waits, count) = if long() { (400, 50_000) } else { (200, 20_000) };
    each_jdk_if(Jdk::has_virtual_threads, |jdk| {
        let hprof =
            "-Xrunhprof:cpu=samples,interval=2,thread=y,cutoff=0,depth=4,file=out.txt,verbose=y";
        let java = Java::with_shim(jdk).arg(hprof).limit(120);
        let java = java.env("JVMPI_OPTIONS", "usage=usage.txt");
        let run = java.main(&format!("VirtualCrowd {waits} {count}")).run();
        let run = run.exits(0);
        let text = run.file("out.txt");

        let looks = in_front_of(&run.stderr, "looks");
        let usage = run.file("usage.txt");
        // GetThreadStatus by its place in JVMPI's table: calls in three phases.
        let asked = usage.lines().find_map(|line| line.strip_prefix("call 16 "));
        let asked: u64 = asked
            .unwrap()
            .split(' ')
            .take(3)
            .flat_map(str::parse::<u64>)
            .sum();
        assert!(
            looks > 20 && asked < 50 * looks,
            "{asked} in {looks}\n{run}"
        );

        let [alone, beside] = ["alone", "beside"].map(|phase| {
            let seen = samples(&text, &format!("VirtualCrowd.{phase}"));
            (seen, said(&run, phase))
        });
        let figures = format!("{jdk}: alone {alone:?}, beside {beside:?}, {looks} looks");
        let (of_alone, of_beside) = (alone.1, beside.1);
        // Where the machine has much else to do it is seen too seldom for a share.
        const ENOUGH: u64 = 50;
        let as_often = 2 * beside.0 * of_alone.0 >= alone.0 * of_beside.0;
        assert!(as_often || alone.0 < ENOUGH, "{figures}");
        // Many times as much where all are asked.
        assert!(
            of_beside.1 * of_alone.0 < 5 * of_alone.1 * of_beside.0,
            "{figures}"
        );

        let is_virtual = "group=\"VirtualThreads\"";
        let started = serials(&text, "THREAD START", "id = ", "");
        let virtual_ones = serials(&text, "THREAD START", "id = ", is_virtual);
        let named = serials(&text, "TRACE ", "(thread=", "");
        assert!(named.is_subset(&started), "{named:?} {started:?}");
        assert!(virtual_ones.is_subset(&named), "{virtual_ones:?} {named:?}");
        assert!(!virtual_ones.is_empty(), "{started:?}");
        let ended = serials(&text, "THREAD END", "id = ", "");
        assert!(virtual_ones.is_subset(&ended), "{virtual_ones:?} {ended:?}");
        let left_out = in_front_of(&text, "virtual ones that have ended");
        let all = left_out + u64::try_from(virtual_ones.len()).unwrap();
        assert_eq!(all, count + 1, "{run}");
    });
}
