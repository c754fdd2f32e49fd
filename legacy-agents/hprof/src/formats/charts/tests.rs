//! What is drawn of which profile.

use super::super::sample;
use super::*;

fn stacks(charts: &Charts, at: usize) -> Vec<(String, Vec<u64>)> {
    let stacks = charts.charts[at].stacks.iter();
    stacks
        .map(|stack| {
            let frames = stack
                .frames
                .iter()
                .map(|at| charts.names[*at as usize].as_str());
            (frames.collect::<Vec<_>>().join(" > "), stack.values.clone())
        })
        .collect()
}

#[test]
fn every_kind_has_its_chart() {
    let charts = charts(&sample::profile());
    assert_eq!(charts.names[0], ALL);
    assert!(charts.names.is_sorted());
    let kinds: Vec<_> = charts.charts.iter().map(|chart| chart.kind).collect();
    assert_eq!(kinds, ["cpu", "allocations", "locks", "parked"]);
    assert_eq!(
        stacks(&charts, 0),
        [
            (String::new(), vec![2]),
            ("[main] > a.Main.main > a.Main.<init>".into(), vec![5]),
            (
                "[main] > a.Main.main > a.Main.<init> > a.Main.work".into(),
                vec![10]
            ),
        ]
    );
    assert_eq!(
        stacks(&charts, 1),
        [
            (
                "[main] > a.Main.main > a.Main.<init> > new a.Main[]".into(),
                vec![64, 2, 32]
            ),
            (
                "[main] > a.Main.main > a.Main.<init> > new int[]".into(),
                vec![100, 4, 0]
            ),
        ]
    );
    assert_eq!(
        stacks(&charts, 2),
        [(
            "[main] > a.Main.main > a.Main.<init> > a.Main.work > lock a.Main".into(),
            vec![7_000_000]
        )]
    );
    assert_eq!(
        stacks(&charts, 3),
        [(
            "[main] > a.Main.main > a.Main.<init> > park a.Main".into(),
            vec![9_000_000]
        )],
        "no time, no stack"
    );
}

/// Traces that differ in lines only are one stack.
#[test]
fn what_is_the_same_is_added_up() {
    let mut profile = sample::profile();
    for trace in &mut profile.traces {
        trace.thread = 0;
        for frame in &mut trace.frames {
            frame.line = 1;
        }
        trace.frames.truncate(1);
    }
    profile.cpu = Some(Cpu::Times(vec![
        CpuEntry {
            trace: 2,
            count: 1,
            nanos: 3,
        },
        CpuEntry {
            trace: 2,
            count: 1,
            nanos: 4,
        },
        CpuEntry {
            trace: 3,
            count: 9,
            nanos: 0,
        },
    ]));
    let charts = charts(&profile);
    assert_eq!(stacks(&charts, 0), [("a.Main.<init>".to_owned(), vec![7])]);
    assert_eq!(charts.charts[0].weights[0].unit, "ns");
}

#[test]
fn calls_of_cpu_old_are_stacks_of_two() {
    let mut profile = sample::profile();
    let call = |callee, caller, nanos| crate::profile::Call {
        callee: MethodRef(callee),
        caller,
        count: 1,
        nanos,
    };
    profile.cpu = Some(Cpu::Old(vec![
        call(1, Some(MethodRef(0)), 5),
        call(0, None, 6),
    ]));
    assert_eq!(
        stacks(&charts(&profile), 0),
        [
            ("a.Main.main".to_owned(), vec![6]),
            ("a.Main.main > a.Main.<init>".to_owned(), vec![5])
        ]
    );
}

#[test]
fn an_empty_profile_has_no_charts() {
    let mut profile = sample::profile();
    (profile.cpu, profile.sites, profile.locks) = (None, None, None);
    profile.parked = None;
    assert_eq!(charts(&profile).charts, []);
}
