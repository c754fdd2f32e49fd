//! Calls, stacks and dumps.

use event_translate::EventKind;
use recording_format::{Subject, Value, What};

use super::made::{ENV, Made};
use crate::{Counted, schema};

/// GetCallTrace in a handler, which calls nothing.
fn trace<'a>(frames: &[(i64, u64)], is_leaf: bool) -> (What<'a>, Vec<Value<'a>>) {
    let rows = frames
        .iter()
        .map(|(line, method)| vec![Value::Int(*line), Value::Id(*method)])
        .collect();
    let count = i64::try_from(frames.len()).unwrap();
    let results = vec![Value::Int(count), Value::List(rows)];
    let call = What::Call {
        slot: 5,
        arguments: vec![Value::Id(ENV), Value::Int(8)],
        results: is_leaf.then(|| results.clone()),
    };
    (call, results)
}

#[test]
fn calls_know_their_handler_and_their_stack() {
    let mut made = Made::new();
    made.thread(ENV, "main").class(0x10, "A", &[("run", 0x500)]);
    let open = What::Event {
        number: EventKind::MonitorWait.raw(),
        requested: true,
        env: ENV,
        values: vec![Value::Id(0), Value::Int(0)],
        results: None,
    };
    made.add(0, open);
    made.add(0, trace(&[(3, 0x500), (-3, 0x508)], true).0);
    made.add(0, trace(&[(3, 0x500), (-3, 0x508)], true).0);
    // Something was recorded before it returned.
    let (call, results) = trace(&[(4, 0x500)], false);
    made.add(0, call);
    made.method(ENV, EventKind::MethodExit, 0x500);
    let leave = |subject, results| What::Leave { subject, results };
    made.add(0, leave(Subject::Call(5), results));
    made.add(
        0,
        leave(Subject::Event(EventKind::MonitorWait.raw()), Vec::new()),
    );
    made.add(0, trace(&[], true).0);
    // On another thread, which had no event, and never returns.
    let sleep = What::Call {
        slot: 10,
        arguments: vec![Value::Id(0x77), Value::Int(250)],
        results: None,
    };
    made.add(1, sleep);
    let exported = made.exported();
    assert_eq!(
        exported.counted,
        Counted {
            events: 4,
            calls: 5
        }
    );
    let calls = exported.columns(
        &schema::CALLS,
        &[
            "function",
            "thread",
            "event",
            "of_thread",
            "value",
            "frames",
            "stack",
            "ended",
            "monitor",
            "millis",
        ],
    );
    assert_eq!(
        calls,
        [
            "GetCallTrace 1 3 1 8 2 1 - - -",
            "GetCallTrace 1 3 1 8 2 1 - - -",
            "GetCallTrace 1 3 1 8 1 2 8000000 - -",
            "GetCallTrace 1 - 1 8 0 - - - -",
            "RawMonitorWait - - - - - - - 119 250",
        ]
    );
    let mut stacks = exported.columns(&schema::STACKS, &["stack", "depth", "method", "line"]);
    stacks.sort();
    assert_eq!(stacks, ["1 0 1 3", "1 1 2 -3", "2 0 1 4"]);
    let events = exported.columns(&schema::EVENTS, &["event", "requested"]);
    assert!(events.contains(&"MONITOR_WAIT 1".to_owned()), "{events:?}");
}

#[test]
fn traces_of_dumps_are_rows() {
    let frames = |method| {
        let frame = vec![Value::Int(9), Value::Id(method)];
        Value::List(vec![frame])
    };
    let trace = |env, method| vec![Value::Id(env), frames(method)];
    let mut made = Made::new();
    made.thread(ENV, "main").event(
        ENV,
        EventKind::MonitorDump,
        &[
            Value::Bytes(b"12345"),
            Value::List(vec![
                trace(ENV, 0x500),
                vec![Value::Id(0x2000), Value::List(Vec::new())],
            ]),
            Value::List(vec![vec![Value::Int(1)], vec![Value::Int(2)]]),
        ],
    );
    let exported = made.exported();
    let mut traces = exported.columns(&schema::TRACES, &["event", "thread", "status", "stack"]);
    traces.sort();
    assert_eq!(traces, ["2 1 1 1", "2 2 2 -"]);
    let events = exported.columns(&schema::EVENTS, &["event", "bytes"]);
    assert_eq!(events, ["THREAD_START -", "MONITOR_DUMP 5"]);
}
