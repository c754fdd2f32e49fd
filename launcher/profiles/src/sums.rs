//! No sum differs from that of its parts: whatever formats these have, however little room there is,
//! and when what was merged is written and read again. Long, for each format has its maker.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use profile_formats::pprof;
use serde_json::{Value, json};

use crate::merged::Merged;
use crate::read::read;
use crate::write;

struct Dice(u64);

impl Dice {
    /// Below that.
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// Some numbers below that.
    fn some(&mut self, most: u64, sides: u64) -> Vec<u64> {
        (0..self.throw(most + 1))
            .map(|_| self.throw(sides))
            .collect()
    }
}

/// By title and process.
type Sums = BTreeMap<(String, String), u64>;

/// A file, and what there is in it.
#[derive(Default)]
struct File {
    name: String,
    bytes: Vec<u8>,
    sums: Sums,
}

impl File {
    fn count(&mut self, title: &str, process: &str, value: u64) {
        if value > 0 {
            let key = (title.to_owned(), process.to_owned());
            *self.sums.entry(key).or_default() += value;
        }
    }
}

type Make = fn(&mut Dice, &mut File);

const FORMATS: [Make; 6] = [
    collapsed,
    text,
    binary,
    hprof_json,
    pprof_of_two,
    merged_json,
];

/// Up to sixty, of some of a few methods.
fn stacks(dice: &mut Dice) -> Vec<Vec<u64>> {
    (0..dice.throw(60)).map(|_| dice.some(5, 4)).collect()
}

fn collapsed(dice: &mut Dice, file: &mut File) {
    let titles = [
        ("CPU samples", "samples"),
        ("Waiting", "ns"),
        ("Allocated", "bytes"),
        ("Live (estimate)", "bytes"),
    ];
    let (title, unit) = titles[usize::try_from(dice.throw(4)).unwrap()];
    let process = format!("{} on h", file.name);
    let mut text = format!("(HPROF for xrun 0.1.0);({title}, {unit});({process}) 0\n");
    for stack in stacks(dice) {
        let value = dice.throw(1000);
        let frames: Vec<String> = stack.iter().map(|it| format!("a.m{it}")).collect();
        let stack = if stack.is_empty() {
            "<empty>".to_owned()
        } else {
            frames.join(";")
        };
        let _ = writeln!(text, "{stack} {value}");
        file.count(title, &process, value);
    }
    file.bytes = text.into_bytes();
}

fn text(dice: &mut Dice, file: &mut File) {
    let process = format!("{} on ", file.name);
    let mut text = "JAVA PROFILE 1.0.1, created Wed Oct 14 11:06:55 1998\n".to_owned();
    let stacks = stacks(dice);
    for (at, stack) in stacks.iter().enumerate() {
        let _ = writeln!(text, "TRACE {at}:");
        for frame in stack.iter().rev() {
            let _ = writeln!(text, "\ta.m{frame}(A.java:{at})");
        }
    }
    let counts: Vec<u64> = stacks.iter().map(|_| dice.throw(1000)).collect();
    // Rows below the cutoff are not there.
    let total = counts.iter().sum::<u64>() + 1 + dice.throw(50);
    for (title, series, unit) in [
        ("CPU SAMPLES", "CPU samples", 1),
        ("CPU TIME (ms)", "CPU time", 1_000_000),
    ] {
        let _ = writeln!(
            text,
            "{title} BEGIN (total = {total}) Wed Oct 14\nrank self"
        );
        for (at, count) in counts.iter().enumerate() {
            let share = *count as f64 * 100.0 / total as f64;
            let _ = writeln!(text, "{at} {share:.2}% 100.00% {count} {at} a.m");
        }
        let _ = writeln!(text, "{title} END");
        file.count(series, &process, total * unit);
    }
    text += "SITES BEGIN (ordered by live bytes) Wed Oct 14\nrank self\n";
    for at in 0..stacks.len() {
        let titles = ["Live", "Live objects", "Allocated", "Allocations"];
        let values = titles.map(|_| dice.throw(1000));
        let [live, objects, all, all_objects] = values;
        let _ = writeln!(
            text,
            "{at} 1.00% 1.00% {live} {objects} {all} {all_objects} {at} [I"
        );
        for (title, value) in titles.into_iter().zip(values) {
            file.count(title, &process, value);
        }
    }
    text += "SITES END\n";
    file.bytes = text.into_bytes();
}

/// Rows below the cutoff are not there; the heads have them, too.
fn binary(dice: &mut Dice, file: &mut File) {
    let process = format!("{} on ", file.name);
    let n = |number: u64| u32::try_from(number).unwrap().to_be_bytes();
    let mut bytes = b"JAVA PROFILE 1.0.1\0\0\0\0\x04\0\0\0\0\0\0\0\0".to_vec();
    let mut record = |tag: u8, body: &[u8]| {
        bytes.extend([tag, 0, 0, 0, 0]);
        bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        bytes.extend(body);
    };
    record(0x0e, &[n(3).as_slice(), &[0, 4]].concat());
    record(0x01, &[n(9).as_slice(), b"a"].concat());
    record(0x02, &[n(1), n(0), n(0), n(9)].concat());
    for method in 0..4 {
        record(
            0x01,
            &[n(method + 1).as_slice(), format!("m{method}").as_bytes()].concat(),
        );
        record(
            0x04,
            &[n(method), n(method + 1), n(0), n(0), n(1), n(7)].concat(),
        );
    }
    let stacks = stacks(dice);
    let (mut samples, mut sites) = (Vec::new(), Vec::new());
    let (mut count, mut sums) = (1 + dice.throw(50), [(); 4].map(|()| dice.throw(1000)));
    for (trace, stack) in (0..).zip(&stacks) {
        let mut body = [n(trace), n(0), n(stack.len() as u64)].concat();
        body.extend(stack.iter().rev().flat_map(|&method| n(method)));
        record(0x05, &body);
        let here = dice.throw(1000);
        count += here;
        samples.extend([n(here), n(trace)].concat());
        let values = [(); 4].map(|()| dice.throw(1000));
        sites.push(10);
        sites.extend([n(0), n(trace)].concat());
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
            sites.extend(n(value));
        }
    }
    let rows = n(stacks.len() as u64);
    record(0x0d, &[n(count).as_slice(), &rows, &samples].concat());
    let [live, live_objects, all, objects] = sums;
    let head = [
        &[0; 6][..],
        &n(live),
        &n(live_objects),
        &all.to_be_bytes(),
        &objects.to_be_bytes(),
    ];
    record(0x06, &[&head.concat()[..], &rows, &sites].concat());
    file.count("CPU samples", &process, count);
    for (title, sum) in ["Live", "Live objects", "Allocated", "Allocations"]
        .into_iter()
        .zip(sums)
    {
        file.count(title, &process, sum);
    }
    file.bytes = bytes;
}

fn hprof_json(dice: &mut Dice, file: &mut File) {
    let process = format!("{} on h", file.name);
    // A tree of frames, and traces that end anywhere in it.
    let frames: Vec<Value> = (0..1 + dice.throw(30))
        .map(|at| json!([dice.throw(4), 1, (at > 0).then(|| dice.throw(at))]))
        .collect();
    let traces: Vec<Value> = (0..20)
        .map(|id| {
            let frame = dice.throw(frames.len() as u64 + 1);
            let frame = (frame > 0).then(|| frame - 1);
            json!({"id": id, "thread": (id % 2 == 0).then_some(id % 4), "frame": frame})
        })
        .collect();
    let sample = (dice.throw(2) == 0).then_some(512);
    let mark = if sample.is_some() { " (estimate)" } else { "" };
    let mut table = |title: &str, key: &str| {
        let rows = dice.some(40, 1000);
        let rows = rows.into_iter().map(|value| {
            file.count(title, &process, value);
            json!({"trace": value % 20, "monitor": "a.B", "raw": value % 3 == 0, key: value})
        });
        rows.collect::<Vec<Value>>()
    };
    let samples = table("CPU samples", "count");
    let locks = table("Lock time", "ns");
    let parked = table("Parked time", "ns");
    let mut sites = Vec::new();
    for value in dice.some(40, 1000) {
        for (title, factor) in [
            ("Allocated", 4),
            ("Allocations", 3),
            ("Live", 2),
            ("Live objects", 1),
        ] {
            file.count(&format!("{title}{mark}"), &process, value * factor);
        }
        sites.push(json!({
            "class": "[I", "trace": value % 20,
            "allocated": {"bytes": value * 4, "objects": value * 3},
            "live": {"bytes": value * 2, "objects": value},
        }));
    }
    let methods = [0, 1, 2, 3].map(|it| json!({"class": "a", "name": format!("m{it}")}));
    let threads = [0, 2].map(|id| json!({"id": id, "name": format!("thread;{id}\n")}));
    file.bytes = json!({
        "format": "xrun-hprof", "version": 2, "options": {"interval": 10, "sample": sample},
        "process": process, "threads": threads, "methods": methods, "frames": frames, "traces": traces,
        "cpu": {"kind": "samples", "entries": samples}, "sites": sites, "locks": locks, "parked": parked,
    })
    .to_string()
    .into_bytes();
}

/// Two processes, a type of its own, and what is not merged.
fn pprof_of_two(dice: &mut Dice, file: &mut File) {
    let types = [
        ("samples", "count"),
        ("cpu", "nanoseconds"),
        ("alloc_space", "bytes"),
        ("wakeups", "times"),
        ("calls", "count"),
    ];
    let mut to = pprof::Writer::new(Vec::new(), &types);
    to.period("cpu", "nanoseconds", 10_000_000);
    for stack in stacks(dice) {
        let number = dice.throw(2);
        let process = format!("{}-{number}", file.name);
        let values = types.map(|_| dice.throw(1000));
        let methods = stack
            .iter()
            .rev()
            .map(|it| to.name_only(&format!("a.m{it}")));
        let stack = methods.collect();
        let thread = if number == 0 { "main" } else { "" };
        let labels = [("process", &*process), ("thread", thread)];
        to.sample(stack, &values, &labels).unwrap();
        for (title, place) in [("CPU samples", 0), ("Allocated", 2), ("wakeups", 3)] {
            file.count(title, &format!("{process} on "), values[place]);
        }
    }
    file.bytes = to.finish().unwrap();
}

fn merged_json(dice: &mut Dice, file: &mut File) {
    let count = 1 + dice.throw(40);
    let nodes: Vec<_> = (0..count)
        .map(|at| json!([dice.throw(at.max(1)), dice.throw(4)]))
        .collect();
    let processes = [0, 1, 2].map(|it| (format!("{}-{it}", file.name), "h"));
    let series: Vec<_> = [
        ("cpu", "CPU samples", "samples"),
        ("allocations", "Live (estimate)", "bytes"),
        ("stacks", "wakeups", "times"),
    ]
    .into_iter()
    .map(|(kind, title, unit)| {
        let values = dice.some(60, 1000);
        let cells = values.into_iter().map(|value| {
            let process = dice.throw(3);
            let name = &processes[usize::try_from(process).unwrap()].0;
            file.count(title, &format!("{name} on h"), value);
            json!([process, dice.throw(count), value])
        });
        let cells: Vec<_> = cells.collect();
        json!({"kind": kind, "title": title, "unit": unit, "cells": cells})
    })
    .collect();
    file.bytes = json!({
        "format": "xrun-profiles", "version": 1, "interval": 10_000_000, "processes": processes,
        "names": ["", "a.m0", "a.m1", "a.m2"], "nodes": nodes, "series": series,
    })
    .to_string()
    .into_bytes();
}

/// Of numbers of nodes; that those of all below come to the same is asserted.
fn sums(merged: &Merged) -> Sums {
    let mut sums = Sums::new();
    for ((series, cells), (_, total)) in merged.series.iter().zip(merged.totals()) {
        assert_eq!(merged.with_callees(cells)[0], total);
        for cell in cells {
            let process = &merged.processes[cell.process as usize];
            let process = format!("{} on {}", process.name, process.host);
            *sums.entry((series.title.clone(), process)).or_default() += cell.value;
        }
    }
    sums
}

fn merged_of(room: usize, files: &[(&str, &[u8])]) -> Merged {
    let mut merged = Merged::with_room(room);
    for &(name, mut bytes) in files {
        let part = read(name, &mut bytes).unwrap_or_else(|why| panic!("{name}: {why}"));
        merged
            .add(&part)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    merged
}

type Write = fn(&Merged, &str, &mut dyn io::Write) -> io::Result<()>;

fn written(merged: &Merged, write: Write) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(merged, "xrun test", &mut bytes).unwrap();
    bytes
}

/// Without the head.
fn sorted(lines: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(lines).unwrap();
    let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The lines of the only series, each made for itself.
fn one_by_one(merged: &Merged) -> Vec<String> {
    let mut own = BTreeMap::new();
    for cell in &merged.series[0].1 {
        *own.entry(cell.node).or_insert(0) += cell.value;
    }
    let lines = own.into_iter().map(|(mut node, value)| {
        let mut stack = Vec::new();
        while node != 0 {
            stack.insert(0, merged.name_of(node).replace(';', ":").replace('\n', " "));
            node = merged.nodes[node as usize].parent;
        }
        let stack = if stack.is_empty() {
            "<empty>".to_owned()
        } else {
            stack.join(";")
        };
        format!("{stack} {value}")
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

/// In each format, and each series as collapsed.
fn write_and_read(merged: &Merged, room: usize, expected: &Sums, round: u32) {
    let formats: [Write; 2] = [write::json, write::pprof];
    let written_as = formats.map(|write| written(merged, write));
    for bytes in &written_as {
        let again = merged_of(room, &[("again", bytes)]);
        assert_eq!(&sums(&again), expected, "{round} again");
    }
    for (series, total) in merged.totals() {
        let lines = written_as.each_ref().map(|bytes| {
            let mut one = merged_of(1_000_000, &[("all", bytes)]);
            one.series.retain(|(known, _)| known == series);
            let lines = written(&one, write::collapsed);
            assert_eq!(sorted(&lines), one_by_one(&one), "{round}");
            lines
        });
        assert!(lines[0] == lines[1], "{round} {}", series.title);
        let again = merged_of(room, &[("again", &lines[0])]);
        assert_eq!(again.totals(), [(series, total)], "{round}");
    }
}

#[test]
fn no_sum_differs_from_that_of_its_parts() {
    let mut dice = Dice(7);
    for round in 0..120 {
        let mut expected = Sums::new();
        let mut files = Vec::new();
        for at in 0..1 + dice.throw(6) {
            let mut file = File {
                name: format!("f{at}"),
                ..File::default()
            };
            let make = FORMATS[usize::try_from(dice.throw(6)).unwrap()];
            make(&mut dice, &mut file);
            for (key, value) in std::mem::take(&mut file.sums) {
                *expected.entry(key).or_default() += value;
            }
            files.push(file);
        }
        let files: Vec<_> = files.iter().map(|it| (&*it.name, &*it.bytes)).collect();
        for room in [40, 1_000_000] {
            let mut merged = merged_of(room, &files);
            assert_eq!(sums(&merged), expected, "{round} merged");
            assert!(room > 40 || merged.nodes.len() <= room, "{round}");
            // This takes its time.
            if round % 10 == 0 {
                write_and_read(&merged, room, &expected, round);
            }
            merged.cut(0.05, 30);
            assert_eq!(sums(&merged), expected, "{round} cut");
        }
    }
}
