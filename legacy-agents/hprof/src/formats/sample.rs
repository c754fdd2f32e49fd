//! A small profile for tests.

use std::time::{Duration, SystemTime};

use crate::profile::Program;
use crate::profile::{
    Amount, Class, ClassRef, Cpu, CpuEntry, Frame, Lock, Method, MethodRef, Monitor, Park, Profile,
    Shown, Site, SiteKind, Thread, Trace,
};

/// Three methods of one class, three traces of one thread, everything that can be drawn.
pub(crate) fn profile() -> Profile {
    let method = |name: &str| Method {
        class: ClassRef(0),
        name: name.to_owned(),
        signature: "()V".to_owned(),
    };
    let trace = |serial, frames: &[(u32, i32)]| Trace {
        serial,
        thread: u32::from(serial > 1),
        frames: frames
            .iter()
            .map(|(method, line)| Frame {
                method: MethodRef(*method),
                line: *line,
            })
            .collect(),
    };
    let entry = |trace, count| CpuEntry {
        trace,
        count,
        nanos: 0,
    };
    let amount = |objects, bytes| Amount { objects, bytes };
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000_000_123);
    Profile {
        started,
        taken: started + Duration::from_secs(2),
        program: Program {
            name: "Main".to_owned(),
            facts: vec![("Program", "a.Main 1 <b>".to_owned())],
        },
        shown: Shown {
            depth: 4,
            cutoff: 0.0001,
            interval: 10,
            lineno: true,
            thread: true,
            sample: None,
        },
        notes: Vec::new(),
        left_out: None,
        classes: vec![Class {
            serial: 1,
            id: 0x10,
            name: "a.Main".to_owned(),
            source: "Main.java".to_owned(),
            trace: 0,
            unloaded: false,
        }],
        methods: vec![method("main"), method("<init>"), method("work")],
        threads: vec![Thread {
            serial: 1,
            object: 0x20,
            name: "main".to_owned(),
            group: "main".to_owned(),
            parent: "system".to_owned(),
            trace: 0,
            ended: false,
        }],
        traces: vec![
            trace(1, &[]),
            trace(2, &[(1, 7), (0, 3)]),
            trace(3, &[(2, -3), (1, 8), (0, 3)]),
        ],
        cpu: Some(Cpu::Samples(vec![entry(3, 10), entry(1, 2), entry(2, 5)])),
        sites: Some(vec![
            Site {
                kind: SiteKind::PrimitiveArray(b'I'),
                trace: 2,
                live: amount(0, 0),
                allocated: amount(4, 100),
                estimates: None,
            },
            Site {
                kind: SiteKind::Array(Some(ClassRef(0))),
                trace: 2,
                live: amount(1, 32),
                allocated: amount(2, 64),
                estimates: None,
            },
        ]),
        locks: Some(vec![Lock {
            monitor: Monitor::Java(Some(ClassRef(0)), 0x30),
            trace: 3,
            count: 2,
            nanos: 7_000_000,
        }]),
        parked: Some(vec![
            Park {
                blocker: None,
                trace: 3,
                count: 1,
                nanos: 0,
                still: false,
            },
            Park {
                blocker: Some(ClassRef(0)),
                trace: 2,
                count: 3,
                nanos: 9_000_000,
                still: false,
            },
        ]),
    }
}
