//! Options go together: every format of every mode is read, and says what the program did.
//! Longer than most: what is said of one program, format by format.

use std::fmt::{self, Write as _};

use serde_json::Value;
use xrun_tests::collector::dealt;
use xrun_tests::hprof_ascii::{self, Ascii};
use xrun_tests::jdk::{Jdk, MATRIX, on_jdk, on_newer_jdks};
use xrun_tests::run::Run;

use super::binary::{self, Binary};
use super::own_pprof::{self, Pprof};
use super::profiled;

/// An option and the values that are tried; "" leaves it out.
type Factor = (&'static str, &'static [&'static str]);

/// All combinations of these are tried with XRUN_LONG=1.
const MODES: [Factor; 4] = [
    ("heap", &["", "dump", "sites", "all"]),
    ("cpu", &["", "samples", "times", "old"]),
    ("monitor", &["", "y"]),
    ("format", &["a", "b", "collapsed", "json", "flame", "pprof"]),
];

const OTHERS: [Factor; 11] = [
    ("depth", &["", "0", "1", "200"]),
    ("cutoff", &["", "0", "0.3"]),
    ("lineno", &["", "n"]),
    ("thread", &["", "y"]),
    ("interval", &["1", "5"]),
    ("clock", &["", "wall"]),
    ("verbose", &["", "y", "n"]),
    ("force", &["", "n"]),
    ("gc_okay", &["", "y", "n"]),
    ("msa", &["", "y"]),
    ("doe", &["", "y"]),
];

fn factors() -> impl Iterator<Item = Factor> {
    MODES.into_iter().chain(OTHERS)
}

/// A choice of each factor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row(Vec<usize>);

impl Row {
    fn get(&self, option: &str) -> &'static str {
        let found = factors()
            .zip(&self.0)
            .find(|((name, _), _)| *name == option);
        found.map_or("", |((_, values), &at)| values[at])
    }

    /// What `help` says: a format never writes something else than what was asked.
    fn refusal(&self) -> Option<&'static str> {
        const NO_PLACE: Option<&str> = Some("has no place for");
        let dump = matches!(self.get("heap"), "dump" | "all");
        let kinds = ["heap", "cpu", "monitor"];
        let kinds = kinds.iter().filter(|kind| !self.get(kind).is_empty());
        match self.get("format") {
            "b" if matches!(self.get("cpu"), "times" | "old") || self.monitor() => NO_PLACE,
            "collapsed" | "json" | "flame" | "pprof" if dump => NO_PLACE,
            "collapsed" if kinds.count() > 1 => Some("has one kind of stacks"),
            _ => None,
        }
    }

    fn refused(&self) -> bool {
        self.refusal().is_some()
    }

    /// No mode is the heap, sites and dump.
    fn plain(&self) -> bool {
        self.get("heap").is_empty() && self.get("cpu").is_empty() && self.get("monitor").is_empty()
    }

    fn sites(&self) -> bool {
        matches!(self.get("heap"), "sites" | "all") || self.plain()
    }

    fn dump(&self) -> bool {
        matches!(self.get("format"), "a" | "b")
            && (matches!(self.get("heap"), "dump" | "all") || self.plain())
    }

    fn monitor(&self) -> bool {
        self.get("monitor") == "y"
    }

    /// Frames of a trace at most.
    fn depth(&self) -> usize {
        let new = !matches!(self.get("format"), "a" | "b");
        match (self.get("cpu"), self.get("depth")) {
            ("old", _) => 2,
            (_, "") if new => 128,
            (_, "") => 4,
            (_, depth) => depth.parse().unwrap(),
        }
    }

    /// Tables are whole.
    fn whole(&self) -> bool {
        self.get("cutoff") == "0"
    }
}

impl fmt::Display for Row {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for ((name, values), &at) in factors().zip(&self.0) {
            if !values[at].is_empty() {
                write!(out, "{between}{name}={}", values[at])?;
                between = ",";
            }
        }
        Ok(())
    }
}

/// Rows that hold each two values of each two factors, as far as they are not refused.
fn pairs() -> Vec<Row> {
    let sizes: Vec<usize> = factors().map(|(_, values)| values.len()).collect();
    let mut open = Vec::new();
    for (first, &values) in sizes.iter().enumerate() {
        for (second, &others) in sizes.iter().enumerate().skip(first + 1) {
            for pair in (0..values).flat_map(|one| (0..others).map(move |two| (one, two))) {
                open.push(((first, pair.0), (second, pair.1)));
            }
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    while let Some(&((first, one), (second, two))) = open.first() {
        // A row with the first open pair, and of each other factor what closes most.
        let mut row: Vec<Option<usize>> = vec![None; sizes.len()];
        (row[first], row[second]) = (Some(one), Some(two));
        for at in 0..sizes.len() {
            if row[at].is_some() {
                continue;
            }
            let closes = |value: usize| {
                let has = |(factor, wanted): (usize, usize)| {
                    (factor, wanted) == (at, value) || row[factor] == Some(wanted)
                };
                let mut tried = row.clone();
                tried[at] = Some(value);
                let tried = Row(tried.into_iter().map(Option::unwrap_or_default).collect());
                let closed = open
                    .iter()
                    .filter(|&&(a, b)| (a.0 == at || b.0 == at) && has(a) && has(b));
                (!tried.refused(), closed.count())
            };
            row[at] = (0..sizes[at]).rev().max_by_key(|&value| closes(value));
        }
        let row = Row(row.into_iter().map(Option::unwrap_or_default).collect());
        let before = open.len();
        open.retain(|&(a, b)| row.0[a.0] != a.1 || row.0[b.0] != b.1);
        assert!(open.len() < before);
        rows.push(row);
    }
    rows
}

/// All of [`MODES`], with the others changing from row to row.
fn all() -> Vec<Row> {
    let count: usize = MODES.iter().map(|(_, values)| values.len()).product();
    let rows = (0..count).map(|number| {
        let mut rest = number;
        let modes = MODES.iter().map(|(_, values)| {
            let at = rest % values.len();
            rest /= values.len();
            at
        });
        let modes: Vec<usize> = modes.collect();
        let others = (1..)
            .zip(OTHERS)
            .map(|(step, (_, values))| (number * step + number / (step + 2)) % values.len());
        Row(modes.into_iter().chain(others).collect())
    });
    rows.collect()
}

#[test]
fn each_two_values_meet() {
    let rows = pairs();
    for (first, (one, values)) in factors().enumerate() {
        for (second, (two, others)) in factors().enumerate().skip(first + 1) {
            for (value, text) in values.iter().enumerate() {
                for (other, beside) in others.iter().enumerate() {
                    assert!(
                        rows.iter()
                            .any(|row| row.0[first] == value && row.0[second] == other),
                        "{one}={text} {two}={beside}"
                    );
                }
            }
        }
    }
    assert!(rows.len() < 60, "{}", rows.len());
    let modes = all();
    assert_eq!(modes.len(), 192);
    assert!((1..192).all(|at| !modes[..at].contains(&modes[at])));
}

/// One test for each JDK: they take long, and share the machine's processors.
#[test]
fn options_go_together_on_11() {
    options_go_together(11);
}

#[test]
fn options_go_together_on_17() {
    options_go_together(17);
}

#[test]
fn options_go_together_on_21() {
    options_go_together(21);
}

#[test]
fn options_go_together_on_25() {
    options_go_together(25);
}

#[test]
fn options_go_together_on_newer_ones() {
    on_newer_jdks(go_together);
}

#[test]
fn no_jdk_is_forgotten() {
    let majors = MATRIX.map(|row| row.major);
    assert_eq!(
        majors,
        [11, 17, 21, 25],
        "a test for each of them stands above"
    );
}

fn options_go_together(major: u32) {
    on_jdk(major, go_together);
}

fn go_together(jdk: &Jdk) {
    let mut rows = pairs();
    if xrun_tests::long() {
        rows.extend(all());
    }
    let mut wrong = String::new();
    let rows: Vec<&Row> = rows.iter().collect();
    for (_, row) in dealt(jdk, &rows) {
        let tried = std::panic::catch_unwind(|| try_row(jdk, row));
        if tried.is_err() {
            let _ = writeln!(wrong, "{row}");
        }
    }
    assert!(wrong.is_empty(), "of {} rows:\n{wrong}", rows.len());
}

fn try_row(jdk: &Jdk, row: &Row) {
    let options = row.to_string();
    if let Some(reason) = row.refusal() {
        let run = super::run(jdk, &options, "HprofAll").exits(1);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(reason), "{run}");
        return;
    }
    let run = profiled(jdk, &options, "HprofAll");
    check_stderr(row, &run);
    if row.get("format") == "a" {
        let profile = run.file("profile");
        assert!(!profile.contains("JvmpiHooks"), "{row}: our hook class");
    }
    match row.get("format") {
        "a" if row.get("cpu") == "old" && !row.monitor() && row.get("heap").is_empty() => {
            let calls = hprof_ascii::read_old(&run.file("profile")).unwrap();
            check_old(&calls);
        }
        "a" => check_ascii(row, &run, &hprof_ascii::read(&run.file("profile")).unwrap()),
        "b" => check_binary(row, &binary::read(&run.bytes("profile"))),
        "collapsed" => check_collapsed(row, &run.file("profile")),
        "json" => check_json(row, &serde_json::from_str(&run.file("profile")).unwrap()),
        "flame" => check_flame(row, &run.file("profile")),
        "pprof" => check_pprof(row, &own_pprof::read(&run.bytes("profile"))),
        other => panic!("{other}"),
    }
}

/// What was dumped, tables for people, and nothing that went wrong.
fn check_stderr(row: &Row, run: &Run) {
    let talks = row.get("verbose");
    assert_eq!(
        run.stderr.contains("done: profile"),
        talks != "n",
        "{row}: {run}"
    );
    let tables = [
        (" CPU samples", row.get("cpu") == "samples"),
        (" ms in methods", matches!(row.get("cpu"), "times" | "old")),
        (" allocated", row.sites()),
        (" ms lost waiting for locks", row.monitor()),
        (" or idle", row.monitor()),
    ];
    let wanted = tables.iter().filter(|(_, wanted)| *wanted && talks == "y");
    let wanted: Vec<_> = wanted.map(|(end, _)| *end).collect();
    let said = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("hprof: "));
    let (costs, said): (Vec<_>, Vec<_>) = said.partition(|line| line.starts_with("hprof: cpu="));
    // What takes long, and what is mostly of our own events.
    let (cpu, heap) = (row.get("cpu"), row.get("heap"));
    let long = matches!(cpu, "times" | "old");
    let mixed = !cpu.is_empty() && !heap.is_empty();
    let expected = [long, mixed].map(|costs| usize::from(costs && talks != "n"));
    assert_eq!(costs.len(), expected.iter().sum::<usize>(), "{row}: {run}");
    assert_eq!(said.len(), wanted.len(), "{row}: {run}");
    for (line, end) in said.iter().zip(wanted) {
        let number = line.split(' ').nth(1).unwrap_or_default();
        let nothing = number.trim_matches(['0', '.']).is_empty();
        assert!(line.ends_with(end) && !nothing, "{row}: {run}");
    }
    if talks == "y" && row.depth() > 0 && !row.get("cpu").is_empty() {
        assert!(run.stderr.contains("  HprofAll.burn\n"), "{row}: {run}");
    }
    let looks = run
        .stderr
        .contains(" of which the VM had stopped all threads\n");
    assert_eq!(looks, talks == "y" && row.get("cpu") == "samples", "{row}");
    if talks == "y" && row.monitor() {
        assert!(run.stderr.contains("HprofAll$Lock"), "{row}: {run}");
    }
}

fn check_old(calls: &[hprof_ascii::Call]) {
    let leaves = calls.iter().filter(|call| {
        (call.callee.as_str(), call.caller.as_str()) == ("HprofAll.leaf(I)I", "HprofAll.calls()I")
    });
    assert_eq!(leaves.map(|call| call.count).sum::<u64>(), 1000);
}

fn check_ascii(row: &Row, run: &Run, ascii: &Ascii) {
    assert!(!ascii.threads.is_empty(), "{row}");
    let deepest = ascii.traces.values().map(|trace| trace.frames.len()).max();
    assert!(deepest.unwrap_or(0) <= row.depth(), "{row}: {deepest:?}");
    for (trace, frames) in &ascii.traces {
        assert_eq!(
            frames.thread.is_some(),
            row.get("thread") == "y",
            "{row}: {trace}"
        );
        if row.get("lineno") == "n" {
            assert!(
                frames.frames.iter().all(|frame| frame.line < 0),
                "{row}: {trace}"
            );
        }
    }
    let mut expected = vec![
        (ascii.sites.len(), row.sites()),
        (ascii.heaps.len(), row.dump()),
        (ascii.locks.len(), row.monitor()),
        (ascii.parked.len(), row.monitor()),
        (ascii.monitors.len(), row.monitor()),
    ];
    expected.push((ascii.calls.len(), row.get("cpu") == "old"));
    expected.push((
        ascii.cpu.len(),
        matches!(row.get("cpu"), "samples" | "times"),
    ));
    for (place, (found, wanted)) in expected.into_iter().enumerate() {
        assert_eq!(found, usize::from(wanted), "{row}: section {place}\n{run}");
    }
    if let Some(calls) = ascii.calls.last() {
        check_old(calls);
    }
    if let Some(table) = ascii.sites.last() {
        let kept = table
            .rows
            .iter()
            .filter(|site| site.class == "HprofAll$Kept");
        let sum = kept.fold((0, 0), |sum, site| {
            (sum.0 + site.live_objects, sum.1 + site.allocated_objects)
        });
        assert!(
            sum == (200, 200) || sum == (0, 0) && !row.whole(),
            "{row}: {sum:?}"
        );
    }
    if let Some(table) = ascii.cpu.last() {
        assert!(table.total > 0, "{row}");
        assert_eq!(table.times, row.get("cpu") == "times", "{row}");
        if row.depth() > 0 && table.times && row.whole() {
            let leaves = table
                .rows
                .iter()
                .filter(|found| found.method == "HprofAll.leaf");
            assert_eq!(leaves.map(|found| found.count).sum::<u64>(), 1000, "{row}");
        }
        if row.depth() > 0 && row.whole() {
            assert!(
                table
                    .rows
                    .iter()
                    .any(|found| found.method == "HprofAll.burn"),
                "{row}"
            );
        }
    }
    if let Some(table) = ascii.locks.last() {
        assert!(table.total > 0, "{row}: {}", table.total);
        assert_eq!(table.rows[0].name, "HprofAll$Lock", "{row}");
    }
    if let Some(heap) = ascii.heaps.last() {
        let class = heap
            .classes
            .iter()
            .find(|(_, class)| class.name == "HprofAll$Kept");
        let (&class, _) = class.expect("the class");
        let kept = heap
            .instances
            .values()
            .filter(|object| object.class == class);
        assert_eq!(kept.count(), 200, "{row}");
    }
}

fn check_binary(row: &Row, binary: &Binary) {
    assert!(!binary.threads.is_empty(), "{row}");
    assert_eq!(binary.sites.len(), usize::from(row.sites()), "{row}");
    assert_eq!(binary.segments > 0, row.dump(), "{row}");
    assert_eq!(
        binary.samples.len(),
        usize::from(row.get("cpu") == "samples"),
        "{row}"
    );
    let (flags, depth) = binary.control.expect("settings");
    assert_eq!(usize::from(depth), row.depth(), "{row}");
    let heap = u32::from(row.sites() || row.dump());
    assert_eq!(
        flags,
        heap | u32::from(row.get("cpu") == "samples") << 1,
        "{row}"
    );
    if row.dump() {
        assert_eq!(binary.census().get("HprofAll$Kept"), Some(&200), "{row}");
    }
    if let (Some(sites), true) = (binary.sites.last(), row.whole()) {
        let kept = sites.iter().filter(|site| {
            site.is_array == 0 && binary.class_name(site.class_serial_number) == "HprofAll$Kept"
        });
        assert_eq!(
            kept.map(|site| site.instances_allocated).sum::<u32>(),
            200,
            "{row}"
        );
    }
    if let Some((total, _)) = binary.samples.last() {
        assert!(*total > 0, "{row}");
    }
}

/// The one weight that a file of stacks has.
fn check_collapsed(row: &Row, text: &str) {
    let mut sum = 0_u64;
    let first = concat!("(HPROF for xrun ", env!("CARGO_PKG_VERSION"), ")");
    let head = text.lines().next().unwrap_or_default();
    assert!(
        head.starts_with(first) && head.ends_with(" 0"),
        "{row}: {head}"
    );
    // The two kinds of waiting are apart.
    let kinds = ["(monitors)", "(parked)"];
    let waits = row.get("cpu").is_empty() && !row.sites();
    let kind_of = |stack: &str| stack.split(';').next().unwrap_or_default().to_owned();
    for line in text.lines().skip(1) {
        let (stack, value) = line.rsplit_once(' ').expect(line);
        sum += value.parse::<u64>().expect(line);
        assert!(
            !stack.is_empty() && !stack.split(';').any(str::is_empty),
            "{row}: {line}"
        );
        assert_eq!(kinds.contains(&&*kind_of(stack)), waits, "{row}: {line}");
        for (top, kind) in [(";lock ", kinds[0]), (";park ", kinds[1])] {
            assert!(
                !stack.contains(top) || kind_of(stack) == kind,
                "{row}: {line}"
            );
        }
    }
    assert!(sum > 0, "{row}: {text}");
    let has = |name: &str| text.contains(name);
    if row.get("cpu").is_empty() && row.sites() {
        let name = if row.get("cutoff") == "0.3" {
            "(below the cutoff) "
        } else {
            "new HprofAll$Kept "
        };
        assert!(has(name), "{row}: {text}");
    } else if waits {
        let cut = row.get("cutoff") == "0.3";
        for stack in ["lock HprofAll$Lock ", "park HprofAll$Lock "] {
            assert!(cut || has(stack), "{row}: {text}");
        }
    } else if row.depth() > 0 {
        assert!(has("HprofAll.burn"), "{row}: {text}");
    } else {
        assert!(has("<empty> ") || has("] "), "{row}: {text}");
    }
}

fn check_json(row: &Row, json: &Value) {
    assert_eq!(json["options"]["depth"], row.depth() as u64, "{row}");
    let list = |name: &str| json[name].as_array();
    assert_eq!(list("sites").is_some(), row.sites(), "{row}");
    assert_eq!(list("locks").is_some(), row.monitor(), "{row}");
    assert_eq!(list("parked").is_some(), row.monitor(), "{row}");
    assert_eq!(json["cpu"].is_null(), row.get("cpu").is_empty(), "{row}");
    let traces = list("traces").expect("traces");
    let methods = list("methods").expect("methods").len() as u64;
    let frames = list("frames").expect("frames");
    for (place, frame) in (0..).zip(frames) {
        let method = frame[0].as_u64();
        assert!(method.is_some_and(|at| at < methods), "{row}: {frame}");
        let caller = &frame[2];
        assert!(
            caller.is_null() || caller.as_u64().is_some_and(|at| at < place),
            "{row}: {frame}"
        );
    }
    for trace in traces {
        let (mut frame, mut depth) = (&trace["frame"], 0);
        while let Some(at) = frame.as_u64() {
            frame = &frames[usize::try_from(at).unwrap()][2];
            depth += 1;
        }
        assert!(depth <= row.depth() as u64, "{row}: {trace}");
    }
    if let Some(sites) = list("sites") {
        let kept = sites.iter().filter(|site| site["class"] == "HprofAll$Kept");
        let objects = kept.map(|site| site["allocated"]["objects"].as_u64().unwrap());
        assert_eq!(objects.sum::<u64>(), 200, "{row}");
    }
    if let Some(locks) = list("locks") {
        assert!(
            locks.iter().any(|lock| lock["monitor"] == "HprofAll$Lock"),
            "{row}"
        );
    }
    if let Some(parks) = list("parked") {
        assert!(
            parks.iter().any(|park| park["blocker"] == "HprofAll$Lock"),
            "{row}"
        );
    }
    if let Some(entries) = json["cpu"]["entries"].as_array() {
        assert_eq!(json["cpu"]["kind"], row.get("cpu"), "{row}");
        assert!(!entries.is_empty(), "{row}");
    }
}

fn check_flame(row: &Row, page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    let data = super::real_programs::page_data(page).unwrap();
    let kinds: Vec<_> = data["trees"]
        .as_array()
        .expect("trees")
        .iter()
        .map(|tree| tree["kind"].as_str().unwrap())
        .collect();
    let wanted = [
        ("cpu", !row.get("cpu").is_empty()),
        ("allocations", row.sites()),
        ("locks", row.monitor()),
        ("parked", row.monitor()),
    ];
    let wanted: Vec<_> = wanted
        .iter()
        .filter(|(_, is)| *is)
        .map(|(kind, _)| *kind)
        .collect();
    assert_eq!(kinds, wanted, "{row}");
    for tree in data["trees"].as_array().unwrap() {
        let nodes = tree["depth"].as_array().unwrap().len();
        assert_eq!(tree["name"].as_array().unwrap().len(), nodes, "{row}");
        for weight in tree["weights"].as_array().unwrap() {
            let own = weight["own"].as_array().unwrap();
            assert_eq!(own.len(), nodes, "{row}");
            assert!(
                own.iter().map(|own| own.as_u64().unwrap()).sum::<u64>() > 0,
                "{row}"
            );
        }
    }
    let named = |name: &str| {
        data["names"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one == name)
    };
    assert!(
        !row.sites() || !row.whole() || named("new HprofAll$Kept"),
        "{row}"
    );
    assert!(!row.monitor() || named("lock HprofAll$Lock"), "{row}");
}

fn check_pprof(row: &Row, pprof: &Pprof) {
    let kinds = [
        (vec!["samples", "cpu"], row.get("cpu") == "samples"),
        (
            vec!["calls", "cpu"],
            matches!(row.get("cpu"), "times" | "old"),
        ),
        (
            vec![
                "alloc_objects",
                "alloc_space",
                "inuse_objects",
                "inuse_space",
            ],
            row.sites(),
        ),
        (vec!["contentions", "delay"], row.monitor()),
        (vec!["parks", "parked"], row.monitor()),
    ];
    let wanted = kinds.into_iter().filter(|(_, is)| *is);
    let wanted: Vec<&str> = wanted.flat_map(|(types, _)| types).collect();
    assert_eq!(pprof.types, wanted, "{row}");
    for sample in &pprof.samples {
        // What was allocated, waited for or parked for is on top.
        assert!(sample.stack.len() <= row.depth() + 1, "{row}: {sample:?}");
        let labels: Vec<&str> = sample.labels.keys().map(String::as_str).collect();
        let old = row.get("cpu") == "old" && sample.values[0] > 0;
        let thread = (row.get("thread") == "y" && !old).then_some("thread");
        let wanted: Vec<&str> = ["host", "process"].into_iter().chain(thread).collect();
        assert_eq!(labels, wanted, "{row}: {sample:?}");
    }
    let sum = |kind: &str, of: &str| pprof.sum(kind, |stack| stack.iter().any(|name| name == of));
    for kind in &wanted {
        assert!(pprof.sum(kind, |_| true) > 0, "{row}: {kind}");
    }
    if row.sites() {
        assert_eq!(sum("alloc_objects", "new HprofAll$Kept"), 200, "{row}");
        assert_eq!(sum("inuse_objects", "new HprofAll$Kept"), 200, "{row}");
    }
    if row.monitor() {
        assert!(sum("delay", "lock HprofAll$Lock") > 0, "{row}");
        assert!(sum("parked", "park HprofAll$Lock") > 0, "{row}");
    }
    if row.get("cpu") == "times" && row.depth() > 0 {
        let leaf = |stack: &[String]| stack.first().is_some_and(|name| name == "HprofAll.leaf");
        assert_eq!(pprof.sum("calls", leaf), 1000, "{row}");
    }
    if !row.get("cpu").is_empty() && row.depth() > 0 {
        assert!(sum("cpu", "HprofAll.burn") > 0, "{row}");
    }
}
