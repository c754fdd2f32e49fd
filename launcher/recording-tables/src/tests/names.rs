//! What ids stand for.

use event_translate::EventKind;
use recording_format::Value;

use super::made::{ENV, Made};
use crate::{Counted, schema};

#[test]
fn names_stand_for_what_they_named_at_that_time() {
    let mut made = Made::new();
    made.thread(ENV, "first")
        .class(0x10, "A", &[("run", 0x500)])
        .method(ENV, EventKind::MethodEntry, 0x500)
        .event(ENV, EventKind::ThreadEnd, &[])
        .event(ENV, EventKind::ClassUnload, &[Value::Id(0x10)])
        // All of it again, for others.
        .thread(ENV, "second")
        .class(0x10, "B", &[("run", 0x500)])
        .method(ENV, EventKind::MethodEntry, 0x500)
        // Of whom nobody told.
        .method(0x2000, EventKind::MethodEntry, 0x508);
    let exported = made.exported();
    assert_eq!(
        exported.counted,
        Counted {
            events: 9,
            calls: 0
        }
    );
    let threads = exported.columns(&schema::THREADS, &["thread", "name", "env", "ended"]);
    assert_eq!(
        threads,
        ["1 first 4096 4000000", "2 second 4096 -", "3 - 8192 -"]
    );
    let classes = exported.columns(&schema::CLASSES, &["class", "name", "loaded", "unloaded"]);
    assert_eq!(classes, ["1 A 2000000 5000000", "2 B 7000000 -"]);
    let methods = exported.columns(&schema::METHODS, &["method", "class", "name", "id"]);
    assert_eq!(methods, ["1 1 run 1280", "2 2 run 1280", "3 - - 1288"]);
    let events = exported.columns(&schema::EVENTS, &["event", "thread", "method", "class"]);
    assert_eq!(
        events,
        [
            "THREAD_START 1 - -",
            "CLASS_LOAD 1 - 1",
            "METHOD_ENTRY 1 1 -",
            "THREAD_END 1 - -",
            "CLASS_UNLOAD 1 - 1",
            "THREAD_START 2 - -",
            "CLASS_LOAD 2 - 2",
            "METHOD_ENTRY 2 2 -",
            "METHOD_ENTRY 3 3 -",
        ]
    );
}

#[test]
fn what_the_agent_asks_for_twice_is_one() {
    let mut made = Made::new();
    made.method(ENV, EventKind::MethodEntry, 0x500)
        .thread(ENV, "main")
        .thread(ENV, "main")
        .class(0x10, "A", &[("run", 0x500)])
        .class(0x10, "A", &[("run", 0x500), ("added", 0x508)]);
    let exported = made.exported();
    let threads = exported.columns(&schema::THREADS, &["thread", "name", "started"]);
    assert_eq!(threads, ["1 main 2000000"]);
    assert_eq!(
        exported.columns(&schema::CLASSES, &["class", "name"]),
        ["1 A"]
    );
    // What was entered before anybody told of it has a row of its own.
    let methods = exported.columns(&schema::METHODS, &["method", "class", "name"]);
    assert_eq!(methods, ["1 - -", "2 1 run", "3 1 added"]);
}

#[test]
fn objects_have_the_class_they_were_born_with() {
    let object = |id| [Value::Id(id)];
    let mut made = Made::new();
    made.class(0x10, "A", &[])
        .born(0x20, 0x10, 0)
        .event(ENV, EventKind::MonitorContendedEnter, &object(0x20))
        .event(0, EventKind::ObjectFree, &object(0x20))
        .born(0x20, 0x10, 2)
        .born(0x28, 0, 10)
        .born(0x30, 0x48, 2)
        .event(
            ENV,
            EventKind::MonitorWait,
            &[Value::Id(0x20), Value::Int(50)],
        )
        // A class is an object, and both go elsewhere.
        .event(
            0,
            EventKind::ObjectMove,
            &[
                Value::Int(1),
                Value::Id(0x10),
                Value::Int(2),
                Value::Id(0x90),
            ],
        )
        .event(
            0,
            EventKind::ObjectMove,
            &[
                Value::Int(1),
                Value::Id(0x20),
                Value::Int(2),
                Value::Id(0x98),
            ],
        )
        .event(ENV, EventKind::MonitorContendedExit, &object(0x20))
        .event(ENV, EventKind::MonitorContendedExit, &object(0x98))
        .born(0xa0, 0x90, 0)
        .born(0xa8, 0x90, 2);
    let exported = made.exported();
    let classes = exported.columns(&schema::CLASSES, &["class", "name", "id"]);
    assert_eq!(classes, ["1 A 144", "2 A[] -", "3 int[] -", "4 - -"]);
    let events = exported.columns(
        &schema::EVENTS,
        &["event", "thread", "class", "object", "size", "timeout"],
    );
    assert_eq!(
        events,
        [
            "CLASS_LOAD 1 1 - - -",
            "OBJECT_ALLOC 1 1 32 24 -",
            "MONITOR_CONTENDED_ENTER 1 1 32 - -",
            "OBJECT_FREE - 1 32 - -",
            "OBJECT_ALLOC 1 2 32 24 -",
            "OBJECT_ALLOC 1 3 40 24 -",
            "OBJECT_ALLOC 1 4 48 24 -",
            "MONITOR_WAIT 1 2 32 - 50",
            "OBJECT_MOVE - - 16 - -",
            "OBJECT_MOVE - 2 32 - -",
            "MONITOR_CONTENDED_EXIT 1 - 32 - -",
            "MONITOR_CONTENDED_EXIT 1 2 152 - -",
            "OBJECT_ALLOC 1 1 160 24 -",
            "OBJECT_ALLOC 1 2 168 24 -",
        ]
    );
}
